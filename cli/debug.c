/* ptxi debug: steps through one case, with commands from a file, a terminal or standard input. */
#include "cli/cases.h"
#include "cli/put.h"
#include "debug/dap.h"
#include <errno.h>
#include <ptxi/status.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

struct commands {
	struct cli *c;
	FILE *from;
	bool terminal;
	char *line, *last; /* an empty line on a terminal repeats the last one */
	size_t cap;
};

/* Waits for a line on the terminal; false: Control-C came first. It is let through while this waits
 * and at no other time after the prompt, so that it cannot come between the two unnoticed. */
static bool wait_for_line(FILE *from)
{
	sigset_t interrupt, before;
	fd_set input;
	int n;

	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &before);
	put_bytes("(ptxi) ", 7);
	FD_ZERO(&input);
	FD_SET(fileno(from), &input);
	n = pselect(fileno(from) + 1, &input, NULL, NULL, NULL, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return n >= 0;
}

static const char *next_command(void *self, bool *show)
{
	struct commands *x = self;

	for (;;) {
		ssize_t n;

		*show = !x->terminal && x->c->verbose;
		if (x->terminal && !wait_for_line(x->from)) {
			put_bytes("\n", 1);
			continue;
		}
		n = getline(&x->line, &x->cap, x->from);
		if (n < 0 && errno == EINTR && !feof(x->from)) {
			clearerr(x->from); /* Control-C at the prompt */
			put_bytes("\n", 1);
			continue;
		}
		if (n < 0) {
			if (x->terminal)
				put_bytes("\n", 1);
			return NULL;
		}
		if (!x->terminal)
			return x->line;
		if (x->line[strspn(x->line, " \t\r\n")] || !x->last) {
			free(x->last);
			x->last = strdup(x->line);
		}
		return x->last;
	}
}

static void put_piece(void *self, const char *text, size_t n)
{
	(void)self;
	put_bytes(text, n);
}

/* The case called NAME, or without a name the first that launches something. */
static struct script_case *case_to_debug(struct program *p, const char *name)
{
	for (uint32_t k = 0; k < p->script.cases.count; k++) {
		struct script_case *in = &p->script.cases.data[k];

		if (name ? in->name && strcmp(in->name, name) == 0 : in->first_launch != NULL)
			return in;
	}
	return NULL;
}

static int debug_program(struct cli *c, struct program *p, FILE *from)
{
	struct commands x = {.c = c, .from = from, .terminal = from == stdin && isatty(0)};
	struct trail trail;
	struct debug_request r = {.module = p->module,
		.path = p->path,
		.command = next_command,
		.out = put_piece,
		.self = &x};
	int status;

	if (c->trail) {
		if (!trail_read(&trail, c->trail, &c->options, &c->arena, &c->diags))
			return PTXI_USAGE;
		r.trail = &trail;
	}
	const char *name = c->case_name ? c->case_name : r.trail ? trail.name : NULL;

	r.in = case_to_debug(p, name);
	if (!r.in && name) {
		diag_plain(&c->diags, DIAG_L0303, "%s has no case %.80s", p->path, name);
		return PTXI_USAGE;
	}
	if (!r.in)
		return cli_idle(c, p, NULL);
	/* the user's thinking time is no time of the program */
	c->options.given |= RUN_TIMEOUT | RUN_RUNS;
	c->options.machine.jobs = 1;
	r.options = c->options;
	status = debug_session(&r);
	free(x.line);
	free(x.last);
	return status;
}

/* --- for an editor --- */

struct editor {
	struct cli *c;
	struct program p;
	bool loaded;
};

static bool load_for_editor(
	void *self, const char *path, const char *name, struct debug_request *out, struct text *why)
{
	struct editor *x = self;
	struct program_request r = cli_request(x->c);

	if (x->loaded)
		program_free(&x->p);
	r.path = path;
	x->loaded = true;
	program_load(&x->p, &r);
	*out = (struct debug_request){
		.module = x->p.module, .path = path, .options = x->c->options};
	if (x->p.status || x->p.kind == PROGRAM_LITMUS) {
		diag_render(&x->p.diags, why, false);
		if (!why->len)
			text_puts(why, "this file has no //@ directives to run");
		return false;
	}
	out->in = case_to_debug(&x->p, *name ? name : NULL);
	if (!out->in)
		text_puts(why, *name ? "the file has no such case" : "the file launches no kernel");
	return out->in != NULL;
}

static int debug_in_editor(struct cli *c)
{
	struct editor x = {.c = c};
	struct dap_request r = {.in = 0, .load = load_for_editor, .out = put_piece, .self = &x};
	int status;

	c->options.given |= RUN_TIMEOUT | RUN_RUNS;
	c->options.machine.jobs = 1;
	status = dap_serve(&r);
	if (x.loaded)
		program_free(&x.p);
	return status;
}

int command_debug(struct cli *c)
{
	struct program_request r = cli_request(c);
	FILE *from = stdin;
	struct program p;
	int status;

	if (!(c->options.given & RUN_CHECK))
		c->options.machine.checks = CHECK_BOUNDS | CHECK_SYNC;
	if (c->dap)
		return debug_in_editor(c);
	if (c->commands && !(from = fopen(c->commands, "r"))) {
		diag_plain(&c->diags, DIAG_L0203, "%s: %s", c->commands, strerror(errno));
		return PTXI_USAGE;
	}
	program_load(&p, &r);
	put_diags(c, &p.diags);
	status = p.status;
	if (p.kind == PROGRAM_LITMUS) {
		diag_plain(&c->diags, DIAG_L0403,
			"'ptxi debug' takes PTX; a litmus test has no //@ directives to run");
		status = PTXI_USAGE;
	} else if (!status) {
		status = debug_program(c, &p, from);
	}
	program_free(&p);
	if (from != stdin)
		fclose(from);
	return status;
}
