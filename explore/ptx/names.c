/* Names of the threads, instructions and locations of a program. */
#include "explore/ptx/thread.h"
#include "interp/memory/name.h"
#include "interp/memory/memory.h"
#include <inttypes.h>

static const struct ptx_client *names_client_of(const struct explore_program *p)
{
	return p->client;
}

struct ptx_names_client {
	const struct explore_program *program;
	const struct explore_region *region;
	uint32_t nregions;
	struct arena *arena;
};

struct span ptx_span(const struct explore_program *p, uint32_t thread, uint32_t place)
{
	const struct ptx_client *c = names_client_of(p);
	const struct ptx_code *o = c->launch[c->thread[thread].launch].code;
	if (place >= o->nops || o->ops[place].insn == IR_NONE)
		return (struct span){0, 0};
	return o->module->insn[o->ops[place].insn].span;
}

struct span ptx_call_span(const struct explore_program *p, uint32_t thread, uint32_t place)
{
	const struct ptx_client *c = names_client_of(p);
	const struct ptx_code *o = c->launch[c->thread[thread].launch].code;
	const struct source *s = o->module->source;
	uint32_t part = place < o->nops ? o->part_of[place] : 0;

	for (; part; part = o->part[part].caller) {
		struct span at = o->module->insn[o->ops[o->part[part].call].insn].span;
		const struct origin *from = origin_users(source_origin(s, at.off));

		if (from && from->file->users)
			return at;
	}
	return (struct span){0, 0};
}

void ptx_thread(const struct explore_program *p, uint32_t thread, uint32_t *cta, uint32_t *tid)
{
	const struct ptx_client *c = names_client_of(p);
	const struct ptx_thread_info *t = &c->thread[thread];
	*cta = t->cta - c->launch[t->launch].first_cta;
	*tid = t->tid;
}

uint32_t ptx_launch_of(const struct explore_program *p, uint32_t thread)
{
	const struct launch *l =
		names_client_of(p)->launch[names_client_of(p)->thread[thread].launch].launch;
	return l ? l->number + 1 : 0;
}

static void say_instruction(
	void *client, uint32_t thread, uint32_t place, struct text *out, uint32_t *line)
{
	struct ptx_names_client *n = client;
	struct source *source = names_client_of(n->program)->machine->module->source;
	struct span span = ptx_span(n->program, thread, place);
	const char *text;
	uint32_t column;
	*line = 0;
	if (!names_client_of(n->program)
			->launch[names_client_of(n->program)->thread[thread].launch]
			.launch) {
		text_puts(out, "//@ write");
		return;
	}
	text = source ? source_bytes(source, span.off, span.len) : NULL;
	if (!span.len || !text) {
		text_puts(out, "an instruction");
		return;
	}
	source_place(source, span.off, line, &column);
	text_add(out, text, span.len);
}

static void say_place(void *client, uint32_t thread, uint32_t place, struct text *out)
{
	struct ptx_names_client *n = client;
	struct source *source = names_client_of(n->program)->machine->module->source;

	text_puts(out,
		source_line_text(source, ptx_span(n->program, thread, place).off,
			ptx_call_span(n->program, thread, place))
			.text);
}

static void say_thread(void *client, uint32_t thread, struct text *out)
{
	struct ptx_names_client *n = client;
	const struct ptx_client *c = names_client_of(n->program);
	uint32_t cta, tid;
	if (c->thread[thread].owner != UINT32_MAX) {
		uint32_t owner = c->thread[thread].owner;
		say_thread(client, owner, out);
		text_printf(out, "'s asynchronous operation %u",
			thread - c->thread[owner].first_helper);
		return;
	}
	const struct launch *l = c->launch[c->thread[thread].launch].launch;
	if (!l) {
		text_puts(out, "the host");
		return;
	}
	if (l->number == 0) {
		text_printf(out, "P%u", thread);
		return;
	}
	ptx_thread(n->program, thread, &cta, &tid);
	text_printf(out, "launch %u CTA %u thread %u", ptx_launch_of(n->program, thread), cta, tid);
}

/* Prints the .shared variable that contains a shared address. */
static void say_shared(const struct ptx_client *c, uint64_t phys, struct text *out)
{
	uint32_t cta = (uint32_t)((phys - PTX_SHARED) / PTX_SHARED_STEP), k = c->nlaunches - 1;
	uint64_t offset = (phys - PTX_SHARED) % PTX_SHARED_STEP;
	while (k && c->launch[k].first_cta > cta)
		k--;
	const struct ir_module *m = c->machine->module;
	for (uint32_t v = 0; v < m->nvars; v++) {
		const struct ir_var *x = &m->var[v];
		uint64_t at = c->machine->code.var_at[v];
		if ((x->space != W_shared && x->space != W_shared__cta) ||
			(x->func != IR_NONE && x->func != c->launch[k].launch->ask.func) ||
			offset < at || offset - at >= x->size)
			continue;
		text_puts(out, name_variable(m, x));
		if (offset != at)
			text_printf(out, "+%" PRIu64, offset - at);
		text_printf(out, " of CTA %u", cta - c->launch[k].first_cta);
		return;
	}
	text_printf(out, "shared memory at %" PRIu64 " of CTA %u", offset,
		cta - c->launch[k].first_cta);
}

static void say_location(void *client, uint64_t phys, uint32_t size, struct text *out)
{
	const struct ptx_names_client *n = client;
	const struct ptx_client *c = names_client_of(n->program);
	(void)size;
	for (uint32_t k = 0; k < n->nregions; k++) {
		const struct explore_region *r = &n->region[k];
		if (phys < r->address || phys - r->address >= r->size)
			continue;
		text_puts(out, r->name);
		if (r->size > r->element && r->element)
			text_printf(out, "[%" PRIu64 "]", (phys - r->address) / r->element);
		return;
	}
	if (phys >= PTX_SHARED) {
		say_shared(c, phys, out);
		return;
	}
	const struct memory_block *m = memory_find(c->machine->memory, phys);
	if (m->kind == MEMORY_NOTHING || !m->name)
		text_printf(out, "0x%" PRIx64, phys);
	else
		text_puts(out, m->name);
	if (m->kind != MEMORY_NOTHING && m->name && phys != m->base)
		text_printf(out, "+%" PRIu64, phys - m->base);
}

static const char *say_meets(void *client, uint64_t object)
{
	(void)client;
	return ptx_object_kind(object) == OBJECT_LAUNCH ? "ends a launch that finished before"
							: "meets at the barrier";
}

void ptx_names(const struct explore_program *p, const struct explore_region *region,
	uint32_t nregions, struct arena *arena, struct explore_names *out)
{
	struct ptx_names_client *n = ARENA_NEW(arena, struct ptx_names_client);
	const struct source *s = names_client_of(p)->machine->module->source;

	*n = (struct ptx_names_client){p, region, nregions, arena};
	*out = (struct explore_names){.client = n,
		.instruction = say_instruction,
		.place = s->origins || s->nparts ? say_place : NULL,
		.thread = say_thread,
		.location = say_location,
		.meets = say_meets};
}
