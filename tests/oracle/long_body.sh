#!/bin/sh
# The parser keeps the operands of a long body as bytes, those near its beginning as nodes (parser/pack.c). A comment of 80 KB at the beginning of every body makes it long:
# `ptxi dis` must print the same.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
bad=0 files=0

for file in tests/ptx/nvcc/[a-d]*.ptx; do
	"$ptxi" dis "$file" >"$work/short" 2>/dev/null || continue
	awk 'BEGIN { for (i = 0; i < 800; i++) long = long sprintf("%0100d", 0) }
		{ print }
		/^{$/ { print "/*" long "*/" }' "$file" >"$work/long.ptx"
	[ "$(wc -c <"$work/long.ptx")" -gt 80000 ] || continue
	files=$((files + 1))
	"$ptxi" dis "$work/long.ptx" >"$work/long" 2>/dev/null && cmp -s "$work/short" "$work/long" || { echo "long_body: $file differs"; bad=1; }
done
[ "$files" -ge 20 ] || { echo "long_body: only $files files"; bad=1; }
[ $bad = 0 ] && echo "long_body: $files files with long bodies print the same"
exit $bad
