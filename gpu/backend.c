/* A GPU as a backend of the script: a host program's steps become messages to the process that holds the CUDA context; its answers become findings. */
#include "gpu/wire.h"
#include "script/backend.h"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEFAULT_TIMEOUT_S = 10, OPEN_TIMEOUT_S = 120 };
/* CUresult values that we tell apart. */
enum {
	CU_OK = 0,
	CU_OUT_OF_MEMORY = 2,
	CU_NO_BINARY = 209,
	CU_INVALID_PTX = 218,
	CU_UNSUPPORTED_PTX = 222,
	CU_ILLEGAL_ADDRESS = 700,
	CU_ASSERT = 710,
	CU_MISALIGNED = 716,
	CU_CLUSTER_SIZE = 912,
	CU_GONE = -1 /* no answer: the process was stopped or died */
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
	const struct machine_launch *last; /* the launch that a fault is reported at */
	struct machine_launch last_copy;
	enum machine_status ended;
	bool broken;
};

/* One process is kept for the next case: making a context takes longer than most kernels. */
static struct {
	pthread_mutex_t lock;
	int fd;
	pid_t pid; /* 0: none */
	_Atomic uint64_t sm; /* of the device: 90 */
} spare = {PTHREAD_MUTEX_INITIALIZER, -1, 0, 0};

/* Whether FD has something to read within SECONDS. */
static bool readable(int fd, double seconds)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, (int)(seconds * 1000.0)) == 1;
}

static void stop(struct gpu *g)
{
	if (g->pid > 0) {
		kill(g->pid, SIGKILL);
		close(g->fd);
		waitpid(g->pid, NULL, 0);
	}
	g->pid = 0;
	g->broken = true;
}

static int receive(struct gpu *g, struct wire_message *m, double seconds)
{
	if (!readable(g->fd, seconds) || !wire_receive(g->fd, m, sizeof *m))
		return CU_GONE;
	free(g->payload);
	g->payload_bytes = m->payload;
	g->payload = malloc(m->payload + 1);
	if (!g->payload || (m->payload && !wire_receive(g->fd, g->payload, m->payload)))
		return CU_GONE;
	g->payload[m->payload] = 0;
	return (int)m->op;
}

/* Sends M (its payload in up to two parts) and waits for the answer, which replaces M. */
static int ask(struct gpu *g, struct wire_message *m, const void *data, size_t n, double seconds)
{
	int r = CU_GONE;

	if (g->broken)
		return CU_GONE;
	m->payload = n;
	if (wire_send(g->fd, m, sizeof *m) && (n == 0 || wire_send(g->fd, data, n)))
		r = receive(g, m, seconds);
	if (r == CU_GONE)
		stop(g);
	return r;
}

/* ---- faults ---------------------------------------------------------------------------------------------------------------------------------- */

static struct diag *report(struct gpu *g, enum diag_code code, const char *fmt, const char *text)
{
	struct source *source = g->last ? g->last->source : NULL;
	struct span span = g->last ? g->last->span : (struct span){0, 0};

	return diag_report(g->findings, code, source, span, fmt, text);
}

static const char *result_text(int r)
{
	switch (r) {
	case 1: return "invalid value";
	case CU_OUT_OF_MEMORY: return "out of memory";
	case CU_ILLEGAL_ADDRESS: return "an illegal memory access";
	case 701: return "too many resources requested for the launch";
	case 702: return "the launch timed out";
	case CU_ASSERT: return "an assertion failed";
	case 714: return "a hardware stack error";
	case 715: return "an illegal instruction";
	case CU_MISALIGNED: return "a misaligned address";
	case 717: return "an operation in the wrong address space";
	case 718: return "an invalid program counter";
	case 719: return "an unspecified launch failure (trap, misuse of an mbarrier, and others)";
	case 720: return "too many blocks for a cooperative launch";
	case CU_CLUSTER_SIZE: return "an invalid cluster size";
	default: return "an error of the driver";
	}
}

/* A fault that a sync brought to light; NOTE is what the driver itself printed. */
static enum machine_status faulted(struct gpu *g, int r, const char *note)
{
	struct diag *d = report(g, DIAG_F0901, "on the GPU: %s", result_text(r));

	if (*note)
		diag_note(g->findings, d, "%s", note);
	diag_help(g->findings, d, "run without --on=gpu: the interpreter says which thread, line and address");
	stop(g);
	return g->ended = MACHINE_FAULT;
}

/* ---- the backend's functions ---------------------------------------------------------------------------------------------------------------------- */

static uint64_t gpu_alloc(void *self, uint64_t size, const char *name, bool initialised)
{
	struct wire_message m = {.op = WIRE_ALLOC, .a = initialised, .x = size};

	(void)name;
	return ask(self, &m, NULL, 0, OPEN_TIMEOUT_S) == CU_OK ? m.x : 0;
}

static bool gpu_write(void *self, uint64_t address, const void *data, uint64_t size)
{
	struct wire_message m = {.op = WIRE_WRITE, .x = address};

	return ask(self, &m, data, size, OPEN_TIMEOUT_S) == CU_OK;
}

static bool gpu_read(void *self, uint64_t address, void *data, uint64_t size, uint8_t *defined)
{
	struct gpu *g = self;
	struct wire_message m = {.op = WIRE_READ, .x = address, .y = size};

	if (ask(g, &m, NULL, 0, OPEN_TIMEOUT_S) != CU_OK || g->payload_bytes != size)
		return false;
	memcpy(data, g->payload, size);
	if (defined)
		memset(defined, 1, size);
	return true;
}

static bool gpu_symbol(void *self, const char *name, uint64_t *address, uint64_t *size)
{
	struct wire_message m = {.op = WIRE_SYMBOL};

	if (ask(self, &m, name, strlen(name) + 1, OPEN_TIMEOUT_S) != CU_OK)
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
	struct wire_launch w = {.shared_bytes = l->dynamic_shared, .stream = l->stream, .cooperative = l->cooperative, .device = l->device, .param_bytes = f->param_bytes};
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
	g->last_copy = *l;
	g->last = &g->last_copy;
	int r = ask(g, &m, payload.data, payload.len, OPEN_TIMEOUT_S);
	text_free(&payload);
	if (r == CU_OK)
		return true;
	if (r == CU_NO_BINARY || (r >= CU_ILLEGAL_ADDRESS && r != 701 && r != 720 && r != CU_CLUSTER_SIZE))
		faulted(g, r, "");
	else
		report(g, DIAG_F0902, "the driver refuses the launch: %s", result_text(r));
	return false;
}

static void gpu_record(void *self, uint32_t event, uint32_t stream)
{
	struct wire_message m = {.op = WIRE_RECORD, .a = event, .x = stream};

	ask(self, &m, NULL, 0, OPEN_TIMEOUT_S);
}

static void gpu_wait(void *self, uint32_t event, uint32_t stream)
{
	struct wire_message m = {.op = WIRE_WAIT, .a = event, .x = stream};

	ask(self, &m, NULL, 0, OPEN_TIMEOUT_S);
}

static enum machine_status gpu_sync(void *self)
{
	struct gpu *g = self;
	struct wire_message m = {.op = WIRE_SYNC};

	if (g->ended != MACHINE_DONE || g->broken)
		return g->ended = g->ended == MACHINE_DONE ? MACHINE_FAULT : g->ended;
	int r = ask(g, &m, NULL, 0, g->timeout);
	if (r == CU_GONE) {
		struct diag *d = diag_report(g->findings, DIAG_B0901, g->last ? g->last->source : NULL, g->last ? g->last->span : (struct span){0, 0},
					     "the GPU did not end within %g seconds; it was stopped", g->timeout);
		diag_help(g->findings, d, "run without --on=gpu: the interpreter tells a deadlock from a long run");
		return g->ended = MACHINE_BUDGET;
	}
	size_t printed = m.x <= g->payload_bytes ? (size_t)m.x : g->payload_bytes;
	text_add(&g->output, g->payload, printed);
	return r == CU_OK ? MACHINE_DONE : faulted(g, r, g->payload + printed);
}

static uint32_t gpu_resident(void *self, const char *kernel, uint32_t threads)
{
	struct wire_message m = {.op = WIRE_RESIDENT, .a = threads};

	return ask(self, &m, kernel, strlen(kernel) + 1, OPEN_TIMEOUT_S) == CU_OK && m.x <= UINT32_MAX ? (uint32_t)m.x : 0;
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
	free(g->payload);
	free(g);
}

/* ---- opening ------------------------------------------------------------------------------------------------------------------------------------ */

/* A process with a context: the spare one, or a new one. NULL when all is well, otherwise what is missing (in g->payload or static). */
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
		return "the system gives no sockets";
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
		return "the system gives no process";
	}
	int r = receive(g, &m, OPEN_TIMEOUT_S);
	if (r == CU_OK) {
		spare.sm = m.x;
		return NULL;
	}
	stop(g);
	return r == CU_GONE ? "the CUDA driver does not answer" : g->payload;
}

/* The compiler's log, a record a line that names a line of the source; at least one record. */
static void rejected(struct gpu *g, int r)
{
	struct source *source = g->module->source;
	unsigned said = 0;
	char *save = NULL;

	for (char *line = strtok_r(g->payload, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *number = strstr(line, "line "), *text = strstr(line, "error");
		if (!number || !text)
			continue;
		uint32_t at = (uint32_t)strtoul(number + 5, NULL, 10), len = 0;
		const char *content = at ? source_line(&g->findings->arena, source, at, &len) : NULL;
		struct span span = content ? (struct span){(uint32_t)(content - source->text), len} : (struct span){0, 0};
		text = strchr(text, ':');
		diag_report(g->findings, DIAG_E0901, content ? source : NULL, span, "the driver's compiler: %s", text ? text + 1 + strspn(text + 1, " ") : line);
		said++;
	}
	if (said)
		return;
	if (r == CU_NO_BINARY || r == CU_UNSUPPORTED_PTX || g->module->target.sm > spare.sm)
		diag_report(g->findings, DIAG_U0901, NULL, (struct span){0, 0}, "this GPU or its driver cannot run the module's .version and .target");
	else
		diag_report(g->findings, DIAG_E0901, NULL, (struct span){0, 0}, "the driver refuses the module: %s", result_text(r));
}

/* Why a module cannot run on several GPUs as one program, or NULL: each would have .global variables of its own. */
static const char *own_variables(const struct ir_module *m)
{
	for (uint32_t k = 0; k < m->nvars; k++)
		if (m->var[k].space == W_global)
			return "each GPU would have the module's .global variables for itself: pass buffers instead";
	return NULL;
}

bool backend_open_gpu(const struct backend_request *request, struct backend *out)
{
	struct gpu *g = calloc(1, sizeof *g);
	struct wire_message m = {.op = WIRE_OPEN, .a = request->options->devices ? request->options->devices : 1};
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
		.output = gpu_output,
		.resident = gpu_resident,
		.close = gpu_close,
	};
	const char *why = connect_server(g);
	if (!why && own)
		why = own;
	if (why) {
		diag_report(g->findings, DIAG_L0401, NULL, (struct span){0, 0}, "--on=gpu: %s", why);
	} else {
		int r = ask(g, &m, g->module->source->text, g->module->source->len + 1u, OPEN_TIMEOUT_S);
		if (r == CU_OK)
			return true;
		if (r == CU_GONE)
			diag_report(g->findings, DIAG_L0401, NULL, (struct span){0, 0}, "--on=gpu: the CUDA driver does not answer");
		else if (r == WIRE_NO_DEVICE)
			diag_report(g->findings, DIAG_L0401, NULL, (struct span){0, 0}, "--on=gpu: %s", g->payload);
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
