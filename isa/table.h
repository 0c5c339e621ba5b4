/* The constant tables that the build makes from the .def files; private to isa/. */
#ifndef PTXI_ISA_TABLE_H
#define PTXI_ISA_TABLE_H
#include "isa/isa.h"

/* A perfect hash over names: text[slot[hash & mask]], 0 = no name. */
struct name_text {
	const char *text;
	uint32_t len;
};
struct name_table {
	uint32_t seed, mask;
	const uint16_t *slot;
	const struct name_text *text;
};
extern const struct name_table isa_word_names, isa_opcode_names, isa_sreg_names;

/* Word categories: word.def's last column. */
enum word_category {
	CAT_mod, /* says nothing */
	CAT_type, CAT_space, CAT_vec, CAT_linkage, CAT_directive, CAT_sem, CAT_scope, CAT_cop, CAT_l1, CAT_l2, CAT_hint, CAT_l2fetch, CAT_level, CAT_round,
	CAT_iround, CAT_cmp, CAT_op, CAT_component, CAT_geom, CAT_num_, CAT_shape,
	CAT_COUNT
};
struct word_info {
	uint8_t token, category;
};
extern const struct word_info isa_word_info[WORD_COUNT];

#endif
