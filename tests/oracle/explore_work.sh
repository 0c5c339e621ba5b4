#!/bin/sh
# How much the explorer searches, and every word that it prints: of each golden file that it ends within half a second, the cases, the work of the search with one worker
# (`--stats`: figures that are always the same, where a clock would tell nothing), and checksums of all that is printed with -v and, of litmus tests, with --why and --graph.
# Of the files in explore_work/ all that is printed stands beside them, in words.txt.
# More work with the same words: the search has become slower. Other words: compare the output of the version before.
# After a change that is meant: explore_work.sh write, and read the difference.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
known=tests/oracle/explore_work/counts.txt
spoken=tests/oracle/explore_work/words.txt
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export NO_COLOR=1

# Too long to be explained.
long() {
	case $1 in */async.ptx | */functions.ptx | */instructions_calls.ptx | */instructions_sync.ptx | */locks.ptx | */mbarriers.ptx | */rounds.ptx | */sizes.ptx) true ;; *) false ;; esac
}
# words FILE: what is said of its executions, and of why they are possible or not
words() {
	case $1 in */litmus/*.ptx) long "$1" && return ;; *.litmus) ;; *) return ;; esac
	rm -f "$dir/graph"
	timeout "${LIMIT:-60}" "$ptxi" explore -j1 --why= --graph="$dir/graph" "$1" >"$dir/why" 2>&1
	[ ! -f "$dir/graph" ] || cat "$dir/graph" >>"$dir/why"
	echo ", why $(cksum <"$dir/why" | tr ' ' /)"
}
# row FILE SECONDS: its line of the table; nothing when it takes longer
row() {
	timeout "$2" "$ptxi" explore -j1 -v --stats "$1" >"$dir/out" 2>&1 </dev/null
	status=$?
	[ $status != 124 ] || return 1
	grep -q '^Work: ' "$dir/out" || return 1
	awk -v file="$1" -v status=$status '
		/^Work: / {
			cases++
			sub(/^Work: /, "")
			n = split($0, part, ", ")
			for (k = 1; k <= n; k++) {
				sum[k] += part[k] + 0
				sub(/^[0-9]+ /, "", part[k])
				name[k] = part[k]
			}
		}
		END {
			printf "%s: status %d, %d cases", file, status, cases
			for (k = 1; k <= n; k++)
				printf ", %d %s", sum[k], name[k]
		}' "$dir/out"
	grep -v '^Work: ' "$dir/out" | cksum | awk '{ printf ", words %s/%s", $1, $2 }'
	words "$1" | tr -d '\n'
	echo
}

for file in tests/oracle/explore_work/*.ptx tests/oracle/explore_work/*.litmus; do
	case $file in */large*) continue ;; esac
	echo "== $file"
	timeout "${LIMIT:-60}" "$ptxi" explore -j1 "$file" 2>&1 </dev/null
	echo "status $?"
	case $file in */deps*) "$ptxi" explore -j1 --deps=semantic "$file" 2>&1 ;; esac
done >"$dir/words"
if [ "$1" = write ]; then
	cp "$dir/words" "$spoken"
elif ! cmp -s "$spoken" "$dir/words"; then
	echo "explore_work: other words than in $spoken:"
	diff "$spoken" "$dir/words" | head -n 20
	exit 1
fi
if [ "$1" = write ]; then
	for file in tests/ptx/*/*.ptx tests/oracle/why/*.litmus tests/oracle/why/*.ptx tests/oracle/explore_work/*; do
		case $file in *.ptx | *.litmus) row "$file" 0.5 ;; esac
	done >"$dir/table"
	cp "$dir/table" "$known"
else
	cut -d: -f1 "$known" | while read -r file; do
		row "$file" "${LIMIT:-60}" || { echo "$file: takes longer than a minute, or is not explored at all"; break; }
	done >"$dir/table"
	if ! cmp -s "$known" "$dir/table"; then
		echo "explore_work: other work, or other words, than in $known:"
		diff "$known" "$dir/table" | head -n 20
		exit 1
	fi
fi
echo "explore_work: $(wc -l <"$known") files explored with as much work, and in the same words, as recorded"
