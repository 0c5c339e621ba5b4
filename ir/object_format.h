/* The format shared by the writer and the reader of objects: header, variable-length numbers,
 * checksum. */
#ifndef PTXI_IR_OBJECT_FORMAT_H
#define PTXI_IR_OBJECT_FORMAT_H
#include "base/hash.h"
#include "ir/object.h"
#include <string.h>

#define OBJECT_MAGIC "\177PTXO\r\n\032"
enum { OBJECT_VERSION = 2, OBJECT_HEADER = IR_OBJECT_HEADER }; /* bytes of the header */
/* maximum operands of an instruction, elements included, and their maximum nesting depth */
enum { OBJECT_NODES = 1024, OBJECT_DEPTH = 8 };

/* Header, little-endian: magic 8 bytes, version u32, zero u32, table u64, content length u64,
 * places length u64, checksum u64 (of everything before and after it). */

/* Flags of a shape. */
enum { SHAPE_GUARD = 1, SHAPE_NEGATED = 2, SHAPE_BYTES = 4 };

/* A hash of this build's tables: objects contain numbers of forms, words, types and special
 * registers. */
uint64_t object_table(void);
/* Whether an operand of KIND is followed by the nodes of its elements. */
static inline bool object_has_elements(unsigned kind)
{
	return kind == IR_VEC || kind == IR_PAIR || kind == IR_LIST;
}
static inline uint64_t object_zigzag(uint64_t v) { return v << 1 ^ (v >> 63 ? UINT64_MAX : 0); }
static inline uint64_t object_unzigzag(uint64_t v) { return v >> 1 ^ (v & 1 ? UINT64_MAX : 0); }

#endif
