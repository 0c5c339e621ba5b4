/* A call of <ptxi/device.h>: what a device is, and what the calls share. A call locks the device,
 * and runs under its guard: failures that do not return lose the device. */
#ifndef PTXI_DEVICE_CALL_H
#define PTXI_DEVICE_CALL_H
#include "backend/interp.h"
#include "base/arena.h"
#include "script/lang/options.h"
#include <pthread.h>
#include <ptxi/device.h>

enum { MAX_NAME = 200 }; /* bytes of the name of an allocation, or of a place */

/* A part of the module that the device's machine runs. */
struct ptxi_module {
	struct ptxi_device *device; /* NULL: it was unloaded */
	uint32_t scope;             /* of machine_unload() */
	uint32_t func, nfuncs, var, nvars;
};

/* What the guard owns. */
struct state {
	struct arena arena;
	struct run_options options;
	struct diags findings;
	unsigned taken;       /* of the findings */
	struct ir_module *ir; /* a joined one, of all that was loaded */
	struct backend backend;
	uint32_t streams, events;
};

struct ptxi_device {
	pthread_mutex_t lock;
	struct guard *guard;
	struct state *state; /* NULL: released after a failure */
	enum ptxi_exit lost;
	struct ptxi_device_options told; /* what the program wants to hear */
	struct machine_listener listener;
	char why[300];
};

/* A call: what is done, with which arguments, and what comes of it. */
struct call {
	struct ptxi_device *d;
	struct state *s;
	enum ptxi_exit result;
	void (*work)(struct call *c, void *arg);
	void *arg;
};

/* Runs WORK(call, ARG) on D, unless it is lost; returns its result, or why the device is lost. */
enum ptxi_exit device_call(
	struct ptxi_device *d, void (*work)(struct call *c, void *arg), void *arg);
/* The same on a device that is locked, or that no other thread has; also on one that is lost. */
enum ptxi_exit device_run(
	struct ptxi_device *d, void (*work)(struct call *c, void *arg), void *arg);
void device_lose(struct ptxi_device *d, enum ptxi_exit why, const char *what);
/* The call does nothing, with RESULT, for the reason WHY; call_wrong_at(): PTXI_USAGE, because of
 * WHAT, and what is at ADDRESS. */
void call_wrong(struct call *c, enum ptxi_exit result, const char *why);
void call_wrong_at(struct call *c, uint64_t address, const char *what);
/* What comes of having run the machine. */
void call_ran(struct call *c, enum machine_status status);
/* After something was queued: runs it if much is. */
void call_queued(struct call *c);
/* Whether M is a module of the device; a kernel of it, or NULL. Otherwise the call is wrong. */
bool call_owns(struct call *c, const struct ptxi_module *m);
const struct ir_func *call_kernel(struct call *c, const struct ptxi_module *m, unsigned function);
/* "main at a.cu:7", as far as it is known; TO has MAX_NAME bytes. */
void place_text(const struct ptxi_at *at, char *to);

static inline struct machine *machine_of(const struct call *c) { return c->s->backend.self; }

#endif
