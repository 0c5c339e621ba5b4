/* The process that holds the CUDA context: reads requests from a socket, calls the driver and
 * replies. Kernels print to this process's standard output, which is redirected to a file and
 * returned with the next sync. */
#include "gpu/backend.h"
#include "base/text.h"
#include "base/vec.h"
#include "gpu/driver.h"
#include "gpu/wire.h"
#include "backend/whole.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	JIT_INFO_LOG = 3,
	JIT_INFO_BYTES = 4,
	JIT_ERROR_LOG = 5,
	JIT_ERROR_BYTES = 6,
	JIT_LINE_INFO = 13
};
enum { FUNCTION_DYNAMIC_SHARED = 8, FUNCTION_LARGE_CLUSTER = 14 };
enum {
	LOG_BYTES = 65536,
	DEFAULT_SHARED = 48 * 1024,
	PORTABLE_CLUSTER = 8,
	STREAM_DEFAULT = 0,
	EVENT_NO_TIMING = 2
};
/* CUlimit. A full printf buffer silently drops the oldest lines. */
enum { LIMIT_STACK = 0, LIMIT_PRINTF = 1, LIMIT_HEAP = 2, DEFAULT_STACK = 1024 };
enum { ATTRIBUTE_PROCESSORS = 16, ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76 };
enum { ERROR_INVALID_VALUE = 1, ERROR_OUT_OF_MEMORY = 2 };

/* A GPU in use: GPU 0, which holds all memory, and those named by gpu=N in launches, which access
 * that memory as peers. */
struct device {
	cu_device device;
	struct cu_context *context;
	struct cu_module *module;
	VEC(struct cu_stream *) streams; /* by number; [0] is NULL, the default stream */
	uint64_t stack, heap;            /* limits that were set; 0 if never set */
};

/* A launch since the last sync. The driver may report a fault at any later call; only launches that
 * have not ended by then can have caused it. */
struct mark {
	_Atomic bool ended;
	uint32_t device, stream;
};

enum { MAX_DEVICES = 16 };

struct server {
	int fd;
	struct driver driver;
	int count; /* devices in the machine */
	struct device device[MAX_DEVICES];
	unsigned ndevices; /* devices that the case uses */
	bool written;      /* the host has written memory since the last launch */
	VEC(cu_address) memory;
	VEC(uint32_t) last; /* by stream: 1 + the device of its last launch, 0: none yet */
	VEC(struct cu_event *) events;
	VEC(struct mark *) marks;
	FILE *printed, *complaint; /* standard output and standard error of this process */
	char *payload;
	size_t cap;
};

static bool send_reply(
	struct server *s, cu_result status, uint64_t x, uint64_t y, const void *data, size_t n)
{
	struct wire_message m = {.op = (uint32_t)status, .x = x, .y = y, .payload = n};

	return whole_write(s->fd, &m, sizeof m) && (n == 0 || whole_write(s->fd, data, n));
}

/* Redirects standard output or standard error to an unnamed file. */
static FILE *capture(int fd)
{
	FILE *f = tmpfile();

	if (f && dup2(fileno(f), fd) < 0) {
		fclose(f);
		f = NULL;
	}
	return f;
}

/* Appends the contents of the file to OUT and empties the file. */
static void read_captured(FILE *f, int fd, struct text *out)
{
	char buffer[4096];
	off_t at = 0;
	ssize_t n;

	fflush(fd == STDOUT_FILENO ? stdout : stderr);
	while (f && (n = pread(fileno(f), buffer, sizeof buffer, at)) > 0) {
		text_add(out, buffer, (size_t)n);
		at += n;
	}
	if (f && at > 0 && ftruncate(fileno(f), 0) == 0)
		lseek(fileno(f), 0, SEEK_SET);
}

static void use_device(struct server *s, const struct device *d)
{
	s->driver.context_set(d->context);
}

/* Creates a context on device N that can access the memory of device 0. Returns NULL, or why the
 * device cannot be used. */
static const char *open_device(struct server *s, unsigned n)
{
	static char why[128];
	struct device *d = &s->device[n];
	int can = n == 0;
	cu_result r;

	if (d->context)
		return NULL;
	if ((int)n >= s->count) {
		snprintf(why, sizeof why,
			"this machine has %d GPU%s, but the case launches on GPU %u, counted from 0",
			s->count, s->count == 1 ? "" : "s", n);
		return why;
	}
	r = s->driver.device_get(&d->device, (int)n);
	if (r == 0 && n > 0)
		r = s->driver.peer_can(&can, d->device, s->device[0].device);
	if (r == 0 && !can) {
		snprintf(why, sizeof why, "GPU %u cannot reach the memory of GPU 0", n);
		return why;
	}
	if (r == 0)
		r = s->driver.context_retain(&d->context, d->device);
	if (r == 0)
		r = s->driver.context_set(d->context);
	if (r == 0 && n > 0)
		r = s->driver.peer_enable(s->device[0].context, 0);
	if (r == 0)
		/* on failure the driver keeps its default */
		s->driver.context_limit(LIMIT_PRINTF, MACHINE_OUTPUT);
	if (r != 0)
		d->context = NULL;
	return r == 0 ? NULL : driver_error(&s->driver, r);
}

/* Sets the largest stack limit, at most BYTES, that fits the device: it is reserved for all threads
 * at once. */
static void limit_stack(struct server *s, struct device *d, uint64_t bytes)
{
	for (; bytes > DEFAULT_STACK; bytes /= 2)
		if (s->driver.context_limit(LIMIT_STACK, bytes) == 0)
			break;
	d->stack = bytes;
}

/* Sets the same limits as the interpreter's. The heap size can only be set before a kernel uses the
 * heap. */
static void set_limits(struct server *s, struct device *d, uint64_t stack, uint64_t heap)
{
	if (stack > d->stack)
		limit_stack(s, d, stack);
	if (heap != d->heap && s->driver.context_limit(LIMIT_HEAP, heap) == 0)
		d->heap = heap;
}

static bool open_module(struct server *s, char *text, const struct wire_message *m)
{
	static char errors[LOG_BYTES], info[LOG_BYTES];
	int option[] = {
		JIT_ERROR_LOG, JIT_ERROR_BYTES, JIT_INFO_LOG, JIT_INFO_BYTES, JIT_LINE_INFO};
	const char *why = NULL;
	cu_result r = 0;

	errors[0] = info[0] = 0;
	s->ndevices = m->a < 1 ? 1 : m->a > MAX_DEVICES ? MAX_DEVICES : m->a;
	for (unsigned n = 0; n < s->ndevices && r == 0 && !why; n++) {
		void *value[] = {errors, (void *)(uintptr_t)sizeof errors, info,
			(void *)(uintptr_t)sizeof info, (void *)(uintptr_t)1};

		why = open_device(s, n);
		if (why)
			break;
		use_device(s, &s->device[n]);
		set_limits(s, &s->device[n], m->x, m->y);
		r = s->driver.module_load(&s->device[n].module, text, 5, option, value);
	}
	use_device(s, &s->device[0]);
	if (why)
		return send_reply(s, WIRE_NO_DEVICE, 0, 0, why, strlen(why));
	return send_reply(s, r, 0, 0, errors, r == 0 ? 0 : strnlen(errors, sizeof errors));
}

/* Call this only after a successful sync or if nothing was launched: the driver writes to a mark
 * when its launch ends. */
static void free_marks(struct server *s)
{
	for (uint32_t i = 0; i < s->marks.count; i++)
		free(s->marks.data[i]);
	s->marks.count = 0;
}

static void server_reset(struct server *s)
{
	for (uint32_t i = 0; i < s->events.count; i++)
		if (s->events.data[i])
			s->driver.event_destroy(s->events.data[i]);
	for (unsigned n = s->ndevices; n-- > 0;) {
		struct device *d = &s->device[n];

		use_device(s, d);
		for (uint32_t i = 1; i < d->streams.count; i++)
			if (d->streams.data[i])
				s->driver.stream_destroy(d->streams.data[i]);
		if (d->module)
			s->driver.module_unload(d->module);
		d->streams.count = 0;
		d->module = NULL;
	}
	for (uint32_t i = 0; i < s->memory.count; i++)
		s->driver.memory_free(s->memory.data[i]);
	s->last.count = s->events.count = s->memory.count = 0;
	s->ndevices = 1;
}

static bool server_allocate(struct server *s, uint64_t size, bool zeroed)
{
	cu_address address = 0;
	cu_result r = s->driver.memory_alloc(&address, size ? size : 1);

	if (r == 0) {
		*vec_push(&s->memory) = address;
		s->written = true;
		if (zeroed)
			r = s->driver.memory_set(address, 0, size ? size : 1);
	}
	return send_reply(s, r, address, 0, NULL, 0);
}

static bool read_memory(struct server *s, uint64_t address, uint64_t size)
{
	char *data = malloc(size ? size : 1);
	cu_result r = data ? (size ? s->driver.copy_out(data, address, size) : 0)
			   : ERROR_OUT_OF_MEMORY;
	bool sent = send_reply(s, r, 0, 0, data, r == 0 ? size : 0);

	free(data);
	return sent;
}

/* The stream with this number on device N, created on first use. */
static cu_result stream_of(struct server *s, unsigned n, uint64_t number, struct cu_stream **stream)
{
	struct device *d = &s->device[n];

	while (d->streams.count <= number)
		*vec_push(&d->streams) = NULL;
	if (number != 0 && !d->streams.data[number]) {
		use_device(s, d);
		cu_result r = s->driver.stream_create(&d->streams.data[number], STREAM_DEFAULT);
		use_device(s, &s->device[0]);
		if (r != 0)
			return r;
	}
	*stream = d->streams.data[number];
	return 0;
}

static uint32_t *last_of(struct server *s, uint64_t number)
{
	while (s->last.count <= number)
		*vec_push(&s->last) = 0;
	return &s->last.data[number];
}

static cu_result event_of(struct server *s, uint32_t number, struct cu_event **event)
{
	while (s->events.count <= number)
		*vec_push(&s->events) = NULL;
	if (!s->events.data[number]) {
		cu_result r = s->driver.event_create(&s->events.data[number], EVENT_NO_TIMING);
		if (r != 0)
			return r;
	}
	*event = s->events.data[number];
	return 0;
}

/* Waits for all work on every device in use. */
static cu_result sync_devices(struct server *s)
{
	cu_result r = 0;

	for (unsigned n = 0; n < s->ndevices; n++) {
		use_device(s, &s->device[n]);
		cu_result one = s->driver.context_sync();
		r = r ? r : one;
	}
	use_device(s, &s->device[0]);
	return r;
}

/* Records an event or makes a stream wait for it. With one device, the driver's events do this;
 * with several, a stream may use different devices, so a wait waits for all work. */
static cu_result record_or_wait(struct server *s, const struct wire_message *m)
{
	struct cu_stream *stream = NULL;
	struct cu_event *event = NULL;
	cu_result r = stream_of(s, 0, m->x, &stream);

	if (s->ndevices > 1)
		return m->op == WIRE_RECORD ? 0 : sync_devices(s);
	if (r == 0)
		r = event_of(s, m->a, &event);
	if (r != 0)
		return r;
	return m->op == WIRE_RECORD ? s->driver.event_record(event, stream)
				    : s->driver.stream_wait(stream, event, 0);
}

/* Work in a stream is ordered even if its launches name different devices, and the default stream
 * is ordered with all others; the driver ensures this only within one device. The same holds for
 * the host's writes, which may still be in flight when the call returns. Where the driver does not
 * ensure the order, this function waits for all work. */
static cu_result order_devices(struct server *s, uint32_t stream, unsigned n)
{
	uint32_t common = *last_of(s, 0), last = *last_of(s, stream);
	bool moved = (last && last != n + 1) || stream == 0 || (common && common != n + 1);

	*last_of(s, stream) = n + 1;
	moved = moved || s->written;
	s->written = false;
	return s->ndevices > 1 && moved ? sync_devices(s) : 0;
}

/* Called by the driver when all earlier work in the stream has ended successfully. */
static void mark_ended(void *data)
{
	struct mark *m = data;

	m->ended = true;
}

static void mark_launch(struct server *s, const struct wire_launch *l, struct cu_stream *stream)
{
	struct mark *m = calloc(1, sizeof *m);

	if (!m)
		abort();
	m->device = l->device;
	m->stream = l->stream;
	*vec_push(&s->marks) = m;
	/* an error of an earlier launch will be reported by the next request */
	s->driver.host_function(stream, mark_ended, m);
}

static cu_result server_launch(struct server *s, const char *payload)
{
	struct wire_launch l;
	memcpy(&l, payload, sizeof l);
	const char *name = payload + sizeof l;
	void *params = (char *)(uintptr_t)(name + l.name_bytes);
	size_t param_bytes = l.param_bytes;
	/* CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END */
	void *extra[] = {(void *)1, params, (void *)2, &param_bytes, NULL};
	struct cu_function *function = NULL;
	struct cu_launch_attribute attribute[2];
	struct cu_launch_config config = {.shared_bytes = l.shared_bytes, .attribute = attribute};

	memcpy(config.grid, l.grid, sizeof l.grid);
	memcpy(config.block, l.block, sizeof l.block);
	memset(attribute, 0, sizeof attribute);
	if (l.cooperative) {
		attribute[config.nattributes].id = CU_ATTRIBUTE_COOPERATIVE;
		attribute[config.nattributes++].value.flag = 1;
	}
	if (l.cluster[0]) {
		attribute[config.nattributes].id = CU_ATTRIBUTE_CLUSTER;
		memcpy(attribute[config.nattributes++].value.cluster, l.cluster, sizeof l.cluster);
	}
	if (l.device >= s->ndevices)
		return ERROR_INVALID_VALUE;
	cu_result r = order_devices(s, l.stream, l.device);
	if (r == 0)
		r = stream_of(s, l.device, l.stream, &config.stream);
	use_device(s, &s->device[l.device]);
	if (r == 0)
		r = s->driver.module_function(&function, s->device[l.device].module, name);
	if (r == 0 && l.shared_bytes > DEFAULT_SHARED)
		r = s->driver.function_attribute(
			function, FUNCTION_DYNAMIC_SHARED, (int)l.shared_bytes);
	if (r == 0 &&
		(uint64_t)l.cluster[0] * (l.cluster[1] ? l.cluster[1] : 1) *
				(l.cluster[2] ? l.cluster[2] : 1) >
			PORTABLE_CLUSTER)
		r = s->driver.function_attribute(function, FUNCTION_LARGE_CLUSTER, 1);
	if (r == 0)
		r = s->driver.launch(&config, function, NULL, param_bytes ? extra : NULL);
	for (struct device *d = &s->device[l.device];
		r == ERROR_OUT_OF_MEMORY && d->stack > DEFAULT_STACK;) {
		limit_stack(s, d, d->stack / 2);
		r = s->driver.launch(&config, function, NULL, param_bytes ? extra : NULL);
	}
	if (r == 0)
		mark_launch(s, &l, config.stream);
	use_device(s, &s->device[0]);
	return r;
}

/* Waits for all work. The payload is the kernels' output; from byte x on, it is what the driver
 * itself printed (a failed assertion). */
static bool sync_all(struct server *s)
{
	struct text out = {0};
	cu_result r = sync_devices(s);

	if (r == 0)
		free_marks(s);
	read_captured(s->printed, STDOUT_FILENO, &out);
	size_t printed = out.len;
	read_captured(s->complaint, STDERR_FILENO, &out);
	bool sent = send_reply(s, r, printed, 0, text_str(&out), out.len);
	text_free(&out);
	return sent;
}

/* Replies with the description of error R and the launches that may have caused it. */
static bool describe_error(struct server *s, cu_result r)
{
	const char *words = driver_error(&s->driver, r);
	uint64_t first = 0, others = 0;

	for (uint32_t i = 0; i < s->marks.count; i++) {
		const struct mark *m = s->marks.data[i];
		bool head = !m->ended; /* the first launch in its stream that has not ended */

		for (uint32_t k = 0; k < i && head; k++)
			head = s->marks.data[k]->ended || s->marks.data[k]->device != m->device ||
				s->marks.data[k]->stream != m->stream;
		others += head && first;
		if (head && !first)
			first = i + 1u;
	}
	return send_reply(s, 0, first, others, words, strlen(words));
}

/* Replies with the maximum number of resident CTAs on the device. */
static bool server_resident(struct server *s, const struct wire_message *m)
{
	struct cu_function *function = NULL;
	int processors = 0, ctas = 0;
	cu_result r = s->driver.module_function(&function, s->device[0].module, s->payload);

	if (r == 0)
		r = s->driver.device_attribute(
			&processors, ATTRIBUTE_PROCESSORS, s->device[0].device);
	if (r == 0)
		r = s->driver.occupancy(&ctas, function, (int)m->a, 0);
	return send_reply(s, r, r == 0 ? (uint64_t)processors * (uint64_t)ctas : 0, 0, NULL, 0);
}

static bool server_answer(struct server *s, const struct wire_message *m)
{
	uint64_t bytes = 0;
	size_t size = 0;
	cu_address address = 0;
	cu_result r;

	switch (m->op) {
	case WIRE_OPEN: return open_module(s, s->payload, m);
	case WIRE_RESET:
		server_reset(s);
		r = s->driver.context_sync();
		if (r == 0)
			free_marks(s);
		return send_reply(s, r, 0, 0, NULL, 0);
	case WIRE_ALLOC: return server_allocate(s, m->x, m->a != 0);
	case WIRE_WRITE:
		s->written = true;
		return send_reply(s,
			m->payload ? s->driver.copy_in(m->x, s->payload, m->payload) : 0, 0, 0,
			NULL, 0);
	case WIRE_READ: return read_memory(s, m->x, m->y);
	case WIRE_SYMBOL:
		r = s->driver.module_global(&address, &size, s->device[0].module, s->payload);
		bytes = size;
		return send_reply(s, r, address, bytes, NULL, 0);
	case WIRE_LAUNCH: return send_reply(s, server_launch(s, s->payload), 0, 0, NULL, 0);
	case WIRE_RECORD:
	case WIRE_WAIT: return send_reply(s, record_or_wait(s, m), 0, 0, NULL, 0);
	case WIRE_SYNC: return sync_all(s);
	case WIRE_ERROR: return describe_error(s, (cu_result)m->a);
	case WIRE_RESIDENT: return server_resident(s, m);
	default: return send_reply(s, ERROR_INVALID_VALUE, 0, 0, NULL, 0);
	}
}

/* Reads a request and its payload, followed by a NUL. False if the other side is gone. */
static bool read_request(struct server *s, struct wire_message *m)
{
	if (!whole_read(s->fd, m, sizeof *m))
		return false;
	if (m->payload + 1 > s->cap) {
		free(s->payload);
		s->cap = m->payload + 1;
		s->payload = malloc(s->cap);
		if (!s->payload)
			return false;
	}
	s->payload[m->payload] = 0;
	return m->payload == 0 || whole_read(s->fd, s->payload, m->payload);
}

_Noreturn void server_run(int fd)
{
	struct server s = {.fd = fd, .ndevices = 1};
	struct wire_message m;
	const char *why = NULL;
	char name[128] = "";
	int major = 0, minor = 0;

	s.printed = capture(STDOUT_FILENO);
	s.complaint = capture(STDERR_FILENO);
	/* with lazy loading, a kernel's first launch would wait for a running kernel that polls a
	 * flag which the new one should set */
	setenv("CUDA_MODULE_LOADING", "EAGER", 1);
	bool ready = driver_open(&s.driver, &why);
	if (ready) {
		cu_result r = s.driver.device_count(&s.count);
		why = r == 0 ? open_device(&s, 0) : driver_error(&s.driver, r);
		if (!why) {
			r = s.driver.device_name(name, sizeof name, s.device[0].device);
			if (r == 0)
				r = s.driver.device_attribute(
					&major, ATTRIBUTE_MAJOR, s.device[0].device);
			if (r == 0)
				r = s.driver.device_attribute(
					&minor, ATTRIBUTE_MINOR, s.device[0].device);
			why = r == 0 ? name : driver_error(&s.driver, r);
			ready = r == 0;
		} else {
			ready = false;
		}
	}
	bool going = send_reply(&s, ready ? 0 : ERROR_INVALID_VALUE, (uint64_t)(major * 10 + minor),
			     (uint64_t)s.driver.version, why, strlen(why)) &&
		ready;
	while (going && read_request(&s, &m))
		going = server_answer(&s, &m);
	_exit(0);
}
