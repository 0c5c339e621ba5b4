/* Name lookup: nested scopes as a stack of bindings, ranges (%r<100>) resolved by number, and
 * messages about undeclared names. */
#include "base/assert.h"
#include "assembler/internal.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static void grow_name_slots(struct assembler *as, uint32_t symbol)
{
	uint32_t want = as->symbols->count > symbol ? as->symbols->count : symbol + 1,
		 more = as->nslots + as->nslots / 8 + 64;

	want = want > more ? want : more;
	as->slot = memory_resize(as->slot, (size_t)want * sizeof *as->slot);
	memset(as->slot + as->nslots, 0, (size_t)(want - as->nslots) * sizeof *as->slot);
	as->nslots = want;
}

static inline struct name_slot *slot_of(struct assembler *as, uint32_t symbol)
{
	if (symbol >= as->nslots)
		grow_name_slots(as, symbol);
	return &as->slot[symbol];
}

void names_open(struct assembler *as, variable_maker *make)
{
	as->make_variable = make;
	as->gen = 1;
	as->sym_warp_sz = symbol_intern(as->symbols, "WARP_SZ", 7);
	as->sym_generic = symbol_intern(as->symbols, "generic", 7);
	*vec_push(&as->binding) = (struct binding){0}; /* number 0 means none */
	slot_of(as, as->symbols->count);
}

void names_expect(struct assembler *as, uint32_t at)
{
	uint32_t n = expected(as, as->symbols->count, at);

	symbols_expect(as->symbols, n);
	if (n > as->nslots)
		grow_name_slots(as, n - 1);
}

void names_close(struct assembler *as)
{
	memory_drop(as->slot);
	vec_free(&as->binding);
	vec_free(&as->scope);
	vec_free(&as->decl);
	map_free(&as->made);
	map_free(&as->copies);
}

void scope_push(struct assembler *as)
{
	*vec_push(&as->scope) = as->binding.count;
	as->depth++;
}

void scope_pop(struct assembler *as)
{
	uint32_t mark = as->scope.data[--as->scope.count];

	while (as->binding.count > mark) {
		struct binding *b = &as->binding.data[--as->binding.count];
		struct name_slot *s = &as->slot[b->symbol];

		if (b->is_range) {
			s->range = b->hidden;
			as->gen++;
		} else {
			s->bind = b->hidden;
		}
		s->gen = 0;
	}
	as->depth--;
}

/* symbol_find for a prefix: there are few, which many names share. */
static uint32_t prefix_symbol(struct assembler *as, const char *text, uint32_t len)
{
	uint64_t key = 0;
	uint32_t slot;

	if (len > sizeof key)
		return symbol_find(as->symbols, text, len);
	for (uint32_t i = 0; i < len; i++)
		key = key << 8 | (unsigned char)text[i];
	slot = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 60);
	if (as->prefix[slot].text != key || !as->prefix[slot].symbol) {
		as->prefix[slot].text = key;
		as->prefix[slot].symbol = symbol_find(as->symbols, text, len);
	}
	return as->prefix[slot].symbol;
}

/* Splits x12 into x and 12; returns 0 when the name does not end in a number or the prefix does not
 * occur in this file. */
static uint32_t range_prefix(struct assembler *as, uint32_t symbol, uint64_t *number)
{
	const struct symbol_entry *e = &as->symbols->entry[symbol];
	uint32_t n = e->len;
	uint64_t value = 0;

	if (!(e->hash & SYMBOL_HASHED) && n) {
		*number = e->hash;
		for (uint64_t unit = 10; unit <= e->hash; unit *= 10)
			n--;
		return prefix_symbol(as, e->text, n - 1);
	}
	while (n && e->text[n - 1] >= '0' && e->text[n - 1] <= '9')
		n--;
	if (n == e->len || n == 0)
		return 0;
	for (uint32_t i = n; i < e->len; i++) {
		if (value > (UINT64_MAX - 9) / 10)
			return 0;
		value = value * 10 + (uint64_t)(e->text[i] - '0');
	}
	*number = value;
	return prefix_symbol(as, e->text, n);
}

static uint64_t range_count(const struct assembler *as, const struct binding *b)
{
	/* a bad declaration makes every name of the range bad */
	return b->kind == NAME_BAD ? UINT64_MAX : as->decl.data[b->index].var->range;
}

/* The innermost range that contains SYMBOL, or NULL. */
static struct binding *range_of(struct assembler *as, uint32_t symbol, uint64_t *number)
{
	uint32_t prefix = range_prefix(as, symbol, number);
	uint32_t i = prefix ? slot_of(as, prefix)->range : 0;

	for (; i; i = as->binding.data[i].hidden)
		if (*number < range_count(as, &as->binding.data[i]))
			return &as->binding.data[i];
	return NULL;
}

struct binding *scope_here(struct assembler *as, uint32_t symbol)
{
	uint32_t i = slot_of(as, symbol)->bind;
	uint64_t number;
	struct binding *b = i ? &as->binding.data[i] : NULL;

	if (b && b->depth == as->depth)
		return b;
	b = range_of(as, symbol, &number);
	return b && b->depth == as->depth ? b : NULL;
}

static void report_duplicate(
	struct assembler *as, uint32_t symbol, struct span span, struct span old, bool label)
{
	struct span later = span.off >= old.off ? span : old,
		    first = span.off >= old.off ? old : span;
	struct diag *d = label
		? REPORT(as, E0205, later, "label '%s' is already defined in this block",
			  NAME(as, symbol))
		: REPORT(as, E0203, later, "'%s' is already declared in this scope",
			  NAME(as, symbol));

	diag_label(as->diags, d, as->source, first, "first declared here");
}

/* Whether the name is reserved; reports it. WARP_SZ is predefined, and names of special registers
 * are not allowed at module scope. */
static bool is_reserved(struct assembler *as, uint32_t symbol, struct span span)
{
	const struct symbol_entry *e = &as->symbols->entry[symbol];

	if (symbol == as->sym_warp_sz)
		REPORT(as, E0203, span, "WARP_SZ is a constant of PTX; its name is reserved");
	else if (as->depth == 0 && e->len && e->text[0] == '%' && sreg_find(e->text, e->len))
		REPORT(as, E0203, span,
			"'%s' is a special register; its name is reserved at module scope",
			NAME(as, symbol));
	else
		return false;
	return true;
}

bool scope_declare(struct assembler *as, uint32_t symbol, enum name_kind kind, uint32_t index,
	struct span span, bool range)
{
	if (kind != NAME_BAD && !range && is_reserved(as, symbol, span))
		kind = NAME_BAD;
	struct name_slot *s = slot_of(as, symbol);
	struct binding *old = range ? (s->range ? &as->binding.data[s->range] : NULL)
				    : scope_here(as, symbol);

	if (old && old->depth == as->depth) {
		if (old->kind != NAME_BAD)
			report_duplicate(as, symbol, span, old->span,
				kind == NAME_LABEL && old->kind == NAME_LABEL);
		return false;
	}
	s = slot_of(as, symbol);
	*vec_push(&as->binding) = (struct binding){.symbol = symbol,
		.index = index,
		.hidden = range ? s->range : s->bind,
		.depth = as->depth,
		.kind = (uint8_t)kind,
		.is_range = range,
		.span = span};
	if (range) {
		s->range = as->binding.count - 1;
		as->gen++;
	} else {
		s->bind = as->binding.count - 1;
	}
	s->gen = 0;
	return true;
}

uint32_t decl_add(struct assembler *as, const struct ast_var *v, uint32_t reg)
{
	*vec_push(&as->decl) = (struct decl){v, reg, as->depth ? as->mark : 0};
	return as->decl.count - 1;
}

static void mark_outer(struct assembler *as, uint32_t symbol);

static uint32_t make_register(struct assembler *as, const struct ast_var *v, uint32_t name)
{
	*vec_push(&as->reg_v) = (struct ir_register){
		.name = name_unique(as, name), .type = v->type, .vector = v->vector};
	return as->reg_v.count - 1 - as->func_reg;
}

/* Whether hidden declaration D may become visible again; a declaration of a finished function
 * cannot. */
static bool may_reappear(const struct assembler *as, const struct decl *d)
{
	return !d->mark || d->mark == as->mark;
}

/* Creates register or variable NUMBER of a range; its canonical name has no leading zeros. */
static enum name_kind make_of_range(struct assembler *as, const struct binding *range,
	uint32_t symbol, uint64_t number, uint32_t *index)
{
	const struct ast_var *v = as->decl.data[range->index].var;
	const struct symbol_entry *e = &as->symbols->entry[symbol];
	uint32_t len = as->symbols->entry[v->name].len;
	uint32_t decl = range->index;
	struct name_slot *s;

	if (e->len > len + 1 && e->text[len] == '0') { /* %r05 is %r5 */
		char *name = arena_printf(&as->scratch, "%s%llu", symbol_text(as->symbols, v->name),
			(unsigned long long)number);

		return name_find(as, symbol_intern(as->symbols, name, strlen(name)), index);
	}
	s = slot_of(as, symbol);
	*index = s->made;
	if (s->made_of == decl + 1)
		return v->space == W_reg ? NAME_REG : NAME_VAR;
	if (s->made_of && may_reappear(as, &as->decl.data[s->made_of - 1]))
		map_add(&as->made, (uint64_t)(s->made_of - 1) << 32 | symbol, s->made);
	*index = map_get(&as->made, (uint64_t)decl << 32 | symbol, IR_NONE);
	if (*index == IR_NONE)
		*index = v->space == W_reg ? make_register(as, v, symbol)
					   : as->make_variable(as, v, symbol);
	assert(*index != IR_NONE); /* members of a range are not arrays, so none is too large */
	s = slot_of(as, symbol);
	s->made_of = decl + 1;
	s->made = *index;
	return v->space == W_reg ? NAME_REG : NAME_VAR;
}

/* Whether binding B takes precedence over RANGE; a label named %r1 does not hide a register of
 * %r<2>. */
static bool binding_hides(const struct binding *b, const struct binding *range)
{
	return b && (!range || (b->depth >= range->depth && b->kind != NAME_LABEL));
}

static enum name_kind find_slow(struct assembler *as, uint32_t symbol, uint32_t *index)
{
	uint64_t number = 0;
	struct binding *range = range_of(as, symbol, &number);
	uint32_t i = slot_of(as, symbol)->bind;
	struct binding *b = i ? &as->binding.data[i] : NULL;
	enum sreg sreg;

	if (binding_hides(b, range)) {
		struct decl *d;

		*index = b->index;
		if (b->kind != NAME_DECL)
			return b->kind;
		d = &as->decl.data[b->index];
		if (d->reg == IR_NONE)
			d->reg = make_register(as, d->var, symbol);
		*index = d->reg;
		return NAME_REG;
	}
	if (range && range->kind == NAME_BAD)
		return NAME_BAD;
	if (range)
		return make_of_range(as, range, symbol, number, index);
	sreg = sreg_find(as->symbols->entry[symbol].text, as->symbols->entry[symbol].len);
	*index = sreg;
	if (sreg)
		return NAME_SREG;
	return symbol == as->sym_warp_sz ? NAME_WARP_SZ : NAME_NONE;
}

bool name_is_register(struct assembler *as, uint32_t symbol)
{
	uint64_t number = 0;
	struct binding *range = range_of(as, symbol, &number);
	uint32_t i = slot_of(as, symbol)->bind;
	struct binding *b = i ? &as->binding.data[i] : NULL;

	if (binding_hides(b, range))
		return b->kind == NAME_DECL || b->kind == NAME_REG;
	return range && range->kind != NAME_BAD && as->decl.data[range->index].var->space == W_reg;
}

enum name_kind name_find(struct assembler *as, uint32_t symbol, uint32_t *index)
{
	struct name_slot *s = slot_of(as, symbol);
	enum name_kind kind;

	if (s->gen == as->gen) {
		*index = s->index;
		return s->kind;
	}
	kind = find_slow(as, symbol, index);
	if (kind == NAME_SREG ||
		((kind == NAME_VAR || kind == NAME_FUNC) &&
			as->binding.data[slot_of(as, symbol)->bind].depth == 0))
		mark_outer(as, symbol);
	s = slot_of(as, symbol);
	s->kind = (uint8_t)kind;
	s->index = *index;
	s->gen = as->gen;
	return kind;
}

enum opcode name_opcode(struct assembler *as, uint32_t symbol)
{
	struct name_slot *s = slot_of(as, symbol);

	if (!s->opcode) {
		enum opcode op = opcode_find(
			as->symbols->entry[symbol].text, as->symbols->entry[symbol].len);

		s->opcode = op ? (uint16_t)op : NOT_OPCODE;
	}
	return s->opcode == NOT_OPCODE ? OP_NONE : s->opcode;
}

bool name_place(struct assembler *as, uint32_t symbol, struct span *span)
{
	uint64_t number;
	struct binding *range = range_of(as, symbol, &number);
	uint32_t i = slot_of(as, symbol)->bind;
	struct binding *b = i ? &as->binding.data[i] : NULL;

	if (range && (!b || b->depth < range->depth))
		b = range;
	if (!b || !b->span.len)
		return false;
	*span = b->span;
	return true;
}

/* Whether a syntax error is on a line that contains the name or its range's prefix: the declaration
 * is probably lost, and a second report would not help. */
static bool lost_in_syntax_error(struct assembler *as, uint32_t symbol)
{
	const struct symbol_entry *e = &as->symbols->entry[symbol];
	uint32_t len = e->len, seen = 0;

	while (len > 1 && e->text[len - 1] >= '0' && e->text[len - 1] <= '9')
		len--;
	for (const struct diag *d = as->diags->first; d && seen < as->syntax_errors; d = d->next) {
		uint32_t from = d->label[0].span.off, to = from;

		seen++;
		/* a missing semicolon loses no declaration */
		if (!d->nlabels || d->label[0].source != as->source || d->code == DIAG_E0102)
			continue;
		while (from && as->source->text[from - 1] != '\n')
			from--;
		while (to < as->source->len && as->source->text[to] != '\n')
			to++;
		for (; from + len <= to; from++)
			if (memcmp(as->source->text + from, e->text, len) == 0)
				return true;
	}
	return false;
}

struct nearest {
	uint32_t symbol;
	unsigned distance;
};

static void consider_name(struct assembler *as, struct nearest *n, uint32_t candidate,
	const struct symbol_entry *wanted)
{
	const struct symbol_entry *e = &as->symbols->entry[candidate];
	unsigned d = text_distance(e->text, e->len, wanted->text, wanted->len, n->distance);

	if (d < n->distance)
		*n = (struct nearest){candidate, d};
}

static void help_nearest(struct assembler *as, struct diag *d, uint32_t symbol)
{
	const struct symbol_entry *wanted = &as->symbols->entry[symbol];
	struct nearest n = {0,
		wanted->len < 2            ? 1
			: wanted->len < 4  ? 2
			: wanted->len < 12 ? 3
					   : 4};
	uint32_t checked = 0;
	struct span span;

	for (uint32_t i = as->binding.count; i-- > 1 && checked < 20000; checked++)
		if (!as->binding.data[i].is_range && as->binding.data[i].kind != NAME_BAD)
			consider_name(as, &n, as->binding.data[i].symbol, wanted);
	if (n.symbol) {
		diag_help(as->diags, d, "did you mean '%s'?", NAME(as, n.symbol));
		if (name_place(as, n.symbol, &span))
			diag_label(as->diags, d, as->source, span, "'%s' is declared here",
				NAME(as, n.symbol));
		return;
	}
	for (unsigned i = 1; i < SREG_COUNT && wanted->text[0] == '%'; i++)
		if (text_distance(sreg_text(i), strlen(sreg_text(i)), wanted->text, wanted->len,
			    2) <= 1) {
			diag_help(as->diags, d, "did you mean the special register '%s'?",
				sreg_text(i));
			return;
		}
}

/* Reports %r7 where %r<4> is declared. */
static bool report_out_of_range(struct assembler *as, uint32_t symbol, struct span span)
{
	uint64_t number;
	uint32_t prefix = range_prefix(as, symbol, &number);
	uint32_t i = prefix ? slot_of(as, prefix)->range : 0;
	uint64_t count;
	struct diag *d;

	if (!i)
		return false;
	count = range_count(as, &as->binding.data[i]);
	d = count ? REPORT(as, E0202, span, "'%s' is out of range: %s<%llu> declares %s0 to %s%llu",
			    NAME(as, symbol), NAME(as, prefix), (unsigned long long)count,
			    NAME(as, prefix), NAME(as, prefix), (unsigned long long)count - 1)
		  : REPORT(as, E0202, span, "'%s' is out of range: %s<0> declares nothing",
			    NAME(as, symbol), NAME(as, prefix));
	diag_label(as->diags, d, as->source, as->binding.data[i].span, "declared here");
	diag_help(as->diags, d, "declare %s<%llu>, or use a smaller number", NAME(as, prefix),
		(unsigned long long)number + 1);
	return true;
}

/* Whether SYMBOL is a label of this function that a missing } moved into another block: only the }
 * is reported. */
static bool lost_in_block(const struct assembler *as, uint32_t symbol)
{
	const struct diag *d = as->diags->first;
	bool brace = false;

	for (uint32_t seen = 0; d && seen < as->syntax_errors; d = d->next, seen++)
		brace |= d->code == DIAG_E0111;
	for (uint32_t i = as->func_label; brace && i < as->label_v.count; i++)
		if (as->label_v.data[i].name == symbol)
			return true;
	return false;
}

void name_unknown(struct assembler *as, uint32_t symbol, struct span span, const char *what)
{
	struct name_slot *s;

	as->bad = true;
	if (!lost_in_syntax_error(as, symbol) && !lost_in_block(as, symbol) &&
		!report_out_of_range(as, symbol, span)) {
		struct diag *d;

		if (strcmp(what, "label") == 0)
			d = REPORT(as, E0204, span,
				"no label '%s' in this block or an enclosing one",
				NAME(as, symbol));
		else if (strcmp(what, "function") == 0)
			d = REPORT(as, E0206, span,
				"function '%s' is not declared before this call", NAME(as, symbol));
		else
			d = REPORT(
				as, E0201, span, "%s '%s' is not declared", what, NAME(as, symbol));
		help_nearest(as, d, symbol);
	}
	/* further uses in this function are not reported */
	s = slot_of(as, symbol);
	s->kind = NAME_BAD;
	s->index = 0;
	s->gen = as->gen;
	*vec_push(&as->binding) = (struct binding){
		.symbol = symbol, .hidden = s->bind, .depth = as->depth, .kind = NAME_BAD};
	s->bind = as->binding.count - 1;
}

/* Renames the register, label or variable of this function named SYMBOL, because the function also
 * uses the module's object or the special register of that name. */
static void rename_local(struct assembler *as, uint32_t symbol)
{
	for (uint32_t i = as->func_reg; i < as->reg_v.count; i++)
		if (as->reg_v.data[i].name == symbol)
			as->reg_v.data[i].name = name_unique(as, symbol);
	for (uint32_t i = as->func_label; i < as->label_v.count; i++)
		if (as->label_v.data[i].name == symbol)
			as->label_v.data[i].name = name_unique(as, symbol);
	for (uint32_t i = 0; i < as->local.count; i++)
		if (as->var_v.data[as->local.data[i]].name == symbol)
			as->var_v.data[as->local.data[i]].name = name_unique(as, symbol);
}

static void mark_outer(struct assembler *as, uint32_t symbol)
{
	struct name_slot *s = slot_of(as, symbol);
	bool taken = s->mark_func == as->mark && s->mark == MARK_LOCAL;

	if (as->func == IR_NONE)
		return;
	s->mark_func = as->mark;
	s->mark = MARK_OUTER;
	if (taken)
		rename_local(as, symbol);
}

uint32_t name_unique(struct assembler *as, uint32_t symbol)
{
	struct name_slot *s = slot_of(as, symbol);
	uint32_t try = symbol;

	if (as->func == IR_NONE)
		return symbol;
	while (s->mark_func == as->mark) {
		uint64_t key = (uint64_t)as->mark << 32 | symbol;
		uint32_t copies = map_get(&as->copies, key, 0);
		char *name = arena_printf(
			&as->scratch, "%s$%u", symbol_text(as->symbols, symbol), copies + 2);

		map_set(&as->copies, key, copies + 1);
		try = symbol_intern(as->symbols, name, strlen(name));
		s = slot_of(as, try);
	}
	s->mark_func = as->mark;
	s->mark = MARK_LOCAL;
	return try;
}
