#!/bin/sh
# Mutants of correct programs of tests/ptx: a barrier, fence, wait or arrive omitted, a scope narrowed, an order weakened. Each must be caught, by a report, a deadlock, a wrong
# result or an outcome that the explorer finds, or be listed in race_mutants/harmless.tsv with the reason why it is harmless, or in missed.tsv with the reason why it is missed.
# The programs themselves must pass without a finding. They are listed in race_mutants/programs; FULL=1 uses all programs, including those that run for long.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/programs" "$tmp/m" "$tmp/traps"
if [ -n "$FULL" ]; then
	ls tests/ptx/course/*.ptx tests/ptx/sync/*.ptx tests/ptx/nvcc/*.ptx tests/ptx/race/*.ptx tests/ptx/run/*.ptx
else
	sed 's/.*/tests\/ptx\/&.ptx/' tests/oracle/race_mutants/programs
fi >"$tmp/list"
while read -r program; do
	name=${program#tests/ptx/}
	name=${name%%/*}.${name#*/}
	name=${name%.ptx}
	awk -v out="$tmp/m" -v traps="$tmp/traps" -v name="$name" -v original="$tmp/programs/$name.ptx" -f tests/oracle/race_mutants/mutate.awk "$program"
done <"$tmp/list" >"$tmp/same"
cp tests/ptx/run/*.bytes "$tmp/programs" 2>/dev/null
cp tests/ptx/run/*.bytes "$tmp/m" 2>/dev/null
cp tests/ptx/run/*.bytes "$tmp/traps" 2>/dev/null
same=$(awk '{ n += $1 } END { print n + 0 }' "$tmp/same")
false=0
seeds=2
[ -z "$FULL" ] || seeds=${SEEDS:-4}
: >"$tmp/caught"
# The result of activemask depends on the schedule: the results of programs that use it, or that set a seed or schedule, mean nothing under another schedule than the default
# one.
grep -lE 'activemask|^[ \t]*//@ set (seed|schedule)' "$tmp"/programs/*.ptx | sed 's/.*\///; s/\.ptx$//' >"$tmp/chance"
# The files of a folder that do not pass under a schedule (0: the default one; N: random, with seed N; weakN: weak memory; more: some of each), one per line: file, then the
# letters of its findings.
findings() {
	case $2 in
	0) options=--seeds=0 ;;
	more) options= ;;
	weak*) options="--memory=weak --seed=${2#weak}" ;;
	*) options="--schedule=random --seed=$2" ;;
	esac
	# shellcheck disable=SC2086
	"$ptxi" check $options --max-steps=10000000 "$1" 2>/dev/null | awk -v seed="$2" -v chance="$tmp/chance" '
		BEGIN {
			while (seed && (getline < chance) > 0)
				by_chance[$0] = 1
		}
		/^(FAIL|PASS|SKIP)/ { on = /^FAIL/; file = $2; sub(/.*\//, "", file); sub(/\.ptx.*/, ".ptx", file); if (on) code[file] = code[file] " " }
		on && match($0, /\[[A-Z][0-9]+\]/) { code[file] = code[file] substr($0, RSTART + 1, 1) }
		END {
			for (f in code) {
				name = f
				sub(/(-[0-9]+)?\.ptx$/, "", name)
				if (!(name in by_chance) || code[f] ~ /[RSD]/)
					print f, code[f]
			}
		}' >"$tmp/now"
}
# A mutant that is caught is not tried again; an exhausted budget does not count as caught.
try_mutants() {
	findings "$1" "$2"
	while read -r file codes; do
		case $codes in
		*[RSD]*) ;;
		*B*) continue ;;
		esac
		echo "$file $codes" >>"$tmp/caught"
		echo "$1/$file"
	done <"$tmp/now" | xargs -r rm -f
}
for seed in 0 $(seq "$seeds"); do
	findings "$tmp/programs" "$seed"
	sed 's/^/race_mutants: false report: /' "$tmp/now"
	false=$((false + $(grep -c . "$tmp/now")))
	try_mutants "$tmp/m" "$seed"
done
try_mutants "$tmp/m" more
# A change at a place that no thread reaches, under any of the schedules, is not a mutant: a trap there passes, too. (Compilers repeat a poll; the first one finds the phase
# complete.)
for f in "$tmp"/traps/*.ptx; do
	[ -f "$tmp/m/${f##*/}" ] || echo "$f"
done | xargs -r rm -f
for seed in 0 $(seq "$seeds"); do
	findings "$tmp/traps" "$seed"
	while read -r file _; do
		echo "$tmp/traps/$file"
	done <"$tmp/now" | xargs -r rm -f
done
for f in "$tmp"/traps/*.ptx; do
	[ ! -f "$f" ] || echo "$tmp/m/${f##*/}"
done >"$tmp/idle"
xargs -r rm -f <"$tmp/idle"
idle=$(grep -c . "$tmp/idle")
# The rest: harmless, missed with a reason, or missed. One line each: verdict, file, change, the seed that the reason names. The lists name a mutant as its first line does
# (PROGRAM:FUNCTION:N: …), or without the part after the program.
judge_left() {
	find "$tmp/m" -name '*.ptx' | LC_ALL=C sort | xargs -r awk 'FNR == 1 && sub(/^\/\/ /, FILENAME "\t")' | awk -F '\t' -v folder=tests/oracle/race_mutants '
		function read_list(file, list,    n) {
			while ((getline < (folder "/" file)) > 0) {
				list[++n] = $1
				if (match($2, /--seed=[0-9]+/))
					seed[list[n]] = substr($2, RSTART + 7, RLENGTH - 7)
			}
		}
		function in_list(key, exact, list,    k) {
			for (k in list)
				if (key ~ ("^" list[k]) || exact ~ ("^" list[k])) {
					shown_by = seed[list[k]]
					return 1
				}
			return 0
		}
		BEGIN {
			read_list("harmless.tsv", good)
			read_list("missed.tsv", bad)
		}
		{
			key = $2
			sub(/:[A-Za-z0-9_$]+:[0-9]+: /, ": ", key)
			shown_by = ""
			print (in_list(key, $2, good) ? "harmless" : in_list(key, $2, bad) ? "missed" : "unexplained") "\t" $1 "\t" $2 "\t" shown_by
		}' >"$tmp/left"
}
all=$(($(find "$tmp/m" -name '*.ptx' | wc -l) + $(grep -c . "$tmp/caught")))
judge_left
# Compilers repeat a poll in many places: only a schedule in which the phase ends at the changed one shows the mistake. Locks with little contention need a schedule in which
# two threads compete.
if [ -n "$FULL" ] && grep -q '^unexplained' "$tmp/left"; then
	mkdir "$tmp/more"
	sed -n 's/^unexplained\t\([^\t]*\)\t.*/\1/p' "$tmp/left" | xargs -r mv -t "$tmp/more"
	for seed in $(seq $((seeds + 1)) 200); do
		try_mutants "$tmp/more" "$seed"
		try_mutants "$tmp/more" "weak$seed"
	done
	mv "$tmp"/more/*.ptx "$tmp/m" 2>/dev/null
	judge_left
fi
# If a reason names a seed, the mutant must be caught with it.
silent=0
if [ -n "$FULL" ]; then
	mkdir "$tmp/named"
	awk -F '\t' '$1 == "missed" && $4 { print $2, $4 }' "$tmp/left" >"$tmp/seeds"
	while read -r file seed; do
		mv "$file" "$tmp/named"
		try_mutants "$tmp/named" "$seed"
	done <"$tmp/seeds"
	silent=$(find "$tmp/named" -name '*.ptx' | wc -l)
	[ "$silent" = 0 ] || echo "race_mutants: $silent mutants are not caught with the seed that missed.tsv names" >&2
	mv "$tmp"/named/*.ptx "$tmp/m" 2>/dev/null
	judge_left
fi
sed -n 's/^unexplained\t[^\t]*\t\(.*\)\t/race_mutants: missed: \1/p' "$tmp/left" >&2
harmless=$(grep -c '^harmless' "$tmp/left")
unexplained=$(grep -c '^unexplained' "$tmp/left")
missed=$((unexplained + $(grep -c '^missed' "$tmp/left")))
# The first that applies: a race, misuse, an uninitialised read, a deadlock, anything else (an outcome, a wrong result).
awk -v all="$all" -v same="$same" -v harmless="$harmless" -v missed="$missed" -v false="$false" -v idle="$idle" '
	$2 ~ /E/ { print "race_mutants: not a program: " $1; bad = 1 }
	{ n++; if ($2 ~ /R/) race++; else if ($2 ~ /S/) sync++; else if ($2 ~ /D/) dead++; else if ($2 ~ /X/) wrong++; else other++ }
	END {
		printf "race_mutants: %d mutants: %d caught (race %d, misuse %d, deadlock %d, outcome or result %d, other %d), %d harmless, %d missed (missed.tsv): %.1f %% of the harmful; false reports %d; ", all,
			n, race, sync, dead, wrong, other, harmless, missed, n + missed ? 100 * n / (n + missed) : 0, false
		printf "%d more at places that no thread reaches, %d narrower scopes that include the same threads\n", idle, same
		exit bad
	}' "$tmp/caught" && [ "$false" = 0 ] && [ "$unexplained" = 0 ] && [ "$silent" = 0 ] && [ "$all" -gt 0 ]
