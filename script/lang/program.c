/* Loads an input file: its module and its script. */
#include "script/lang/program.h"
#include "base/assert.h"
#include "base/guard.h"
#include "script/lang/file_help.h"
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

/* Reports an empty or binary file once, instead of as a thousand syntax errors. */
static bool is_text(struct program *p)
{
	const char *nul = memchr(p->source->text, 0, p->source->len);

	if (p->source->len == 0) {
		program_complain(&p->diags, DIAG_L0204,
			strcmp(p->path, "-") == 0 ? "standard input" : p->path,
			"the file is empty");
		return false;
	}
	if (nul) {
		diag_plain(&p->diags, DIAG_L0205, "%s: this is not text: byte %zu is NUL", p->path,
			(size_t)(nul - p->source->text));
		return false;
	}
	return true;
}

static void scan_lines(struct program *p, const struct program_request *r)
{
	if (!r->script) {
		script_scan(p->source, &p->lines);
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
}

static bool is_litmus(const struct source *s, const char *path)
{
	return ends_with(path, ".litmus") || (s->len > 4 && memcmp(s->text, "PTX ", 4) == 0);
}

static void program_resolve(struct program *p, const struct program_request *r)
{
	unsigned before = p->diags.errors;

	if (!r->no_script)
		script_resolve(&p->script, p->module, &p->diags);
	p->script_ok = p->script_ok && p->diags.errors == before;
	p->status = p->script_ok ? PTXI_OK : PTXI_USAGE;
}

/* An object file has no text: its directives come from --script and -e. */
static void load_object(struct program *p, const struct program_request *r)
{
	struct source empty = *p->source;

	p->kind = PROGRAM_OBJECT;
	p->module = ir_object_read(p->source, &p->diags);
	p->assembled = p->module != NULL;
	if (!p->module) {
		p->status = PTXI_REJECTED;
		return;
	}
	if (!r->no_script) {
		empty.len = 0;
		empty.text = "\0";
		p->source = arena_copy(&p->arena, &empty, sizeof empty, _Alignof(struct source));
		scan_lines(p, r);
		p->script.allow = r->allow;
		p->script.nallow = r->nallow;
		script_parse(&p->script, &p->lines, &p->diags);
		script_resolve_errors(&p->script, &p->diags);
	}
	p->script_ok = p->diags.errors == 0;
	program_resolve(p, r);
}

/* Whether every error is an unsupported feature (warnings aside). */
static bool only_unsupported(const struct program *p)
{
	for (const struct diag *d = p->diags.first; d; d = d->next)
		if (diag_code_info(d->code)->code[0] != 'U' &&
			diag_code_info(d->code)->code[0] != 'W')
			return false;
	return true;
}

static void program_open(struct program *p, const struct program_request *r)
{
	unsigned before;

	*p = (struct program){.path = r->path};
	p->diags.no_warnings = r->no_warnings;
	if (r->off)
		memcpy(p->diags.off, r->off, sizeof p->diags.off);
	p->status = PTXI_USAGE;
	if (!r->text)
		p->source = file_read(r->path, &p->arena, &p->diags);
	else if (r->size > MAX_FILE)
		program_complain(&p->diags, DIAG_L0206, r->path, "the file is larger than 1 GiB");
	else
		p->source = source_new(&p->arena, r->path, r->text, r->size);
	if (!p->source)
		return;
	if (ir_object_is(p->source->text, p->source->len)) {
		load_object(p, r);
		return;
	}
	if (file_is_foreign(&p->diags, p->source, r->path))
		return;
	if (!is_text(p)) {
		p->status = PTXI_REJECTED;
		return;
	}
	if (is_litmus(p->source, r->path)) {
		p->kind = PROGRAM_LITMUS;
		p->status = PTXI_UNSUPPORTED;
		return;
	}
	if (!r->no_script) {
		scan_lines(p, r);
		p->script.allow = r->allow;
		p->script.nallow = r->nallow;
		script_parse(&p->script, &p->lines, &p->diags);
		script_resolve_errors(&p->script, &p->diags);
	}
	p->script_ok = p->diags.errors == 0;
	before = p->diags.errors;
	p->module = assemble(p->source, &r->assemble, &p->diags);
	if (p->module && r->lint && !p->diags.no_warnings)
		assembler_lint(p->module, &p->diags);
	p->assembled = p->module != NULL;
	if (!p->module) {
		if (p->diags.errors == before)
			never(); /* a rejection without a reason is a bug in the assembler */
		p->status = only_unsupported(p) ? PTXI_UNSUPPORTED : PTXI_REJECTED;
		return;
	}
	program_resolve(p, r);
}

void program_load(struct program *p, const struct program_request *r)
{
	program_open(p, r);
	if (p->module && !r->text)
		source_files_open(
			p->module->source, r->path, r->source_path, r->nsource_path, &p->arena);
}

void program_object(const struct program *p, struct text *out)
{
	ir_object_write(p->module, true, out);
}

void program_free(struct program *p)
{
	if (p->module)
		ir_module_free(p->module);
	script_free(&p->script);
	script_lines_free(&p->lines);
	diags_free(&p->diags);
	arena_free(&p->arena);
}
