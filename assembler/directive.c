/* Directives: the module's header, the directives between a function's head and body, .loc and
 * .pragma (PTX ISA 11). */
#include "assembler/internal.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool directive_require(
	struct assembler *as, struct span span, const char *what, unsigned ptx, unsigned sm)
{
	const struct isa_target *t = &as->m->target;

	if (t->ptx < ptx) {
		diag_help(as->diags,
			REPORT(as, E0428, span,
				"%s requires PTX %u.%u or later; this file is .version %u.%u", what,
				ptx / 10, ptx % 10, t->ptx / 10u, t->ptx % 10u),
			"write .version %u.%u", ptx / 10, ptx % 10);
		return false;
	}
	if (t->sm < sm) {
		diag_help(as->diags,
			REPORT(as, E0428, span, "%s requires sm_%u or later; the target is sm_%u",
				what, sm, t->sm),
			"write .target sm_%u", sm);
		return false;
	}
	return true;
}

struct known_target {
	uint16_t sm, ptx;      /* first PTX version of the plain target */
	uint16_t ptx_a, ptx_f; /* first PTX version of sm_XXa and of sm_XXf, 0 = no such target */
};
static const struct known_target known_targets[] = {
#define TARGET(sm, ptx, a, f) {sm, ptx, a, f},
#include "isa/target.def"
};

/* The table entry of TEXT ("sm_90a"), or NULL. A number greater than NEW that the table lacks is
 * taken for a future target: it gets the rules of the preceding entry, and *NEWER is set. */
static const struct known_target *find_target(const char *text, struct isa_target *out, bool *newer)
{
	enum { NEW = 103, MAX_NUMBER = 999 };
	const struct known_target *below = NULL;
	char *end;
	unsigned long sm;

	*newer = false;

	if (strncmp(text, "sm_", 3) != 0 && strncmp(text, "compute_", 8) != 0)
		return NULL;
	text = strchr(text, '_') + 1;
	if (*text < '0' || *text > '9')
		return NULL;
	sm = strtoul(text, &end, 10);
	for (size_t i = 0; i < sizeof known_targets / sizeof *known_targets; i++) {
		const struct known_target *t = &known_targets[i];

		if (t->sm < sm && (!below || t->sm > below->sm))
			below = t;
		if (t->sm != sm || (*end && end[1]) || (*end == 'a' && !t->ptx_a) ||
			(*end == 'f' && !t->ptx_f) || (*end && *end != 'a' && *end != 'f'))
			continue;
		out->sm = t->sm;
		out->suffix = *end;
		return t;
	}
	for (size_t i = 0; i < sizeof known_targets / sizeof *known_targets; i++)
		if (known_targets[i].sm == sm)
			return NULL;
	if (sm <= NEW || sm > MAX_NUMBER || (*end && (end[1] || (*end != 'a' && *end != 'f'))))
		return NULL;
	*newer = true;
	out->sm = below->sm;
	out->suffix = *end;
	return below;
}

static void check_target(struct assembler *as, const char *text, struct span span)
{
	struct isa_target *target = &as->m->target;
	bool newer;
	const struct known_target *t = find_target(text, target, &newer);
	unsigned need;

	if (!t) {
		diag_help(as->diags,
			REPORT(as, E0402, span, "'%s' is not a target of PTX %u.%u", text,
				PTX_NEWEST / 10, PTX_NEWEST % 10),
			"targets are sm_75, sm_80, sm_90, sm_90a, sm_100, ...");
		return;
	}
	if (newer)
		REPORT(as, W0516, span,
			"'%s' is newer than what ptxi knows: it is treated as sm_%u%.1s", text,
			t->sm, &target->suffix);
	need = target->suffix == 'a' ? t->ptx_a : target->suffix == 'f' ? t->ptx_f : t->ptx;
	if (target->ptx < need)
		diag_help(as->diags,
			REPORT(as, E0403, span,
				"target %s requires PTX %u.%u or later; this file is .version %u.%u",
				text, need / 10, need % 10, target->ptx / 10u, target->ptx % 10u),
			"write .version %u.%u", need / 10, need % 10);
}

static void target_word(
	struct assembler *as, const struct ast_operand *o, bool replaced, unsigned *architectures)
{
	const char *text = NAME(as, o->symbol);
	bool independent = strcmp(text, "texmode_independent") == 0;
	struct isa_target other;
	bool newer;

	if (strcmp(text, "debug") == 0) {
		as->m->debug = 1;
	} else if (independent || strcmp(text, "texmode_unified") == 0) {
		if (as->texmode && as->texmode != 1 + independent)
			REPORT(as, E0405, o->span,
				"texmode_unified and texmode_independent exclude each other");
		as->texmode = (uint8_t)(1 + independent);
		as->m->texmode_independent = independent;
	} else if (strcmp(text, "map_f64_to_f32") == 0) {
		REPORT(as, E0405, o->span,
			"map_f64_to_f32 is for sm_12 and earlier: every later target has .f64");
	} else if ((*architectures)++ == 0) {
		if (!replaced)
			check_target(as, text, o->span);
	} else if (!find_target(text, &other, &newer)) {
		REPORT(as, E0402, o->span, "'%s' is neither a target nor an option of PTX %u.%u",
			text, PTX_NEWEST / 10, PTX_NEWEST % 10);
	}
}

/* The check of ptxas -arch: code for ARCH can be generated from a file for the same or an earlier
 * target; from sm_90a only for sm_90a itself, from sm_100f only for targets of its family. */
static void check_arch(struct assembler *as, const char *arch, struct span span)
{
	const struct isa_target *have = &as->m->target;
	struct isa_target want = {0};
	bool newer, fits;

	if (!find_target(arch, &want, &newer)) {
		REPORT(as, E0402, span, "'%s' is not a target of PTX %u.%u", arch, PTX_NEWEST / 10,
			PTX_NEWEST % 10);
		return;
	}
	if (!have->sm)
		return;
	if (have->suffix == 'a')
		fits = want.sm == have->sm && want.suffix == 'a';
	else if (have->suffix == 'f')
		fits = want.suffix && want.sm >= have->sm && want.sm / 10 == have->sm / 10;
	else
		fits = want.sm >= have->sm;
	if (!fits)
		diag_help(as->diags,
			REPORT(as, E0437, span, "a file for sm_%u%.1s does not run on %s", have->sm,
				&have->suffix, arch),
			"--target=%s assembles it by the rules of that target", arch);
}

void directive_header(struct assembler *as, const struct assemble_options *options)
{
	struct ast_module *a = as->ast;
	struct isa_target *t = &as->m->target;
	enum { FAR = 200 }; /* beyond any plausible future version */
	bool given = options && options->ptx;
	unsigned architectures = 0, major = given ? options->ptx / 10 : a->version_major,
		 minor = given ? options->ptx % 10 : a->version_minor, version = major * 10 + minor;

	t->address_size = 64;
	if (a->version_major && (version >= FAR || minor > 9))
		diag_help(as->diags,
			REPORT(as, E0401, a->version_span, "PTX %u.%u does not exist", major,
				minor),
			"the newest version that ptxi knows is %u.%u", PTX_NEWEST / 10,
			PTX_NEWEST % 10);
	else if (version > PTX_NEWEST)
		REPORT(as, W0515, a->version_span,
			"PTX %u.%u is newer than what ptxi knows: it is treated as %u.%u", major,
			minor, PTX_NEWEST / 10, PTX_NEWEST % 10);
	t->ptx = (uint16_t)(version > PTX_NEWEST ? PTX_NEWEST : version);
	for (const struct ast_operand *o = a->targets; o; o = o->next)
		target_word(as, o, options && options->target, &architectures);
	if (options && options->target)
		check_target(as, options->target, a->target_span);
	else if (!architectures && a->targets)
		REPORT(as, E0402, a->target_span, ".target does not name an architecture");
	if (!t->ptx)
		t->ptx = PTX_NEWEST;
	if (options && options->arch)
		check_arch(as, options->arch, a->target_span);
	if (!t->sm) { /* already reported; prevents errors that only follow from it */
		t->sm = 100;
		t->suffix = 'a';
	}
	if (a->address_size && a->address_size != 64)
		diag_help(as->diags,
			REPORT(as, E0404, a->target_span,
				a->address_size == 32 ? "32-bit addressing is no longer supported"
						      : "addresses have 32 or 64 bits"),
			"write .address_size 64");
}

/* Reads up to three positive numbers; the missing ones become 1. */
static void directive_three(struct assembler *as, const struct ast_directive *d, uint32_t *out)
{
	unsigned n = 0;
	struct constant c;

	for (const struct ast_operand *o = d->args; o; o = o->next, n++) {
		if (!constant_eval(as, o, &c))
			return;
		if (c.kind == CONST_F64 || !c.bits || c.bits > UINT32_MAX || n == 3) {
			REPORT(as, E0426, o->span,
				n == 3 ? ".%s takes at most three numbers"
				       : ".%s takes positive numbers",
				word_text((enum word)d->word));
			return;
		}
		out[n] = (uint32_t)c.bits;
	}
	for (; n < 3 && n; n++)
		out[n] = 1;
}

static void directive_one(
	struct assembler *as, const struct ast_directive *d, uint32_t *out, bool zero)
{
	struct constant c;

	if (!d->args || d->args->next) {
		REPORT(as, E0426, d->span, ".%s takes one number", word_text((enum word)d->word));
		return;
	}
	if (!constant_eval(as, d->args, &c))
		return;
	if (c.kind == CONST_F64 || (!c.bits && !zero) || c.bits > UINT32_MAX - 1)
		REPORT(as, E0426, d->args->span, ".%s takes a positive number",
			word_text((enum word)d->word));
	else
		*out = (uint32_t)c.bits;
}

static bool directive_only(
	struct assembler *as, const struct ast_directive *d, bool allowed, const char *where)
{
	if (!allowed)
		REPORT(as, E0429, d->span, ".%s is for %s only", word_text((enum word)d->word),
			where);
	return allowed;
}

/* .language names where the function came from: checked, and without effect. */
static void directive_language(struct assembler *as, const struct ast_directive *d)
{
	static const char *const known[] = {"unknown", "ptx", "nvvm", "cuda c++", "cuda c++ tile",
		"tile ir", "python-cutile", "fortran", "optix"};

	if (!directive_require(as, d->span, ".language", 93, 0))
		return;
	for (const struct ast_operand *o = d->args; o; o = o->next) {
		struct constant c;
		bool ok = o->kind == AST_INT && constant_eval(as, o, &c) && c.bits <= 10;

		for (size_t k = 0; o->kind == AST_STRING && k < sizeof known / sizeof *known; k++)
			ok = ok || strcasecmp(NAME(as, o->symbol), known[k]) == 0;
		if (!ok)
			REPORT(as, E0426, o->span,
				".language takes names of languages or numbers from 0 to 10");
	}
}

static void apply_directive(struct assembler *as, struct ir_func *f, const struct ast_directive *d)
{
	const char *word = d->word ? word_text((enum word)d->word) : "";
	uint32_t value = 0;

	if (d->word == W_noreturn) {
		if (directive_only(as, d, !f->is_entry, "a .func") &&
			directive_require(as, d->span, ".noreturn", 64, 30))
			f->noreturn = 1;
	} else if (strncmp(word, "abi_preserve", 12) == 0) {
		if (!directive_only(as, d, !f->is_entry, "a .func") ||
			!directive_require(as, d->span, ".abi_preserve", 90, 80))
			return;
		directive_one(as, d, &value, true);
		*(word[12] ? &f->abi_preserve_control : &f->abi_preserve) = value + 1;
	} else if (d->word == W_pragma) {
		for (const struct ast_operand *o = d->args; o; o = o->next)
			directive_pragma(as, o->symbol, d->span, IR_NONE);
	} else if (d->word == W_language) {
		directive_language(as, d);
	} else if (d->word == W_attribute) {
		directive_require(as, d->span, ".attribute of a function", 80, 90);
	} else if (!directive_only(as, d, f->is_entry, "an .entry")) {
		return;
	} else if (d->word == W_minperctamemory) {
		if (directive_require(as, d->span, ".minperctamemory", 94, 80)) {
			directive_one(as, d, &value, true);
			f->minperctamemory = value + 1;
		}
	} else if (d->word == W_maxntid) {
		directive_three(as, d, f->maxntid);
	} else if (d->word == W_reqntid) {
		directive_three(as, d, f->reqntid);
	} else if (d->word == W_minnctapersm) {
		directive_one(as, d, &f->minnctapersm, false);
	} else if (d->word == W_maxnreg) {
		directive_one(as, d, &f->maxnreg, false);
	} else if (strcmp(word, "maxnctapersm") == 0) {
		diag_help(as->diags,
			REPORT(as, E0429, d->span, ".maxnctapersm was removed after PTX 2.0"),
			"write .minnctapersm");
	} else if (strcmp(word, "reqnctapercluster") == 0) {
		if (directive_require(as, d->span, ".reqnctapercluster", 78, 90))
			directive_three(as, d, f->reqnctapercluster);
	} else if (strcmp(word, "explicitcluster") == 0) {
		f->explicitcluster = directive_require(as, d->span, ".explicitcluster", 78, 90);
	} else if (strcmp(word, "maxclusterrank") == 0) {
		if (directive_require(as, d->span, ".maxclusterrank", 78, 90))
			directive_one(as, d, &f->maxclusterrank, true);
	} else { /* blocksareclusters */
		f->blocksareclusters = directive_require(as, d->span, ".blocksareclusters", 90, 90);
	}
}

static const struct ast_directive *find_directive(const struct ast_directive *d, enum word w)
{
	while (d && d->word != w)
		d = d->next;
	return d;
}

static void exclude_both(
	struct assembler *as, const struct ast_directive *a, const struct ast_directive *b)
{
	if (a && b)
		diag_label(as->diags,
			REPORT(as, E0427, a->span.off > b->span.off ? a->span : b->span,
				".%s and .%s cannot both be given", word_text((enum word)a->word),
				word_text((enum word)b->word)),
			as->source, a->span.off > b->span.off ? b->span : a->span,
			"the other directive");
}

void directive_function(struct assembler *as, struct ir_func *f, const struct ast_func *a)
{
	for (const struct ast_directive *d = a->directives; d; d = d->next)
		apply_directive(as, f, d);
	exclude_both(as, find_directive(a->directives, W_maxntid),
		find_directive(a->directives, W_reqntid));
	exclude_both(as, find_directive(a->directives, W_maxclusterrank),
		find_directive(a->directives, W_reqnctapercluster));
	if (f->blocksareclusters && (!f->reqntid[0] || !f->reqnctapercluster[0]))
		REPORT(as, E0427, a->name_span,
			".blocksareclusters requires .reqntid and .reqnctapercluster");
}

static uint64_t place_key(uint64_t file, uint64_t line, uint64_t column)
{
	return ((file * 0x9e3779b97f4a7c15u ^ line) * 0xff51afd7ed558ccdu ^ column) >> 1;
}

void directive_file(struct assembler *as, uint64_t number, struct span span)
{
	*vec_push(&as->file_wanted) = (struct wanted_file){number, span};
}

static void check_files(struct assembler *as)
{
	for (uint32_t i = 0; i < as->file_wanted.count; i++) {
		const struct wanted_file *w = &as->file_wanted.data[i];
		bool found = false;

		for (uint32_t k = 0; k < as->file_v.count; k++)
			found = found || as->file_v.data[k].number == w->number;
		if (!found)
			REPORT(as, E0120, w->span, "no .file has the number %llu",
				(unsigned long long)w->number);
	}
}

/* .loc_intermediate: checked only; the place that ptxi names is that of the .loc before it. */
static void loc_intermediate(struct assembler *as, const struct ast_loc *l, struct span span)
{
	const struct ir_loc *before = as->loc_v.count ? &as->loc_v.data[as->loc_v.count - 1] : NULL;

	if (!directive_require(as, span, ".loc_intermediate", 94, 0))
		return;
	if (!before || before->insn != as->insn_v.count - as->func_insn || as->loc_is_intermediate)
		REPORT(as, E0120, span,
			".loc_intermediate follows the .loc of the same instruction, once");
	as->loc_is_intermediate = true;
	directive_file(as, l->file, span);
}

void directive_loc(struct assembler *as, const struct ast_loc *l, struct span span)
{
	if (l->intermediate) {
		loc_intermediate(as, l, span);
		return;
	}
	as->loc_is_intermediate = false;
	if (l->inlined && !map_get(&as->places, place_key(l->at_file, l->at_line, l->at_column), 0))
		diag_help(as->diags,
			REPORT(as, E0120, span, "there is no earlier .loc %llu %llu %llu",
				(unsigned long long)l->at_file, (unsigned long long)l->at_line,
				(unsigned long long)l->at_column),
			"inlined_at names the location of the call, which has its own .loc");
	if (l->inlined && l->function_name && map_add(&as->inlined, l->function_name, 1))
		*vec_push(&as->inlined_name) = (struct named_place){l->function_name, span};
	map_add(&as->places, place_key(l->file, l->line, l->column), 1);
	*vec_push(&as->loc_end) = span.off + span.len;
	*vec_push(&as->loc_v) = (struct ir_loc){
		as->insn_v.count - as->func_insn,
		(uint32_t)l->file,
		(uint32_t)l->line,
		(uint32_t)l->column,
		l->function_name,
		(uint32_t)l->function_offset,
		(uint32_t)l->at_file,
		(uint32_t)l->at_line,
		(uint32_t)l->at_column,
	};
}

/* Function names in .loc directives are labels of a .section, which may be at the end of the
 * file. */
static void check_inlined_names(struct assembler *as)
{
	if (as->ast->section_labels)
		directive_require(
			as, as->ast->section_labels->span, "a label in a .section", 70, 0);
	for (const struct ast_operand *o = as->ast->section_labels; o; o = o->next)
		map_set(&as->inlined, o->symbol, 2);
	for (uint32_t i = 0; i < as->inlined_name.count; i++) {
		const struct named_place *n = &as->inlined_name.data[i];

		if (map_get(&as->inlined, n->symbol, 0) != 2)
			REPORT(as, E0120, n->span, "'%s' is not a label of a .section",
				NAME(as, n->symbol));
	}
}

/* Reports functions that are declared but never defined; like ptxas, only .extern ones are left to
 * a linker. */
static void check_definitions(struct assembler *as)
{
	for (uint32_t i = 0; i < as->func_v.count; i++) {
		const struct ir_func *f = &as->func_v.data[i];

		if (!f->has_body && !(f->linkage & IR_EXTERN) && f->alias_of == IR_NONE)
			diag_help(as->diags,
				REPORT(as, E0441, f->span,
					"%s '%s' is declared but has no body in this file",
					f->is_entry ? "kernel" : "function", NAME(as, f->name)),
				"define it, or declare it .extern");
	}
}

void directive_end(struct assembler *as)
{
	bool section = false;

	check_inlined_names(as);
	check_files(as);
	check_definitions(as);
	for (uint32_t i = 0; i < as->section_v.count; i++)
		section |= strncmp(NAME(as, as->section_v.data[i].name), ".debug_", 7) == 0;
	if (as->m->debug && !section)
		diag_help(as->diags,
			REPORT(as, E0442, as->ast->target_span,
				".target debug, but the file has no .section with debugging information"),
			"remove debug from .target");
}

/* Handles a .pragma. used_bytes_mask applies to the next instruction; every other string is stored
 * unchanged. */
void directive_pragma(struct assembler *as, uint32_t text, struct span span, uint32_t insn)
{
	const char *s = NAME(as, text), *number;
	char *end;
	unsigned long long mask;

	if (insn == IR_NONE &&
		(strcmp(s, "enable_smem_spilling") == 0 || strncmp(s, "frequency", 9) == 0)) {
		REPORT(as, E0443, span, ".pragma \"%s\" belongs inside a function", s);
		return;
	}
	if (as->func == IR_NONE && strncmp(s, "used_bytes_mask", 15) != 0 &&
		strcmp(s, "nounroll") != 0 && strncmp(s, "abi_param_reg", 13) != 0) {
		diag_help(as->diags,
			REPORT(as, E0443, span, "pragma \"%s\" is unknown at module scope", s),
			"inside a function unknown pragmas are ignored");
		return;
	}
	if (strncmp(s, "used_bytes_mask", 15) != 0) {
		*vec_push(&as->pragma_v) = (struct ir_pragma){as->func, insn, text, span};
		return;
	}
	number = s + 15 + strspn(s + 15, " \t");
	mask = strtoull(number, &end, 0);
	if (as->func == IR_NONE || insn == IR_NONE) {
		REPORT(as, E0430, span,
			".pragma \"used_bytes_mask\" must precede a load inside a function");
		return;
	}
	if (end == number || *end || mask > UINT32_MAX) {
		REPORT(as, E0430, span, "used_bytes_mask takes one 32-bit number");
		return;
	}
	as->used_bytes_set = true;
	as->used_bytes = (uint32_t)mask;
	as->used_bytes_span = span;
}
