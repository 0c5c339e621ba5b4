#!/bin/sh
# Speed of the explorer: scaling families of litmus tests, and the public corpus where it is there. A line a figure: name, seconds (median of RUNS), outcomes' executions.
ptxi=$1
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
runs=${RUNS:-3}

seconds() { # command...: median wall time
	for _ in $(seq "$runs"); do
		begin=$(date +%s.%N)
		"$@" >"$work/out" 2>&1
		end=$(date +%s.%N)
		echo "$end $begin" | awk '{ print $1 - $2 }'
	done | sort -g | awk '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] }'
}
line() { printf '%-28s %10s s   %s\n' "$1" "$2" "$3"; }

for member in "ring 10" "ring 14" "ringsc 10" "twice 10" "lastone 6" "lastone 7" "iriw 8" "chain 8" "ticket 3" "cas 4" "reduce 32"; do
	set -- $member
	python3 bench/litmus_family.py "$1" "$2" >"$work/$1-$2.litmus" || exit 2
	time=$(seconds "$ptxi" explore -q --format=json -j 1 "$work/$1-$2.litmus")
	line "explore $1 n=$2" "$time" "$(sed -n 's/.*"executions": \([0-9]*\).*/\1 executions/p' "$work/out")"
done
if [ -d ../shared/litmus ]; then
	line "explore public corpus" "$(seconds "$ptxi" check -j 1 ../shared/litmus)" "$(tail -n 1 "$work/out")"
fi
