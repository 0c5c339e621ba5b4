/* Decoding a function into ops: layout of registers and variables, one decode function per handler,
 * branch targets, and finding every function that a kernel may reach. */
#include "code/decode.h"
#include "base/assert.h"
#include "base/memory.h"
#include "base/vec.h"
#include "code/loose.h"
#include "code/reconverge.h"
#include "code/window.h"
#include "diag/diag.h"
#include <stdlib.h>
#include <string.h>

static void (*const decoders[HANDLER_COUNT])(struct decoder *d, const struct ir_insn *i) = {
#define HANDLER(name) decode_##name,
#include "isa/handler.def"
};

static uint64_t align_up(uint64_t n, uint64_t to) { return to > 1 ? (n + to - 1) / to * to : n; }

static bool is_shared(const struct ir_var *v)
{
	return v->space == W_shared || v->space == W_shared__cta;
}

/* --- layout --- */

/* Lays out the static shared variables of FUNC from offset AT and returns the end. Order: module
 * scope, device functions, then the entry's own, where all entries overlap. */
static uint64_t lay_shared(struct code *c, uint32_t func, uint64_t at)
{
	const struct ir_func *f = &c->module->func[func];

	for (uint32_t k = 0; k < f->nvars; k++) {
		const struct ir_var *v = &c->module->var[f->var + k];

		if (!is_shared(v))
			continue;
		at = align_up(at, v->align);
		if (v->size) {
			c->var_at[f->var + k] = at;
			at += v->size;
		}
	}
	return at;
}

/* Room in ARRAY of ARENA for N elements of SIZE bytes, of which HAD are used. */
static void *make_room(
	struct arena *arena, void *array, uint32_t *room, uint32_t had, uint32_t n, size_t size)
{
	void *more;

	if (n <= *room)
		return array;
	*room = n > 2 * (uint64_t)*room ? n : 2 * *room;
	more = arena_zalloc(arena, *room * size, 64);
	if (had)
		memcpy(more, array, had * size);
	return more;
}

static struct code_scope *new_scope(struct code *c)
{
	const struct ir_module *ir = c->module;
	uint32_t n = c->nscopes;
	const struct code_scope *last = n ? &c->scope[n - 1] : &(struct code_scope){0};
	uint32_t func = last->func + last->nfuncs, var = last->var + last->nvars;

	c->var_at = make_room(
		c->arena, c->var_at, &c->room_vars, var, ir->nvars + 1, sizeof *c->var_at);
	c->func = make_room(
		c->arena, c->func, &c->room_funcs, func, ir->nfuncs + 1, sizeof *c->func);
	c->scope = make_room(c->arena, c->scope, &c->room_scopes, n, n + 1, sizeof *c->scope);
	c->scope[n] = (struct code_scope){.func = func,
		.nfuncs = ir->nfuncs - func,
		.var = var,
		.nvars = ir->nvars - var,
		.first_count = c->ncounts};
	return &c->scope[c->nscopes++];
}

static void drop_last(struct code *c)
{
	struct code_scope *s = &c->scope[--c->nscopes];

	arena_free(&s->arena);
	c->ncounts = s->first_count;
	if (s->nfuncs)
		memset(&c->func[s->func], 0, s->nfuncs * sizeof *c->func);
	if (s->nvars)
		memset(&c->var_at[s->var], 0, s->nvars * sizeof *c->var_at);
}

void code_unload(struct code *c, uint32_t scope)
{
	c->scope[scope].gone = true;
	while (c->nscopes && c->scope[c->nscopes - 1].gone)
		drop_last(c);
}

void code_free(struct code *c)
{
	while (c->nscopes)
		drop_last(c);
}

/* The variables of module scope; returns the end of the shared ones. */
static uint64_t lay_module(struct code *c, const struct code_scope *s, uint64_t *dynamic_align)
{
	uint64_t at = 0;

	for (uint32_t k = s->var; k < s->var + s->nvars; k++) {
		const struct ir_var *v = &c->module->var[k];

		if (v->space == W_local || v->space == W_param)
			c->var_at[k] = v->offset;
		if (!is_shared(v))
			continue;
		if (v->size == 0 && v->align > *dynamic_align)
			*dynamic_align = v->align;
		if (v->func == IR_NONE && v->size) {
			at = align_up(at, v->align);
			c->var_at[k] = at;
			at += v->size;
		}
	}
	return at;
}

void code_layout(struct code *c)
{
	const struct ir_module *ir = c->module;
	struct code_scope *s = new_scope(c);
	uint64_t dynamic_align = 16, at = lay_module(c, s, &dynamic_align);

	for (uint32_t k = s->func; k < s->func + s->nfuncs; k++) {
		uint64_t local = align_up(ir->func[k].local_bytes, 16);

		c->func[k].func = k;
		c->func[k].scope = c->nscopes - 1;
		/* a size beyond the limit is rejected at the launch or call */
		c->func[k].local_bytes = local > UINT32_MAX ? UINT32_MAX - 15 : (uint32_t)local;
		if (!ir->func[k].is_entry)
			at = lay_shared(c, k, at);
	}
	s->device_shared = at > UINT32_MAX ? UINT32_MAX : (uint32_t)at;
	for (uint32_t k = s->func; k < s->func + s->nfuncs; k++)
		if (ir->func[k].is_entry) {
			uint64_t end = align_up(lay_shared(c, k, at), dynamic_align);

			c->func[k].shared_end = end > UINT32_MAX ? UINT32_MAX : (uint32_t)end;
		}
}

/* bytes of a warp's register file: half a million 32-bit registers */
enum { MAX_REGISTER_FILE = 64 << 20 };

/* Whether the register file of a warp fits in MAX_REGISTER_FILE. */
static bool registers_fit(struct code *c, const struct ir_func *f)
{
	uint64_t bytes = 0;

	for (uint32_t r = 0; r < f->nregs; r++) {
		const struct ir_register *reg = &c->module->reg[f->reg + r];

		bytes += (reg->type == TYPE_pred ? 4u : (uint64_t)type_bytes(reg->type) * LANES) *
			(reg->vector ? reg->vector : 1u);
	}
	if (bytes <= MAX_REGISTER_FILE)
		return true;
	diag_report(c->findings, DIAG_F0111, c->module->source, f->span,
		"'%s' has too many registers", symbol_shown(&c->module->symbols, f->name));
	return false;
}

static void lay_registers(struct decoder *d)
{
	const struct ir_func *f = d->func;
	struct arena *a = d->arena;

	d->code->reg_at = ARENA_ARRAY(a, uint32_t, f->nregs + 1);
	d->code->reg_stride = ARENA_ARRAY(a, uint32_t, f->nregs + 1);
	d->frame = 4; /* the condition code */
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t r = 0; r < f->nregs; r++) {
			const struct ir_register *reg = &d->module->reg[f->reg + r];
			unsigned width = reg->type == TYPE_pred ? 0 : type_bytes(reg->type),
				 n = reg->vector ? reg->vector : 1;

			if ((width == 0) != (pass == 0))
				continue;
			for (unsigned c = 0; c < n; c++) {
				uint32_t at = decode_scratch(d, width);

				if (c == 0)
					d->code->reg_at[r] = at;
				else if (c == 1)
					d->code->reg_stride[r] = at - d->code->reg_at[r];
			}
		}
}

/* --- one function --- */

static void fix_targets(struct decoder *d, const uint32_t *first)
{
	for (uint32_t k = 0; k < d->nops; k++) {
		struct op *op = &d->op[k];

		if (op->kind == KIND_BRANCH)
			op->branch.target = first[op->branch.target];
		for (uint32_t j = 0; op->kind == KIND_BRANCH_INDEX && j < op->table->count; j++)
			op->table->target[j] = first[op->table->target[j]];
	}
}

static void decode_finish(struct decoder *d)
{
	struct code_func *c = d->code;
	uint32_t registers = 0;

	c->nops = d->nops;
	c->op = arena_copy(d->arena, d->op, d->nops * sizeof *d->op, 64);
	c->constant = arena_copy(d->arena, d->constant, d->constants, 64);
	c->frame_bytes = (d->frame + 63) / 64 * 64;
	for (uint32_t r = 0; r < d->func->nregs; r++)
		registers += (decode_reg_width(d, r) + 3) / 4 * 4;
	c->stack_bytes = c->local_bytes + 16 + registers;
	c->count_base = d->all->ncounts;
	/* one more: the end of the function's last straight-line run */
	d->all->ncounts += d->nops + 1;
	c->decoded = true;
	c->loose = d->func->is_entry && code_is_loose(c);
	if (d->all->reconverges)
		code_reconverge(c);
	c->constant_bytes = d->constants;
	c->nown = d->own.count;
	c->own = arena_copy(d->arena, d->own.data, d->own.count * sizeof *c->own, sizeof *c->own);
	for (unsigned k = 0; k < 6; k++)
		map_free(&d->known[k]);
	for (unsigned k = 0; k < 2; k++)
		map_free(&d->shared[k]);
	vec_free(&d->own);
	memory_drop(d->op);
	memory_drop(d->constant);
	memory_drop(d->read);
}

static void decode_one(struct code *c, uint32_t func)
{
	const struct ir_func *f = &c->module->func[func];
	struct decoder d = {.all = c,
		.module = c->module,
		.arena = &c->scope[c->func[func].scope].arena,
		.func = f,
		.code = &c->func[func]};
	uint32_t *first = memory_zeroed(f->ninsns + 1, sizeof *first);

	decode_constant(&d, 1, 0); /* the guard of unguarded instructions, at place 1 */
	lay_registers(&d);
	for (uint32_t k = 0; k < f->ninsns; k++) {
		d.insn = &c->module->insn[f->insn + k];
		d.first = true;
		first[k] = d.nops;
		decoders[ir_form(d.insn)->handler](&d, d.insn);
		assert(first[k] < d.nops); /* otherwise a branch to it would have no target */
	}
	first[f->ninsns] = d.nops;
	/* control that falls off the end returns; clear the last instruction's guard: */
	if (d.insn) {
		struct ir_insn end = *d.insn;

		end.guard = IR_NONE;
		d.first = false;
		const struct ir_insn *last = d.insn;

		d.insn = &end;
		struct op *op = decode_emit(&d, KIND_RETURN);

		op->insn = (uint32_t)(last - c->module->insn);
	} else {
		decode_emit(&d, KIND_RETURN);
	}
	fix_targets(&d, first);
	decode_finish(&d);
	memory_drop(first);
}

/* --- clusters --- */

static unsigned char *constants_of_rank(
	struct arena *arena, const struct code_func *f, uint32_t rank)
{
	unsigned char *bank = arena_copy(arena, f->constant, f->constant_bytes, 64);

	for (uint32_t k = 0; k < f->nown; k++) {
		unsigned width = f->own[k] & 15;
		unsigned char *at = bank + (f->own[k] - width);
		uint64_t value = 0;

		memcpy(&value, at, width);
		value += MEMORY_RANK_BITS(rank);
		for (unsigned i = 0; i < LANES; i++)
			memcpy(at + i * width, &value, width);
	}
	return bank;
}

void code_prepare_clusters(struct code *c)
{
	for (uint32_t k = 0; k < c->module->nfuncs; k++) {
		struct code_func *f = &c->func[k];
		struct arena *arena = &c->scope[f->scope].arena;

		if (!f->decoded || !f->nown || f->constant_of)
			continue;
		unsigned char **of = ARENA_ARRAY(arena, unsigned char *, CLUSTER_MAX);

		of[0] = f->constant;
		for (uint32_t rank = 1; rank < CLUSTER_MAX; rank++)
			of[rank] = constants_of_rank(arena, f, rank);
		f->constant_of = of;
	}
}

/* --- everything reachable --- */

struct work {
	uint32_t *data;
	uint32_t count, cap;
};

static void reach_function(struct code *c, struct work *work, uint8_t *seen, uint32_t func)
{
	func = code_resolve(c->module, func);
	if (!seen[func]) {
		seen[func] = 1;
		*vec_push(work) = func;
	}
}

/* Functions whose addresses are in the module's initialisers. */
static void reach_tables(struct code *c, struct work *work, uint8_t *seen)
{
	for (uint32_t k = 0; k < c->module->nrelocs; k++)
		if (c->module->reloc[k].is_func)
			reach_function(c, work, seen, c->module->reloc[k].index);
}

static bool reject_missing_body(struct code *c, const struct ir_insn *i, uint32_t func)
{
	const struct ir_func *f = &c->module->func[func];
	const char *name = symbol_shown(&c->module->symbols, f->name);

	if (f->has_body || code_provided(symbol_text(&c->module->symbols, f->name)) >= 0)
		return false;
	struct diag *r = diag_report(c->findings, DIAG_U0002, c->module->source, i->span,
		"function '%s' is called but has no body in this file", name);

	diag_help(c->findings, r,
		"define it, or name the file that has it, too: files given together are linked; ptxi provides vprintf, malloc, free and __assertfail");
	return true;
}

static bool reach_operand(struct code *c, struct work *work, uint8_t *seen, const struct ir_insn *i,
	const struct ir_operand *o, bool called)
{
	const struct ir_table *t;

	switch (o->kind) {
	case IR_FUNC:
		if (called && reject_missing_body(c, i, code_resolve(c->module, o->index)))
			return false;
		reach_function(c, work, seen, o->index);
		return true;
	case IR_TABLE:
		t = &c->module->table[o->index];
		if (t->kind == IR_CALL_TARGETS)
			for (uint32_t k = 0; k < t->ntargets; k++)
				reach_function(
					c, work, seen, c->module->operand[t->target + k].index);
		return true;
	default: return true;
	}
}

bool code_decode(struct code *c, uint32_t func)
{
	struct work work = {0};
	uint8_t *seen = memory_zeroed(c->module->nfuncs + 1, 1);
	bool ok = true, tables = false;

	reach_function(c, &work, seen, func);
	while (ok && work.count) {
		uint32_t f = work.data[--work.count];
		const struct ir_func *ir = &c->module->func[f];

		if (!ir->has_body)
			continue;
		for (uint32_t k = 0; ok && k < ir->ninsns; k++) {
			const struct ir_insn *i = &c->module->insn[ir->insn + k];
			bool call = ir_form(i)->handler == HANDLER_call;

			for (unsigned j = 0; ok && j < i->noperands; j++)
				ok = reach_operand(c, &work, seen, i,
					&c->module->operand[i->operand + j], call);
			if (ok && call && !tables &&
				c->module->operand[i->operand + 1].kind != IR_FUNC) {
				tables = true;
				reach_tables(c, &work, seen);
			}
		}
		ok = ok && registers_fit(c, ir);
		if (ok && !c->func[f].decoded)
			decode_one(c, f);
	}
	vec_free(&work);
	memory_drop(seen);
	return ok;
}
