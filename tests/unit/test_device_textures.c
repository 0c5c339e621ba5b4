/* The library's device: textures and surfaces that the host makes. */
#include <criterion/criterion.h>
#include <ptxi/device.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* put(s): surface[tid.x] = tid.x + 5; get(t, a): a[tid.x] = texture(tid.x, 1). The texels are u32,
 * in rows of 8. kinds(h, a): a[0] = h is a texture, a[1] = h is a surface. */
static const char texels[] = HEAD
	".visible .entry put(.param .u64 s)\n{\n.reg .b64 %d;\n.reg .b32 %r<4>;\n"
	"ld.param.u64 %d, [s];\nmov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\nadd.u32 %r2, %r0, 5;\n"
	"mov.u32 %r3, 1;\nsust.b.2d.b32.trap [%d, {%r1, %r3}], {%r2};\nret;\n}\n"
	".visible .entry get(.param .u64 t, .param .u64 a)\n{\n.reg .b64 %d<3>;\n.reg .b32 %r<6>;\n"
	"ld.param.u64 %d0, [t];\nld.param.u64 %d1, [a];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 1;\n"
	"tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d0, {%r0, %r1}];\nmul.wide.u32 %d2, %r0, 4;\n"
	"add.u64 %d1, %d1, %d2;\nst.global.u32 [%d1], %r2;\nret;\n}\n"
	".visible .entry kinds(.param .u64 h, .param .u64 a)\n{\n.reg .b64 %d<2>;\n.reg .b32 %r<2>;\n"
	".reg .pred %p<2>;\nld.param.u64 %d0, [h];\nld.param.u64 %d1, [a];\n"
	"istypep.texref %p0, %d0;\nistypep.surfref %p1, %d0;\nselp.u32 %r0, 1, 0, %p0;\n"
	"selp.u32 %r1, 1, 0, %p1;\nst.global.v2.u32 [%d1], {%r0, %r1};\nret;\n}\n";

struct world {
	struct ptxi_device *d;
	uint64_t a; /* 32 zeroed words */
	struct ptxi_module *m;
	unsigned put, get, kinds;
	struct ptxi_texture shape;
	uint64_t array, surface, texture;
};

static struct ptxi_device *device(void)
{
	static const char *const all_checks[] = {"check=all", NULL};
	struct ptxi_device *d = ptxi_device_new(
		&(struct ptxi_device_options){.settings = all_checks, .jobs = 1});

	cr_assert_not_null(d);
	return d;
}

static struct world begin(void)
{
	struct world t = {.d = device(),
		.shape = {.size = {8, 4}, .kind = PTXI_TEXEL_UNSIGNED, .bits = 32, .channels = 1}};
	struct ptxi_device *d = t.d;

	cr_assert_eq(ptxi_device_load(d, "texels.ptx", texels, strlen(texels), &t.m), PTXI_OK);
	cr_assert_eq(ptxi_module_function(d, t.m, "put", &t.put), PTXI_OK);
	cr_assert_eq(ptxi_module_function(d, t.m, "get", &t.get), PTXI_OK);
	cr_assert_eq(ptxi_module_function(d, t.m, "kinds", &t.kinds), PTXI_OK);
	cr_assert_eq(ptxi_alloc(d, 128, PTXI_INITIALISED, "a", NULL, &t.a), PTXI_OK);
	cr_assert_eq(ptxi_texture_bytes(&t.shape), 128);
	cr_assert_eq(ptxi_alloc(d, 128, PTXI_ARRAY, "image", &(struct ptxi_at){"a.c", 3, "main"},
			     &t.array),
		PTXI_OK);
	t.shape.address = t.array;
	cr_assert_eq(ptxi_texture_new(d, &t.shape, &t.texture), PTXI_OK);
	t.shape.surface = 1;
	cr_assert_eq(ptxi_texture_new(d, &t.shape, &t.surface), PTXI_OK);
	cr_assert_neq(t.surface, t.texture);
	return t;
}

static enum ptxi_exit put_texels(struct world *t, ptxi_stream s, unsigned threads)
{
	void *args[] = {&t->surface};

	return ptxi_start(
		t->d, s, t->m, t->put, &(struct ptxi_grid){.block = {threads}, .args = args});
}

static enum ptxi_exit get_texels(struct world *t, ptxi_stream s)
{
	void *args[] = {&t->texture, &t->a};

	return ptxi_start(t->d, s, t->m, t->get, &(struct ptxi_grid){.block = {8}, .args = args});
}

/* The text of all findings has PART; NULL: there are none. */
static void found(struct world *t, const char *part)
{
	struct ptxi_report *r = ptxi_take_findings(t->d);

	cr_assert_eq(ptxi_report_count(r) > 0, part != NULL);
	cr_assert_not_null(strstr(ptxi_report_text(r), part ? part : ""), "no '%s' in: %s", part,
		ptxi_report_text(r));
	ptxi_report_free(r);
}

Test(device_textures, texture_after_surface)
{
	struct world t = begin();
	uint32_t got[32];

	cr_assert_eq(put_texels(&t, 0, 8), PTXI_OK);
	cr_assert_eq(get_texels(&t, 0), PTXI_OK);
	cr_assert_eq(ptxi_copy(t.d, 0, &(struct ptxi_copy){.to_host = got, .from = t.a, .size = 32},
			     NULL),
		PTXI_OK);
	cr_assert_eq(ptxi_sync(t.d), PTXI_OK);
	for (unsigned k = 0; k < 8; k++)
		cr_assert_eq(got[k], k + 5);
	found(&t, NULL);
	cr_assert_eq(ptxi_texture_free(t.d, t.texture), PTXI_OK);
	cr_assert_eq(ptxi_texture_free(t.d, t.texture), PTXI_USAGE);
	cr_assert_eq(ptxi_texture_free(t.d, 0), PTXI_USAGE);
	cr_assert_eq(get_texels(&t, 0), PTXI_OK);
	cr_assert_eq(ptxi_sync(t.d), PTXI_FAULT);
	found(&t, "is a texture or surface that was destroyed [F0214]");
	ptxi_device_free(t.d);
}

Test(device_textures, textures_race)
{
	struct world t = begin();
	ptxi_stream s;

	cr_assert_eq(ptxi_stream_new(t.d, PTXI_NON_BLOCKING, &s), PTXI_OK);
	cr_assert_eq(put_texels(&t, 0, 8), PTXI_OK);
	cr_assert_eq(ptxi_sync(t.d), PTXI_OK);
	cr_assert_eq(put_texels(&t, s, 8), PTXI_OK);
	cr_assert_eq(get_texels(&t, 0), PTXI_OK);
	cr_assert_eq(ptxi_sync(t.d), PTXI_OK);
	found(&t, "[R0101]");
	ptxi_device_free(t.d);
}

Test(device_textures, array_of_texels_is_named)
{
	struct world t = begin();

	cr_assert_eq(get_texels(&t, 0), PTXI_OK);
	cr_assert_eq(ptxi_sync(t.d), PTXI_OK);
	found(&t, "array `image");
	cr_assert_eq(ptxi_dealloc(t.d, t.array, &(struct ptxi_at){"a.c", 9, "main"}), PTXI_OK);
	cr_assert_eq(get_texels(&t, 0), PTXI_OK);
	cr_assert_eq(ptxi_sync(t.d), PTXI_FAULT);
	found(&t, "array `image+32`, which was freed by main at a.c:9 [F0207]");
	ptxi_device_free(t.d);
}

Test(device_textures, surface_outside)
{
	struct world t = begin();

	cr_assert_eq(put_texels(&t, 0, 9), PTXI_OK);
	cr_assert_eq(ptxi_sync(t.d), PTXI_FAULT);
	found(&t, "[F0215]");
	ptxi_device_free(t.d);
}

Test(device_textures, textures_that_there_are_not)
{
	struct ptxi_device *d = device();
	const struct ptxi_texture good = {
		.size = {8, 4}, .kind = PTXI_TEXEL_UNSIGNED, .bits = 8, .channels = 4};
	struct ptxi_texture bad[16];
	uint64_t handle;

	for (unsigned k = 0; k < 16; k++)
		bad[k] = good;
	bad[0].size[0] = 0;
	bad[1].size[0] = 1 << 18;
	bad[2].layers = 2049;
	bad[3].pitch = 31;
	bad[4].pitch = 28;
	bad[5].kind = 7;
	bad[6].kind = 256;
	bad[7].bits = 24;
	bad[8].channels = 3;
	bad[9].outside[1] = 4;
	bad[10].filters = 1;
	bad[11].linear = 1;
	bad[12].unit_range = 1, bad[12].bits = 32;
	bad[13].size[2] = 2, bad[13].slice = 64;
	bad[14].pitch = UINT64_MAX - 3;
	bad[15].layers = 2, bad[15].slice = UINT64_MAX - 3;
	for (unsigned k = 0; k < 16; k++) {
		cr_assert_eq(ptxi_texture_new(d, &bad[k], &handle), PTXI_USAGE, "%u", k);
		cr_assert_eq(handle, 0);
		cr_assert_eq(ptxi_texture_bytes(&bad[k]), 0, "%u", k);
	}
	/* memory is looked at when a kernel reads it */
	cr_assert_eq(ptxi_texture_new(d, &good, &handle), PTXI_OK);
	for (unsigned k = 0; k < 3000; k++) {
		uint64_t more;

		cr_assert_eq(ptxi_texture_new(d, &good, &more), PTXI_OK);
		cr_assert_neq(more, handle);
		cr_assert_eq(ptxi_texture_free(d, k % 2 ? more : handle), PTXI_OK);
		handle = k % 2 ? handle : more;
	}
	ptxi_device_free(d);
}

Test(device_textures, are_of_one_kind)
{
	struct world t = begin();
	const uint64_t handle[2] = {t.texture, t.surface};
	uint32_t got[2];

	for (unsigned k = 0; k < 2; k++) {
		uint64_t h = handle[k];
		void *args[] = {&h, &t.a};

		cr_assert_eq(ptxi_start(t.d, 0, t.m, t.kinds,
				     &(struct ptxi_grid){.block = {1}, .args = args}),
			PTXI_OK);
		cr_assert_eq(ptxi_copy(t.d, 0,
				     &(struct ptxi_copy){
					     .to_host = got, .from = t.a, .size = sizeof got},
				     NULL),
			PTXI_OK);
		cr_assert_eq(ptxi_sync(t.d), PTXI_OK);
		cr_assert_eq(got[0], k == 0);
		cr_assert_eq(got[1], k == 1);
	}
	ptxi_device_free(t.d);
}
