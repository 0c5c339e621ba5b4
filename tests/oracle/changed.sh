#!/bin/sh
# The output of ptxi for randomly changed programs: five variants of each golden file (changed/changed.c: an instruction removed or exchanged, another scope, register or
# number, a damaged line), run with all checks, or explored if they are litmus tests. Compares checksums of the complete output, in the order of the variants, with
# expected.txt. In `make check` of each file every second variant in turn, with FULL=1 all. This does not show that the output is right, but that nothing a user can see has changed unnoticed.
# `changed.sh show FILE K` prints variant K of FILE and its output, for a comparison with another ptxi (PTXI=...). After an intended change: changed.sh write.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
build=${BUILD:-build/release}
known=tests/oracle/changed/expected.txt
${MAKE_PARTS:-make} -s --no-print-directory "$build/oracle/changed" "$build/oracle/many" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export NO_COLOR=1 LC_ALL=C
mkdir "$tmp/variants"

# options FILE
options() {
	case $1 in
	*/litmus/*) options="explore --timeout=60" ;;
	*) options="run --check=all --max-steps=100000" ;;
	esac
	options="$options -j1 --max-memory=1G"
}
case $ptxi in /*) ;; *) ptxi=$(pwd)/$ptxi ;; esac

if [ "$1" = show ]; then
	"$build/oracle/changed" $(($3 + 1)) "$tmp/variants" "$2" || exit 2
	cat "$tmp/variants/$(echo "$2" | tr / -)-$3"
	options "$2"
	# shellcheck disable=SC2086
	(cd "$tmp/variants" && timeout 60 "$ptxi" $options "$(echo "$2" | tr / -)-$3" 2>&1 </dev/null; echo "status $?")
	exit
fi
# slow, or with too many outcomes
files=$(ls tests/ptx/course/*.ptx tests/ptx/error/*.ptx tests/ptx/litmus/*.ptx tests/ptx/race/*.ptx tests/ptx/run/*.ptx tests/ptx/sync/*.ptx |
	grep -v -e /arrival_orders -e /weak_memory -e /mbarrier_one_cause)
# shellcheck disable=SC2086
"$build/oracle/changed" 5 "$tmp/variants" $files || exit 2
# The commands, without what took more than half a second when it was recorded ("slow").
for file in $files; do
	options "$file"
	echo "$file $options"
done >"$tmp/files"
mkdir "$tmp/told"
limit=60
[ "$1" != write ] || limit=0.5
awk -v tmp="$tmp" -v write="$1" -v all="$FULL$1" '
	FILENAME ~ /expected.txt$/ { for (k = 2; k <= NF; k++) slow[$1, k - 2] = write == "" && $k == "slow"; next }
	{
		name = $1
		gsub(/\//, "-", name)
		files++
		for (k = 0; k < 5; k++) {
			if (slow[$1, k] || (!all && (files + k) % 2)) continue
			printf "%s\t%s", tmp "/variants", tmp "/told/" name "-" k
			for (n = 2; n <= NF; n++) printf "\t%s", $n
			printf "\t%s\n", name "-" k
		}
	}' $known "$tmp/files" >"$tmp/commands"
"$build/oracle/many" $limit <"$tmp/commands" || exit 2
(cd "$tmp/told" && grep -l '^status 124$' -- *) >"$tmp/late"
(cd "$tmp/told" && cksum -- *) >"$tmp/sums"
awk '
	FILENAME ~ /late$/ { late[$1]; next }
	FILENAME ~ /sums$/ { sum[$3] = $3 in late ? "slow" : $1; next }
	{
		name = $1
		gsub(/\//, "-", name)
		printf "%s", $1
		for (k = 0; k < 5; k++) printf " %s", (name "-" k) in sum ? sum[name "-" k] : "-"
		print ""
	}' "$tmp/late" "$tmp/sums" "$tmp/files" >"$tmp/now"
if [ "$1" = write ]; then
	sed 's/ -/ slow/g' "$tmp/now" >$known
else
	awk -v self="$0" -v known=$known -v all="$FULL" '
		NR == FNR { was[$1] = $0; next }
		{
			n = split(was[$1], w, " ")
			for (k = 2; k <= NF; k++)
				if (n != NF || ($k == "-" ? all && w[k] != "slow" : $k != w[k])) {
					print "changed: the output is not that recorded in " known ": " "\047" self " show " $1 " " k - 2 "\047 prints it"
					if (++bad == 10) exit
				}
		}
		END { exit bad > 0 || FNR != length(was) }' $known "$tmp/now" || exit 1
fi
echo "changed: $(awk '{ for (k = 2; k <= NF; k++) n += $k != "slow" && $k != "-" } END { print n }' "$tmp/now") changed programs have the recorded output"
