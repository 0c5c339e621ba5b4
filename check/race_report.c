/* The diagnostic of a race: both accesses, the kind of race, and the missing synchronisation. Each
 * pair of instructions is reported once, with a count. */
#include "check/race_state.h"
#include "base/lock.h"
#include "interp/sync/async.h"
#include "interp/state/cluster.h"
#include "interp/memory/mbarrier_wait.h"
#include "interp/sync/mbarrier_table.h"
#include "interp/memory/name.h"
#include "interp/stuck/report.h"
#include <inttypes.h>
#include <string.h>

static const char *const scope_text[SCOPES] = {".cta", ".cluster", ".gpu", ".sys"};

static bool is_product(const struct ir_module *m, uint32_t insn)
{
	const struct ir_insn *i = &m->insn[insn];

	return ir_form(i)->handler == HANDLER_wgmma ||
		(ir_form(i)->handler == HANDLER_tcgen && ir_has(m, i, W_mma));
}

static const char *report_verb(const struct ir_module *m, const struct record *x)
{
	if (x->how & HOW_COPY && is_product(m, x->insn))
		return "issues a product that reads";
	if (x->how & HOW_ASYNC)
		return x->how & HOW_ATOMIC ? "issues a reduction that changes"
					   : "issues an asynchronous store that writes";
	if (x->how & HOW_COPY)
		return x->how & HOW_WRITE ? "issues a copy that writes"
					  : "issues a copy that reads";
	return x->how & HOW_ATOMIC   ? (x->how & HOW_WRITE ? "changes" : "compares")
		: x->how & HOW_WRITE ? "writes"
				     : "reads";
}

static const char *report_strength(struct arena *a, const struct record *x)
{
	return x->how & HOW_STRONG ? arena_printf(a, "strong, %s", scope_text[x->scope]) : "weak";
}

static bool is_mbarrier(const struct ir_module *m, uint32_t insn)
{
	return ir_form(&m->insn[insn])->handler == HANDLER_mbarrier;
}

/* Whether INSN loads or stores a matrix: its accesses are of sizes that the program does not
 * choose. */
static bool is_matrix(const struct ir_module *m, uint32_t insn)
{
	enum handler h = (enum handler)ir_form(&m->insn[insn])->handler;

	return h == HANDLER_ldmatrix || h == HANDLER_wmma;
}

static bool is_async(const struct record *x) { return x->how & (HOW_COPY | HOW_ASYNC); }

static struct past_cta *past_cta_of(const struct race *r, uint32_t warp)
{
	return &r->past.data[r->family.warp_cta.data[warp]];
}

/* "thread 3 of CTA 1 of kernel 'k'" */
static const char *report_thread(
	const struct race *r, struct arena *a, uint32_t warp, unsigned lane, bool kernel)
{
	const struct past_cta *c = past_cta_of(r, warp);
	uint32_t n = (warp - c->first_warp) * LANES + lane;
	const struct machine_launch *l = &c->launch->ask;
	const uint32_t tid[3] = {
		n % l->block[0], n / l->block[0] % l->block[1], n / l->block[0] / l->block[1]};
	const uint32_t cta[3] = {(uint32_t)(c->linear % l->grid[0]),
		(uint32_t)(c->linear / l->grid[0] % l->grid[1]),
		(uint32_t)(c->linear / l->grid[0] / l->grid[1])};
	const char *text = arena_printf(
		a, "thread %s of CTA %s", where_dim(a, tid, l->block), where_dim(a, cta, l->grid));

	return kernel ? arena_printf(a, "%s of kernel '%s' (launch %u%s%s)", text,
				where_kernel(c->launch), c->launch->number, l->place ? ", " : "",
				l->place ? l->place : "")
		      : text;
}

static const char *report_location(const struct touch *t, struct arena *a)
{
	const struct machine *m = t->r->machine;
	const struct memory_block *b = t->space == W_shared ? NULL
							    : memory_find(m->memory, t->address);
	struct text name = {0};
	const char *text;

	if (!b) {
		if (!name_shared(m, t->owner->launch, (uint32_t)t->address, 0, &name))
			text_printf(&name, "byte 0x%x", (unsigned)t->address);
		text_printf(&name, " in shared memory of CTA %s",
			where_dim(a, t->owner->ctaid, t->owner->launch->ask.grid));
	} else if (b->name && *b->name) {
		name_element(&name, b->name, t->address - b->base, b->element, b->size);
		text_printf(&name, " (0x%" PRIx64 ")", t->address);
	} else {
		text_printf(&name, "0x%" PRIx64, t->address);
	}
	text = arena_printf(a, "%s", text_str(&name));
	text_free(&name);
	return text;
}

static unsigned needed_scope(const struct race *r, uint32_t a, uint32_t b)
{
	for (unsigned s = SCOPE_CTA; s < SCOPE_SYS; s++)
		if (scopes_include(r, a, s, b, s))
			return s;
	return SCOPE_SYS;
}

/* A release that covers the other access and was read at too narrow a scope. */
static const struct missed *report_missed(
	const struct touch *t, const struct record *x, unsigned lane)
{
	for (unsigned k = 0; k < MISSED; k++) {
		const struct missed *m = &t->cta->missed[k];

		if (m->head.clock &&
			((m->head.warp == x->warp && m->head.lane == lane &&
				 m->head.stamp >= x->stamp) ||
				clock_knows(m->head.clock, &t->r->family, x->warp, lane, x->stamp)))
			return m;
	}
	return NULL;
}

/* What made the other access: a thread or an asynchronous operation. */
static const char *report_other(
	struct touch *t, struct arena *a, const struct record *x, unsigned lane, bool kernel)
{
	if (!is_async(x))
		return report_thread(t->r, a, x->warp, lane, kernel);
	return arena_printf(a, "the %s of %s",
		is_product(t->r->machine->module, x->insn) ? "product"
			: x->how & HOW_ATOMIC              ? "reduction"
			: x->how & HOW_COPY                ? "copy"
							   : "asynchronous store",
		where_line_from(t->r->machine, x->insn, x->user_call).text);
}

/* How to wait for the asynchronous operation X. */
static void explain_wait(struct touch *t, struct diag *d, const struct record *x)
{
	const struct ir_module *m = t->r->machine->module;
	const struct ir_insn *i = &m->insn[x->insn];
	struct diags *out = t->r->machine->findings;

	if (ir_form(i)->handler == HANDLER_tcgen)
		diag_help(out, d,
			"wait for the phase of an mbarrier on which tcgen05.commit arrives after it, or synchronise with a thread that has waited");
	else if (is_product(m, x->insn))
		diag_help(out, d,
			"its warps must wait (wgmma.commit_group, then wgmma.wait_group) and then synchronise with other threads, for example by an mbarrier");
	else if (ir_has(m, i, W_mbarrier__complete_tx__bytes))
		diag_help(out, d,
			"wait for the phase of the mbarrier that it completes (mbarrier.try_wait), or synchronise with a thread that has waited");
	else if (ir_has(m, i, W_bulk_group))
		diag_help(out, d,
			"its issuer must wait (cp.async.bulk.commit_group, then cp.async.bulk.wait_group%s) and then synchronise with other threads, for example by bar.sync",
			x->how & HOW_WRITE ? "" : ".read");
	else if (x->how & HOW_COPY)
		diag_help(out, d,
			"its issuer must wait (cp.async.wait_group or wait_all) and then synchronise with other threads, for example by bar.sync; or use cp.async.mbarrier.arrive");
	else
		diag_help(out, d, "acquire the stored value, or wait for the end of its kernel");
}

static const struct head *report_pending(
	const struct touch *t, const struct record *x, unsigned lane)
{
	const struct heads *h = t->warp->sync ? &t->warp->sync[t->lane].pending : NULL;

	for (uint32_t k = 0; h && k < h->count; k++)
		if ((h->data[k].warp == x->warp && h->data[k].lane == lane &&
			    h->data[k].stamp >= x->stamp) ||
			clock_knows(h->data[k].clock, &t->r->family, x->warp, lane, x->stamp))
			return &h->data[k];
	return NULL;
}

/* The address operand of a plain load or store, or NULL. */
static const struct ir_operand *plain_address(
	const struct ir_module *m, uint32_t insn, enum opcode opcode)
{
	const struct ir_insn *i = &m->insn[insn];

	return ir_form(i)->opcode == opcode && i->noperands > 1
		? &m->operand[i->operand + (opcode == OP_ld)]
		: NULL;
}

static bool same_address(const struct ir_operand *a, const struct ir_operand *b)
{
	return a && b && a->kind == b->kind && a->index == b->index && a->aux == b->aux &&
		a->value == b->value;
}

/* Whether STORE and OTHER, a load or STORE itself, look like parts of one read-modify-write: a load
 * of the address shortly before the store to it. */
static bool is_read_modify_write(const struct ir_module *m, uint32_t store, uint32_t other)
{
	enum { NEAR = 16 };
	const struct ir_operand *to = plain_address(m, store, OP_st);
	uint32_t least = store > NEAR ? store - NEAR : 0;

	if (other != store)
		return other < store && other >= least &&
			same_address(to, plain_address(m, other, OP_ld));
	for (uint32_t k = store; k-- > least;)
		if (same_address(to, plain_address(m, k, OP_ld)))
			return true;
	return false;
}

/* Whether register REG, at instruction INSN, is computed from a value loaded from memory: such an
 * index may be the same in any two threads. */
static bool is_loaded(const struct ir_module *m, uint32_t insn, uint32_t reg, unsigned depth)
{
	enum { NEAR = 32, DEEP = 6 };
	static const enum opcode through[] = {
		OP_add, OP_mul, OP_mad, OP_shl, OP_cvt, OP_cvta, OP_mov, OP_and, OP_sub};

	for (uint32_t k = insn; k-- > 0 && insn - k <= NEAR;) {
		const struct ir_insn *i = &m->insn[k];
		const struct ir_operand *o = &m->operand[i->operand];
		enum opcode opcode = (enum opcode)ir_form(i)->opcode;

		if (!i->noperands || o->kind != IR_REG || o->index != reg)
			continue;
		if (opcode == OP_ld)
			return !ir_has(m, i, W_param);
		for (unsigned j = 0; depth < DEEP && j < sizeof through / sizeof *through; j++)
			for (unsigned n = 1; opcode == through[j] && n < i->noperands; n++)
				if (o[n].kind == IR_REG && is_loaded(m, k, o[n].index, depth + 1))
					return true;
		return false;
	}
	return false;
}

/* Whether the two are one read-modify-write, or STORE is part of one at a loaded index, which other
 * threads may share, while OTHER loads elsewhere in the program. */
static bool wants_an_atom(const struct ir_module *m, uint32_t store, uint32_t other)
{
	const struct ir_operand *to = plain_address(m, store, OP_st);

	return is_read_modify_write(m, store, other) ||
		(to && to->kind == IR_ADDR && to->aux == IR_BASE_REG &&
			plain_address(m, other, OP_ld) && is_read_modify_write(m, store, store) &&
			is_loaded(m, store, to->index, 0));
}

/* Whether instruction INSN seems to be guarded by a lock whose atom does not acquire. */
static bool under_a_lock(const struct ir_module *m, uint32_t insn)
{
	enum { NEAR = 16 };

	for (uint32_t k = insn; k-- > 0 && insn - k <= NEAR;) {
		const struct ir_insn *i = &m->insn[k];

		if (ir_form(i)->opcode == OP_atom && (ir_has(m, i, W_cas) || ir_has(m, i, W_exch)))
			return !ir_has(m, i, W_acquire) && !ir_has(m, i, W_acq_rel);
	}
	return false;
}

/* Two threads of one kernel: what would order them, depending on what they do. */
static void explain_threads(struct touch *t, struct diag *d, const struct record *x)
{
	struct machine *m = t->r->machine;
	const struct record *me = &t->r->record.data[t->id];
	bool writes = me->how & HOW_WRITE;

	if (under_a_lock(m->module, me->insn) || under_a_lock(m->module, x->insn))
		diag_help(m->findings, d,
			"a lock orders the accesses it guards if it is acquired by atom.acquire (or atom and fence.acq_rel) and released by st.release or atom.release");
	else if (wants_an_atom(m->module, writes ? me->insn : x->insn, writes ? x->insn : me->insn))
		diag_help(m->findings, d,
			"several threads read, modify and write one location: use one atom or red instruction (atomicAdd, atomicMin, ...)");
	else if (past_cta_of(t->r, t->warp->uid) != past_cta_of(t->r, x->warp))
		diag_help(m->findings, d,
			"threads of different CTAs: the first must release (st.release.%s, or a fence and a strong store) and the second acquire; or use two kernels",
			&scope_text[needed_scope(t->r, t->warp->uid, x->warp)][1]);
	else if (t->warp->uid == x->warp)
		diag_help(m->findings, d,
			"threads of one warp: put a bar.warp.sync (__syncwarp) between the two; lanes do not execute in lockstep");
	else
		diag_help(m->findings, d,
			"threads of one CTA: put a bar.sync (__syncthreads) between the two");
}

static void explain_order(struct touch *t, struct diag *d, const struct record *x, unsigned lane)
{
	struct race *r = t->r;
	struct machine *m = r->machine;
	const struct head *h = report_pending(t, x, lane);

	if (is_async(x))
		explain_wait(t, d, x);
	else if (is_mbarrier(m->module, x->insn))
		diag_help(m->findings, d,
			"after mbarrier.init the threads that use the mbarrier must synchronise, for example by bar.sync, before they use it");
	else if (h)
		diag_help(m->findings, d,
			"the value released at %s was read but never acquired: read it with ld.acquire, or put a fence.acq_rel after the read",
			where_line(m, h->insn).text);
	else if (past_cta_of(r, t->warp->uid)->launch != past_cta_of(r, x->warp)->launch)
		diag_help(m->findings, d,
			"the kernels run concurrently: put them into one stream, record an event after the first and wait for it, or use strong accesses");
	else
		explain_threads(t, d, x);
}

static enum diag_code report_code(const struct ir_module *module, const struct record *me,
	const struct record *x, const struct missed *m)
{
	if ((me->how ^ x->how) & HOW_NC)
		return DIAG_R0105;
	if (me->bytes != x->bytes && !((me->how | x->how) & HOW_COPY) &&
		!is_matrix(module, me->insn) && !is_matrix(module, x->insn))
		return DIAG_R0103;
	if (me->how & x->how & HOW_STRONG && (me->how ^ x->how) & HOW_COPY)
		return DIAG_R0105; /* a bulk reduction, through the async proxy */
	if (m || me->how & x->how & HOW_STRONG)
		return DIAG_R0102;
	return (me->how | x->how) & HOW_STRONG ? DIAG_R0104 : DIAG_R0101;
}

/* The mbarrier of a wait that returned at once, since its phase was already complete, and that
 * caused the race; or NULL. It is a wait of a thread that the copy's mbarrier should have held back
 * or, for two threads, of one that waited for the same phase twice. (Before the first phase a
 * producer does so on purpose.) */
static struct mbarrier_record *report_stale_wait(
	const struct touch *t, const struct record *x, unsigned lane)
{
	const struct past_cta *c = past_cta_of(t->r, t->warp->uid);
	struct cta *cta = t->of->cta;
	const struct warp *other = c == past_cta_of(t->r, x->warp) &&
			x->warp - c->first_warp < cta->nwarps
		? &cta->warp[x->warp - c->first_warp]
		: NULL;
	struct mbarrier_record *mine = mbarrier_stale(t->of, t->lane),
			       *others = other ? mbarrier_stale(other, lane) : NULL;
	const struct copy *b = async_first(cta->cluster);

	if (t->copy) {
		mine = other && !is_async(x) ? others : mine;
		return mine && async_completes(t->copy, cta, mine->offset) ? mine : NULL;
	}
	if (is_async(x)) {
		while (b &&
			!(mine && b->op->insn == x->insn && async_completes(b, cta, mine->offset)))
			b = b->next;
		return b ? mine : NULL;
	}
	if (mine && other && mbarrier_passed(t->of, t->lane)->phase != UINT64_MAX)
		return mine;
	return others && mbarrier_passed(other, lane)->phase != UINT64_MAX ? others : NULL;
}

/* One of the two threads has waited for a phase that completed without an arrival of the other: the
 * mbarrier's count is less than the number of threads in the CTA. */
static void explain_count(
	const struct touch *t, struct diag *d, const struct record *x, unsigned lane)
{
	const struct past_cta *c = past_cta_of(t->r, t->warp->uid);
	struct machine *m = t->r->machine;
	struct cta *cta = t->of->cta;
	uint32_t other = x->warp - c->first_warp;

	if (c != past_cta_of(t->r, x->warp) || other >= cta->nwarps || is_async(x))
		return;
	for (unsigned k = 0; k < 2; k++) {
		const struct warp *waited = k ? &cta->warp[other] : t->of,
				  *absent = k ? t->of : &cta->warp[other];
		unsigned waiter = k ? lane : t->lane, missing = k ? t->lane : lane;
		const struct mbarrier_wait *wait = mbarrier_passed(waited, waiter);
		const struct mbarrier_record *b = wait && wait->cta == cta
			? mbarrier_known(cta, wait->offset)
			: NULL;

		if (!b || !b->live || b->init_count < 2 || b->init_count >= c->launch->threads ||
			b->ever[absent->index] >> missing & 1 ||
			!(b->ever[waited->index] >> waiter & 1))
			continue;
		diag_note(m->findings, d,
			"thread %u has waited for phase %llu of mbarrier %s, which %u arrivals completed before thread %u's: mbarrier.init (%s) expects %u arrivals, and the CTA has %u threads",
			waited->index * LANES + waiter, (unsigned long long)wait->phase,
			name_mbarrier(m, cta, b->offset).text, b->init_count,
			absent->index * LANES + missing,
			where_line_from(m, b->init_insn, b->init_call).text, b->init_count,
			(unsigned)c->launch->threads);
		diag_help(m->findings, d,
			"if all threads must meet at this mbarrier, its count must be the number of threads that arrive");
		return;
	}
}

static struct diag_who who_is(const struct race *r, uint32_t warp, unsigned lane)
{
	const struct past_cta *c = past_cta_of(r, warp);

	return (struct diag_who){.known = true,
		.launch = c->launch->number,
		.cta = c->linear,
		.thread = (warp - c->first_warp) * LANES + lane};
}

static void report_new(struct touch *t, const struct record *x, unsigned lane, uint32_t at,
	struct mbarrier_record *stale)
{
	struct race *r = t->r;
	struct machine *m = r->machine;
	struct arena *a = &m->findings->arena;
	const struct record *me = &r->record.data[t->id];
	const struct missed *narrow = report_missed(t, x, lane);
	enum diag_code code = report_code(m->module, me, x, narrow);
	bool nc = (me->how ^ x->how) & HOW_NC,
	     kernels = past_cta_of(r, x->warp)->launch != past_cta_of(r, t->warp->uid)->launch;
	struct diag *d = diag_report(m->findings, code, m->module->source,
		m->module->insn[me->insn].span,
		"data race on %s: %s %s %u byte%s here (%s), %s %s %u (%s), and %s",
		report_location(t, a), report_thread(r, a, t->warp->uid, t->lane, kernels),
		report_verb(m->module, me), me->bytes, me->bytes == 1 ? "" : "s",
		report_strength(a, me), report_other(t, a, x, lane, kernels),
		x->how & HOW_ATOMIC          ? "changed"
			: x->how & HOW_WRITE ? "wrote"
					     : "read",
		x->bytes, report_strength(a, x),
		code != DIAG_R0105 ? "nothing orders them"
			: nc       ? "the load goes through another proxy"
				   : "they go through different proxies");

	d->label[0].call = where_call(m, me->user_call);
	d->label[0].who = who_is(r, t->warp->uid, t->lane);
	if (diag_label(m->findings, d, m->module->source, m->module->insn[x->insn].span,
		    "the other access")) {
		d->label[1].call = where_call(m, x->user_call);
		d->label[1].who = who_is(r, x->warp, lane);
	}
	if (code == DIAG_R0105 && nc) {
		diag_help(m->findings, d,
			"load it without .nc (in CUDA: not through __ldg or a const __restrict__ pointer), or in another kernel");
	} else if (narrow) {
		diag_note(m->findings, d,
			"%s releases at %s and %s acquires at %s: the two threads are not in each other's scope",
			where_line(m, narrow->head.insn).text, scope_text[narrow->head.scope],
			where_line(m, narrow->insn).text, scope_text[narrow->scope]);
		diag_help(m->findings, d, "use %s on both sides",
			scope_text[needed_scope(r, t->warp->uid, narrow->head.warp)]);
	} else if (code == DIAG_R0102) {
		diag_help(m->findings, d,
			"both are strong, but the scope of one does not include the other's thread: use %s",
			scope_text[needed_scope(r, t->warp->uid, x->warp)]);
	} else if (code == DIAG_R0103) {
		diag_help(m->findings, d,
			"use one size for this location; after a race of mixed sizes the memory model does not define the outcome");
	} else if (code == DIAG_R0104) {
		diag_note(m->findings, d,
			"one of the two is weak, so the other being strong does not help");
		explain_order(t, d, x, lane);
		if (!report_pending(t, x, lane) && !is_mbarrier(m->module, x->insn) &&
			!under_a_lock(m->module, me->insn))
			diag_help(m->findings, d,
				"make the weak access strong (at least .relaxed%s), or order the two",
				scope_text[needed_scope(r, t->warp->uid, x->warp)]);
	} else {
		explain_order(t, d, x, lane);
	}
	where_thread(m, d, t->of, t->lane);
	if (stale)
		mbarrier_tell(t->of, stale, d);
	else if (code == DIAG_R0101 && !kernels)
		explain_count(t, d, x, lane);
	r->report.data[at] = d;
}

/* One of the two, or both, is work of the host: there is no instruction to show for it. */
static void report_host(struct touch *t, const struct record *x, unsigned lane, uint32_t at)
{
	struct race *r = t->r;
	struct machine *m = r->machine;
	struct arena *a = &m->findings->arena;
	const struct record *me = &r->record.data[t->id];
	const struct record *kernel = !race_is_host(me) ? me : !race_is_host(x) ? x : NULL;
	const char *did = x->how & HOW_ATOMIC ? "changed" : x->how & HOW_WRITE ? "wrote" : "read";
	const char *first = race_is_host(x)
		? arena_printf(a, "%s %s it", r->host_what.data[x->insn - HOST_INSN], did)
		: arena_printf(a, "%s %s %u bytes here (%s)",
			  report_thread(r, a, x->warp, lane, true), did, x->bytes,
			  report_strength(a, x));
	const char *second = race_is_host(me)
		? arena_printf(a, "%s %s it", r->host_what.data[me->insn - HOST_INSN],
			  me->how & HOW_WRITE ? "writes" : "reads")
		: arena_printf(a, "%s %s %u bytes here (%s)",
			  report_thread(r, a, me->warp, t->lane, true), report_verb(m->module, me),
			  me->bytes, report_strength(a, me));
	struct diag *d = diag_report(m->findings, DIAG_R0101, kernel ? m->module->source : NULL,
		kernel ? m->module->insn[kernel->insn].span : (struct span){0, 0},
		"data race on %s: %s, %s, and nothing orders them", report_location(t, a), second,
		first);

	if (kernel)
		d->label[0].call = where_call(m, kernel->user_call);
	diag_help(m->findings, d,
		"put both into one stream, record an event after the first and wait for it, or let the host wait for the first");
	if (kernel == me)
		where_thread(m, d, t->of, t->lane);
	r->report.data[at] = d;
}

/* A pair that was first reported within one warp or CTA now races between two: replaces the help by
 * that for the wider case, which also orders the pair reported. The finding shows the first pair,
 * so the help says that it is about others. */
static void report_widen(struct touch *t, struct diag *d, const struct record *x, unsigned lane)
{
	static const char prefix[] = "threads of ";
	bool warp = d->help && strstr(d->help, "threads of one warp"),
	     cta = d->help && strstr(d->help, "threads of one CTA");

	if (!(warp && t->warp->uid != x->warp) &&
		!(cta && past_cta_of(t->r, t->warp->uid) != past_cta_of(t->r, x->warp)))
		return;
	d->help = NULL;
	explain_order(t, d, x, lane);
	if (d->help && strncmp(d->help, prefix, sizeof prefix - 1) == 0)
		diag_help(t->r->machine->findings, d, "other pairs here are %s", d->help);
}

/* If A and B are mbarrier.init and another operation on mbarriers: the finding that already reports
 * that this initialisation is not ordered before what follows. fault_lock is held. */
static struct diag *report_of_init(const struct machine *m, uint32_t a, uint32_t b)
{
	const struct ir_module *ir = m->module;
	uint32_t init = ir_has(ir, &ir->insn[a], W_init) ? a : b;

	if (!is_mbarrier(ir, a) || !is_mbarrier(ir, b) || !ir_has(ir, &ir->insn[init], W_init))
		return NULL;
	for (struct diag *d = m->findings->first; d; d = d->next)
		for (unsigned k = 0; k < d->nlabels &&
			(d->code == DIAG_S0230 || d->code == DIAG_S0231 ||
				diag_code_info(d->code).code[0] == 'R');
			k++)
			if (d->label[k].given == ir->source &&
				d->label[k].given_off == ir->insn[init].span.off)
				return d;
	return NULL;
}

void race_report(struct touch *t, const struct record *x, unsigned lane)
{
	struct race *r = t->r;
	const struct record *me = &r->record.data[t->id];
	uint32_t low = me->insn < x->insn ? me->insn : x->insn,
		 high = me->insn < x->insn ? x->insn : me->insn;
	uint64_t key = (uint64_t)low << 32 | high;
	uint32_t at = map_get(&r->seen, key, UINT32_MAX);
	struct mbarrier_record *stale;
	struct diag *init;

	lock_take(&r->machine->fault_lock);
	if (at != UINT32_MAX) {
		r->report.data[at]->count++;
		report_widen(t, r->report.data[at], x, lane);
	} else {
		at = r->report.count;
		map_set(&r->seen, key, at);
		*vec_push(&r->report) = NULL;
		if (race_is_host(me) || race_is_host(x)) {
			report_host(t, x, lane, at);
			lock_give(&r->machine->fault_lock);
			return;
		}
		stale = report_stale_wait(t, x, lane);
		init = report_of_init(r->machine, me->insn, x->insn);
		if (init || (stale && stale->told)) {
			/* counted, but not shown */
			r->report.data[at] = ARENA_NEW(&r->machine->findings->arena, struct diag);
			mbarrier_tell_more(r->machine, init ? init : stale->told,
				init ? report_code(
					       r->machine->module, me, x, report_missed(t, x, lane))
				     : DIAG_R0101,
				me->insn);
		} else {
			report_new(t, x, lane, at, stale);
		}
	}
	lock_give(&r->machine->fault_lock);
}
