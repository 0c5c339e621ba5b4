#!/bin/sh
# Every source compiles without a warning for a machine with addresses of 32 bits, as the page is one (docs/PAGE.md). x32 has such addresses and the integers of 128 bits that
# ptxi needs; nothing is linked or run here: `make check-page` runs the 32-bit program. The compiler is clang, as emcc is one, otherwise gcc. The files that have a twin for such
# hosts are compiled by clang for 64 bits, since the fuzz targets are. BUILD has the generated files.
: "${BUILD:?}"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/gnu" && : >"$work/gnu/stubs-x32.h" # which a system without libraries for x32 lacks
echo '#include <stdio.h>
int main(void) { return sizeof(void *) == 4 && sizeof(__int128) == 16 ? 0 : 1; }' >"$work/try.c"
modules=$(sed -n 's/^LIBMODULES := //p' Makefile)
warnings=$(sed -n 's/^WARN := //p' Makefile)
twins='^gpu/[a-z]*\.c$\|^cuda/\|^cudart/\|^debug/processes\.c$'
for module in $modules cli gpu/absent debug/alone; do ls "$module"/*.c; done >"$work/all"
bad=0
# Debian's headers for 64 bits serve both, in a folder that is not looked at for x32.
also=/usr/include/$(gcc -print-multiarch)
cc=gcc
command -v clang >/dev/null 2>&1 && cc=clang

# compile WHAT OPTION...: the files whose names are on standard input
compile() {
	what=$1
	shift
	cat >"$work/sources"
	: >"$work/said"
	# shellcheck disable=SC2086 # several words
	set -- $warnings -Werror "$@" -fsyntax-only -I. -Iinclude -I"$BUILD/gen" -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE
	if [ $cc = clang ] && [ "$(clang -### "$@" "$work/try.c" 2>&1 | grep -c ' "-cc1" ')" = 1 ]; then
		# Its driver would start a process for each file, which takes longer than to compile it: the driver's commands for a few processes with many files each.
		clang -### "$@" "$work/try.c" 2>&1 | grep ' "-cc1" ' | sed 's/ "-disable-free"//; s/ "-main-file-name" "[^"]*"//; s/ "[^"]*try\.c"$//; s/$/ "$@"/' >"$work/one.sh"
		set -- sh "$work/one.sh"
		n=80
	else
		set -- $cc "$@"
		n=16
	fi
	if xargs -P "$(nproc)" -n $n "$@" <"$work/sources" >"$work/said" 2>&1; then
		echo "narrow: $(wc -l <"$work/sources") sources compile for $what ($cc)"
	else
		grep -E 'error|warning' "$work/said" | head -n 20
		echo "narrow: some sources do not compile for $what ($cc)"
		bad=1
	fi
}

if $cc -mx32 -I"$work" -idirafter "$also" -fsyntax-only "$work/try.c" 2>"$work/said"; then
	grep -v "$twins" "$work/all" >"$work/narrow"
	compile "addresses of 32 bits" -mx32 -Wno-psabi -I"$work" -idirafter "$also" <"$work/narrow"
else
	echo "SKIP narrow: $cc cannot compile for x32: $(head -n 1 "$work/said")"
fi
if [ $cc = clang ]; then
	grep "$twins" "$work/all" >"$work/wide"
	compile "64 bits" -Wno-sign-conversion <"$work/wide"
fi
exit $bad
