/* A kernel for each form: load the inputs, execute the instruction once, store the results. */
#include "vectors.h"
#include <stdio.h>
#include <string.h>

static const char *class_of(enum type t)
{
	switch ((int)t) {
	case TYPE_pred: return "p";
	case TYPE_b16: return "h";
	case TYPE_b32: return "r";
	case TYPE_f32: return "f";
	case TYPE_f64: return "fd";
	default: return "rd";
	}
}

/* Converts %rd<from> to register %<class><number> of TYPE. */
static void unpack(struct text *t, enum type type, unsigned number, const char *from)
{
	const char *c = class_of(type);

	if (type == TYPE_pred)
		text_printf(t, "\tand.b64 %%rd30, %s, 1;\n\tsetp.ne.u64 %%p%u, %%rd30, 0;\n", from,
			number);
	else if (type == TYPE_b16)
		text_printf(t, "\tcvt.u16.u64 %%h%u, %s;\n", number, from);
	else if (type == TYPE_b32)
		text_printf(t, "\tcvt.u32.u64 %%r%u, %s;\n", number, from);
	else if (type == TYPE_f32)
		text_printf(t, "\tcvt.u32.u64 %%r31, %s;\n\tmov.b32 %%f%u, %%r31;\n", from, number);
	else
		text_printf(t, "\tmov.b64 %%%s%u, %s;\n", c, number, from);
}

static void pack(struct text *t, enum type type, unsigned number, const char *to)
{
	const char *c = class_of(type);

	if (type == TYPE_pred)
		text_printf(t, "\tselp.u64 %s, 1, 0, %%p%u;\n", to, number);
	else if (type == TYPE_b16)
		text_printf(t, "\tcvt.u64.u16 %s, %%h%u;\n", to, number);
	else if (type == TYPE_b32)
		text_printf(t, "\tcvt.u64.u32 %s, %%r%u;\n", to, number);
	else if (type == TYPE_f32)
		text_printf(t, "\tmov.b32 %%r31, %%f%u;\n\tcvt.u64.u32 %s, %%r31;\n", number, to);
	else
		text_printf(t, "\tmov.b64 %s, %%%s%u;\n", to, c, number);
}

/* Registers: sources have numbers 0..5 of their class, destinations 10 and 11. */
static void kernel(const struct vector_form *f, unsigned k, struct text *t)
{
	char name[16];

	text_printf(t,
		".visible .entry f%u(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4, .param .u64 p5, .param .u64 out)\n{\n",
		k);
	text_puts(t,
		"\t.reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<16>; .reg .f64 %fd<16>;\n"
		"\tmov.u32 %r32, %ctaid.x;\n\tmov.u32 %r33, %tid.x;\n\tmad.lo.u32 %r32, %r32, 256, %r33;\n\tmul.wide.u32 %rd32, %r32, 8;\n");
	for (unsigned s = 0; s < f->nsources; s++) {
		if (f->source[s].constant)
			continue;
		snprintf(name, sizeof name, "%%rd%u", 20 + s);
		text_printf(t,
			"\tld.param.u64 %s, [p%u];\n\tadd.u64 %s, %s, %%rd32;\n\tld.global.u64 %s, [%s];\n",
			name, s, name, name, name, name);
		unpack(t, (enum type)f->source[s].type, s, name);
	}
	text_puts(t,
		"\tld.param.u64 %rd33, [out];\n\tadd.u64 %rd33, %rd33, %rd32;\n\tadd.u64 %rd33, %rd33, %rd32;\n\tmov.u64 %rd34, 0;\n\tmov.u64 %rd35, 0;\n");
	/* the word that the atomic operates on: p5's value, in the place of the second result */
	if (f->atomic)
		text_puts(t,
			"\tld.param.u64 %rd36, [p5];\n\tadd.u64 %rd36, %rd36, %rd32;\n\tld.global.u64 %rd36, [%rd36];\n\tst.global.u64 [%rd33+8], %rd36;\n");
	if (f->carries) /* CC = lowest bit of p5's value */
		text_puts(t,
			"\tld.param.u64 %rd36, [p5];\n\tadd.u64 %rd36, %rd36, %rd32;\n\tld.global.u32 %r34, [%rd36];\n\tand.b32 %r34, %r34, 1;\n"
			"\tadd.cc.u32 %r35, %r34, 0xffffffff;\n");
	text_printf(t, "\t%s ", f->name);
	const char *comma = "";
	if (f->dest != TYPE_NONE) {
		text_printf(t, "%%%s10", class_of((enum type)f->dest));
		if (f->second != TYPE_NONE)
			text_printf(t, "|%%%s11", class_of((enum type)f->second));
		comma = ", ";
	}
	if (f->atomic) {
		text_printf(t, "%s[%%rd33+8]", comma);
		comma = ", ";
	}
	for (unsigned s = 0; s < f->nsources; s++) {
		if (f->source[s].constant)
			text_printf(t, "%s0x%x", comma, f->source[s].value);
		else
			text_printf(
				t, "%s%%%s%u", comma, class_of((enum type)f->source[s].type), s);
		comma = ", ";
	}
	text_puts(t, ";\n");
	if (f->carries)
		text_puts(t, "\taddc.u32 %r36, 0, 0;\n\tcvt.u64.u32 %rd35, %r36;\n");
	if (f->dest != TYPE_NONE)
		pack(t, (enum type)f->dest, 10, "%rd34");
	if (f->second != TYPE_NONE)
		pack(t, (enum type)f->second, 11, "%rd35");
	text_puts(t, "\tst.global.u64 [%rd33], %rd34;\n");
	if (!f->atomic)
		text_puts(t, "\tst.global.u64 [%rd33+8], %rd35;\n");
	text_puts(t, "\tret;\n}\n");
}

void vector_module(const struct vector_form *f, unsigned n, struct text *out)
{
	text_puts(out, ".version 9.0\n.target sm_90\n.address_size 64\n");
	for (unsigned k = 0; k < n; k++)
		kernel(&f[k], k, out);
}
