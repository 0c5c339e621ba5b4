#!/bin/sh
# The figures of README.md and docs/ are those of docs/figures.tsv, those that can be counted at once are counted, and README's comparisons have no other figure.
cd "$(dirname "$0")/../.." || exit 2
export PTXI="${PTXI:-build/release/ptxi}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
fail() {
	echo "figures: $*"
	bad=1
}
n=0
counted=0
awk -F'\t' '!/^#/ && NR > 1 && $1 != "name"' docs/figures.tsv >"$dir/rows"
awk -F'\t' 'NF != 7 { print "figures: " $1 ": " NF " columns"; bad = 1 } $5 !~ /^20[0-9][0-9]-[01][0-9]-[0-3][0-9]$/ { print "figures: " $1 ": no date"; bad = 1 }
	$2 !~ /^(count|run|long|device)$/ { print "figures: " $1 ": no such kind"; bad = 1 } $4 == "" || $6 == "" { print "figures: " $1 ": no machine or command"; bad = 1 }
	seen[$1]++ { print "figures: " $1 " twice"; bad = 1 } END { exit bad }' "$dir/rows" || bad=1

# Every place has the value; @ stands for the machine.
awk -F'\t' '{ k = split($7, place, / \|\| /); for (i = 1; i <= k; i++) { p = place[i]; page = p; sub(/: .*/, "", page); sub(/^[^:]*: /, "", p); m = index(p, "@"); if (m) p = substr(p, 1, m - 1) $4 substr(p, m + 1); print $1 "\t" $3 "\t" page "\t" p } }' "$dir/rows" >"$dir/places"
tab=$(printf '\t')
while IFS="$tab" read -r name value page words; do
	n=$((n + 1))
	want=$(printf '%s' "$words" | awk -v v="$value" '{ i = index($0, "#"); print substr($0, 1, i - 1) v substr($0, i + 1) }')
	grep -qF -e "$want" "$page" || fail "$page has no '$want' ($name)"
done <"$dir/places"

# What can be counted at once.
while IFS="$tab" read -r name kind value _ _ command _; do
	[ "$kind" = count ] || continue
	counted=$((counted + 1))
	now=$(sh -c "$command" | tr -d ' ')
	[ "$now" = "$(printf '%s' "$value" | tr -d ,)" ] || fail "$name is $now, and docs/figures.tsv says $value (make figures)"
done <"$dir/rows"

# No other figure in README's comparisons: with the known ones taken out, and the numbers that are names, none is left.
awk '/^## /{ on = $0 ~ /How it compares|Relatives|Limits/ } on' README.md | tr '\n' ' ' >"$dir/text"
awk -F'\t' 'NR == FNR { if ($3 == "README.md") { v[++k] = $2; w[k] = $4 } next }
	{ text = $0; for (i = 1; i <= k; i++) { p = index(w[i], "#"); want = substr(w[i], 1, p - 1) v[i] substr(w[i], p + 1); at = index(text, want)
		if (at) { pos = at + p - 1; mark = ""; for (j = 1; j <= length(v[i]); j++) mark = mark "@"; hit[i] = pos; len[i] = length(v[i]) } }
	for (i in hit) { fill = ""; for (j = 1; j <= len[i]; j++) fill = fill "@"; text = substr(text, 1, hit[i] - 1) fill substr(text, hit[i] + len[i]) }
	print text }' "$dir/places" "$dir/text" |
	sed 's/`[^`]*`//g; s/([^)]*\.md)//g; s/ASPLOS 20[0-9]*//g; s/ISCA 20[0-9]*//g; s/H200s*//g; s/ptxas 13\.0//g; s/x86-64//g; s/Dat3M//g; s/8 million runs//; s/model, section 8//; s/, section 8//; s/status 8//; s/herd7//g; s/than 10 seconds//; s/medians ([^)]*)//; s/and 8, its/and its/; s/false reports 0//; s/, 0 failed//; s/the 185 above/the above/' |
	grep -oE '[^ ]* [^ ]* [0-9][0-9.,]*' >"$dir/left"
[ ! -s "$dir/left" ] || fail "README.md: figures that docs/figures.tsv lacks: $(tr '\n' ';' <"$dir/left")"

[ $bad = 0 ] && echo "figures: $n places have the figures of docs/figures.tsv, $counted of which were counted again"
exit $bad
