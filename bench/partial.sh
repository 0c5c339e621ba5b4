#!/bin/sh
# What a missing lane costs (make bench-partial): each kernel of bench/partial.ptx in LANES lanes of a warp (31) as a multiple of all 32, less what starting takes, for each engine. The aim for memory: 1.3.
# Instructions as callgrind counts them, of AVX2 code, as it knows no AVX-512; HOW=time, or without valgrind: user time, the least of REPEAT runs.
cd "$(dirname "$0")/.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
how=${HOW:-instructions}
command -v valgrind >/dev/null || how=time
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME="$dir/cache" # the compiler's code is kept

case $how in time) rounds=10000 ;; *) rounds=${ROUNDS:-300} ;; esac

# count OPTION... FILE: instructions, or microseconds of user time
count() {
	if [ "$how" = time ]; then
		for _ in $(seq "${REPEAT:-5}"); do
			/usr/bin/time -f '%U' "$ptxi" run -q -j1 "$@" 2>&1 >/dev/null | tail -n 1
		done | sort -g | awk 'NR == 1 { print $1 * 1000000 }'
	else
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$ptxi" run -q -j1 "$@" 2>&1 >/dev/null | awk '/Collected/ { print $NF }'
	fi
}

set -- ${ENGINES:-interpreter stencils native}
echo "kernel $*" | awk '{ printf "%-16s", $1; for (i = 2; i <= NF; i++) printf " %12s", $i; print "" }'
for kernel in ${KERNELS:-$(sed -n 's/^\/\/@ launch \([a-z0-9_]*\)<.*/\1/p' bench/partial.ptx)}; do
	for lanes in 32 "${LANES:-31}"; do
		sed -e "/^\/\/@ launch $kernel</!{/^\/\/@ launch/d}" -e "s/(p, 32)\$/(p, $lanes)/" -e "s/%i, 10000;/%i, $rounds;/" bench/partial.ptx >"$dir/$lanes.ptx"
	done
	printf '%-16s' "$kernel"
	for engine; do
		count "--engine=$engine" "$dir/32.ptx" >/dev/null
		start=$(count "--engine=$engine" --max-steps=1 "$dir/32.ptx")
		all=$(count "--engine=$engine" "$dir/32.ptx")
		some=$(count "--engine=$engine" "$dir/${LANES:-31}.ptx")
		awk -v s="$start" -v a="$all" -v p="$some" -v v="$VERBOSE" 'BEGIN { printf " %12.2f", (p - s) / (a > s ? a - s : 1); if (v) printf " (%d)", (a - s) / 153600 * 300 / 300 }'
	done
	echo
done
