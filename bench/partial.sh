#!/bin/sh
# What a missing lane costs (make bench-partial): each kernel of bench/partial.ptx in LANES lanes of a warp (31) as a multiple of all 32, less what starting takes, in each engine. The
# aim for memory: 1.3. HOW=instructions: as callgrind counts them, of AVX2 code, as it knows no AVX-512. HOW=time, which is also taken without valgrind: user time, the least of
# REPEAT runs; only on a machine on which nothing else runs do these figures mean anything.
cd "$(dirname "$0")/.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
lanes=${LANES:-31}
how=${HOW:-instructions}
command -v valgrind >/dev/null || how=time
# The clock counts hundredths of a second, and native code is some ten times as fast.
rounds() { case $how:$1 in time:native) echo 1000000 ;; time:*) echo 60000 ;; *) echo 300 ;; esac; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME="$dir/cache" # the compiler's code is kept

# cost OPTION... FILE
cost() {
	if [ "$how" = time ]; then
		for _ in $(seq "${REPEAT:-5}"); do
			/usr/bin/time -f '%U' "$ptxi" run -q -j1 "$@" 2>&1 >/dev/null | tail -n 1
		done | sort -g | head -n 1
	else
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$ptxi" run -q -j1 "$@" 2>&1 >/dev/null | awk '/Collected/ { print $NF }'
	fi
}

engines=${ENGINES:-interpreter stencils native}
printf "%-16s$(printf ' %%12s%.0s' $engines)\n" "$how" $engines
for kernel in ${KERNELS:-$(sed -n 's/^\/\/@ launch \([a-z0-9_]*\)<.*/\1/p' bench/partial.ptx)}; do
	printf '%-16s' "$kernel"
	for engine in $engines; do
		for n in 32 "$lanes"; do
			sed -e "/^\/\/@ launch $kernel</!{/^\/\/@ launch/d}" -e "s/(p, 32)\$/(p, $n)/" -e "s/%i, 10000;/%i, $(rounds "$engine");/" bench/partial.ptx >"$dir/$n.ptx"
		done
		cost "--engine=$engine" "$dir/32.ptx" >/dev/null
		start=$(cost "--engine=$engine" --max-steps=1 "$dir/32.ptx")
		all=$(cost "--engine=$engine" "$dir/32.ptx")
		some=$(cost "--engine=$engine" "$dir/$lanes.ptx")
		echo "$start $all $some" | awk '{ if ($2 > $1) printf " %12.2f", ($3 - $1) / ($2 - $1); else printf " %12s", "-" }'
	done
	echo
done
