/* Module scope: header, declarations, debugging sections. */
#include "parser/front.h"

/* Reads the digits on both sides of the point as written: 7.10 is not 7.1. */
void header_version(struct front *f, struct span span)
{
	const char *text = f->source->text + span.off;
	uint32_t part[2] = {0, 0}, k = 0;

	for (uint32_t i = 0; i < span.len && k < 2; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			part[k] = part[k] > 6000 ? part[k]
						 : part[k] * 10 + (uint32_t)(text[i] - '0');
		else if (text[i] == '.')
			k++;
		else
			break;
	}
	f->module->version_major = (uint16_t)part[0];
	f->module->version_minor = (uint16_t)part[1];
	f->module->version_span = span;
}

void header_target(struct front *f, struct ast_list targets, struct span span)
{
	header_again(f, targets);
	f->module->target_span = span;
}

/* A further .target, which ptxas accepts even inside a body, adds to the module's. */
void header_again(struct front *f, struct ast_list targets)
{
	f->targets = f->targets.last ? list_join(f->targets, targets) : targets;
	f->module->targets = f->targets.first;
	f->module->late_target |= f->func != NULL;
	f->keep = true;
}

void top_vars(struct front *f, struct ast_var *vars, struct span span)
{
	if (!f->bad)
		for (; vars; vars = vars->next)
			top_new(f, AST_TOP_VAR, span)->var = vars;
	f->bad = false;
}

void top_file(struct front *f, struct lexer_number number, uint32_t name,
	const struct lexer_number *mtime, const struct lexer_number *size, struct span span)
{
	struct ast_top *t = top_new(f, AST_TOP_FILE, span);

	t->file.number = number.value;
	t->file.name = name;
	t->file.has_mtime = mtime != NULL;
	t->file.mtime = mtime ? mtime->value : 0;
	t->file.size = size ? size->value : 0;
}

void top_section(
	struct front *f, uint32_t name, struct span open, struct span close, struct span span)
{
	struct ast_top *t = top_new(f, AST_TOP_SECTION, span);

	t->section.name = name;
	t->section.body = (struct span){open.off + open.len, close.off - open.off - open.len};
}

/* A block of .nv_intermediate_source_section: only its file is checked. */
void top_code_block(struct front *f, struct lexer_number file, struct span span)
{
	top_new(f, AST_TOP_CODE_BLOCK, span)->file.number = file.value;
}

void section_type(struct front *f, enum word w, struct span span)
{
	if (w != W_b8 && w != W_b16 && w != W_b32 && w != W_b64)
		diag_report(f->diags, DIAG_E0120, f->source, span,
			"the data of a section must be .b8, .b16, .b32 or .b64");
	f->section_word = (uint16_t)w;
}

/* As in ptxas, positive values are not checked against .b32. */
void section_number(struct front *f, struct lexer_number n, bool negative, struct span span)
{
	unsigned bits = f->section_word == W_b8 ? 8
		: f->section_word == W_b16      ? 16
		: f->section_word == W_b32      ? 32
						: 64;
	uint64_t most = negative ? (uint64_t)1 << (bits - 1)
		: bits < 32      ? ((uint64_t)1 << bits) - 1
				 : UINT64_MAX;

	if (n.value > most)
		diag_report(f->diags, DIAG_E0120, f->source, span, "this value does not fit .b%u",
			bits);
}

void section_label(struct front *f, uint32_t name, struct span span)
{
	struct ast_operand *o = operand_name(f, name, W_NONE, span);

	o->next = f->module->section_labels;
	f->module->section_labels = o;
	f->keep = true;
}

void top_pragma(struct front *f, struct ast_operand *strings, struct span span)
{
	for (; strings; strings = strings->next)
		top_new(f, AST_TOP_PRAGMA, span)->pragma = strings->symbol;
}

void top_alias(struct front *f, uint32_t name, uint32_t target, struct span span)
{
	struct ast_top *t = top_new(f, AST_TOP_ALIAS, span);

	t->alias.name = name;
	t->alias.target = target;
}
