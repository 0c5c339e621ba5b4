#!/bin/sh
# The output of ptxi for randomly changed programs: five variants of each golden file (changed/changed.c: an instruction removed or exchanged, another scope, register or
# number, a damaged line), run with all checks, or explored if they are litmus tests. Compares checksums of the complete output, in the order of the variants, with
# expected.txt. This does not show that the output is right, but that nothing a user can see has changed unnoticed.
# `changed.sh show FILE K` prints variant K of FILE and its output, for a comparison with another ptxi (PTXI=...). After an intended change: changed.sh write.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
build=${BUILD:-build/release}
known=tests/oracle/changed/expected.txt
make -s --no-print-directory "$build/oracle/changed" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export NO_COLOR=1 LC_ALL=C
mkdir "$tmp/variants"

# told SECONDS FILE K: the output, and the status
told() {
	name=$(echo "$2" | tr / -)-$3
	case $2 in
	*/litmus/*) options="explore --timeout=60" ;;
	*) options="run --check=all --max-steps=100000" ;;
	esac
	# shellcheck disable=SC2086
	(cd "$tmp/variants" && timeout "$1" "$ptxi" $options -j1 --max-memory=1G "$name" 2>&1 </dev/null; echo "status $?")
}
case $ptxi in /*) ;; *) ptxi=$(pwd)/$ptxi ;; esac

if [ "$1" = show ]; then
	"$build/oracle/changed" $(($3 + 1)) "$tmp/variants" "$2" || exit 2
	cat "$tmp/variants/$(echo "$2" | tr / -)-$3"
	told 60 "$2" "$3"
	exit
fi
# slow, or with too many outcomes
files=$(ls tests/ptx/course/*.ptx tests/ptx/error/*.ptx tests/ptx/litmus/*.ptx tests/ptx/race/*.ptx tests/ptx/run/*.ptx tests/ptx/sync/*.ptx |
	grep -v -e /arrival_orders -e /weak_memory -e /mbarrier_one_cause)
# shellcheck disable=SC2086
"$build/oracle/changed" 5 "$tmp/variants" $files || exit 2
differences=0
for file in $files; do
	sums=
	k=0
	left=$(sed -n "s|^$file ||p" $known)
	while [ $k -lt 5 ]; do
		sum=slow # what took more than half a second when it was recorded is passed over
		if [ "$1" = write ]; then
			told 0.5 "$file" $k >"$tmp/told"
			grep -q '^status 124$' "$tmp/told" || sum=$(cksum <"$tmp/told" | cut -d' ' -f1)
		else
			was=${left%% *} left=${left#* }
			[ "$was" = slow ] || sum=$(told 60 "$file" $k | cksum | cut -d' ' -f1)
			[ "$was" = "$sum" ] || { echo "changed: the output is not that recorded in $known: '$0 show $file $k' prints it"; differences=$((differences + 1)); }
		fi
		sums="$sums $sum"
		k=$((k + 1))
	done
	[ $differences -lt 10 ] || break
	echo "$file$sums" >>"$tmp/now"
done
[ "$1" != write ] || cp "$tmp/now" $known
[ $differences = 0 ] || exit 1
echo "changed: $(awk '{ for (k = 2; k <= NF; k++) n += $k != "slow" } END { print n }' "$tmp/now") changed programs have the recorded output"
