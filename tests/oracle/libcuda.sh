#!/bin/sh
# The driver, libcuda.so.1: which names it has; programs of Python that use it as frameworks do (libcuda.py); a program of C in which eight threads launch at once.
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=build/release}" "${CC:=gcc}"
lib=$BUILD/libcuda.so.1
sanitize=
case $BUILD in
*asan*) sanitize=-fsanitize=address,undefined ;;
*tsan*) sanitize=-fsanitize=thread ;;
*fuzz*) echo "SKIP libcuda: libFuzzer's objects make no library" && exit 0 ;;
esac
${MAKE_PARTS:-make} -s --no-print-directory BUILD="$BUILD" "$lib" || exit 1
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
fail() {
	echo "libcuda: $*"
	bad=1
}

# ---- names: what cuda/functions.def lists, and nothing else but what the runtime needs ----
{
	$CC -E -P -D'CU(name, symbol, since, parameters)=@symbol' -x c cuda/functions.def
	$CC -E -P -D'CU(name, symbol, since, parameters)=' -D'CS(name, symbol, since, suffix, parameters, arguments)=@symbol##suffix' -x c cuda/functions.def
} | grep -o '@ *cu[A-Za-z0-9_]*' | tr -d '@ ' | sort -u >"$dir/listed"
nm -D --defined-only "$lib" | sed 's/.* //' | grep -v '^__ptxi_error$\|^__ptxi_per_thread$' | sort >"$dir/exported"
[ "$(wc -l <"$dir/listed")" -gt 100 ] || fail "the list of functions was not read"
cmp -s "$dir/listed" "$dir/exported" || { fail "exported and listed functions differ:" && diff "$dir/listed" "$dir/exported"; }

# ---- eight threads; sizes and offsets of what the interface documents ----
cat >"$dir/threads.c" <<'END'
#include "cuda/api.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(CUDA_MEMCPY2D) == 128 && offsetof(CUDA_MEMCPY2D, dst_type) == 72 && offsetof(CUDA_MEMCPY2D, height) == 120, "CUDA_MEMCPY2D");
_Static_assert(sizeof(CUDA_MEMCPY3D) == 200 && offsetof(CUDA_MEMCPY3D, dst_type) == 120 && offsetof(CUDA_MEMCPY3D, depth) == 192, "CUDA_MEMCPY3D");
_Static_assert(sizeof(CUDA_ARRAY_DESCRIPTOR) == 24 && sizeof(CUDA_ARRAY3D_DESCRIPTOR) == 40 && offsetof(CUDA_ARRAY3D_DESCRIPTOR, flags) == 32, "descriptors of arrays");
_Static_assert(sizeof(CUDA_RESOURCE_DESC) == 144 && offsetof(CUDA_RESOURCE_DESC, of) == 8 && offsetof(CUDA_RESOURCE_DESC, of.linear.bytes) == 24 && offsetof(CUDA_RESOURCE_DESC, of.pitch2D.pitch) == 40 &&
		       offsetof(CUDA_RESOURCE_DESC, flags) == 136, "CUDA_RESOURCE_DESC");
_Static_assert(sizeof(CUDA_TEXTURE_DESC) == 104 && offsetof(CUDA_TEXTURE_DESC, flags) == 16 && offsetof(CUDA_TEXTURE_DESC, border) == 40 && sizeof(CUDA_RESOURCE_VIEW_DESC) == 112, "CUDA_TEXTURE_DESC");
_Static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS) == 56 && offsetof(CUDA_KERNEL_NODE_PARAMS, args) == 40, "CUDA_KERNEL_NODE_PARAMS");
_Static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == 40 && sizeof(CUDA_HOST_NODE_PARAMS) == 16, "nodes");
_Static_assert(sizeof(CUlaunchConfig) == 56 && offsetof(CUlaunchConfig, stream) == 32 && offsetof(CUlaunchConfig, count) == 48, "CUlaunchConfig");
_Static_assert(sizeof(CUlaunchAttribute) == 72 && offsetof(CUlaunchAttribute, value) == 8, "CUlaunchAttribute");
_Static_assert(sizeof(CUresult) == 4 && sizeof(CUdeviceptr) == 8, "results and addresses");

enum { THREADS = 8, ROUNDS = 40, N = 64 };
/* a[i] += the cluster's width, if it is launched in one. */
static const char text[] =
	".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry more(.param .u64 a)\n{\n.reg .b64 %d<3>;\n.reg .b32 %r<4>;\n"
	"ld.param.u64 %d0, [a];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, %d1, %d0;\nmov.u32 %r2, %cluster_nctaid.x;\n"
	"atom.global.add.u32 %r1, [%d1], %r2;\nret;\n}\n";
static CUcontext context;
static CUfunction shared;

static void check(CUresult r, const char *what)
{
	const char *name = NULL;

	if (!r)
		return;
	cuGetErrorName(r, &name);
	printf("%s: %s\n", what, name ? name : "?");
	_Exit(1);
}
#define DO(x) check(x, #x)

static void *work(void *arg)
{
	unsigned out[N], k = (unsigned)(size_t)arg;
	CUdeviceptr a;
	CUmodule m;
	CUfunction f = shared;
	CUstream s;
	CUevent e;
	void *args[] = {&a};

	DO(cuCtxSetCurrent(context));
	if (k % 2) {
		DO(cuModuleLoadData(&m, text));
		DO(cuModuleGetFunction(&f, m, "more"));
	}
	DO(cuStreamCreate(&s, k % 3 ? CU_STREAM_NON_BLOCKING : 0));
	DO(cuMemAlloc_v2(&a, sizeof out));
	DO(cuMemsetD32Async(a, k, N, s));
	for (unsigned r = 0; r < ROUNDS; r++) {
		CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.cluster = {2, 1, 1}};
		CUlaunchConfig config = {{2, 1, 1}, {N, 1, 1}, 0, s, &attribute, 1};

		DO(cuEventCreate(&e, 0));
		DO(cuLaunchKernelEx(&config, f, args, NULL));
		DO(cuLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, s, args, NULL));
		DO(cuEventRecord(e, s));
		if (r % 5 == 4)
			DO(cuEventSynchronize(e));
		DO(cuEventDestroy_v2(e));
	}
	DO(cuMemcpyDtoHAsync_v2(out, a, sizeof out, s));
	DO(cuStreamDestroy_v2(s));
	if (k % 2)
		DO(cuModuleUnload(m));
	DO(cuMemFree_v2(a));
	for (unsigned i = 0; i < N; i++)
		if (out[i] != k + 5 * ROUNDS) {
			printf("thread %u: out[%u] is %u\n", k, i, out[i]);
			_Exit(1);
		}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	CUmodule m;

	DO(cuInit(0));
	DO(cuDevicePrimaryCtxRetain(&context, 0));
	DO(cuCtxSetCurrent(context));
	DO(cuModuleLoadData(&m, text));
	DO(cuModuleGetFunction(&shared, m, "more"));
	for (size_t k = 0; k < THREADS; k++)
		pthread_create(&t[k], NULL, work, (void *)k);
	for (size_t k = 0; k < THREADS; k++)
		pthread_join(t[k], NULL);
	DO(cuCtxSynchronize());
	printf("done\n");
	return 0;
}
END
$CC $sanitize -g -Wall -Wextra -Werror -std=c11 -D_GNU_SOURCE -I. -o "$dir/threads" "$dir/threads.c" "$lib" -Wl,-rpath,"$(cd "$BUILD" && pwd)" -lpthread || fail "the program of threads does not compile"
for options in "" "check=all jobs=2 report=$dir/report"; do
	PTXI_OPTIONS=$options timeout 300 "$dir/threads" >"$dir/said" 2>&1 || fail "'$options': the program of threads ends with $?"
	[ "$(cat "$dir/said")" = done ] || { fail "'$options': the program of threads prints:" && cat "$dir/said"; }
done
[ -f "$dir/report" ] && ! [ -s "$dir/report" ] || { fail "findings, or no file of report=:" && cat "$dir/report"; }

# ---- programs of Python ----
if [ -n "$sanitize" ]; then
	[ $bad = 0 ] && echo "libcuda: threads launch at once; SKIP Python: it has no sanitizer"
elif ! command -v python3 >/dev/null || ! python3 -c 'import ctypes' 2>/dev/null; then
	[ $bad = 0 ] && echo "libcuda: threads launch at once; SKIP Python: python3 with ctypes is not installed"
else
	python3 tests/oracle/libcuda.py "$lib" || bad=1
fi
exit $bad
