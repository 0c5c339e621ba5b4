/* Memory of a device: allocations, and what is at an address. */
#include "base/text.h"
#include "device/call.h"
#include <stdio.h>

/* "main at a.cu:7", as far as it is known. */
void place_text(const struct ptxi_at *at, char *to)
{
	char line[16] = "";
	bool file = at && at->file, function = at && at->function;

	if (at && at->line)
		snprintf(line, sizeof line, ":%u", at->line);
	snprintf(to, MAX_NAME, "%s%s%s%s", function ? at->function : "",
		function && file ? " at " : "", file ? at->file : "", file ? line : "");
}

struct memory_call {
	uint64_t size, address;
	unsigned flags;
	void *host; /* or NULL */
	const char *name;
	const struct ptxi_at *at;
	char *text;
	size_t room;
};

static void do_alloc(struct call *c, void *arg)
{
	struct memory_call *a = arg;
	struct machine *m = machine_of(c);
	bool initialised = a->flags & PTXI_INITIALISED;
	char place[MAX_NAME], name[MAX_NAME];

	place_text(a->at, place);
	if (a->name)
		snprintf(name, sizeof name, "%s", a->name);
	else
		snprintf(name, sizeof name, "%s", *place ? place : "allocation");
	if (a->flags & ~(unsigned)(PTXI_INITIALISED | PTXI_HOST_VISIBLE | PTXI_ARRAY) ||
		(a->flags & PTXI_HOST_VISIBLE && !a->size)) {
		call_wrong(c, PTXI_USAGE, "an unknown flag, or no bytes for the host");
		return;
	}
	if (a->host)
		a->address = machine_adopt(m, a->host, a->size, name);
	else if (a->flags & PTXI_HOST_VISIBLE)
		a->address = machine_alloc_mapped(m, a->size, name, initialised);
	else
		a->address = machine_alloc(m, a->size, name, initialised);
	if (!a->address)
		call_wrong(
			c, PTXI_UNDECIDED, "what is left of the memory limit (max-memory) is less");
	else if (a->flags & PTXI_ARRAY)
		machine_array(m, a->address);
}

enum ptxi_exit ptxi_alloc(struct ptxi_device *d, uint64_t size, unsigned flags, const char *name,
	const struct ptxi_at *at, uint64_t *address)
{
	struct memory_call a = {.size = size, .flags = flags, .name = name, .at = at};
	enum ptxi_exit result = device_call(d, do_alloc, &a);

	*address = result ? 0 : a.address;
	return result;
}

enum ptxi_exit ptxi_adopt(struct ptxi_device *d, void *host, uint64_t size, const char *name,
	const struct ptxi_at *at, uint64_t *address)
{
	struct memory_call a = {.size = size, .host = host, .name = name, .at = at};
	enum ptxi_exit result = host ? device_call(d, do_alloc, &a) : PTXI_USAGE;

	*address = result ? 0 : a.address;
	return result;
}

/* The argument ADDRESS is wrong; WHAT, and what is there. */
void call_wrong_at(struct call *c, uint64_t address, const char *what)
{
	struct text t = {0};

	text_printf(&t, "%s: ", what);
	machine_describe(machine_of(c), address, &t);
	call_wrong(c, PTXI_USAGE, text_str(&t));
	text_free(&t);
}

static void do_dealloc(struct call *c, void *arg)
{
	struct memory_call *a = arg;
	char place[MAX_NAME];

	enum machine_release how;

	if (!a->address)
		return;
	call_ran(c, machine_sync(machine_of(c)));
	if (c->d->lost)
		return;
	place_text(a->at, place);
	how = machine_release(machine_of(c), a->address, place);
	if (how != MACHINE_RELEASED)
		call_wrong_at(c, a->address,
			how == RELEASE_TWICE            ? "this has been freed already"
				: how == RELEASE_INSIDE ? "no allocation begins here"
							: "this is no allocation");
}

enum ptxi_exit ptxi_dealloc(struct ptxi_device *d, uint64_t address, const struct ptxi_at *at)
{
	return device_call(d, do_dealloc, &(struct memory_call){.address = address, .at = at});
}

struct find_call {
	uint64_t address;
	struct ptxi_allocation *out;
};

static void do_find(struct call *c, void *arg)
{
	struct find_call *f = arg;
	struct machine_allocation a;

	if (!machine_find(machine_of(c), f->address, &a)) {
		call_wrong_at(c, f->address, "there is no allocation");
		return;
	}
	*f->out = (struct ptxi_allocation){a.address, a.size, a.variable, a.host_visible};
}

enum ptxi_exit ptxi_find(struct ptxi_device *d, uint64_t address, struct ptxi_allocation *out)
{
	*out = (struct ptxi_allocation){0};
	return device_call(d, do_find, &(struct find_call){address, out});
}

static void do_memory(struct call *c, void *arg)
{
	uint64_t *out = arg;

	machine_memory(machine_of(c), &out[0], &out[1]);
}

enum ptxi_exit ptxi_memory(struct ptxi_device *d, uint64_t *left, uint64_t *limit)
{
	uint64_t found[2] = {0, 0};
	enum ptxi_exit result = device_call(d, do_memory, found);

	*left = found[1] - found[0];
	*limit = found[1];
	return result;
}

static void do_describe(struct call *c, void *arg)
{
	struct memory_call *a = arg;
	struct text t = {0};

	machine_describe(machine_of(c), a->address, &t);
	snprintf(a->text, a->room, "%s", text_str(&t));
	text_free(&t);
}

enum ptxi_exit ptxi_describe(struct ptxi_device *d, uint64_t address, char *text, size_t room)
{
	if (room)
		*text = '\0';
	return device_call(d, do_describe,
		&(struct memory_call){.address = address, .text = text, .room = room});
}
