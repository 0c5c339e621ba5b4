/* Textures and surfaces of a device. */
#include "texture/texture.h"
#include "device/call.h"

struct texture_call {
	const struct ptxi_texture *from;
	uint64_t handle;
};

/* Numbers that are too large for their members here become others that are refused. */
static uint8_t narrow(unsigned x) { return x > UINT8_MAX ? UINT8_MAX : (uint8_t)x; }

/* Why there is none like FROM, or NULL; T gets it. */
static const char *take(const struct ptxi_texture *from, struct texture *t)
{
	*t = (struct texture){.address = from->address,
		.layers = from->layers,
		.pitch = from->pitch,
		.slice = from->slice,
		.kind = narrow(from->kind),
		.bits = narrow(from->bits),
		.channels = narrow(from->channels),
		.linear = from->linear != 0,
		.surface = from->surface != 0,
		.filters = from->filters != 0,
		.normalized = from->normalized != 0,
		.unit_range = from->unit_range != 0};
	for (unsigned k = 0; k < 3; k++) {
		t->size[k] = from->size[k];
		t->outside[k] = narrow(from->outside[k]);
	}
	if (!t->pitch)
		t->pitch = (uint64_t)t->size[0] * texel_bytes(t);
	if (!t->slice && t->pitch <= UINT32_MAX)
		t->slice = t->pitch * (t->size[1] ? t->size[1] : 1);
	return texture_refused(t);
}

uint64_t ptxi_texture_bytes(const struct ptxi_texture *from)
{
	struct texture t;

	return take(from, &t) ? 0 : texture_bytes(&t);
}

static void make(struct call *c, void *arg)
{
	struct texture_call *a = arg;
	struct texture t;
	const char *why = take(a->from, &t);

	if (why)
		call_wrong(c, PTXI_USAGE, why);
	else
		a->handle = machine_texture(machine_of(c), 0, &t, true);
}

enum ptxi_exit ptxi_texture_new(
	struct ptxi_device *d, const struct ptxi_texture *t, uint64_t *handle)
{
	struct texture_call a = {.from = t};
	enum ptxi_exit result = device_call(d, make, &a);

	*handle = result ? 0 : a.handle;
	return result;
}

static void drop(struct call *c, void *arg)
{
	const struct texture_call *a = arg;

	call_ran(c, machine_sync(machine_of(c)));
	if (!c->d->lost && !machine_drop_texture(machine_of(c), a->handle))
		call_wrong(c, PTXI_USAGE, "there is no such texture or surface");
}

enum ptxi_exit ptxi_texture_free(struct ptxi_device *d, uint64_t handle)
{
	return device_call(d, drop, &(struct texture_call){.handle = handle});
}
