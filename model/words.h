/* Memory orders and scopes of the model by the words of PTX that name them. */
#ifndef PTXI_MODEL_WORDS_H
#define PTXI_MODEL_WORDS_H
#include "isa/vocab.h"
#include "model/event.h"

/* W_NONE and what is no order: weak. */
static inline uint8_t event_sem_of(uint16_t word)
{
	switch (word) {
	case W_relaxed: return SEM_RELAXED;
	case W_acquire: return SEM_ACQUIRE;
	case W_release: return SEM_RELEASE;
	case W_acq_rel: return SEM_ACQ_REL;
	case W_sc: return SEM_SC;
	default: return SEM_WEAK;
	}
}

/* W_NONE and what is no scope: OTHERWISE. */
static inline uint8_t event_scope_of(uint16_t word, enum event_scope otherwise)
{
	switch (word) {
	case W_cta: return SCOPE_CTA;
	case W_cluster: return SCOPE_CLUSTER;
	case W_gpu: return SCOPE_GPU;
	case W_sys: return SCOPE_SYS;
	default: return (uint8_t)otherwise;
	}
}

#endif
