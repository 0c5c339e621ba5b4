/* Arrays, textures and surfaces: what the program asks for, as memory and views of the device. */
#include "cuda/array.h"
#include "cuda/registry.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* The greatest sizes, those of compute capability 9.0. */
enum {
	MOST_WIDTH = 131072,
	MOST_HEIGHT = 65536,
	MOST_LINEAR_HEIGHT = 65000,
	MOST_PITCH = 2097120,
	MOST_BOX = 16384, /* each dimension of three; or: */
	MOST_NARROW = 8192,
	MOST_DEPTH = 32768,
	MOST_LAYERED = 32768,
	MOST_LAYERS = 2048,
	ALIGNMENT = 512,
	PITCH_ALIGNMENT = 32,
	MOST_ANY_FLAGS = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
		CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_COLOR_ATTACHMENT,
	MISSING_FLAGS = CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING,
};

/* WHAT exists on hardware, and not here: a line says so. */
static CUresult not_served(const char *caller, const char *what)
{
	fprintf(findings_file(), "ptxi: %s: %s not served (docs/CUDA.md says what is)\n",
		place_api(place_here(), caller), what);
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* --- arrays --- */

/* Whether there are arrays of this size. */
static bool has_size(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	const size_t w = d->width, h = d->height, z = d->depth;

	if (!w)
		return false;
	if (d->flags & CUDA_ARRAY3D_TEXTURE_GATHER &&
		(!h || (z && !(d->flags & CUDA_ARRAY3D_LAYERED))))
		return false;
	if (d->flags & CUDA_ARRAY3D_LAYERED)
		return z && z <= MOST_LAYERS && w <= MOST_LAYERED && h <= MOST_LAYERED;
	if (z)
		return h &&
			((w <= MOST_BOX && h <= MOST_BOX && z <= MOST_BOX) ||
				(w <= MOST_NARROW && h <= MOST_NARROW && z <= MOST_DEPTH));
	return w <= MOST_WIDTH && h <= MOST_HEIGHT;
}

static CUresult create(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d, const char *caller)
{
	CUresult r = context_enter();
	struct owned o = {.kind = OWNED_ARRAY};
	struct array a = {.shape = {.layers = 0}};
	struct ptxi_texture *s = &a.shape;

	if (r || !array || !d)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (d->flags & MISSING_FLAGS)
		return not_served(caller, "cubes, sparse arrays and deferred mapping are");
	if (d->flags & ~(unsigned)MOST_ANY_FLAGS || !array_format(d->format, d->channels, s) ||
		!has_size(d))
		return CUDA_ERROR_INVALID_VALUE;
	a.desc = *d;
	s->size[0] = (unsigned)d->width;
	s->size[1] = (unsigned)d->height;
	if (d->flags & CUDA_ARRAY3D_LAYERED)
		s->layers = (unsigned)d->depth;
	else
		s->size[2] = (unsigned)d->depth;
	r = driver_alloc(&a.address, ptxi_texture_bytes(s), PTXI_ARRAY, &o);
	if (r)
		return r;
	s->address = a.address;
	r = array_add(&a, o.number);
	if (!r)
		*array = (CUarray)(uintptr_t)a.handle;
	return r;
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	return create(array, d, "cuArray3DCreate");
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d)
{
	CUDA_ARRAY3D_DESCRIPTOR all;

	if (!d)
		return CUDA_ERROR_INVALID_VALUE;
	all = (CUDA_ARRAY3D_DESCRIPTOR){.width = d->width,
		.height = d->height,
		.format = d->format,
		.channels = d->channels};
	return create(array, &all, "cuArrayCreate");
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
	CUresult r = context_enter();
	struct array a;

	r = r ? r : array_find(array, &a);
	if (r || !d)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*d = a.desc;
	return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR all;
	CUresult r = cuArray3DGetDescriptor_v2(&all, array);

	if (r || !d)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*d = (CUDA_ARRAY_DESCRIPTOR){all.width, all.height, all.format, all.channels};
	return CUDA_SUCCESS;
}

/* What is to be destroyed is HANDLE; WHAT says why it cannot be, and OF what it is. */
static void wrong_end(enum diag_code code, const char *caller, const char *what, uint64_t of)
{
	call_place at = place_here();
	struct text t = {0};
	struct owned o;

	text_printf(&t, "%s: %s", place_api(at, caller), what);
	if (array_is_handle(of)) {
		text_puts(&t, ": ");
		array_name(of, &t);
	} else if (owned_find(of, &o)) {
		text_puts(&t, ": ");
		owned_name(&o, &t);
	}
	host_finding(code, at, text_str(&t), NULL);
	text_free(&t);
}

CUresult cuArrayDestroy(CUarray array)
{
	CUresult r = context_enter();
	struct array a;

	if (r)
		return r;
	r = array_take(array, &a);
	if (!r)
		return driver_dealloc(a.address, "cuArrayDestroy");
	if (r == CUDA_ERROR_CONTEXT_IS_DESTROYED)
		wrong_end(DIAG_H0105, "cuArrayDestroy", "this has been freed already",
			(uintptr_t)array);
	else
		wrong_end(DIAG_H0106, "cuArrayDestroy", "this is no array", (uintptr_t)array);
	return r;
}

/* --- textures and surfaces --- */

struct view {
	uint64_t handle;
	bool surface;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC desc;
};

static struct registry views = REGISTRY(struct view);
static _Atomic uint64_t last_handle; /* the greatest there has been */

static CUresult of_plane(const CUDA_RESOURCE_DESC *r, struct ptxi_texture *t)
{
	const size_t w = r->of.pitch2D.width, h = r->of.pitch2D.height, pitch = r->of.pitch2D.pitch;

	if (!array_format(r->of.pitch2D.format, r->of.pitch2D.channels, t) || !w || !h ||
		w > MOST_WIDTH || h > MOST_LINEAR_HEIGHT || pitch > MOST_PITCH ||
		pitch % PITCH_ALIGNMENT || pitch < w * t->bits / 8 * t->channels ||
		!r->of.pitch2D.address || r->of.pitch2D.address % ALIGNMENT)
		return CUDA_ERROR_INVALID_VALUE;
	t->address = r->of.pitch2D.address;
	t->size[0] = (unsigned)w;
	t->size[1] = (unsigned)h;
	t->pitch = pitch;
	return CUDA_SUCCESS;
}

static CUresult of_line(const CUDA_RESOURCE_DESC *r, struct ptxi_texture *t)
{
	size_t texels;

	if (!array_format(r->of.linear.format, r->of.linear.channels, t) || !r->of.linear.address ||
		r->of.linear.address % ALIGNMENT)
		return CUDA_ERROR_INVALID_VALUE;
	texels = r->of.linear.bytes / (t->bits / 8 * t->channels);
	if (!texels || texels > 1u << 30)
		return CUDA_ERROR_INVALID_VALUE;
	t->address = r->of.linear.address;
	t->size[0] = (unsigned)texels;
	t->linear = true;
	return CUDA_SUCCESS;
}

/* What R is of, in T. */
static CUresult of_resource(const CUDA_RESOURCE_DESC *r, const char *caller, struct ptxi_texture *t)
{
	struct array a;
	CUresult result;

	*t = (struct ptxi_texture){.layers = 0};
	switch (r->type) {
	case CU_RESOURCE_TYPE_ARRAY:
		result = array_find(r->of.array, &a);
		if (!result)
			*t = a.shape;
		return result;
	case CU_RESOURCE_TYPE_LINEAR: return of_line(r, t);
	case CU_RESOURCE_TYPE_PITCH2D: return of_plane(r, t);
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: return not_served(caller, "mipmapped arrays are");
	default: return CUDA_ERROR_INVALID_VALUE;
	}
}

/* How D samples T. */
static CUresult put_sampler(const CUDA_TEXTURE_DESC *d, struct ptxi_texture *t)
{
	static const unsigned outside[] = {PTXI_WRAP, PTXI_CLAMP, PTXI_MIRROR, PTXI_BORDER};
	bool border = false;

	t->unit_range = !(d->flags & CU_TRSF_READ_AS_INTEGER) && t->kind != PTXI_TEXEL_FLOAT &&
		t->bits < 32;
	for (unsigned k = 0; k < 3; k++) {
		if (d->address_mode[k] < 0 || d->address_mode[k] > CU_TR_ADDRESS_MODE_BORDER)
			return CUDA_ERROR_INVALID_VALUE;
		t->outside[k] = outside[d->address_mode[k]];
		border |= t->outside[k] == PTXI_BORDER;
	}
	if (d->filter_mode < 0 || d->filter_mode > CU_TR_FILTER_MODE_LINEAR)
		return CUDA_ERROR_INVALID_VALUE;
	if (d->filter_mode && t->kind != PTXI_TEXEL_FLOAT && !t->unit_range)
		return CUDA_ERROR_INVALID_VALUE;
	if (d->flags & CU_TRSF_SRGB && t->unit_range && t->bits == 8)
		return not_served("cuTexObjectCreate", "sRGB is");
	for (unsigned k = 0; k < 4; k++)
		if (border && d->border[k] != 0)
			return not_served("cuTexObjectCreate", "a border that is not 0 is");
	if (!t->linear) {
		t->filters = d->filter_mode;
		t->normalized = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
	}
	return CUDA_SUCCESS;
}

/* Makes V's handle, of T. */
static CUresult begin(struct view *v, const struct ptxi_texture *t, uint64_t *out)
{
	CUresult r = driver_result(ptxi_texture_new(driver_device(), t, &v->handle));
	uint64_t last = last_handle;

	if (r)
		return r;
	while (last < v->handle && !atomic_compare_exchange_weak(&last_handle, &last, v->handle))
		;
	if (!registry_add(&views, v))
		return CUDA_ERROR_OUT_OF_MEMORY;
	*out = v->handle;
	return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
	const CUDA_TEXTURE_DESC *desc, const CUDA_RESOURCE_VIEW_DESC *view)
{
	CUresult r = context_enter();
	struct view v = {.surface = false};
	struct ptxi_texture t;

	if (r || !texture || !resource || !desc)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (view)
		return not_served("cuTexObjectCreate", "views of resources are");
	r = of_resource(resource, "cuTexObjectCreate", &t);
	r = r ? r : put_sampler(desc, &t);
	if (r)
		return r;
	v.resource = *resource;
	v.desc = *desc;
	return begin(&v, &t, texture);
}

CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)
{
	CUresult r = context_enter();
	struct view v = {.surface = true};
	struct ptxi_texture t;

	if (r || !surface || !resource)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	if (resource->type != CU_RESOURCE_TYPE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	r = of_resource(resource, "cuSurfObjectCreate", &t);
	if (r)
		return r;
	v.resource = *resource;
	t.surface = 1;
	return begin(&v, &t, surface);
}

/* What is none is no error on hardware, so that only a finding says so. */
static CUresult end(uint64_t handle, bool surface, const char *caller)
{
	CUresult r = context_enter();
	struct view v;

	if (r || !handle)
		return r;
	if (registry_find(&views, handle, false, &v) && v.surface == surface) {
		registry_find(&views, handle, true, &v);
		return driver_waited(ptxi_texture_free(driver_device(), handle));
	}
	if (handle >> 56 == 1 && handle <= last_handle && !registry_find(&views, handle, false, &v))
		wrong_end(DIAG_H0105, caller, "this has been destroyed already", 0);
	else
		wrong_end(DIAG_H0106, caller, surface ? "this is no surface" : "this is no texture",
			handle);
	return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject texture)
{
	return end(texture, false, "cuTexObjectDestroy");
}

CUresult cuSurfObjectDestroy(CUsurfObject surface)
{
	return end(surface, true, "cuSurfObjectDestroy");
}

static CUresult find_view(uint64_t handle, bool surface, const void *out, struct view *v)
{
	CUresult r = context_enter();

	if (r || !out || !registry_find(&views, handle, false, v) || v->surface != surface)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject texture)
{
	struct view v;
	CUresult r = find_view(texture, false, out, &v);

	if (!r)
		*out = v.resource;
	return r;
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUsurfObject surface)
{
	struct view v;
	CUresult r = find_view(surface, true, out, &v);

	if (!r)
		*out = v.resource;
	return r;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, CUtexObject texture)
{
	struct view v;
	CUresult r = find_view(texture, false, out, &v);

	if (!r)
		*out = v.desc;
	return r;
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject texture)
{
	struct view v;
	CUresult r = find_view(texture, false, out, &v);

	if (!r)
		memset(out, 0, sizeof *out);
	return r;
}

/* 2^30 texels, or 4 GiB. */
CUresult cuDeviceGetTexture1DLinearMaxWidth(
	size_t *texels, unsigned format, unsigned channels, CUdevice device)
{
	struct ptxi_texture t = {.layers = 0};
	CUdevice found;
	CUresult r = cuDeviceGet(&found, device);
	unsigned bytes;

	if (r || !texels || !array_format(format, channels, &t))
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	bytes = t.bits / 8 * t.channels;
	*texels = ((size_t)1 << 32) / (bytes < 4 ? 4 : bytes);
	return CUDA_SUCCESS;
}
