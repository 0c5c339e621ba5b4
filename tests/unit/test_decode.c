/* The result of decoding every kind of instruction: in tests/unit/decode.ptx each line is followed
 * by the ops of its instructions with all that their kinds need, as //> lines. PTXI_UPDATE=1
 * rewrites them; then read the difference. */
#include "assembler/assembler.h"
#include "base/text.h"
#include "code/code.h"
#include "diag/source.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_FILE "tests/unit/decode.ptx"

struct listing {
	const struct code *code;
	const struct code_func *f;
	/* temporary locations, numbered in order of appearance */
	uint32_t temporary[64], temporaries;
	struct text *out;
};

static const char *const kind_name[] = {
#define KIND(NAME, executor, leads) #NAME,
#define IN_LOOP(NAME, leads) #NAME,
#include "code/op_kind.def"
};

/* Prints a register by its name, a constant by its value, others as t0, t1, ... */
static void put_place(struct listing *l, uint32_t place, unsigned width)
{
	const struct ir_module *m = l->code->module;
	const struct ir_func *f = &m->func[l->f->func];
	uint32_t k = 0;

	if (place & 1) {
		uint64_t v[2] = {0, 0};

		memcpy(v, l->f->constant + (place & ~1u), width ? width : 4);
		for (unsigned lane = 1; width && lane < LANES; lane++)
			cr_expect_eq(
				memcmp(l->f->constant + (place & ~1u) + lane * width, v, width), 0,
				"a constant is the same in all lanes");
		text_printf(l->out, " #%llx", (unsigned long long)v[0]);
		if (v[1])
			text_printf(l->out, "_%llx", (unsigned long long)v[1]);
		return;
	}
	if (!place) {
		text_puts(l->out, " cc");
		return;
	}
	for (uint32_t r = 0; r < f->nregs; r++) {
		const struct ir_register *reg = &m->reg[f->reg + r];

		for (unsigned c = 0; c < (reg->vector ? reg->vector : 1u); c++)
			if (place == l->f->reg_at[r] + c * l->f->reg_stride[r]) {
				text_printf(l->out, " %s", symbol_text(&m->symbols, reg->name));
				if (reg->vector)
					text_printf(l->out, ".%c", "xyzw"[c]);
				return;
			}
	}
	while (k < l->temporaries && l->temporary[k] != place)
		k++;
	if (k == l->temporaries) {
		cr_assert_lt(k, 64);
		l->temporary[l->temporaries++] = place;
	}
	text_printf(l->out, " t%u", k);
}

static void put_operands(struct listing *l, const struct op *op, unsigned from, unsigned to)
{
	for (unsigned k = from; k < to; k++) {
		if (op->kind == KIND_ALU && k + 1 == op->noperands && op->at[k] & 1 &&
			(k > 2 || op->width[k - 1] != 8) && op->width[k] == 8)
			text_puts(l->out, " #control"); /* contains indices into arith's tables */
		else
			put_place(l, op->at[k], op->width[k]);
		text_printf(l->out, ":%u", op->width[k]);
	}
}

#define FLAG(name, set) \
	do { \
		if (set) \
			text_printf(l->out, " %s", name); \
	} while (0)
#define NUMBER(name, n) text_printf(l->out, " %s %lld", name, (long long)(n))
#define WORD(name, w) text_printf(l->out, " %s %s", name, (w) ? word_text((enum word)(w)) : "-")

static void put_address(struct listing *l, const char *name, const struct op_address *a)
{
	text_printf(l->out, " %s[", name);
	if (a->width) {
		put_place(l, a->place, a->width);
		text_printf(l->out, ":%u", a->width);
	}
	text_printf(l->out, " + %lld %s]", (long long)a->add,
		a->space ? word_text((enum word)a->space) : "generic");
	FLAG("dynamic", a->dynamic);
	FLAG("own", a->own);
}

static void put_access(struct listing *l, const struct op *op)
{
	const struct op_access *a = &op->access;
	static const char *const base[] = {"plain", "frame", "dynamic"};

	WORD("space", a->space);
	text_printf(l->out, " %s x%u of %u base %u %s", type_info[a->type].name, a->vector,
		a->bytes, a->base_operand, base[a->base]);
	NUMBER("add", a->add);
	NUMBER("sem", a->sem);
	NUMBER("scope", a->scope);
	if (a->atomic != ATOMIC_NONE)
		NUMBER("atomic", a->atomic);
	FLAG("signed", a->is_signed);
	FLAG("integer", a->integer);
	FLAG("texture", a->texture_proxy);
	FLAG("unread", a->unread);
	FLAG("fixed", a->fixed);
	for (unsigned column = 0; a->vector_at && column < 2; column++)
		for (unsigned e = 0; e < a->vector; e++) {
			if (!a->vector_at->place[column][e])
				continue;
			text_printf(l->out, " %c%u", "dsc"[column], e);
			put_place(
				l, a->vector_at->place[column][e], a->vector_at->width[column][e]);
			text_printf(l->out, ":%u", a->vector_at->width[column][e]);
		}
}

static void put_texture(struct listing *l, const struct op *op)
{
	const struct op_texture *t = op->access.texture;

	NUMBER("what", t->what);
	NUMBER("dimensions", t->dimensions);
	FLAG("array", t->array);
	FLAG("cube", t->cube);
	FLAG("integer", t->integer);
	FLAG("samples", t->samples);
	NUMBER("result", t->result);
	NUMBER("component", t->component);
	NUMBER("outside", t->outside);
	if (t->query)
		WORD("query", t->query);
	text_printf(l->out, " handle");
	put_place(l, t->handle, 8);
	for (unsigned d = 0; d < t->dimensions; d++) {
		text_printf(l->out, " at%u", d);
		put_place(l, t->coordinate[d], 4);
		text_printf(l->out, " move");
		put_place(l, t->move[d], 4);
	}
	for (unsigned k = 0; t->what >= SURFACE_STORE && k < op->access.vector; k++) {
		text_printf(l->out, " value%u", k);
		put_place(l, t->value[k], t->value_bytes[k]);
	}
}

static void put_async(struct listing *l, const struct op *op)
{
	const struct op_async *a = &op->async;

	put_address(l, "to", &a->operands->to);
	put_address(l, "from", &a->operands->from);
	put_address(l, "bar", &a->operands->bar);
	for (unsigned k = 0; k < 4; k++)
		if (a->operands->width[k]) {
			put_place(l, a->operands->place[k], a->operands->width[k]);
			text_printf(l->out, ":%u", a->operands->width[k]);
		}
	NUMBER("sem", a->sem);
	NUMBER("scope", a->scope);
	NUMBER("type", a->type);
	NUMBER("bytes", a->bytes);
	NUMBER("vector", a->vector);
	NUMBER("source", a->source);
	if (a->atomic != ATOMIC_NONE)
		NUMBER("atomic", a->atomic);
	FLAG("signals", a->signals);
	FLAG("multicast", a->multicast);
	FLAG("masked", a->masked);
	FLAG("noinc", a->noinc);
}

static void put_tensor(struct listing *l, const struct op_tensor *t)
{
	put_address(l, "map", &t->map);
	NUMBER("dims", t->dims);
	NUMBER("mode", t->mode);
	FLAG("store", t->store);
	FLAG("pair", t->pair);
	for (unsigned k = 0; k < t->nat; k++)
		put_place(l, t->at[k], t->at_width[k]);
	for (unsigned k = 0; k < t->noffset; k++)
		put_place(l, t->offset[k], t->offset_width[k]);
	if (t->overrides)
		put_place(l, t->address, t->address_width);
	for (unsigned k = 0; t->overrides == 2 && k < t->dims; k++)
		put_place(l, t->size[k], t->size_width[k]);
	for (unsigned k = 0; t->overrides == 2 && k + 1 < t->dims; k++)
		put_place(l, t->stride[k], t->stride_width[k]);
	if (t->overrides == 2 && t->dims > 1)
		put_place(l, t->upper_strides, t->upper_width);
}

static void put_arguments(struct listing *l, const char *what, const struct argument *a, uint32_t n)
{
	text_printf(l->out, " %s(", what);
	for (uint32_t k = 0; k < n; k++) {
		if (a[k].kind == ARGUMENT_NONE)
			text_puts(l->out, " _");
		else if (a[k].kind == ARGUMENT_LOCAL)
			text_printf(l->out, " at %u bytes %u align %u%s", a[k].place, a[k].bytes,
				a[k].align, a[k].array ? " array" : "");
		else {
			put_place(l, a[k].place, a[k].width);
			text_printf(l->out, ":%u", a[k].width);
		}
	}
	text_puts(l->out, " )");
}

static void put_matrix(struct listing *l, const struct op_mma *m)
{
	const struct matrix_product *p = m->product;
	const struct fragment *f[] = {&p->a, &p->b, &p->c};

	text_printf(l->out, " m%un%uk%u", p->form.m, p->form.n, p->form.k);
	for (unsigned k = 0; k < 3; k++) {
		text_printf(l->out, " %c", "abc"[k]);
		for (unsigned r = 0; r < f[k]->registers; r++)
			put_place(l, m->place[k][r], f[k]->bytes);
	}
	if (p->form.sparse) {
		put_place(l, m->metadata, 4);
		NUMBER("selector", p->form.selector);
	}
	text_printf(l->out, " %s %s %s %s", type_info[p->form.d].name, type_info[p->form.a].name,
		type_info[p->form.b].name, type_info[p->form.c].name);
	FLAG("swapped", p->swapped);
	FLAG("quads", p->form.quads);
	FLAG("a_columns", p->form.a_columns);
	FLAG("b_rows", p->form.b_rows);
	FLAG("saturate", p->form.saturate);
	FLAG("exclusive", p->form.exclusive);
	NUMBER("rounding", p->form.rounding);
	FLAG("kind", p->form.kind);
	FLAG("packed", p->form.packed);
	if (p->form.scales)
		NUMBER("scales", p->form.scales);
	for (unsigned side = 0; p->form.scales && side < 2; side++) {
		put_place(l, m->scale[side], 4);
		for (unsigned k = 0; k < 2; k++)
			put_place(l, m->selector[side][k], 2);
	}
	if (p->form.scales)
		text_printf(l->out, " %s", type_info[p->form.scale_type].name);
}

static void put_tensor_core(struct listing *l, const struct op_tcgen *t)
{
	text_printf(l->out, " %u", t->what);
	for (unsigned k = 0; k < t->registers; k++)
		put_place(l, t->place[k], 4);
	NUMBER("shape", t->shape);
	NUMBER("split", t->split);
	NUMBER("rows", t->rows);
	NUMBER("kind", t->kind);
	NUMBER("scale", t->scale);
	FLAG("pair", t->pair);
	FLAG("exclusive", t->exclusive);
	FLAG("halves", t->halves);
	FLAG("ws", t->ws);
	FLAG("a_in_tensor", t->a_in_tensor);
	FLAG("masks", t->masks);
	FLAG("zeroes", t->zeroes);
}

static void put_warpgroup(struct listing *l, const struct op_wgmma *m)
{
	const struct warpgroup_form *f = &m->product->form;

	text_printf(l->out, " m64n%uk%u d", f->n, f->part.k);
	for (unsigned k = 0; k < m->registers; k++)
		put_place(l, m->d[k], 4);
	for (unsigned k = 0; k < (f->registers ? 4 : 0); k++)
		put_place(l, m->a[k], 4);
	for (unsigned k = f->registers; k < 2; k++)
		put_place(l, m->descriptor[k], 8);
	if (f->part.sparse) {
		put_place(l, m->metadata, 4);
		NUMBER("selector", f->part.selector);
	}
	put_place(l, m->scale, 0);
	text_printf(l->out, " %s %s %s", type_info[f->part.d].name, type_info[f->part.a].name,
		type_info[f->part.b].name);
	FLAG("saturate", f->part.saturate);
	FLAG("minus_a", f->negated[0]);
	FLAG("minus_b", f->negated[1]);
	FLAG("a_transposed", f->transposed[0]);
	FLAG("b_transposed", f->transposed[1]);
}

static void put_kind(struct listing *l, const struct op *op)
{
	switch ((enum op_kind)op->kind) {
	case KIND_ALU:
		NUMBER("rule", op->alu.rule);
		if (op->alu.complemented)
			NUMBER("complemented", op->alu.complemented);
		FLAG("ftz", op->alu.ftz);
		if (op->alu.type)
			text_printf(l->out, " %s", type_info[op->alu.type].name);
		if (op->alu.compare || op->alu.with) {
			WORD("compare", op->alu.compare);
			WORD("with", op->alu.with);
		}
		if (op->alu.to_bytes)
			text_printf(l->out, " %s%u to %s%u", op->alu.from_signed ? "s" : "u",
				op->alu.from_bytes, op->alu.to_signed ? "s" : "u",
				op->alu.to_bytes);
		break;
	case KIND_BRANCH: NUMBER("target", op->branch.target); break;
	case KIND_BRANCH_INDEX:
		for (uint32_t k = 0; k < op->table->count; k++)
			NUMBER("target", op->table->target[k]);
		break;
	case KIND_CALL:
		NUMBER("func", (int32_t)op->call->func);
		NUMBER("provided", op->call->provided);
		put_arguments(l, "ret", op->call->ret, op->call->nrets);
		put_arguments(l, "arg", op->call->arg, op->call->nargs);
		break;
	case KIND_SREG:
		text_printf(l->out, " %s", sreg_text(op->sreg.which));
		NUMBER("component", op->sreg.component);
		break;
	case KIND_ADDRESS:
		NUMBER("offset", op->address.offset);
		FLAG("dynamic", op->address.dynamic);
		break;
	case KIND_CVTA: text_printf(l->out, " add %llx", (unsigned long long)op->cvta.add); break;
	case KIND_ISSPACEP:
		WORD("space", op->isspacep.space);
		FLAG("own", op->isspacep.own);
		break;
	case KIND_ALLOCA: NUMBER("align", op->stack.align); break;
	case KIND_LOAD:
	case KIND_STORE:
	case KIND_ATOM:
	case KIND_RED:
	case KIND_DISCARD: put_access(l, op); break;
	case KIND_TEXTURE: put_texture(l, op); break;
	case KIND_FENCE:
	case KIND_PROXY_FENCE:
		NUMBER("sem", op->fence.sem);
		NUMBER("scope", op->fence.scope);
		NUMBER("proxy", op->fence.proxy);
		NUMBER("covers", op->fence.covers);
		FLAG("init", op->fence.init);
		FLAG("clusters", op->fence.clusters);
		FLAG("one_way", op->fence.one_way);
		if (op->fence.map)
			put_address(l, "map", op->fence.map);
		break;
	case KIND_VOTE:
	case KIND_MATCH:
	case KIND_ACTIVEMASK:
	case KIND_REDUX:
	case KIND_ELECT:
	case KIND_SHFL:
		NUMBER("mode", op->collective.mode);
		text_printf(l->out, " %s",
			op->collective.type ? type_info[op->collective.type].name : "-");
		if (op->collective.atomic != ATOMIC_NONE)
			NUMBER("atomic", op->collective.atomic);
		FLAG("sync", op->collective.sync);
		FLAG("abs", op->collective.abs);
		FLAG("nan", op->collective.nan);
		break;
	case KIND_BARRIER:
		NUMBER("kind", op->barrier.kind);
		FLAG("counted", op->barrier.counted);
		FLAG("aligned", op->barrier.aligned);
		break;
	case KIND_CLUSTER_ARRIVE:
	case KIND_CLUSTER_WAIT:
		NUMBER("sem", op->cluster.sem);
		FLAG("aligned", op->cluster.aligned);
		break;
	case KIND_MAPA:
	case KIND_GETCTARANK: FLAG("generic", op->mapa.generic); break;
	case KIND_MBARRIER:
		put_address(l, "", op->mbarrier.address);
		NUMBER("what", op->mbarrier.what);
		NUMBER("sem", op->mbarrier.sem);
		NUMBER("scope", op->mbarrier.scope);
		FLAG("own", op->mbarrier.own);
		FLAG("drop", op->mbarrier.drop);
		FLAG("no_complete", op->mbarrier.no_complete);
		FLAG("expects", op->mbarrier.expects);
		FLAG("parity", op->mbarrier.parity);
		FLAG("tries", op->mbarrier.tries);
		break;
	case KIND_TRY_CANCEL:
	case KIND_CP_ASYNC:
	case KIND_CP_ASYNC_ARRIVE:
	case KIND_BULK:
	case KIND_ASYNC_VALUE:
	case KIND_ST_BULK: put_async(l, op); break;
	case KIND_TENSOR:
		put_tensor(l, op->async.operands->tensor);
		put_async(l, op);
		break;
	case KIND_TENSOR_REPLACE:
		put_address(l, "at", &op->image->at);
		NUMBER("field", op->image->field);
		NUMBER("ordinal", op->image->ordinal);
		break;
	case KIND_TENSOR_PUBLISH:
		put_address(l, "to", &op->image->at);
		put_address(l, "from", &op->image->from);
		break;
	case KIND_COMMIT_GROUP:
	case KIND_WAIT_GROUP:
		NUMBER("keep", op->group.keep);
		FLAG("bulk", op->group.bulk);
		FLAG("all", op->group.all);
		FLAG("read", op->group.read);
		break;
	case KIND_QUERY_CANCEL: NUMBER("what", op->query.what); break;
	case KIND_ROW_ADDRESS: /* of the parts that lane 5 gets */
		put_address(l, "", op->rows->address);
		for (unsigned k = 0; k < op->ndests; k++)
			text_printf(l->out, " lane %u offset %u", op->rows->from[k][5],
				op->rows->offset[k][5]);
		FLAG("writes", op->rows->writes);
		break;
	case KIND_FRAGMENT_ADDRESS:
		put_address(l, "", op->fragment->address);
		NUMBER("line", op->fragment->line[5]);
		NUMBER("along", op->fragment->along[5]);
		NUMBER("bits", op->fragment->bits);
		NUMBER("stride_bits", op->fragment->stride_bits);
		NUMBER("aligned", op->fragment->aligned);
		FLAG("first", op->fragment->first);
		FLAG("writes", op->fragment->writes);
		break;
	case KIND_MMA: put_matrix(l, op->mma); break;
	case KIND_WGMMA: put_warpgroup(l, op->async.operands->wgmma); break;
	case KIND_TCGEN: put_tensor_core(l, op->async.operands->tcgen); break;
	case KIND_WGMMA_WAIT: NUMBER("keep", op->group.keep); break;
	case KIND_WGMMA_FENCE:
	case KIND_WGMMA_COMMIT:
	case KIND_MOVMATRIX: break;
	case KIND_POLICY: /* the number of the form, which changes with every new form */
	case KIND_RETURN:
	case KIND_EXIT:
	case KIND_TRAP:
	case KIND_BREAKPOINT:
	case KIND_SLEEP:
	case KIND_NOTHING:
	case KIND_UNSUPPORTED:
	case KIND_RESIZE:
	case KIND_REGROUP:
	case KIND_COMPLEMENT:
	case KIND_STACKSAVE:
	case KIND_STACKRESTORE:
	case KIND_WARP_BARRIER:
	case KIND_SETMAXNREG:
	case KIND_PENDING_COUNT:
	case KIND_COUNT: break;
	}
}

static void put_op(struct listing *l, uint32_t k)
{
	const struct op *op = &l->f->op[k];

	text_printf(l->out, "//> %u%s %s", k, op->first ? "" : " more", kind_name[op->kind]);
	if (op_is_guarded(op)) {
		text_printf(l->out, " @%s", op->guard_xor ? "!" : "");
		put_place(l, op->guard, 0);
	}
	put_operands(l, op, 0, op->ndests);
	text_puts(l->out, " <-");
	put_operands(l, op, op->ndests, op->noperands);
	for (unsigned j = op->noperands; j < OP_MAX_OPERANDS; j++)
		cr_expect(op->at[j] == 0 && op->width[j] == 0);
	put_kind(l, op);
	if (op->reconverge == NO_PC)
		text_puts(l->out, " meets nowhere");
	else if (op->reconverge != k + 1)
		NUMBER("meets at", op->reconverge);
	text_putc(l->out, '\n');
}

/* Prints the ops of the instructions in LINE. */
static void put_line(struct listing *l, uint32_t line)
{
	const struct ir_module *m = l->code->module;

	for (uint32_t f = 0; f < m->nfuncs; f++) {
		if (!l->code->func[f].decoded)
			continue;
		l->f = &l->code->func[f];
		for (uint32_t k = 0; k < l->f->nops; k++) {
			uint32_t insn = l->f->op[k].insn, at, column;

			if (insn == IR_NONE)
				continue;
			source_place(m->source, m->insn[insn].span.off, &at, &column);
			if (at != line)
				continue;
			if (k == 0)
				l->temporaries = 0;
			put_op(l, k);
			if (k + 1 == l->f->nops)
				text_printf(l->out, "//> local %u shared %u stack %u frame %u\n",
					l->f->local_bytes, l->f->shared_end, l->f->stack_bytes,
					l->f->frame_bytes);
		}
	}
}

static char *slurp(const char *name)
{
	FILE *f = fopen(name, "rb");
	char *text = calloc(1, 1 << 20);

	cr_assert_not_null(f, "%s is missing: run the tests from the root of the repository", name);
	cr_assert_lt(fread(text, 1, (1 << 20) - 1, f), (1 << 20) - 1);
	fclose(f);
	return text;
}

Test(decode, every_kind)
{
	char *text = slurp(TEXT_FILE);
	struct arena arena = {0};
	struct diags diags = {0};
	struct text out = {0}, shown = {0};
	struct source *s = source_new(&arena, TEXT_FILE, text, strlen(text));
	struct ir_module *m = assemble(s, NULL, &diags);
	uint32_t line = 1;

	diag_render(&diags, &shown, false);
	cr_assert_not_null(m, "%s", text_str(&shown));
	struct code code = {.module = m, .findings = &diags, .arena = &arena, .reconverges = true};
	struct listing l = {.code = &code, .out = &out};

	code_layout(&code);
	for (uint32_t k = 0; k < m->nvars; k++)
		if (m->var[k].space == W_global || m->var[k].space == W_const)
			code.var_at[k] = 0x1000 * (k + 1);
	for (uint32_t f = 0; f < m->nfuncs; f++)
		if (m->func[f].has_body)
			cr_assert(code_decode(&code, f));
	for (const char *at = text, *end; *at; at = end + 1, line++) {
		end = strchr(at, '\n');
		cr_assert_not_null(end);
		if (strncmp(at, "//>", 3) == 0)
			continue;
		text_add(&out, at, (size_t)(end + 1 - at));
		put_line(&l, line);
	}
	if (getenv("PTXI_UPDATE")) {
		FILE *f = fopen(TEXT_FILE, "wb");

		cr_assert_not_null(f);
		fputs(text_str(&out), f);
		fclose(f);
	} else {
		const char *is = text_str(&out), *was = text;

		for (; *is && *was && *is == *was; is++, was++)
			;
		while (is > text_str(&out) && is[-1] != '\n')
			is--, was--;
		cr_expect_str_eq(is, was,
			"decoding differs from what %s has, first here:\n%.*s\n%.*s", TEXT_FILE,
			(int)strcspn(is, "\n"), is, (int)strcspn(was, "\n"), was);
	}
	code_free(&code);
	text_free(&out);
	text_free(&shown);
	ir_module_free(m);
	diags_free(&diags);
	arena_free(&arena);
	free(text);
}
