/* Values of the 32 lanes of a warp. */
#include "debug/values.h"
#include "debug/names.h"
#include "interp/state/weak_memory.h"
#include "script/lang/scalar.h"
#include <stdio.h>
#include <string.h>

static enum type printable(enum type type, unsigned size)
{
	static const enum type bits[] = {
		[1] = TYPE_u8, [2] = TYPE_b16, [4] = TYPE_b32, [8] = TYPE_b64, [16] = TYPE_b128};

	return type != TYPE_pred && scalar_usable(type) ? type : bits[size];
}

static void begin(const struct engine *e, enum type type, uint32_t lanes, struct lane_values *out)
{
	*out = (struct lane_values){.predicate = type == TYPE_pred,
		.size = type == TYPE_pred ? 1 : type_bytes(type),
		.lanes = lanes,
		.known = lanes,
		.one = e->s->focus.lane < LANES,
		.focus = e->s->focus.lane};
	out->type = (uint8_t)printable(type, out->size);
}

/* --- registers --- */

static const struct ir_register *register_of(
	const struct engine *e, const struct frame *f, uint32_t reg)
{
	const struct ir_module *m = e->s->request->module;

	return &m->reg[m->func[f->code->func].reg + reg];
}

unsigned values_components(const struct engine *e, const struct frame *f, uint32_t reg)
{
	const struct ir_register *r = register_of(e, f, reg);

	return r->vector ? r->vector : 1u;
}

void values_register(const struct engine *e, const struct frame *f, uint32_t reg, unsigned c,
	struct lane_values *out)
{
	const struct ir_register *r = register_of(e, f, reg);
	const struct warp *w = names_warp(e, &e->s->focus);
	const struct machine *m = e->machine;
	uint32_t at = f->code->reg_at[reg] + c * f->code->reg_stride[reg];

	begin(e, (enum type)r->type, f->lanes, out);
	strncpy(out->name, symbol_text(&m->module->symbols, r->name), 80);
	if (r->vector)
		strncat(out->name, (const char *[]){".x", ".y", ".z", ".w"}[c & 3], 3);
	if (out->predicate)
		EVERY_LANE(k)
			out->bytes[k] = *(const uint32_t *)(const void *)(f->regs + at) >> k & 1;
	else
		memcpy(out->bytes, f->regs + at, LANES * out->size);
	if (f->defined)
		out->known &= f->defined[at / 4];
	if (m->weak && w && w->weak)
		out->known &= ~m->weak_memory->unread(
			w, f->regs + at, out->predicate ? 0 : out->size);
}

bool values_special(const struct engine *e, unsigned k, struct lane_values *out)
{
	static const char *const names[] = {"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y",
		"%ntid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y",
		"%nctaid.z", "%laneid", "%warpid"};
	enum { TID, NTID, CTAID, NCTAID, LANEID };
	const struct warp *w = names_warp(e, &e->s->focus);
	unsigned which = k / 3, axis = k % 3;

	if (!w || k >= sizeof names / sizeof names[0])
		return false;
	begin(e, TYPE_u32, w->lanes, out);
	strcpy(out->name, names[k]);
	EVERY_LANE(lane) {
		uint32_t value = which == TID ? w->tid[axis][lane]
			: which == NTID       ? w->cta->launch->ask.block[axis]
			: which == CTAID      ? w->cta->ctaid[axis]
			: which == NCTAID     ? w->cta->launch->ask.grid[axis]
			: axis == 0           ? lane
					      : w->index;

		memcpy(out->bytes + lane * sizeof value, &value, sizeof value);
	}
	return true;
}

bool values_find(
	const struct engine *e, const struct frame *f, const char *name, struct lane_values *out)
{
	const struct ir_module *m = e->s->request->module;
	char base[LINE];
	size_t n = strlen(name);
	unsigned component = 0;
	uint32_t reg;

	for (unsigned k = 0; values_special(e, k, out); k++)
		if (strcmp(out->name, name) == 0)
			return true;
	if (!f || n >= sizeof base)
		return false;
	strcpy(base, name);
	reg = ir_find_reg(m, f->code->func, base);
	if (reg == IR_NONE && n > 2 && base[n - 2] == '.' && strchr("xyzw", base[n - 1])) {
		component = (unsigned)(strchr("xyzw", base[n - 1]) - "xyzw");
		base[n - 2] = 0;
		reg = ir_find_reg(m, f->code->func, base);
	} else if (reg != IR_NONE && values_components(e, f, reg) > 1) {
		return false;
	}
	if (reg == IR_NONE || component >= values_components(e, f, reg) ||
		(n != strlen(base) && values_components(e, f, reg) == 1))
		return false;
	values_register(e, f, reg, component, out);
	return true;
}

/* --- local memory --- */

void values_local(
	const struct engine *e, const struct place *p, uint64_t k, struct lane_values *out)
{
	struct place at = *p;
	uint8_t defined[16];

	begin(e, (enum type)p->type, p->lanes, out);
	out->type = p->type;
	strncpy(out->name, p->name, 60);
	if (p->count > 1)
		sprintf(out->name + strlen(out->name), "[%llu]", (unsigned long long)(p->low + k));
	FOR_LANES(lane, p->lanes) {
		at.lane = lane;
		if (!names_read(e, &at, (p->low + k) * out->size, out->size,
			    out->bytes + lane * out->size, defined) ||
			!defined[0])
			out->known &= ~(1u << lane);
	}
}

/* --- as text --- */

static bool equal(const struct lane_values *v, unsigned a, unsigned b)
{
	return (v->known >> a & 1) == (v->known >> b & 1) &&
		memcmp(v->bytes + a * v->size, v->bytes + b * v->size, v->size) == 0;
}

bool values_same(const struct lane_values *v)
{
	FOR_LANES(lane, v->lanes)
		if (!equal(v, lane_first(v->lanes), lane))
			return false;
	return true;
}

void values_lane(const struct lane_values *v, unsigned lane, struct text *out)
{
	const unsigned char *bytes = v->bytes + lane * v->size;
	uint64_t address = 0;

	if (v->known >> lane & 1 && names_address((enum type)v->type, bytes)) {
		memcpy(&address, bytes, v->size);
		text_printf(out, "0x%llx", (unsigned long long)address);
	} else if (v->known >> lane & 1)
		scalar_print((enum type)v->type, bytes, false, out);
	else
		text_putc(out, '?');
}

/* The lanes in which a predicate holds: "lanes 0 to 3, 7". */
static void add_true(const struct lane_values *v, struct text *out)
{
	const char *before = "lanes ";

	for (unsigned from = 0, to; from < LANES; from = to + 1) {
		to = from;
		if (!v->bytes[from] || !(v->lanes >> from & 1))
			continue;
		while (to + 1 < LANES && v->bytes[to + 1] && v->lanes >> (to + 1) & 1)
			to++;
		text_printf(out, "%s%u", before, from);
		if (to > from)
			text_printf(out, " to %u", to);
		before = ", ";
	}
}

/* Whether the values of all lanes that exist are 32-bit or 64-bit integers, each as much larger
 * than the one before. */
static bool is_progression(const struct lane_values *v)
{
	enum type t = (enum type)v->type;
	uint64_t value[LANES] = {0};

	if (v->known != v->lanes || (v->lanes & (v->lanes + 1)) || !(v->lanes >> 3) ||
		(v->size != 4 && v->size != 8) || t == TYPE_f32 || t == TYPE_f64)
		return false;
	FOR_LANES(lane, v->lanes) {
		memcpy(&value[lane], v->bytes + lane * v->size, v->size);
		if (lane > 1 && value[lane] - value[lane - 1] != value[1] - value[0])
			return false;
	}
	return true;
}

void values_line(const struct lane_values *v, struct text *out)
{
	unsigned first = v->lanes ? lane_first(v->lanes) : 0;

	if (v->one || values_same(v)) {
		values_lane(v, v->one ? v->focus : first, out);
	} else if (v->predicate && v->known == v->lanes) {
		add_true(v, out);
	} else if (is_progression(v)) {
		for (unsigned k = 0; k < 3; k++) {
			values_lane(v, k, out);
			text_putc(out, ' ');
		}
		text_puts(out, "... ");
		values_lane(v, 31u - (unsigned)__builtin_clz(v->lanes), out);
	} else {
		for (unsigned k = 0; k < LANES; k++) {
			if (k)
				text_putc(out, ' ');
			values_lane(v, k, out);
		}
	}
}
