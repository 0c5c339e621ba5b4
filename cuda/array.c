/* The arrays of the program, and the bytes in them. */
#include "cuda/array.h"
#include "cuda/registry.h"

#define FIRST ((uint64_t)1 << 55) /* handles are no addresses of the host or the device */

static struct registry arrays = REGISTRY(struct array);

bool array_format(unsigned format, unsigned channels, struct ptxi_texture *t)
{
	static const struct {
		unsigned char format, kind, bits;
	} formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, PTXI_TEXEL_UNSIGNED, 8},
		{CU_AD_FORMAT_UNSIGNED_INT16, PTXI_TEXEL_UNSIGNED, 16},
		{CU_AD_FORMAT_UNSIGNED_INT32, PTXI_TEXEL_UNSIGNED, 32},
		{CU_AD_FORMAT_SIGNED_INT8, PTXI_TEXEL_SIGNED, 8},
		{CU_AD_FORMAT_SIGNED_INT16, PTXI_TEXEL_SIGNED, 16},
		{CU_AD_FORMAT_SIGNED_INT32, PTXI_TEXEL_SIGNED, 32},
		{CU_AD_FORMAT_HALF, PTXI_TEXEL_FLOAT, 16},
		{CU_AD_FORMAT_FLOAT, PTXI_TEXEL_FLOAT, 32}};

	for (unsigned k = 0; k < sizeof formats / sizeof *formats; k++)
		if (formats[k].format == format) {
			t->kind = formats[k].kind;
			t->bits = formats[k].bits;
			t->channels = channels;
			return channels == 1 || channels == 2 || channels == 4;
		}
	return false;
}

static unsigned array_texel(const struct array *a) { return a->shape.bits / 8 * a->shape.channels; }

bool array_is_handle(uint64_t p) { return p - FIRST <= UINT32_MAX; }

CUresult array_add(struct array *a, unsigned number)
{
	a->handle = FIRST + number;
	return registry_add(&arrays, a) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static bool was_freed(uint64_t handle, struct owned *o)
{
	return array_is_handle(handle) && owned_numbered((unsigned)(handle - FIRST), o) &&
		o->kind == OWNED_ARRAY && o->is_freed;
}

static CUresult find(CUarray handle, bool remove, struct array *out)
{
	struct owned o;
	uint64_t h = (uintptr_t)handle;

	if (registry_find(&arrays, h, remove, out))
		return CUDA_SUCCESS;
	/* as hardware says it */
	return was_freed(h, &o) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_HANDLE;
}

CUresult array_find(CUarray handle, struct array *out) { return find(handle, false, out); }
CUresult array_take(CUarray handle, struct array *out) { return find(handle, true, out); }

void array_name(uint64_t p, struct text *out)
{
	struct owned o;

	if (owned_numbered((unsigned)(p - FIRST), &o) && o.kind == OWNED_ARRAY)
		owned_name(&o, out);
	else
		text_puts(out, "no array");
}

/* --- copies --- */

static size_t at_least_one(size_t x) { return x ? x : 1; }

static void put_box(size_t width, size_t height, size_t depth, struct text *t)
{
	if (depth > 1)
		text_printf(t, "%zu slices of ", depth);
	if (height > 1 || depth > 1)
		text_printf(t, "%zu rows of ", height);
	text_printf(t, "%zu bytes", width);
}

/* W's copy does not fit into A; NULL: which is not there any more. */
static CUresult outside(
	const struct work *w, const struct array_place *p, const struct array *a, size_t row)
{
	struct text t = {0};

	text_printf(&t, "%s: ", place_api(w->place, w->caller));
	put_box(w->copy.width, w->copy.height, w->copy.depth, &t);
	if (a && p->z)
		text_printf(&t, " from byte %zu of row %zu of slice %zu", p->x, p->y, p->z);
	else if (a && (p->x || p->y))
		text_printf(&t, " from byte %zu of row %zu", p->x, p->y);
	text_puts(&t, " are not in ");
	array_name((uintptr_t)p->handle, &t);
	if (a) {
		text_puts(&t, ", which has ");
		put_box(row, at_least_one(a->desc.height), at_least_one(a->desc.depth), &t);
	}
	host_finding(DIAG_H0103, w->place, text_str(&t), NULL);
	text_free(&t);
	return CUDA_ERROR_INVALID_VALUE;
}

static bool fits(size_t at, size_t n, size_t size) { return at <= size && n <= size - at; }

CUresult array_side(const struct work *w, const struct array_place *p, uint64_t *address,
	size_t *pitch, size_t *slice)
{
	const struct work_copy *k = &w->copy;
	struct array a;
	CUresult r = array_find(p->handle, &a);

	if (r == CUDA_ERROR_CONTEXT_IS_DESTROYED)
		outside(w, p, NULL, 0);
	if (r)
		return r;
	*pitch = a.desc.width * array_texel(&a);
	*slice = *pitch * at_least_one(a.desc.height);
	if (!fits(p->x, k->width, *pitch) || !fits(p->y, k->height, at_least_one(a.desc.height)) ||
		!fits(p->z, k->depth, at_least_one(a.desc.depth)))
		return outside(w, p, &a, *pitch);
	*address = a.address + p->x + p->y * *pitch + p->z * *slice;
	return CUDA_SUCCESS;
}
