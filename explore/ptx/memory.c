/* Memory instructions of a thread: accesses to global and shared memory are events, element by
 * element; parameters, constants and the thread's local memory are accessed directly. */
#include "explore/ptx/open.h"
#include "interp/memory/memory.h"
#include <string.h>

/* The CTA that an offset in the shared window refers to: bits 24 to 31 are its rank in the cluster
 * of THREAD. UINT32_MAX: none. */
static uint32_t cta_named(const struct ptx_client *c, uint32_t thread, uint64_t offset)
{
	const struct ptx_launch *l = &c->launch[c->thread[thread].launch];
	const uint32_t *grid = l->launch->ask.grid;
	uint64_t rank = offset >> MEMORY_RANK_SHIFT;
	uint32_t own = c->thread[thread].cta - l->first_cta,
		 at[3] = {own % grid[0], own / grid[0] % grid[1], own / grid[0] / grid[1]};
	for (unsigned k = 0; k < 3; k++) {
		uint32_t dim = l->launch->ask.cluster[k] ? l->launch->ask.cluster[k] : 1;
		at[k] = at[k] / dim * dim + (uint32_t)(rank % dim);
		rank /= dim;
	}
	return rank || at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2]
		? UINT32_MAX
		: l->first_cta + (at[2] * grid[1] + at[1]) * grid[0] + at[0];
}

bool ptx_resolve(const struct ptx_client *c, uint32_t thread, uint16_t space, uint64_t address,
	unsigned bytes, bool write, uint16_t *where, uint64_t *phys)
{
	const struct ptx_thread_info *t = &c->thread[thread];
	const struct ptx_launch *l = &c->launch[t->launch];
	uint64_t offset = address, size;
	if (space == W_NONE)
		space = window_space(address, &offset);
	*where = space;
	*phys = offset;
	if (address & (bytes - 1))
		return false;
	switch (space) {
	case W_shared: {
		uint32_t cta = cta_named(c, thread, offset);
		size = cta == UINT32_MAX ? 0 : l->launch->shared_bytes;
		offset = cluster_offset(offset);
		*phys = PTX_SHARED + cta * PTX_SHARED_STEP + offset;
		break;
	}
	case W_local: size = l->code->local_bytes; break;
	case W_param:
		size = write ? 0 : l->code->module->func[l->launch->ask.func].param_bytes;
		break;
	default: {
		*phys = space == W_const ? MEMORY_CONST_WINDOW + offset : offset;
		const struct memory_block *m = memory_find(c->machine->memory, *phys);
		return m->kind != MEMORY_NOTHING && memory_inside(m, *phys, bytes) &&
			!(write && (m->readonly || space == W_const));
	}
	}
	return offset < size && size - offset >= bytes;
}

bool ptx_is_own(const struct ptx_client *c, uint32_t thread, uint64_t phys)
{
	return (phys - PTX_SHARED) / PTX_SHARED_STEP == c->thread[thread].cta;
}

/* The place and width of element E of the op's operand COLUMN (0: destination, 1 and 2: sources).
 */
static uint32_t element_place(
	const struct op *op, unsigned class, unsigned column, unsigned e, unsigned *width)
{
	const struct op_vector *v = op->access.vector_at;
	if (op->access.vector > 1 && v) {
		*width = v->width[column][e];
		return v->place[column][e];
	}
	unsigned k = class == PTX_LOAD ? 0 : class == PTX_STORE ? 1 : column == 0 ? 0 : 1 + column;
	*width = op->width[k];
	return op->at[k];
}

static void get_element(const struct ptx_bench *b, uint32_t place, unsigned width, unsigned bytes,
	uint64_t value[2])
{
	value[1] = 0;
	value[0] = register_get(op_place(&b->warp, place), b->lane, width);
	if (width == 16)
		memcpy(value, (const char *)op_place(&b->warp, place) + b->lane * 16u, 16);
	if (bytes < 8)
		value[0] &= (UINT64_C(1) << 8 * bytes) - 1;
	if (bytes < 16)
		value[1] = 0;
}

static void set_element(struct ptx_bench *b, struct ptx_state *s, const struct op *op,
	uint32_t place, unsigned width, const uint64_t value[2], bool known, bool read)
{
	uint64_t v = op->access.is_signed && op->access.bytes < 8
		? sign_extend(value[0], op->access.bytes)
		: value[0];
	if (op->access.bytes == 16 && width == 16)
		memcpy((char *)op_place(&b->warp, place) + b->lane * 16u, value, 16);
	else
		register_set(op_place(&b->warp, place), b->lane, width, v);
	ptx_mark(b, s, place, known, read);
}

/* Advances to the next of N elements or, after the last one, to the next op. */
static void element_done(struct ptx_state *s, uint32_t n)
{
	s->half_done = false;
	if (++s->element < n)
		return;
	s->element = 0;
	s->pc++;
}

/* --- private and read-only memory --- */

static void read_host(
	const struct ptx_client *c, uint64_t address, unsigned bytes, uint64_t value[2])
{
	const struct memory_block *m = memory_find(c->machine->memory, address);
	value[0] = value[1] = 0;
	memcpy(value, m->host + (address - m->base), bytes);
}

static void private_load(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, const struct op *op, uint16_t where, uint64_t at)
{
	const struct ptx_launch *l = &c->launch[c->thread[thread].launch];
	uint64_t value[2] = {0};
	bool known = true, read = false, open = false;
	unsigned width;
	uint32_t place = element_place(op, PTX_LOAD, 0, s->element, &width);
	if (where == W_local) {
		for (unsigned k = 0; k < op->access.bytes; k++) {
			known &= row_has(ptx_local_known(b->code, s), (uint32_t)at + k);
			open |= b->code->has_open &&
				row_has(ptx_local_open(b->code, s), (uint32_t)at + k);
		}
		memcpy(value, ptx_local(b->code, s) + at, op->access.bytes);
		read = true; /* it may depend on a read: that is not tracked for local memory */
	} else if (where == W_param) {
		memcpy(value, (const char *)l->launch->ask.params + at, op->access.bytes);
	} else {
		read_host(c, at, op->access.bytes, value);
	}
	set_element(b, s, op, place, width, value, known, read);
	if (open && known && ptx_slot_at(b->part, place) != PTX_NO_SLOT)
		ptx_mark_open(b, s, ptx_slot_at(b->part, place), 0);
	element_done(s, op->access.vector);
}

void ptx_local_put(struct ptx_bench *b, struct ptx_state *s, uint32_t at, const void *bytes,
	uint32_t n, bool known, bool open)
{
	bool was_open = true;
	for (uint32_t k = 0; open && k < n; k++)
		was_open &= row_has(ptx_local_open(b->code, s), at + k);
	if (!known || (open && !was_open) || memcmp(ptx_local(b->code, s) + at, bytes, n) != 0)
		/* a new state; storing the same value again leaves the state as it was */
		s->nvisits = 0;
	memcpy(ptx_local(b->code, s) + at, bytes, n);
	for (uint32_t k = 0; k < n; k++) {
		if (known)
			row_put(ptx_local_known(b->code, s), at + k);
		else
			row_drop(ptx_local_known(b->code, s), at + k);
		if (open)
			row_put(ptx_local_open(b->code, s), at + k);
		else if (b->code->has_open)
			row_drop(ptx_local_open(b->code, s), at + k);
	}
}

static void private_store(
	struct ptx_bench *b, struct ptx_state *s, const struct op *op, uint64_t at)
{
	unsigned width;
	uint32_t place = element_place(op, PTX_STORE, 1, s->element, &width);
	uint64_t value[2];
	get_element(b, place, width, op->access.bytes, value);
	ptx_local_put(b, s, (uint32_t)at, value, op->access.bytes, ptx_place_known(b, s, place),
		ptx_place_open(b, s, place));
	element_done(s, op->access.vector);
}

/* --- events --- */

static void store_event(
	struct ptx_bench *b, struct ptx_state *s, const struct op *op, struct action *a)
{
	unsigned width;
	uint32_t place = element_place(op, PTX_STORE, 1, s->element, &width);
	a->kind = ACTION_WRITE;
	a->value_known = ptx_place_known(b, s, place);
	get_element(b, place, width, op->access.bytes, a->value);
	s->nvisits = 0;
	s->events++;
	element_done(s, op->access.vector);
}

static void load_event(struct ptx_state *s, const struct ptx_op *o, struct action *a)
{
	a->kind = ACTION_READ;
	a->quiet = o->quiet;
	s->events++;
}

static void atom_read(struct ptx_bench *b, struct ptx_state *s, const struct op *op,
	const struct ptx_op *o, struct action *a)
{
	unsigned width;
	if (ptx_place_known(b, s, element_place(op, PTX_ATOM, 1, s->element / o->packed, &width)))
		a->quiet = o->quiet;
	a->kind = ACTION_READ;
	a->rmw = true;
	a->reduction = o->class == PTX_RED;
	a->once = op->access.atomic == ATOMIC_CAS && row_empty(o->inside, b->code->head_words);
	a->sem = sem_acquires((enum sem)o->sem) ? SEM_ACQUIRE : SEM_RELAXED;
	s->half_done = true;
	s->events++;
}

static void atom_new_value(const struct op *op, const uint64_t old[2], const uint64_t b[2],
	const uint64_t c[2], uint64_t out[2])
{
	if (op->access.atomic == ATOMIC_EXCH || op->access.atomic == ATOMIC_CAS) {
		const uint64_t *v = op->access.atomic == ATOMIC_EXCH ? b : c;
		out[0] = v[0];
		out[1] = v[1];
		return;
	}
	/* atom.add.f32 flushes subnormals in global memory, but not in shared memory */
	out[0] = arith_atomic((enum atomic)op->access.atomic, (enum type)op->access.type,
		op->access.space != W_shared && !op->access.noftz, old[0], b[0], c[0]);
	out[1] = 0;
}

static void atom_write(struct ptx_bench *b, struct ptx_state *s, const struct op *op,
	const struct ptx_op *o, struct action *a)
{
	unsigned width, width_c, width_d, element = s->element / o->packed,
					  half = s->element % o->packed;
	uint32_t place = element_place(op, PTX_ATOM, 1, element, &width), place_c = place,
		 place_d = element_place(op, PTX_ATOM, 0, element, &width_d);
	uint64_t x[2], y[2] = {0};
	bool known_x = ptx_place_known(b, s, place), known_y = true;
	get_element(b, place, width, op->access.bytes, x);
	if (op->access.atomic == ATOMIC_CAS) {
		place_c = element_place(op, PTX_ATOM, 2, element, &width_c);
		known_y = ptx_place_known(b, s, place_c);
		get_element(b, place_c, width_c, op->access.bytes, y);
	}
	a->kind = ACTION_WRITE;
	a->rmw = true;
	a->sem = sem_releases((enum sem)o->sem) ? SEM_RELEASE : SEM_RELAXED;
	bool all = s->old_known && known_x;
	a->value_known = all && known_y;
	if (op->access.atomic == ATOMIC_CAS) {
		a->maybe = !all;
		a->none = all && (s->old[0] != x[0] || s->old[1] != x[1]);
		a->swaps = !all && known_x && known_y && op->access.bytes <= 8;
		if (a->swaps) {
			a->value[0] = y[0];
			a->value[1] = x[0];
		}
	}
	if (o->packed > 1)
		x[0] = x[0] >> 16 * half & 0xffff;
	if (all && known_y)
		atom_new_value(op, s->old, x, y, a->value);
	if (o->packed > 1)
		a->value[0] &= 0xffff;
	/* An atom that writes back the value it read does not change a loop's state (an exch on a
	 * lock that is taken). */
	if (!a->none && !(a->value_known && a->value[0] == s->old[0] && a->value[1] == s->old[1]))
		s->nvisits = 0;
	if (half + 1u < o->packed) {
		s->low = (uint16_t)s->old[0];
		s->low_known = s->old_known;
	} else if (o->class == PTX_ATOM) {
		/* only now, because the destination may be one of the sources */
		uint64_t old[2] = {half ? s->old[0] << 16 | s->low : s->old[0], s->old[1]};
		set_element(b, s, op, place_d, width_d, old,
			s->old_known && (!half || s->low_known), true);
	}
	s->events++;
	element_done(s, op->access.vector * o->packed);
}

static bool memory_fault(struct action *a, const char *text)
{
	a->kind = ACTION_FAULT;
	a->text = text;
	return false;
}

/* A store to local memory at an unknown address makes all of it unknown; a load makes its result
 * unknown. */
static void unknown_private(
	struct ptx_bench *b, struct ptx_state *s, const struct op *op, const struct ptx_op *o)
{
	static const uint64_t nothing[2];
	if (o->class == PTX_STORE) {
		memset(ptx_local_known(b->code, s), 0,
			(b->code->local_bytes / 64 + 1) * sizeof(uint64_t));
	} else {
		unsigned width;
		uint32_t place = element_place(op, PTX_LOAD, 0, s->element, &width);
		set_element(b, s, op, place, width, nothing, false, true);
	}
	element_done(s, op->access.vector);
}

bool ptx_memory(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a)
{
	const struct op *op = &b->code->ops[s->pc];
	const struct ptx_op *o = &b->code->op[s->pc];
	uint64_t address[LANES], phys = 0;
	uint16_t where = op->access.space;
	unsigned width, bytes = op->access.bytes / o->packed, n = op->access.vector * o->packed;
	bool write = o->class != PTX_LOAD,
	     known = ptx_place_known(b, s, op->at[op->access.base_operand]);
	a->place = s->pc;
	if (ptx_place_open(b, s, op->at[op->access.base_operand])) {
		ptx_refuse_open(s, a);
		return false;
	}
	if (!known && op->access.space == W_local) {
		unknown_private(b, s, op, o);
		return true;
	}
	if (!known && op->access.space != W_global && op->access.space != W_shared) {
		a->kind = ACTION_STALL; /* it is not known which kind of memory */
		return false;
	}
	if (known) {
		access_addresses(&b->warp, op, b->mask, address);
		if (address[b->lane] & (uint64_t)(op->access.bytes * op->access.vector - 1))
			return memory_fault(a, "a misaligned address");
		if (!ptx_resolve(c, thread, op->access.space,
			    address[b->lane] + (uint64_t)s->element * bytes, bytes, write, &where,
			    &phys))
			return memory_fault(a, "an access outside all buffers and variables");
		if (o->own && !ptx_is_own(c, thread, phys))
			return memory_fault(a, PTX_NOT_OWN);
	}
	if (where == W_local || where == W_param || where == W_const) {
		if (o->class == PTX_ATOM || o->class == PTX_RED)
			return memory_fault(a, "an atomic access to memory that is not shared");
		if (write)
			private_store(b, s, op, phys);
		else
			private_load(c, thread, b, s, op, where, phys);
		return true;
	}
	if (o->class == PTX_STORE &&
		ptx_place_open(b, s, element_place(op, PTX_STORE, 1, s->element, &width))) {
		ptx_refuse_open(s, a);
		return false;
	}
	a->sem = o->sem;
	a->scope = o->scope;
	a->proxy = o->proxy;
	a->size = (uint8_t)bytes;
	a->address_known = known;
	a->paired = s->half_done && n > 1;
	a->element = s->element || (s->half_done && n > 1);
	a->virt = a->phys = phys;
	if (o->class == PTX_LOAD)
		load_event(s, o, a);
	else if (o->class == PTX_STORE)
		store_event(b, s, op, a);
	else if (!s->half_done)
		atom_read(b, s, op, o, a);
	else
		atom_write(b, s, op, o, a);
	return false;
}

void ptx_memory_answer(struct ptx_bench *b, struct ptx_state *s, const struct action *a)
{
	const struct op *op = &b->code->ops[s->pc];
	unsigned width;
	s->old[0] = a->value_known ? a->value[0] : 0;
	s->old[1] = a->value_known ? a->value[1] : 0;
	s->old_known = a->value_known;
	if (b->code->op[s->pc].class != PTX_LOAD)
		return; /* an atom: its write is next */
	uint32_t place = element_place(op, PTX_LOAD, 0, s->element, &width);
	set_element(b, s, op, place, width, s->old, s->old_known, true);
	element_done(s, op->access.vector);
}
