/* Newly generated instructions of every opcode, target and version (instruction.h), half of them
 * invalid: compares ptxi's verdict with that of ptxas 13.0. fresh N SEED PTXAS: prints a summary,
 * and each difference that no pattern of fresh.tsv explains, one per line. fresh --record N SEED
 * PTXAS: prints every verdict of ptxas, in the format of lines.tsv. */
#include "tests/oracle/ptxas/instruction.h"
#include "assembler/assembler.h"
#include "base/memory.h"
#include "base/vec.h"
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum verdict { UNKNOWN, ACCEPT, REJECT };
struct snippet {
	char *text, why[200], said[160]; /* why: ptxi's reason; said: that of ptxas */
	struct instruction_place place;
	uint8_t ptxas, ptxi;
};
/* --- verdicts --- */

static void ask_ptxi(struct snippet *s)
{
	struct text t = {0};
	struct arena arena = {0};
	struct diags diags = {0};

	instruction_put_head(&t, s->place);
	instruction_put_kernel(&t, s->place, s->text, 0);
	struct ir_module *m = assemble(
		source_new(&arena, "fresh.ptx", text_str(&t), t.len), NULL, &diags);
	s->ptxi = m && !diags.errors ? ACCEPT : REJECT;
	for (const struct diag *d = diags.first; d && !s->why[0]; d = d->next)
		if (diag_code_info(d->code).code[0] != 'W')
			snprintf(s->why, sizeof s->why, "%s: %s", diag_code_info(d->code).code,
				d->message);
	if (m)
		ir_module_free(m);
	diags_free(&diags);
	arena_free(&arena);
	text_free(&t);
}

/* Runs ptxas on the text; returns its exit status and output. */
static int run(const char *ptxas, const char *arch, const struct text *t, struct text *said)
{
	char name[64], command[512], line[1024];

	snprintf(name, sizeof name, "/tmp/ptxi-fresh-%d.ptx", (int)getpid());
	FILE *f = fopen(name, "wb");
	if (!f || fwrite(t->data, 1, t->len, f) != t->len)
		abort();
	fclose(f);
	snprintf(command, sizeof command, "timeout 60 '%s' -arch %s -o /dev/null '%s' 2>&1", ptxas,
		arch, name);
	f = popen(command, "r");
	while (f && fgets(line, sizeof line, f))
		text_puts(said, line);
	int status = f ? pclose(f) : -1;
	unlink(name);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The message of an error at line P, or NULL. */
static const char *error_at(const char *p)
{
	p += strspn(p, "0123456789");
	return strncmp(p, "; error", 7) == 0 || strncmp(p, "; fatal", 7) == 0
		? p + 7 + strspn(p + 7, " :")
		: NULL;
}

/* Gets the verdicts for snippets of one target and version together: ptxas names the line of each
 * error. The others are tried again without the lines with errors, or in two halves if no line is
 * named. */
static void ask_ptxas(const char *ptxas, struct snippet **s, unsigned n)
{
	while (n) {
		struct text t = {0}, said = {0};
		unsigned left = 0, head = 0, bad = 0;

		instruction_put_head(&t, s[0]->place);
		for (size_t i = 0; i < t.len; i++)
			head += t.data[i] == '\n';
		for (unsigned i = 0; i < n; i++)
			instruction_put_kernel(&t, s[i]->place, s[i]->text, i);
		int status = run(ptxas, instruction_targets[s[0]->place.target].arch, &t, &said);
		/* not lines of its own text, <builtin> */
		for (const char *p = text_str(&said); status && (p = strstr(p, ".ptx, line "));
			p += 11) {
			unsigned at = (unsigned)atoi(p + 11) - head - 1;

			const char *error = error_at(p + 11);

			if (at < n && error && s[at]->ptxas == UNKNOWN) {
				bad++;
				s[at]->ptxas = REJECT;
				snprintf(s[at]->said, sizeof s[at]->said, "%.*s",
					(int)strcspn(error, "\n"), error);
			}
		}
		for (unsigned i = 0; i < n && !status; i++)
			s[i]->ptxas = ACCEPT;
		text_free(&t);
		text_free(&said);
		if (!status)
			return;
		if (!bad) {
			if (n == 1) {
				if (status > 0 && status != 124 && status < 128)
					s[0]->ptxas = status == 255 ? UNKNOWN : REJECT;
				return;
			}
			ask_ptxas(ptxas, s, n / 2);
			s += n / 2;
			n -= n / 2;
			continue;
		}
		for (unsigned i = 0; i < n; i++)
			if (s[i]->ptxas == UNKNOWN) {
				struct snippet *keep = s[i];
				s[i] = s[left];
				s[left++] = keep;
			}
		n = left;
	}
}

/* --- the comparison --- */

struct pattern {
	regex_t regex;
	const char *text;
	bool used;
};
static VEC(struct pattern) patterns;

static void read_patterns(const char *name)
{
	FILE *f = fopen(name, "r");
	char line[1024];

	while (f && fgets(line, sizeof line, f)) {
		char *tab = strchr(line, '\t');
		struct pattern p = {0};

		if (line[0] == '#' || !tab)
			continue;
		*tab = 0;
		if (regcomp(&p.regex, line, REG_EXTENDED | REG_NOSUB)) {
			fprintf(stderr, "fresh.tsv: no pattern: %s\n", line);
			exit(2);
		}
		p.text = strdup(line);
		*vec_push(&patterns) = p;
	}
	if (f)
		fclose(f);
}

static bool explained(const char *line)
{
	for (uint32_t i = 0; i < patterns.count; i++)
		if (!regexec(&patterns.data[i].regex, line, 0, NULL, 0))
			return patterns.data[i].used = true;
	return false;
}

int main(int argc, char **argv)
{
	bool record = argc > 1 && strcmp(argv[1], "--record") == 0;
	unsigned n, wide = INSTRUCTION_TARGETS * INSTRUCTION_VERSIONS, accepted = 0, differ = 0,
		    known = 0, lost = 0;

	if (argc < 4 + record) {
		fprintf(stderr, "fresh [--record] N SEED PTXAS\n");
		return 2;
	}
	n = (unsigned)atoi(argv[1 + record]);
	instruction_seed(strtoull(argv[2 + record], NULL, 0));
	read_patterns("tests/oracle/ptxas/fresh.tsv");
	struct snippet *s = mmap(NULL, (n + 1) * sizeof *s, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct snippet **order = memory_zeroed(n + 1, sizeof *order);
	for (unsigned i = 0; i < n; i++) {
		struct text t = {0};

		s[i].place = instruction_make(&t, instruction_opcode(i));
		s[i].text = strdup(text_str(&t));
		text_free(&t);
		ask_ptxi(&s[i]);
	}
	for (unsigned worker = 0; worker < 2; worker++)
		if (fork() == 0) {
			for (unsigned place = worker; place < wide; place += 2) {
				unsigned k = 0;

				for (unsigned i = 0; i < n; i++)
					if (s[i].place.target * INSTRUCTION_VERSIONS +
							s[i].place.version ==
						place)
						order[k++] = &s[i];
				for (unsigned i = 0; i < k; i += 100)
					ask_ptxas(argv[3 + record], order + i,
						k - i < 100 ? k - i : 100);
			}
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	for (unsigned i = 0; i < n; i++) {
		struct text t = {0};
		unsigned version = instruction_versions[s[i].place.version];
		const char *target = instruction_targets[s[i].place.target].name;

		lost += s[i].ptxas == UNKNOWN;
		if (s[i].ptxas == UNKNOWN)
			continue;
		accepted += s[i].ptxas == ACCEPT;
		if (record)
			printf("%s\t%s\t%u.%u\t%s\n", s[i].ptxas == ACCEPT ? "accept" : "reject",
				target, version / 10, version % 10, s[i].text);
		text_printf(&t, "%s %s %u.%u %s", s[i].ptxas == ACCEPT ? "accept" : "reject",
			target, version / 10, version % 10, s[i].text);
		if (s[i].ptxas != s[i].ptxi) {
			bool listed = explained(text_str(&t));

			differ++;
			known += listed;
			if (!listed && !record)
				printf("ptxas %s\n    %s: %s\n", text_str(&t),
					s[i].ptxi == ACCEPT ? "ptxas" : "ptxi",
					s[i].ptxi == ACCEPT ? s[i].said : s[i].why);
		}
		text_free(&t);
	}
	fprintf(record ? stderr : stdout,
		"%u snippets with a verdict, %u accepted; %u differ (%.2f %% agree), %u of them listed in fresh.tsv; no verdict of %u\n",
		n - lost, accepted, differ, 100.0 * (n - lost - differ) / (n - lost ? n - lost : 1),
		known, lost);
	return differ > known;
}
