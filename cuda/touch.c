/* What the host does with memory that is not its own: device memory is not mapped, and memory that
 * queued work writes is protected until the work has run. A fault of the host's code then says
 * which line it was. */
#define _GNU_SOURCE
#include "cuda/host.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOST_BLOCKS = 256, MOST_COPIED = 64 << 20 };

/* A block that queued work has. */
struct block {
	struct owned of;
	call_place launch; /* of the work */
	char work[128];    /* what it is */
	bool guarded;
	bool writes;    /* the host wrote it */
	bool reads;     /* the host read it: */
	call_place at;  /* there, */
	uint64_t where; /* this byte; */
	char *was;      /* the bytes that it had then */
};

static struct {
	pthread_mutex_t lock;
	struct block block[MOST_BLOCKS];
	unsigned n;
	_Atomic unsigned any; /* whether there are blocks */
	struct sigaction before;
	void (*ends)(void);
} touch = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- protection --- */

static uint64_t pages(uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

static void guard(struct block *b, bool on)
{
	b->guarded = on;
	mprotect(b->of.host, pages(b->of.size), on ? PROT_NONE : PROT_READ | PROT_WRITE);
}

static void guard_block(const struct owned *o, const struct work *w)
{
	struct block *b = touch.block;

	pthread_mutex_lock(&touch.lock);
	while (b < touch.block + touch.n && b->of.address != o->address)
		b++;
	if (b == touch.block + touch.n && touch.n < MOST_BLOCKS) {
		touch.n++;
		*b = (struct block){.of = *o};
		touch.any = true;
	}
	if (b < touch.block + touch.n && !b->guarded && !b->reads && !b->writes) {
		struct text t = {0};

		if (w->kind == WORK_KERNEL)
			host_kernel(w->function, &t);
		else
			text_puts(&t, "the copy");
		b->launch = w->place;
		snprintf(b->work, sizeof b->work, "%s", text_str(&t));
		text_free(&t);
		guard(b, true);
	}
	pthread_mutex_unlock(&touch.lock);
}

/* The managed memory that the N bytes of a parameter point to. */
static void guard_parameter(const struct work *w, const char *value, size_t n)
{
	for (size_t k = 0; k + 8 <= n; k += 8) {
		uint64_t address;
		struct owned o;

		memcpy(&address, value + k, 8);
		if (owned_find_visible(address, &o) && o.kind == OWNED_MANAGED)
			guard_block(&o, w);
	}
}

static void kernel_queued(const struct work *w)
{
	const CUfunction f = w->function;
	const struct ptxi_module *m = f->module->module;
	unsigned count;
	size_t bytes, offset, size;

	if (w->grid.buffer) {
		guard_parameter(w, w->grid.buffer, w->grid.size);
		return;
	}
	if (ptxi_function_parameters(driver_device(), m, f->function, &count, &bytes))
		return;
	for (unsigned k = 0; k < count; k++)
		if (!ptxi_function_parameter(driver_device(), m, f->function, k, &offset, &size))
			guard_parameter(w, w->grid.args[k], size);
}

void touch_queued(const struct work *w)
{
	struct owned o;

	if (w->kind == WORK_COPY && w->copy.to_host && !w->copy.waited &&
		owned_find_visible((uintptr_t)w->copy.to_host, &o) && o.kind == OWNED_PINNED)
		guard_block(&o, w);
	else if (w->kind == WORK_KERNEL && owned_managed())
		kernel_queued(w);
}

void touch_runs(void)
{
	if (!touch.any)
		return;
	pthread_mutex_lock(&touch.lock);
	for (unsigned k = 0; k < touch.n; k++)
		if (touch.block[k].guarded)
			guard(&touch.block[k], false);
	pthread_mutex_unlock(&touch.lock);
}

/* --- what the host did --- */

static void report_block(const struct block *b)
{
	struct text t = {0}, help = {0};
	struct owned now;
	uint64_t where = b->where - b->of.address;

	/* a read of what the work did not write is none of its results */
	if (!b->writes &&
		(!b->was || !owned_find(b->of.address, &now) || now.is_freed ||
			memcmp(b->was, b->of.host, b->of.size) == 0))
		return;
	text_printf(&t, "the host %s byte %llu of ", b->writes ? "writes" : "reads",
		(unsigned long long)where);
	owned_name(&b->of, &t);
	text_printf(&t, ", before it has waited for %s", b->work);
	if (b->launch) {
		struct text at = {0};

		place_text_of(b->launch, &at);
		if (at.len)
			text_printf(&t, " by %s", text_str(&at));
		text_free(&at);
	}
	text_puts(&help, "wait first: cudaDeviceSynchronize, cudaStreamSynchronize or an event");
	host_finding(DIAG_H0102, b->at, text_str(&t), text_str(&help));
	text_free(&t);
	text_free(&help);
}

void touch_ran(void)
{
	struct block *did;
	unsigned n;

	if (!touch.any)
		return;
	touch_runs();
	pthread_mutex_lock(&touch.lock);
	n = touch.n;
	did = malloc(n * sizeof *did + 1);
	if (did)
		memcpy(did, touch.block, n * sizeof *did);
	touch.n = 0;
	touch.any = false;
	pthread_mutex_unlock(&touch.lock);
	for (unsigned k = 0; did && k < n; k++) {
		if (did[k].reads || did[k].writes)
			report_block(&did[k]);
		free(did[k].was);
	}
	free(did);
}

/* --- faults --- */

static bool is_write(const void *context)
{
#ifdef __x86_64__
	return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
	(void)context;
	return false;
#endif
}

static const void *pc_of(const void *context)
{
#if defined __x86_64__
	return (const void *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
	return (const void *)((const ucontext_t *)context)->uc_mcontext.pc;
#else
	(void)context;
	return NULL;
#endif
}

/* Whether the access may go on: it was to a block that is protected. */
static bool touches_block(uint64_t address, bool writes, const void *pc)
{
	bool own = false, found = false;

	pthread_mutex_lock(&touch.lock);
	for (unsigned k = 0; k < touch.n; k++) {
		struct block *b = &touch.block[k];

		if (address - b->of.address >= pages(b->of.size))
			continue;
		found = true;
		if (!b->guarded)
			break; /* another thread was here first */
		own = place_is_own(pc);
		if (own)
			break;
		guard(b, false);
		b->writes = writes;
		b->reads = !writes;
		b->at = place_at(pc);
		b->where = address;
		b->was = b->reads && b->of.size <= MOST_COPIED ? malloc(b->of.size) : NULL;
		if (b->was)
			memcpy(b->was, b->of.host, b->of.size);
		break;
	}
	pthread_mutex_unlock(&touch.lock);
	if (own)
		touch_runs();
	return found;
}

static void fault_at(const struct owned *o, uint64_t address, bool writes, const void *pc)
{
	struct text t = {0};

	text_printf(&t, "the host %s %s: byte %llu of ", writes ? "writes" : "reads",
		o->is_freed ? "freed memory" : "memory of the device",
		(unsigned long long)(address - o->address));
	owned_name(o, &t);
	host_finding(DIAG_H0101, place_at(pc), text_str(&t),
		o->is_freed ? NULL
			    : "copy it first (cudaMemcpy), or allocate it with cudaMallocManaged");
	text_free(&t);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	uint64_t address = (uintptr_t)info->si_addr;
	bool writes = is_write(context);
	const void *pc = pc_of(context);
	struct owned o;

	if (touch.any && touches_block(address, writes, pc))
		return;
	if (owned_find(address, &o) && !place_is_own(pc)) {
		fault_at(&o, address, writes, pc);
		touch.ends();
	}
	/* the same again, for whoever handled it before */
	sigaction(number, &touch.before, NULL);
}

void touch_begin(void (*ends)(void))
{
	struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};

	touch.ends = ends;
	sigemptyset(&a.sa_mask);
	sigaction(SIGSEGV, &a, &touch.before);
}
