#!/bin/sh
# Mutants of correct programs: each must be reported, or be listed in mutants/harmless.tsv with the reason why it is harmless. The programs themselves must pass without a
# finding.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
bad=0
mkdir "$tmp/m"
while read -r program; do
	[ -f "tests/ptx/$program.ptx" ] || { echo "mutants: no program $program"; bad=1; continue; }
	for options in "" "--schedule=random --seed=1" "--schedule=random --seed=2" "--schedule=random --seed=3" "--schedule=random --seed=4"; do
		# shellcheck disable=SC2086
		"$ptxi" check -q $options "tests/ptx/$program.ptx" >/dev/null 2>&1 && continue
		echo "mutants: false report: tests/ptx/$program.ptx does not pass ($options)"
		bad=1
	done
	awk -v out="$tmp/m" -v name="$(basename "$program")" -f tests/oracle/mutants/mutate.awk "tests/ptx/$program.ptx"
done <tests/oracle/mutants/programs
for options in "" "--schedule=random --seed=1" "--schedule=random --seed=2" "--schedule=random --seed=3" "--schedule=random --seed=4"; do
	# shellcheck disable=SC2086
	"$ptxi" check $options --max-steps=2000000 "$tmp/m" >>"$tmp/result" 2>/dev/null
done
grep '^FAIL' "$tmp/result" | sed 's/^FAIL [^:]*\/\([^:]*\.ptx\).*/\1/' | sort -u >"$tmp/caught"
all=$(ls "$tmp/m" | wc -l) caught=0 harmless=0 missed=0
for f in "$tmp"/m/*.ptx; do
	if grep -qx "$(basename "$f")" "$tmp/caught"; then
		caught=$((caught + 1))
	elif what=$(sed -n '1s/^\/\/ //p' "$f"); cut -f1 tests/oracle/mutants/harmless.tsv | grep -qxF "$what"; then
		harmless=$((harmless + 1))
	else
		missed=$((missed + 1))
		echo "mutants: not reported: $what"
	fi
done
echo "mutants: $caught of $all reported, $harmless harmless (tests/oracle/mutants/harmless.tsv), $missed missed"
[ $missed = 0 ] || bad=1
exit $bad
