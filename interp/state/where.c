/* Describes places in text: threads, lines, and what groups wait at. */
#include "interp/state/where.h"
#include <string.h>

enum { NAME_BRIEF = 160 }; /* bytes: some two lines */

const char *where_dim(struct arena *a, const uint32_t v[3], const uint32_t of[3])
{
	if (of[1] == 1 && of[2] == 1)
		return arena_printf(a, "%u", v[0]);
	if (of[2] == 1)
		return arena_printf(a, "(%u, %u)", v[0], v[1]);
	return arena_printf(a, "(%u, %u, %u)", v[0], v[1], v[2]);
}

/* The bytes of the template arguments in angle brackets at AT, brackets included; 0: none. */
static size_t arguments_at(const char *at)
{
	size_t depth = 0, k = 0;

	do {
		if (!at[k])
			return 0;
		depth += at[k] == '<';
		depth -= at[k] == '>' && !(k && at[k - 1] == '-');
		k++;
	} while (depth);
	return k;
}

const char *where_brief(struct arena *a, const char *name)
{
	struct text t = {0};
	size_t n;

	if (strlen(name) <= NAME_BRIEF || strstr(name, "operator"))
		return name;
	for (const char *at = name; *at; at += n) {
		n = *at == '<' ? arguments_at(at) : 0;
		if (n > 2) {
			text_puts(&t, "<...>");
		} else {
			n = 1;
			text_putc(&t, *at);
		}
	}
	name = arena_text(a, text_str(&t), strlen(text_str(&t)));
	text_free(&t);
	return name;
}

const char *where_kernel(const struct launch *l) { return l->name; }

const char *where_kernel_whole(const struct launch *l, const struct machine *m)
{
	return symbol_shown(&m->module->symbols, m->module->func[l->ask.func].name);
}

const char *where_symbol(const struct launch *l, const struct machine *m)
{
	return symbol_text(&m->module->symbols, m->module->func[l->ask.func].name);
}

void where_thread(struct machine *m, struct diag *r, const struct warp *w, unsigned lane)
{
	const struct cta *c = w->cta;
	const struct launch *l = c->launch;
	const uint32_t tid[3] = {w->tid[0][lane], w->tid[1][lane], w->tid[2][lane]};
	struct arena *a = &m->findings->arena;

	r->cta = (int64_t)c->linear;
	r->thread = (int64_t)w->index * LANES + lane;
	diag_note(m->findings, r, "in kernel '%s', CTA %s, thread %s%s%s", where_kernel(l),
		where_dim(a, c->ctaid, l->ask.grid), where_dim(a, tid, l->ask.block),
		l->ask.place ? ", " : "", l->ask.place ? l->ask.place : "");
}

struct line_text where_line_from(struct machine *m, uint32_t insn, uint32_t user_call)
{
	return insn == IR_NONE ? (struct line_text){"line 0"}
			       : source_line_text(m->module->source, m->module->insn[insn].span.off,
					 where_call(m, user_call));
}

struct line_text where_line(struct machine *m, uint32_t insn)
{
	return where_line_from(m, insn, 0);
}

uint32_t where_user_call(struct machine *m, const struct frame *f)
{
	const struct ir_module *ir = m->module;
	uint32_t call = f->caller->code->op[f->call_pc].insn;
	const struct origin *o;

	if (!ir->source->origins && !ir->source->nparts)
		return 0;
	o = origin_users(source_origin(ir->source, ir->insn[call].span.off));
	return o && o->file->users ? call + 1 : f->caller->user_call;
}

struct span where_call(struct machine *m, uint32_t user_call)
{
	return user_call ? m->module->insn[user_call - 1].span : (struct span){0, 0};
}

uint32_t where_ptx_line(struct machine *m, uint32_t insn)
{
	uint32_t line = 0, column = 0;

	if (insn != IR_NONE)
		source_place(m->module->source, m->module->insn[insn].span.off, &line, &column);
	return line;
}

static const struct op *group_op(const struct group *g)
{
	return g->pc < g->frame->code->nops ? &g->frame->code->op[g->pc] : NULL;
}

static uint32_t group_insn(const struct group *g)
{
	const struct op *op = group_op(g);

	return op ? op->insn : IR_NONE;
}

void where_threads(struct text *t, const struct warp *w, uint32_t mask, unsigned most)
{
	uint32_t first = w->index * LANES, ranges = 0;
	bool any = false, one = (mask & (mask - 1)) == 0;

	text_puts(t, one ? "thread " : "threads ");
	for (uint32_t lane = 0; lane < LANES;) {
		uint32_t end = lane;

		if (!(mask >> lane & 1)) {
			lane++;
			continue;
		}
		if (ranges++ == most) {
			text_printf(t, " and %d more", __builtin_popcount(mask >> lane));
			return;
		}
		while (end + 1 < LANES && mask >> (end + 1) & 1)
			end++;
		text_printf(t, any ? ", %u" : "%u", first + lane);
		if (end > lane)
			text_printf(t, end == lane + 1 ? ", %u" : " to %u", first + end);
		any = true;
		lane = end + 1;
	}
}

void where_group(struct machine *m, struct text *t, const struct group *g)
{
	uint32_t insn = group_insn(g);
	struct line_text place = where_line_from(m, insn, g->frame->user_call);
	const char *line = place.text;

	switch (g->state) {
	case GROUP_BARRIER: text_printf(t, "at barrier %u, %s", g->wait, line); break;
	case GROUP_GATHER:
	case GROUP_ALIGNED: text_printf(t, "at %s for other lanes of the warp", line); break;
	case GROUP_SLEEP: text_printf(t, "asleep before %s", line); break;
	case GROUP_CLUSTER: text_printf(t, "at the cluster's barrier, %s", line); break;
	case GROUP_REJOIN:
		text_printf(t, "before %s for the rest of the warp, which diverged", line);
		break;
	default: text_printf(t, "at %s", line); break;
	}
}
