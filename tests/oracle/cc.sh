#!/bin/sh
# CUDA programs (tests/cuda), compiled by `ptxi cc` and run by `ptxi exec` with all checks: each prints its "// prints" lines, without a finding. One with a line
# "// planted CODE" is compiled again with -DPLANTED; then its first finding is CODE, at a line marked "// HERE"
# (of a race, either access).
#   FULL=1: all of them, instead of eight; WITH_NVCC=PROGRAM: compiled by nvcc with the shared runtime instead.
cd "$(dirname "$0")/../.." || exit 2
: "${PTXI:?}" "${BUILD:=build/release}"
ptxi=$PTXI
case $ptxi in /*) ;; *) ptxi=$PWD/$ptxi ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
name=cc
few="vector_add reduce matmul k1 producer_consumer grid_barrier histogram scan"
if [ -n "$WITH_NVCC" ]; then
	name="cc with nvcc"
	FULL=1
else
	: "${CLANG:=$(command -v clang || ls /usr/bin/clang-[0-9]* 2>/dev/null | sort -V | tail -n 1)}"
	version=$("${CLANG:-clang}" --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p')
	if [ "${version:-0}" -lt 14 ]; then
		echo "SKIP cc: clang 14 or later is not installed"
		exit 0
	fi
fi
if nm -D "$BUILD/libcuda.so.1" | grep -q __asan_init || [ ! -e "$BUILD/libcudart.so.13" ]; then
	echo "SKIP cc: the libraries need a sanitizer, which would have to be in every program"
	exit 0
fi

# compile PROGRAM OUT [OPTION]
compile() {
	if [ -n "$WITH_NVCC" ]; then
		"$WITH_NVCC" -cudart shared -lineinfo -arch=sm_90 -std=c++17 ${3+"$3"} -o "$2" "tests/cuda/$1.cu" -lcuda
	else
		"$ptxi" cc --clang="$CLANG" ${3+"$3"} -o "$2" "tests/cuda/$1.cu"
	fi
}

# try PROGRAM: says what is wrong with it
try() {
	source=tests/cuda/$1.cu
	compile "$1" "$dir/$1" >"$dir/$1.said" 2>&1 || { echo "$source is not compiled:" && head -n 5 "$dir/$1.said" && return; }
	sed -n 's,^// prints ,,p' "$source" >"$dir/$1.want"
	"$ptxi" exec --check=all --timeout=60 "$dir/$1" >"$dir/$1.out" 2>"$dir/$1.said" || { echo "$source fails:" && head -n 5 "$dir/$1.said"; }
	diff "$dir/$1.want" "$dir/$1.out" >"$dir/$1.diff" || { echo "$source prints something else:" && cat "$dir/$1.diff"; }
	code=$(sed -n 's,^// planted ,,p' "$source")
	[ -n "$code" ] || return
	line=$(grep -n '// HERE$' "$source" | cut -d: -f1 | tr '\n' '|')
	compile "$1" "$dir/$1" -DPLANTED >"$dir/$1.said" 2>&1 || { echo "$source with its mistake is not compiled:" && head -n 5 "$dir/$1.said" && return; }
	"$ptxi" exec --check=all --timeout=60 "$dir/$1" >/dev/null 2>"$dir/$1.said" && echo "$source: its mistake is not found"
	grep -v '^ptxi: ' "$dir/$1.said" | head -n 1 | grep -qE "$1.cu:(${line%|}):.*\[($code)\]" || { echo "$source: the mistake is not reported as $code at line ${line%|}:" && head -n 3 "$dir/$1.said"; }
}

[ -n "$1" ] && few=$*
[ -n "$FULL" ] && [ -z "$1" ] && few=$(ls tests/cuda/*.cu | sed 's,.*/\(.*\)\.cu,\1,')
half() {
	n=0
	for program in $few; do
		n=$((n + 1))
		[ $((n % 2)) = "$1" ] && try "$program"
	done
}
half 0 >"$dir/said.0" &
half 1 >"$dir/said.1"
wait
cat "$dir/said.0" "$dir/said.1"
[ -s "$dir/said.0" ] || [ -s "$dir/said.1" ] && exit 1
planted=0
for program in $few; do grep -q '^// planted' "tests/cuda/$program.cu" && planted=$((planted + 1)); done
echo "$name: $(echo $few | wc -w) programs are right, and the mistakes of $planted are found at their lines"
