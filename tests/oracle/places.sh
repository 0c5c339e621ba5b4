#!/bin/sh
# Programs compiled by nvcc with -lineinfo and with -G (places/, made by places/make.sh), each with one mistake of a course on CUDA: the first place of the first finding is
# the line of the .cu file that "// wrong: CODE" marks, in the text and in JSON, and the line itself is shown. Then what a .ptx file may read by naming it in .file.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
case $ptxi in /*) ;; *) ptxi=$PWD/$ptxi ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
export NO_COLOR=1

fail() {
	echo "places: $*"
	bad=1
}

for cu in tests/oracle/places/*.cu; do
	line=$(sed -n '/\/\/ wrong: /=' "$cu")
	code=$(sed -n 's|.*// wrong: \([A-Z0-9]*\)$|\1|p' "$cu")
	name=${cu##*/}
	for way in lineinfo debug; do
		ptx=${cu%.cu}.$way.ptx
		tests=$((tests + 1))
		"$ptxi" check --script="$cu" "$ptx" >"$dir/text" 2>&1
		# the record's first line, and the line of source below it
		sed -n '2,3p' "$dir/text" >"$dir/first"
		grep -q "^    $name:$line:[0-9]*: .* \[$code\]" "$dir/first" || {
			fail "$ptx: not $name:$line [$code], but:"
			cat "$dir/first"
		}
		grep -q "^ *$line | .*// wrong: $code$" "$dir/first" || fail "$ptx: the line is not shown"
		grep -q "^    $ptx:[0-9]*:[0-9]*: note: the instruction in PTX$" "$dir/text" || fail "$ptx: no place in the PTX"
		"$ptxi" check --format=json --script="$cu" "$ptx" >"$dir/json" 2>&1
		grep -o '"code": "[A-Z0-9]*"' "$dir/json" | head -n 1 | grep -q "\"$code\"" || fail "$ptx: another first finding in JSON"
		grep -o '"places": \[{.\{1,200\}' "$dir/json" | head -n 1 |
			grep -q "^\"places\": \[{\"source\": {\"file\": \"$name\", \"line\": $line, " || fail "$ptx: another first place in JSON"
	done
done
[ "$tests" -ge 30 ] || fail "only $tests programs"
