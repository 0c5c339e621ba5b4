/* Counts divergent branches, bank conflicts and sectors by instruction; the machine itself counts
 * instructions. Workers add to the same counters, atomically. */
#include "profile/profile.h"
#include "base/memory.h"
#include "interp/machine.h"
#include "interp/observer.h"
#include "interp/state/state.h"

enum { BANKS = 32, BANK_BYTES = 4, SECTOR = 32 };

struct profile {
	struct observer observer;
	struct profile_count *count; /* [module->ninsns] */
};

static void add(uint64_t *to, uint64_t n)
{
	if (n)
		__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

/* Whether the lanes of W go on at different places after the branch OP, which MASK takes. */
static bool diverges(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct branch_table *t = op->table;
	uint64_t first;

	if (op->kind == KIND_BRANCH)
		return mask != w->active;
	if (op->kind != KIND_BRANCH_INDEX)
		return false;
	first = op_value(w, op, 0, lane_first(mask));
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		uint64_t k = op_value(w, op, 0, lane_first(rest));

		if (k < t->count && first < t->count && t->target[k] != t->target[first])
			return true;
	}
	return mask != w->active;
}

static void on_insn(struct observer *o, struct warp *w, const struct op *op, uint32_t mask)
{
	struct profile *p = o->self;
	struct profile_count *c = &p->count[op->insn];

	add(&c->branches, diverges(w, op, mask));
}

/* The passes for lanes [FROM, TO): the most distinct words that one bank has to deliver. A word
 * that several lanes access is delivered once. */
static unsigned passes_of(const struct access_event *e, unsigned from, unsigned to)
{
	uint64_t word[BANKS * 2];
	unsigned n = 0, most = 0, of[BANKS] = {0};

	for (unsigned lane = from; lane < to; lane++) {
		if (!(e->mask >> lane & 1))
			continue;
		for (uint64_t w = e->address[lane] / BANK_BYTES;
			w <= (e->address[lane] + e->bytes - 1) / BANK_BYTES && n < BANKS * 2; w++) {
			unsigned k = 0, *bank = &of[w % BANKS];

			while (k < n && word[k] != w)
				k++;
			if (k < n)
				continue;
			word[n++] = w;
			if (++*bank > most)
				most = *bank;
		}
	}
	return most;
}

/* A pass delivers 128 bytes: wider accesses take a pass for each half or quarter of the warp. */
static void count_shared(struct profile_count *c, const struct access_event *e)
{
	unsigned lanes = e->bytes <= BANK_BYTES ? LANES : BANKS * BANK_BYTES / (unsigned)e->bytes;
	uint64_t passes = 0, least = 0;

	if (e->bytes == 0 || lanes == 0)
		return;
	for (unsigned from = 0; from < LANES; from += lanes) {
		unsigned n = passes_of(e, from, from + lanes < LANES ? from + lanes : LANES);

		passes += n;
		least += n != 0;
	}
	add(&c->passes, passes);
	add(&c->passes_least, least);
}

static void count_global(struct profile_count *c, const struct access_event *e)
{
	uint64_t sector[2 * LANES], bytes = 0;
	uint32_t used[2 * LANES];
	unsigned n = 0;

	for (uint32_t rest = e->mask; rest; rest &= rest - 1) {
		uint64_t at = e->address[lane_first(rest)], end = at + e->bytes;

		if (e->bytes > SECTOR) { /* a bulk copy: not shared with other lanes */
			add(&c->sectors, (end - 1) / SECTOR - at / SECTOR + 1);
			bytes += e->bytes;
			continue;
		}
		while (at < end) {
			uint64_t s = at / SECTOR,
				 to = (s + 1) * SECTOR < end ? (s + 1) * SECTOR : end;
			uint32_t bits = (uint32_t)((UINT64_C(1) << (to - at)) - 1) << at % SECTOR;
			unsigned k = 0;

			while (k < n && sector[k] != s)
				k++;
			if (k == n) {
				sector[n] = s;
				used[n++] = 0;
			}
			used[k] |= bits;
			at = to;
		}
	}
	for (unsigned k = 0; k < n; k++)
		bytes += (unsigned)__builtin_popcount(used[k]);
	add(&c->sectors, n);
	add(&c->sectors_least, (bytes + SECTOR - 1) / SECTOR);
}

static void on_access(struct observer *o, const struct access_event *e)
{
	struct profile *p = o->self;

	if (e->space == W_shared && !e->atomic)
		count_shared(&p->count[e->op->insn], e);
	else if (e->space == W_global)
		count_global(&p->count[e->op->insn], e);
}

void profile_attach(struct machine *m)
{
	struct profile *p = memory_zeroed(1, sizeof *p);

	p->count = memory_zeroed(m->module->ninsns + 1, sizeof *p->count);
	p->observer = (struct observer){.interest = INTEREST_INSN | INTEREST_ACCESS,
		.self = p,
		.insn = on_insn,
		.access = on_access};
	machine_observe(m, &p->observer);
}

static struct observer **find(struct machine *m)
{
	struct observer **at = &m->observers;

	while (*at && (*at)->insn != on_insn)
		at = &(*at)->next;
	return at;
}

const struct profile_count *profile_of(struct machine *m)
{
	struct observer *o = *find(m);
	struct profile *p = o ? o->self : NULL;
	struct machine_stats s;

	if (!p)
		return NULL;
	machine_stats(m, &s);
	for (uint32_t k = 0; k < m->module->ninsns; k++) {
		p->count[k].warps = s.warps_by_insn[k];
		p->count[k].lanes = s.by_insn[k];
	}
	return p->count;
}

void profile_detach(struct machine *m)
{
	struct observer **at = find(m);
	struct profile *p = *at ? (*at)->self : NULL;

	if (!p)
		return;
	*at = p->observer.next;
	memory_drop(p->count);
	memory_drop(p);
}
