#!/bin/sh
# Kernels that nvcc compiled (tests/explore/*.cu), at sizes at which one would explore them: each case's verdict and number of outcomes are those of expected.tsv there. A case that is
# known not to finish ("long") runs only with FULL=1, for 20 seconds, which also prints the times; WRITE=1 writes the list.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
list=tests/explore/expected.tsv
bad=0
asked=0
finished=0
limit=100
[ -z "$FULL$WRITE" ] || limit=20

for file in tests/explore/*.ptx; do
	name=$(basename "$file" .ptx)
	for case in $(sed -n 's/^\/\/@ case //p' "$file"); do
		want=$(grep "^$name	$case	" $list 2>/dev/null)
		case $want in *"	long	"*) [ -n "$FULL$WRITE" ] || continue ;; esac
		sed -n "/^\/\/@ case $case\$/,/^\/\/@ case /p" "$file" | sed '1!{/^\/\/@ case/d;}' >"$dir/lines"
		begin=$(date +%s%N)
		NO_COLOR=1 "$ptxi" explore --timeout=$limit --script="$dir/lines" "$file" >"$dir/out" 2>"$dir/err"
		status=$?
		end=$(date +%s%N)
		asked=$((asked + 1))
		[ $status != 0 ] || finished=$((finished + 1))
		states=$(sed -n 's/^States //p' "$dir/out")
		reason=-
		case $status in
		7) status=long states=- ;;
		8) states=- reason=$(grep -m 1 -o 'not executed: .*\[U[0-9]*\]' "$dir/err" | sed 's/not executed: //') ;;
		esac
		got="$name	$case	$status	${states:--}	$reason"
		[ -z "$FULL$WRITE" ] || echo "$got	$(((end - begin) / 10000000))" | awk -F '\t' '{printf "%-12s %-24s %-5s %4s states %6.2f s  %s\n", $1, $2, $3, $4, $6 / 100, $5}'
		[ -z "$WRITE" ] || echo "$got" >>"$dir/new"
		[ -n "$WRITE" ] || [ "$got" = "$want" ] || { echo "explore_kernels: '$got', expected '$want'"; bad=1; }
	done
done
[ -z "$WRITE" ] || cp "$dir/new" $list
echo "explore_kernels: $asked cases explored, $finished of them to the end"
exit $bad
