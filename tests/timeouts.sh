#!/bin/sh
# Every file under FOLDERS, run and checked with --timeout=2: each command must end within 3 seconds, and print why if its status is not 0. PTXI is the program; JOBS commands
# run at a time. A busy machine needs a larger SLACK (seconds beyond the timeout).
cd "$(dirname "$0")/.." || exit 2
ptxi=${PTXI:?}
slack=${SLACK:-1}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export ptxi slack dir

cat >"$dir/one" <<'END'
file=$1
for command in run check; do
	began=$(date +%s%N)
	timeout 60 "$ptxi" $command --timeout=2 "$file" >"$dir/out.$$" 2>"$dir/err.$$" </dev/null
	status=$?
	took=$((($(date +%s%N) - began) / 1000000))
	[ $took -le $((2000 + slack * 1000)) ] || echo "$command $file: $took ms"
	if [ $status != 0 ] && [ ! -s "$dir/err.$$" ] && ! grep -q -e '^FAIL .*: .' -e '^SKIP .* (.' "$dir/out.$$"; then
		echo "$command $file: status $status without a word"
	fi
	[ $status = 70 ] && echo "$command $file: status 70"
	[ $status -gt 128 ] && echo "$command $file: status $status"
	echo . >>"$dir/count"
done
rm -f "$dir/out.$$" "$dir/err.$$"
END
find ${FOLDERS:-tests} -type f \( -name '*.ptx' -o -name '*.ptxo' -o -name '*.litmus' \) | sort | xargs -d '\n' -n 1 -P "${JOBS:-2}" sh "$dir/one" >"$dir/bad"
cat "$dir/bad"
echo "timeouts: $(wc -l <"$dir/count") commands, $(wc -l <"$dir/bad") late or silent"
[ ! -s "$dir/bad" ]
