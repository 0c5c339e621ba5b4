/* Writes a trace as JSON lines: one object per event, in the order of events. docs/TRACE.md
 * describes the fields. */
#include "interp/sync/async.h"
#include "interp/sync/mbarrier.h"
#include "interp/stuck/report.h"
#include "trace/trace_state.h"
#include <inttypes.h>
#include <string.h>

static void lines_name(struct trace *t, const char *s) { text_json(&t->line, s, strlen(s)); }

static void lines_word(struct trace *t, const char *key, enum word w)
{
	if (w)
		text_printf(&t->line, ", \"%s\": \"%s\"", key, word_text(w));
}

static void lines_triple(struct trace *t, const char *key, const uint32_t v[3])
{
	text_printf(&t->line, ", \"%s\": [%u, %u, %u]", key, v[0], v[1], v[2]);
}

static void lines_launch(struct trace *t, const struct launch *l)
{
	text_puts(&t->line, ", \"kernel\": ");
	lines_name(t, where_symbol(l, t->machine));
	if (where_kernel_whole(l, t->machine) != where_symbol(l, t->machine)) {
		text_puts(&t->line, ", \"kernel_name\": ");
		lines_name(t, where_kernel_whole(l, t->machine));
	}
	lines_triple(t, "grid", l->ask.grid);
	lines_triple(t, "block", l->ask.block);
	if (l->ask.cluster[0])
		lines_triple(t, "cluster", l->ask.cluster);
	text_printf(&t->line, ", \"stream\": %u", l->ask.stream);
}

/* OVER: the phase has completed, so no arrivals are pending; the state word already belongs to the
 * next phase. */
static void lines_mbarrier(struct trace *t, const struct trace_object *o, bool over)
{
	struct text variable = {0};

	trace_variable(t, o->cta, o->number, &variable);
	text_printf(&t->line,
		", \"mbarrier\": {\"cta\": %" PRIu64 ", \"offset\": %u, \"name\": ", o->cta->linear,
		o->number);
	lines_name(t, text_str(&variable));
	text_printf(&t->line,
		", \"phase\": %" PRIu64 ", \"pending\": %u, \"expected\": %u, \"tx\": %d}",
		o->phase, over ? 0 : mbarrier_pending(o->word), mbarrier_expected(o->word),
		mbarrier_tx(o->word));
	text_free(&variable);
}

static void lines_object(struct trace *t, const struct trace_object *o, enum trace_kind kind)
{
	bool contributes = kind == TRACE_ARRIVE || kind == TRACE_COMPLETE_TX;

	switch ((enum trace_object_kind)o->kind) {
	case OBJECT_MBARRIER:
		lines_mbarrier(t, o, contributes && mbarrier_parity(o->word) != (o->phase & 1));
		break;
	case OBJECT_BARRIER:
		text_printf(&t->line, ", \"barrier\": {\"number\": %u, \"phase\": %" PRIu64,
			o->number, o->phase);
		break;
	case OBJECT_CLUSTER:
		text_printf(&t->line, ", \"cluster\": {\"cta\": %" PRIu64 ", \"phase\": %" PRIu64,
			o->cta->linear, o->phase);
		break;
	case OBJECT_NONE:
	case OBJECT_WARP:
	default: break;
	}
	if (o->kind != OBJECT_BARRIER && o->kind != OBJECT_CLUSTER)
		return;
	if (kind != TRACE_WAIT_ENDS)
		text_printf(
			&t->line, ", \"arrived\": %u, \"expected\": %u", o->arrived, o->expected);
	text_putc(&t->line, '}');
}

static void lines_copy(struct trace *t, const struct trace_event *e)
{
	const struct copy *c = e->copy;
	uint64_t bytes = 0;

	for (uint32_t k = 0; k < c->nparts; k++)
		bytes += c->part[k].bytes;
	text_printf(&t->line, ", \"copy\": %" PRIu64, c->number);
	if (e->kind == TRACE_COPY_ISSUED || e->kind == TRACE_COPY_LANDED)
		text_printf(&t->line, ", \"bytes\": %" PRIu64 ", \"left\": %u", bytes, c->left);
}

static void lines_wait(struct trace *t, const struct trace_event *e)
{
	static const char *const outcome[] = {[WAIT_COMPLETE] = "complete",
		[WAIT_ABANDONED] = "abandoned",
		[WAIT_NEVER] = "unfinished"};

	text_printf(&t->line, ", \"since\": %" PRIu64 ", \"outcome\": \"%s\"", e->wait->begin,
		outcome[e->outcome]);
}

static void lines_access(struct trace *t, const struct access_event *a)
{
	uint64_t last = 0;
	bool any = false;

	text_printf(&t->line, ", \"space\": \"%s\", \"bytes\": %u, \"addresses\": [",
		word_text((enum word)a->space), a->bytes);
	FOR_LANES(lane, a->mask) {
		if (any && a->address[lane] == last)
			continue;
		last = a->address[lane];
		text_printf(&t->line, any ? ", \"0x%" PRIx64 "\"" : "\"0x%" PRIx64 "\"", last);
		any = true;
	}
	text_putc(&t->line, ']');
}

static void lines_details(struct trace *t, const struct trace_event *e)
{
	switch (e->kind) {
	case TRACE_RUN_BEGINS: text_printf(&t->line, ", \"run\": %u", t->runs); break;
	case TRACE_RUN_ENDS:
		text_printf(&t->line, ", \"run\": %u, \"outcome\": \"%s\"", t->runs - 1,
			trace_outcome_of(t->machine));
		break;
	case TRACE_LAUNCH_BEGINS: lines_launch(t, e->launch); break;
	case TRACE_ARRIVE: text_printf(&t->line, ", \"count\": %" PRIu64, e->count); break;
	case TRACE_EXPECT_TX:
	case TRACE_COMPLETE_TX: text_printf(&t->line, ", \"bytes\": %" PRIu64, e->count); break;
	case TRACE_WAIT_ENDS: lines_wait(t, e); break;
	case TRACE_COPIES_AWAITED:
		text_printf(&t->line, ", \"groups\": \"%s\"", e->count ? "bulk" : "cp.async");
		break;
	case TRACE_ACCESS: lines_access(t, e->access); break;
	case TRACE_LAUNCH_ENDS:
	case TRACE_CTA_BEGINS:
	case TRACE_CTA_ENDS:
	case TRACE_EXIT:
	case TRACE_INIT:
	case TRACE_INVAL:
	case TRACE_PHASE_FLIPS:
	case TRACE_WAIT_BEGINS:
	case TRACE_WARP_SYNC:
	case TRACE_FENCE:
	case TRACE_PROXY_FENCE:
	case TRACE_COPY_ISSUED:
	case TRACE_COPY_LANDED:
	default: break;
	}
}

void lines_event(struct trace *t, const struct trace_event *e)
{
	size_t n;

	text_printf(&t->line, "{\"time\": %" PRIu64 ", \"event\": \"%s\"", e->time,
		trace_kind_name[e->kind]);
	if (e->launch)
		text_printf(&t->line, ", \"launch\": %u", e->launch->number);
	if (e->cta)
		text_printf(&t->line, ", \"cta\": %" PRIu64, e->cta->linear);
	if (e->warp)
		text_printf(&t->line, ", \"warp\": %u", e->warp->index);
	if (e->mask)
		text_printf(&t->line, ", \"lanes\": \"0x%08x\"", e->mask);
	if (e->op) {
		const char *opcode = trace_opcode(t, e->op, &n);

		text_puts(&t->line, ", ");
		trace_place(t, e->op, e->user_call);
		text_puts(&t->line, ", \"instruction\": ");
		text_json(&t->line, opcode, n);
	}
	lines_object(t, &e->object, e->kind);
	lines_details(t, e);
	if (e->copy)
		lines_copy(t, e);
	lines_word(t, "sem", sem_word(e->sem));
	lines_word(t, "scope", e->sem == SEM_WEAK ? W_NONE : scope_word(e->scope));
	text_puts(&t->line, "}\n");
}
