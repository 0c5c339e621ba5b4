/* One execution of a case: allocates, launches, waits and prints, directive by directive. */
#include "base/memory.h"
#include "profile/profile.h"
#include "script/host/backends.h"
#include "script/host/fill.h"
#include "script/host/state.h"
#include "script/lang/tensor.h"
#include "script/lang/texture.h"
#include <stdlib.h>
#include <string.h>

static bool fill_is_late(void *self) { return host_late(self); }

static uint64_t function_address(void *self, uint32_t func)
{
	struct host *h = self;

	return h->backend.function ? h->backend.function(h->backend.self, func) : 0;
}

static bool variable_address(struct host *h, struct object *o)
{
	uint64_t size;

	if (h->backend.symbol(h->backend.self, o->name, &o->address, &size))
		return true;
	diag_plain(&h->report->findings, DIAG_L0402, "the machine does not have the variable %s",
		o->name);
	return false;
}

/* Contents from the caller of the library, which replace those of the directive. */
static bool buffer_given(struct host *h, const struct stmt *t, const struct object *o)
{
	const struct host_request *r = h->request;
	uint64_t size = 0, room = o->count * type_bytes((enum type)o->type);
	const void *bytes = r->given ? r->given(r->self, o->name, &size) : NULL;

	if (!bytes)
		return true;
	if (size > room) {
		diag_report(&h->report->findings, DIAG_L0402, t->source, t->span,
			"%llu bytes were given for %s, which has %llu", (unsigned long long)size,
			o->name, (unsigned long long)room);
		return false;
	}
	return h->backend.write(h->backend.self, o->address, bytes, size) || host_lost(h);
}

static void objects_report(struct host *h)
{
	const struct script_case *in = h->request->in;

	for (uint32_t k = 0; h->request->final && !h->options.runs && k < in->nobjects; k++) {
		const struct object *o = &in->object[k];
		uint64_t size = o->count * type_bytes((enum type)o->type);
		void *bytes;

		if (!o->address || !size)
			continue;
		bytes = memory_zeroed(size, 1);
		if (h->backend.read(h->backend.self, o->address, bytes, size, NULL))
			h->request->final(h->request->self, o->name, bytes, size);
		memory_drop(bytes);
	}
}

static bool do_buffer(struct host *h, const struct stmt *t)
{
	struct object *o = &h->request->in->object[t->object];
	struct fill f = {&h->backend, &h->args, &h->report->findings, fill_is_late, h,
		.fresh = t->init == INIT_VALUE || t->init == INIT_LIST};
	uint64_t size = type_bytes((enum type)o->type);

	o->address = h->backend.alloc(h->backend.self, o->count * size, o->name, f.fresh);
	if (!o->address && host_lost(h))
		return true;
	if (!o->address) {
		if (h->options.on_gpu)
			diag_report(&h->report->findings, DIAG_L0124, t->source, t->span,
				"cannot allocate %llu bytes",
				(unsigned long long)(o->count * size));
		else
			diag_report(&h->report->findings, DIAG_B0003, t->source, t->span,
				"%llu bytes exceed what is left of the memory limit (--max-memory)",
				(unsigned long long)(o->count * size));
		return false;
	}
	if (h->backend.element)
		h->backend.element(h->backend.self, o->address, (uint32_t)size);
	if (t->init != INIT_NONE &&
		!fill_elements(&f, t, (enum type)o->type, o->address, o->count) && !host_lost(h))
		return false;
	return buffer_given(h, t, o);
}

static bool do_texture(struct host *h, const struct stmt *t)
{
	struct object *o = &h->request->in->object[t->object];
	struct texture texture = t->texture->texture;
	uint64_t variable = 0, size;

	if (!args_store(&h->args, t->value, TYPE_u64, "the address of a texture",
		    (unsigned char *)&texture.address))
		return false;
	if (!h->backend.texture) {
		diag_report(&h->report->findings, DIAG_U0002, t->source, t->span,
			"textures and surfaces exist when the interpreter runs a program: not on a GPU through //@ lines, and not while exploring");
		return false;
	}
	if (!h->backend.symbol(h->backend.self, o->name, &variable, &size))
		variable = 0;
	o->address = h->backend.texture(h->backend.self, variable, &texture);
	if (!o->address)
		diag_report(&h->report->findings, DIAG_L0132, t->source, t->value->span,
			"the texture needs %llu bytes, which are not in one buffer here",
			(unsigned long long)texture_bytes(&texture));
	return o->address || host_lost(h);
}

static bool do_tensor_map(struct host *h, const struct stmt *t)
{
	struct object *o = &h->request->in->object[t->object];
	struct tensor_map map = t->tensor->map;
	const char *why;

	o->address = h->backend.alloc(h->backend.self, TENSOR_IMAGE, o->name, false);
	if (!o->address) {
		if (!host_lost(h))
			diag_report(&h->report->findings, DIAG_L0124, t->source, t->span,
				"cannot allocate %d bytes", TENSOR_IMAGE);
		return host_lost(h);
	}
	if (!args_store(&h->args, t->value, TYPE_u64, "the address of a tensor",
		    (unsigned char *)&map.address))
		return false;
	why = tensor_map_refused(&map);
	if (why) {
		diag_report(&h->report->findings, DIAG_L0131, t->source, t->value->span, "%s", why);
		return false;
	}
	tensor_map_write(&map, t->tensor->image);
	return h->backend.write(h->backend.self, o->address, t->tensor->image, TENSOR_IMAGE) ||
		host_lost(h);
}

static bool do_write(struct host *h, const struct stmt *t)
{
	const struct object *o = &h->request->in->object[t->object];
	struct fill f = {&h->backend, &h->args, &h->report->findings, fill_is_late, h, false};

	if (!host_sync(h))
		return false;
	host_drop_snapshots(h);
	return fill_elements(&f, t, (enum type)o->type,
		       o->address + t->expr->low * type_bytes((enum type)o->type),
		       t->expr->high - t->expr->low + 1) ||
		host_lost(h);
}

static bool do_launch(struct host *h, const struct stmt *t)
{
	const struct ir_func *f = &h->request->module->func[t->func];
	unsigned char *params = arena_zalloc(&h->report->arena, f->param_bytes + 1u, 16);
	struct machine_launch l = {
		.func = t->func,
		.dynamic_shared = t->shared_bytes,
		.stream = t->stream_number,
		.device = t->device,
		.cooperative = t->cooperative,
		.params = params,
		.source = t->source,
		.span = t->span,
	};

	if (!args_build(&h->args, t, params))
		return false;
	for (unsigned k = 0; k < 3; k++) {
		l.grid[k] = t->dims[0][k];
		l.block[k] = t->dims[1][k];
		l.cluster[k] = t->dims[2][k];
	}
	h->queued = true;
	if (h->backend.launch(h->backend.self, &l))
		return true;
	if (h->report->findings.errors == 0)
		diag_report(&h->report->findings, DIAG_L0402, t->source, t->span,
			"the machine rejected this launch");
	host_sync(h); /* work queued earlier still runs */
	h->stopped = true;
	if (h->report->ended == MACHINE_DONE)
		h->report->ended = MACHINE_FAULT;
	return true;
}

/* Whether N elements may be printed, at an estimated ELEMENT_TEXT bytes each. */
static bool fits_output(struct host *h, const struct expr *x, uint64_t n)
{
	enum { ELEMENT_TEXT = 8 };
	uint64_t max = h->options.machine.max_output ? h->options.machine.max_output
						     : MACHINE_OUTPUT;

	if (n <= max / ELEMENT_TEXT || n == 1)
		return true;
	diag_report(&h->report->findings, DIAG_B0004, x->source, x->span,
		"%llu elements exceed the limit on printed text (--max-output)",
		(unsigned long long)n);
	return false;
}

static void show_object(struct host *h, const struct expr *x, struct printed *p)
{
	const struct object *o = &h->request->in->object[x->object];
	uint64_t size = type_bytes((enum type)o->type), n;
	struct value v;

	p->name = o->name;
	p->shown = o->shown;
	p->type = o->type;
	p->count = o->count;
	p->scalar = o->count == 1 && x->range == RANGE_NONE;
	if (x->range == RANGE_SPAN) {
		p->low = x->low;
		p->high = x->high;
	} else if (x->range == RANGE_INDEX) {
		struct eval e = host_evidence(h).eval;

		if (!expr_eval(&e, x->sub[0], &v) || v.is_float || v.i < 0 ||
			v.i >= (__int128)o->count) {
			diag_report(&h->report->findings, DIAG_X0107, x->source, x->sub[0]->span,
				"%s",
				e.error.message ? e.error.message
						: "the index is outside the array");
			return;
		}
		p->low = p->high = (uint64_t)v.i;
	}
	n = p->high - p->low + 1;
	if (!fits_output(h, x, n))
		return;
	unsigned char *bytes = arena_alloc(&h->report->arena, n * size, 16),
		      *defined = arena_alloc(&h->report->arena, n * size, 1);

	if (h->broken ||
		!h->backend.read(
			h->backend.self, o->address + p->low * size, bytes, n * size, defined)) {
		if (!h->broken && !host_lost(h))
			diag_report(&h->report->findings, DIAG_L0402, x->source, x->span,
				"this memory cannot be read");
		return;
	}
	p->bytes = bytes;
	p->defined = defined;
}

static void show_expr(struct host *h, const struct expr *x, struct printed *p)
{
	struct eval e = host_evidence(h).eval;
	const struct expr *first;
	bool ok;
	uint64_t n = expr_ranges(x, &ok, &first, NULL);

	p->name = expr_text(x, &h->report->arena);
	p->is_expr = true;
	p->scalar = n == 0;
	p->low = first ? first->low : 0;
	p->high = p->low + (n ? n : 1) - 1;
	if (!fits_output(h, x, p->high - p->low + 1))
		return;
	p->value = ARENA_ARRAY(&h->report->arena, struct value, p->high - p->low + 1);
	for (uint64_t k = 0; k <= p->high - p->low; k++) {
		if (k % JUDGE_TIME_STEP == JUDGE_TIME_STEP - 1 && host_late(h)) {
			p->value = NULL;
			return;
		}
		e.offset = k;
		e.index = (__int128)p->low + k;
		if (!expr_eval(&e, x, &p->value[k])) {
			judge_no_value(h->report, &e);
			p->high = p->low; /* print nothing */
			p->value = NULL;
			return;
		}
	}
}

static void do_print(struct host *h, const struct stmt *t)
{
	for (const struct expr *x = t->expr; x; x = x->next) {
		struct printed *p = vec_push(&h->report->prints);

		*p = (struct printed){0};
		if (x->kind == EXPR_NAME && x->object >= 0)
			show_object(h, x, p);
		else
			show_expr(h, x, p);
		if (h->request->show)
			h->request->show(h->request->self, p);
	}
}

/* Judges an expect directive, unless the case stopped early and memory holds no final result, or
 * the directive would only repeat why the machine ended. */
static void do_expect(struct host *h, const struct stmt *t)
{
	struct report *r = h->report;
	struct evidence e = host_evidence(h);

	if (h->broken ||
		(h->stopped && (r->ended == MACHINE_UNSUPPORTED || r->ended == MACHINE_BUDGET)))
		return;
	if (t->kind == STMT_EXPECT && host_lost(h)) {
		const struct diag *cause = judge_first(r, "FB");

		if (!cause || !judge_is_expected(h->request->in, cause))
			return;
	}
	judge_expectation(&e, t);
}

/* Executes one directive. Once the case has stopped, directives only print or judge. */
static void execute_stmt(struct host *h, const struct stmt *t)
{
	bool ok = true;

	h->at = t;
	host_late(h);
	switch (t->kind) {
	case STMT_BUFFER: ok = h->stopped || do_buffer(h, t); break;
	case STMT_TEXTURE: ok = h->stopped || do_texture(h, t); break;
	case STMT_TENSOR_MAP: ok = h->stopped || do_tensor_map(h, t); break;
	case STMT_WRITE: ok = h->stopped || do_write(h, t) || h->stopped; break;
	case STMT_LAUNCH: ok = h->stopped || do_launch(h, t); break;
	case STMT_RECORD:
		if (!h->stopped)
			h->backend.record(h->backend.self, t->event_number, t->stream_number);
		break;
	case STMT_WAIT:
		if (!h->stopped)
			h->backend.wait(h->backend.self, t->event_number, t->stream_number);
		break;
	case STMT_SYNC: host_sync(h); break;
	case STMT_PRINT:
		host_sync(h);
		do_print(h, t);
		break;
	case STMT_EXPECT:
	case STMT_EXPECT_PRINTS:
		host_sync(h);
		do_expect(h, t);
		break;
	default: break;
	}
	if (!ok) {
		h->stopped = h->broken = true;
	}
}

static void execute_stats(struct host *h)
{
	struct report *r = h->report;

	if (!h->backend.stats || !h->backend.stats(h->backend.self, &r->stats))
		return;
	r->has_stats = true;
	if (r->stats.by_form)
		r->by_form = arena_copy(&r->arena, r->stats.by_form, isa_forms * sizeof *r->by_form,
			_Alignof(uint64_t));
	r->stats.by_form = r->by_form;
	if (r->stats.by_insn)
		r->stats.by_insn = arena_copy(&r->arena, r->stats.by_insn,
			h->request->module->ninsns * sizeof *r->stats.by_insn, _Alignof(uint64_t));
	if (h->backend.profile && h->backend.profile(h->backend.self))
		r->profile = arena_copy(&r->arena, h->backend.profile(h->backend.self),
			h->request->module->ninsns * sizeof *r->profile, _Alignof(uint64_t));
}

static bool execute_open(struct host *h)
{
	struct backend_request b = {
		.kind = h->options.on_gpu ? BACKEND_GPU : BACKEND_INTERP,
		.module = h->request->module,
		.options = &h->options.machine,
		.findings = &h->report->findings,
	};

	if (h->request->output && !h->options.on_gpu) {
		h->options.machine.print = h->request->output;
		h->options.machine.print_self = h->request->self;
	}
	h->report->findings.no_warnings = h->options.no_warnings;
	if (h->options.off)
		memcpy(h->report->findings.off, h->options.off, sizeof h->report->findings.off);
	h->options.machine.checks &= (uint8_t)backend_checks(b.kind);
	if (!(h->request->open ? h->request->open(h->request->self, &b, &h->backend)
			       : backend_open(&b, &h->backend)))
		return false;
	h->report->opened = true;
	if (h->request->opened)
		h->request->opened(h->request->self, &h->backend);
	h->args = (struct args_context){.module = h->request->module,
		.in = h->request->in,
		.diags = &h->report->findings,
		.arena = &h->report->arena,
		.function = function_address,
		.self = h};
	if (h->request->in->wants_registers && h->backend.keep_registers)
		h->backend.keep_registers(h->backend.self, true);
	for (uint32_t k = 0; k < h->request->in->nobjects; k++)
		if (!h->request->in->object[k].is_buffer &&
			!variable_address(h, &h->request->in->object[k]))
			h->stopped = h->broken = true;
	return true;
}

void host_execute(struct host *h, bool outcome)
{
	uint32_t n = h->request->in->nobjects;

	h->snapshot = memory_zeroed(n + 1, sizeof *h->snapshot);
	if (execute_open(h)) {
		for (const struct stmt *t = h->request->in->first; t; t = t->next)
			execute_stmt(h, t);
		host_sync(h);
		if (outcome && !h->stopped) {
			struct evidence e = host_evidence(h);

			judge_outcome(&e, h->outcomes);
		}
		execute_stats(h);
		objects_report(h);
		host_drop_snapshots(h);
		h->backend.close(h->backend.self);
	} else {
		h->broken = true;
	}
	memory_drop(h->snapshot);
}
