/* Asynchronous copies. Each runs at some time after its issue, so what it reads and writes is judged as an access of its issuer at the issue: what the source holds must
 * be before that, and so must everybody's use of the destination. From then on the destination is the copy's, and --check=sync watches that nobody touches it before
 * a wait; what was there before is forgotten. */
#include "check/race_state.h"
#include "interp/async.h"

static void place(struct touch *t, struct race_cta *c, const struct sync_place *p, uint64_t bytes, struct record want)
{
	struct race_cta *owner = NULL;
	struct shadow *s;

	t->space = p->space;
	t->owner = p->cta;
	if (p->space == W_shared) {
		owner = p->cta == c->cta ? c : race_find(t->r, p->cta);
		s = owner ? &owner->shared : NULL;
	} else {
		s = shadow_global(t->r, p->address);
	}
	uint64_t offset = p->space == W_shared ? p->offset : s ? p->address - s->base : 0;

	if (!s || !bytes || (offset + bytes - 1) >> PAGE_SHIFT >= s->pages)
		return;
	if (p->space == W_shared)
		want.how |= HOW_SHARED;
	t->writes = want.how & HOW_WRITE;
	t->id = record_get(t->r, t->warp, &want);
	t->memo_clock = NULL;
	shadow_copy(t, s, offset, bytes);
}

void race_copy(struct race *r, struct race_cta *c, struct race_warp *w, const struct copy *copy)
{
	struct touch t = {.r = r, .cta = c, .warp = w, .of = copy->warp};

	if ((copy->kind != COPY_CP && copy->kind != COPY_BULK && copy->kind != COPY_GROUP) || copy->op->operation)
		return; /* reductions and single values are relaxed operations */
	for (uint32_t k = 0; k < copy->nparts; k++) {
		const struct copy_part *p = &copy->part[k];
		struct record want = {.stamp = w->stamp,
				      .warp = w->uid,
				      .insn = copy->op->insn,
				      .how = HOW_COPY | HOW_READ,
				      .scope = SCOPE_SYS,
				      .bytes = (uint8_t)(p->bytes < 16 ? p->bytes : 16)}; /* a piece of it */

		t.lane = p->lane;
		place(&t, c, &p->from, p->take, want);
		want.how = HOW_COPY | HOW_WRITE;
		if (p->byte_mask == 0xffff)
			place(&t, c, &p->to, p->bytes, want);
	}
}
