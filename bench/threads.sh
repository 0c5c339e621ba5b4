#!/bin/sh
# How kernels scale with host threads (make bench-threads): wall time with 1, 2, 4, ... of them, up to the number of processors, less what starting takes, as multiples of the speed of
# one. Each kernel is launched 21 times, with --check=all 5 times; the least of REPEAT runs counts. Only on a machine on which nothing else runs do these figures mean anything.
cd "$(dirname "$0")/.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
repeat=${REPEAT:-3}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# wall COMMAND...: its time in microseconds, the least of $repeat
wall() {
	least=
	for _ in $(seq "$repeat"); do
		begin=$(date +%s%N)
		"$@" >/dev/null 2>&1
		time=$((($(date +%s%N) - begin) / 1000))
		[ "$least" ] && [ "$least" -le $time ] || least=$time
	done
	echo "$least"
}

for kernel in ${KERNELS:-k_fma k_mm k_reduce k_hist sgemm stencil bitonic nbody mandelbrot sha256 lexer bfs}; do
	for how in --engine=interpreter --engine=stencils --engine=native --check=all; do
		case $how in --check=all) more=4 ;; *) more=20 ;; esac
		awk -v more=$more '/^\/\/@ expect/ { next } { print } /^\/\/@ launch/ && !seen++ { for (i = 0; i < more; i++) print }' "bench/$kernel.ptx" >"$dir/$kernel.ptx"
		"$ptxi" run -q -j1 $how "$dir/$kernel.ptx" >/dev/null 2>&1 # the compiler's code is kept
		start=$(wall "$ptxi" run -q -j1 $how --max-steps=1 "$dir/$kernel.ptx")
		one=
		threads=1
		while [ $threads -le "$(nproc)" ]; do
			time=$(wall "$ptxi" run -q -j$threads $how "$dir/$kernel.ptx")
			one=${one:-$time}
			echo "$kernel $how $threads $one $time $start"
			threads=$((2 * threads))
		done
	done
done | awk '$3 == 1 { printf "%s%s %s: 1 thread %.3f s", n++ ? "\n" : "", $1, $2, ($4 - $6) / 1e6 }
	$3 > 1 { printf ", %d: %.2f times", $3, ($4 - $6) / ($5 - $6) } END { print "" }'
