#!/bin/sh
# How kernels scale with host threads (make bench-threads): wall time with 1, 2, 4, ... of them, up to the number of processors, less what starting takes, as multiples of the speed of
# one; in brackets, what the machine gives: the same multiple for as many processes with one thread each, which share nothing. Each kernel is launched 21 times, with --check=all 5 times; the least of
# REPEAT runs counts. Only on a machine on which nothing else runs do these figures mean anything.
cd "$(dirname "$0")/.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
repeat=${REPEAT:-3}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# wall N COMMAND...: the time of N of them together in microseconds, the least of $repeat
wall() {
	many=$1 least=
	shift
	for _ in $(seq "$repeat"); do
		begin=$(date +%s%N)
		for _ in $(seq "$many"); do "$@" >/dev/null 2>&1 & done
		wait
		time=$((($(date +%s%N) - begin) / 1000))
		[ "$least" ] && [ "$least" -le $time ] || least=$time
	done
	echo "$least"
}

for kernel in ${KERNELS:-k_fma k_mm k_reduce k_hist sgemm stencil bitonic nbody mandelbrot sha256 lexer bfs}; do
	for how in ${HOW:---engine=interpreter --engine=stencils --engine=native --check=all}; do
		case $how in --check=all) more=4 ;; *) more=20 ;; esac
		awk -v more=$more '/^\/\/@ expect/ { next } { print } /^\/\/@ launch/ && !seen++ { for (i = 0; i < more; i++) print }' "bench/$kernel.ptx" >"$dir/$kernel.ptx"
		"$ptxi" run -q -j1 "$how" "$dir/$kernel.ptx" >/dev/null 2>&1 # the compiler's code is kept
		one=
		threads=1
		while [ $threads -le "${MOST:-$(nproc)}" ]; do
			start=$(wall 1 "$ptxi" run -q -j$threads "$how" --max-steps=1 "$dir/$kernel.ptx")
			time=$(($(wall 1 "$ptxi" run -q -j$threads "$how" "$dir/$kernel.ptx") - start))
			one=${one:-$time}
			start=$(wall $threads "$ptxi" run -q -j1 "$how" --max-steps=1 "$dir/$kernel.ptx")
			apart=$(($(wall $threads "$ptxi" run -q -j1 "$how" "$dir/$kernel.ptx") - start))
			echo "$kernel $how $threads $one $time $apart"
			threads=$((2 * threads))
		done
	done
done | awk '$3 == 1 { printf "%s%s %s: 1 thread %.3f s", n++ ? "\n" : "", $1, $2, $4 / 1e6 }
	$3 > 1 { printf ", %d: %.2f (%.2f)", $3, $4 / $5, $3 * $4 / $6 } END { print "" }'
