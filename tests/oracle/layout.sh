#!/bin/sh
# One layout: every C file is formatted as .clang-format requires. Skips without clang-format 14, since each version formats a little differently.
cd "$(dirname "$0")/../.." || exit 2
: "${CLANG_FORMAT:=clang-format}"
case $($CLANG_FORMAT --version 2>/dev/null) in
*"version 14."*) ;;
*) echo "SKIP layout: clang-format 14 is not installed"; exit 0 ;;
esac
found=$(mktemp) || exit 2
trap 'rm -f "$found"' EXIT
files=$(find . -path ./build -prune -o -name '*.[ch]' -print)
# shellcheck disable=SC2086
$CLANG_FORMAT --dry-run -Werror $files 2>&1 | grep 'error:' >"$found"
if [ -s "$found" ]; then
	cut -d: -f1 "$found" | sort | uniq -c
	echo "layout: these files are formatted differently; run $CLANG_FORMAT -i FILE"
	rm -f "$found"
	exit 1
fi
rm -f "$found"
echo "layout: $(echo "$files" | wc -l) files are formatted as .clang-format requires"
