/* Runs the compiler and keeps its libraries (compiled.h). */
#if defined(__linux__) && !defined(__EMSCRIPTEN__)
#define _GNU_SOURCE
#endif
#include "backend/compiled.h"
#include "base/hash.h"
#include "base/memory.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__EMSCRIPTEN__)
void compiled_begin(struct compiling *c, const char *key, size_t n, int level, bool cache)
{
	(void)key;
	(void)n;
	(void)level;
	(void)cache;
	*c = (struct compiling){.why = "this host has no compiler"};
}
void compiled_make(struct compiling *c, const char *text, size_t n)
{
	(void)c;
	(void)text;
	(void)n;
}
bool compiled_poll(struct compiling *c)
{
	(void)c;
	return true;
}
void compiled_stop(struct compiling *c) { (void)c; }
#else
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* of the folder: when it has more, the oldest files are removed until half of it is left */
enum { MOST_CACHED = 64 << 20, MOST_FILES = 1000 };

/* --- the compiler --- */

static bool is_program(const char *path, struct stat *s)
{
	return stat(path, s) == 0 && S_ISREG(s->st_mode) && access(path, X_OK) == 0;
}

/* Searches NAME in PATH; entries that depend on the current folder are left out. */
static bool find_in_path(const char *name, char *out, size_t room, struct stat *s)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return name[0] == '/' && (size_t)snprintf(out, room, "%s", name) < room &&
			is_program(out, s);
	for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
		size_t n = strcspn(path, ":");

		if (path[0] == '/' &&
			(size_t)snprintf(out, room, "%.*s/%s", (int)n, path, name) < room &&
			is_program(out, s))
			return true;
	}
	return false;
}

static bool find_compiler(char *out, size_t room, struct stat *s)
{
	const char *asked = getenv("PTXI_CC");

	if (asked && *asked)
		return find_in_path(asked, out, room, s);
	return find_in_path("cc", out, room, s) || find_in_path("gcc", out, room, s) ||
		find_in_path("clang", out, room, s);
}

/* --- the folder --- */

/* Whether F, which a descriptor names, is the user's own and nobody else's to write. */
static bool is_own(const struct stat *f)
{
	return f->st_uid == geteuid() && !(f->st_mode & (S_IWGRP | S_IWOTH));
}

static bool own_folder(const char *path)
{
	struct stat s;
	int fd;
	bool own;

	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return false;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	own = fstat(fd, &s) == 0 && is_own(&s);
	close(fd);
	return own;
}

static bool cache_folder(char *out, size_t room)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	size_t n;

	if (xdg && xdg[0] == '/') {
		n = (size_t)snprintf(out, room, "%s", xdg);
	} else if (home && home[0] == '/') {
		n = (size_t)snprintf(out, room, "%s/.cache", home);
	} else {
		return false;
	}
	if (n + 6 >= room)
		return false;
	mkdir(out, 0700); /* if it is not there yet */
	memcpy(out + n, "/ptxi", 6);
	return own_folder(out);
}

static bool passing_folder(char *out, size_t room)
{
	const char *tmp = getenv("TMPDIR");

	return (size_t)snprintf(out, room, "%s/ptxi-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp") <
		room &&
		mkdtemp(out);
}

static bool file_name(const struct compiling *c, const char *suffix, char *out, size_t room)
{
	return (size_t)snprintf(out, room, "%s/%s%s", c->folder, c->base, suffix) < room;
}

/* Opens a file of the folder that is the user's own; -1: there is none. */
static int open_own(const struct compiling *c, const char *suffix, struct stat *s)
{
	char path[700];
	int fd = -1;

	if (!file_name(c, suffix, path, sizeof path))
		return -1;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, s) != 0 || !S_ISREG(s->st_mode) || !is_own(s))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool same_key(const struct compiling *c)
{
	struct stat s;
	char part[4096];
	int fd = open_own(c, ".key", &s);
	size_t at = 0;
	bool same = fd >= 0 && (size_t)s.st_size == c->key.len;

	while (same && at < c->key.len) {
		ssize_t k = read(fd, part, sizeof part);

		same = k > 0 && (size_t)k <= c->key.len - at &&
			memcmp(part, text_str(&c->key) + at, (size_t)k) == 0;
		at += same ? (size_t)k : 0;
	}
	if (fd >= 0)
		close(fd);
	return same;
}

/* Nobody else can write in the folder, so what was examined is what is loaded. (By its name: the
 * loader takes two libraries that were opened as one /proc/self/fd/N for the same.) */
static void load(struct compiling *c)
{
	struct stat s;
	char path[700];
	int fd = open_own(c, ".so", &s);

	if (fd < 0 || !file_name(c, ".so", path, sizeof path)) {
		c->why = "the compiled library is missing";
	} else {
		c->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!c->library)
			c->why = "the compiled library cannot be loaded";
	}
	if (fd >= 0)
		close(fd);
}

struct cached {
	char name[80];
	time_t when;
	off_t size;
};

static int older_first(const void *a, const void *b)
{
	const struct cached *x = a, *y = b;

	return (x->when > y->when) - (x->when < y->when);
}

/* Keeps the folder below MOST_CACHED. Only files with names of ours are counted and removed. */
static void bound_folder(const char *folder)
{
	struct cached *list = memory_zeroed(2 * MOST_FILES, sizeof *list);
	DIR *d = opendir(folder);
	size_t n = 0;
	off_t total = 0;

	for (struct dirent *e; d && n < 2 * MOST_FILES && (e = readdir(d));) {
		struct stat s;
		size_t length = strlen(e->d_name);

		if (length < 17 || length >= sizeof list->name ||
			strspn(e->d_name, "0123456789abcdef") < 16 ||
			fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISREG(s.st_mode))
			continue;
		memcpy(list[n].name, e->d_name, length + 1);
		list[n].when = s.st_mtime;
		list[n++].size = s.st_size;
		total += s.st_size;
	}
	if (d && (total > MOST_CACHED || n > MOST_FILES)) {
		size_t left = n;

		qsort(list, n, sizeof *list, older_first);
		for (size_t k = 0; k < n && (total > MOST_CACHED / 2 || left > MOST_FILES / 2);
			k++) {
			unlinkat(dirfd(d), list[k].name, 0);
			total -= list[k].size;
			left--;
		}
	}
	if (d)
		closedir(d);
	memory_drop(list);
}

/* --- compiling --- */

static bool write_all(const char *path, const char *text, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool ok = fd >= 0;

	while (ok && n) {
		ssize_t k = write(fd, text, n);

		if (k < 0 && errno == EINTR)
			continue;
		ok = k > 0;
		text += ok ? k : 0;
		n -= ok ? (size_t)k : 0;
	}
	if (fd >= 0)
		ok = close(fd) == 0 && ok;
	return ok;
}

/* The names of the files at work: nobody else's, until they are complete. */
enum { SOURCE, LIBRARY, KEY, FILES };
static void working_names(const struct compiling *c, char name[FILES][700])
{
	static const char *const suffix[FILES] = {"c", "so", "key"};

	for (unsigned k = 0; k < FILES; k++)
		snprintf(name[k], sizeof name[k], "%s/%s.%ld.%s", c->folder, c->base,
			(long)getpid(), suffix[k]);
}

static void remove_working(const struct compiling *c)
{
	char name[FILES][700];

	working_names(c, name);
	for (unsigned k = 0; k < FILES; k++)
		unlink(name[k]);
}

static const char *const march[] = {"-march=x86-64", "-march=x86-64", "-march=x86-64-v2",
	"-march=x86-64-v3", "-march=x86-64-v4"};

/* clang ends at options of gcc that it does not know. */
static bool is_clang(const char *compiler)
{
	char path[PATH_MAX];

	return strstr(compiler, "clang") || (realpath(compiler, path) && strstr(path, "clang"));
}

/* A group of processes of its own, because a compiler runs others. Its messages are not for the
 * user. */
static bool spawn(struct compiling *c, const char *const *argument)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none;
	pid_t pid = 0;
	bool ok;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	sigemptyset(&none);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
	posix_spawnattr_setpgroup(&how, 0);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	ok = posix_spawn(&pid, c->compiler, &files, &how, (char *const *)(uintptr_t)argument,
		     environ) == 0;
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	c->pid = ok ? (int)pid : 0;
	return ok;
}

void compiled_make(struct compiling *c, const char *text, size_t n)
{
	char name[FILES][700];
	bool clang = is_clang(c->compiler);
	const char *const argument[] = {c->compiler, clang ? "-O2" : "-O1", "-ftree-vectorize",
		clang ? "-w" : "-fvect-cost-model=dynamic", "-fpeel-loops",
		"-fexpensive-optimizations", march[c->level],
		c->level == 4 ? "-mprefer-vector-width=512" : "-w", "-ffp-contract=off",
		"-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing", "-fwrapv",
		"-std=gnu11", "-w", "-fPIC", "-mno-red-zone", "-fvisibility=default", "-shared",
		"-nostartfiles",
		"-Wl,-z,noexecstack,-z,relro,-z,now,-z,noseparate-code,--as-needed", "-o",
		name[LIBRARY], name[SOURCE], "-lm", NULL};

	working_names(c, name);
	remove_working(c); /* of a process of the same number that was killed */
	if (!write_all(name[SOURCE], text, n) ||
		!write_all(name[KEY], text_str(&c->key), c->key.len))
		c->why = "the folder for compiled code cannot be written";
	else if (!spawn(c, argument))
		c->why = "the compiler does not start";
	if (c->why)
		compiled_stop(c);
}

/* --- the key --- */

/* Appends the number that the linker gave the file where this function is; false: it has none. */
static int add_build(struct dl_phdr_info *i, size_t size, void *out)
{
	uintptr_t here = (uintptr_t)add_build;
	bool ours = false;

	(void)size;
	for (unsigned k = 0; k < i->dlpi_phnum; k++)
		ours = ours ||
			(i->dlpi_phdr[k].p_type == PT_LOAD &&
				here - i->dlpi_addr - i->dlpi_phdr[k].p_vaddr <
					i->dlpi_phdr[k].p_memsz);
	for (unsigned k = 0; ours && k < i->dlpi_phnum; k++) {
		const char *at = (const char *)(i->dlpi_addr + i->dlpi_phdr[k].p_vaddr),
			   *end = at + i->dlpi_phdr[k].p_memsz;
		ElfW(Nhdr) n;

		if (i->dlpi_phdr[k].p_type != PT_NOTE)
			continue;
		for (; end - at > (ptrdiff_t)sizeof n;
			at += sizeof n + ((n.n_namesz + 3u) & ~3u) + ((n.n_descsz + 3u) & ~3u)) {
			memcpy(&n, at, sizeof n);
			if (n.n_type != NT_GNU_BUILD_ID || n.n_namesz != 4 ||
				memcmp(at + sizeof n, "GNU", 4) != 0)
				continue;
			text_add(out, at + sizeof n + 4, n.n_descsz);
			return 1;
		}
	}
	return 0;
}

static bool put_key(struct compiling *c, const char *key, size_t n, const struct stat *compiler)
{
	if (!dl_iterate_phdr(add_build, &c->key))
		return false;
	/* another compiler, or a newer one at the same place, makes other libraries */
	text_printf(&c->key, "\n%s %lld %lld.%lld %llu\nv%d %zu\n", c->compiler,
		(long long)compiler->st_size, (long long)compiler->st_mtim.tv_sec,
		(long long)compiler->st_mtim.tv_nsec, (unsigned long long)compiler->st_ino,
		c->level, n);
	text_add(&c->key, key, n);
	return true;
}

void compiled_begin(struct compiling *c, const char *key, size_t n, int level, bool cache)
{
	struct stat s;

	*c = (struct compiling){.level = level};
	if (!find_compiler(c->compiler, sizeof c->compiler, &s)) {
		c->why = "no C compiler was found";
		return;
	}
	cache = put_key(c, key, n, &s) && cache;
	snprintf(c->base, sizeof c->base, "%016llx",
		(unsigned long long)hash_bytes(text_str(&c->key), c->key.len, 0));
	if (cache && cache_folder(c->folder, sizeof c->folder)) {
		if (same_key(c)) {
			load(c);
			if (c->library) {
				text_free(&c->key);
				return;
			}
			c->why = NULL; /* it is made again */
		}
		bound_folder(c->folder);
	} else if (passing_folder(c->folder, sizeof c->folder)) {
		c->passing = true;
	} else {
		c->why = "there is no folder for compiled code";
		text_free(&c->key);
	}
}

static void finish(struct compiling *c, bool made)
{
	char name[FILES][700], to[700];

	working_names(c, name);
	if (made && chmod(name[LIBRARY], 0700) == 0) {
		/* the library first: where the key is, the library is that of this key */
		if (file_name(c, ".so", to, sizeof to))
			made = rename(name[LIBRARY], to) == 0;
		if (made && file_name(c, ".key", to, sizeof to))
			made = rename(name[KEY], to) == 0;
	}
	if (made)
		load(c);
	else
		c->why = "the compiler failed";
	compiled_stop(c);
}

bool compiled_poll(struct compiling *c)
{
	int status;
	pid_t ended;

	if (!c->pid)
		return true;
	ended = waitpid(c->pid, &status, WNOHANG);
	if (ended == 0 || (ended < 0 && errno == EINTR))
		return false;
	c->pid = 0;
	finish(c, ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return true;
}

void compiled_stop(struct compiling *c)
{
	char path[700];

	if (c->pid) {
		kill(-c->pid, SIGKILL);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
		c->pid = 0;
	}
	text_free(&c->key);
	if (!c->folder[0])
		return;
	remove_working(c);
	if (c->passing) {
		if (file_name(c, ".key", path, sizeof path))
			unlink(path);
		if (file_name(c, ".so", path, sizeof path))
			unlink(path);
		rmdir(c->folder);
	}
	c->folder[0] = 0;
}
#endif
