/* See parts.h. Texts are preceded by their length, so they may contain anything. */
#include "cli/parts.h"
#include <ptxi/ptxi.h>
#include <inttypes.h>
#include <string.h>

static const char magic[] = "ptxi explore part 1\n";

bool parts_are(const struct source *s)
{
	size_t n = sizeof magic - 1;

	return s && s->len > n && memcmp(s->text, magic, n) == 0;
}

static void put_text(const char *name, const char *text, size_t n, struct text *out)
{
	text_printf(out, "%s %zu ", name, n);
	text_add(out, text, n);
	text_putc(out, '\n');
}

void parts_head(const struct cli *c, uint64_t texts, uint32_t cases, struct text *out)
{
	text_puts(out, magic);
	put_text("version", ptxi_version(), strlen(ptxi_version()), out);
	text_printf(out, "shard %u %u\nsource %" PRIu64 "\nwords %u\n", c->shard, c->shards, texts,
		c->words.count);
	for (uint32_t k = 0; k < c->words.count; k++)
		put_text("word", c->words.data[k], strlen(c->words.data[k]), out);
	text_printf(out, "cases %u\n", cases);
}

void parts_case(const struct text *result, struct text *out)
{
	put_text("case", text_str(result), result->len, out);
}

/* --- reading --- */

struct reader {
	const char *at, *end;
	bool bad;
};

static void read_name(struct reader *r, const char *name)
{
	size_t n = strlen(name);

	r->bad |= (size_t)(r->end - r->at) < n || memcmp(r->at, name, n) != 0;
	r->at += r->bad ? 0 : n;
}

static uint64_t read_number(struct reader *r)
{
	uint64_t n = 0;

	r->bad |= r->at == r->end || *r->at != ' ';
	r->at += !r->bad;
	r->bad |= r->at == r->end || *r->at < '0' || *r->at > '9';
	for (; !r->bad && r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
		uint64_t digit = (uint64_t)(*r->at - '0');

		r->bad |= n > (UINT64_MAX - digit) / 10;
		n = 10 * n + digit;
	}
	return n;
}

static const char *read_text(struct reader *r, const char *name, struct arena *arena)
{
	uint64_t n;
	const char *text;

	read_name(r, name);
	n = read_number(r);
	read_name(r, " ");
	r->bad |= n > (uint64_t)(r->end - r->at);
	if (r->bad)
		return "";
	text = arena_text(arena, r->at, (size_t)n);
	r->at += n;
	read_name(r, "\n");
	return text;
}

/* One file. */
struct part_file {
	const char *version;
	uint64_t shard, shards, source, cases;
	VEC(const char *) words, text;
};

static bool read_file(struct cli *c, const char *path, struct part_file *f)
{
	struct source *s = file_read(path, &c->arena, &c->diags);
	struct reader r = {0};
	uint64_t words;

	if (!s)
		return false;
	r.at = s->text;
	r.end = s->text + s->len;
	read_name(&r, magic);
	f->version = read_text(&r, "version", &c->arena);
	read_name(&r, "shard");
	f->shard = read_number(&r);
	f->shards = read_number(&r);
	read_name(&r, "\nsource");
	f->source = read_number(&r);
	read_name(&r, "\nwords");
	words = read_number(&r);
	read_name(&r, "\n");
	while (words-- && !r.bad)
		*vec_push(&f->words) = read_text(&r, "word", &c->arena);
	read_name(&r, "cases");
	f->cases = read_number(&r);
	read_name(&r, "\n");
	while (f->text.count < f->cases && !r.bad)
		*vec_push(&f->text) = read_text(&r, "case", &c->arena);
	if (r.bad || r.at != r.end || !f->shard || f->shard > f->shards)
		diag_plain(&c->diags, DIAG_L0506,
			"%s is not the complete result of 'ptxi explore --shard'", path);
	else if (strcmp(f->version, ptxi_version()) != 0)
		diag_plain(&c->diags, DIAG_L0506, "%s was made by ptxi %.40s, and this is ptxi %s",
			path, f->version, ptxi_version());
	return !c->diags.errors;
}

static bool same_search(const struct part_file *a, const struct part_file *b)
{
	bool same = a->shards == b->shards && a->source == b->source && a->cases == b->cases &&
		a->words.count == b->words.count;

	for (uint32_t k = 0; k < a->words.count && same; k++)
		same = strcmp(a->words.data[k], b->words.data[k]) == 0;
	return same;
}

/* Whether the files are all parts of one search, each once; the file of shard K is then
 * order[K - 1]. */
static bool files_fit(struct cli *c, const struct part_file *f, uint32_t *order)
{
	uint32_t n = c->files.count;

	for (uint32_t k = 0; k < n; k++)
		order[k] = UINT32_MAX;
	for (uint32_t k = 0; k < n; k++) {
		if (!same_search(&f[0], &f[k]))
			diag_plain(&c->diags, DIAG_L0506,
				"%s and %s are not parts of the same exploration", c->files.data[0],
				c->files.data[k]);
		else if (f[k].shard <= n && order[f[k].shard - 1] != UINT32_MAX)
			diag_plain(&c->diags, DIAG_L0506, "%s and %s are both shard %u/%u",
				c->files.data[order[f[k].shard - 1]], c->files.data[k],
				(unsigned)f[k].shard, (unsigned)f[k].shards);
		else if (f[k].shard <= n)
			order[f[k].shard - 1] = k;
		if (c->diags.errors)
			return false;
	}
	for (uint32_t k = 0; k < n; k++)
		if (order[k] == UINT32_MAX || f[0].shards > n) {
			diag_plain(&c->diags, DIAG_L0506, "of %u shards, %u are given",
				(unsigned)f[0].shards, n);
			return false;
		}
	return true;
}

bool parts_read(struct cli *c, struct parts *out)
{
	uint32_t n = c->files.count;
	struct part_file *f = ARENA_ARRAY(&c->arena, struct part_file, n);
	uint32_t *order = ARENA_ARRAY(&c->arena, uint32_t, n);
	bool ok = true;

	*out = (struct parts){.shards = n};
	for (uint32_t k = 0; k < n && ok; k++)
		ok = read_file(c, c->files.data[k], &f[k]);
	ok = ok && files_fit(c, f, order);
	if (ok) {
		const char **text = ARENA_ARRAY(&c->arena, const char *, (size_t)f[0].cases *n + 1);

		out->cases = (uint32_t)f[0].cases;
		out->source = f[0].source;
		for (uint32_t i = 0; i < out->cases; i++)
			for (uint32_t k = 0; k < n; k++)
				text[i * n + k] = f[order[k]].text.data[i];
		out->text = text;
		for (uint32_t k = 0; k < f[0].words.count; k++)
			*vec_push(&out->words) = f[0].words.data[k];
	}
	for (uint32_t k = 0; k < n; k++) {
		vec_free(&f[k].words);
		vec_free(&f[k].text);
	}
	return ok;
}

void parts_free(struct parts *p) { vec_free(&p->words); }
