/* Runs units: enters them, and does what their pieces leave to others, as translated C does it
 * (native/unit.c). */
#include "stencil/run.h"
#include "stencil/unit.h"

#if defined(__x86_64__) && defined(__linux__)
/* The registers as pieces have them (pieces/holes.h); the stack is aligned as for a function. */
int stencil_call(uint8_t *frame, const uint8_t *constants, struct native_state *s, uint32_t active,
	struct stencil_run *run, const uint8_t *piece);
__asm__(".text\n"
	".globl stencil_call\n"
	".hidden stencil_call\n"
	".type stencil_call, @function\n"
	"stencil_call:\n"
	"push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n sub $8, %rsp\n"
	"mov %rdi, %rbx\n mov %rsi, %rbp\n mov %rdx, %r13\n"
	"mov %ecx, %r12d\n mov %ecx, %r14d\n mov %r8, %r15\n"
	"call *%r9\n"
	"vzeroupper\n"
	"add $8, %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n"
	".size stencil_call, . - stencil_call\n");

static uint32_t stop_of(const struct native_state *s)
{
	uint32_t stop = s->start + s->left < s->start ? UINT32_MAX : s->start + s->left;

	return s->watch > s->start && s->watch < stop ? s->watch : stop;
}

/* The ops from s->start to END - 1 are executed. */
static void count(struct native_state *s, uint32_t end)
{
	int64_t *c = s->count, lanes = __builtin_popcount(s->active);

	c[2 * (size_t)s->start] += lanes;
	c[2 * (size_t)s->start + 1] += 1;
	c[2 * (size_t)end] -= lanes;
	c[2 * (size_t)end + 1] -= 1;
	*s->slice_steps += end - s->start;
	s->left -= end - s->start;
}

/* The copy of U for the group of S; NULL: there is none. Where nothing looks at the registers of
 * lanes that have exited, what is left of a warp is computed as all of it. */
static const struct stencil_code *copy_for(struct stencil_code *u, const struct native_state *s)
{
	struct stencil_code *some;

	if (s->active == UINT32_MAX || (u->loose && s->parts == 1))
		return u;
	some = __atomic_load_n(&u->some, __ATOMIC_ACQUIRE);
	return some || !u->make_some ? some : u->make_some(u);
}

int stencil_run(struct native_state *s, struct stencil_code *u)
{
	struct stencil_run run;
	int next = NATIVE_AGAIN;

	while (next == NATIVE_AGAIN) {
		const struct stencil_code *x = copy_for(u, s);

		run.stop = stop_of(s);
		if (!x || run.stop < x->end[s->pc])
			return NATIVE_LEAVE;
		switch ((enum stencil_exit)stencil_call(
			s->regs, s->constants, s, s->active, &run, x->at + x->place[s->pc])) {
		case STENCIL_STOP:
			if (run.stop != s->pc)
				return NATIVE_LEAVE;
			count(s, s->pc);
			next = s->next(s, NATIVE_NEXT);
			break;
		case STENCIL_YIELD: next = s->next(s, NATIVE_NEXT); break;
		case STENCIL_FLOW:
			count(s, s->pc + 1);
			next = run.flow == NATIVE_SWITCH ? s->next(s, run.flow) : run.flow;
			break;
		case STENCIL_PART:
			count(s, s->pc + 1);
			s->part(s->warp, s->pc, run.mask);
			next = s->next(s, NATIVE_SWITCH);
			break;
		case STENCIL_BARRIER:
			count(s, s->pc + 1);
			s = s->advance(s);
			if (!s)
				return NATIVE_BARRIER;
			break;
		}
	}
	return next;
}
#else
int stencil_run(struct native_state *s, struct stencil_code *u)
{
	(void)s;
	(void)u;
	return NATIVE_LEAVE;
}
#endif
