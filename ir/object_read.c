/* Reading objects: header, checksum, the parts in order, and finally the source locations. */
#include "ir/object_reader.h"
#include "base/memory.h"
#include "ir/origins.h"
#include <stdlib.h>

bool ir_object_is(const char *bytes, size_t n)
{
	return n >= 8 && memcmp(bytes, OBJECT_MAGIC, 8) == 0;
}

static uint64_t get_u64(const uint8_t *p)
{
	uint64_t v = 0;

	for (unsigned i = 8; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

static struct span get_span(struct object_reader *r, uint32_t *last, uint32_t len)
{
	uint64_t off = *last + object_unzigzag(object_get(r)), n = object_get(r);

	if (off > len || n > len - off) {
		object_fail(r, "a location in it is outside the source");
		return (struct span){0, 0};
	}
	*last = (uint32_t)(off + n);
	return (struct span){(uint32_t)off, (uint32_t)n};
}

/* The original file's name and lines, with blank text. */
static struct source *read_source(struct object_reader *r, uint64_t size)
{
	struct source *s = ARENA_NEW(&r->m->arena, struct source);
	uint32_t n = object_count(r), line = 0, nlines;
	const uint8_t *lengths;
	char *text;

	s->name = r->why ? "" : arena_text(&r->m->arena, (const char *)r->p, n);
	r->p += r->why ? 0 : n;
	s->len = object_below(r, UINT64_C(1) << 31, "its source is too long");
	nlines = object_count(r) + 1;
	if (s->len > size * 256 + 65536)
		object_fail(r, "its source is too long");
	if (r->why)
		s->len = 0;
	text = arena_alloc(&r->m->arena, s->len + 2u, 1);
	memset(text, ' ', s->len);
	text[s->len] = text[s->len + 1] = '\0';
	s->text = text;
	s->home = &r->m->arena;
	lengths = r->p;
	for (uint32_t i = 1; i < nlines && !r->why; i++)
		line += object_below(
			r, (uint64_t)s->len - line + 1, "a line in it is outside the source");
	n = r->why ? 0 : (uint32_t)(r->p - lengths);
	source_set_lines(s, arena_copy(&r->m->arena, lengths, n, 1), n);
	return s;
}

static void read_spans(struct object_reader *r, uint32_t len)
{
	struct ir_module *m = r->m;
	uint32_t last = 0;

	for (uint32_t i = 0; i < m->nfuncs; i++)
		m->func[i].span = get_span(r, &last, len);
	for (uint32_t i = 0; i < r->var_v.count; i++)
		r->var_v.data[i].span = get_span(r, &last, len);
	for (uint32_t i = 0; i < r->table_v.count; i++)
		r->table_v.data[i].span = get_span(r, &last, len);
	for (uint32_t i = 0; i < r->label_v.count; i++)
		r->label_v.data[i].span = get_span(r, &last, len);
	for (uint32_t i = 0; i < r->insn_v.count; i++)
		r->insn_v.data[i].span = get_span(r, &last, len);
}

static void read_places(struct object_reader *r, const char *file, uint64_t size, uint64_t len)
{
	if (len) {
		r->m->source = read_source(r, size);
		read_spans(r, r->m->source->len);
		if (!r->why && r->p != r->end)
			object_fail(r, "unexpected data follows its locations");
	} else {
		r->m->source = source_new(&r->m->arena, file, "", 0);
	}
}

/* Ensures that no array is NULL, even when empty. */
static void make_arrays(struct object_reader *r)
{
#define ARRAY(array, number, type) vec_reserve(&r->array##_v, 1);
#include "ir/array.def"
	vec_reserve(&r->shape, 1);
	vec_reserve(&r->node, 1);
	vec_reserve(&r->operands, 8);
}

static void hand_over_arrays(struct object_reader *r)
{
	struct ir_module *m = r->m;

#define ARRAY(array, number, type) \
	m->array = r->array##_v.data, m->number = r->array##_v.count, r->array##_v.data = NULL;
#include "ir/array.def"
	memory_drop(r->node.data);
	memory_drop(r->shape.data);
	memory_drop(r->operands.data);
	memory_drop(r->name);
	memory_drop(r->order);
	arena_free(&r->scratch);
}

uint64_t ir_object_size(const char *bytes)
{
	const uint8_t *p = (const uint8_t *)bytes;
	uint64_t content, places;

	/* a text may be shorter than a header, and ends with a NUL */
	if (strncmp(bytes, OBJECT_MAGIC, sizeof OBJECT_MAGIC - 1) != 0)
		return 0;
	content = get_u64(p + 24);
	places = get_u64(p + 32);
	return content > INT32_MAX || places > INT32_MAX ? OBJECT_HEADER
							 : OBJECT_HEADER + content + places;
}

static const char *check_header(const struct source *file, uint64_t *content, uint64_t *places)
{
	const uint8_t *p = (const uint8_t *)file->text;
	uint64_t sum;

	if (file->len < OBJECT_HEADER)
		return "it is truncated";
	*content = get_u64(p + 24);
	*places = get_u64(p + 32);
	if (*content > file->len - OBJECT_HEADER || *places != file->len - OBJECT_HEADER - *content)
		return "its length does not match its header";
	sum = hash_bytes(p, OBJECT_HEADER - 8, 0);
	sum = hash_bytes(p + OBJECT_HEADER, (size_t)*content, sum);
	sum = hash_bytes(p + OBJECT_HEADER + *content, (size_t)*places, sum);
	return sum == get_u64(p + 40) ? NULL : "its checksum is wrong";
}

static struct ir_module *reject_object(
	struct ir_module *m, struct source *file, struct diags *diags, const char *why)
{
	struct diag *d = diag_report(diags, DIAG_E0450, NULL, (struct span){0, 0},
		"%s is not a usable object: %s", file->name, why);

	diag_help(diags, d, "assemble the source again: ptxi as FILE.ptx -o %s", file->name);
	ir_module_free(m);
	return NULL;
}

struct ir_module *ir_object_read(struct source *file, struct diags *diags)
{
	const uint8_t *p = (const uint8_t *)file->text;
	uint64_t content = 0, places = 0;
	const char *why = ir_object_is(file->text, file->len)
		? check_header(file, &content, &places)
		: "it does not begin with an object's header";
	struct object_reader r = {0};
	uint32_t func;

	if (why)
		return reject_object(NULL, file, diags, why);
	if (get_u64(p + 8) != OBJECT_VERSION || get_u64(p + 16) != object_table())
		return reject_object(
			NULL, file, diags, "it was written by another version of ptxi");
	r.m = memory_zeroed(1, sizeof *r.m);
	make_arrays(&r);
	r.p = p + OBJECT_HEADER;
	r.end = r.p + content;
	object_read_names(&r);
	object_read_declarations(&r);
	if (!r.why)
		object_read_code(&r);
	if (!r.why) {
		r.end = r.p + places;
		read_places(&r, file->name, file->len, places);
	}
	hand_over_arrays(&r);
	why = r.why;
	if (!why)
		ir_origins(r.m, NULL);
	if (!why && !ir_layout(r.m, &func))
		why = "its variables take more than 4 GiB";
	return why ? reject_object(r.m, file, diags, why) : r.m;
}
