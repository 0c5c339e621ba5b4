/* A GPU as a backend: a host program's steps become messages to the process that holds the CUDA
 * context; its answers become findings. */
#include "gpu/backend.h"
#include "base/vec.h"
#include "gpu/wire.h"
#include "backend/whole.h"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_TIMEOUT_S = 10, OPEN_TIMEOUT_S = 120 };
/* CUresult values that we tell apart. */
enum {
	CU_OK = 0,
	CU_NO_BINARY = 209,
	CU_UNSUPPORTED_PTX = 222,
	CU_ILLEGAL_ADDRESS = 700,
	CU_TIMEOUT = 702,
	CU_ASSERT = 710,
	/* to 719: illegal instruction, misaligned address, address space, program counter, launch
	   failed */
	CU_STACK_ERROR = 714,
	CU_LAUNCH_FAILED = 719,
	CU_LATE = -1, /* no answer in time: the process was stopped */
	CU_GONE = -2  /* the process ended of itself */
};

/* A launch since the last sync: an error that comes up is told at the one that made it. */
struct launched {
	struct source *source;
	struct span span;
};

struct gpu {
	int fd;
	pid_t pid;
	const struct ir_module *module;
	struct diags *findings;
	double timeout;
	struct text output;
	char *payload; /* of the last reply */
	size_t payload_bytes;
	/* since the last sync that went well, in the order of the server's marks */
	VEC(struct launched) launched;
	enum machine_status ended;
	bool broken;
};

/* One process is kept for the next case: making a context takes longer than most kernels. */
static struct {
	pthread_mutex_t lock;
	int fd;
	pid_t pid;           /* 0: none */
	_Atomic uint64_t sm; /* of the device: 90 */
} spare = {PTHREAD_MUTEX_INITIALIZER, -1, 0, 0};

/* Whether FD has something to read within SECONDS. */
static bool readable(int fd, double seconds)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, (int)(seconds * 1000.0)) == 1;
}

/* The process ends by itself when its socket closes, and a tool that watches it (compute-sanitizer)
 * writes its report; one that does not is killed. */
static void stop(struct gpu *g)
{
	enum { STEP_MS = 5, STEPS = 400 };
	const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};

	if (g->pid > 0) {
		close(g->fd);
		for (unsigned k = 0; k < STEPS && waitpid(g->pid, NULL, WNOHANG) == 0; k++)
			nanosleep(&step, NULL);
		if (waitpid(g->pid, NULL, WNOHANG) == 0) {
			kill(g->pid, SIGKILL);
			waitpid(g->pid, NULL, 0);
		}
	}
	g->pid = 0;
	g->broken = true;
}

static int receive(struct gpu *g, struct wire_message *m, double seconds)
{
	if (!readable(g->fd, seconds))
		return CU_LATE;
	if (!whole_read(g->fd, m, sizeof *m))
		return CU_GONE;
	free(g->payload);
	g->payload_bytes = m->payload;
	g->payload = malloc(m->payload + 1);
	if (!g->payload || (m->payload && !whole_read(g->fd, g->payload, m->payload)))
		return CU_GONE;
	g->payload[m->payload] = 0;
	return (int)m->op;
}

/* Sends M and its payload, and waits for the answer, which replaces M. */
static int ask(struct gpu *g, struct wire_message *m, const void *data, size_t n, double seconds)
{
	int r = CU_GONE;

	if (g->broken)
		return CU_GONE;
	m->payload = n;
	if (whole_write(g->fd, m, sizeof *m) && (n == 0 || whole_write(g->fd, data, n)))
		r = receive(g, m, seconds);
	if (r == CU_LATE)
		kill(g->pid, SIGKILL);
	if (r == CU_GONE || r == CU_LATE)
		stop(g);
	return r;
}

/* --- faults --- */

/* A record at launch NUMBER, or at the last one. */
static struct diag *report(
	struct gpu *g, enum diag_code code, uint64_t number, const char *fmt, const char *text)
{
	const struct launched none = {0}, *l = &none;

	if (g->launched.count)
		l = &g->launched.data[number < g->launched.count ? number : g->launched.count - 1];
	return diag_report(g->findings, code, l->source, l->span, fmt, text);
}

/* Errors after which the context can do nothing more; the call that returns one need not be the one
 * that made it. */
static bool is_fault(int r)
{
	return r == CU_ILLEGAL_ADDRESS || r == CU_TIMEOUT || r == CU_ASSERT ||
		(r >= CU_STACK_ERROR && r <= CU_LAUNCH_FAILED);
}

/* The driver's words for R. */
static const char *words(struct gpu *g, int r, struct wire_message *m)
{
	*m = (struct wire_message){.op = WIRE_ERROR, .a = (uint32_t)r};
	return ask(g, m, NULL, 0, OPEN_TIMEOUT_S) == CU_OK ? g->payload : "an error of the driver";
}

/* NOTE is what the driver itself printed. */
static void faulted(struct gpu *g, int r, const char *note)
{
	struct wire_message m;
	const char *text = words(g, r, &m);
	struct diag *d = report(g, DIAG_F0901, m.x - 1, "on the GPU: %s", text);

	if (*note)
		diag_note(g->findings, d, "%s", note);
	if (m.y)
		diag_note(g->findings, d,
			"launches in %llu other stream%s had not finished either: one of them may be the cause",
			(unsigned long long)m.y, m.y == 1 ? "" : "s");
	if (r == CU_LAUNCH_FAILED)
		diag_note(g->findings, d, "possible causes are trap and the misuse of an mbarrier");
	diag_help(g->findings, d,
		"run without --on=gpu: the interpreter reports thread, line and address");
	stop(g);
	g->ended = MACHINE_FAULT;
}

static void no_answer(struct gpu *g, int r)
{
	struct diag *d;

	if (r == CU_LATE) {
		d = report(g, DIAG_B0901, UINT64_MAX,
			"the GPU did not end within %s seconds; it was stopped",
			arena_printf(&g->findings->arena, "%g", g->timeout));
		diag_help(g->findings, d,
			"run without --on=gpu: the interpreter distinguishes a deadlock from a long run");
		g->ended = MACHINE_BUDGET;
	} else {
		d = report(g, DIAG_F0903, UINT64_MAX, "%s",
			"the process that holds the CUDA context ended unexpectedly");
		diag_help(g->findings, d,
			"run without --on=gpu: if the kernel is at fault, the interpreter reports why");
		g->ended = MACHINE_FAULT;
	}
}

/* Waits for all work and takes what it printed; says what went wrong, EARLIER being an error that
 * has come up before. */
static enum machine_status finish(struct gpu *g, int earlier)
{
	struct wire_message m = {.op = WIRE_SYNC};
	int r = ask(g, &m, NULL, 0, g->timeout);

	if (r == CU_LATE || r == CU_GONE) {
		no_answer(g, r);
		return g->ended;
	}
	size_t printed = m.x <= g->payload_bytes ? (size_t)m.x : g->payload_bytes;
	text_add(&g->output, g->payload, printed);
	if (r == CU_OK)
		r = earlier;
	if (r != CU_OK)
		faulted(g, r, arena_printf(&g->findings->arena, "%s", g->payload + printed));
	else
		g->launched.count = 0;
	return g->ended;
}

/* One request of the case. While kernels run it may have to wait for them, and may be the one to
 * learn of their faults. */
static int request(struct gpu *g, struct wire_message *m, const void *data, size_t n)
{
	bool running = g->launched.count > 0;

	if (g->broken)
		return CU_GONE;
	int r = ask(g, m, data, n, running ? g->timeout : OPEN_TIMEOUT_S);
	if (r == CU_GONE || r == CU_LATE)
		no_answer(g, r);
	else if (is_fault(r))
		finish(g, r);
	return r;
}

/* --- the backend's functions --- */

static uint64_t gpu_alloc(void *self, uint64_t size, const char *name, bool initialised)
{
	struct wire_message m = {.op = WIRE_ALLOC, .a = initialised, .x = size};

	(void)name;
	return request(self, &m, NULL, 0) == CU_OK ? m.x : 0;
}

static bool gpu_write(void *self, uint64_t address, const void *data, uint64_t size)
{
	struct wire_message m = {.op = WIRE_WRITE, .x = address};

	return request(self, &m, data, size) == CU_OK;
}

static bool gpu_read(void *self, uint64_t address, void *data, uint64_t size, uint8_t *defined)
{
	struct gpu *g = self;
	struct wire_message m = {.op = WIRE_READ, .x = address, .y = size};

	if (request(g, &m, NULL, 0) != CU_OK || g->payload_bytes != size)
		return false;
	memcpy(data, g->payload, size);
	if (defined)
		memset(defined, 1, size);
	return true;
}

static bool gpu_symbol(void *self, const char *name, uint64_t *address, uint64_t *size)
{
	struct wire_message m = {.op = WIRE_SYMBOL};

	if (request(self, &m, name, strlen(name) + 1) != CU_OK)
		return false;
	*address = m.x;
	*size = m.y;
	return true;
}

static bool gpu_launch(void *self, const struct machine_launch *l)
{
	struct gpu *g = self;
	const struct ir_func *f = &g->module->func[l->func];
	const char *name = symbol_text(&g->module->symbols, f->name);
	struct wire_launch w = {.shared_bytes = l->dynamic_shared,
		.stream = l->stream,
		.cooperative = l->cooperative,
		.device = l->device,
		.param_bytes = f->param_bytes};
	struct wire_message m = {.op = WIRE_LAUNCH};
	struct text payload = {0};

	memcpy(w.grid, l->grid, sizeof w.grid);
	memcpy(w.block, l->block, sizeof w.block);
	memcpy(w.cluster, l->cluster, sizeof w.cluster);
	w.name_bytes = (uint32_t)strlen(name) + 1;
	text_add(&payload, (const char *)&w, sizeof w);
	text_add(&payload, name, w.name_bytes);
	if (f->param_bytes)
		text_add(&payload, l->params, f->param_bytes);
	int r = request(g, &m, payload.data, payload.len);
	text_free(&payload);
	if (g->ended != MACHINE_DONE)
		return false;
	*vec_push(&g->launched) = (struct launched){l->source, l->span};
	if (r == CU_OK)
		return true;
	report(g, DIAG_F0902, UINT64_MAX, "the driver rejects the launch: %s", words(g, r, &m));
	g->launched.count--; /* the others still run */
	return false;
}

static void gpu_record(void *self, uint32_t event, uint32_t stream)
{
	struct wire_message m = {.op = WIRE_RECORD, .a = event, .x = stream};

	request(self, &m, NULL, 0);
}

static void gpu_wait(void *self, uint32_t event, uint32_t stream)
{
	struct wire_message m = {.op = WIRE_WAIT, .a = event, .x = stream};

	request(self, &m, NULL, 0);
}

static enum machine_status gpu_sync(void *self)
{
	struct gpu *g = self;

	if (g->ended == MACHINE_DONE && g->broken)
		g->ended = MACHINE_FAULT;
	return g->ended != MACHINE_DONE ? g->ended : finish(g, CU_OK);
}

static bool gpu_lost(void *self)
{
	const struct gpu *g = self;

	return g->ended != MACHINE_DONE;
}

static uint32_t gpu_resident(void *self, const char *kernel, uint32_t threads)
{
	struct wire_message m = {.op = WIRE_RESIDENT, .a = threads};

	return request(self, &m, kernel, strlen(kernel) + 1) == CU_OK && m.x <= UINT32_MAX
		? (uint32_t)m.x
		: 0;
}

static const char *gpu_output(void *self, size_t *len)
{
	struct gpu *g = self;

	*len = g->output.len;
	return text_str(&g->output);
}

static void gpu_close(void *self)
{
	struct gpu *g = self;
	struct wire_message m = {.op = WIRE_RESET};
	bool healthy = !g->broken && ask(g, &m, NULL, 0, OPEN_TIMEOUT_S) == CU_OK;

	if (healthy) {
		pthread_mutex_lock(&spare.lock);
		if (spare.pid == 0) {
			spare.fd = g->fd;
			spare.pid = g->pid;
			g->pid = 0;
		}
		pthread_mutex_unlock(&spare.lock);
	}
	stop(g);
	text_free(&g->output);
	vec_free(&g->launched);
	free(g->payload);
	free(g);
}

/* --- opening --- */

/* A process with a context: the spare one, or a new one. NULL when all is well, otherwise what is
 * missing (in g->payload or static). */
static const char *connect_server(struct gpu *g)
{
	int pair[2];
	struct wire_message m;

	pthread_mutex_lock(&spare.lock);
	g->fd = spare.fd;
	g->pid = spare.pid;
	spare.pid = 0;
	pthread_mutex_unlock(&spare.lock);
	if (g->pid > 0)
		return NULL;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return "the system cannot create a socket";
	g->pid = fork();
	if (g->pid == 0) {
		close(pair[0]);
		server_run(pair[1]);
	}
	close(pair[1]);
	g->fd = pair[0];
	if (g->pid < 0) {
		close(pair[0]);
		g->broken = true;
		return "the system cannot create a process";
	}
	int r = receive(g, &m, OPEN_TIMEOUT_S);
	if (r == CU_OK) {
		spare.sm = m.x;
		return NULL;
	}
	stop(g);
	return r < CU_OK ? "the CUDA driver does not answer" : g->payload;
}

/* The compiler's log, a record a line that names a line of the source; at least one record. */
static void rejected(struct gpu *g, int r)
{
	struct wire_message m;
	struct source *source = g->module->source;
	unsigned said = 0;
	char *save = NULL;

	for (char *line = strtok_r(g->payload, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save)) {
		const char *number = strstr(line, "line "), *text = strstr(line, "error");
		if (!number || !text)
			continue;
		uint32_t at = (uint32_t)strtoul(number + 5, NULL, 10), len = 0;
		const char *content = at ? source_line(&g->findings->arena, source, at, &len)
					 : NULL;
		struct span span = content ? (struct span){(uint32_t)(content - source->text), len}
					   : (struct span){0, 0};
		text = strchr(text, ':');
		diag_report(g->findings, DIAG_E0901, content ? source : NULL, span,
			"the driver's compiler: %s",
			text ? text + 1 + strspn(text + 1, " ") : line);
		said++;
	}
	if (said)
		return;
	if (r == CU_NO_BINARY || r == CU_UNSUPPORTED_PTX || g->module->target.sm > spare.sm)
		diag_plain(g->findings, DIAG_U0901,
			"this GPU or its driver cannot run the module's .version and .target");
	else
		diag_plain(g->findings, DIAG_E0901, "the driver rejects the module: %s",
			words(g, r, &m));
}

/* Why a module cannot run on several GPUs as one program, or NULL: each would have .global
 * variables of its own. */
static const char *own_variables(const struct ir_module *m)
{
	for (uint32_t k = 0; k < m->nvars; k++)
		if (m->var[k].space == W_global)
			return "each GPU would have its own copy of the module's .global variables: pass buffers instead";
	return NULL;
}

/* Whether a thread may need a stack of a size that the driver cannot know: functions that the
 * kernels call, which may recurse, or alloca. */
static bool wants_stack(const struct ir_module *m)
{
	for (uint32_t k = 0; k < m->ninsns; k++) {
		const struct ir_insn *in = &m->insn[k];

		if (ir_form(in)->opcode == OP_alloca)
			return true;
		if (ir_form(in)->opcode != OP_call)
			continue;
		const struct ir_operand *target = &m->operand[in->operand + 1];
		if (target->kind != IR_FUNC || m->func[target->index].has_body ||
			m->func[target->index].alias_of != IR_NONE)
			return true;
	}
	return false;
}

bool backend_open_gpu(const struct backend_request *request, struct backend *out)
{
	struct gpu *g = calloc(1, sizeof *g);
	struct wire_message m = {.op = WIRE_OPEN,
		.a = request->options->devices ? request->options->devices : 1,
		.x = wants_stack(request->module) ? MACHINE_STACK_BYTES : 0,
		.y = MACHINE_HEAP_BYTES};
	const char *own = m.a > 1 ? own_variables(request->module) : NULL;

	if (!g)
		abort();
	g->module = request->module;
	g->findings = request->findings;
	g->timeout = request->options->timeout > 0 ? request->options->timeout : DEFAULT_TIMEOUT_S;
	*out = (struct backend){
		.self = g,
		.alloc = gpu_alloc,
		.write = gpu_write,
		.read = gpu_read,
		.symbol = gpu_symbol,
		.launch = gpu_launch,
		.record = gpu_record,
		.wait = gpu_wait,
		.sync = gpu_sync,
		.lost = gpu_lost,
		.output = gpu_output,
		.resident = gpu_resident,
		.close = gpu_close,
	};
	const char *why = connect_server(g);
	if (!why && own)
		why = own;
	if (why) {
		diag_plain(g->findings, DIAG_L0401, "--on=gpu: %s", why);
	} else {
		int r = ask(g, &m, g->module->source->text, g->module->source->len + 1u,
			OPEN_TIMEOUT_S);
		if (r == CU_OK)
			return true;
		if (r < CU_OK)
			diag_plain(g->findings, DIAG_L0401,
				"--on=gpu: the CUDA driver does not answer");
		else if (r == WIRE_NO_DEVICE)
			diag_plain(g->findings, DIAG_L0401, "--on=gpu: %s", g->payload);
		else
			rejected(g, r);
	}
	gpu_close(g);
	return false;
}

const char *gpu_lacks(void)
{
	static char why[256];
	struct gpu g = {0};
	const char *missing = connect_server(&g);

	if (missing)
		snprintf(why, sizeof why, "%s", missing);
	if (!missing) {
		pthread_mutex_lock(&spare.lock);
		spare.fd = g.fd;
		spare.pid = g.pid;
		pthread_mutex_unlock(&spare.lock);
	}
	free(g.payload);
	return missing ? why : NULL;
}
