/* What a stopped program looks like: places, warps, lines, registers, memory. */
#include "debug/show.h"
#include "debug/names.h"
#include "interp/state/warp.h"
#include "interp/state/where.h"
#include "script/verdict/show.h"
#include <stdlib.h>
#include <string.h>

enum { LIST_LINES = 10, LIST_BEFORE = 4, MOST_REGISTERS = 256, MOST_ELEMENTS = 4096 };

static const struct ir_module *module_of(const struct engine *e) { return e->s->request->module; }

static void fails(struct engine *e, const char *what)
{
	text_printf(&e->out, "%s\n", what);
	e->s->failed = true;
}

/* The group of W that has the lane of T, or the one that runs, or the first. */
static uint32_t group_of(const struct engine *e, const struct warp *w, const struct turn *t)
{
	if (t->lane < LANES)
		for (uint32_t k = w->ngroups; k-- > 0;)
			if (w->group[k].mask >> t->lane & 1)
				return k;
	return w == e->w && w->current < w->ngroups ? w->current : 0;
}

/* The instruction that group K of W executes next, or IR_NONE. */
static uint32_t group_insn(const struct engine *e, const struct warp *w, uint32_t k)
{
	const struct group *g = &w->group[k];

	if (w == e->w && k == w->current && e->op)
		return e->op->insn;
	return g->frame && g->pc < g->frame->code->nops ? g->frame->code->op[g->pc].insn : IR_NONE;
}

static struct frame *group_frame(const struct engine *e, const struct warp *w, uint32_t k)
{
	return w == e->w && k == w->current && e->op ? w->frame : w->group[k].frame;
}

/* Line LINE of S as it is written, with its number in front. */
static void add_line(struct engine *e, struct source *s, uint32_t line, char mark)
{
	uint32_t len;
	const char *text = source_line(s, line, &len);

	text_printf(&e->out, "%c%5u  ", mark, line);
	for (uint32_t k = 0; k < len; k++)
		text_putc(&e->out, (unsigned char)text[k] < 32 || text[k] == 127 ? ' ' : text[k]);
	while (e->out.len && e->out.data[e->out.len - 1] == ' ')
		e->out.data[--e->out.len] = 0;
	text_putc(&e->out, '\n');
}

static uint32_t line_of(const struct engine *e, uint32_t insn)
{
	uint32_t line = 0, column = 0;
	struct source *s = module_of(e)->source;

	if (insn != IR_NONE)
		source_place(s, module_of(e)->insn[insn].span.off, &line, &column);
	return line;
}

/* The lines of INSN: of the PTX, after that of the file it was compiled from if it can be read. */
static void add_insn(struct engine *e, uint32_t insn)
{
	struct source *s = module_of(e)->source;
	const struct origin *o;

	if (insn == IR_NONE)
		return;
	o = origin_users(source_origin(s, module_of(e)->insn[insn].span.off));
	if (o) {
		struct source *text = origin_text(s, o);

		text_printf(&e->out, " %s:%u\n", origin_base(o->file->name), o->line);
		if (text)
			add_line(e, text, o->line, ' ');
	}
	add_line(e, s, line_of(e, insn), ' ');
}

void show_stop(struct engine *e)
{
	const struct session *s = e->s;
	const struct turn *t = &s->focus;
	const struct warp *w = names_warp(e, t);

	if (s->at.ended) {
		text_printf(&e->out, "the run has ended after %llu step%s\n",
			(unsigned long long)e->step, e->step == 1 ? "" : "s");
		return;
	}
	text_printf(&e->out, "step %llu: ", (unsigned long long)e->step);
	names_turn(e, t, &e->out);
	if (!w || !w->live) {
		text_puts(&e->out, " has exited\n");
		return;
	}
	uint32_t k = group_of(e, w, t);

	text_puts(&e->out, ", ");
	where_threads(&e->out, w, w->group[k].mask, 4);
	if (w == e->w && k == w->current && e->op) {
		if (!e->mask)
			text_puts(&e->out, ", skipped by its guard");
		else if (e->mask != w->active) {
			text_puts(&e->out, ", of which ");
			where_threads(&e->out, w, e->mask, 4);
		}
	} else if (w->group[k].state != GROUP_READY) {
		text_puts(&e->out, ", ");
		text_puts(&e->out, w->group[k].state == GROUP_SLEEP ? "asleep" : "waiting");
	}
	text_putc(&e->out, '\n');
	add_insn(e, group_insn(e, w, k));
}

/* What group K of W is doing, as one part of a sentence. */
static void add_group(struct engine *e, const struct warp *w, uint32_t k)
{
	where_threads(&e->out, w, w->group[k].mask, 4);
	text_putc(&e->out, ' ');
	if (w == e->w && k == w->current && e->op)
		text_printf(&e->out, "at %s", where_line(e->machine, e->op->insn).text);
	else
		where_group(e->machine, &e->out, &w->group[k]);
}

void show_where(struct engine *e)
{
	const struct warp *w = names_warp(e, &e->s->focus);
	const struct frame *f;
	unsigned depth = 0;

	show_stop(e);
	if (!w || !w->live)
		return;
	f = group_frame(e, w, group_of(e, w, &e->s->focus));
	text_printf(&e->out, "in '%s'",
		symbol_shown(&module_of(e)->symbols, module_of(e)->func[f->code->func].name));
	for (; f->caller && depth < 16; f = f->caller, depth++)
		text_printf(&e->out, ", called at %s in '%s'",
			where_line(e->machine, f->caller->code->op[f->call_pc].insn).text,
			symbol_shown(&module_of(e)->symbols,
				module_of(e)->func[f->caller->code->func].name));
	text_puts(&e->out, f->caller ? ", ...\n" : "\n");
}

void show_warps(struct engine *e, bool all)
{
	const struct turn *t = &e->s->focus;

	for (uint32_t i = 0; i < e->ctas.count && i < 1000; i++) {
		const struct cta *c = e->ctas.data[i];
		bool focus = c->linear == t->cta && c->launch->number == t->launch;

		text_printf(&e->out, "CTA %llu of '%s', launch %u", (unsigned long long)c->linear,
			where_kernel(c->launch, e->machine), c->launch->number);
		if (!focus && !all) {
			text_printf(&e->out, ": %u warps, %d live\n", c->nwarps,
				__builtin_popcount(c->live));
			continue;
		}
		text_puts(&e->out, ":\n");
		for (uint32_t k = 0; k < c->nwarps; k++) {
			const struct warp *w = &c->warp[k];

			text_printf(&e->out, "%c%c warp %u: ", focus && t->warp == k ? '>' : ' ',
				w == e->w ? '*' : ' ', k);
			if (!w->live)
				text_puts(&e->out, "has exited");
			for (uint32_t j = 0; w->live && j < w->ngroups; j++) {
				text_puts(&e->out, j ? "; " : "");
				add_group(e, w, j);
			}
			text_putc(&e->out, '\n');
		}
	}
	if (!e->ctas.count)
		text_puts(&e->out, "no CTA runs\n");
	else
		text_puts(&e->out, "(> in focus, * executes the next step)\n");
}

void show_protocol_threads(struct engine *e)
{
	for (uint32_t i = 0; i < e->ctas.count && i < 1000; i++)
		for (uint32_t k = 0; k < e->ctas.data[i]->nwarps; k++) {
			const struct cta *c = e->ctas.data[i];
			const struct turn t = {c->launch->number, c->linear, k, TURN_ANY_LANE};

			if (!c->warp[k].live)
				continue;
			text_printf(&e->out, "%u %llu %u ", t.launch, (unsigned long long)t.cta, k);
			names_turn(e, &t, &e->out);
			text_putc(&e->out, '\n');
		}
	if (!e->ctas.count)
		text_puts(&e->out, "0 0 0 the run has ended\n");
}

/* One call: line of the PTX, line of the source or 0, its file or -, function. */
static void add_call(struct engine *e, uint32_t insn, uint32_t func)
{
	const struct origin *o = insn == IR_NONE ? NULL
						 : origin_users(source_origin(module_of(e)->source,
							   module_of(e)->insn[insn].span.off));
	struct source *text = o ? origin_text(module_of(e)->source, o) : NULL;

	text_printf(&e->out, "%u\t%u\t%s\t%s\n", line_of(e, insn), text ? o->line : 0,
		text ? text->name : "-",
		symbol_shown(&module_of(e)->symbols, module_of(e)->func[func].name));
}

void show_protocol_stack(struct engine *e)
{
	const struct warp *w = names_warp(e, &e->s->focus);
	uint32_t k, depth = 0;

	if (!w || !w->live)
		return;
	k = group_of(e, w, &e->s->focus);
	const struct frame *f = group_frame(e, w, k);

	add_call(e, group_insn(e, w, k), f->code->func);
	for (; f->caller && depth < 63; f = f->caller, depth++)
		add_call(e, f->caller->code->op[f->call_pc].insn, f->caller->code->func);
}

static bool is_stop(const struct engine *e, uint32_t line)
{
	for (uint32_t k = 0; k < e->s->nstops; k++)
		for (uint32_t i = 0; i < e->s->stop[k].ninsns; i++)
			if (line_of(e, e->s->stop[k].insn[i]) == line)
				return true;
	return false;
}

void show_list(struct engine *e, const char *words)
{
	struct session *s = e->s;
	struct source *text = module_of(e)->source;
	const struct warp *w = names_warp(e, &s->focus);
	uint32_t at = w && w->live ? line_of(e, group_insn(e, w, group_of(e, w, &s->focus))) : 0;
	uint64_t line = 0;

	if (*words && (!option_number(words, UINT32_MAX, &line) || line == 0)) {
		fails(e, "it takes a line of the PTX");
		return;
	}
	if (line)
		s->list_line = line > LIST_BEFORE ? (uint32_t)line - LIST_BEFORE : 1;
	else if (!s->list_line)
		s->list_line = at > LIST_BEFORE ? at - LIST_BEFORE : 1;
	for (uint32_t k = 0; k < LIST_LINES && s->list_line <= text->nlines; k++, s->list_line++)
		add_line(e, text, s->list_line,
			s->list_line == at                 ? '>'
				: is_stop(e, s->list_line) ? 'b'
							   : ' ');
	if (s->list_line > text->nlines)
		text_puts(&e->out, "the file ends here\n");
}

/* --- registers --- */

static void add_hex(const struct printed *p, struct text *out)
{
	unsigned size = type_bytes((enum type)p->type);

	show_label(p, false, out);
	text_puts(out, " =");
	for (uint64_t k = 0; k <= p->high - p->low; k++) {
		unsigned b = size;

		if (k && k % 8 == 0)
			text_puts(out, "\n       ");
		text_puts(out, p->defined[k * size] ? " 0x" : " ?");
		while (b > 1 && !p->bytes[k * size + b - 1])
			b--;
		for (bool first = true; p->defined[k * size] && b-- > 0; first = false)
			text_printf(out, first ? "%x" : "%02x", p->bytes[k * size + b]);
	}
	text_putc(out, '\n');
}

/* Whether a 64-bit register holds what may be an address. */
static bool is_address(const struct printed *p)
{
	if (p->name[0] != '%' || (p->type != TYPE_b64 && p->type != TYPE_u64))
		return false;
	for (uint64_t k = 0; k <= p->high - p->low; k++)
		if (p->defined[k * 8] && (p->bytes[k * 8 + 4] || p->bytes[k * 8 + 5]) &&
			!p->bytes[k * 8 + 6] && !p->bytes[k * 8 + 7])
			return true;
	return false;
}

static void add_printed(struct engine *e, const struct printed *p, char format)
{
	if (format == 'x' || is_address(p))
		add_hex(p, &e->out);
	else
		show_printed(p, &e->out);
}

/* Lanes LANES of a value of WIDTH bytes (0: a predicate) at PLACE. One value when they agree. */
static void add_lanes(struct engine *e, const char *name, enum type type,
	const unsigned char *place, uint32_t lanes, const uint32_t *defined, char format)
{
	unsigned size = type == TYPE_pred ? 1 : type_bytes(type);
	unsigned char bytes[LANES * 16];
	uint8_t known[LANES * 16];
	struct printed p = {.name = name,
		.type = (uint8_t)(type == TYPE_pred || !scalar_usable(type)
				? (size == 1                  ? TYPE_u8
						  : size == 2 ? TYPE_b16
						  : size == 4 ? TYPE_b32
						  : size == 8 ? TYPE_b64
							      : TYPE_b128)
				: type),
		.count = LANES,
		.bytes = bytes,
		.defined = known};
	uint32_t lane = e->s->focus.lane, first = lanes ? lane_first(lanes) : 0;
	bool same = true;

	for (unsigned k = 0; k < LANES; k++) {
		if (type == TYPE_pred)
			bytes[k] = *(const uint32_t *)(const void *)place >> k & 1;
		else
			memcpy(bytes + k * size, place + k * size, size);
		memset(known + k * size, (lanes >> k & 1) && (!defined || *defined >> k & 1), size);
		if (lanes >> k & 1)
			same = same && known[k * size] == known[first * size] &&
				memcmp(bytes + k * size, bytes + first * size, size) == 0;
	}
	if (lane < LANES || same) {
		p.scalar = true;
		p.low = p.high = 0;
		p.count = 1;
		p.bytes = bytes + (lane < LANES ? lane : first) * size;
		p.defined = known + (lane < LANES ? lane : first) * size;
	} else {
		p.high = LANES - 1;
	}
	add_printed(e, &p, format);
}

/* Register REG of frame F. */
static void add_register(
	struct engine *e, const struct frame *f, uint32_t reg, uint32_t lanes, char format)
{
	const struct ir_func *func = &module_of(e)->func[f->code->func];
	const struct ir_register *r = &module_of(e)->reg[func->reg + reg];

	for (unsigned c = 0; c < (r->vector ? r->vector : 1u); c++) {
		char name[80];
		uint32_t at = f->code->reg_at[reg] + c * f->code->reg_stride[reg];

		strncpy(name, symbol_text(&module_of(e)->symbols, r->name), 70);
		name[70] = 0;
		if (r->vector)
			strncat(name, (const char *[]){".x", ".y", ".z", ".w"}[c & 3], 3);
		add_lanes(e, name, (enum type)r->type, f->regs + at, lanes,
			f->defined ? &f->defined[at / 4] : NULL, format);
	}
}

/* The frame in focus and its lanes; NULL: said why there is none. */
static struct frame *frame_in_focus(struct engine *e, uint32_t *lanes)
{
	struct warp *w = names_warp(e, &e->s->focus);
	struct frame *f;

	if (!w || !w->live) {
		fails(e, "the warp in focus does not run");
		return NULL;
	}
	f = group_frame(e, w, group_of(e, w, &e->s->focus));
	*lanes = f->lanes;
	return f;
}

/* %tid.x and the like: what they are in the warp in focus. */
static bool add_special(struct engine *e, const char *name, char format)
{
	static const char *const names[] = {
		"%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%warpid"};
	const struct warp *w = names_warp(e, &e->s->focus);
	size_t n = strcspn(name, ".");
	unsigned which = 0, axis = name[n] ? (unsigned)(name[n + 1] - 'x') : 0;
	uint32_t value[LANES];

	while (which < 6 && (strlen(names[which]) != n || memcmp(names[which], name, n) != 0))
		which++;
	if (which == 6 || !w || axis > 2 || (name[n] && name[n + 2]) ||
		(which < 4) != (name[n] != 0))
		return false;
	EVERY_LANE(lane)
		value[lane] = which == 0 ? w->tid[axis][lane]
			: which == 1     ? w->cta->launch->ask.block[axis]
			: which == 2     ? w->cta->ctaid[axis]
			: which == 3     ? w->cta->launch->ask.grid[axis]
			: which == 4     ? lane
					 : w->index;
	add_lanes(e, name, TYPE_u32, (const unsigned char *)value, w->lanes, NULL, format);
	return true;
}

static bool print_register(struct engine *e, const char *name, char format)
{
	uint32_t lanes, reg;
	struct frame *f;

	if (add_special(e, name, format))
		return true;
	f = frame_in_focus(e, &lanes);
	if (!f)
		return false;
	reg = ir_find_reg(module_of(e), f->code->func, name);
	if (reg == IR_NONE) {
		text_printf(&e->out, "'%s' has no register %.80s\n",
			symbol_shown(
				&module_of(e)->symbols, module_of(e)->func[f->code->func].name),
			name);
		e->s->failed = true;
		return false;
	}
	add_register(e, f, reg, lanes, format);
	return true;
}

void show_registers(struct engine *e)
{
	uint32_t lanes;
	struct frame *f = frame_in_focus(e, &lanes);
	uint32_t n = f ? module_of(e)->func[f->code->func].nregs : 0;

	for (uint32_t k = 0; k < n && k < MOST_REGISTERS; k++)
		add_register(e, f, k, lanes, 0);
	if (n > MOST_REGISTERS)
		text_printf(&e->out, "and %u more\n", n - MOST_REGISTERS);
}

void show_remember(struct engine *e)
{
	const struct warp *w = names_warp(e, &e->s->focus);

	e->regs_frame = NULL;
	if (!w || !w->live)
		return;
	e->regs_frame = group_frame(e, w, group_of(e, w, &e->s->focus));
	e->regs_code = e->regs_frame->code;
	e->regs = memory_resize(e->regs, e->regs_code->frame_bytes);
	memcpy(e->regs, e->regs_frame->regs, e->regs_code->frame_bytes);
}

/* Whether register REG of frame F has other bytes than were remembered. */
static bool has_changed(const struct engine *e, const struct frame *f, uint32_t reg)
{
	const struct ir_register *r =
		&module_of(e)->reg[module_of(e)->func[f->code->func].reg + reg];
	unsigned bytes = r->type == TYPE_pred ? 4 : LANES * type_bytes((enum type)r->type);

	for (unsigned c = 0; c < (r->vector ? r->vector : 1u); c++) {
		uint32_t at = f->code->reg_at[reg] + c * f->code->reg_stride[reg];

		if (memcmp(f->regs + at, e->regs + at, bytes) != 0)
			return true;
	}
	return false;
}

void show_changed(struct engine *e)
{
	uint32_t lanes, changed = 0;
	struct frame *f = frame_in_focus(e, &lanes);

	if (!f)
		return;
	if (f != e->regs_frame || f->code != e->regs_code) {
		fails(e,
			"the registers before are not known here; after step, next or continue in one function they are");
		return;
	}
	for (uint32_t k = 0; k < module_of(e)->func[f->code->func].nregs; k++)
		if (has_changed(e, f, k) && changed++ < MOST_REGISTERS)
			add_register(e, f, k, lanes, 0);
	if (!changed)
		text_puts(&e->out, "no register changed\n");
}

/* --- memory --- */

static bool print_memory(struct engine *e, const char *word, char format)
{
	struct place p;
	struct text why = {0};
	bool ok = names_place(e, word, &e->s->focus, &p, &why);

	if (ok && p.high - p.low >= MOST_ELEMENTS)
		p.high = p.low + MOST_ELEMENTS - 1;
	if (ok) {
		uint64_t size = type_bytes((enum type)p.type), n = (p.high - p.low + 1) * size;
		unsigned char *bytes = memory_zeroed(n, 1);
		uint8_t *defined = memory_zeroed(n, 1);
		struct printed out = {.name = p.name,
			.shown = p.shown,
			.type = p.type,
			.low = p.low,
			.high = p.high,
			.count = p.count,
			.bytes = bytes,
			.defined = defined,
			.scalar = p.count == 1 && !strchr(word, '[')};

		if (names_read(e, &p, p.low * size, n, bytes, defined))
			add_printed(e, &out, format);
		else
			text_puts(&why, "that memory cannot be read now");
		memory_drop(bytes);
		memory_drop(defined);
	}
	if (why.len)
		fails(e, text_str(&why));
	ok = !why.len;
	text_free(&why);
	return ok;
}

bool show_print(struct engine *e, const char *words, char format)
{
	char word[LINE];
	bool ok = true;

	words += strspn(words, " \t");
	if (!*words) {
		fails(e, "it takes a register (%r1), a buffer or a variable (out, out[0..7])");
		return false;
	}
	while (*words && ok) {
		size_t n = strcspn(words, " \t");

		memcpy(word, words, n);
		word[n] = 0;
		words += n;
		words += strspn(words, " \t");
		ok = word[0] == '%' ? print_register(e, word, format)
				    : print_memory(e, word, format);
	}
	return ok;
}

void show_findings(struct engine *e)
{
	if (e->report.findings.first)
		diag_render(&e->report.findings, &e->out, false);
	else
		text_puts(&e->out, "no findings so far\n");
}
