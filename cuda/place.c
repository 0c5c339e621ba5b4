/* Where the program makes its calls: return addresses, each distinct list of which has a number.
 * The program addr2line (of binutils, which compilers need) gives their lines; without it, or
 * without debug information, the names that the dynamic linker has must do. */
#define _GNU_SOURCE
#include "cuda/place.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unwind.h>
#include <unistd.h>

enum { FRAMES = 20, BUCKETS = 4096, MOST = 1 << 16, WAIT_MS = 20000, ANSWER = 1 << 16 };

struct noted {
	struct noted *next;
	call_place number;
	unsigned n;
	struct place_info *info; /* once looked up */
	bool looked;
	void *frame[];
};

static struct {
	pthread_mutex_t lock;
	struct noted *bucket[BUCKETS], *of[MOST + 1];
	call_place count;
} places = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- noting --- */

static call_place note(void *const *frame, unsigned n)
{
	uint64_t h = n;
	struct noted *k, **at;
	call_place number = 0;

	for (unsigned i = 0; i < n; i++)
		h = (h ^ (uintptr_t)frame[i]) * UINT64_C(0x9e3779b97f4a7c15);
	pthread_mutex_lock(&places.lock);
	at = &places.bucket[h >> 52];
	for (k = *at; k; k = k->next)
		if (k->n == n && memcmp(k->frame, frame, n * sizeof *frame) == 0)
			break;
	if (!k && places.count < MOST) {
		k = calloc(1, sizeof *k + n * sizeof *frame);
		if (k) {
			memcpy(k->frame, frame, n * sizeof *frame);
			k->n = n;
			k->number = ++places.count;
			k->next = *at;
			*at = places.of[k->number] = k;
		}
	}
	number = k ? k->number : 0;
	pthread_mutex_unlock(&places.lock);
	return number;
}

/* A walk up the stack: the return addresses, and where on the stack they are. */
struct walk {
	void *frame[FRAMES];
	uintptr_t slot[FRAMES];
	unsigned n;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *arg)
{
	struct walk *w = arg;
	uintptr_t pc = _Unwind_GetIP(c);

	if (w->n == FRAMES || !pc)
		return _URC_END_OF_STACK;
	w->slot[w->n] = _Unwind_GetCFA(c) - sizeof(void *);
	w->frame[w->n++] = (void *)pc; /* NOLINT: an address of code */
	return _URC_NO_REASON;
}

#ifdef __x86_64__
enum { CACHED = 32 };

/* The last walks of this thread. A walk that begins at the same place of the stack, where the
 * return addresses are still where they were, is the same: that is much faster than to unwind. */
static _Thread_local struct {
	uintptr_t begin;
	const void *from;
	unsigned n;
	void *frame[FRAMES];
	uintptr_t slot[FRAMES];
	call_place number;
} cache[CACHED];

/* The slot of a frame has the address at which the frame goes on when what it calls returns. */
static bool is_same(unsigned at, uintptr_t begin, const void *from)
{
	if (cache[at].begin != begin || cache[at].from != from)
		return false;
	for (unsigned k = 1; k < cache[at].n; k++) {
		void *now;

		memcpy(&now, (const void *)cache[at].slot[k], sizeof now); /* NOLINT */
		if (now != cache[at].frame[k])
			return false;
	}
	return true;
}

static void keep(
	unsigned at, uintptr_t begin, const void *from, const struct walk *w, call_place number)
{
	cache[at].begin = begin;
	cache[at].from = from;
	cache[at].n = w->n;
	cache[at].number = number;
	memcpy(cache[at].frame, w->frame, sizeof w->frame);
	memcpy(cache[at].slot, w->slot, sizeof w->slot);
}
#endif

__attribute__((noinline)) call_place place_here(void)
{
	struct walk w = {.n = 0};
	call_place number;
#ifdef __x86_64__
	uintptr_t begin = (uintptr_t)__builtin_frame_address(0);
	const void *from = __builtin_return_address(0);
	unsigned at = (unsigned)((begin >> 4) ^ (uintptr_t)from) % CACHED;

	if (is_same(at, begin, from))
		return cache[at].number;
#endif
	_Unwind_Backtrace(step, &w);
	/* the first is this function, which is not always at the same instruction */
	number = w.n > 1 ? note(w.frame + 1, w.n - 1) : 0;
#ifdef __x86_64__
	keep(at, begin, from, &w, number);
#endif
	return number;
}

call_place place_at(const void *pc)
{
	void *frame[FRAMES + 4];
	int n = backtrace(frame, FRAMES + 4), k = 0;

	while (k < n && frame[k] != pc)
		k++;
	if (k == n || k == 0)
		return 0;
	/* the others are addresses of returns, this one is of an instruction that has not run */
	frame[k] = (char *)frame[k] + 1;
	return note(frame + k, (unsigned)(n - k));
}

/* --- whose code it is --- */

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

static bool begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

static bool is_ptxi(const char *object)
{
	return begins(base_name(object), "libcuda.so") || begins(base_name(object), "libcudart.so");
}

static bool is_system(const char *object)
{
	static const char *const names[] = {"libc.so", "libc-", "libm.so", "libpthread", "ld-linux",
		"libstdc++.so", "libgcc_s", "libgomp.so", "libasan", "libtsan", "linux-vdso"};

	for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
		if (begins(base_name(object), names[k]))
			return true;
	return false;
}

/* What calls functions for an interpreter, whose program has no addresses. */
static bool is_foreign(const char *object)
{
	return begins(base_name(object), "libffi") || begins(base_name(object), "_ctypes");
}

bool place_is_own(const void *pc)
{
	void *frame[FRAMES + 4];
	int n = backtrace(frame, FRAMES + 4), k = 0;
	Dl_info d;

	while (k < n && frame[k] != pc)
		k++;
	for (; k < n; k++)
		if (!dladdr(frame[k], &d) || !is_system(d.dli_fname))
			break;
	return k < n && dladdr(frame[k], &d) && is_ptxi(d.dli_fname);
}

/* --- looking up --- */

/* The environment, without what makes addr2line load other libraries. */
static char **plain_environment(void)
{
	size_t n = 0, k = 0;
	char **own;

	while (environ[n])
		n++;
	own = calloc(n + 1, sizeof *own);
	for (size_t i = 0; own && i < n; i++)
		if (!begins(environ[i], "LD_"))
			own[k++] = environ[i];
	return own;
}

static size_t read_answer(int fd, char *to, size_t room)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t n = 0;
	ssize_t got = 1;

	while (n + 1 < room && got > 0 && poll(&p, 1, WAIT_MS) > 0) {
		got = read(fd, to + n, room - 1 - n);
		n += got > 0 ? (size_t)got : 0;
	}
	to[n] = '\0';
	return n;
}

/* What addr2line says of the N addresses AT of OBJECT: for each "0x...", then pairs of lines. */
static size_t ask(const char *object, const uintptr_t *at, unsigned n, char *answer, size_t room)
{
	char text[FRAMES + 4][24], *args[FRAMES + 12];
	const char *head[] = {"addr2line", "-a", "-f", "-i", "-C", "-e", object};
	unsigned k = 0;
	int fd[2];
	pid_t child;
	char **env = plain_environment();
	posix_spawn_file_actions_t actions;
	size_t got = 0;

	for (unsigned i = 0; i < sizeof head / sizeof head[0]; i++)
		args[k++] = (char *)(uintptr_t)head[i];
	for (unsigned i = 0; i < n; i++) {
		snprintf(text[i], sizeof text[i], "0x%llx", (unsigned long long)at[i]);
		args[k++] = text[i];
	}
	args[k] = NULL;
	if (!env || pipe2(fd, O_CLOEXEC)) {
		free(env);
		return 0;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	if (!posix_spawnp(&child, "addr2line", &actions, NULL, args, env)) {
		close(fd[1]);
		got = read_answer(fd[0], answer, room);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	} else {
		close(fd[1]);
	}
	close(fd[0]);
	posix_spawn_file_actions_destroy(&actions);
	free(env);
	return got;
}

/* Files of the system, of the toolkit, ptxi's headers, and what the toolkit's compiler makes. */
static bool is_library_file(const char *path)
{
	return *path == '?' || begins(path, "/usr/") || begins(path, "/opt/") ||
		strstr(path, "/cuda/ptxi/") || strstr(path, "tmpxft_") ||
		strstr(path, "/crt/host_runtime.h");
}

static void name_file(struct place_info *p)
{
	char folder[512];
	size_t n;

	snprintf(p->name, sizeof p->name, "%s", p->path);
	if (!getcwd(folder, sizeof folder - 1))
		return;
	n = strlen(folder);
	if (strncmp(p->path, folder, n) == 0 && p->path[n] == '/')
		snprintf(p->name, sizeof p->name, "%s", p->path + n + 1);
}

/* The name in FUNCTION: "n::f" of "int n::f<int>(int)", and of a lambda in it. */
static void name_function(char *to, size_t room, const char *function)
{
	const char *lambda = strstr(function, "::{lambda");
	size_t n = strcspn(function, "(<"), from;

	if (lambda && (size_t)(lambda - function) < n)
		n = (size_t)(lambda - function);
	from = n;

	while (from && function[from - 1] != ' ')
		from--;
	snprintf(to, room, "%.*s", (int)(n - from), function + from);
}

/* Reads the answer up to the first place in the program's own files. */
static bool read_places(struct place_info *p, char *answer)
{
	unsigned skip = 0;
	char *rest = answer;

	for (;;) {
		char *function = strsep(&rest, "\n"), *path, *colon, *stub, name[128];

		if (!function || !rest)
			return false;
		if (begins(function, "0x"))
			continue;
		path = strsep(&rest, "\n");
		colon = path ? strrchr(path, ':') : NULL;
		if (!colon)
			return false;
		*colon = '\0';
		/* a launch calls a stand-in, which nvcc calls from another one */
		stub = strstr(function, "__device_stub__");
		if (stub) {
			stub += strlen("__device_stub__");
			skip = *stub == 'Z' || begins(stub, "_Z");
			continue;
		}
		if (skip) {
			skip--;
			continue;
		}
		name_function(name, sizeof name, function);
		/* the toolkit's headers have functions that call others of the interface */
		if (begins(name, "cuda") && is_library_file(path))
			snprintf(p->api, sizeof p->api, "%.63s", name);
		if (!*p->function && *name != '?' && !begins(name, "cuda") &&
			!begins(name, "__cuda"))
			snprintf(p->function, sizeof p->function, "%s", name);
		if (is_library_file(path) || !strtoul(colon + 1, NULL, 10))
			continue;
		snprintf(p->path, sizeof p->path, "%s", path);
		p->line = (unsigned)strtoul(colon + 1, NULL, 10);
		snprintf(p->function, sizeof p->function, "%s", name);
		name_file(p);
		return true;
	}
}

/* The name of the interface's function whose frame it is; "cuMemAlloc" for cuMemAlloc_v2. */
static void name_api(struct place_info *p, const Dl_info *d)
{
	size_t n;

	if (!d->dli_sname)
		return;
	snprintf(p->api, sizeof p->api, "%s", d->dli_sname + (begins(d->dli_sname, "__") ? 2 : 0));
	n = strlen(p->api);
	if (n > 5 && (strcmp(p->api + n - 5, "_ptsz") == 0 || strcmp(p->api + n - 5, "_ptds") == 0))
		p->api[n -= 5] = '\0';
	if (n > 3 && p->api[n - 3] == '_' && p->api[n - 2] == 'v')
		p->api[n - 3] = '\0';
}

static void look_up(struct noted *k)
{
	struct place_info *p = calloc(1, sizeof *p);
	char *answer = malloc(ANSWER);
	unsigned i = 0;
	Dl_info d = {0};

	while (i < k->n && dladdr((char *)k->frame[i] - 1, &d) && is_ptxi(d.dli_fname)) {
		if (p)
			name_api(p, &d);
		i++;
	}
	k->info = p;
	/* calls through an interface of foreign functions are made by no line of a program */
	while (p && answer && i < k->n && dladdr((char *)k->frame[i] - 1, &d) &&
		!is_foreign(d.dli_fname)) {
		uintptr_t at[FRAMES + 4], bias;
		const char *object = d.dli_fname;
		char *symbol = d.dli_sname ? strdup(d.dli_sname) : NULL;
		uintptr_t from = (uintptr_t)k->frame[i] - (uintptr_t)d.dli_saddr;
		unsigned n = 0;
		bool system = is_system(object);
		struct {
			unsigned char ident[16];
			uint16_t type;
		} *head = d.dli_fbase;

		bias = head->type == 2 ? 0 : (uintptr_t)d.dli_fbase; /* ET_EXEC is not moved */
		/* the dynamic linker knows the program by the name of its call */
		if (!strchr(object, '/') || access(object, R_OK))
			object = "/proc/self/exe";
		for (const void *base = d.dli_fbase;
			i < k->n && dladdr((char *)k->frame[i] - 1, &d) && d.dli_fbase == base; i++)
			at[n++] = (uintptr_t)k->frame[i] - 1 - bias;
		if (!system && ask(object, at, n, answer, ANSWER) && read_places(p, answer)) {
			free(symbol);
			break;
		}
		if (!system && symbol && !*p->function)
			snprintf(p->function, sizeof p->function, "%s+0x%zx", symbol, (size_t)from);
		free(symbol);
	}
	free(answer);
}

const struct place_info *place_find(call_place p)
{
	struct noted *k = NULL;

	pthread_mutex_lock(&places.lock);
	if (p && p <= places.count)
		k = places.of[p];
	if (k && !k->looked) {
		k->looked = true;
		look_up(k);
	}
	pthread_mutex_unlock(&places.lock);
	return k ? k->info : NULL;
}

const char *place_api(call_place p, const char *otherwise)
{
	const struct place_info *i = place_find(p);

	return i && *i->api ? i->api : otherwise;
}

/* --- text --- */

void place_mark(char *to, size_t room, const char *name, call_place p)
{
	if (p)
		snprintf(to, room, "%s (call %u)", name, p);
	else
		snprintf(to, room, "%s", name);
}

void place_text_of(call_place p, struct text *out)
{
	const struct place_info *i = place_find(p);

	if (!i)
		return;
	text_puts(out, i->function);
	if (*i->name)
		text_printf(out, "%s%s:%u", *i->function ? " at " : "", i->name, i->line);
}

static bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c | 32) >= 'a'; }

/* The place of the name that TEXT begins after: "allocation 3" or a function's, without its mark.
 * Returns what follows it in TEXT. */
static const char *put_place(const struct place_info *i, const char *text, struct text *out)
{
	static const char number[] = "allocation ", by[] = "launched by ";
	bool known = *i->name || *i->function, allocation;
	const char *s = text_str(out);
	size_t n = out->len;

	while (n && is_word(s[n - 1]))
		n--;
	allocation = n >= sizeof number - 1 &&
		strncmp(s + n - (sizeof number - 1), number, sizeof number - 1) == 0;
	if (allocation && !known)
		return text; /* its number says more */
	out->len = allocation ? n - (sizeof number - 1) : n;
	/* <<<>>> is a call only for the compiler */
	if (known && strcmp(i->api, "cudaLaunchKernel") == 0 && out->len > sizeof by &&
		strncmp(s + out->len - (sizeof by - 1), by, sizeof by - 1) == 0)
		out->len -= strlen(" by ");
	else
		text_puts(out, i->api);
	if (allocation && out->data[out->len - strlen(i->api) - 1] == '`') {
		/* the place follows the quoted name and its offset */
		size_t rest = strcspn(text, "`\n");

		rest += text[rest] == '`';
		text_printf(out, "%.*s", (int)rest, text);
		text += rest;
	}
	if (*i->name)
		text_printf(out, " at %s:%u", i->name, i->line);
	else if (known)
		text_printf(out, " in %s", i->function);
	return text;
}

void place_names(const char *text, struct text *out)
{
	static const char mark[] = " (call ";
	const char *found;

	while ((found = strstr(text, mark)) != NULL) {
		char *end;
		unsigned long p = strtoul(found + sizeof mark - 1, &end, 10);
		const struct place_info *i = *end == ')' ? place_find((call_place)p) : NULL;

		text_printf(out, "%.*s", (int)(found - text), text);
		text = end + 1;
		if (i && *i->api) {
			text = put_place(i, text, out);
		} else if (*end != ')') {
			text_puts(out, mark);
			text = found + sizeof mark - 1;
		}
	}
	text_puts(out, text);
}
