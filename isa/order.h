/* Memory orders, scopes and atomic operations as enumerations, and the PTX words that name them.
 * (PTX ISA 8.3 to 8.5, 9.7.15.5) */
#ifndef PTXI_ISA_ORDER_H
#define PTXI_ISA_ORDER_H
#include "isa/vocab.h"
#include <stdbool.h>

/* RELAXED and everything after it is strong. */
enum sem { SEM_WEAK, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC };

/* From narrow to wide. A warp is not a scope. */
enum scope {
	SCOPE_CTA,
	SCOPE_CLUSTER,
	SCOPE_GPU,
	SCOPE_SYS,
	SCOPE_ANY /* matches any scope: complete-tx of an asynchronous copy */
};

enum atomic {
#define ATOMIC(NAME, word, commutes, result) ATOMIC_##NAME,
#include "isa/atomic.def"
	ATOMIC_COUNT,
	ATOMIC_NONE = ATOMIC_COUNT /* a plain copy or store, not a reduction */
};

static inline bool sem_acquires(enum sem s)
{
	switch (s) {
	case SEM_ACQUIRE:
	case SEM_ACQ_REL:
	case SEM_SC: return true;
	case SEM_WEAK:
	case SEM_RELAXED:
	case SEM_RELEASE: return false;
	}
	return false;
}

static inline bool sem_releases(enum sem s)
{
	switch (s) {
	case SEM_RELEASE:
	case SEM_ACQ_REL:
	case SEM_SC: return true;
	case SEM_WEAK:
	case SEM_RELAXED:
	case SEM_ACQUIRE: return false;
	}
	return false;
}

/* The word that names order S; W_NONE for weak. */
static inline enum word sem_word(enum sem s)
{
	switch (s) {
	case SEM_WEAK: return W_NONE;
	case SEM_RELAXED: return W_relaxed;
	case SEM_ACQUIRE: return W_acquire;
	case SEM_RELEASE: return W_release;
	case SEM_ACQ_REL: return W_acq_rel;
	case SEM_SC: return W_sc;
	}
	return W_NONE;
}

static inline enum word scope_word(enum scope s)
{
	switch (s) {
	case SCOPE_CTA: return W_cta;
	case SCOPE_CLUSTER: return W_cluster;
	case SCOPE_GPU: return W_gpu;
	case SCOPE_SYS: return W_sys;
	case SCOPE_ANY: return W_NONE;
	}
	return W_NONE;
}

/* Whether W names an order, which is stored in *SEM. .volatile and .mmio are relaxed (at .sys
 * scope). */
static inline bool sem_named(enum word w, enum sem *sem)
{
	switch ((int)w) {
	case W_relaxed:
	case W_volatile:
	case W_mmio: *sem = SEM_RELAXED; return true;
	case W_acquire: *sem = SEM_ACQUIRE; return true;
	case W_release: *sem = SEM_RELEASE; return true;
	case W_acq_rel: *sem = SEM_ACQ_REL; return true;
	case W_sc: *sem = SEM_SC; return true;
	default: return false;
	}
}

static inline bool scope_named(enum word w, enum scope *scope)
{
	switch ((int)w) {
	case W_cta: *scope = SCOPE_CTA; return true;
	case W_cluster: *scope = SCOPE_CLUSTER; return true;
	case W_gpu: *scope = SCOPE_GPU; return true;
	case W_sys: *scope = SCOPE_SYS; return true;
	default: return false;
	}
}

/* The operation that W names, or ATOMIC_NONE. */
static inline enum atomic atomic_named(enum word w)
{
	switch ((int)w) {
/* clang-format off */
#define ATOMIC(NAME, word, commutes, result) case W_##word: return ATOMIC_##NAME;
#include "isa/atomic.def"
		/* clang-format on */
	default: return ATOMIC_NONE;
	}
}

static inline bool atomic_commutes(enum atomic a)
{
	switch (a) {
/* clang-format off */
#define ATOMIC(NAME, word, commutes, result) case ATOMIC_##NAME: return commutes;
#include "isa/atomic.def"
		/* clang-format on */
	case ATOMIC_NONE: return false;
	}
	return false;
}

#endif
