#!/bin/sh
# Demangled names: every symbol of demangle/names.tsv, which nvcc and gcc gave to thrust.cu, cub.cu, libcu.cu and language.cpp beside it, against what c++filt (binutils 2.40)
# printed; symbols that are no C++ names stay as they are. `demangle.sh write FILE...` adds the symbols of files (PTX, or a list) by the c++filt of this machine;
# `demangle.sh compare FILE...` compares with it on the symbols of libraries, objects and texts, and lists those that differ.
cd "$(dirname "$0")" || exit 2
: "${BUILD:=build/release}"
tool=../../$BUILD/oracle/demangle
case $BUILD in /*) tool=$BUILD/oracle/demangle ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
names=demangle/names.tsv
if [ "$1" = write ]; then
	shift
	{ cut -f1 $names && cat "$@" | grep -oE '_Z[A-Za-z0-9_$.]+' | sed 's/_param_[0-9]*$//'; } | LC_ALL=C sort -u >"$dir/symbols"
	c++filt <"$dir/symbols" | paste "$dir/symbols" - >"$dir/new" && cp "$dir/new" $names
	exit
fi
if [ "$1" = compare ]; then
	shift
	for file; do { nm -D "$file" || nm "$file" || grep -aoE '_Z[A-Za-z0-9_$.]+' "$file"; } 2>/dev/null; done |
		grep -oE '(^| )_Z[A-Za-z0-9_$.]+' | tr -d ' ' | sed 's/_param_[0-9]*$//' | LC_ALL=C sort -u >"$dir/symbols"
	c++filt <"$dir/symbols" >"$dir/wanted"
	"$tool" <"$dir/symbols" >"$dir/got" || exit 1
	paste "$dir/symbols" "$dir/wanted" "$dir/got" |
		awk -F'\t' '$2 != $3 { print $1 "\n  c++filt " $2 "\n  ptxi    " $3; bad++ } END { print "demangle: " bad + 0 " of " NR " names differ" }'
	exit
fi
[ -x "$tool" ] || { echo "demangle: SKIP: $tool is not built" && exit 0; }
cut -f1 $names >"$dir/symbols"
cut -f2 $names >"$dir/wanted"
"$tool" <"$dir/symbols" >"$dir/got" || { echo "demangle: the tool ended with status $?" && exit 1; }
n=$(wc -l <"$dir/symbols")
[ "$n" -ge 1000 ] || { echo "demangle: only $n symbols" && exit 1; }
if ! cmp -s "$dir/wanted" "$dir/got"; then
	paste "$dir/symbols" "$dir/wanted" "$dir/got" | awk -F'\t' '$2 != $3 { print $1 "\n  wanted " $2 "\n  got    " $3; bad++ } END { print "demangle: " bad " of " NR " names differ" }'
	exit 1
fi
echo "demangle: $n names as c++filt prints them"
