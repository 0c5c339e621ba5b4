/* Every form of a synchronising instruction (tests/oracle/forms.tsv) and the golden test that
 * executes it: an instruction with the same words in canonical order and operands of the same kinds
 * must have been executed there, and the file must pass. docs/FORMS.md is generated from the same
 * table: PTXI_UPDATE=1 rewrites it. */
#include "base/memory.h"
#include "script/host/host.h"
#include "script/lang/program.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE "tests/oracle/forms.tsv"
#define PAGE "docs/FORMS.md"
enum { MOST_FORMS = 512, MOST_FILES = 64 };

static char *slurp(const char *name)
{
	FILE *f = fopen(name, "rb");
	char *text = NULL;
	size_t n = 0, cap = 0, got;

	if (!f)
		return NULL;
	do {
		cap = cap ? cap * 2 : 1 << 16;
		text = memory_resize(text, cap + 1);
		n += got = fread(text + n, 1, cap - n, f);
	} while (got);
	fclose(f);
	text[n] = 0;
	return text;
}

/* --- the table: target, instruction, where it is executed, a note --- */

struct form_row {
	char *target, *insn, *place, *note;
};
struct form_table {
	char *text;
	struct form_row row[MOST_FORMS];
	unsigned n;
};

static void read_table(struct form_table *t)
{
	char *save = NULL;

	t->n = 0;
	t->text = slurp(TABLE);
	cr_assert(t->text, "%s is missing: run the tests from the root of the repository", TABLE);
	for (char *line = strtok_r(t->text, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save)) {
		struct form_row r;
		char *part = NULL;

		if (line[0] == '#')
			continue;
		r.target = strtok_r(line, "\t", &part);
		r.insn = strtok_r(NULL, "\t", &part);
		r.place = strtok_r(NULL, "\t", &part);
		r.note = strtok_r(NULL, "\t", &part);
		cr_assert(r.target && r.insn && r.place, "a row of %s needs three columns: %s",
			TABLE, line);
		cr_assert_lt(t->n, MOST_FORMS);
		t->row[t->n++] = r;
	}
}

/* --- what makes two instructions the same form --- */

static void add_operand(const struct ir_module *m, const struct ir_operand *o, struct text *t)
{
	static const char letter[] = {[IR_REG] = 'r',
		[IR_SREG] = 's',
		[IR_IMM] = 'i',
		[IR_VAR] = 'v',
		[IR_FUNC] = 'f',
		[IR_LABEL] = 'l',
		[IR_TABLE] = 't',
		[IR_ADDR] = 'a',
		[IR_VEC] = '{',
		[IR_PAIR] = '|',
		[IR_LIST] = '(',
		[IR_SINK] = '_'};

	text_putc(t, ' ');
	text_putc(t, o->kind == IR_REG && o->type == TYPE_pred ? 'p' : letter[o->kind]);
	if (o->kind == IR_SREG)
		text_printf(t, "%s", sreg_text(o->index));
	if (o->kind == IR_VEC || o->kind == IR_PAIR)
		for (uint32_t k = 0; k < o->count; k++)
			add_operand(m, &m->operand[o->index + k], t);
}

static char *signature(const struct ir_module *m, const struct ir_insn *i)
{
	struct text t = {0};
	char *s;

	text_printf(&t, "%u", ir_form(i)->opcode);
	for (unsigned k = 0; k < i->nwords; k++)
		text_printf(&t, ".%s", word_text((enum word)m->word[i->word + k]));
	for (unsigned k = 0; k < i->noperands; k++)
		add_operand(m, &m->operand[i->operand + k], &t);
	s = strdup(text_str(&t));
	text_free(&t);
	return s;
}

/* Makes a module with one form; *INSN is its instruction. */
static void load_form(const struct form_row *r, struct program *p)
{
	struct text t = {0};
	struct program_request q = {.path = "form.ptx"};

	text_printf(&t,
		"//@ launch k<<<1, 1>>>(0)\n.version 9.4\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 p0)\n{\n.reg .pred %%p<4>;\n.reg .b16 %%h<8>;\n"
		".reg .b32 %%r<10>;\n.reg .b64 %%rd<10>;\n.reg .f32 %%f<8>;\n.reg .f64 %%fd<4>;\n%s%s;\nret;\n}\n",
		r->target, strstr(r->insn, "%q") ? ".reg .b128 %q<4>;\n" : "", r->insn);
	q.text = text_str(&t);
	q.size = t.len;
	program_load(p, &q);
	text_free(&t);
}

/* --- what a file executes --- */

struct executed {
	const char *path;
	char **signature;
	size_t n, cap;
	unsigned passed;
};

static void add_executed(struct executed *e, const struct ir_module *m, const uint64_t *count)
{
	for (uint32_t k = 0; k < m->ninsns; k++) {
		if (!count[k])
			continue;
		if (e->n == e->cap)
			e->signature = memory_resize(
				e->signature, (e->cap = e->cap * 2 + 64) * sizeof *e->signature);
		e->signature[e->n++] = signature(m, &m->insn[k]);
	}
}

static bool executes(const struct executed *e, const char *s)
{
	for (size_t k = 0; k < e->n; k++)
		if (strcmp(e->signature[k], s) == 0)
			return true;
	return false;
}

static void run_file(struct executed *e)
{
	struct program p = {0};

	program_load(&p, &(struct program_request){.path = e->path});
	cr_assert(p.module && p.script_ok, "%s cannot be loaded", e->path);
	for (size_t k = 0; k < p.script.cases.count; k++) {
		struct host_request q = {
			.module = p.module, .in = &p.script.cases.data[k], .judge = true};
		struct report r;

		q.options.given = RUN_SEEDS; /* no further runs: one run executes everything */
		q.options.machine.checks = CHECK_BOUNDS | CHECK_SYNC;
		q.options.machine.jobs = 1;
		q.options.machine.seed = 1;
		host_run(&q, &r);
		cr_expect_neq(r.verdict, VERDICT_FAIL, "%s, case %zu: %s", e->path, k, r.reason);
		if (r.has_stats && r.stats.by_insn && r.verdict == VERDICT_PASS) {
			add_executed(e, p.module, r.stats.by_insn);
			e->passed++;
		}
		report_free(&r);
	}
	program_free(&p);
}

static struct executed *file_of(struct executed *file, unsigned *n, const char *path)
{
	for (unsigned k = 0; k < *n; k++)
		if (strcmp(file[k].path, path) == 0)
			return &file[k];
	cr_assert_lt(*n, MOST_FILES);
	file[*n] = (struct executed){.path = path};
	run_file(&file[*n]);
	return &file[(*n)++];
}

/* --- the tests --- */

/* A row whose place is "rejected CODE": no target accepts it. */
static void check_rejected(const struct form_row *r)
{
	struct program p = {0};
	bool found = false;

	load_form(r, &p);
	for (const struct diag *d = p.diags.first; d; d = d->next)
		found = found ||
			strcmp(diag_code_info(d->code).code, r->place + strlen("rejected ")) == 0;
	cr_expect(p.status == 3 && found, "%s: not %s", r->insn, r->place);
	program_free(&p);
}

/* "status 8": it is accepted, and running it ends with that status. */
static void check_unsupported(const struct form_row *r)
{
	struct program p = {0};
	struct report out;

	cr_expect(r->note && r->note[0], "%s: status 8 needs a reason", r->insn);
	load_form(r, &p);
	cr_assert(p.module && p.status == 0, "%s is not taken", r->insn);
	host_run(&(struct host_request){.module = p.module,
			 .in = &p.script.cases.data[0],
			 .options.machine = {.jobs = 1, .seed = 1}},
		&out);
	cr_expect_eq(out.status, 8, "%s: status %d", r->insn, out.status);
	report_free(&out);
	program_free(&p);
}

static void check_executed(const struct form_row *r, const struct executed *e)
{
	struct program p = {0};
	char *s = NULL;

	load_form(r, &p);
	cr_assert(p.module, "%s is not taken for %s", r->insn, r->target);
	s = signature(p.module, &p.module->insn[p.module->func[p.module->nfuncs - 1].insn]);
	cr_expect(executes(e, s), "%s is not executed in %s", r->insn, r->place);
	free(s);
	program_free(&p);
}

Test(forms, executed)
{
	static struct form_table t;
	static struct executed file[MOST_FILES];
	unsigned nfiles = 0;

	read_table(&t);
	cr_assert_geq(t.n, 203);
	for (unsigned k = 0; k < t.n; k++) {
		const struct form_row *r = &t.row[k];

		if (strncmp(r->place, "rejected ", 9) == 0)
			check_rejected(r);
		else if (strcmp(r->place, "status 8") == 0)
			check_unsupported(r);
		else
			check_executed(r, file_of(file, &nfiles, r->place));
	}
}

static void write_page(const struct form_table *t, struct text *out)
{
	unsigned run = 0, rejected = 0, rest = 0;

	for (unsigned k = 0; k < t->n; k++)
		*(strncmp(t->row[k].place, "rejected ", 9) == 0            ? &rejected
				: strcmp(t->row[k].place, "status 8") == 0 ? &rest
									   : &run) += 1;
	text_printf(out,
		"# Forms of synchronisation, and the test that executes each\n\nGenerated from `tests/oracle/forms.tsv`. `make check` verifies that the named file has an instruction with the same words and "
		"the same kinds of\noperands, that it is executed there, and that the file passes. %u forms: %u executed, %u rejected for every target that ptxas supports, %u end with status 8.\n\n"
		"| form | lowest target | executed in | |\n|---|---|---|---|\n",
		t->n, run, rejected, rest);
	for (unsigned k = 0; k < t->n; k++) {
		const struct form_row *r = &t->row[k];

		text_puts(out, "| `");
		for (const char *c = r->insn; *c; c++)
			text_puts(out, *c == '|' ? "\\|" : (char[]){*c, 0});
		text_printf(out, "` | %s | %s%s%s | %s |\n", r->target,
			strncmp(r->place, "tests/", 6) == 0 ? "`" : "", r->place,
			strncmp(r->place, "tests/", 6) == 0 ? "`" : "", r->note ? r->note : "");
	}
}

Test(forms, page)
{
	static struct form_table t;
	struct text out = {0};
	char *have;

	read_table(&t);
	write_page(&t, &out);
	if (getenv("PTXI_UPDATE")) {
		FILE *f = fopen(PAGE, "wb");

		cr_assert(f);
		fwrite(text_str(&out), 1, out.len, f);
		fclose(f);
	}
	have = slurp(PAGE);
	cr_expect(have && strcmp(have, text_str(&out)) == 0,
		"%s is not what %s says: run with PTXI_UPDATE=1", PAGE, TABLE);
	free(have);
	text_free(&out);
}
