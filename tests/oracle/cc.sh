#!/bin/sh
# CUDA programs (tests/cuda), compiled by `ptxi cc` and run by `ptxi exec` with all checks: each prints its "// prints" lines, without a finding. One with a line
# "// planted CODE" is compiled again with -DPLANTED; then its first finding is CODE, at a line marked "// HERE"
# (of a race, either access).
#   FULL=1: all of them, instead of three; WITH_NVCC=PROGRAM: compiled by nvcc with the shared runtime instead, and those of tests/cuda/nvcc, too.
cd "$(dirname "$0")/../.." || exit 2
: "${PTXI:?}" "${BUILD:=build/release}"
ptxi=$PTXI
case $ptxi in /*) ;; *) ptxi=$PWD/$ptxi ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
name=cc
few="reduce grid_barrier driver"
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
		"$WITH_NVCC" -cudart shared -lineinfo -arch=sm_90 -std=c++17 ${3+"$3"} -o "$2" "tests/cuda/$1.cu" -lcuda $(sed -n 's,^// links ,,p' "tests/cuda/$1.cu")
	else
		"$ptxi" cc --clang="$CLANG" ${3+"$3"} -o "$2" "tests/cuda/$1.cu"
	fi
}

# ---- the command ----
says() {
	tests=$((tests + 1))
	what=$1
	want=$2
	shift 2
	[ "$status" = "$want" ] || echo "$what: the status is $status instead of $want: $(head -n 3 "$dir/said")" >>"$dir/wrong"
	for line; do grep -qE -e "$line" "$dir/said" || echo "$what: nothing like '$line' in: $(cat "$dir/said")" >>"$dir/wrong"; done
}
commands() {
	tests=0
	mkdir -p "$dir/a b"
	cat >"$dir/a b/scale.cu" <<'END'
#include "factor.h"
__global__ void scale(float *a, int n)
{
	__shared__ alignas(8) float s[32];
	int i = threadIdx.x;

	s[i] = FACTOR * sqrtf(a[i]);
	if (i <= n)
		a[i] = s[i];
}
//@ buffer a : f32[32] = iota(0)
//@ launch scale<<<1, 32>>>(a, 31)
//@ expect a[..] ~= 3 * sqrt(i)
//@ print a[4]
END
	echo '#define FACTOR 3.0f' >"$dir/a b/factor.h"
	"$ptxi" run --clang="$CLANG" --check=all "$dir/a b/scale.cu" >"$dir/said" 2>&1
	status=$?
	says "run FILE.cu" 0 '^a\[4\] = 6$'
	"$ptxi" run --clang="$CLANG" "$dir/a b/scale.cu" -e 'launch scale<<<1, 33>>>(a, 32)' >"$dir/said" 2>&1
	status=$?
	says "run FILE.cu with a mistake" 4 'scale.cu:7:' 'F0201'
	"$ptxi" cc --clang="$CLANG" -S -o "$dir/scale.ptx" "$dir/a b/scale.cu" >"$dir/said" 2>&1 && "$ptxi" as "$dir/scale.ptx" >>"$dir/said" 2>&1
	status=$?
	says "cc -S" 0
	printf '__global__ void k() { int x = 1 }\n' >"$dir/broken.cu"
	"$ptxi" cc --clang="$CLANG" -o "$dir/broken" "$dir/broken.cu" >"$dir/said" 2>&1
	status=$?
	says "a mistake in the source" 3 "broken.cu:1:32: error: expected ';'"
	[ "$(grep -c 'error:' "$dir/said")" = 1 ] || echo "a mistake in the source is reported $(grep -c error: "$dir/said") times" >>"$dir/wrong"
	printf 'static __managed__ int x = 1;\nint main() { return x; }\n' >"$dir/static.cu"
	"$ptxi" cc --clang="$CLANG" -o "$dir/static" "$dir/static.cu" >"$dir/said" 2>&1
	status=$?
	says "a static managed variable" 8 'is static'
	printf '__managed__ int x = 1;\nint main() { return x; }\n' >"$dir/alone.cu"
	"$ptxi" cc --clang="$CLANG" -o "$dir/alone" "$dir/alone.cu" >"$dir/said" 2>&1
	status=$?
	says "a managed variable without kernels" 8 'no managed variables of a file without kernels'
	# clang describes the sum by its bytes, one of which is NUL
	cat >"$dir/sum.cu" <<'END'
#include <cstdio>
__global__ void k(float *out) { *out = 1; }
int main(int argc, char **argv)
{
	float sum = 0, *out;

	cudaMalloc(&out, 4);
	for (int i = 0; i < argc - 1; i++) {
		printf("%g\n", sum);
		sum += argv[i][0];
	}
	k<<<1, 1>>>(out);
	printf("%g %d\n", sum, cudaMemset(out, 0, 5));
}
END
	"$ptxi" cc --clang="$CLANG" -g -o "$dir/sum" "$dir/sum.cu" >"$dir/said" 2>&1
	status=$?
	says "cc -g" 0
	[ ! -s "$dir/said" ] || echo "cc -g says: $(head -n 3 "$dir/said")" >>"$dir/wrong"
	"$ptxi" exec "$dir/sum" >"$dir/said" 2>&1
	status=$?
	says "a program with -g" 4 '^0 1$' 'sum.cu:13:.*cudaMemset: 5 bytes.*at .*sum.cu:7 .H0103'
	cat >"$dir/one.cu" <<'END'
#include <cstdio>
int two(int x);
extern "C" int three(int x);
__managed__ int x = START;
__global__ void k() { x *= 2; }
int main()
{
	k<<<1, 1>>>();
	cudaDeviceSynchronize();
	printf("%d %d\n", two(x), three(x));
}
END
	printf '__managed__ int y;\n__global__ void k(int x) { y = x + 2; }\nint two(int x) { k<<<1, 1>>>(x); cudaDeviceSynchronize(); return y; }\n' >"$dir/two.cu"
	printf 'int three(int x) { return x + THREE; }\n' >"$dir/three.c"
	cc -DTHREE=3 -c -o "$dir/three.o" "$dir/three.c" &&
		"$ptxi" cc --clang="$CLANG" -DSTART=5 -lineinfo -arch=sm_90 -Xcompiler -Wall,-O1 -lm -o "$dir/both" "$dir/one.cu" "$dir/two.cu" "$dir/three.o" >"$dir/said" 2>&1 &&
		"$ptxi" exec "$dir/both" >>"$dir/said" 2>&1
	status=$?
	says "two sources and an object" 0 '^12 13$'
	"$ptxi" run "$dir/one.cu" >"$dir/said" 2>&1
	status=$?
	says "run without //@ lines" 2 'has no //@ lines' 'ptxi cc .*one.cu && ptxi exec'
	"$ptxi" cc --clang=/no/such/clang "$dir/one.cu" >"$dir/said" 2>&1
	status=$?
	says "no such clang" 2 '/no/such/clang: there is no such program'
	CLANG='' PATH=/nowhere "$ptxi" cc "$dir/one.cu" >"$dir/said" 2>&1
	status=$?
	says "no clang" 2 'clang is not installed' 'apt-get install clang'
	echo "$tests" >"$dir/tests"
	[ ! -s "$dir/wrong" ] || cat "$dir/wrong"
}

# try PROGRAM: says what is wrong with it
try() {
	source=tests/cuda/$1.cu
	mkdir -p "$dir/$(dirname "$1")"
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
# What judges ptxi's own functions would find NVIDIA's less exact.
[ -z "$WITH_NVCC" ] || few=$(echo "$few" | grep -vx maths)
# What needs the toolkit's own headers and libraries.
[ -z "$WITH_NVCC" ] || [ -n "$1" ] || few="$few $(ls tests/cuda/nvcc/*.cu | sed 's,^tests/cuda/\(.*\)\.cu,\1,')"
half() {
	n=0
	for program in $few; do
		n=$((n + 1))
		[ $((n % 2)) = "$1" ] && try "$program"
	done
}
half 0 >"$dir/said.0" &
[ -n "$1$WITH_NVCC" ] || commands >"$dir/said.2"
half 1 >"$dir/said.1"
wait
[ -e "$dir/said.2" ] || : >"$dir/said.2"
cat "$dir"/said.[012]
[ -s "$dir/said.0" ] || [ -s "$dir/said.1" ] || [ -s "$dir/said.2" ] && exit 1
planted=0
for program in $few; do grep -q '^// planted' "tests/cuda/$program.cu" && planted=$((planted + 1)); done
echo "$name: $(echo $few | wc -w) programs are right, and the mistakes of $planted are found at their lines$([ ! -e "$dir/tests" ] || echo "; $(cat "$dir/tests") tests of the command")"
