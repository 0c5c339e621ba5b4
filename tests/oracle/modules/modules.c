/* What of the PTX in compiled libraries is executed: `modules FILE...` reads every fat binary in
 * each file, assembles and decodes its PTX, and prints the modules that do not assemble, the
 * instructions that are not executed with the number of kernels that contain them (themselves or
 * in a function that they call), and the counts. */
#include "assembler/assembler.h"
#include "base/memory.h"
#include "code/code.h"
#include "cuda/fatbin.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANY_TARGET = 1000, CONTAINER_ALIGN = 8, MOST_KINDS = 256 };

static struct count {
	unsigned containers, modules, rejected, kernels, incomplete, runs;
} total;
/* Instructions that are not executed, by opcode and words. */
static struct kind {
	char *name;
	unsigned kernels;
	bool here; /* in the kernel that is looked at */
} kind[MOST_KINDS];
static unsigned nkinds;

static struct kind *kind_of(const struct ir_module *m, const struct ir_insn *i)
{
	struct text name = {0};
	unsigned k = 0;

	text_puts(&name, opcode_text((enum opcode)ir_form(i)->opcode));
	for (unsigned w = 0; w < i->nwords; w++)
		text_printf(&name, ".%s", word_text((enum word)m->word[i->word + w]));
	while (k < nkinds && strcmp(kind[k].name, text_str(&name)) != 0)
		k++;
	if (k == nkinds) {
		if (nkinds == MOST_KINDS) {
			fprintf(stderr, "modules: more than %d kinds of instruction\n", MOST_KINDS);
			exit(2);
		}
		kind[nkinds++].name = strdup(text_str(&name));
	}
	text_free(&name);
	return &kind[k];
}

/* Whether all instructions of F, which calls a function that the module only declares, are
 * executed. */
static bool has_executor(const struct ir_module *m, const struct ir_func *f)
{
	for (uint32_t k = 0; k < f->ninsns; k++)
		if (ir_form(&m->insn[f->insn + k])->handler == HANDLER_unsupported)
			return false;
	return true;
}

/* Marks what FUNC and the functions that it calls by name do not execute. */
static void look(const struct code *c, uint32_t func, bool *seen)
{
	const struct code_func *f = &c->func[func];

	if (seen[func])
		return;
	seen[func] = true;
	for (uint32_t k = 0; k < f->nops; k++) {
		const struct op *op = &f->op[k];

		if (op->kind == KIND_UNSUPPORTED)
			kind_of(c->module, &c->module->insn[op->insn])->here = true;
		if (op->kind == KIND_CALL && op->call->provided < 0 && op->call->func != IR_NONE)
			look(c, code_resolve(c->module, op->call->func), seen);
	}
}

static void count_kernels(const struct ir_module *m)
{
	struct arena arena = {0};
	struct diags findings = {0};
	struct code code = {.module = m, .findings = &findings, .arena = &arena};
	bool *seen = calloc(m->nfuncs + 1, sizeof *seen);

	code_layout(&code);
	for (uint32_t f = 0; f < m->nfuncs; f++) {
		bool runs = true;

		if (!m->func[f].is_entry || !m->func[f].has_body)
			continue;
		total.kernels++;
		if (!code_decode(&code, f)) {
			total.incomplete++;
			total.runs += has_executor(m, &m->func[f]);
			diags_free(&findings);
			findings = (struct diags){0};
			continue;
		}
		memset(seen, 0, m->nfuncs);
		look(&code, f, seen);
		for (unsigned k = 0; k < nkinds; k++) {
			runs &= !kind[k].here;
			kind[k].kernels += kind[k].here;
			kind[k].here = false;
		}
		total.runs += runs;
	}
	free(seen);
	code_free(&code);
	diags_free(&findings);
	arena_free(&arena);
}

static void read_module(const char *file, const unsigned char *image, size_t room)
{
	struct arena arena = {0};
	struct diags diags = {0};
	const char *why;
	size_t n;
	char *text = fatbin_ptx(image, room, ANY_TARGET, &n, &why);

	total.containers++;
	if (!text)
		return;
	total.modules++;
	struct ir_module *m = assemble(source_new(&arena, file, text, n), NULL, &diags);
	if (m) {
		count_kernels(m);
		ir_module_free(m);
	} else {
		total.rejected++;
		printf("%s: %s\n", file, diags.first ? diags.first->message : "?");
	}
	diags_free(&diags);
	arena_free(&arena);
	free(text);
}

static bool read_library(const char *file)
{
	int fd = open(file, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		perror(file);
		return false;
	}
	size_t size = (size_t)st.st_size;
	unsigned char *image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (image == MAP_FAILED) {
		perror(file);
		return false;
	}
	for (size_t at = 0; at + CONTAINER_ALIGN <= size; at += CONTAINER_ALIGN)
		if (memcmp(image + at, "\x50\xed\x55\xba", 4) == 0)
			read_module(file, image + at, size - at);
	munmap(image, size);
	return true;
}

int main(int argc, char **argv)
{
	bool good = argc > 1;

	for (int k = 1; k < argc; k++)
		good &= read_library(argv[k]);
	for (unsigned k = 0; k < nkinds; k++) {
		printf("%u kernels\t%s\n", kind[k].kernels, kind[k].name);
		free(kind[k].name);
	}
	printf("modules: %u kernels of %u modules, in %u fat binaries; %u contain only what is executed (%u of them call functions that the program is to give); %u modules are rejected\n",
		total.kernels, total.modules, total.containers, total.runs, total.incomplete,
		total.rejected);
	return good ? 0 : 2;
}
