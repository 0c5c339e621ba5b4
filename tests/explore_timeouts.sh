#!/bin/sh
# `ptxi explore` respects --timeout: every .ptx and .litmus file under the given folders (tests/ptx and tests/oracle, and PTXI_LITMUS if it is set) must end at most one second
# after its limit of two seconds per case. The limit applies to each case, so that of a file is two seconds times its number of cases, plus one. Prints the files that take
# longer. (make check-explore-timeouts)
cd "$(dirname "$0")/.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
seconds=${SECONDS_EACH:-2}
[ $# -gt 0 ] || set -- tests/ptx tests/oracle
[ -z "${PTXI_LITMUS:-}" ] || set -- "$@" "$PTXI_LITMUS"
list=$(mktemp) || exit 2
trap 'rm -f "$list"' EXIT INT TERM
find "$@" -name '*.ptx' -o -name '*.litmus' | sort >"$list"
files=0
late=0
while read -r file; do
	cases=$(grep -c '^//@ case' "$file")
	[ "$cases" -gt 0 ] || cases=1
	files=$((files + 1))
	begin=$(date +%s%N)
	timeout $((cases * seconds + 60)) "$ptxi" explore -q --timeout="$seconds" "$file" >/dev/null 2>&1 </dev/null
	took=$((($(date +%s%N) - begin) / 1000000))
	[ $took -le $(((cases * seconds + 1) * 1000)) ] && continue
	echo "explore_timeouts: $file, $cases case(s): $took ms"
	late=$((late + 1))
done <"$list"
echo "explore_timeouts: $files files, $late later than $seconds s a case and one second"
[ $late = 0 ] && [ $files -gt 0 ]
