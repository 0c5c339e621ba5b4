#!/bin/sh
# The verdicts of `ptxi check tests/ptx` must not depend on schedule, seed, memory or host threads: SEEDS seeds (20) under fair and random schedules with -j 1 and 2, and under
# --memory=weak; JOBS seeds at a time. Every verdict that differs from that of a plain run must be listed, with its reason, in listed.tsv. Takes minutes: `make check-verdicts`.
cd "$(dirname "$0")/../../.." || exit 2
ptxi=${PTXI:?}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# verdicts OPTION...: a line "NAME VERDICT" for each case
verdicts() {
	NO_COLOR=1 timeout 900 "$ptxi" check --timeout=120 "$@" tests/ptx 2>&1 </dev/null | sed -n -e 's/^\(PASS\|FAIL\|SKIP\) \([^ ]*\).*/\2 \1/p' | sed 's/: FAIL$/ FAIL/' | LC_ALL=C sort
}

# compare LABEL OPTION...: adds the differences from the plain run, as "NAME LABEL VERDICT", to differ-SEED
compare() {
	label=$1
	shift
	verdicts "$@" >"$dir/got-$seed"
	[ "$(wc -l <"$dir/got-$seed")" = "$(wc -l <"$dir/plain")" ] || echo "verdicts: $*: $(wc -l <"$dir/got-$seed") of $(wc -l <"$dir/plain") cases" >>"$dir/cut"
	LC_ALL=C comm -13 "$dir/plain" "$dir/got-$seed" | sed "s/ / $label /; s/\$/ $*/" >>"$dir/differ-$seed"
	echo >>"$dir/runs-$seed"
}

verdicts >"$dir/plain"
: >"$dir/cut"
for seed in $(seq 1 "${SEEDS:-20}"); do
	(
		for jobs in 1 2; do
			compare fair --schedule=fair --seed="$seed" -j "$jobs"
			compare random --schedule=random --seed="$seed" -j "$jobs"
		done
		compare weak --memory=weak --seed="$seed"
	) &
	[ $((seed % ${JOBS:-1})) = 0 ] && wait
done
wait
cat "$dir"/differ-* >"$dir/differ"
runs=$(cat "$dir"/runs-* | wc -l)
cat "$dir/cut"
awk -F '\t' '/^[^#]/ { print $1 " " $2 }' tests/oracle/verdicts/listed.tsv | LC_ALL=C sort >"$dir/listed"
cut -d' ' -f1,2 "$dir/differ" | LC_ALL=C sort -u >"$dir/seen"
LC_ALL=C comm -13 "$dir/listed" "$dir/seen" >"$dir/new"
while read -r name label; do
	awk -v name="$name" -v label="$label" '$1 == name && $2 == label { n++; last = $0 } END { print "verdicts: not listed: " last " (" n " times)" }' "$dir/differ"
done <"$dir/new"
LC_ALL=C comm -23 "$dir/listed" "$dir/seen" | sed 's/^/verdicts: listed, and the same in all of these runs: /'
echo "verdicts: $(wc -l <"$dir/plain") cases, $runs runs, $(wc -l <"$dir/seen") cases differ under some schedule, $(wc -l <"$dir/new") of them not listed"
[ ! -s "$dir/cut" ] && [ ! -s "$dir/new" ]
