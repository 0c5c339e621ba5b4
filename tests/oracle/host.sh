#!/bin/sh
# Mistakes of the host program, with `ptxi exec`: each code, at its line of a C program; the function where there is no debug information; accesses of the host that are none of
# these mistakes; the same call a hundred thousand times in memory that does not grow.
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=build/release}" "${CC:=gcc}"
case $BUILD in
*asan* | *tsan* | *fuzz*) echo "host: SKIP: sanitizers have signal handlers of their own" && exit 0 ;;
esac
command -v addr2line >/dev/null || { echo "host: skipped: addr2line is not installed" && exit 0; }
${MAKE_PARTS:-make} -s --no-print-directory BUILD="$BUILD" "$BUILD/libcudart.so.13" "$BUILD/ptxi" || exit 1
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
ptxi=$(cd "$BUILD" && pwd)/ptxi
fail() {
	echo "host: $*"
	bad=1
}

cat >"$dir/bugs.c" <<'END_C'
#include "cudart/api.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a[tid] = tid */
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry _Z1kPi(.param .u64 a)\n{\n.reg .b32 %r;\n.reg .b64 %d<2>;\n"
			  "mov.u32 %r, %tid.x;\nmul.wide.u32 %d0, %r, 4;\nld.param.u64 %d1, [a];\nadd.u64 %d1, %d1, %d0;\nst.global.u32 [%d1], %r;\nret;\n}\n";
#include "tests/oracle/host_code.h"

static void __device_stub__k(int *a)
{
	static CUfunction kernel;
	struct dim3 grid, block;
	size_t shared;
	CUstream stream;
	void *args[] = {&a};

	__cudaGetKernel(&kernel, (const void *)(size_t)__device_stub__k);
	if (!__cudaPopCallConfiguration(&grid, &block, &shared, &stream))
		__cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

static void __attribute__((constructor)) begin(void)
{
	void **handle;

	handle = register_fatbin();
	__cudaRegisterFunction(handle, (const char *)(size_t)__device_stub__k, "_Z1kPi", "_Z1kPi", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(handle);
}

/* What the compiler makes of k<<<grid, block, shared>>>(a). */
#define K(grid, block, shared, a) \
	if (!__cudaPushCallConfiguration((struct dim3){grid, 1, 1}, (struct dim3){block, 1, 1}, shared, NULL)) \
	__device_stub__k(a)

static int rss(void)
{
	long total, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &total, &resident) != 2)
		exit(9);
	fclose(f);
	return (int)resident * 4; /* KB */
}

static int *a, *managed, *pinned;
static CUstream stream;

static void reads_early(void)
{
	K(1, 32, 0, managed);
	printf("%d\n", managed[7]); /* H0102 */
}

static int repeats(int n)
{
	int before = 0, *b;

	for (int k = 0; k < n; k++) {
		if (k == n / 2)
			before = rss();
		K(1, 32, 0, managed);
		if (k % 50 == 49)
			cudaDeviceSynchronize();
		if (cudaMalloc((void **)&b, 1000) || cudaMemcpy(b, a, 100, BY_ADDRESS) || cudaFree(b))
			return 1;
	}
	return rss() - before > 1000;
}

/* An array of 4 rows of 32 bytes, and a texture of it. */
static CUarray array;
static CUtexObject texture;

static int texels(void)
{
	const struct cudaChannelFormatDesc format = {32, 0, 0, 0, 2};
	struct cudaResourceDesc r = {.type = CU_RESOURCE_TYPE_ARRAY};
	struct cudaTextureDesc t = {.no_trilinear = 0};

	if (cudaMallocArray(&array, &format, 8, 4, 0)) /* ARRAY */
		return 1;
	r.of.array = array;
	return cudaCreateTextureObject(&texture, &r, &t, NULL) != 0;
}

static int repeats_arrays(int n)
{
	int before = 0, row[8] = {0};

	for (int k = 0; k < n; k++) {
		if (k == n / 2)
			before = rss();
		if (texels() || cudaMemcpy2DToArray(array, 0, 1, row, 32, 32, 1, HOST_TO_DEVICE) || cudaDestroyTextureObject(texture) || cudaFreeArray(array))
			return 1;
	}
	return rss() - before > 1000;
}

int main(int argc, char **argv)
{
	int own[64] = {0}, what = argc > 1 ? atoi(argv[1]) : 0;

	cudaMalloc((void **)&a, 128); /* ALLOC */
	cudaMallocManaged((void **)&managed, 128, 1);
	cudaMallocHost((void **)&pinned, 128);
	cudaStreamCreate(&stream);
	switch (what) {
	case 1: return a[3]; /* H0101 read */
	case 2: memset(a + 1, 0, 8); return 0; /* H0101 written */
	case 3:
		cudaFree(a); /* FREE */
		return a[3]; /* H0101 freed */
	case 4: reads_early(); break;
	case 5:
		K(1, 32, 0, managed);
		managed[0] = 7; /* H0102 written */
		break;
	case 6:
		cudaMemset(a, 1, 128);
		cudaMemcpyAsync(pinned, a, 128, DEVICE_TO_HOST, stream);
		own[0] = pinned[5]; /* H0102 copied */
		break;
	case 7: cudaMemcpy(a, own, 132, HOST_TO_DEVICE); break; /* H0103 copy */
	case 8: cudaMemset(a + 1, 0, 128); break; /* H0103 fill */
	case 9: cudaMemcpy(a, own, 128, DEVICE_TO_HOST); break; /* H0104 to */
	case 10: cudaMemcpy(own, own + 9, 4, DEVICE_TO_HOST); break; /* H0104 from */
	case 11:
		cudaFree(a); /* FREE again */
		cudaFree(a); /* H0105 */
		break;
	case 12: cudaFree(a + 1); break; /* H0106 inside */
	case 13: cudaFree(own); break; /* H0106 host */
	case 14: cudaFree(pinned); break; /* H0106 pinned */
	case 15: K(1, 32, 65536, a); break; /* H0107 */
	case 16: K(0, 32, 0, a); break; /* H0108 */
	case 17:
		K(1, 2000, 0, a); /* F0101 */
		cudaDeviceSynchronize();
		return 0;
	case 18: K(1, 32, 0, a); return 0; /* H0151 */
	case 19:
		for (int k = 0; k < 3; k++)
			cudaFree(own); /* H0106 thrice */
		break;
	case 20: /* nothing is wrong */
		K(1, 32, 0, managed);
		K(1, 32, 0, a);
		pinned[3] = own[0];
		cudaMemcpyAsync(a, pinned, 128, HOST_TO_DEVICE, NULL);
		cudaMemcpyAsync(pinned, a, 128, DEVICE_TO_HOST, NULL);
		cudaDeviceSynchronize();
		managed[0] = managed[1] + pinned[3];
		K(1, 16, 0, managed);
		own[1] = managed[31] /* which the kernel does not write */;
		cudaDeviceSynchronize();
		K(0, 16, 0, managed);
		if (cudaGetLastError() != cudaErrorInvalidConfiguration)
			return 8;
		cudaFree(a);
		cudaFree(managed);
		cudaFreeHost(pinned);
		return managed == a;
	case 21: return repeats(100000);
	case 23: return ((int (*)(void))dlsym(RTLD_DEFAULT, "cudaMallocMipmappedArray"))() - cudaErrorNotSupported;
	case 24:
		texels();
		cudaMemcpy2DToArray(array, 0, 1, own, 32, 32, 4, HOST_TO_DEVICE); /* H0103 rows */
		break;
	case 25:
		texels();
		cudaFreeArray(array); /* FREE array */
		cudaMemcpy2DFromArray(own, 32, array, 0, 0, 32, 4, DEVICE_TO_HOST); /* H0103 freed */
		cudaFreeArray(array); /* H0105 array */
		break;
	case 26:
		texels();
		cudaFree(array); /* H0106 array */
		cudaFreeArray((CUarray)a); /* H0106 no array */
		cudaFreeArray((CUarray)(((uintptr_t)1 << 55) + 12345));
		break;
	case 27:
		texels();
		cudaDestroyTextureObject(texture);
		cudaDestroyTextureObject(texture); /* H0105 texture */
		cudaDestroyTextureObject(12345); /* H0106 texture */
		break;
	case 28:
		texels();
		cudaMemcpy(array, own, 128, BY_ADDRESS); /* H0104 array */
		cudaMemcpy(own, array, 128, DEVICE_TO_HOST); /* H0104 from array */
		break;
	case 29: return repeats_arrays(80000);
	case 31:
		texels();
		cudaMemcpyToArray(array, 32, 0, own, 4, HOST_TO_DEVICE); /* H0103 begins */
		cudaMemcpyFromArray(own, array, 8, 2, 60, DEVICE_TO_HOST); /* H0103 ends */
		return cudaMemcpyArrayToArray(array, 0, 0, array, SIZE_MAX, SIZE_MAX, SIZE_MAX, DEVICE_TO_DEVICE) != cudaErrorInvalidValue; /* H0103 all */
	case 30: /* nothing is wrong */
		texels();
		cudaMemcpyToArray(array, 4, 0, own, 100, HOST_TO_DEVICE);
		cudaMemcpy2DToArray(array, 0, 0, own, 32, 32, 4, BY_ADDRESS);
		cudaMemcpyFromArray(own, array, 0, 0, 128, DEVICE_TO_HOST);
		cudaDestroyTextureObject(texture);
		cudaDestroyTextureObject(0);
		return cudaFreeArray(array) || cudaFreeArray(NULL);
	case 22: *(volatile int *)8 = 1; return 0; /* no memory at all */
	default: break;
	}
	cudaDeviceSynchronize();
	cudaGetLastError();
	return 0;
}
END_C
$CC -g -Wall -Wextra -Werror -std=c11 -D_GNU_SOURCE -I. -o "$dir/bugs" "$dir/bugs.c" -L"$BUILD" -l:libcudart.so.13 -Wl,-rpath-link,"$BUILD" || fail "the program does not compile"
strip -o "$dir/stripped" "$dir/bugs"
$CC -rdynamic -std=c11 -D_GNU_SOURCE -I. -o "$dir/plain" "$dir/bugs.c" -L"$BUILD" -l:libcudart.so.13 -Wl,-rpath-link,"$BUILD"
cp "$dir/bugs.c" "$dir/moved.c"

# the words L(text) of a pattern are the number of the line with that comment
awk 'match($0, /\/\* .* \*\//) { print "s/L(" substr($0, RSTART + 3, RLENGTH - 6) ")/" NR "/g" }' "$dir/bugs.c" >"$dir/lines"
# says CASE STATUS LINE-PATTERN...: the program ends so, and prints a line for each pattern
says() {
	tests=$((tests + 1))
	case=$1
	(cd "$dir" && "$ptxi" exec ${options:-} "./${program:-bugs}" "$case" >said 2>&1)
	status=$?
	[ "$status" = "$2" ] || fail "case $case: status $status and not $2"
	shift 2
	[ $# = 0 ] || printf '%s\n' "$@" | sed -f "$dir/lines" >"$dir/parts"
	[ $# != 0 ] || : >"$dir/parts"
	while IFS= read -r part; do
		grep -q -e "$part" "$dir/said" || { fail "case $case: does not say '$part':" && cat "$dir/said"; }
	done <"$dir/parts"
	[ $# -gt 0 ] || ! grep . "$dir/said" || fail "case $case: says something"
}

alloc='buffer `cudaMalloc` at bugs.c:L(ALLOC)'
says 1 4 "^bugs.c:L(H0101 read):[0-9]*: error: the host reads memory of the device: byte 12 of $alloc \[H0101\]\$" '^ptxi: 1 finding: 1 H0101$'
says 2 4 "^bugs.c:L(H0101 written):.* the host writes memory of the device: byte 4 of $alloc .H0101"
says 3 4 "^bugs.c:L(H0101 freed):.* the host reads freed memory: byte 12 of $alloc, which was freed by cudaFree at bugs.c:L(FREE) .H0101"
says 4 4 "^bugs.c:L(H0102):.* reads byte 28 of .*cudaMallocManaged.*, before it has waited for kernel 'k(int\*)' by reads_early at bugs.c:[0-9]* .H0102"
says 5 4 "^bugs.c:L(H0102 written):.* the host writes byte 0 of .*cudaMallocManaged.* .H0102"
says 6 4 "^bugs.c:L(H0102 copied):.* reads byte 20 of .*cudaMallocHost.*, before it has waited for the copy by main at bugs.c:[0-9]* .H0102"
says 7 4 "^bugs.c:L(H0103 copy):.* cudaMemcpy: 132 bytes, where 128 are left: $alloc .H0103"
says 8 4 "^bugs.c:L(H0103 fill):.* cudaMemset: 128 bytes, where 124 are left: buffer .cudaMalloc+4. .*H0103"
says 9 4 "^bugs.c:L(H0104 to):.* the destination, which should be memory of the host, is $alloc .H0104"
says 10 4 "^bugs.c:L(H0104 from):.* the source, which should be memory of the device, is memory of the host .H0104"
says 11 4 "^bugs.c:L(H0105):.* this has been freed already: $alloc, which was freed by cudaFree at bugs.c:L(FREE again) .H0105"
says 12 4 "^bugs.c:L(H0106 inside):.* no allocation begins here: buffer .cudaMalloc+4. at bugs.c:L(ALLOC) .H0106"
says 13 4 "^bugs.c:L(H0106 host):.* this is memory of the host, and no allocation .H0106"
says 14 4 "^bugs.c:L(H0106 pinned):.* this is memory of another kind: buffer .cudaMallocHost. at .*H0106"
says 15 4 "^bugs.c:L(H0107):.* 'k(int\*)' has 65536 bytes of dynamic shared memory, and may have 49152 .H0107"
says 16 4 "^bugs.c:L(H0108):.* has no threads: a grid of 0 x 1 x 1, blocks of 32 x 1 x 1 .H0108"
says 17 4 "F0101" "note: launched by main at bugs.c:L(F0101)" "^bugs.c:L(F0101):.* warning: .*cudaErrorInvalidConfiguration.* .H0152"
says 18 0 "^bugs.c:L(H0151):.* warning: the launch of kernel 'k(int\*)' was never waited for, and did not run .H0151"
says 19 4 "^ptxi: 3 findings: 3 H0106"
[ "$(grep -c 'error:' "$dir/said")" = 1 ] || fail "the same mistake is printed more than once"
options=--leaks
says 20 4 "bugs.c:.*no threads: a grid of 0 x 1 x 1.*H0108"
! grep H0153 "$dir/said" || fail "leaks where everything is freed"
says 0 4 "^bugs.c:L(ALLOC):.* $alloc of 128 bytes was never freed .H0153" '^ptxi: 3 findings: 3 H0153$'
options=
says 0 0
says 21 0
says 22 139
says 23 0 '^ptxi: cudaMallocMipmappedArray is not served .*cudaErrorNotSupported$'
array='array `cudaMallocArray` at bugs.c:L(ARRAY)'
says 24 4 "^bugs.c:L(H0103 rows):.* cudaMemcpy2DToArray: 4 rows of 32 bytes from byte 0 of row 1 are not in $array, which has 4 rows of 32 bytes .H0103"
says 25 4 "^bugs.c:L(H0103 freed):.* are not in $array, which was freed by cudaFreeArray at bugs.c:L(FREE array) .H0103" \
	"^bugs.c:L(H0105 array):.* this has been freed already: $array, which was freed by cudaFreeArray at bugs.c:L(FREE array) .H0105"
says 26 4 "^bugs.c:L(H0106 array):.* cudaFree: this is an array, which cudaFreeArray frees: $array .H0106" "^bugs.c:L(H0106 no array):.* this is no array: $alloc .H0106" 'this is no array: no array'
says 27 4 "^bugs.c:L(H0105 texture):.* cudaDestroyTextureObject: this has been destroyed already .H0105" "^bugs.c:L(H0106 texture):.* this is no texture .H0106"
says 28 4 "^bugs.c:L(H0104 array):.* the destination, which should be memory of the host, is $array .H0104" "^bugs.c:L(H0104 from array):.* the source, which should be memory of the device, is $array .H0104"
says 31 4 "^bugs.c:L(H0103 begins):.* 4 bytes from byte 32 of row 0 are not in $array" "^bugs.c:L(H0103 ends):.* 4 bytes from byte 0 of row 4 are not in $array" "^bugs.c:L(H0103 all):.*H0103"
says 29 0
says 30 0
# without the lines: the function, of the symbols or of the dynamic linker; without symbols: the number of the allocation
program=plain
says 11 4 '^error: cudaFree: this has been freed already: buffer `cudaMalloc` in main, which was freed by cudaFree in main, in main .H0105'
program=stripped
says 11 4 '^error: cudaFree: this has been freed already: buffer `allocation 1`, which was freed by cudaFree .H0105'
mkdir "$dir/none"
(cd "$dir" && PATH=$dir/none "$ptxi" exec ./plain 11 >said 2>&1)
grep -q 'cudaMalloc. in main+0x[0-9a-f]*, which was freed by cudaFree in main+0x' "$dir/said" || { fail "without addr2line:" && cat "$dir/said"; }
tests=$((tests + 1))
# a static runtime and a closed library, which ask for what is not documented
cat >"$dir/asks.c" <<'END_C'
int cuGetExportTable(const void **table, const void *id);
int asks(void);
int asks(void)
{
	const void *table;

	return cuGetExportTable(&table, "0123456789abcde") != 500;
}
END_C
echo 'int asks(void); int main(void) { return asks(); }' >"$dir/main.c"
driver="-L$BUILD -l:libcuda.so.1 -Wl,-rpath-link,$BUILD"
# shellcheck disable=SC2086
{
	$CC -o "$dir/static" "$dir/asks.c" "$dir/main.c" $driver
	$CC -shared -fPIC -o "$dir/libclosed.so.7" "$dir/asks.c" $driver
	$CC -o "$dir/user" "$dir/main.c" "$dir/libclosed.so.7" -Wl,-rpath,"$dir" $driver
} || fail "the programs that ask do not compile"
program=static
says 0 0 "^ptxi: .*static asks the driver for tables.* relink the program with 'nvcc -cudart shared'"
program=user
says 0 0 '^ptxi: libclosed.so.7 has machine code and a CUDA runtime of its own: it needs a GPU'
[ $bad = 0 ] && echo "host: $tests runs of programs with mistakes of the host, and without"
exit $bad
