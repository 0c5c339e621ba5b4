/* Describes addresses by the names of variables and buffers. */
#include "interp/memory/name.h"
#include "interp/memory/memory.h"
#include "interp/memory/runtime_heap.h"
#include "interp/state/cluster.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *name_plain(const char *symbol)
{
	if (strncmp(symbol, "_ZZ", 3) != 0)
		return symbol;
	for (const char *e = symbol; (e = strchr(e + 1, 'E')) != NULL;) {
		char *name;
		unsigned long n = strtoul(e + 1, &name, 10);

		if (name > e + 1 && n && n == strlen(name))
			return name;
	}
	return symbol;
}

const char *name_variable(const struct ir_module *m, const struct ir_var *v)
{
	const char *symbol = symbol_text(&m->symbols, v->name), *plain = name_plain(symbol);

	return plain != symbol ? plain : symbol_shown(&m->symbols, v->name);
}

void name_element(struct text *t, const char *name, uint64_t at, uint32_t bytes, uint64_t whole)
{
	text_puts(t, name);
	if (bytes > 1 && bytes != whole) {
		text_printf(t, "[%" PRIu64 "]", at / bytes);
		at %= bytes;
	}
	if (at)
		text_printf(t, "+%" PRIu64, at);
}

void name_index_past(struct text *t, const char *name, uint64_t at, uint32_t bytes, uint64_t whole)
{
	if (bytes && whole / bytes > 1)
		text_printf(t, ": %s[%" PRIu64 "] of %" PRIu64 " elements", name, at / bytes,
			whole / bytes);
}

static bool is_shared(const struct ir_var *v)
{
	return v->space == W_shared || v->space == W_shared__cta;
}

/* The variable that contains OFFSET, *AT bytes from its start; past the kernel's static shared
 * memory, the extern array. */
static const struct ir_var *variable_at(
	const struct machine *m, const struct launch *l, uint32_t offset, uint64_t *at)
{
	const struct ir_module *ir = m->module;

	const struct code_scope *s = &m->code.scope[l->code->scope];

	for (uint32_t k = s->var; k < s->var + s->nvars; k++) {
		const struct ir_var *v = &ir->var[k];

		if (!is_shared(v) || !v->size || offset < m->code.var_at[k] ||
			offset - m->code.var_at[k] >= v->size)
			continue;
		if (v->func != IR_NONE && v->func != l->ask.func && ir->func[v->func].is_entry)
			continue;
		*at = offset - m->code.var_at[k];
		return v;
	}
	for (uint32_t k = s->var; k < s->var + s->nvars && offset >= l->code->shared_end; k++)
		if (is_shared(&ir->var[k]) && !ir->var[k].size) {
			*at = offset - l->code->shared_end;
			return &ir->var[k];
		}
	return NULL;
}

bool name_shared(const struct machine *m, const struct launch *l, uint32_t offset, uint32_t unit,
	struct text *t)
{
	uint64_t at = 0;
	const struct ir_var *v = variable_at(m, l, offset, &at);
	uint32_t bytes = v ? type_bytes((enum type)v->type) * (v->vector ? v->vector : 1u) : 0;

	if (!v)
		return false;
	if (bytes < unit && at % unit == 0 && v->size % unit == 0)
		bytes = unit;
	name_element(t, name_variable(m->module, v), at, bytes, v->size);
	return true;
}

static struct address_name name_or_offset(const struct machine *m, const struct cta *c,
	uint32_t offset, uint32_t unit, const char *unless)
{
	struct address_name name = {""};
	struct text t = {0};

	text_putc(&t, '\'');
	if (name_shared(m, c->launch, offset, unit, &t)) {
		text_putc(&t, '\'');
	} else {
		text_clear(&t);
		text_printf(&t, "%s 0x%x", unless, offset);
	}
	strncpy(name.text, text_str(&t), sizeof name.text - 1);
	text_free(&t);
	return name;
}

struct address_name name_in_shared(
	const struct machine *m, const struct cta *c, uint32_t offset, uint32_t unit)
{
	return name_or_offset(m, c, offset, unit, "offset");
}
struct address_name name_mbarrier(const struct machine *m, const struct cta *c, uint32_t offset)
{
	return name_or_offset(m, c, offset, 8, "at offset");
}

void name_past(const struct machine *m, const struct launch *l, uint32_t offset, uint32_t whole,
	struct text *t)
{
	uint64_t at = 0;
	/* NULL where the end is padding */
	const struct ir_var *v = whole ? variable_at(m, l, whole - 1, &at) : NULL;

	if (v)
		name_index_past(t, name_variable(m->module, v), offset - (whole - 1 - at),
			type_bytes((enum type)v->type) * (v->vector ? v->vector : 1u), at + 1);
}

static const char *kind_text(const struct memory_block *b)
{
	switch (b->kind) {
	case MEMORY_BUFFER: return b->array ? "array" : "buffer";
	case MEMORY_VARIABLE: return ".global variable";
	case MEMORY_CONSTANT: return ".const variable";
	case MEMORY_WORKSPACE: return "the workspace of the grid barrier,";
	default: return "allocation";
	}
}

static void describe_block(
	const struct memory_block *b, uint64_t address, uint64_t n, struct text *out)
{
	const char *kind = kind_text(b);
	uint64_t end = b->base + b->size;

	if (b->freed) {
		struct memory_block was = *b;

		was.size = b->had;
		was.freed = NULL;
		describe_block(&was, address, n, out);
		if (*b->freed)
			text_printf(out, ", which was freed by %s", b->freed);
		else
			text_puts(out, ", which was freed");
	} else if (address < b->base) {
		uint64_t before = b->base - address;

		if (before < n)
			text_printf(out,
				"the first %" PRIu64 " of %" PRIu64
				" bytes are before %s `%s`, which begins at 0x%" PRIx64,
				before, n, kind, b->name, b->base);
		else
			text_printf(out,
				"%" PRIu64 " byte%s before %s `%s`, which begins at 0x%" PRIx64,
				before, before == 1 ? "" : "s", kind, b->name, b->base);
	} else if (address >= end) {
		uint64_t past = address - end;

		if (past)
			text_printf(out,
				"%" PRIu64 " byte%s past %s `%s`, which ends at 0x%" PRIx64, past,
				past == 1 ? "" : "s", kind, b->name, end);
		else
			text_printf(out, "just past %s `%s`, which ends at 0x%" PRIx64, kind,
				b->name, end);
		text_printf(out, " (%" PRIu64 " bytes", b->size);
		name_index_past(out, b->name, address - b->base, b->element, b->size);
		text_putc(out, ')');
	} else if (end - address < n) {
		text_printf(out,
			"the last %" PRIu64 " of %" PRIu64
			" bytes are past %s `%s`, which ends at 0x%" PRIx64 " (%" PRIu64 " bytes)",
			n - (end - address), n, kind, b->name, end, b->size);
	} else {
		text_printf(out, "%s `", kind);
		name_element(out, b->name, address - b->base, b->element, b->size);
		text_putc(out, '`');
	}
}

static bool describe_window(uint64_t address, struct text *out)
{
	static const struct {
		uint64_t base;
		const char *what;
	} window[] = {
		{MEMORY_SHARED_WINDOW, "of the shared memory window"},
		{MEMORY_LOCAL_WINDOW, "of the local memory window"},
		{MEMORY_PARAM_WINDOW, "of the kernel parameter window"},
		{MEMORY_CONST_WINDOW, "of the .const window, where there is no variable"},
		{MEMORY_CODE_WINDOW, "of the code, which cannot be read or written"},
	};

	for (unsigned i = 0; i < sizeof window / sizeof *window; i++) {
		if (address >> MEMORY_SLOT_SHIFT == window[i].base >> MEMORY_SLOT_SHIFT) {
			text_printf(out, "byte 0x%" PRIx64 " %s", address - window[i].base,
				window[i].what);
			return true;
		}
	}
	return false;
}

void name_memory(const struct memory *m, uint64_t address, uint64_t n, struct text *out)
{
	const struct memory_block *b = memory_find(m, address);

	if (b->kind == MEMORY_HEAP && b->heap) {
		heap_describe(b->heap, address, n, out);
	} else if (b->kind != MEMORY_NOTHING) {
		describe_block(b, address, n, out);
	} else if (address < MEMORY_BIAS) {
		if (address)
			text_printf(out, "%" PRIu64 " byte%s past the null pointer", address,
				address == 1 ? "" : "s");
		else
			text_puts(out, "the null pointer");
	} else if (!describe_window(address, out)) {
		text_puts(out, "no allocation is near it");
	}
}

void name_address(const struct warp *w, uint64_t address, uint64_t n, struct text *t)
{
	uint64_t offset;

	if (window_space(address, &offset) == W_shared && cluster_at(w->cta, offset) &&
		name_shared(w->machine, w->cta->launch, cluster_offset(offset), 0, t)) {
		if (cluster_at(w->cta, offset) == w->cta)
			text_puts(t, " in shared memory");
		else
			text_printf(t, " in the shared memory of the CTA of rank %u",
				cluster_at(w->cta, offset)->cluster_rank);
	} else {
		name_memory(w->machine->memory, address, n, t);
	}
}
