#!/bin/sh
# How much the explorer searches, and its complete output. For each golden file that takes less than a quarter of a second: the cases, the work of the search with one worker
# (`--stats`: figures that are always the same, unlike times), and checksums of the output with -v and, for litmus tests, with --why and --graph. For the files in explore_work/
# the complete output is in words.txt. More work with the same output: the search has become slower. Other output: compare it with that of the previous version. After an
# intended change: explore_work.sh write, and read the difference.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
own=tests/oracle/explore_work
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/out" "$dir/text" "$dir/why"
export NO_COLOR=1 LC_ALL=C

# explored FILE SECONDS: $dir/out and $dir/why receive its output, under its name with - for /; false if it takes longer
explored() {
	name=$(echo "$1" | tr / -)
	timeout "$2" "$ptxi" explore -j1 -v --stats "$1" >"$dir/out/$name" 2>&1 </dev/null
	status=$?
	echo "status $status" >>"$dir/out/$name"
	[ $status != 124 ] || return 1
	case $1 in
	*/async.ptx | */functions.ptx | */instructions_calls.ptx | */instructions_sync.ptx | */locks.ptx | */mbarriers.ptx | */rounds*.ptx | */sizes.ptx) ;; # too long to be explained
	*/litmus/*.ptx | *.litmus) timeout 60 "$ptxi" explore -j1 --why= --graph="$dir/graph" "$1" >"$dir/why/$name" 2>&1 && cat "$dir/graph" >>"$dir/why/$name" ;;
	esac
	true
}
if [ "$1" = write ]; then
	for file in tests/ptx/*/*.ptx tests/oracle/why/*.litmus tests/oracle/why/*.ptx $own/*.ptx $own/*.litmus; do
		explored "$file" 0.25 && grep -q '^Work: ' "$dir/out/$name" || rm -f "$dir/out/$name"
	done
else
	cut -d: -f1 $own/counts.txt | while read -r file; do
		explored "$file" "${LIMIT:-60}" || { echo "explore_work: $file takes longer than a minute"; break; }
	done
fi

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
for name in "$dir"/why/*; do
	awk "$plain { print said(\$0) }" "$name" >"$dir/said/${name##*/}"
done
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

for table in words counts; do
	if [ "$1" = write ]; then
		cp "$dir/$table.txt" $own/$table.txt
	elif ! cmp -s $own/$table.txt "$dir/$table.txt"; then
		echo "explore_work: the work or the output is not that recorded in $own/$table.txt:"
		diff $own/$table.txt "$dir/$table.txt" | head -n 20
		exit 1
	fi
done
echo "explore_work: $(wc -l <$own/counts.txt) files explored with the recorded work and output"
