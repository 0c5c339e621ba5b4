/* Texts and everything derived from them: every message with its locations and help, or the module
 * with its warnings and layout. The files of tests/unit/texts contain the texts and the expected
 * results; after an intended change, PTXI_TEXTS=write rewrites the results; then read the
 * difference. */
#include "assemble.h"
#include "parser/litmus.h"
#include <inttypes.h>

static const char *place(struct assembled *a, struct source *s, struct span span, uint32_t skip)
{
	uint32_t line, column;

	source_place(s, span.off, &line, &column);
	return arena_printf(
		&a->arena, "%d:%u+%u", (int)line - (int)skip, column, (unsigned)span.len);
}

static void put_diags(struct assembled *a, uint32_t skip, struct text *out)
{
	for (const struct diag *d = a->diags.first; d; d = d->next) {
		text_printf(out, "%s", diag_code_info(d->code).code);
		for (unsigned k = 0; k < d->nlabels; k++)
			text_printf(out, "%s %s %s\n", k ? "    " : "",
				d->label[k].source
					? place(a, d->label[k].source, d->label[k].span, skip)
					: "nowhere",
				k ? d->label[k].text : d->message);
		if (!d->nlabels)
			text_printf(out, " %s\n", d->message);
		if (d->help)
			text_printf(out, "    help: %s\n", d->help);
		for (unsigned k = 0; k < d->nnotes; k++)
			text_printf(out, "    note: %s\n", d->notes[k]);
		if (d->count != 1)
			text_printf(out, "    %u times\n", d->count);
	}
}

/* --- modules --- */

static void put_variable(const struct ir_module *m, const struct ir_var *v, struct text *out)
{
	text_printf(out, " %s %" PRIu64 "+%" PRIu64 "/%u",
		v->name ? symbol_text(&m->symbols, v->name) : "_", v->offset, v->size, v->align);
}

static void put_layout(const struct ir_module *m, struct text *out)
{
	if (m->shared_bytes)
		text_printf(out, "shared %u bytes:", m->shared_bytes);
	for (uint32_t i = 0; m->shared_bytes && i < m->nvars; i++)
		if (m->var[i].func == IR_NONE && m->var[i].space == W_shared)
			put_variable(m, &m->var[i], out);
	if (m->shared_bytes)
		text_putc(out, '\n');
	for (uint32_t f = 0; f < m->nfuncs; f++) {
		text_printf(out, "%s: param %u, local %u, shared %u:",
			symbol_text(&m->symbols, m->func[f].name), m->func[f].param_bytes,
			m->func[f].local_bytes, m->func[f].shared_bytes);
		for (uint32_t i = 0; i < m->nvars; i++)
			if (m->var[i].func == f)
				put_variable(m, &m->var[i], out);
		text_putc(out, '\n');
	}
}

/* Prints the module, and checks that this text and the module's object give the same. */
static void put_module(struct assembled *a, bool head, struct text *out)
{
	static const char usual[] = TEST_HEAD "\n";
	struct text first = {0}, again = {0}, bytes = {0}, back = {0};
	struct assembled b, c = {0};
	const char *text;

	assembler_print(a->m, &first);
	b = test_assemble(text_str(&first));
	cr_expect_not_null(b.m, "%s\nis not assembled: %s", text_str(&first), test_codes(&b));
	if (b.m)
		assembler_print(b.m, &again);
	cr_expect_str_eq(text_str(&again), text_str(&first));
	ir_object_write(a->m, true, &bytes);
	c.m = ir_object_read(source_new(&c.arena, "o.ptxo", bytes.data, bytes.len), &c.diags);
	cr_expect_not_null(c.m, "%s\nhas an object that is refused: %s", text_str(&first),
		c.diags.first ? c.diags.first->message : "");
	if (c.m)
		assembler_print(c.m, &back);
	cr_expect_str_eq(text_str(&back), text_str(&first));
	text = text_str(&first);
	if (!head && strncmp(text, usual, sizeof usual - 1) == 0)
		text += sizeof usual - 1;
	text_puts(out, text);
	put_layout(a->m, out);
	text_free(&first);
	text_free(&again);
	text_free(&bytes);
	text_free(&back);
	test_free(&b);
	test_free(&c);
}

/* KIND: "body" of a kernel, declarations at the "top", or a whole "file"; followed by target=,
 * arch=, ptx=, and "lint" for the warnings of assembler_lint. */
static void put_ptx(const char *kind, const char *text, struct text *out)
{
	static const char before[] = TEST_HEAD
		".visible .entry k(.param .u64 out, .param .u32 n)\n{\n" TEST_REGS;
	struct assembled a = {0};
	struct assemble_options options = {0};
	struct text all = {0};
	uint32_t skip = 0;
	char word[3][16] = {"", "", ""};
	bool lint = false;
	const char *p = kind;
	int n;

	for (unsigned k = 0; k < 3 && sscanf(p, "%15s%n", word[k], &n) == 1; k++, p += n) {
		lint |= strcmp(word[k], "lint") == 0;
		if (strncmp(word[k], "target=", 7) == 0)
			options.target = word[k] + 7;
		if (strncmp(word[k], "arch=", 5) == 0)
			options.arch = word[k] + 5;
		if (strncmp(word[k], "ptx=", 4) == 0)
			options.ptx = (unsigned)atoi(word[k] + 4);
	}
	if (strcmp(word[0], "body") == 0)
		text_puts(&all, before);
	else if (strcmp(word[0], "top") == 0)
		text_puts(&all, TEST_HEAD);
	for (const char *c = text_str(&all); *c; c++)
		skip += *c == '\n';
	text_puts(&all, text);
	if (strcmp(word[0], "body") == 0)
		text_puts(&all, "ret;\n}\n");
	a.m = assemble(source_new(&a.arena, "t.ptx", text_str(&all), all.len), &options, &a.diags);
	if (a.m && lint)
		assembler_lint(a.m, &a.diags);
	put_diags(&a, skip, out);
	if (a.m)
		put_module(&a, strcmp(word[0], "file") == 0, out);
	text_free(&all);
	test_free(&a);
}

/* --- litmus tests --- */

static void put_value(const struct litmus_thread *t, const struct litmus_value *v, struct text *out)
{
	if (v->is_register)
		text_printf(out, " %s", t->reg[v->index]);
	else
		text_printf(out, " %" PRId64, v->value);
}

static void put_condition(
	const struct litmus_test *t, const struct litmus_cond *c, struct text *out);

static void put_term(const struct litmus_test *t, const struct litmus_term *m, struct text *out)
{
	if (m->kind == LITMUS_TERM_INT)
		text_printf(out, "%" PRId64, m->value);
	else if (m->kind == LITMUS_TERM_REG)
		text_printf(out, "%s:%s", t->thread[m->thread].name,
			t->thread[m->thread].reg[m->index]);
	else
		text_puts(out, t->location[m->index].name);
}

static void put_condition(
	const struct litmus_test *t, const struct litmus_cond *c, struct text *out)
{
	static const char *const relation[] = {"=", "!=", "<", "<=", ">", ">="};

	text_putc(out, '(');
	if (c->kind == LITMUS_COMPARE) {
		put_term(t, &c->left, out);
		text_printf(out, " %s ", relation[c->relation]);
		put_term(t, &c->right, out);
	} else {
		if (c->kind == LITMUS_NOT_COND)
			text_puts(out, "not ");
		put_condition(t, c->a, out);
		if (c->b) {
			text_puts(out, c->kind == LITMUS_AND_COND ? " and " : " or ");
			put_condition(t, c->b, out);
		}
	}
	text_putc(out, ')');
}

static void put_thread(
	struct assembled *a, const struct litmus_test *t, uint32_t k, struct text *out)
{
	static const char *const op[] = {"load", "store", "atom", "red", "fence", "proxy fence",
		"sync", "arrive", "alu", "branch", "goto"};
	const struct litmus_thread *h = &t->thread[k];

	text_printf(out, "thread %s: cta %u, cluster %d, gpu %u;", h->name, h->cta, (int)h->cluster,
		h->gpu);
	for (uint32_t i = 0; i < h->nregs; i++)
		text_printf(out, " %s = %" PRId64, h->reg[i], h->reg_init[i]);
	text_putc(out, '\n');
	for (uint32_t i = 0; i < h->ninsns; i++) {
		const struct litmus_insn *in = &h->insn[i];
		bool access = in->op <= LITMUS_RED;

		text_printf(out, "    %u %s %s: sem %u scope %u proxy %u alu %u", i,
			place(a, t->source, in->span, 0), op[in->op], in->sem, in->scope, in->proxy,
			in->alu);
		if (in->op == LITMUS_LOAD || in->op == LITMUS_ATOM || in->op == LITMUS_ALU)
			text_printf(out, " to %s", h->reg[in->dst]);
		if (access)
			text_printf(out, " at %s", t->location[in->location].name);
		if (in->op == LITMUS_BRANCH || in->op == LITMUS_GOTO)
			text_printf(out, " to %u", in->target);
		put_value(h, &in->a, out);
		put_value(h, &in->b, out);
		put_value(h, &in->c, out);
		text_puts(out, in->counted ? " counted\n" : "\n");
	}
}

static void put_test(struct assembled *a, const struct litmus_test *t, struct text *out)
{
	text_printf(out, "%s\n", t->name);
	for (uint32_t i = 0; i < t->nlocations; i++)
		text_printf(out, "location %s = %" PRId64 ", memory %s, address %s%s\n",
			t->location[i].name, t->location[i].init,
			t->location[t->location[i].phys].name,
			t->location[t->location[i].virt].name,
			t->location[i].alias ? ", alias" : "");
	for (uint32_t k = 0; k < t->nthreads; k++)
		put_thread(a, t, k, out);
	text_puts(out, "observed");
	for (uint32_t i = 0; i < t->nobserved; i++) {
		text_putc(out, ' ');
		put_term(t, &t->observed[i], out);
	}
	text_printf(out, "\n%s \"%s\" ", litmus_quantifier_text(t), t->cond_text);
	put_condition(t, t->cond, out);
	text_putc(out, '\n');
}

static void put_litmus(const char *text, struct text *out)
{
	struct assembled a = {0};
	struct litmus_test *t = litmus_parse(
		source_new(&a.arena, "t.litmus", text, strlen(text)), &a.arena, &a.diags);

	put_diags(&a, 0, out);
	if (t)
		put_test(&a, t, out);
	diags_free(&a.diags);
	arena_free(&a.arena);
}

/* --- the files: "=== KIND: what it is about", the text, "---", the results --- */

static struct text file_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct text t = {0};
	char part[4096];
	size_t n;

	cr_assert(f, "%s", path);
	while ((n = fread(part, 1, sizeof part, f)))
		text_add(&t, part, n);
	fclose(f);
	return t;
}

static void try_file(const char *path)
{
	struct text file = file_text(path), now = {0}, text = {0};
	char *line = file.data, *next = line, kind[128] = "", title[256] = "";
	bool in_text = false;
	unsigned cases = 0;

	for (; *line; line = next) {
		next = strchr(line, '\n');
		cr_assert(next, "%s ends within a line", path);
		next++;
		if (strncmp(line, "=== ", 4) == 0) {
			snprintf(title, sizeof title, "%.*s", (int)(next - line - 1), line);
			cr_assert_eq(
				sscanf(title, "=== %127[^:]:", kind), 1, "%s: %s", path, title);
			text_printf(&now, "%s\n", title);
			text_clear(&text);
			in_text = true;
			cases++;
		} else if (in_text && strncmp(line, "---\n", 4) == 0) {
			struct text gives = {0};
			const char *end = strstr(next, "=== ");
			size_t n = end ? (size_t)(end - next) : strlen(next);

			text_printf(&now, "%s---\n", text_str(&text));
			if (strcmp(kind, "litmus") == 0)
				put_litmus(text_str(&text), &gives);
			else
				put_ptx(kind, text_str(&text), &gives);
			text_puts(&now, text_str(&gives));
			cr_expect(n == gives.len && strncmp(next, text_str(&gives), n) == 0,
				"%s: %s\n%s   gives\n%s", path, title, text_str(&text),
				text_str(&gives));
			text_free(&gives);
			in_text = false;
		} else if (in_text) {
			text_add(&text, line, (size_t)(next - line));
		}
	}
	cr_expect_gt(cases, 0, "%s", path);
	if (getenv("PTXI_TEXTS")) {
		FILE *f = fopen(path, "wb");

		cr_assert(f && fwrite(now.data, 1, now.len, f) == now.len);
		fclose(f);
	}
	text_free(&file);
	text_free(&now);
	text_free(&text);
}

#define TEXTS(name) \
	Test(texts, name) { try_file("tests/unit/texts/" #name ".txt"); }
TEXTS(operands)
TEXTS(constants)
TEXTS(calls)
TEXTS(directives)
TEXTS(variables)
TEXTS(names)
TEXTS(warnings)
TEXTS(instructions)
TEXTS(syntax)
TEXTS(litmus)
