/* Translates the instructions of a litmus test to PTX. Registers and locations are 32 bits wide. */
#include "script/litmus/litmus_ptx.h"
#include <inttypes.h>
#include <string.h>

enum { MAX_BARRIERS = 15 }; /* a CTA has 16; the harness needs one */

/* A barrier of the test: its static site and its number. */
struct litmus_barrier {
	uint32_t site, number;
};

static const char *const sem_text[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"},
			 *const scope_text[] = {"cta", "cluster", "gpu", "sys"};

static bool fits_32_bits(const struct litmus_value *v)
{
	return v->is_register || (v->value >= INT32_MIN && v->value <= INT32_MAX);
}

/* --- barriers --- */

/* The value of a barrier's number or count, if it is the same in every execution: a constant, or a
 * register that no instruction writes. */
static bool fixed_value(const struct litmus_thread *t, const struct litmus_value *v, int64_t *out)
{
	*out = v->is_register ? t->reg_init[v->index] : v->value;
	for (uint32_t k = 0; v->is_register && k < t->ninsns; k++) {
		const struct litmus_insn *i = &t->insn[k];
		if ((i->op == LITMUS_LOAD || i->op == LITMUS_ATOM || i->op == LITMUS_ALU) &&
			i->dst == v->index)
			return false;
	}
	return *out >= 0 && *out <= UINT32_MAX;
}

static bool is_at_barrier(
	const struct litmus_thread *t, const struct litmus_insn *i, uint32_t site, uint32_t number)
{
	int64_t n;
	return (i->op == LITMUS_SYNC || i->op == LITMUS_ARRIVE) && i->a.value == site &&
		fixed_value(t, &i->b, &n) && n == number;
}

/* How many threads of T's CTA reach the barrier. */
static uint32_t barrier_participants(const struct litmus_test *test, const struct litmus_thread *t,
	uint32_t site, uint32_t number)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < test->nthreads; k++) {
		const struct litmus_thread *u = &test->thread[k];
		bool comes = false;
		for (uint32_t i = 0; i < u->ninsns && litmus_same_cta(u, t); i++)
			comes |= is_at_barrier(u, &u->insn[i], site, number);
		n += comes;
	}
	return n;
}

static uint32_t barrier_number(const struct litmus_ptx *p, uint32_t site, uint32_t number)
{
	uint32_t k = 0;
	while (k < p->nbarriers && (p->barrier[k].site != site || p->barrier[k].number != number))
		k++;
	return k;
}

/* Whether a branch lets the thread reach the instruction more than once or not at all. */
static bool is_under_branch(const struct litmus_thread *t, const struct litmus_insn *at)
{
	uint32_t here = (uint32_t)(at - t->insn);
	for (uint32_t k = 0; k < t->ninsns; k++) {
		const struct litmus_insn *i = &t->insn[k];
		if ((i->op == LITMUS_BRANCH || i->op == LITMUS_GOTO) &&
			(k < here ? i->target > here : i->target <= here))
			return true;
	}
	return false;
}

static const char *barrier_lacks(struct litmus_ptx *p, struct litmus_barrier *known,
	const struct litmus_thread *t, const struct litmus_insn *i)
{
	int64_t number, count;
	uint32_t site = (uint32_t)i->a.value;
	if (!fixed_value(t, &i->b, &number) || (i->counted && !fixed_value(t, &i->c, &count)))
		return "a barrier's number or count is computed while running";
	if (barrier_number(p, site, (uint32_t)number) == p->nbarriers) {
		if (p->nbarriers == MAX_BARRIERS)
			return "a CTA has 16 barriers, and the test needs more";
		known[p->nbarriers++] = (struct litmus_barrier){site, (uint32_t)number};
	}
	if (i->counted && count < barrier_participants(p->test, t, site, (uint32_t)number))
		return "more threads reach a counted barrier than it waits for: in .litmus it stays open, in PTX it closes again";
	if (i->counted && (count < 1 || count > 32))
		return "a barrier of a CTA waits for 1 to 32 warps";
	/* a warp's lanes are instances of one thread; some would reach the barrier and others
	 * not */
	if (is_under_branch(t, i))
		return "a barrier that a branch skips or repeats: the instances of a warp may diverge before it";
	return NULL;
}

/* --- what PTX cannot express --- */

static const char *instruction_lacks(const struct litmus_test *test, const struct litmus_insn *i)
{
	bool access = i->op == LITMUS_LOAD || i->op == LITMUS_STORE || i->op == LITMUS_ATOM ||
		i->op == LITMUS_RED;
	if (!fits_32_bits(&i->a) || !fits_32_bits(&i->b) || !fits_32_bits(&i->c))
		return "a constant is wider than 32 bits with its sign";
	if (access && i->proxy != LITMUS_GENERIC)
		return "surface, texture and constant accesses require bound memory";
	if (access && test->location[i->location].alias)
		return "an alias needs memory that is mapped twice";
	if (i->op == LITMUS_PROXY_FENCE && i->proxy != LITMUS_ALIAS && i->proxy != LITMUS_ASYNC)
		return "PTX has no proxy fence for surfaces, textures and constants";
	if ((i->op == LITMUS_ATOM || i->op == LITMUS_RED) && i->alu == LITMUS_MUL)
		return "PTX has no atomic multiplication";
	return NULL;
}

static void require(struct litmus_ptx *p, unsigned version, unsigned target)
{
	p->version = version > p->version ? version : p->version;
	p->target = target > p->target ? target : p->target;
}

static void instruction_needs(struct litmus_ptx *p, const struct litmus_insn *i)
{
	bool scoped = i->op == LITMUS_FENCE ||
		((i->op == LITMUS_LOAD || i->op == LITMUS_STORE) && i->sem != LITMUS_WEAK) ||
		i->op == LITMUS_ATOM || i->op == LITMUS_RED;
	if (scoped && i->scope == LITMUS_CLUSTER)
		require(p, 78, 90);
	if (i->op == LITMUS_FENCE && (i->sem == LITMUS_ACQUIRE || i->sem == LITMUS_RELEASE))
		require(p, 86, 90);
	if (i->op == LITMUS_PROXY_FENCE)
		require(p, i->proxy == LITMUS_ASYNC ? 80 : 75, i->proxy == LITMUS_ASYNC ? 90 : 70);
}

/* --- seats --- */

/* If an earlier thread belongs to the same CTA, thread K gets the next warp of that CTA; otherwise
 * the next CTA of its cluster, or a new cluster or GPU. */
static void assign_seat(struct litmus_ptx *p, uint32_t k)
{
	const struct litmus_test *test = p->test;
	const struct litmus_thread *t = &test->thread[k];
	struct litmus_seat *s = &p->seat[k];
	*s = (struct litmus_seat){0};
	for (uint32_t i = 0; i < k; i++) {
		const struct litmus_thread *u = &test->thread[i];
		const struct litmus_seat *v = &p->seat[i];
		if (litmus_same_cta(u, t)) {
			s->gpu = v->gpu;
			s->cluster = v->cluster;
			s->rank = v->rank;
			s->warp = v->warp + 1;
		}
	}
	if (s->warp)
		return;
	bool gpu_known = false, cluster_known = false;
	for (uint32_t i = 0; i < k; i++) {
		const struct litmus_thread *u = &test->thread[i];
		const struct litmus_seat *v = &p->seat[i];
		if (u->gpu != t->gpu) {
			s->gpu = gpu_known || s->gpu > v->gpu ? s->gpu : v->gpu + 1;
			continue;
		}
		s->gpu = v->gpu;
		gpu_known = true;
		if (u->cluster == t->cluster) {
			s->cluster = v->cluster;
			s->rank = s->rank > v->rank ? s->rank : v->rank + 1;
			cluster_known = true;
		} else if (!cluster_known && s->cluster <= v->cluster) {
			s->cluster = v->cluster + 1;
		}
	}
}

static void assign_seats(struct litmus_ptx *p, struct arena *arena)
{
	p->seat = ARENA_ARRAY(arena, struct litmus_seat, p->test->nthreads + 1);
	for (uint32_t k = 0; k < p->test->nthreads; k++) {
		assign_seat(p, k);
		const struct litmus_seat *s = &p->seat[k];
		p->gpus = s->gpu + 1 > p->gpus ? s->gpu + 1 : p->gpus;
		p->clusters = s->cluster + 1 > p->clusters ? s->cluster + 1 : p->clusters;
		p->ranks = s->rank + 1 > p->ranks ? s->rank + 1 : p->ranks;
		p->warps = s->warp + 1 > p->warps ? s->warp + 1 : p->warps;
	}
}

void litmus_ptx_begin(struct litmus_ptx *p, const struct litmus_test *test, struct arena *arena)
{
	struct litmus_barrier *barrier = ARENA_ARRAY(arena, struct litmus_barrier, MAX_BARRIERS);
	*p = (struct litmus_ptx){.test = test, .version = 60, .target = 70, .barrier = barrier};
	assign_seats(p, arena);
	if (p->ranks > 1)
		require(p, 78, 90);
	if (p->warps > 16)
		p->lacks = "more than 16 threads of one CTA, each in a warp of its own";
	if (p->ranks > 8)
		p->lacks = "more than 8 CTAs of one cluster";
	for (uint32_t k = 0; k < test->nlocations && !p->lacks; k++) {
		if (test->location[k].init < INT32_MIN || test->location[k].init > INT32_MAX)
			p->lacks = "an initial value is wider than 32 bits with its sign";
	}
	for (uint32_t k = 0; k < test->nobserved && !p->lacks; k++) {
		if (test->observed[k].kind == LITMUS_TERM_LOCATION &&
			test->location[test->observed[k].index].alias)
			p->lacks = "an alias needs memory that is mapped twice";
	}
	for (uint32_t k = 0; k < test->nthreads; k++) {
		const struct litmus_thread *t = &test->thread[k];
		for (uint32_t r = 0; r < t->nregs && !p->lacks; r++) {
			if (t->reg_init[r] < INT32_MIN || t->reg_init[r] > INT32_MAX)
				p->lacks = "an initial value is wider than 32 bits with its sign";
		}
		for (uint32_t i = 0; i < t->ninsns && !p->lacks; i++) {
			p->lacks = instruction_lacks(test, &t->insn[i]);
			if (!p->lacks &&
				(t->insn[i].op == LITMUS_SYNC || t->insn[i].op == LITMUS_ARRIVE))
				p->lacks = barrier_lacks(p, barrier, t, &t->insn[i]);
			instruction_needs(p, &t->insn[i]);
		}
	}
}

/* --- statements --- */

static void put_value(struct text *out, const struct litmus_value *v)
{
	if (v->is_register)
		text_printf(out, "%%v%u", v->index);
	else
		text_printf(out, "%" PRId32, (int32_t)v->value);
}

/* Moves an operand to a register where PTX requires one. */
static void put_register(struct text *out, const char *name, const struct litmus_value *v)
{
	text_printf(out, "\tmov.b32 %s, ", name);
	put_value(out, v);
	text_puts(out, ";\n");
}

static void put_order(struct text *out, unsigned sem, unsigned scope)
{
	text_printf(out, ".%s", sem_text[sem]);
	if (sem != LITMUS_WEAK)
		text_printf(out, ".%s", scope_text[scope]);
}

/* red has no acquire semantics, so acquire is dropped. */
static unsigned red_sem(unsigned sem)
{
	return sem == LITMUS_ACQUIRE    ? LITMUS_RELAXED
		: sem == LITMUS_ACQ_REL ? LITMUS_RELEASE
					: sem;
}

static void put_atom(struct text *out, const struct litmus_insn *i)
{
	static const char *const op[] = {"", "add.u32", "add.u32", "", "and.b32", "or.b32",
		"xor.b32", "min.s32", "max.s32", "inc.u32", "dec.u32", "exch.b32", "cas.b32"};
	bool red = i->op == LITMUS_RED;
	if (i->alu == LITMUS_SUB) {
		put_register(out, "%t0", &i->a);
		text_puts(out, "\tneg.s32 %t0, %t0;\n");
	}
	text_puts(out, red ? "\tred" : "\tatom");
	put_order(out, red ? red_sem(i->sem) : i->sem, i->scope);
	text_printf(out, ".global.%s ", op[i->alu]);
	if (!red)
		text_printf(out, "%%v%u, ", i->dst);
	text_printf(out, "[%%loc%u], ", i->location);
	if (i->alu == LITMUS_SUB)
		text_puts(out, "%t0");
	else
		put_value(out, &i->a);
	if (i->alu == LITMUS_CAS) {
		text_puts(out, ", ");
		put_value(out, &i->b);
	}
	text_puts(out, ";\n");
}

static void put_alu(struct text *out, const struct litmus_insn *i)
{
	static const char *const op[] = {"mov.b32", "add.s32", "sub.s32", "mul.lo.s32", "and.b32",
		"or.b32", "xor.b32", "min.s32", "max.s32"};
	put_register(out, "%t0", &i->a);
	if (i->alu == LITMUS_MOV) {
		text_printf(out, "\tmov.b32 %%v%u, %%t0;\n", i->dst);
		return;
	}
	text_printf(out, "\t%s %%v%u, %%t0, ", op[i->alu], i->dst);
	put_value(out, &i->b);
	text_puts(out, ";\n");
}

static void put_branch(struct text *out, const struct litmus_insn *i)
{
	static const char *const relation[] = {"eq", "ne", "lt", "le", "gt", "ge"};
	if (i->op == LITMUS_BRANCH) {
		put_register(out, "%t0", &i->a);
		text_printf(out, "\tsetp.%s.s32 %%p0, %%t0, ", relation[i->alu]);
		put_value(out, &i->b);
		text_puts(out, ";\n\t@%p0");
	}
	text_printf(out, "\tbra I%u;\n", i->target);
}

static void put_barrier(const struct litmus_ptx *p, const struct litmus_thread *t,
	const struct litmus_insn *i, struct text *out)
{
	int64_t number = 0, count = 0;
	uint32_t site = (uint32_t)i->a.value;
	fixed_value(t, &i->b, &number);
	if (i->counted)
		fixed_value(t, &i->c, &count);
	else
		count = barrier_participants(p->test, t, site, (uint32_t)number);
	text_printf(out, "\tbarrier.%s %u, %u;\n", i->op == LITMUS_SYNC ? "sync" : "arrive",
		barrier_number(p, site, (uint32_t)number), (uint32_t)count * 32);
}

static void put_instruction(const struct litmus_ptx *p, const struct litmus_thread *t,
	const struct litmus_insn *i, struct text *out)
{
	switch (i->op) {
	case LITMUS_LOAD:
		text_puts(out, "\tld");
		put_order(out, i->sem, i->scope);
		text_printf(out, ".global.b32 %%v%u, [%%loc%u];\n", i->dst, i->location);
		break;
	case LITMUS_STORE:
		text_puts(out, "\tst");
		put_order(out, i->sem, i->scope);
		text_printf(out, ".global.b32 [%%loc%u], ", i->location);
		put_value(out, &i->a);
		text_puts(out, ";\n");
		break;
	case LITMUS_ATOM:
	case LITMUS_RED: put_atom(out, i); break;
	case LITMUS_FENCE:
		text_printf(out, "\tfence.%s.%s;\n", sem_text[i->sem], scope_text[i->scope]);
		break;
	case LITMUS_PROXY_FENCE:
		text_printf(
			out, "\tfence.proxy.%s;\n", i->proxy == LITMUS_ALIAS ? "alias" : "async");
		break;
	case LITMUS_SYNC:
	case LITMUS_ARRIVE: put_barrier(p, t, i, out); break;
	case LITMUS_ALU: put_alu(out, i); break;
	default: put_branch(out, i); break;
	}
}

void litmus_ptx_body(const struct litmus_ptx *p, uint32_t thread, struct text *out)
{
	const struct litmus_thread *t = &p->test->thread[thread];
	text_puts(out, "\t{\n\t.reg .pred %p0;\n\t.reg .b32 %t0;\n");
	if (t->nregs)
		text_printf(out, "\t.reg .b32 %%v<%u>;\n", t->nregs);
	for (uint32_t r = 0; r < t->nregs; r++)
		text_printf(out, "\tmov.b32 %%v%u, %" PRId32 ";\n", r, (int32_t)t->reg_init[r]);
	for (uint32_t k = 0; k <= t->ninsns; k++) {
		bool target = false;
		for (uint32_t i = 0; i < t->ninsns; i++)
			target |= (t->insn[i].op == LITMUS_BRANCH ||
					  t->insn[i].op == LITMUS_GOTO) &&
				t->insn[i].target == k;
		if (target)
			text_printf(out, "I%u:\n", k);
		if (k < t->ninsns)
			put_instruction(p, t, &t->insn[k], out);
	}
	for (uint32_t k = 0; k < p->test->nobserved; k++) {
		const struct litmus_term *o = &p->test->observed[k];
		if (o->kind == LITMUS_TERM_REG && o->thread == thread)
			text_printf(out, "\tst.global.b32 [%%out+%u], %%v%u;\n", 4 * k, o->index);
	}
	text_puts(out, "\t}\n");
}

/* --- one instance as a file --- */

static void put_kernel(const struct litmus_ptx *p, uint32_t gpu, struct text *out)
{
	const struct litmus_test *test = p->test;
	text_printf(out,
		".visible .entry gpu%u()\n{\n\t.reg .pred %%q0;\n\t.reg .b32 %%lane, %%warp, %%seat;\n\t.reg .b64 %%out",
		gpu);
	for (uint32_t k = 0; k < test->nlocations; k++)
		text_printf(out, ", %%loc%u", k);
	/* One thread per warp; the other lanes exit at once. */
	text_printf(out,
		";\n\tmov.u32 %%warp, %%tid.x;\n\tand.b32 %%lane, %%warp, 31;\n\tsetp.ne.u32 %%q0, %%lane, 0;\n\t@%%q0 exit;\n\tshr.u32 %%warp, %%warp, 5;\n"
		"\tmov.u32 %%seat, %%ctaid.x;\n\tmad.lo.u32 %%seat, %%seat, %u, %%warp;\n\tmov.u64 %%out, o;\n",
		p->warps);
	for (uint32_t k = 0; k < test->nlocations; k++)
		text_printf(out, "\tmov.u64 %%loc%u, m%u;\n", k, k);
	for (uint32_t k = 0; k < test->nthreads; k++) {
		const struct litmus_seat *s = &p->seat[k];
		if (s->gpu == gpu)
			text_printf(out, "\tsetp.eq.u32 %%q0, %%seat, %u;\n\t@%%q0 bra P%u;\n",
				(s->cluster * p->ranks + s->rank) * p->warps + s->warp, k);
	}
	text_puts(out, "\texit;\n");
	for (uint32_t k = 0; k < test->nthreads; k++) {
		if (p->seat[k].gpu != gpu)
			continue;
		text_printf(out, "P%u:\n", k);
		litmus_ptx_body(p, k, out);
		text_puts(out, "\texit;\n");
	}
	text_puts(out, "}\n");
}

void litmus_ptx_file(const struct litmus_ptx *p, struct text *out)
{
	const struct litmus_test *test = p->test;
	for (uint32_t g = 0; g < p->gpus; g++) {
		text_printf(out, "//@ launch gpu%u<<<%u, %u, 0, s%u>>>()", g,
			p->clusters * p->ranks, 32 * p->warps, g);
		if (p->ranks > 1)
			text_printf(out, " cluster=%u", p->ranks);
		if (p->gpus > 1)
			text_printf(out, " gpu=%u", g);
		text_puts(out, "\n");
	}
	for (uint32_t k = 0; k < test->nobserved; k++) {
		const struct litmus_term *o = &test->observed[k];
		text_puts(out, k ? ", " : "//@ observe ");
		text_printf(out, o->kind == LITMUS_TERM_REG ? "o[%u]" : "m%u",
			o->kind == LITMUS_TERM_REG ? k : o->index);
	}
	text_printf(out, "\n.version %u.%u\n.target sm_%u\n.address_size 64\n.global .s32 o[%u];\n",
		p->version / 10, p->version % 10, p->target, test->nobserved + 1);
	for (uint32_t k = 0; k < test->nlocations; k++)
		text_printf(out, ".global .align 16 .s32 m%u = %" PRId32 ";\n", k,
			(int32_t)test->location[k].init);
	for (uint32_t g = 0; g < p->gpus; g++)
		put_kernel(p, g, out);
}
