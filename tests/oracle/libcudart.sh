#!/bin/sh
# The runtimes, libcudart.so.11.0, .12 and .13: which names they have, under which version; a program of C that does what the compiler's host code does, with `ptxi exec`, for each
# of them, with what differs between them; where nvcc 13 is installed, a CUDA program too.
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=build/release}" "${CC:=gcc}"
sanitize=
case $BUILD in
*asan*) sanitize=-fsanitize=address,undefined ;;
*tsan*) echo "SKIP libcudart: the thread sanitizer forbids managed memory, which is at the same address for the host and the device" && exit 0 ;;
*fuzz*) echo "SKIP libcudart: libFuzzer's objects make no library" && exit 0 ;;
esac
${MAKE_PARTS:-make} -s --no-print-directory BUILD="$BUILD" "$BUILD/libcudart.so.11.0" "$BUILD/libcudart.so.12" "$BUILD/libcudart.so.13" "$BUILD/ptxi" || exit 1
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
fail() {
	echo "libcudart: $*"
	bad=1
}
# says NAME STATUS WANTED...: of what the last program printed, each WANTED is a part; it ended with STATUS
says() {
	tests=$((tests + 1))
	name=$1
	[ "$status" = "$2" ] || fail "$name: status $status and not $2"
	shift 2
	! grep '^WRONG' "$dir/said" || fail "$name: a call returns something else"
	for part; do
		grep -q -e "$part" "$dir/said" || { fail "$name: does not say '$part':" && cat "$dir/said"; }
	done
}

# ---- names: what cudart/functions.def lists, the rest of cudart/api.h, what cudart/major/ has for the version, and nothing else ----
for major in 11 12 13; do
	node=libcudart.so.$major
	headers="cudart/api.h cudart/major/$major.h"
	[ $major = 13 ] || headers="$headers cudart/major/older.h"
	[ $major != 11 ] || node=$node.0
	{
		{
			$CC -E -P -D'RT(name, parameters)=@name' -x c cudart/functions.def
			$CC -E -P -D'RT(name, parameters)=' -D'RS(name, suffix, parameters, arguments)=@name##suffix' -x c cudart/functions.def
			$CC -E -P -D'MISSING(name)=@name' -x c cudart/missing.def
		} | grep -o '@ *[_a-zA-Z0-9]*' | tr -d '@ '
		# shellcheck disable=SC2086
		cat $headers | sed -n 's/^SHOWN.*[ *]\([_a-zA-Z0-9]*\)($/\1/p; s/^SHOWN.*[ *]\([_a-zA-Z0-9]*\)(.*[,;]$/\1/p'
	} | sed "s/\$/@@$node/" | LC_ALL=C sort -u >"$dir/listed"
	nm -D --defined-only "$BUILD/$node" | sed 's/.* //' | grep -v '^libcudart' | LC_ALL=C sort >"$dir/exported"
	[ "$(wc -l <"$dir/listed")" -gt 100 ] || fail "the list of functions was not read"
	cmp -s "$dir/listed" "$dir/exported" || { fail "$node: exported and listed functions differ:" && diff "$dir/listed" "$dir/exported"; }
	readelf -d "$BUILD/$node" | grep -q "SONAME.*$node" || fail "$node has another name"
	tests=$((tests + 1))
done

# ---- what host code does ----
cat >"$dir/host.c" <<'END'
#include HEADER
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(type, member, offset) _Static_assert(offsetof(struct type, member) == offset, #member)
_Static_assert(sizeof(struct cudaFuncAttributes) == 144 && offsetof(struct cudaFuncAttributes, cluster_required) == 52, "sizes");
_Static_assert(sizeof(struct cudaPointerAttributes) == 88 && sizeof(struct cudaLaunchConfig) == 56, "sizes");
_Static_assert(sizeof(struct cudaMemcpy3DParms) == 160 && sizeof(struct cudaKernelNodeParams) == 56, "sizes");
_Static_assert(sizeof(struct cudaChannelFormatDesc) == 20 && sizeof(struct cudaResourceDesc) == 144 && sizeof(struct cudaTextureDesc) == 72, "sizes");
AT(cudaResourceDesc, of, 8);
AT(cudaResourceDesc, of.linear.bytes, 40);
AT(cudaResourceDesc, of.pitch2D.width, 40);
AT(cudaResourceDesc, of.pitch2D.pitch, 56);
AT(cudaResourceDesc, flags, 136);
AT(cudaTextureDesc, srgb, 20);
AT(cudaTextureDesc, normalized, 40);
AT(cudaTextureDesc, mipmap_max, 60);
AT(cudaTextureDesc, seamless_cubemap, 68);
#if MAJOR == 11
#define cudaDeviceProp cudaDeviceProp11
_Static_assert(sizeof(struct cudaDeviceProp) == 728, "sizes");
#elif MAJOR == 12
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
_Static_assert(sizeof(struct cudaDeviceProp) == 1032 && sizeof(struct cudaDeviceProp11) == 728, "sizes");
AT(cudaDeviceProp, clusters, 772);
#else
_Static_assert(sizeof(struct cudaDeviceProp) == 1008, "sizes");
AT(cudaDeviceProp, clusters, 748);
#endif
AT(cudaDeviceProp, memory, 288);
AT(cudaDeviceProp, warp, 308);
#if MAJOR < 13
AT(cudaDeviceProp, constant, 352);
AT(cudaDeviceProp, major, 360);
AT(cudaDeviceProp, multiprocessors, 388);
AT(cudaDeviceProp, surface_alignment, 568);
AT(cudaDeviceProp, memory_clock, 608);
AT(cudaDeviceProp, threads_per_multiprocessor, 624);
AT(cudaDeviceProp, shared_per_multiprocessor, 640);
AT(cudaDeviceProp, cooperative, 688);
AT(cudaDeviceProp, shared_optin, 696);
AT(cudaDeviceProp, shared_reserved, 720);
#else
AT(cudaDeviceProp, major, 360);
AT(cudaDeviceProp, multiprocessors, 384);
AT(cudaDeviceProp, surface_alignment, 552);
AT(cudaDeviceProp, threads_per_multiprocessor, 604);
AT(cudaDeviceProp, shared_per_multiprocessor, 624);
AT(cudaDeviceProp, cooperative, 668);
AT(cudaDeviceProp, shared_optin, 672);
#endif
AT(cudaFuncAttributes, ptx_version, 32);
AT(cudaFuncAttributes, cluster_any, 72);

/* c[i] = a[i] + b[i] + offset[1] for i < n; total += 1 */
static const char ptx[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.const .u32 offset[2];\n.global .u32 total;\n.global .attribute(.managed) .u32 both = 5;\n"
	".visible .entry _Z3addPKiS0_Pii(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n{\n.reg .pred %p;\n.reg .b32 %r<6>;\n.reg .b64 %d<4>;\n"
	"mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %ntid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.u32 %r0, %r0, %r1, %r2;\nld.param.u32 %r1, [n];\nsetp.ge.u32 %p, %r0, %r1;\n@%p ret;\n"
	"mul.wide.u32 %d0, %r0, 4;\nld.param.u64 %d1, [a];\nadd.u64 %d1, %d1, %d0;\nld.global.u32 %r3, [%d1];\nld.param.u64 %d1, [b];\nadd.u64 %d1, %d1, %d0;\nld.global.u32 %r4, [%d1];\n"
	"add.u32 %r5, %r3, %r4;\nld.const.u32 %r3, [offset+4];\nadd.u32 %r5, %r5, %r3;\nld.param.u64 %d1, [c];\nadd.u64 %d1, %d1, %d0;\nst.global.u32 [%d1], %r5;\n"
	"atom.global.add.u32 %r3, [total], 1;\nret;\n}\n";
#include "tests/oracle/host_code.h"
static unsigned offset[2], total; /* stand-ins, never read */
static unsigned none;
static volatile unsigned *both; /* a managed variable */
static void **module;

/* The host's stand-in of the kernel: what the compiler makes of add<<<...>>>(a, b, c, n). */
static void __attribute__((noinline)) add(const void *a, const void *b, void *c, int n)
{
	static CUfunction kernel;
	struct dim3 grid, block;
	size_t shared;
	CUstream stream;
	void *args[] = {&a, &b, &c, &n};

	__cudaGetKernel(&kernel, (const void *)(size_t)add);
	if (!__cudaPopCallConfiguration(&grid, &block, &shared, &stream)) {
		if (MAJOR < 13) /* their compilers' host code calls this */
			cudaLaunchKernel((const void *)(size_t)add, grid, block, args, shared, stream);
		else
			__cudaLaunchKernel(kernel, grid, block, args, shared, stream);
	}
}

static void __attribute__((constructor)) begin(void)
{
	void **handle;

	handle = register_fatbin();
	__cudaRegisterFunction(handle, (const char *)(size_t)add, "_Z3addPKiS0_Pii", "_Z3addPKiS0_Pii", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterVar(handle, (char *)offset, "offset", "offset", 0, sizeof offset, 1, 0);
	__cudaRegisterVar(handle, (char *)&total, "total", "total", 0, sizeof total, 0, 0);
	__cudaRegisterManagedVar(handle, (void **)&both, "both", "both", 0, 4, 0, 0);
	__cudaRegisterFatBinaryEnd(handle);
	module = handle;
}

static void is(int error, const char *wanted, const char *what)
{
	if (strcmp(cudaGetErrorName(error), wanted) != 0) {
		printf("WRONG %s: %s\n", what, cudaGetErrorName(error));
		exit(9);
	}
}
#define DO(x) is(x, "cudaSuccess", #x)
#define FAILS(x, error) is(x, #error, #x)

static void launch(unsigned grid, unsigned block, const void *a, const void *b, void *c, int n)
{
	if (!__cudaPushCallConfiguration((struct dim3){grid, 1, 1}, (struct dim3){block, 1, 1}, 0, NULL))
		add(a, b, c, n);
}

/* Boxes, pools, nodes of graphs, devices. */
static int rest(void)
{
	enum { X = 8, Y = 3, Z = 2 };
	int in[Z][Y][X], out[Z][Y][X] = {{{0}}}, device, can, sum = 0;
	unsigned long long used = 1, id;
	struct cudaPitchedPtr box;
	struct cudaMemcpy3DParms p = {.from = {in, sizeof in[0][0], X, Y}, .extent = {sizeof in[0][0], Y, Z}, .kind = HOST_TO_DEVICE};
	CUmemoryPool pool;
	CUstream stream;
	CUgraph graph;
	CUgraphExec exec;
	CUgraphNode nodes[3];
	void *line, *function;

	for (int k = 0; k < X * Y * Z; k++)
		in[0][0][k] = k;
	DO(cudaMalloc3D(&box, p.extent));
	p.to = box;
	DO(cudaMemcpy3D(&p));
	p.from = box;
	p.to = (struct cudaPitchedPtr){out, sizeof in[0][0], X, Y};
	p.from_at.y = 1; /* rows 1 and 2 of both planes become rows 0 and 1 */
	p.extent.height = 2;
	p.kind = DEVICE_TO_HOST;
	DO(cudaMemcpy3DAsync(&p, NULL));
	DO(cudaDeviceSynchronize());
	if (memcmp(out[0], in[0][1], sizeof in[0][0] * 2) || memcmp(out[1], in[1][1], sizeof in[0][0] * 2) || out[0][2][0])
		return 20;
	DO(cudaMemset3D(box, 1, (struct cudaExtent){4, 1, 2}));
	DO(cudaMemcpy(out, (char *)box.address + box.pitch * Y, 8, BY_ADDRESS));
	if (out[0][0][0] != 0x01010101 || out[0][0][1] != in[1][0][1])
		return 21;
	DO(cudaStreamCreate(&stream));
	DO(cudaStreamGetId(stream, &id));
	DO(cudaStreamGetDevice(stream, &device));
	DO(cudaDeviceGetDefaultMemPool(&pool, 0));
	DO(cudaMallocFromPoolAsync(&line, 256, pool, stream));
	DO(cudaMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	if (used != 256 || device)
		return 22;
	DO(cudaGraphCreate(&graph, 0));
	DO(cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &(CUDA_MEMSET_NODE_PARAMS){(CUdeviceptr)line, 0, 7, 4, 64, 1}));
	DO(cudaGraphAddKernelNode(&nodes[1], graph, nodes, 1,
		&(struct cudaKernelNodeParams){(const void *)(size_t)add, {1, 1, 1}, {64, 1, 1}, 0, (void *[]){&line, &line, &line, (int[]){64}}, NULL}));
	DO(cudaGraphAddMemcpyNode1D(&nodes[2], graph, nodes + 1, 1, out, line, 32, DEVICE_TO_HOST));
#if MAJOR == 11
	DO(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
#else
	DO(cudaGraphInstantiate(&exec, graph, 0));
#endif
	DO(cudaGraphLaunch(exec, stream));
	DO(cudaStreamSynchronize(stream));
	for (int k = 0; k < X; k++)
		sum += out[0][0][k];
	if (sum != 8 * 21) /* 7 + 7 + offset[1] */
		return 23;
	DO(cudaFreeAsync(line, stream));
	FAILS(cudaDeviceCanAccessPeer(&can, 0, 1), cudaErrorInvalidDevice);
	FAILS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
	DO(cudaGetDriverEntryPoint("cuMemAlloc", &function, 0, NULL));
	return (CUresult(*)(CUdeviceptr *, size_t))function == cuMemAlloc_v2 ? 0 : 24;
}

/* Whether the first N of the bytes were written, which were 0x55, and no more. */
static int wrote(const void *p, size_t n, size_t room)
{
	const unsigned char *b = p;

	for (size_t k = n - 4; k < n; k++)
		if (b[k] != 0)
			return 0;
	return n == room || b[n] == 0x55;
}

/* Arrays and textures: copies, and how much each version writes of what they were made of. */
static int textures(void)
{
	const struct cudaChannelFormatDesc format = cudaCreateChannelDesc(16, 16, 0, 0, 1);
	struct cudaChannelFormatDesc f;
	struct cudaExtent extent;
	struct cudaResourceDesc r = {.type = CU_RESOURCE_TYPE_ARRAY}, was[2];
	struct cudaTextureDesc t = {.read_mode = 1, .filter_mode = 1, .normalized = 1, .address_mode = {1, 2, 3}}, had[2];
	short in[3][8], line[20];
	CUtexObject texture;
	CUsurfObject surface;
	CUarray a, b;
	unsigned flags;

	for (int k = 0; k < 24; k++)
		(&in[0][0])[k] = (short)(7 * k);
	DO(cudaMallocArray(&a, &format, 4, 3, 0));
	DO(cudaMallocArray(&b, &format, 5, 3, CUDA_ARRAY3D_SURFACE_LDST));
	DO(cudaArrayGetInfo(&f, &extent, &flags, b));
	if (memcmp(&f, &format, sizeof f) || extent.width != 5 || extent.height != 3 || extent.depth || flags != 2)
		return 30;
	DO(cudaMemcpyToArray(a, 0, 0, in, sizeof in, HOST_TO_DEVICE));
	DO(cudaMemcpyFromArray(line, a, 4, 1, 24, DEVICE_TO_HOST));
	if (memcmp(line, &in[1][2], 24))
		return 31;
	/* eleven texels, from the second on, into rows of five, from the third on */
	DO(cudaMemcpyArrayToArray(b, 8, 0, a, 4, 0, 40, DEVICE_TO_DEVICE));
	DO(cudaMemcpyFromArrayAsync(line, b, 8, 0, 40, DEVICE_TO_HOST, NULL));
	DO(cudaDeviceSynchronize());
	if (memcmp(line, &in[0][2], 40))
		return 32;
	r.of.array = b;
	DO(cudaCreateTextureObject(&texture, &r, &t, NULL));
	DO(cudaCreateSurfaceObject(&surface, &r));
	memset(was, 0x55, sizeof was);
	memset(had, 0x55, sizeof had);
	DO(cudaGetTextureObjectResourceDesc(was, texture));
	if (was->type || was->of.array != b || !wrote(was, MAJOR < 13 ? 64 : 144, sizeof was))
		return 33;
	memset(was, 0x55, sizeof was);
	DO(cudaGetSurfaceObjectResourceDesc(was, surface));
	if (was->of.array != b || !wrote(was, MAJOR < 13 ? 64 : 144, sizeof was))
		return 34;
	DO(cudaGetTextureObjectTextureDesc(had, texture));
	if (memcmp(had, &t, 68) || !wrote(had, MAJOR == 11 ? 68 : 72, sizeof had))
		return 35;
#if MAJOR == 11
	DO(cudaDestroyTextureObject(texture));
	DO(cudaCreateTextureObject_v2(&texture, &r, &t, NULL));
	DO(cudaGetTextureObjectTextureDesc_v2(had, texture));
	if (!wrote(had, 72, sizeof had))
		return 36;
#endif
	DO(cudaDestroyTextureObject(texture));
	DO(cudaDestroySurfaceObject(surface));
	FAILS(cudaGetTextureObjectTextureDesc(had, texture), cudaErrorInvalidValue);
	DO(cudaFreeArray(a));
	DO(cudaFreeArray(b));
	cudaGetLastError();
	return 0;
}

int main(int argc, char **argv)
{
	enum { N = 1000 };
	static int a[N], out[N];
	const unsigned set[2] = {1, 7};
	int *da, *db, *dc, device = -1, blocks;
	void *address;
	size_t size;
	struct cudaDeviceProp p;
	struct {
		struct cudaFuncAttributes f;
		struct cudaPointerAttributes where;
		int version;
	} w;
	const size_t pointer_bytes = MAJOR < 13 ? offsetof(struct cudaPointerAttributes, reserved) : sizeof w.where,
		     function_bytes = MAJOR < 12 ? offsetof(struct cudaFuncAttributes, cluster_required) : sizeof w.f;

	memset(&w, 0x55, sizeof w);
	DO(cudaRuntimeGetVersion(&w.version));
	printf("version %d\n", w.version / 1000);

	(void)argc;
	DO(cudaGetDevice(&device));
	DO(cudaGetDeviceProperties(&p, 0));
	FAILS(cudaSetDevice(1), cudaErrorInvalidDevice);
	FAILS(cudaPeekAtLastError(), cudaErrorInvalidDevice);
	FAILS(cudaGetLastError(), cudaErrorInvalidDevice);
	DO(cudaGetLastError());
	printf("%d %s %d.%d %d %zu %s\n", device, p.name, p.major, p.minor, p.multiprocessors, p.shared_optin, cudaGetErrorString(2));
	for (int k = 0; k < N; k++)
		a[k] = k;
	DO(cudaMalloc((void **)&da, sizeof a));
	DO(cudaMallocManaged((void **)&db, sizeof a, 1));
	DO(cudaMalloc((void **)&dc, sizeof a));
	memcpy(db, a, sizeof a);
	DO(cudaMemcpy(da, a, sizeof a, HOST_TO_DEVICE));
	FAILS(cudaMemcpy(da, a, sizeof a, 7), cudaErrorInvalidMemcpyDirection);
	DO(cudaMemcpyToSymbol(offset, set, sizeof set, 0, HOST_TO_DEVICE));
	FAILS(cudaMemcpyToSymbol(offset, set, sizeof set, 4, HOST_TO_DEVICE), cudaErrorInvalidValue);
	FAILS(cudaGetSymbolAddress(&address, &none), cudaErrorInvalidSymbol);
	DO(cudaGetSymbolSize(&size, offset));
	DO(cudaFuncGetAttributes(&w.f, (const void *)(size_t)add));
	FAILS(cudaFuncGetAttributes(&w.f, &none), cudaErrorInvalidDeviceFunction);
	DO(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)(size_t)add, 256, 0));
	DO(cudaPointerGetAttributes(&w.where, db));
	printf("%zu %d %d %d %d\n", size, w.f.threads, w.f.ptx_version, blocks, w.where.type);
	/* what is beyond the version's layout is not written */
	if ((unsigned char)((char *)&w.f)[function_bytes - 1] == 0x55 || (function_bytes < sizeof w.f && ((char *)&w.f)[function_bytes] != 0x55) ||
		(pointer_bytes < sizeof w.where && ((char *)&w.where)[pointer_bytes] != 0x55))
		return 6;
	if (w.where.host_pointer != db || w.where.device)
		return 6;
	cudaGetLastError();
	launch(8, 128, da, db, dc, N);
	DO(cudaGetLastError());
	DO(cudaMemcpy(out, dc, sizeof out, BY_ADDRESS));
	for (int k = 0; k < N; k++)
		if (out[k] != 2 * k + 7)
			return 8;
	DO(cudaMemcpyFromSymbol(&total, &total, sizeof total, 0, DEVICE_TO_HOST));
	printf("%d %d %u\n", out[0], out[N - 1], total);
	if (!__cudaInitModule(module) || *both != 5)
		return 7;
	*both = 6;
	DO(cudaMemcpy(out, (const void *)both, 4, BY_ADDRESS));
	if (out[0] != 6)
		return 7;
	int wrong = rest();
	wrong = wrong ? wrong : textures();
	if (wrong)
		return wrong;
	cudaGetLastError();
	launch(1, 2000, da, db, dc, N);
	FAILS(cudaGetLastError(), cudaErrorInvalidConfiguration);
	FAILS(__cudaPopCallConfiguration(NULL, NULL, NULL, NULL), cudaErrorMissingConfiguration);
	DO(cudaFree(NULL));
	DO(cudaFree(dc));
	if (argv[1]) {
		launch(8, 128, da, db, dc, N);
		FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
		FAILS(cudaMalloc((void **)&da, 4), cudaErrorIllegalAddress);
	}
	return 3;
}
END
for major in 11 12 13; do
	node=libcudart.so.$major
	[ $major != 11 ] || node=$node.0
	$CC $sanitize -g -Wall -Wextra -Werror -std=c11 -D_GNU_SOURCE -I. -DMAJOR=$major -DHEADER="\"cudart/major/$major.h\"" -o "$dir/host" "$dir/host.c" -L"$BUILD" -l:$node -l:libcuda.so.1 -Wl,-rpath-link,"$BUILD" ||
		fail "the host program does not compile for $node"
	"$BUILD/ptxi" exec --check=all "$dir/host" >"$dir/said" 2>&1
	status=$?
	! grep -n '^ptxi: .*[3-9] findings' "$dir/said" || fail "more findings than there are mistakes"
	says "the host program, $major" 4 "^version $major\$" '^0 ptxi 9.0 132 232448 out of memory$' '^8 1024 80 8 3$' '^7 2005 1000$' 'block dimension x is 2000.*F0101' 'note: launched by add at .*host.c:' \
		'^ptxi: 1 finding: 1 F0101$'
	"$BUILD/ptxi" exec --check=all "$dir/host" fault >"$dir/said" 2>&1
	status=$?
	says "the host program's fault, $major" 4 'which was freed by cudaFree at .*host.c:[0-9]* .F0207' "in kernel 'add(int const\*, int const\*, int\*, int)'"
done

# ---- a CUDA program ----
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -n "$sanitize" ] || ! "$nvcc" --version 2>/dev/null | grep -q 'release 13\.'; then
	[ $bad = 0 ] && echo "libcudart: $tests tests; SKIP nvcc: nvcc 13 is not installed, or would need a sanitizer"
	exit $bad
fi
cat >"$dir/sum.cu" <<'END'
#include <cstdio>
__global__ void sum(const int *a, int *out)
{
	extern __shared__ int s[];
	s[threadIdx.x] = a[threadIdx.x];
	__syncthreads();
	for (int k = blockDim.x / 2; k; k /= 2) {
		if (threadIdx.x < k)
			s[threadIdx.x] += s[threadIdx.x + k];
#ifndef PLANTED
		__syncthreads();
#endif
	}
	if (threadIdx.x == 0)
		*out = s[0];
}
int main()
{
	int *a, *out;
	cudaMallocManaged(&a, 256 * sizeof *a);
	cudaMallocManaged(&out, sizeof *out);
	for (int k = 0; k < 256; k++)
		a[k] = k;
	sum<<<1, 256, 256 * sizeof(int)>>>(a, out);
	cudaDeviceSynchronize();
	printf("%d\n", *out);
}
END
"$nvcc" -cudart shared -lineinfo -o "$dir/sum" "$dir/sum.cu" && "$nvcc" -cudart shared -lineinfo -DPLANTED -o "$dir/planted" "$dir/sum.cu" || fail "nvcc fails"
"$BUILD/ptxi" exec --check=all "$dir/sum" >"$dir/said" 2>&1
status=$?
says "sum.cu" 0 '^32640$'
"$BUILD/ptxi" exec --check=all "$dir/planted" >"$dir/said" 2>&1
status=$?
says "sum.cu with a planted race" 5 'sum.cu:9:.*data race on s.*R0101'
[ $bad = 0 ] && echo "libcudart: $tests tests of the runtime, two with nvcc"
exit $bad
