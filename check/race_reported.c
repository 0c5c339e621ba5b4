/* Decides whether --check=sync already reports a conflict between an access and an operation in
 * flight (S0301 to S0304). */
#include "check/race_state.h"
#include "interp/sync/async.h"

static bool sync_place_overlaps(const struct touch *t, const struct sync_place *p, uint64_t bytes)
{
	uint64_t at = p->space == W_shared ? p->offset : p->address;

	return p->space == t->space && (t->space != W_shared || p->cta == t->owner) &&
		t->address + 3 >= at && t->address < at + bytes;
}

bool race_reported_by_sync(const struct touch *t, const struct record *x)
{
	uint32_t real = t->r->past.data[t->r->family.warp_cta.data[x->warp]].real;

	if (!(t->r->machine->options.checks & CHECK_SYNC))
		return false;
	for (const struct copy *b = async_first(t->of->cta->cluster); b; b = b->next) {
		const struct race_cta *c = b == t->copy || b->op->insn != x->insn
			? NULL
			: race_find(t->r, b->warp->cta);

		for (uint32_t k = 0; c && c->uid == real && k < b->nparts; k++) {
			const struct copy_part *p = &b->part[k];

			if (x->how & HOW_WRITE
					? !p->landed && sync_place_overlaps(t, &p->to, p->bytes)
					: !p->landed && !p->fetched &&
						sync_place_overlaps(t, &p->from, p->take))
				return true;
		}
	}
	return false;
}
