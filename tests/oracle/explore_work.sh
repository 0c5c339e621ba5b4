#!/bin/sh
# How much the explorer searches, and its complete output. For each golden file that takes less than a quarter of a second: the cases, the work of the search with one worker
# (`--stats`: figures that are always the same, unlike times), and checksums of the output with -v and, for litmus tests, with --why and --graph (in `make check` every third, with FULL=1 all). For the files in explore_work/
# the complete output is in words.txt. More work with the same output: the search has become slower. Other output: compare it with that of the previous version. After an
# intended change: explore_work.sh write, and read the difference.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
build=${BUILD:-build/release}
own=tests/oracle/explore_work
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/out" "$dir/text" "$dir/why"
export NO_COLOR=1 LC_ALL=C

# commands FILE...: what `many` runs; $dir/out and $dir/why receive the output for FILE, under its name with - for /
commands() {
	awk -v which="$1" -v dir="$dir" -v here="$PWD" '
		# too long to be explained
		which == "why" && (/\/(async|functions|instructions_calls|instructions_sync|last_of_a_cta|locks|mbarriers|rounds[^\/]*|sizes)\.ptx$/ || !/\/litmus\/[^\/]*\.ptx$|\.litmus$/) { next }
		{
			name = $0
			gsub(/\//, "-", name)
			printf "%s\t%s\texplore\t-j1\t", here, dir "/" which "/" name
			if (which == "out") printf "-v\t--stats\t%s\n", $0
			else printf "--why=\t--graph=%s\t%s\n", dir "/graph/" name, $0
		}'
}
${MAKE_PARTS:-make} -s --no-print-directory "$build/oracle/many" || exit 2
mkdir "$dir/graph"
if [ "$1" = write ]; then
	for file in tests/ptx/*/*.ptx tests/oracle/why/*.litmus tests/oracle/why/*.ptx $own/*.ptx $own/*.litmus; do echo "$file"; done >"$dir/files"
	limit=0.25
else
	cut -d: -f1 $own/counts.txt >"$dir/files"
fi
commands out <"$dir/files" | "$build/oracle/many" "${limit:-${LIMIT:-60}}" || exit 2
if [ "$1" = write ]; then
	while read -r file; do
		name=$dir/out/$(echo "$file" | tr / -)
		grep -q '^Work: ' "$name" && ! grep -q '^status 124$' "$name" && echo "$file" || rm -f "$name"
	done <"$dir/files" >"$dir/kept"
else
	cp "$dir/files" "$dir/kept"
fi
late=$(grep -l '^status 124$' "$dir"/out/*)
[ -z "$late" ] || { echo "explore_work: longer than a minute: $late"; exit 1; }
awk -v all="$FULL$1" 'all || NR % 3 == 0' "$dir/kept" | commands why | "$build/oracle/many" 60 || exit 2

# The sums of the figures, and the rest of the output, without line numbers, which every change of a file moves.
plain='
	function said(s) {
		gsub(/line [0-9]+/, "line", s)
		gsub(/lines [0-9]+(, [0-9]+)*/, "lines", s)
		sub(/:[0-9]+:[0-9]+: /, ": ", s)
		sub(/^ *[0-9]+ \| /, "| ", s)
		sub(/^ +\|/, "|", s)
		return s
	}'
awk -v dir="$dir/text/" "$plain"'
	function row(k) {
		if (file == "")
			return
		printf "%s: %s, %d cases", file, status, cases
		for (k = 1; k <= n; k++)
			printf ", %d %s", sum[k], name[k]
		print ""
		close(text)
	}
	FNR == 1 {
		row()
		file = FILENAME
		sub(/.*\//, "", file)
		text = dir file
		cases = n = split("", sum)
	}
	/^Work: / {
		cases++
		sub(/^Work: /, "")
		n = split($0, part, ", ")
		for (k = 1; k <= n; k++) {
			sum[k] += part[k] + 0
			sub(/^[0-9]+ /, "", part[k])
			name[k] = part[k]
		}
		next
	}
	{ status = $0; print said($0) >text }
	END { row() }' "$dir"/out/* >"$dir/figures"
(cd "$dir/text" && cksum -- *) >"$dir/text.sums"
mkdir "$dir/said"
# the graph follows, if its command did not fail; the status itself is not a part of it
awk -v dir="$dir/" "$plain"'
	function graph(line) {
		while (status == "status 0" && (getline line <from) > 0) print said(line) >to
		close(from)
		close(to)
	}
	FNR == 1 {
		if (to) graph()
		from = to = FILENAME
		sub(/.*\//, dir "graph/", from)
		sub(/.*\//, dir "said/", to)
		printf "" >to
	}
	/^status [0-9]+$/ { status = $0; next }
	{ print said($0) >to }
	END { graph() }' "$dir"/why/*
(cd "$dir/said" && cksum -- *) >"$dir/why.sums"
awk '
	FILENAME ~ /text.sums$/ { words[$3] = $1 "/" $2; next }
	FILENAME ~ /why.sums$/ { why[$3] = $1 "/" $2; next }
	{
		name = $1
		sub(/:$/, "", name)
		path = name
		sub(/^tests-ptx-/, "tests/ptx/", path) || sub(/^tests-oracle-/, "tests/oracle/", path)
		sub(/-/, "/", path)
		sub(/^[^ ]*/, "")
		print path ":" $0 ", words " words[name] (name in why ? ", why " why[name] : "")
	}' "$dir/text.sums" "$dir/why.sums" "$dir/figures" >"$dir/counts.txt"

for file in $own/*.ptx $own/*.litmus; do
	case $file in */large*) continue ;; esac
	echo "== $file"
	sed '/^Work: /d' "$dir/out/$(echo "$file" | tr / -)"
	case $file in */deps*) "$ptxi" explore -j1 --deps=semantic "$file" 2>&1 ;; esac
done >"$dir/words.txt"

cp $own/words.txt "$dir/words.known"
awk -v all="$FULL" 'all || NR % 3 == 0 || sub(/, why [0-9\/]+$/, "") || 1' $own/counts.txt >"$dir/counts.known"
for table in words counts; do
	if [ "$1" = write ]; then
		cp "$dir/$table.txt" $own/$table.txt
	elif ! cmp -s "$dir/$table.known" "$dir/$table.txt"; then
		echo "explore_work: the work or the output is not that recorded in $own/$table.txt:"
		diff "$dir/$table.known" "$dir/$table.txt" | head -n 20
		exit 1
	fi
done
echo "explore_work: $(wc -l <$own/counts.txt) files explored with the recorded work and output"
