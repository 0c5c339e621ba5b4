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
	echo "tests/ptx/$program.ptx" >>"$tmp/programs"
	awk -v out="$tmp/m" -v name="$(basename "$program")" -f tests/oracle/mutants/mutate.awk "tests/ptx/$program.ptx"
done <tests/oracle/mutants/programs
for options in "" "--schedule=random --seed=1" "--schedule=random --seed=2" "--schedule=random --seed=3" "--schedule=random --seed=4"; do
	# shellcheck disable=SC2046,SC2086
	if ! "$ptxi" check $options $(cat "$tmp/programs") >"$tmp/false" 2>&1; then
		echo "mutants: false report: with '$options' not all programs pass:"
		grep -v '^PASS' "$tmp/false"
		bad=1
	fi
	# shellcheck disable=SC2086
	"$ptxi" check $options --max-steps=2000000 "$tmp/m" >>"$tmp/result" 2>/dev/null
done
grep '^FAIL' "$tmp/result" | sed 's/^FAIL [^:]*\/\([^:]*\.ptx\).*/\1/' | sort -u >"$tmp/caught"
# the first line of a mutant says what was changed
awk -v caught="$tmp/caught" -v harmless=tests/oracle/mutants/harmless.tsv '
	BEGIN {
		while ((getline line <caught) > 0) is_caught[line]
		while ((getline line <harmless) > 0) { sub(/\t.*/, "", line); is_harmless[line] }
	}
	FNR == 1 {
		all++
		name = FILENAME
		sub(/.*\//, "", name)
		what = $0
		sub(/^\/\/ /, "", what)
		if (name in is_caught) found++
		else if (what in is_harmless) fine++
		else { missed++; print "mutants: not reported: " what }
	}
	END {
		printf "mutants: %d of %d reported, %d harmless (tests/oracle/mutants/harmless.tsv), %d missed\n", found, all, fine, missed
		exit missed > 0 || all == 0
	}' "$tmp"/m/*.ptx || bad=1
exit $bad
