#!/bin/sh
# Mutants of correct programs of tests/ptx: a barrier, fence, wait or arrive left out, a scope narrower, an order weaker. Each must be caught, by a report, a deadlock, a wrong
# result or an outcome that the explorer finds, or stand in race_mutants/harmless.tsv with the reason why it does no harm, or in missed.tsv with the reason why not. The
# programs themselves must pass without a finding. They stand in race_mutants/programs; FULL=1 takes all there are, also those whose mutants nobody has judged (some in full.tsv).
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/programs" "$tmp/m"
if [ -n "$FULL" ]; then
	ls tests/ptx/course/*.ptx tests/ptx/sync/*.ptx tests/ptx/nvcc/*.ptx tests/ptx/race/*.ptx tests/ptx/run/*.ptx
else
	sed 's/.*/tests\/ptx\/&.ptx/' tests/oracle/race_mutants/programs
fi >"$tmp/list"
while read -r program; do
	name=$(basename "$(dirname "$program")").$(basename "$program" .ptx)
	awk -v out="$tmp/m" -v name="$name" -v original="$tmp/programs/$name.ptx" -f tests/oracle/race_mutants/mutate.awk "$program"
done <"$tmp/list" >"$tmp/same"
cp tests/ptx/run/*.bytes "$tmp/programs" 2>/dev/null
cp tests/ptx/run/*.bytes "$tmp/m" 2>/dev/null
all=$(find "$tmp/m" -name '*.ptx' | wc -l)
same=$(awk '{ n += $1 } END { print n + 0 }' "$tmp/same")
false=0
seeds=2
[ -z "$FULL" ] || seeds=60
: >"$tmp/caught"
# The long programs poll for the end of a phase at seventeen places in a row: only a schedule in which the end comes at the changed one shows it.
for seed in 0 $(seq "$seeds"); do
	options="--schedule=random --seed=$seed"
	[ "$seed" != 0 ] || options=
	# shellcheck disable=SC2086
	[ "$seed" -gt 4 ] || "$ptxi" check -q $options "$tmp/programs" >"$tmp/out" 2>/dev/null
	sed -n 's/^FAIL [^:]*\/\([^:]*\)/race_mutants: false report: \1/p' "$tmp/out"
	false=$((false + $(grep -c '^FAIL' "$tmp/out")))
	: >"$tmp/out"
	# What is caught is not tried again; a budget that runs out catches nothing. A line each: program, then the codes of its findings.
	# shellcheck disable=SC2086
	"$ptxi" check $options --max-steps=10000000 "$tmp/m" 2>/dev/null | awk '
		/^(FAIL|PASS|SKIP)/ { on = /^FAIL/; file = $2; sub(/.*\//, "", file); sub(/\.ptx.*/, ".ptx", file); if (on) code[file] = code[file] " " }
		on && match($0, /\[[A-Z][0-9]+\]/) { code[file] = code[file] substr($0, RSTART + 1, 1) }
		END { for (f in code) if (code[f] !~ /B/ || code[f] ~ /[RSD]/) print f, code[f] }' >"$tmp/now"
	while read -r file codes; do
		echo "$file $codes" >>"$tmp/caught"
		rm -f "$tmp/m/$file"
	done <"$tmp/now"
done
# What is left: harmless, missed with a reason, or missed.
for f in "$tmp"/m/*.ptx; do
	[ ! -f "$f" ] || sed -n '1s/^\/\/ //p' "$f"
done | awk -F '\t' -v folder=tests/oracle/race_mutants '
	function read_list(file, list,    n) {
		while ((getline < (folder "/" file)) > 0)
			list[++n] = $1
	}
	function in_list(key, list,    k) {
		for (k in list)
			if (key ~ ("^" list[k]))
				return 1
		return 0
	}
	BEGIN {
		read_list("harmless.tsv", good)
		read_list("missed.tsv", bad)
	}
	{
		what = key = $0
		gsub(/[ \t]+/, " ", key)
		sub(/:[0-9]+: /, ": ", key)
		sub(/: @[^ ]* /, ": ", key)
		sub(/: [A-Za-z0-9_$]+: */, ": ", key)
		if (in_list(key, good)) { harmless++; next }
		missed++
		if (!in_list(key, bad)) { unexplained++; print "race_mutants: missed: " what > "/dev/stderr" }
	}
	END { print harmless + 0, missed + 0, unexplained + 0 }' >"$tmp/left"
read -r harmless missed unexplained <"$tmp/left"
# The first that applies: a race, misuse, a read of what nobody wrote, a deadlock, anything else (an outcome, a wrong result).
awk -v all="$all" -v same="$same" -v harmless="$harmless" -v missed="$missed" -v false="$false" '
	$2 ~ /E/ { print "race_mutants: not a program: " $1; bad = 1 }
	{ n++; if ($2 ~ /R/) race++; else if ($2 ~ /S/) sync++; else if ($2 ~ /D/) dead++; else if ($2 ~ /X/) wrong++; else other++ }
	END {
		printf "race_mutants: %d mutants: %d caught (race %d, misuse %d, deadlock %d, outcome or result %d, other %d), %d harmless, %d missed (missed.tsv): %.1f %% of the harmful; false reports %d; ", all,
			n, race, sync, dead, wrong, other, harmless, missed, n + missed ? 100 * n / (n + missed) : 0, false
		printf "%d narrower scopes were none\n", same
		exit bad
	}' "$tmp/caught" && [ "$false" = 0 ] && [ "$unexplained" = 0 ] && [ "$all" -gt 0 ]
