#!/bin/sh
# Every execution that `ptxi explore` finds for the litmus tests, the course's programs and the public litmus tests satisfies the axioms as stated in model/axioms.c. (Random
# programs: tests/unit/test_explore_oracle.c. Detection of an explorer that lacks an axiom: tests/unit/test_explore_axioms.c.)
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
out=$(mktemp) || exit 2
trap 'rm -f "$out" "$out.all"' EXIT
bad=0

: >"$out.all"
# A case with more executions than the time allows is verified partially.
for file in tests/ptx/litmus/*.ptx tests/ptx/course/*.ptx; do
	NO_COLOR=1 "$ptxi" explore -j1 --timeout=0.3 --verify "$file" >"$out" 2>/dev/null </dev/null
	[ $? -lt 70 ] || { echo "verify: $file"; bad=1; }
	grep -A 9 '^internal error' "$out"
	grep '^verified' "$out" >>"$out.all"
done
folder=${PTXI_LITMUS:-}
[ -z "$folder" ] || for file in $(find "$folder" -name '*.litmus'); do
	NO_COLOR=1 "$ptxi" explore -j1 --timeout=0.3 --verify "$file" >"$out" 2>/dev/null </dev/null
	[ $? -lt 70 ] || { echo "verify: $file"; bad=1; }
	grep -A 9 '^internal error' "$out"
	grep '^verified' "$out" >>"$out.all"
done
# What the last line of a case says, --format=json says, too.
"$ptxi" explore -q --format=json --verify tests/ptx/litmus/ring.ptx 2>/dev/null |
	grep -q '"verified": {"executions": 511, "too_large": 0, "broken": false, "axiom": null, "events": \[\]}' || { echo "verify: --format=json"; bad=1; }
"$ptxi" explore -q --format=json tests/ptx/litmus/ring.ptx 2>/dev/null | grep '"verified"' && { echo "verify: not asked for"; bad=1; }
awk '{ n += $2; cases++ } /not: too many/ { sub(/.*\(/, ""); more += $1 }
	END { printf "verify: %d executions of %d cases satisfy the axioms, %d are too large to check\n", n, cases, more; exit n < 2000 || cases < 500 }' "$out.all" || bad=1
exit $bad
