#!/bin/sh
# The least and the greatest speed of the kernels of `make bench` on one host thread: millions of thread-instructions a second, the median of nine runs each, to three digits.
cd "$(dirname "$0")/.." || exit 2
for file in bench/k_*.ptx; do
	for _ in 1 2 3 4 5 6 7 8 9; do
		"${PTXI:?}" run "$file" -j 1 --stats 2>&1 | awk '/million thread-instructions per second/ { print $1 }'
	done | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
done | sort -g | awk '
	function round(x) { return x >= 1000 ? int(x / 10 + 0.5) * 10 : int(x + 0.5) }
	NR == 1 { print round($1) } { most = $1 } END { print round(most) }'
