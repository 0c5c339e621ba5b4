#!/bin/sh
# Random instructions of every opcode, target and version, half of them invalid (instructions/): the assembler's verdict on each, and the results or findings of those that it
# accepts, in threads that first fill registers and memory and afterwards fold them into a number. forms.tsv and ptxas test whether a verdict is right, and the recorded GPU
# whether a value is; this test compares everything with expected.txt: one line per opcode, with checksums.
# In `make check` an opcode for which weak memory makes a difference is run checked and with weak memory, the others by turns checked or plainly; FULL=1 runs all in all three ways.
# `instructions.sh show OPCODE` prints the messages and values, for a comparison with another ptxi (PTXI=..., BUILD=...). After an intended change: instructions.sh write.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
build=${BUILD:-build/release}
known=tests/oracle/instructions/expected.txt
${MAKE_PARTS:-make} -s --no-print-directory "$build/oracle/instructions" "$build/oracle/many" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export NO_COLOR=1 LC_ALL=C
mkdir "$tmp/said" "$tmp/run" "$tmp/out" "$tmp/all"
"$build/oracle/instructions" "${N:-10000}" 1 "$tmp" || exit 2

if [ "$1" = show ]; then
	cat "$tmp/said/$2"
	case $ptxi in /*) ;; *) ptxi=$(pwd)/$ptxi ;; esac
	cd "$tmp/run" || exit 2
	for options in --check=all --check=none "--check=all --memory=weak --seed=1"; do
		for program in "$2"-*.ptx; do
			# shellcheck disable=SC2086
			[ ! -f "$program" ] || timeout 120 "$ptxi" run -j1 --max-steps=20000 $options "$program" 2>&1
		done
	done
	exit
fi
[ "$1" != write ] || FULL=1
# The opcodes, and how each is run.
(cd "$tmp/said" && printf '%s\n' *) | awk -v full="$FULL" '
	FILENAME == "-" { print $1, full ? "checked plain weak" : weak[$1] ? "checked weak" : ++n % 2 ? "checked" : "plain"; next }
	{ weak[substr($1, 1, length($1) - 1)] = $5 != $9 "," }' $known - >"$tmp/ways"
(cd "$tmp/run" && printf '%s\n' *.ptx) | awk -v tmp="$tmp" '
	BEGIN { option["checked"] = "--check=all"; option["plain"] = "--check=none"; option["weak"] = "--check=all\t--memory=weak\t--seed=1" }
	FILENAME != "-" { opcode = $1; sub(/^[^ ]* /, ""); ways[opcode] = $0; next }
	{
		opcode = $1
		sub(/-[^-]*$/, "", opcode)
		n = split(ways[opcode], way, " ")
		for (k = 1; k <= n; k++) printf "%s\t%s\trun\t-j1\t--max-steps=20000\t%s\t%s\n", tmp "/run", tmp "/out/" way[k] "." $1, option[way[k]], $1
	}' "$tmp/ways" - | "$build/oracle/many" 120 || exit 2
# The output for all programs of an opcode, one after the other, without the statuses.
while read -r opcode ways; do
	for way in $ways; do : >"$tmp/all/$way.$opcode"; done
done <"$tmp/ways"
(cd "$tmp/out" && printf '%s\n' *) | awk -v tmp="$tmp" '{
	to = $1
	sub(/-[^-]*$/, "", to)
	to = tmp "/all/" to
	while ((getline line < (tmp "/out/" $1)) > 0) if (line !~ /^status [0-9]+$/) print line >to
	else if (line ~ / (124|1[3-9].)$/) print "instructions: " $1 " ends with " line
	close(tmp "/out/" $1)
	if (to != last) close(last)
	last = to
}'
(cd "$tmp/said" && cksum -- *) >"$tmp/said.sums"
(cd "$tmp/all" && cksum -- *) >"$tmp/all.sums"
# What is not run has the recorded sum.
awk '
	FILENAME ~ /expected.txt$/ { n = split($0, w, /[:,]? /); for (k = 4; k < n; k += 2) sum[w[k] "." w[1]] = w[k + 1]; next }
	FILENAME ~ /all.sums$/ { sum[$3] = $1; next }
	{ print $3 ": said " $1 ", checked " sum["checked." $3] ", plain " sum["plain." $3] ", weak " sum["weak." $3] }' $known "$tmp/all.sums" "$tmp/said.sums" >"$tmp/now"
if [ "$1" = write ]; then
	cp "$tmp/now" $known
elif ! cmp -s $known "$tmp/now"; then
	echo "instructions: the messages or results are not those recorded in $known ('$0 show OPCODE' prints them):"
	diff $known "$tmp/now" | head -n 20
	exit 1
fi
echo "instructions: ${N:-10000} of $(wc -l <"$tmp/now") opcodes have the recorded messages, $(cat "$tmp"/run/*.ptx | grep -c '^//@ case') of them executed with the same results ($(wc -l <"$tmp/all.sums") runs of an opcode)"
