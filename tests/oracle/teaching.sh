#!/bin/sh
# docs/TEACHING.md, beside its sessions, which docs.sh runs: the plan has every lesson once, in order, with the minutes of the lessons, and their sum; the suite shown is tests/grade/scan.suite.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
page=docs/TEACHING.md
fail() {
	echo "teaching: $*"
	bad=1
}
"$ptxi" --generate lessons | sed -n 's/^| \([0-9][0-9]*\) | \[.*\](\(\.\.[^)]*\)) | \([0-9]*\) |.*/\1 \2 \3/p' >"$dir/lessons"
[ "$(wc -l <"$dir/lessons")" -ge 24 ] || fail "ptxi --generate lessons lists fewer than 24"
sed -n '/^| week/,/^$/p' $page | grep -o '\[[0-9][0-9]*\](\.\./lessons/[^)]*)' | sed 's/^\[//; s/\](/ /; s/)$//' >"$dir/plan"
cut -d' ' -f1,2 "$dir/lessons" | diff - "$dir/plan" || fail "the plan does not have every lesson once, in order"
hours=$(awk '{ n += $3 } END { print int(n / 60 + 0.5) }' "$dir/lessons")
[ "$hours" = 15 ] && grep -q 'some fifteen hours of reading' $page || fail "the lessons take $hours hours"
# minutes of each week: those of its lessons (and "+ 60" for the first hour)
sed -n '/^| week/,/^$/p' $page | grep '^| [0-9]' | awk -F'|' -v lessons="$dir/lessons" '
	BEGIN { while ((getline row < lessons) > 0) { split(row, w, " "); minutes[w[1]] = w[3] } }
	{
		weeks++; sum = 0; rest = $4
		while (match(rest, /\[[0-9]+\]/)) { sum += minutes[substr(rest, RSTART + 1, RLENGTH - 2)]; rest = substr(rest, RSTART + RLENGTH) }
		if ($5 + 0 != sum) { print "teaching: week " $2 " takes " sum " minutes, not" $5; bad = 1 }
		if ($2 + 0 != weeks) { print "teaching: week " weeks " is missing"; bad = 1 }
	}
	END { if (weeks != 12) { print "teaching: " weeks " weeks"; bad = 1 } exit bad }' || bad=1
awk '/^```$/ { inside = !inside; next } inside && /^suite / { on = 1 } !inside { on = 0 } on' $page | diff - tests/grade/scan.suite || fail "the suite shown is another"
[ $bad = 0 ] && echo "teaching: twelve weeks with every lesson, and the suite as shown"
exit $bad
