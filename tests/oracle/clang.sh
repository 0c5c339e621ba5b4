#!/bin/sh
# Every source compiles without a warning with clang, which the fuzz targets are built with. BUILD has the generated files.
: "${BUILD:?}"
command -v clang >/dev/null 2>&1 || { echo "SKIP clang: clang is not installed" && exit 0; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
modules=$(sed -n 's/^LIBMODULES := //p' Makefile)
warnings=$(sed -n 's/^WARN := //p' Makefile)
for module in $modules cli; do ls "$module"/*.c; done >"$work/sources"
# shellcheck disable=SC2086 # several words
if xargs -P "$(nproc)" -n 16 clang $warnings -Wno-sign-conversion -fsyntax-only -I. -Iinclude -I"$BUILD/gen" -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE <"$work/sources" >"$work/said" 2>&1; then
	echo "clang: $(wc -l <"$work/sources") sources compile"
	exit 0
fi
grep -E 'error|warning' "$work/said" | head -n 20
echo "clang: some sources do not compile"
exit 1
