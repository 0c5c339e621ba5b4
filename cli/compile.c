/* CUDA source to PTX and to objects. clang compiles the file twice: for the device to PTX, and for
 * the host to assembly code, into which the PTX is put as a fat binary. What clang's CUDA lacks is
 * done on these texts: a newer target, and managed variables. */
#include "cli/compile.h"
#include "base/text.h"
#include "base/time.h"
#include <errno.h>
#include <fcntl.h>
#include <ptxi/status.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 1024, MOST = WORDS - 100, TARGET = 90 };
enum { SIGNALS = 2 };
static const int watched[SIGNALS] = {SIGINT, SIGTERM};
/* What clang puts where the fat binary belongs, found again in its output. */
#define PLACE "ptxi: here is the fat binary"

struct words {
	const char *word[WORDS];
	unsigned n;
};

/* There is room: the user's words are at most MOST. */
static void add(struct words *w, const char *word) { w->word[w->n++] = word; }

#define ADD(w, ...) \
	do { \
		static const char *const words_[] = {__VA_ARGS__}; \
		for (size_t k_ = 0; k_ < sizeof words_ / sizeof words_[0]; k_++) \
			add(w, words_[k_]); \
	} while (0)

/* --- running the compiler --- */

static const char *temporary(struct compiler *k, const char *end)
{
	return arena_printf(&k->c->arena, "%s/%u%s", k->folder, ++k->files, end);
}

/* The processes that run, for the handler of signals. */
static _Atomic pid_t running[2];

static void pass_signal(int sig)
{
	for (unsigned n = 0; n < 2; n++)
		if (running[n] > 0)
			kill(running[n], sig);
}

/* In the new process: it ends with ptxi, and in time. */
static void bound(const struct compiler *k)
{
	double left = k->deadline - time_now();
	struct itimerval limit = {0};
	sigset_t none;

#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	for (unsigned n = 0; n < SIGNALS; n++)
		signal(watched[n], SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (k->deadline <= 0 || left > 1e6)
		return;
	limit.it_value.tv_sec = left > 0 ? (time_t)left : 0;
	limit.it_value.tv_usec = left > 0 ? (suseconds_t)((left - (double)(time_t)left) * 1e6) + 1
					  : 1;
	setitimer(ITIMER_REAL, &limit, NULL);
}

/* Starts a program whose standard error goes to SAID, if that is not NULL. */
static pid_t start(struct compiler *k, const struct words *w, const char *said)
{
	pid_t child;

	if (k->c->verbose) {
		for (unsigned n = 0; n < w->n; n++)
			fprintf(stderr, "%s%s", n ? " " : "", w->word[n]);
		fputc('\n', stderr);
	}
	child = fork();
	if (child == 0) {
		int fd = said ? open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

		if (fd >= 0)
			dup2(fd, 2);
		bound(k);
		execvp(w->word[0], (char *const *)(uintptr_t)w->word);
		fprintf(stderr, "ptxi: %s: %s\n", w->word[0], strerror(errno));
		_exit(127);
	}
	if (child < 0)
		diag_plain(k->diags, DIAG_L0304, "fork: %s", strerror(errno));
	running[running[0] > 0] = child;
	return child;
}

static bool ended_well(struct compiler *k, pid_t child)
{
	int status = 1;

	if (child < 0)
		return false;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	running[running[0] != child] = 0;
	if (WIFSIGNALED(status) && !k->signal)
		k->signal = WTERMSIG(status);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The exit status after the compiler failed. */
static int failed(const struct compiler *k)
{
	return k->signal == SIGALRM ? PTXI_UNDECIDED
		: k->signal         ? PTXI_SIGNAL + k->signal
				    : PTXI_REJECTED;
}

static bool run(struct compiler *k, const struct words *w)
{
	return ended_well(k, start(k, w, NULL));
}

static bool read_text(struct compiler *k, const char *path, struct text *out)
{
	struct source *s = file_read(path, &k->c->arena, k->diags);

	if (s)
		text_add(out, s->text, s->len);
	return s != NULL;
}

static bool show_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	bool any = false;
	int c;

	while (f && (c = fgetc(f)) != EOF) {
		fputc(c, stderr);
		any = true;
	}
	if (f)
		fclose(f);
	return any;
}

/* --- finding it --- */

static bool is_program(struct cli *c, const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) == 0;
	for (; path && *path; path += strcspn(path, ":"), path += *path == ':')
		if (access(arena_printf(&c->arena, "%.*s/%s", (int)strcspn(path, ":"), path, name),
			    X_OK) == 0)
			return true;
	return false;
}

static const char *find_nvcc(struct compiler *k)
{
	static const char usual[] = "/usr/local/cuda/bin/nvcc";
	const char *found = is_program(k->c, "nvcc") ? "nvcc"
		: is_program(k->c, usual)            ? usual
						     : NULL;

	if (!found)
		diag_plain(k->diags, DIAG_L0304, "nvcc is not installed");
	return found;
}

static const char *find_clang(struct compiler *k)
{
	enum { OLDEST = 14, NEWEST = 24 };
	struct cli *c = k->c;
	const char *named = c->clang ? c->clang : getenv("CLANG");
	struct diag *d;

	if (named && *named && is_program(c, named))
		return named;
	if (named && *named) {
		diag_plain(k->diags, DIAG_L0304, "%s: there is no such program", named);
		return NULL;
	}
	if (is_program(c, "clang"))
		return "clang";
	for (unsigned v = NEWEST; v >= OLDEST; v--)
		if (is_program(c, arena_printf(&c->arena, "clang-%u", v)))
			return arena_printf(&c->arena, "clang-%u", v);
	d = diag_plain(k->diags, DIAG_L0304, "clang is not installed; it compiles CUDA sources");
	diag_help(k->diags, d, "apt-get install clang; another one: --clang=PROGRAM%s",
		c->command == COMMAND_CC ? "" : "; nvcc: --nvcc");
	return NULL;
}

bool compiler_begin(struct compiler *k, struct cli *c, struct diags *diags)
{
	static const char *const places[] = {"/cuda", "/../share/ptxi/cuda"};
	const char *folder = getenv("TMPDIR");
	sigset_t alarm_only;

	if (c->flags.count + c->files.count > MOST) {
		diag_plain(diags, DIAG_L0304, "more than %d options and files", MOST);
		return false;
	}
	*k = (struct compiler){.c = c, .diags = diags};
	k->program = c->nvcc ? find_nvcc(k) : find_clang(k);
	if (!k->program)
		return false;
	if (!c->nvcc) {
		k->headers = installed_folder(
			c, places, sizeof places / sizeof places[0], "cuda_runtime.h");
		if (!k->headers) {
			diag_plain(diags, DIAG_L0304,
				"cuda_runtime.h is neither beside ptxi nor in the folder where it is installed");
			return false;
		}
	}
	/* a time limit of the command, whose handler would leave the files */
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm_only, &k->mask);
	snprintf(
		k->folder, sizeof k->folder, "%s/ptxi-XXXXXX", folder && *folder ? folder : "/tmp");
	if (!mkdtemp(k->folder)) {
		diag_plain(diags, DIAG_L0207, "%s: %s", k->folder, strerror(errno));
		sigprocmask(SIG_SETMASK, &k->mask, NULL);
		return false;
	}
	/* the compiler ends, and the temporary files are removed */
	for (unsigned n = 0; n < SIGNALS; n++) {
		struct sigaction pass = {.sa_handler = pass_signal};

		sigaction(watched[n], &pass, &k->old[n]);
	}
	return true;
}

void compiler_end(struct compiler *k)
{
	static const char *const ends[] = {".ptx", ".fatbin", ".s", ".said", ".o", ".cu", ".place"};

	for (unsigned n = 1; n <= k->files; n++)
		for (size_t e = 0; e < sizeof ends / sizeof ends[0]; e++)
			remove(arena_printf(&k->c->arena, "%s/%u%s", k->folder, n, ends[e]));
	rmdir(k->folder);
	for (unsigned n = 0; n < SIGNALS; n++)
		sigaction(watched[n], &k->old[n], NULL);
	sigprocmask(SIG_SETMASK, &k->mask, NULL);
}

/* --- the device --- */

bool is_cuda_source(const char *path)
{
	size_t n = strlen(path);

	return n > 3 && strcmp(path + n - 3, ".cu") == 0;
}

static bool begins(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

/* Whether an option matters only when the parts are linked. */
static bool is_for_linking(const char *word)
{
	return begins(word, "-l") || begins(word, "-L") || begins(word, "-Wl,");
}

/* The user's options, for one of the three steps. */
static void add_passed(struct compiler *k, struct words *w, bool device, bool link)
{
	for (unsigned n = 0; n < k->c->flags.count; n++) {
		const char *word = k->c->flags.data[n];

		if ((is_for_linking(word) && !link) || (device && begins(word, "-g")))
			continue;
		add(w, word);
	}
}

static bool has_passed(struct compiler *k, const char *begin)
{
	for (unsigned n = 0; n < k->c->flags.count; n++)
		if (begins(k->c->flags.data[n], begin))
			return true;
	return false;
}

/* What both passes of clang have in common. Its newest target that all versions know is sm_80; the
 * headers add what sm_90 has. */
static void add_common(struct compiler *k, struct words *w)
{
	add(w, k->program);
	ADD(w, "-x", "cuda", "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib",
		"--cuda-gpu-arch=sm_80", "-Xclang", "-target-sdk-version=11.5", "-isystem");
	add(w, k->headers);
	ADD(w, "-include", "cuda_runtime.h", "-Wno-unknown-cuda-version");
	if (!has_passed(k, "-std="))
		add(w, "-std=gnu++17");
	if (!has_passed(k, "-O"))
		add(w, "-O2");
}

static void add_device(struct compiler *k, struct words *w)
{
	add_common(k, w);
	ADD(w, "--cuda-device-only", "-Xclang", "-target-feature", "-Xclang", "+ptx70",
		"-U__CUDA_ARCH__", "-D__CUDA_ARCH__=900", "-gline-directives-only");
	add_passed(k, w, true, false);
	add(w, "-S");
}

/* --- the source --- */

/* clang does not accept `__shared__ alignas(16)`: they change places. */
static bool swap_alignment(char *text)
{
	static const char shared[] = "__shared__";
	bool any = false;

	for (char *at = strstr(text, shared); at; at = strstr(at + 1, shared)) {
		size_t n = strlen(shared) + strspn(at + strlen(shared), " \t\n"), length;
		char *after = at + n, word[sizeof shared + 64];
		int depth = 0;

		if (!begins(after, "alignas(") || n >= sizeof word)
			continue;
		for (length = strlen("alignas"); after[length]; length++) {
			depth += after[length] == '(';
			depth -= after[length] == ')';
			if (depth == 0)
				break;
		}
		if (!after[length++])
			break;
		memcpy(word, at, n);
		memmove(at, after, length);
		memcpy(at + length, word + strlen(shared), n - strlen(shared));
		memcpy(at + length + n - strlen(shared), word, strlen(shared));
		at += length;
		any = true;
	}
	return any;
}

/* In host code a managed variable is none of the device's: __device__ beside __managed__ becomes
 * blanks. */
static bool blank_device(char *text)
{
	static const char device[] = "__device__", managed[] = "__managed__";
	bool any = false;

	for (char *at = strstr(text, managed); at; at = strstr(at + 1, managed)) {
		char *before = at, *after = at + strlen(managed);

		while (before > text && strchr(" \t\n", before[-1]))
			before--;
		after += strspn(after, " \t\n");
		if (before - text >= (long)strlen(device) &&
			begins(before - strlen(device), device))
			memset(before - strlen(device), ' ', strlen(device));
		else if (begins(after, device))
			memset(after, ' ', strlen(device));
		else
			continue;
		any = true;
	}
	return any;
}

/* Adds the source, or a copy of it with changes that move no line. */
static bool add_source(struct compiler *k, struct words *w, const char *path, bool host)
{
	struct source *s = file_read(path, &k->c->arena, k->diags);
	const char *slash = strrchr(path, '/');
	struct text t = {0};
	bool done = true, changed;

	if (!s)
		return false;
	add(w, "-iquote");
	add(w, slash ? arena_text(&k->c->arena, path, (size_t)(slash - path) + 1) : ".");
	text_puts(&t, "# 1 \"");
	for (const char *at = path; *at; at++)
		text_printf(&t, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
	text_puts(&t, "\"\n");
	text_add(&t, s->text, s->len);
	changed = swap_alignment(t.data);
	if (host)
		changed |= blank_device(t.data);
	if (changed) {
		path = temporary(k, ".cu");
		done = file_write(path, t.data, t.len, k->diags);
	}
	add(w, path);
	text_free(&t);
	return done;
}

static void add_nvcc(struct compiler *k, struct words *w)
{
	add(w, k->program);
	ADD(w, "-ptx", "-lineinfo", "-arch=sm_90");
	if (k->linked)
		add(w, "-rdc=true");
	add_passed(k, w, true, false);
}

/* Replaces the line of TEXT that begins with BEGIN. */
static void replace_line(struct text *t, const char *begin, const char *by)
{
	char *at = strstr(t->data, begin);
	struct text all = {0};

	if (!at)
		return;
	text_add(&all, t->data, (size_t)(at - t->data));
	text_puts(&all, by);
	text_puts(&all, at + strcspn(at, "\n"));
	text_free(t);
	*t = all;
}

static bool read_ptx(struct compiler *k, const char *path, struct text *out)
{
	struct text ptx = {0};

	if (!read_text(k, path, &ptx))
		return false;
	if (!k->c->nvcc && ptx.len) {
		replace_line(&ptx, ".version ", ".version 8.6");
		replace_line(&ptx, ".target ", ".target sm_90");
	}
	text_puts(out, text_str(&ptx));
	text_free(&ptx);
	return true;
}

int compiler_ptx(struct compiler *k, const char *source, struct text *out, struct text *said)
{
	struct words w = {0};
	const char *ptx = temporary(k, ".ptx"), *heard = said ? temporary(k, ".said") : NULL;
	bool good;

	if (k->c->nvcc) {
		add_nvcc(k, &w);
		add(&w, source);
	} else {
		add_device(k, &w);
		if (!add_source(k, &w, source, false))
			return PTXI_USAGE;
	}
	add(&w, "-o");
	add(&w, ptx);
	good = ended_well(k, start(k, &w, heard));
	if (said && !read_text(k, heard, said))
		return PTXI_USAGE;
	if (!good)
		return failed(k);
	return read_ptx(k, ptx, out) ? 0 : PTXI_USAGE;
}

/* --- the host --- */

static void put_number(struct text *t, uint64_t value, unsigned bytes)
{
	for (; bytes > 0; bytes--, value >>= 8)
		text_putc(t, (char)(value & 255));
}

/* A fat binary of one entry, PTX that is not compressed (docs/CUDA.md). */
static bool write_fatbin(struct compiler *k, const struct text *ptx, const char *path)
{
	enum { CONTAINER = 0x10, ENTRY = 0x40, PTX = 1, ALIGNED = 8 };
	uint64_t payload = (ptx->len + ALIGNED) / ALIGNED * ALIGNED; /* at least one NUL */
	struct text t = {0};
	bool done;

	put_number(&t, 0xba55ed50, 4);
	put_number(&t, 1, 2);
	put_number(&t, CONTAINER, 2);
	put_number(&t, ENTRY + payload, 8);
	put_number(&t, PTX, 2);
	put_number(&t, 0x101, 2);
	put_number(&t, ENTRY, 4);
	put_number(&t, payload, 8);
	put_number(&t, 0, 8);
	put_number(&t, 0, 4);
	put_number(&t, TARGET, 4);
	put_number(&t, 0, 8);
	put_number(&t, 0x11, 8); /* 64 bits, Linux */
	put_number(&t, 0, 16);
	text_add(&t, text_str(ptx), ptx->len);
	put_number(&t, 0, (unsigned)(payload - ptx->len));
	done = file_write(path, text_str(&t), t.len, k->diags);
	text_free(&t);
	return done;
}

/* A managed variable has one address for the host and the device, which only the running program
 * knows. The headers put such variables of the host code into a section of their own; all accesses
 * to them go through the table of global offsets (-fPIC), and get slots of their own here, which
 * the runtime fills. */
struct managed {
	char name[1000];
	unsigned long size;
};

struct host_code {
	struct compiler *k;
	struct text in, out;
	VEC(struct managed) managed;
	bool complete; /* every managed variable has a name that the device knows, too */
};

static const struct managed *find_managed(const struct host_code *h, const char *name, size_t n)
{
	for (uint32_t k = 0; k < h->managed.count; k++)
		if (strlen(h->managed.data[k].name) == n &&
			memcmp(h->managed.data[k].name, name, n) == 0)
			return &h->managed.data[k];
	return NULL;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* Collects the labels in the section of managed variables. */
static void find_all_managed(struct host_code *h)
{
	bool inside = false, shown = false;
	char word[1000];

	h->complete = true;
	for (const char *line = text_str(&h->in); *line; line = next_line(line)) {
		size_t n = strcspn(line, ":\n");
		struct managed *m = h->managed.count ? &h->managed.data[h->managed.count - 1]
						     : NULL;

		if (begins(line, "\t.section\t") || begins(line, "\t.text") ||
			begins(line, "\t.data") || begins(line, "\t.bss")) {
			inside = begins(line, "\t.section\tptxi_managed");
		} else if (inside && begins(line, "\t.globl\t")) {
			shown = true;
		} else if (inside && line[0] != '\t' && line[n] == ':' && n < sizeof m->name) {
			m = vec_push(&h->managed);
			*m = (struct managed){.size = 8};
			memcpy(m->name, line, n);
			h->complete &= shown;
			shown = false;
		} else if (inside && m) {
			unsigned long size;

			if (sscanf(line, "\t.size\t%999[^,], %lu", word, &size) == 2 &&
				strcmp(word, m->name) == 0)
				m->size = size;
		}
	}
}

/* Copies a line, with slots instead of global offsets. */
static void copy_line(struct host_code *h, const char *line)
{
	static const char access[] = "@GOTPCREL";
	const char *end = line + strcspn(line, "\n"), *at = line, *found = line;

	while ((found = memchr(found, '@', (size_t)(end - found)))) {
		const char *name = found;

		if (!begins(found, access)) {
			found++;
			continue;
		}
		while (name > at && !strchr(" \t*,($", name[-1]))
			name--;
		if (find_managed(h, name, (size_t)(found - name))) {
			text_add(&h->out, at, (size_t)(name - at));
			text_printf(&h->out, "ptxi_managed.%.*s", (int)(found - name), name);
			at = found + strlen(access);
		}
		found += strlen(access);
	}
	text_add(&h->out, at, (size_t)(end - at));
	text_putc(&h->out, '\n');
}

/* The slots, and what has the runtime fill them before main begins. The module is registered by an
 * earlier entry of the same section. */
static void put_slots(struct host_code *h)
{
	struct text *t = &h->out;

	text_puts(t, "\t.data\n\t.p2align 3\n");
	for (uint32_t k = 0; k < h->managed.count; k++)
		text_printf(t,
			"ptxi_managed.%s:\n\t.quad 0\n.Lptxi_name%u:\n\t.asciz \"%s\"\n"
			"\t.p2align 3\n",
			h->managed.data[k].name, k, h->managed.data[k].name);
	text_puts(t, "\t.text\nptxi_register_managed:\n\tsubq $8, %rsp\n");
	for (uint32_t k = 0; k < h->managed.count; k++)
		text_printf(t,
			"\tmovq __cuda_gpubin_handle(%%rip), %%rdi\n"
			"\tleaq ptxi_managed.%s(%%rip), %%rsi\n"
			"\tleaq .Lptxi_name%u(%%rip), %%rdx\n\tmovq %%rdx, %%rcx\n"
			"\txorl %%r8d, %%r8d\n\tmovl $%lu, %%r9d\n\tpushq $0\n\tpushq $0\n"
			"\tcallq __cudaRegisterManagedVar@PLT\n\taddq $16, %%rsp\n",
			h->managed.data[k].name, k, h->managed.data[k].size);
	text_puts(t,
		"\tmovq __cuda_gpubin_handle(%rip), %rdi\n\tcallq __cudaInitModule@PLT\n"
		"\taddq $8, %rsp\n\tretq\n"
		"\t.section\t.init_array,\"aw\",@init_array\n\t.p2align 3\n"
		"\t.quad ptxi_register_managed\n");
}

/* Marks the managed variables in the PTX. */
static void mark_managed(const struct host_code *h, struct text *ptx)
{
	static const char begin[] = ".visible .global ";
	struct text all = {0};

	if (!h->managed.count)
		return;
	for (const char *line = text_str(ptx); *line; line = next_line(line)) {
		const char *end = line + strcspn(line, "\n"), *name = line,
			   *stop = line + strcspn(line, ";=[\n");

		if (begins(line, begin)) {
			while (stop > line && stop[-1] == ' ')
				stop--;
			for (name = stop; name > line && name[-1] != ' ';)
				name--;
			if (find_managed(h, name, (size_t)(stop - name))) {
				text_printf(&all, "%s.attribute(.managed) ", begin);
				line += strlen(begin);
			}
		}
		text_add(&all, line, (size_t)(end - line));
		text_putc(&all, '\n');
	}
	text_free(ptx);
	*ptx = all;
}

/* Without kernels clang leaves it out. False: there is no place for it, though it is used. */
static bool put_fatbin(struct host_code *h, const char *fatbin)
{
	bool found = false;

	for (const char *line = text_str(&h->in); *line; line = next_line(line))
		if (begins(line, "\t.asciz\t\"" PLACE "\"") ||
			begins(line, "\t.ascii\t\"" PLACE "\"")) {
			text_printf(&h->out, "\t.incbin \"%s\"\n", fatbin);
			found = true;
		} else {
			copy_line(h, line);
		}
	if (h->managed.count)
		put_slots(h);
	return found || (!strstr(text_str(&h->in), "__cuda_fatbin_wrapper") && !h->managed.count);
}

/* Both passes at once. What they say is mostly the same: that of the device, or else of the host,
 * is shown. */
static bool compile_both(
	struct compiler *k, const char *source, const char *ptx, const char *assembly)
{
	const char *place = temporary(k, ".place"), *said = temporary(k, ".said"),
		   *host_said = temporary(k, ".said");
	struct words device = {0}, host = {0};
	pid_t first, second;
	bool good, host_good;

	if (!file_write(place, PLACE, strlen(PLACE), k->diags))
		return false;
	add_device(k, &device);
	add_common(k, &host);
	/* comments may have bytes that end a text here */
	ADD(&host, "-fno-verbose-asm");
	ADD(&host, "--cuda-host-only", "-fPIC", "-Xclang", "-fcuda-include-gpubinary", "-Xclang");
	add(&host, place);
	add_passed(k, &host, false, false);
	add(&host, "-S");
	if (!add_source(k, &device, source, false) || !add_source(k, &host, source, true))
		return false;
	add(&device, "-o");
	add(&device, ptx);
	add(&host, "-o");
	add(&host, assembly);
	first = start(k, &device, said);
	second = start(k, &host, host_said);
	good = ended_well(k, first);
	host_good = ended_well(k, second);
	if (!show_text(said) || (good && !host_good))
		show_text(host_said);
	return good && host_good;
}

static int put_together(struct compiler *k, struct host_code *h, struct text *ptx,
	const char *assembly, const char *object)
{
	const char *fatbin = temporary(k, ".fatbin");
	struct words w = {0};

	find_all_managed(h);
	if (!h->complete) {
		diag_plain(k->diags, DIAG_L0304,
			"a __managed__ variable is static; ptxi cc compiles only visible ones");
		return PTXI_UNSUPPORTED;
	}
	mark_managed(h, ptx);
	if (!put_fatbin(h, fatbin)) {
		diag_plain(k->diags, DIAG_L0304,
			h->managed.count
				? "%s registers no managed variables of a file without kernels"
				: "%s writes host code in a form that 'ptxi cc' does not know",
			k->program);
		return PTXI_UNSUPPORTED;
	}
	if (!write_fatbin(k, ptx, fatbin) ||
		!file_write(assembly, text_str(&h->out), h->out.len, k->diags))
		return PTXI_USAGE;
	add(&w, k->program);
	add(&w, "-c");
	add(&w, "-Wa,--no-warn"); /* clang warns of what it has written itself */
	add(&w, assembly);
	add(&w, "-o");
	add(&w, object);
	return run(k, &w) ? 0 : failed(k);
}

int compiler_object(struct compiler *k, const char *source, const char **out)
{
	const char *ptx = temporary(k, ".ptx"), *assembly = temporary(k, ".s");
	struct host_code h = {.k = k};
	struct text code = {0};
	int status = PTXI_USAGE;

	*out = temporary(k, ".o");
	if (!compile_both(k, source, ptx, assembly))
		status = failed(k);
	else if (read_ptx(k, ptx, &code) && read_text(k, assembly, &h.in))
		status = put_together(k, &h, &code, assembly, *out);
	text_free(&code);
	text_free(&h.in);
	text_free(&h.out);
	vec_free(&h.managed);
	return status;
}

int compiler_link(struct compiler *k, const char *const *objects, unsigned n, const char *output)
{
	const char *folder = driver_folder(k->c);
	struct words w = {0};

	if (!folder) {
		diag_plain(k->diags, DIAG_L0304,
			"libcuda.so.1 is neither beside ptxi nor in the folder where it is installed");
		return PTXI_USAGE;
	}
	add(&w, k->program);
	add(&w, "--driver-mode=g++");
	for (unsigned o = 0; o < n; o++)
		add(&w, objects[o]);
	add_passed(k, &w, false, true);
	add(&w, arena_printf(&k->c->arena, "%s/libcudart.so.13", folder));
	add(&w, "-Wl,--as-needed");
	add(&w, arena_printf(&k->c->arena, "%s/libcuda.so.1", folder));
	add(&w, "-o");
	add(&w, output);
	return run(k, &w) ? 0 : failed(k);
}
