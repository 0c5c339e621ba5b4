/* Decoding of the instructions by which lanes of a warp exchange values: vote, match, activemask,
 * redux, elect, shfl. (PTX ISA 9.7.15, 9.7.10.6) */
#include "base/assert.h"
#include "code/decode.h"

/* The places of destination operand O; a PAIR has two. Returns their number. */
static unsigned destinations(struct decoder *d, const struct ir_operand *o, unsigned w0,
	unsigned w1, uint32_t *place, unsigned *width)
{
	width[0] = w0;
	width[1] = w1;
	if (o->kind != IR_PAIR) {
		place[0] = decode_dest(d, o, &width[0]);
		return 1;
	}
	place[0] = decode_dest(d, &d->module->operand[o->index], &width[0]);
	place[1] = decode_dest(d, &d->module->operand[o->index + 1], &width[1]);
	return 2;
}

static enum collective_mode collective_mode_of(const struct decoder *d)
{
	static const struct {
		uint16_t word;
		uint8_t mode;
	} modes[] = {{W_all, MODE_ALL}, {W_any, MODE_ANY}, {W_uni, MODE_UNI},
		{W_ballot, MODE_BALLOT}, {W_up, MODE_UP}, {W_down, MODE_DOWN}, {W_bfly, MODE_BFLY},
		{W_idx, MODE_IDX}};

	for (unsigned k = 0; k < sizeof modes / sizeof *modes; k++)
		if (decode_has(d, (enum word)modes[k].word))
			return (enum collective_mode)modes[k].mode;
	return MODE_NONE;
}

/* Emits an op of KIND: the destinations (the first of DEST_WIDTH bytes, the second of a PAIR a
 * predicate), then the sources of the widths WANT[]. */
static void decode_collective(struct decoder *d, const struct ir_insn *i, enum op_kind kind,
	unsigned dest_width, const unsigned *want)
{
	uint32_t place[8];
	unsigned width[8],
		nd = destinations(d, decode_operand(d, i, 0), dest_width, 0, place, width), n = nd;

	for (unsigned k = 1; k < i->noperands; k++, n++) {
		assert(n < 8);
		width[n] = want[k - 1];
		place[n] = decode_source(d, decode_operand(d, i, k), &width[n]);
	}
	struct op *op = decode_emit(d, kind);

	for (unsigned k = 0; k < n; k++)
		decode_add(op, place[k], width[k]);
	op->ndests = (uint8_t)nd;
	op->collective = (struct op_collective){.sync = decode_has(d, W_sync),
		.mode = (uint8_t)collective_mode_of(d),
		.atomic = (uint8_t)decode_atomic_operation(d),
		.type = (uint8_t)decode_type(d),
		.abs = decode_has(d, W_abs),
		.nan = decode_has(d, W_NaN)};
}

void decode_vote(struct decoder *d, const struct ir_insn *i)
{
	decode_collective(
		d, i, KIND_VOTE, decode_has(d, W_ballot) ? 4 : 0, (const unsigned[]){0, 4});
}

void decode_match(struct decoder *d, const struct ir_insn *i)
{
	unsigned bytes = type_bytes(decode_type(d));

	decode_collective(d, i, KIND_MATCH, 4, (const unsigned[]){bytes, 4});
}

void decode_activemask(struct decoder *d, const struct ir_insn *i)
{
	decode_collective(d, i, KIND_ACTIVEMASK, 4, (const unsigned[]){4});
}

void decode_redux(struct decoder *d, const struct ir_insn *i)
{
	decode_collective(d, i, KIND_REDUX, 4, (const unsigned[]){4, 4});
}

void decode_elect(struct decoder *d, const struct ir_insn *i)
{
	decode_collective(d, i, KIND_ELECT, 4, (const unsigned[]){4});
}

void decode_shfl(struct decoder *d, const struct ir_insn *i)
{
	decode_collective(d, i, KIND_SHFL, 4, (const unsigned[]){4, 4, 4, 4});
}
