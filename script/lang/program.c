/* Loads input files: their module and their script. */
#include "script/lang/program.h"
#include "base/assert.h"
#include "base/guard.h"
#include "base/hash.h"
#include "script/lang/file_help.h"
#include "code/code.h"
#include "ir/link.h"
#include "ir/object.h"
#include "script/lang/source_files.h"
#include <ptxi/status.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* limits in bytes; anything but a regular file has no size known in advance */
enum { MAX_FILE = 1 << 30, MAX_STREAM = 1 << 26 };

static struct source *program_complain(
	struct diags *diags, enum diag_code code, const char *path, const char *why)
{
	diag_plain(diags, code, "%s: %s", path, why);
	return NULL;
}

/* Reads FD to its end into the arena and appends two NUL bytes. EXPECTED is a guess of its size.
 * Returns NULL if there are more than MAX bytes or reading fails. */
static char *read_all(
	int fd, size_t expected, size_t max, struct arena *arena, size_t *len, bool *too_large)
{
	size_t room = expected + 1; /* one more byte, to detect the end */
	char *text = arena_alloc(arena, room + 2, 1);

	*len = 0;
	for (;;) {
		ssize_t n = read(fd, text + *len, room - *len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return NULL;
		if (n == 0)
			break;
		*len += (size_t)n;
		*too_large = *len > max;
		if (*too_large)
			return NULL;
		if (*len == room) {
			char *more = arena_alloc(arena, 2 * room + 2, 1);

			text = memcpy(more, text, *len);
			room *= 2;
		}
	}
	text[*len] = text[*len + 1] = '\0';
	return text;
}

static struct source *read_open(int fd, const char *path, struct arena *arena, struct diags *diags)
{
	const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
	struct stat s = {0};
	bool known = fstat(fd, &s) == 0, too_large = false;
	size_t len;
	char *text;

	if (known && S_ISDIR(s.st_mode)) {
		file_help_directory(diags,
			diag_plain(diags, DIAG_L0202, "%s: this is a directory, not a file", path),
			path);
		return NULL;
	}
	known = known && S_ISREG(s.st_mode);
	if (known && s.st_size > MAX_FILE)
		return program_complain(diags, DIAG_L0206, path, "the file is larger than 1 GiB");
	text = read_all(fd, known && s.st_size > 0 ? (size_t)s.st_size : 1 << 16,
		known ? MAX_FILE : MAX_STREAM, arena, &len, &too_large);
	if (text)
		return source_adopt(arena, arena_text(arena, name, strlen(name)), text, len);
	return program_complain(diags, too_large ? DIAG_L0206 : DIAG_L0203, path,
		too_large ? (known ? "the file is larger than 1 GiB"
				   : "the input is longer than 64 MiB")
			  : strerror(errno));
}

uint64_t file_bytes(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && S_ISREG(s.st_mode) ? (uint64_t)s.st_size : 0;
}

static void close_kept(void *fd) { close((int)(intptr_t)fd); }

struct source *file_read(const char *path, struct arena *arena, struct diags *diags)
{
	struct source *s;
	int fd;

	if (strcmp(path, "-") == 0)
		return read_open(0, path, arena, diags);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		bool missing = errno == ENOENT || errno == ENOTDIR;
		struct diag *d = diag_plain(diags, missing ? DIAG_L0201 : DIAG_L0203, "%s: %s",
			*path ? path : "''", strerror(errno));

		if (missing && *path)
			file_help_missing(diags, d, path);
		return NULL;
	}
	guard_keep(close_kept, (void *)(intptr_t)fd);
	s = read_open(fd, path, arena, diags);
	guard_forget((void *)(intptr_t)fd);
	close(fd);
	return s;
}

bool file_write(const char *path, const void *data, size_t n, struct diags *diags)
{
	const char *s = data;
	int fd = strcmp(path, "-") == 0
		? 1
		: open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool ok = fd >= 0;

	while (ok && n) {
		ssize_t written = write(fd, s, n);

		if (written < 0 && errno == EINTR)
			continue;
		ok = written > 0;
		s += ok ? written : 0;
		n -= ok ? (size_t)written : 0;
	}
	if (fd > 1 && close(fd) != 0)
		ok = false;
	if (!ok)
		file_unwritable(diags, path, errno);
	return ok;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), length = strlen(end);

	return n >= length && strcmp(s + n - length, end) == 0;
}

/* One of the files of a program. */
struct input {
	const char *path;
	struct source *source; /* PTX, also of a CUDA source, or an object */
	struct source *lines;  /* the text that may have //@ lines; NULL: an object has none */
	struct ir_module *module;
	bool is_cuda, is_object;
};

/* Reports an empty or binary file once, instead of as a thousand syntax errors. */
static bool is_text(struct program *p, const struct input *in)
{
	const char *nul = memchr(in->source->text, 0, in->source->len);

	if (in->source->len == 0) {
		program_complain(&p->diags, DIAG_L0204,
			strcmp(in->path, "-") == 0 ? "standard input" : in->path,
			"the file is empty");
		return false;
	}
	if (nul) {
		diag_plain(&p->diags, DIAG_L0205, "%s: this is not text: byte %zu is NUL", in->path,
			(size_t)(nul - in->source->text));
		return false;
	}
	return true;
}

static bool is_litmus(const struct source *s, const char *path)
{
	return ends_with(path, ".litmus") || (s->len > 4 && memcmp(s->text, "PTX ", 4) == 0);
}

/* --- //@ lines --- */

static struct span first_line(const struct script_lines *l)
{
	const struct piece *p = &l->piece.data[l->line.data[0].piece];

	return (struct span){p->off, p->end - p->off};
}

/* Adds the lines of one of several files; only one may have any. */
static bool add_lines(struct program *p, struct source *s)
{
	struct script_lines more = {0};
	bool fits;

	if (!p->lines.line.count) {
		script_scan(s, &p->lines);
		return true;
	}
	script_scan(s, &more);
	fits = !more.line.count;
	if (!fits) {
		struct diag *d = diag_report(&p->diags, DIAG_L0133, s, first_line(&more),
			"two of the files that are linked have //@ lines");

		diag_label(&p->diags, d, p->lines.line.data[0].source, first_line(&p->lines),
			"the others begin here");
	}
	script_lines_free(&more);
	return fits;
}

static bool scan_lines(
	struct program *p, const struct program_request *r, const struct input *in, unsigned n)
{
	bool fits = true;

	if (!r->script) {
		for (unsigned k = 0; k < n; k++)
			if (in[k].lines)
				fits = add_lines(p, in[k].lines) && fits;
	} else {
		struct source *s = file_read(r->script, &p->arena, &p->diags);

		if (s && script_has_marks(s))
			script_scan(s, &p->lines);
		else if (s)
			script_scan_plain(s, &p->lines);
	}
	for (unsigned k = 0; k < r->nlines; k++)
		script_scan_plain(
			source_new(&p->arena, "-e", r->lines[k], strlen(r->lines[k])), &p->lines);
	return fits;
}

/* Reads the lines. A CUDA source without any is more often a whole program. */
static bool read_script(
	struct program *p, const struct program_request *r, const struct input *in, unsigned n)
{
	if (r->no_script)
		return true;
	if (!scan_lines(p, r, in, n))
		return false;
	for (unsigned k = 0; k < n && !p->lines.line.count && !r->script; k++)
		if (in[k].is_cuda) {
			struct diag *d = diag_plain(&p->diags, DIAG_L0304,
				"%s has no //@ lines, which say what is launched", in[k].path);

			diag_help(&p->diags, d,
				"a program with a main function: ptxi cc %s && ptxi exec ./a.out",
				in[k].path);
			return false;
		}
	p->script.allow = r->allow;
	p->script.nallow = r->nallow;
	script_parse(&p->script, &p->lines, &p->diags);
	script_resolve_errors(&p->script, &p->diags);
	return true;
}

static void program_resolve(struct program *p, const struct program_request *r)
{
	unsigned before = p->diags.errors;

	if (!r->no_script)
		script_resolve(&p->script, p->module, &p->diags);
	p->script_ok = p->script_ok && p->diags.errors == before;
	p->status = p->script_ok ? PTXI_OK : PTXI_USAGE;
}

/* --- modules --- */

/* Whether every error is an unsupported feature (warnings aside). */
static bool only_unsupported(const struct program *p)
{
	for (const struct diag *d = p->diags.first; d; d = d->next)
		if (diag_code_info(d->code).code[0] != 'U' &&
			diag_code_info(d->code).code[0] != 'W')
			return false;
	return true;
}

/* The PTX of a CUDA source, which is called as ptxi cc -S would call it. */
static bool compile(struct program *p, const struct program_request *r, struct input *in)
{
	struct text ptx = {0};
	const char *name = arena_printf(&p->arena, "%.*s.ptx", (int)strlen(in->path) - 3, in->path);

	p->status = r->compiler->ptx(r->compiler->self, in->source, in->path, r->nlinked > 0,
		r->deadline, &ptx, &p->diags);
	if (!p->status)
		in->source = source_new(&p->arena, name, text_str(&ptx), ptx.len);
	text_free(&ptx);
	return !p->status;
}

static bool make_module(struct program *p, const struct program_request *r, struct input *in)
{
	unsigned before = p->diags.errors;

	if (in->is_object) {
		in->module = ir_object_read(in->source, &p->diags);
		p->status = PTXI_REJECTED;
		return in->module != NULL;
	}
	if (in->is_cuda && !compile(p, r, in))
		return false;
	in->module = assemble(in->source, &r->assemble, &p->diags);
	if (in->module && r->lint && !p->diags.no_warnings)
		assembler_lint(in->module, &p->diags);
	if (!in->module) {
		if (p->diags.errors == before)
			never(); /* a rejection without a reason is a bug in the assembler */
		p->status = only_unsupported(p) ? PTXI_UNSUPPORTED : PTXI_REJECTED;
	}
	return in->module != NULL;
}

static bool is_provided(const char *name) { return code_provided(name) >= 0; }

/* Links the modules of all files. */
static void link_modules(struct program *p, struct input *in, unsigned n)
{
	struct ir_module **part = ARENA_ARRAY(&p->arena, struct ir_module *, n);
	struct ir_module *to = ir_joined(&p->arena, p->path);

	for (unsigned k = 0; k < n; k++) {
		part[k] = in[k].module;
		if (part[k]->target.sm > to->target.sm)
			to->target = part[k]->target;
	}
	if (ir_link(to,
		    &(struct ir_linking){
			    .part = part, .n = n, .provided = is_provided, .diags = &p->diags})) {
		p->module = to;
	} else {
		ir_module_free(to);
		p->status = PTXI_REJECTED;
	}
	for (unsigned k = 0; k < n; k++)
		/* the places in an object, for messages, are in the object's own memory */
		if (in[k].is_object)
			*vec_push(&p->parts) = part[k];
		else
			ir_module_free(part[k]);
}

static void make_modules(
	struct program *p, const struct program_request *r, struct input *in, unsigned n)
{
	bool made = true;

	for (unsigned k = 0; k < n; k++)
		made = made && make_module(p, r, &in[k]);
	p->source = in[0].source;
	if (made && n == 1)
		p->module = in[0].module;
	else if (made)
		link_modules(p, in, n);
	else
		for (unsigned k = 0; k < n; k++)
			if (in[k].module)
				ir_module_free(in[k].module);
}

/* --- files --- */

/* Reads a file, and finds out what it is. */
static bool open_input(struct program *p, const struct program_request *r, struct input *in)
{
	bool given = r->text && in->path == r->path;

	if (!given)
		in->source = file_read(in->path, &p->arena, &p->diags);
	else if (r->size > MAX_FILE)
		program_complain(&p->diags, DIAG_L0206, r->path, "the file is larger than 1 GiB");
	else
		in->source = source_new(&p->arena, r->path, r->text, r->size);
	if (!in->source)
		return false;
	p->texts = hash_bytes(in->source->text, in->source->len, p->texts);
	in->is_object = ir_object_is(in->source->text, in->source->len);
	if (in->is_object)
		return true;
	in->is_cuda = !given && r->compiler && ends_with(in->path, ".cu");
	if (!in->is_cuda && file_is_foreign(&p->diags, in->source, in->path))
		return false;
	if (!is_text(p, in)) {
		p->status = PTXI_REJECTED;
		return false;
	}
	in->lines = in->source;
	return true;
}

static bool open_all(
	struct program *p, const struct program_request *r, struct input *in, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		bool opened;

		in[k].path = k ? r->linked[k - 1] : r->path;
		opened = open_input(p, r, &in[k]);
		p->source = in[0].source;
		if (!opened)
			return false;
		if (!in[k].lines || !is_litmus(in[k].source, in[k].path))
			continue;
		if (n > 1) {
			diag_help(&p->diags,
				diag_plain(&p->diags, DIAG_L0304,
					"%s: a litmus test is a whole program, and cannot be linked",
					in[k].path),
				"'ptxi check' takes several tests; 'ptxi run' with --runs=N each of them");
		} else {
			p->kind = PROGRAM_LITMUS;
			p->status = PTXI_UNSUPPORTED;
		}
		return false;
	}
	return true;
}

/* An object has no text that could be shown, or have //@ lines. */
static struct source *without_text(struct program *p, const struct source *of)
{
	struct source empty = *of;

	empty.len = 0;
	empty.text = "\0";
	return arena_copy(&p->arena, &empty, sizeof empty, _Alignof(struct source));
}

static void program_open(struct program *p, const struct program_request *r)
{
	unsigned n = r->nlinked + 1;
	struct input *in;

	*p = (struct program){.path = r->path};
	p->diags.no_warnings = r->no_warnings;
	if (r->off)
		memcpy(p->diags.off, r->off, sizeof p->diags.off);
	p->status = PTXI_USAGE;
	in = arena_zalloc(&p->arena, n * sizeof *in, _Alignof(struct input));
	if (!open_all(p, r, in, n))
		return;
	p->kind = in[0].is_object ? PROGRAM_OBJECT : PROGRAM_PTX;
	p->is_cuda = in[0].is_cuda;
	if (!read_script(p, r, in, n))
		return;
	p->script_ok = p->diags.errors == 0;
	make_modules(p, r, in, n);
	if (in[0].is_object)
		p->source = without_text(p, p->source);
	p->assembled = p->module != NULL;
	if (p->module)
		program_resolve(p, r);
}

/* Where the texts are looked for that the PTX was compiled from. */
static void open_origins(struct program *p, const struct program_request *r)
{
	struct source *s = p->module->source;

	if (!s->nparts)
		source_files_open(s, r->path, r->source_path, r->nsource_path, &p->arena);
	for (uint32_t k = 0; k < s->nparts; k++)
		source_files_open(s->part[k], k ? r->linked[k - 1] : r->path, r->source_path,
			r->nsource_path, &p->arena);
}

void program_load(struct program *p, const struct program_request *r)
{
	program_open(p, r);
	if (p->module && !r->text)
		open_origins(p, r);
}

void program_object(const struct program *p, struct text *out)
{
	ir_object_write(p->module, true, out);
}

void program_free(struct program *p)
{
	if (p->module)
		ir_module_free(p->module);
	for (uint32_t k = 0; k < p->parts.count; k++)
		ir_module_free(p->parts.data[k]);
	vec_free(&p->parts);
	script_free(&p->script);
	script_lines_free(&p->lines);
	diags_free(&p->diags);
	arena_free(&p->arena);
}
