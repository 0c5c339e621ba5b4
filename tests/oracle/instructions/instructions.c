/* Random instructions of every opcode, for tests/oracle/instructions.sh: `instructions N SEED
 * FOLDER` writes the assembler's verdicts into FOLDER/said/OPCODE, and programs that execute the
 * accepted instructions, one case each (frame.ptx), into FOLDER/run/OPCODE-TARGET.ptx. */
#include "assembler/assembler.h"
#include "tests/oracle/ptxas/instruction.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const targets[] = {"sm_90a", "sm_100a", "sm_120a"};
static struct text frame;

static FILE *opened(const char *mode, const char *fmt, const char *a, const char *b, const char *c)
{
	char path[4096];

	snprintf(path, sizeof path, fmt, a, b, c);
	FILE *f = fopen(path, mode);
	if (!f) {
		perror(path);
		exit(2);
	}
	return f;
}

/* Whether the text assembles; writes the verdict to SAID, unless it is NULL. */
static bool accepted(const struct text *t, FILE *said)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct ir_module *m = assemble(
		source_new(&arena, "instruction.ptx", text_str(t), t->len), NULL, &diags);
	bool good = m && !diags.errors;

	for (const struct diag *d = diags.first; said && d; d = d->next) {
		fprintf(said, "  %s %s\n", diag_code_info(d->code).code, d->message);
		for (unsigned i = 0; i < d->nlabels; i++)
			fprintf(said, "    '%.*s' %s\n",
				d->label[i].source ? (int)d->label[i].span.len : 0,
				text_str(t) + (d->label[i].source ? d->label[i].span.off : 0),
				d->label[i].text);
		for (unsigned i = 0; i < d->nnotes; i++)
			fprintf(said, "    note: %s\n", d->notes[i]);
		if (d->help)
			fprintf(said, "    help: %s\n", d->help);
	}
	if (m)
		ir_module_free(m);
	diags_free(&diags);
	arena_free(&arena);
	return good;
}

/* Emits code before the instruction: registers between its brackets become addresses of memory that
 * it may access, 16 bytes per thread; other registers that hold counts become small, and masks
 * full. */
static void prepare(struct text *t, const char *instruction)
{
	bool mbarrier = strstr(instruction, "mbarrier"), shared = strstr(instruction, ".shared"),
	     local = strstr(instruction, ".local");
	const char *memory = shared || mbarrier ? "sbuf"
		: local                         ? "lbuf"
		: strstr(instruction, ".const") ? "cbuf"
						: "gbuf";
	const char *own = local ? "0" : "%own", *own_word = local ? "0" : "%word";
	const char *most = strstr(instruction, "bulk") ? "48"
		: strstr(instruction, "alloca")        ? "255"
		: mbarrier                             ? "1"
						       : "-1";

	text_puts(t, "cvt.u32.u64 %word, %own; ");
	if (mbarrier && !strstr(instruction, "mbarrier.init"))
		text_puts(t,
			"mov.u64 %at, sbuf; add.u64 %at, %at, %own; "
			"mbarrier.init.shared.b64 [%at], 2; ");
	for (unsigned i = 1; i <= 3; i++) {
		char wide[16], narrow[16];

		snprintf(wide, sizeof wide, "[%%rd%u", i);
		snprintf(narrow, sizeof narrow, "[%%r%u", i);
		if (strstr(instruction, wide)) {
			text_printf(t, "mov.u64 %%rd%u, %s; add.u64 %%rd%u, %%rd%u, %s; ", i,
				memory, i, i, own);
			if (mbarrier && !shared)
				text_printf(t, "cvta.shared.u64 %%rd%u, %%rd%u; ", i, i);
		} else {
			text_printf(t, "and.b64 %%rd%u, %%rd%u, %s; ", i, i, most);
		}
		if (strstr(instruction, narrow))
			text_printf(t, "mov.u32 %%r%u, %s; add.u32 %%r%u, %%r%u, %s; ", i,
				local ? "lbuf" : "sbuf", i, i, own_word);
		else if (strstr(instruction, ".sync"))
			text_printf(t, "mov.b32 %%r%u, -1; ", i);
		else
			text_printf(t, "and.b32 %%r%u, %%r%u, %s; ", i, i, most);
	}
}

/* The kernel of frame.ptx around the instruction. */
static void put_kernel(struct text *t, const char *instruction, unsigned number)
{
	for (const char *p = text_str(&frame); *p;) {
		size_t word = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

		if (word == 6 && strncmp(p, "NUMBER", 6) == 0)
			text_printf(t, "%u", number);
		else if (word == 7 && strncmp(p, "PREPARE", 7) == 0)
			prepare(t, instruction);
		else if (word == 11 && strncmp(p, "INSTRUCTION", 11) == 0)
			text_printf(t, "%s%s", number % 4 == 1 ? "@%odd " : "", instruction);
		else
			text_add(t, p, word ? word : 1);
		p += word ? word : 1;
	}
}

static void put_file_head(struct text *t, const char *target)
{
	struct instruction_place newest = {0, INSTRUCTION_VERSIONS - 1};

	while (strcmp(instruction_targets[newest.target].name, target) != 0)
		newest.target++;
	instruction_put_head(t, newest);
}

/* Appends the case to the file of the first target that executes the instruction. */
static void write_program(
	const char *folder, enum opcode op, const char *instruction, unsigned number)
{
	for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++) {
		struct text head = {0}, kernel = {0}, whole = {0};

		put_file_head(&head, targets[i]);
		put_kernel(&kernel, instruction, number);
		text_add(&whole, head.data, head.len);
		text_add(&whole, kernel.data, kernel.len);
		bool good = accepted(&whole, NULL);
		if (good) {
			FILE *f = opened(
				"ab", "%s/run/%s-%s.ptx", folder, opcode_text(op), targets[i]);

			if (ftell(f) == 0)
				fputs(text_str(&head), f);
			fprintf(f,
				"//@ case k%u\n//@ buffer b%u : u64[64] = 0\n"
				"//@ launch k%u<<<1, %u>>>(b%u, 7, b%u)\n//@ print b%u\n%s",
				number, number, number, number % 3 ? 48 : 64, number, number,
				number, text_str(&kernel));
			fclose(f);
		}
		text_free(&head);
		text_free(&kernel);
		text_free(&whole);
		if (good)
			return;
	}
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "instructions N SEED FOLDER\n");
		return 2;
	}
	FILE *f = opened("rb", "tests/oracle/instructions/frame.ptx%s%s%s", "", "", "");
	for (int c; (c = getc(f)) != EOF;)
		text_putc(&frame, (char)c);
	fclose(f);
	instruction_seed(strtoull(argv[2], NULL, 0));
	for (unsigned i = 0, n = (unsigned)atoi(argv[1]); i < n; i++) {
		enum opcode op = instruction_opcode(i);
		struct text instruction = {0}, alone = {0};
		struct instruction_place place = instruction_make(&instruction, op);

		instruction_put_head(&alone, place);
		instruction_put_kernel(&alone, place, text_str(&instruction), 0);
		f = opened("ab", "%s/said/%s%s", argv[3], opcode_text(op), "");
		fprintf(f, "%s %u %s\n", instruction_targets[place.target].name,
			instruction_versions[place.version], text_str(&instruction));
		if (accepted(&alone, f))
			write_program(argv[3], op, text_str(&instruction), i);
		fclose(f);
		text_free(&instruction);
		text_free(&alone);
	}
	text_free(&frame);
	return 0;
}
