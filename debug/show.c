/* What a stopped program looks like: places, warps, lines, registers, memory. */
#include "debug/show.h"
#include "debug/names.h"
#include "debug/values.h"
#include "interp/state/warp.h"
#include "interp/state/where.h"
#include "script/verdict/show.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_LINES = 10, LIST_BEFORE = 4, MOST_REGISTERS = 256, MOST_ELEMENTS = 4096 };

static const struct ir_module *module_of(const struct engine *e) { return e->s->request->module; }

static void fails(struct engine *e, const char *what)
{
	text_printf(&e->out, "%s\n", what);
	e->s->failed = true;
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

/* The lines of INSN: of the PTX, after that of the file it was compiled from if it can be read. */
static void add_insn(struct engine *e, uint32_t insn)
{
	struct source *s = module_of(e)->source;
	const struct origin *o;

	if (insn == IR_NONE)
		return;
	o = names_origin(e, insn);
	if (o) {
		struct source *text = origin_text(s, o);

		text_printf(&e->out, " %s:%u\n", origin_base(o->file->name), o->line);
		if (text)
			add_line(e, text, o->line, ' ');
	}
	add_line(e, names_source(e, insn), names_line(e, insn), ' ');
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
	uint32_t k = names_group(e, w, t);

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
	add_insn(e, names_insn(e, w, k));
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
	f = names_frame(e, w, names_group(e, w, &e->s->focus));
	text_printf(&e->out, "in '%s'",
		symbol_shown(&module_of(e)->symbols, module_of(e)->func[f->code->func].name));
	for (; f->caller && depth < 16; f = f->caller, depth++)
		text_printf(&e->out, ", called at %s in '%s'",
			where_line(e->machine, f->caller->code->op[f->call_pc].insn).text,
			symbol_shown(&module_of(e)->symbols,
				module_of(e)->func[f->caller->code->func].name));
	text_puts(&e->out, f->caller ? ", ...\n" : "\n");
}

void show_frame(struct engine *e)
{
	uint32_t insn;
	const struct frame *f = names_focus(e, &insn);

	if (!f) {
		fails(e, "the warp in focus does not run");
		return;
	}
	text_printf(&e->out, "call %u: in '%s'\n", e->s->calls,
		symbol_shown(&module_of(e)->symbols, module_of(e)->func[f->code->func].name));
	add_insn(e, insn);
}

void show_warps(struct engine *e, bool all)
{
	const struct turn *t = &e->s->focus;

	for (uint32_t i = 0; i < e->ctas.count && i < 1000; i++) {
		const struct cta *c = e->ctas.data[i];
		bool focus = c->linear == t->cta && c->launch->number == t->launch;

		text_printf(&e->out, "CTA %llu of '%s', launch %u", (unsigned long long)c->linear,
			where_kernel(c->launch), c->launch->number);
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

static bool is_stop(const struct engine *e, const struct source *text, uint32_t line)
{
	for (uint32_t k = 0; k < e->s->nstops; k++)
		for (uint32_t i = 0; i < e->s->stop[k].ninsns; i++)
			if (names_line(e, e->s->stop[k].insn[i]) == line &&
				names_source(e, e->s->stop[k].insn[i]) == text)
				return true;
	return false;
}

void show_list(struct engine *e, const char *words)
{
	struct session *s = e->s;
	const struct warp *w = names_warp(e, &s->focus);
	uint32_t insn = w && w->live ? names_insn(e, w, names_group(e, w, &s->focus)) : IR_NONE;
	uint32_t at = names_line(e, insn);
	struct source *text = names_source(e, insn);
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
			s->list_line == at                       ? '>'
				: is_stop(e, text, s->list_line) ? 'b'
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

/* Whether a value is of 64 bits and may be an address. */
static bool is_address(const struct printed *p)
{
	for (uint64_t k = 0; k <= p->high - p->low; k++)
		if (p->defined[k * type_bytes((enum type)p->type)] &&
			names_address(
				(enum type)p->type, p->bytes + k * type_bytes((enum type)p->type)))
			return true;
	return false;
}

/* POINTERS: values that may be addresses are shown as such. */
static void add_printed(struct engine *e, const struct printed *p, char format, bool pointers)
{
	if (format == 'x' || (pointers && is_address(p)))
		add_hex(p, &e->out);
	else
		show_printed(p, &e->out);
}

/* One value when the lanes agree. */
static void add_lanes(struct engine *e, const struct lane_values *v, char format)
{
	uint8_t known[LANES * 16];
	bool one = v->one || values_same(v);
	unsigned at = v->one ? v->focus : v->lanes ? lane_first(v->lanes) : 0;
	struct printed p = {.name = v->name,
		.type = v->type,
		.scalar = one,
		.high = one ? 0 : LANES - 1,
		.count = one ? 1 : LANES,
		.bytes = v->bytes + (one ? at * v->size : 0),
		.defined = known + (one ? at * v->size : 0)};

	EVERY_LANE(k)
		memset(known + k * v->size, v->known >> k & 1, v->size);
	add_printed(e, &p, format, p.name[0] == '%');
}

/* Register REG of frame F. */
static void add_register(struct engine *e, const struct frame *f, uint32_t reg, char format)
{
	struct lane_values v;

	for (unsigned c = 0; c < values_components(e, f, reg); c++) {
		values_register(e, f, reg, c, &v);
		add_lanes(e, &v, format);
	}
}

/* The frame in focus; NULL: said why there is none. */
static struct frame *frame_in_focus(struct engine *e)
{
	uint32_t insn;
	struct frame *f = names_focus(e, &insn);

	if (!f)
		fails(e, "the warp in focus does not run");
	return f;
}

static bool print_register(struct engine *e, const char *name, char format)
{
	uint32_t insn, reg;
	struct frame *f = names_focus(e, &insn);
	struct lane_values v;

	if (values_find(e, f, name, &v)) {
		add_lanes(e, &v, format);
		return true;
	}
	f = frame_in_focus(e);
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
	add_register(e, f, reg, format);
	return true;
}

void show_registers(struct engine *e)
{
	struct frame *f = frame_in_focus(e);
	uint32_t n = f ? module_of(e)->func[f->code->func].nregs : 0;

	for (uint32_t k = 0; k < n && k < MOST_REGISTERS; k++)
		add_register(e, f, k, 0);
	if (n > MOST_REGISTERS)
		text_printf(&e->out, "and %u more\n", n - MOST_REGISTERS);
}

void show_remember(struct engine *e)
{
	uint32_t insn;

	e->regs_frame = names_focus(e, &insn);
	if (!e->regs_frame)
		return;
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
	uint32_t changed = 0;
	struct frame *f = frame_in_focus(e);

	if (!f)
		return;
	if (f != e->regs_frame || f->code != e->regs_code) {
		fails(e,
			"the registers before are not known here; after step, next or continue in one function they are");
		return;
	}
	for (uint32_t k = 0; k < module_of(e)->func[f->code->func].nregs; k++)
		if (has_changed(e, f, k) && changed++ < MOST_REGISTERS)
			add_register(e, f, k, 0);
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
	if (ok && p.space == W_local && e->s->focus.lane >= LANES) {
		struct lane_values v;

		for (uint64_t k = 0; k <= p.high - p.low; k++) {
			values_local(e, &p, k, &v);
			add_lanes(e, &v, format);
		}
	} else if (ok) {
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
			add_printed(e, &out, format, p.space == W_param);
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

/* The register that WORD names: %r1 itself; or r1 or %r1, if no memory has this name. NULL: it
 * is none. */
static const char *register_name(const struct engine *e, const char *word, char with[LINE + 1])
{
	uint32_t insn;
	const struct frame *f = names_focus(e, &insn);
	struct text why = {0};
	struct lane_values v;
	struct place p;
	bool memory = word[0] != '%' && names_place(e, word, &e->s->focus, &p, &why);

	text_free(&why);
	if (word[0] == '%')
		return word;
	snprintf(with, LINE + 1, "%%%s", word);
	if (memory || !f)
		return NULL;
	if (ir_find_reg(module_of(e), f->code->func, word) != IR_NONE)
		return word;
	return values_find(e, f, with, &v) ? with : NULL;
}

bool show_print(struct engine *e, const char *words, char format)
{
	char word[LINE], with[LINE + 1];
	const char *reg;
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
		reg = register_name(e, word, with);
		ok = reg ? print_register(e, reg, format) : print_memory(e, word, format);
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
