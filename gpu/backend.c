/* The GPU backend: turns the steps of a host program into messages to the process that holds the
 * CUDA context, and its replies into results and findings. */
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
/* The CUresult values that are distinguished. */
enum {
	CU_OK = 0,
	CU_NO_BINARY = 209,
	CU_UNSUPPORTED_PTX = 222,
	CU_ILLEGAL_ADDRESS = 700,
	CU_TIMEOUT = 702,
	CU_ASSERT = 710,
	/* 714 to 719: stack error, illegal instruction, misaligned address, address space, program
	 * counter, launch failed */
	CU_STACK_ERROR = 714,
	CU_LAUNCH_FAILED = 719,
	CU_LATE = -1, /* no reply in time; the process was killed */
	CU_GONE = -2  /* the process ended by itself */
};

/* A launch since the last sync. A fault is reported at the launch that caused it. */
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
	char *payload; /* payload of the last reply */
	size_t payload_bytes;
	/* since the last successful sync, in the order of the server's marks */
	VEC(struct launched) launched;
	enum machine_status ended;
	bool broken;
};

/* One process is kept for the next case, because creating a context takes longer than most
 * kernels. */
static struct {
	pthread_mutex_t lock;
	int fd;
	pid_t pid;           /* 0: none */
	_Atomic uint64_t sm; /* target of the device, such as 90 */
} spare = {PTHREAD_MUTEX_INITIALIZER, -1, 0, 0};

/* Whether FD becomes readable within SECONDS. */
static bool is_readable(int fd, double seconds)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, (int)(seconds * 1000.0)) == 1;
}

/* Closes the socket, upon which the process exits and a tool that watches it (compute-sanitizer)
 * writes its report. A process that does not exit is killed. */
static void stop_server(struct gpu *g)
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

static int receive_reply(struct gpu *g, struct wire_message *m, double seconds)
{
	if (!is_readable(g->fd, seconds))
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

/* Sends M and its payload and waits for the reply, which replaces M. Returns a CUresult, CU_LATE or
 * CU_GONE. */
static int send_request(
	struct gpu *g, struct wire_message *m, const void *data, size_t n, double seconds)
{
	int r = CU_GONE;

	if (g->broken)
		return CU_GONE;
	m->payload = n;
	if (whole_write(g->fd, m, sizeof *m) && (n == 0 || whole_write(g->fd, data, n)))
		r = receive_reply(g, m, seconds);
	if (r == CU_LATE)
		kill(g->pid, SIGKILL);
	if (r == CU_GONE || r == CU_LATE)
		stop_server(g);
	return r;
}

/* --- faults --- */

/* Reports a finding at launch NUMBER, or at the last one if there is no such launch. */
static struct diag *report_at_launch(
	struct gpu *g, enum diag_code code, uint64_t number, const char *fmt, const char *text)
{
	const struct launched none = {0}, *l = &none;

	if (g->launched.count)
		l = &g->launched.data[number < g->launched.count ? number : g->launched.count - 1];
	return diag_report(g->findings, code, l->source, l->span, fmt, text);
}

/* Whether R leaves the context unusable. The call that returns such an error need not be the one
 * that caused it. */
static bool is_fault(int r)
{
	return r == CU_ILLEGAL_ADDRESS || r == CU_TIMEOUT || r == CU_ASSERT ||
		(r >= CU_STACK_ERROR && r <= CU_LAUNCH_FAILED);
}

/* The driver's description of R. */
static const char *driver_words(struct gpu *g, int r, struct wire_message *m)
{
	*m = (struct wire_message){.op = WIRE_ERROR, .a = (uint32_t)r};
	return send_request(g, m, NULL, 0, OPEN_TIMEOUT_S) == CU_OK ? g->payload
								    : "unknown driver error";
}

/* Reports fault R. NOTE is what the driver itself printed. */
static void report_fault(struct gpu *g, int r, const char *note)
{
	struct wire_message m;
	const char *text = driver_words(g, r, &m);
	struct diag *d = report_at_launch(g, DIAG_F0901, m.x - 1, "on the GPU: %s", text);

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
	stop_server(g);
	g->ended = MACHINE_FAULT;
}

static void report_no_reply(struct gpu *g, int r)
{
	struct diag *d;

	if (r == CU_LATE) {
		d = report_at_launch(g, DIAG_B0901, UINT64_MAX,
			"the GPU did not finish within %s seconds; it was stopped",
			arena_printf(&g->findings->arena, "%g", g->timeout));
		diag_help(g->findings, d,
			"run without --on=gpu: the interpreter distinguishes a deadlock from a long run");
		g->ended = MACHINE_BUDGET;
	} else {
		d = report_at_launch(g, DIAG_F0903, UINT64_MAX, "%s",
			"the process that holds the CUDA context ended unexpectedly");
		diag_help(g->findings, d,
			"run without --on=gpu: if the kernel is at fault, the interpreter reports why");
		g->ended = MACHINE_FAULT;
	}
}

/* Waits for all work, collects its output and reports errors. EARLIER is an error that an earlier
 * request returned, or CU_OK. */
static enum machine_status gpu_finish(struct gpu *g, int earlier)
{
	struct wire_message m = {.op = WIRE_SYNC};
	int r = send_request(g, &m, NULL, 0, g->timeout);

	if (r == CU_LATE || r == CU_GONE) {
		report_no_reply(g, r);
		return g->ended;
	}
	size_t printed = m.x <= g->payload_bytes ? (size_t)m.x : g->payload_bytes;
	text_add(&g->output, g->payload, printed);
	if (r == CU_OK)
		r = earlier;
	if (r != CU_OK)
		report_fault(g, r, arena_printf(&g->findings->arena, "%s", g->payload + printed));
	else
		g->launched.count = 0;
	return g->ended;
}

/* Sends one request of the case. While kernels run, it may have to wait for them, and its reply may
 * report their faults. */
static int gpu_request(struct gpu *g, struct wire_message *m, const void *data, size_t n)
{
	bool running = g->launched.count > 0;

	if (g->broken)
		return CU_GONE;
	int r = send_request(g, m, data, n, running ? g->timeout : OPEN_TIMEOUT_S);
	if (r == CU_GONE || r == CU_LATE)
		report_no_reply(g, r);
	else if (is_fault(r))
		gpu_finish(g, r);
	return r;
}

/* --- the backend's functions --- */

static uint64_t gpu_alloc(void *self, uint64_t size, const char *name, bool initialised)
{
	struct wire_message m = {.op = WIRE_ALLOC, .a = initialised, .x = size};

	(void)name;
	return gpu_request(self, &m, NULL, 0) == CU_OK ? m.x : 0;
}

static bool gpu_write(void *self, uint64_t address, const void *data, uint64_t size)
{
	struct wire_message m = {.op = WIRE_WRITE, .x = address};

	return gpu_request(self, &m, data, size) == CU_OK;
}

static bool gpu_read(void *self, uint64_t address, void *data, uint64_t size, uint8_t *defined)
{
	struct gpu *g = self;
	struct wire_message m = {.op = WIRE_READ, .x = address, .y = size};

	if (gpu_request(g, &m, NULL, 0) != CU_OK || g->payload_bytes != size)
		return false;
	memcpy(data, g->payload, size);
	if (defined)
		memset(defined, 1, size);
	return true;
}

static bool gpu_symbol(void *self, const char *name, uint64_t *address, uint64_t *size)
{
	struct wire_message m = {.op = WIRE_SYMBOL};

	if (gpu_request(self, &m, name, strlen(name) + 1) != CU_OK)
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
	int r = gpu_request(g, &m, payload.data, payload.len);
	text_free(&payload);
	if (g->ended != MACHINE_DONE)
		return false;
	*vec_push(&g->launched) = (struct launched){l->source, l->span};
	if (r == CU_OK)
		return true;
	report_at_launch(g, DIAG_F0902, UINT64_MAX, "the driver rejects the launch: %s",
		driver_words(g, r, &m));
	g->launched.count--; /* the other launches still run */
	return false;
}

static void gpu_record(void *self, uint32_t event, uint32_t stream)
{
	struct wire_message m = {.op = WIRE_RECORD, .a = event, .x = stream};

	gpu_request(self, &m, NULL, 0);
}

static void gpu_wait(void *self, uint32_t event, uint32_t stream)
{
	struct wire_message m = {.op = WIRE_WAIT, .a = event, .x = stream};

	gpu_request(self, &m, NULL, 0);
}

static enum machine_status gpu_sync(void *self)
{
	struct gpu *g = self;

	if (g->ended == MACHINE_DONE && g->broken)
		g->ended = MACHINE_FAULT;
	return g->ended != MACHINE_DONE ? g->ended : gpu_finish(g, CU_OK);
}

static bool gpu_lost(void *self)
{
	const struct gpu *g = self;

	return g->ended != MACHINE_DONE;
}

static uint32_t gpu_resident(void *self, const char *kernel, uint32_t threads)
{
	struct wire_message m = {.op = WIRE_RESIDENT, .a = threads};

	return gpu_request(self, &m, kernel, strlen(kernel) + 1) == CU_OK && m.x <= UINT32_MAX
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
	bool healthy = !g->broken && send_request(g, &m, NULL, 0, OPEN_TIMEOUT_S) == CU_OK;

	if (healthy) {
		pthread_mutex_lock(&spare.lock);
		if (spare.pid == 0) {
			spare.fd = g->fd;
			spare.pid = g->pid;
			g->pid = 0;
		}
		pthread_mutex_unlock(&spare.lock);
	}
	stop_server(g);
	text_free(&g->output);
	vec_free(&g->launched);
	free(g->payload);
	free(g);
}

/* --- opening --- */

/* Connects to a process with a context: the spare one, or a new one. Returns NULL, or the reason
 * for failure (static or in g->payload). */
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
	int r = receive_reply(g, &m, OPEN_TIMEOUT_S);
	if (r == CU_OK) {
		spare.sm = m.x;
		return NULL;
	}
	stop_server(g);
	return r < CU_OK ? "the CUDA driver does not answer" : g->payload;
}

/* Reports the compiler's log: one finding per line of the log that names a source line, and at
 * least one finding. */
static void report_rejection(struct gpu *g, int r)
{
	struct wire_message m;
	struct source *source = g->module->source;
	unsigned reported = 0;
	char *save = NULL;

	for (char *line = strtok_r(g->payload, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save)) {
		const char *number = strstr(line, "line "), *text = strstr(line, "error");
		if (!number || !text)
			continue;
		uint32_t at = (uint32_t)strtoul(number + 5, NULL, 10), len = 0;
		const char *content = at ? source_line(source, at, &len) : NULL;
		struct span span = content ? (struct span){(uint32_t)(content - source->text), len}
					   : (struct span){0, 0};
		text = strchr(text, ':');
		diag_report(g->findings, DIAG_E0901, content ? source : NULL, span,
			"the driver's compiler: %s",
			text ? text + 1 + strspn(text + 1, " ") : line);
		reported++;
	}
	if (reported)
		return;
	if (r == CU_NO_BINARY || r == CU_UNSUPPORTED_PTX || g->module->target.sm > spare.sm)
		diag_plain(g->findings, DIAG_U0901,
			"this GPU or its driver cannot run the module's .version and .target");
	else
		diag_plain(g->findings, DIAG_E0901, "the driver rejects the module: %s",
			driver_words(g, r, &m));
}

/* Why a module cannot run on several GPUs as one program, or NULL if it can. */
static const char *own_variables(const struct ir_module *m)
{
	for (uint32_t k = 0; k < m->nvars; k++)
		if (m->var[k].space == W_global)
			return "each GPU would have its own copy of the module's .global variables: pass buffers instead";
	return NULL;
}

/* Whether a thread may need a stack whose size the driver cannot determine: because of alloca, or
 * of calls, which may recurse. */
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
		int r = send_request(g, &m, g->module->source->text, g->module->source->len + 1u,
			OPEN_TIMEOUT_S);
		if (r == CU_OK)
			return true;
		if (r < CU_OK)
			diag_plain(g->findings, DIAG_L0401,
				"--on=gpu: the CUDA driver does not answer");
		else if (r == WIRE_NO_DEVICE)
			diag_plain(g->findings, DIAG_L0401, "--on=gpu: %s", g->payload);
		else
			report_rejection(g, r);
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
