/* Files for other programs, made from the tables of options and of instructions, so that no list is
 * written twice: manual pages, completions for bash and zsh, syntax for vim and VS Code. */
#include "cli/cli.h"
#include "lessons/lesson.h"
#include "isa/isa.h"
#include <ctype.h>
#include <ptxi/ptxi.h>
#include <string.h>

/* --- choices: an argument such as "fair|lockstep|random" --- */

/* The next alternative of *AT that is not a placeholder (written in capitals); its length, or 0. */
static size_t next_choice(const char **at, const char **word)
{
	while (**at) {
		size_t n = strcspn(*at, "|");

		*word = *at;
		*at += n + ((*at)[n] == '|');
		if (n && islower((unsigned char)**word))
			return n;
	}
	return 0;
}

static bool has_choices(const char *argument)
{
	const char *at = argument, *word;

	return strchr(argument, '|') && next_choice(&at, &word);
}

static void put_choices(const char *argument, struct text *out)
{
	const char *at = argument, *word;
	size_t n;

	for (bool first = true; (n = next_choice(&at, &word)); first = false) {
		text_puts(out, first ? "" : " ");
		text_add(out, word, n);
	}
}

static bool takes_file(const char *argument)
{
	return strstr(argument, "FILE") || strstr(argument, "DIR") || strstr(argument, "OUT");
}

/* --- manual pages --- */

/* Text for troff: no line may begin with a control character, and a hyphen is not a minus. */
static void put_troff(struct text *out, const char *s)
{
	if (*s == '.' || *s == '\'')
		text_puts(out, "\\&");
	for (; *s; s++)
		if (*s == '-')
			text_puts(out, "\\-");
		else if (*s == '\\')
			text_puts(out, "\\e");
		else
			text_putc(out, *s);
}

static void man_option(const struct shown_option *o, struct text *out)
{
	text_puts(out, ".TP\n\\fB");
	put_troff(out, o->letter ? o->letter : "");
	text_puts(out, o->letter && o->name ? "\\fR, \\fB" : "");
	put_troff(out, o->name ? o->name : "");
	text_puts(out, "\\fR");
	if (o->argument) {
		text_puts(out, o->name ? "=" : o->attached ? "" : " ");
		text_puts(out, "\\fI");
		put_troff(out, o->argument);
		text_puts(out, "\\fR");
	}
	text_putc(out, '\n');
	put_troff(out, o->help);
	text_putc(out, '\n');
}

static bool man_page(const char *name, struct text *out)
{
	struct shown_command c, other;
	struct shown_option o;
	unsigned k = 0;

	while (name && command_shown(k, &c) && strcmp(c.name, name) != 0)
		k++;
	if (!name || !command_shown(k, &c))
		return false;
	text_puts(out, ".TH PTXI\\-");
	for (const char *s = name; *s; s++)
		text_putc(out, (char)toupper((unsigned char)*s));
	text_printf(out, " 1 \"\" \"ptxi %s\" \"User commands\"\n.SH NAME\nptxi\\-%s \\- ",
		PTXI_VERSION, name);
	put_troff(out, c.help);
	text_printf(out, "\n.SH SYNOPSIS\n.B ptxi %s\n[\\fIOPTION\\fR]... ", name);
	put_troff(out, c.synopsis);
	text_puts(out, "\n.SH DESCRIPTION\n");
	put_troff(out, c.help);
	text_puts(out, ".\nSee\n.BR ptxi (1)\nfor an introduction.\n.SH OPTIONS\n");
	for (unsigned row = 0; option_shown(row, &o); row++)
		if (o.commands & 1u << k)
			man_option(&o, out);
	text_puts(out, ".SH EXIT STATUS\n");
	put_troff(out, options_statuses);
	text_puts(out, "\n.SH SEE ALSO\n.BR ptxi (1)");
	for (unsigned row = 0; command_shown(row, &other); row++)
		if (row != k)
			text_printf(out, ",\n.BR ptxi\\-%s (1)", other.name);
	text_putc(out, '\n');
	return true;
}

/* --- completions --- */

/* The words that `ptxi explain` knows and a table has. */
static void put_explained(struct text *out)
{
	const struct script_word *w;

	for (unsigned k = 1; k < DIAG_COUNT; k++)
		text_printf(out, "%s ", diag_code_info((enum diag_code)k).code);
	for (unsigned k = 1; k < OPCODE_COUNT; k++)
		text_printf(out, "%s ", opcode_text((enum opcode)k));
	for (unsigned k = 0; (w = script_word(k)); k++)
		text_printf(out, "%s%s", k ? " " : "", w->word);
}

static void bash_names(unsigned command, struct text *out)
{
	struct shown_option o;

	for (unsigned k = 0; option_shown(k, &o); k++)
		if (o.commands & command) {
			text_printf(out, "%s%s%s ", o.letter ? o.letter : "",
				o.letter && o.name ? " " : "", o.name ? o.name : "");
			if (o.name && o.argument)
				out->data[out->len - 1] = '=', text_putc(out, ' ');
		}
}

static void bash(struct text *out)
{
	struct shown_command c;
	struct shown_option o;

	text_puts(out,
		"# bash completion for ptxi, made from its table of options\n"
		"_ptxi() {\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} option= command= k\n"
		"\tlocal names= files=yes IFS=$' \\t\\n'\n"
		"\t# bash makes three words of --name=value\n"
		"\tif [ \"$cur\" = '=' ]; then\n"
		"\t\toption=${COMP_WORDS[COMP_CWORD-1]} cur=\n"
		"\telif [ \"$COMP_CWORD\" -gt 1 ] && [ \"${COMP_WORDS[COMP_CWORD-1]}\" = '=' ]; then\n"
		"\t\toption=${COMP_WORDS[COMP_CWORD-2]}\n"
		"\telse\n"
		"\t\tcase ${COMP_WORDS[COMP_CWORD-1]} in -?) option=${COMP_WORDS[COMP_CWORD-1]} ;; esac\n"
		"\tfi\n"
		"\tCOMPREPLY=()\n"
		"\tcase $option in\n");
	for (unsigned k = 0; option_shown(k, &o); k++)
		if (o.argument && (has_choices(o.argument) || takes_file(o.argument))) {
			text_printf(out, "\t%s%s%s) ", o.name ? o.name : "",
				o.name && o.letter ? " | " : "", o.letter ? o.letter : "");
			if (has_choices(o.argument)) {
				text_puts(out, "COMPREPLY=($(compgen -W '");
				put_choices(o.argument, out);
				text_puts(out, "' -- \"$cur\")) && return ;;\n");
			} else {
				text_puts(out,
					"compopt -o filenames 2>/dev/null; IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n");
			}
		}
	text_puts(out,
		"\t--*) return ;;\n\tesac\n\tfor ((k = 1; k < COMP_CWORD; k++)); do\n\t\tcase ${COMP_WORDS[k]} in\n\t\t");
	for (unsigned k = 0; command_shown(k, &c); k++)
		text_printf(out, "%s%s", k ? " | " : "", c.name);
	text_puts(out,
		")\n\t\t\tcommand=${COMP_WORDS[k]}\n\t\t\tbreak\n\t\t\t;;\n\t\tesac\n\tdone\n\tcase $command in\n");
	for (unsigned k = 0; command_shown(k, &c); k++) {
		text_printf(out, "\t%s) names='", c.name);
		bash_names(1u << k, out);
		text_puts(out, "' ;;\n");
	}
	text_puts(out, "\t*) names='");
	for (unsigned k = 0; command_shown(k, &c); k++)
		text_printf(out, "%s ", c.name);
	text_puts(out,
		"--help --version' ;;\n\tesac\n\tif [ \"$command\" = explain ]; then\n\t\tnames=\"$names ");
	put_explained(out);
	text_puts(out,
		"\"\n\t\tfiles=\n\tfi\n"
		"\tcase $cur in\n"
		"\t-*) COMPREPLY=($(compgen -W \"$names\" -- \"$cur\")) ;;\n"
		"\t*)\n"
		"\t\tCOMPREPLY=($(for k in $names; do case $k in -*) ;; \"$cur\"*) echo \"$k\" ;; esac; done))\n"
		"\t\tif [ \"$files\" ]; then\n"
		"\t\t\tcompopt -o filenames 2>/dev/null\n"
		"\t\t\tIFS=$'\\n'\n"
		"\t\t\tCOMPREPLY+=($(compgen -f -- \"$cur\"))\n"
		"\t\tfi\n"
		"\t\t;;\n"
		"\tesac\n"
		"\tcase ${COMPREPLY[0]} in --*=) compopt -o nospace 2>/dev/null ;; esac\n"
		"}\n"
		"complete -F _ptxi ptxi\n");
}

/* Text inside '...[...]' of zsh's _arguments. */
static void put_zsh(struct text *out, const char *s)
{
	for (; *s; s++)
		if (*s == '\'')
			text_puts(out, "'\\''");
		else if (strchr("[]:\\", *s))
			text_printf(out, "\\%c", *s);
		else
			text_putc(out, *s);
}

static void zsh_spec(const struct shown_option *o, const char *name, bool equals, struct text *out)
{
	text_printf(out, " \\\n\t\t\t'*%s%s[", name,
		!o->argument          ? ""
			: equals      ? "="
			: o->attached ? "-"
				      : "+");
	put_zsh(out, o->help);
	text_putc(out, ']');
	if (o->argument) {
		text_putc(out, ':');
		put_zsh(out, o->argument);
		text_putc(out, ':');
		if (has_choices(o->argument)) {
			text_putc(out, '(');
			put_choices(o->argument, out);
			text_putc(out, ')');
		} else if (takes_file(o->argument)) {
			text_puts(out, "_files");
		}
	}
	text_putc(out, '\'');
}

static void zsh(struct text *out)
{
	struct shown_command c;
	struct shown_option o;

	text_puts(out,
		"#compdef ptxi\n# zsh completion for ptxi, made from its table of options\n_ptxi() {\n\tlocal -a commands\n\tcommands=(\n");
	for (unsigned k = 0; command_shown(k, &c); k++) {
		text_printf(out, "\t\t'%s:", c.name);
		put_zsh(out, c.help);
		text_puts(out, "'\n");
	}
	text_puts(out,
		"\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\t_files\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n\twords=(\"${(@)words[2,-1]}\")\n\t((CURRENT--))\n\tcase $command in\n");
	for (unsigned k = 0; command_shown(k, &c); k++) {
		text_printf(out, "\t%s)\n\t\t_arguments", c.name);
		for (unsigned row = 0; option_shown(row, &o); row++) {
			if (!(o.commands & 1u << k))
				continue;
			if (o.letter)
				zsh_spec(&o, o.letter, false, out);
			if (o.name)
				zsh_spec(&o, o.name, true, out);
		}
		if (strcmp(c.name, "explain") == 0) {
			text_puts(out, " \\\n\t\t\t'*:word:(");
			put_explained(out);
			text_puts(out, ")'\n\t\t;;\n");
		} else {
			text_puts(out, " \\\n\t\t\t'*:file:_files'\n\t\t;;\n");
		}
	}
	text_puts(out, "\t*) _files ;;\n\tesac\n}\n_ptxi \"$@\"\n");
}

/* --- syntax --- */

enum group { GROUP_TYPE, GROUP_SPACE, GROUP_DIRECTIVE, GROUP_MODIFIER, GROUPS };

static enum group group_of(enum word w)
{
	enum word_token t = word_token(w);

	return t == TOKEN_TYPE                             ? GROUP_TYPE
		: t == TOKEN_SPACE                         ? GROUP_SPACE
		: t == TOKEN_VECTOR || t == TOKEN_MODIFIER ? GROUP_MODIFIER
							   : GROUP_DIRECTIVE;
}

/* The words of a group as a regular expression's alternatives. */
static void put_words(enum group g, const char *bar, struct text *out)
{
	bool first = true;

	for (unsigned w = 0; w < WORD_COUNT; w++) {
		const char *text = word_text((enum word)w);

		if (group_of((enum word)w) != g || !text || !*text)
			continue;
		text_printf(out, "%s%s", first ? "" : bar, text);
		first = false;
	}
}

static void put_opcodes(const char *bar, struct text *out)
{
	for (unsigned k = 1; k < OPCODE_COUNT; k++)
		text_printf(out, "%s%s", k > 1 ? bar : "", opcode_text((enum opcode)k));
}

static void put_sregs(const char *bar, struct text *out)
{
	for (unsigned k = 1; k < SREG_COUNT; k++)
		text_printf(out, "%s%s", k > 1 ? bar : "", sreg_text(k) + 1);
}

static void put_script_words(const char *bar, struct text *out)
{
	const struct script_word *w;

	for (unsigned k = 0; (w = script_word(k)); k++)
		text_printf(out, "%s%s", k ? bar : "", w->word);
}

static const struct {
	const char *vim, *link, *scope;
} groups[GROUPS] = {
	[GROUP_TYPE] = {"ptxType", "Type", "storage.type.ptx"},
	[GROUP_SPACE] = {"ptxSpace", "StorageClass", "storage.modifier.space.ptx"},
	[GROUP_DIRECTIVE] = {"ptxDirective", "PreProc", "keyword.control.directive.ptx"},
	[GROUP_MODIFIER] = {"ptxModifier", "Identifier", "support.type.modifier.ptx"},
};

static void vim(struct text *out)
{
	text_puts(out,
		"\" Vim syntax file for PTX, made by ptxi from its instruction table\n"
		"if exists('b:current_syntax')\n  finish\nendif\nsyn case match\n"
		"syn match ptxInstruction /\\%(^\\|[;{}:]\\|@!\\?[%A-Za-z0-9_$]\\+\\)\\@<=\\s*\\<\\%(");
	put_opcodes("\\|", out);
	text_puts(out, "\\)\\>/\n");
	for (unsigned g = 0; g < GROUPS; g++) {
		text_printf(out, "syn match %s /\\.\\%%(", groups[g].vim);
		put_words((enum group)g, "\\|", out);
		text_puts(out, "\\)\\%([A-Za-z0-9_$]\\)\\@!/\n");
	}
	text_puts(out, "syn match ptxSpecial /%\\%(");
	put_sregs("\\|", out);
	text_puts(out,
		"\\)\\>/\n"
		"syn match ptxNumber /\\<\\%(0[xX]\\x\\+\\|0[fFdD]\\x\\+\\|0[bB][01]\\+\\|\\d\\+\\%(\\.\\d*\\)\\?\\%([eE][-+]\\?\\d\\+\\)\\?\\)U\\?\\>/\n"
		"syn match ptxLabel /^\\s*[A-Za-z_$%][A-Za-z0-9_$]*\\ze:/\n"
		"syn region ptxString start=/\"/ skip=/\\\\./ end=/\"/ oneline\n"
		"syn keyword ptxScriptWord contained ");
	put_script_words(" ", out);
	text_puts(out,
		"\n"
		"syn region ptxComment start=/\\/\\*/ end=/\\*\\//\n"
		"syn match ptxComment /\\/\\/.*/\n"
		"syn match ptxScript /\\/\\/@.*/ contains=ptxScriptWord,ptxString,ptxNumber\n"
		"hi def link ptxInstruction Statement\n");
	for (unsigned g = 0; g < GROUPS; g++)
		text_printf(out, "hi def link %s %s\n", groups[g].vim, groups[g].link);
	text_puts(out,
		"hi def link ptxSpecial Constant\nhi def link ptxNumber Number\nhi def link ptxLabel Label\n"
		"hi def link ptxString String\nhi def link ptxComment Comment\nhi def link ptxScript SpecialComment\n"
		"hi def link ptxScriptWord Keyword\nlet b:current_syntax = 'ptx'\n");
}

static void vscode(struct text *out)
{
	text_puts(out,
		"{\n  \"name\": \"PTX\",\n  \"scopeName\": \"source.ptx\",\n  \"fileTypes\": [\"ptx\"],\n  \"patterns\": [\n"
		"    {\"name\": \"meta.script.ptx\", \"match\": \"//@.*$\", \"captures\": {\"0\": {\"patterns\": [\n"
		"      {\"name\": \"keyword.other.script.ptx\", \"match\": \"\\\\b(?:");
	put_script_words("|", out);
	text_puts(out,
		")\\\\b\"},\n"
		"      {\"name\": \"constant.numeric.ptx\", \"match\": \"\\\\b[0-9][0-9A-Za-z.]*\"},\n"
		"      {\"name\": \"comment.line.double-slash.ptx\", \"match\": \"//@\"}]}}},\n"
		"    {\"name\": \"comment.line.double-slash.ptx\", \"match\": \"//.*$\"},\n"
		"    {\"name\": \"comment.block.ptx\", \"begin\": \"/\\\\*\", \"end\": \"\\\\*/\"},\n"
		"    {\"name\": \"string.quoted.double.ptx\", \"match\": \"\\\"(?:[^\\\"\\\\\\\\]|\\\\\\\\.)*\\\"\"},\n"
		"    {\"name\": \"entity.name.label.ptx\", \"match\": \"^\\\\s*[A-Za-z_$%][A-Za-z0-9_$]*(?=:)\"},\n"
		"    {\"name\": \"variable.language.ptx\", \"match\": \"%(?:");
	put_sregs("|", out);
	text_puts(out,
		")\\\\b\"},\n    {\"name\": \"keyword.mnemonic.ptx\", \"match\": \"(?<![.%$\\\\w])(?:");
	put_opcodes("|", out);
	text_puts(out, ")(?=[.\\\\s;])\"},\n");
	for (unsigned g = 0; g < GROUPS; g++) {
		text_printf(out, "    {\"name\": \"%s\", \"match\": \"\\\\.(?:", groups[g].scope);
		put_words((enum group)g, "|", out);
		text_puts(out, ")(?![\\\\w$]|::)\"},\n");
	}
	text_puts(out,
		"    {\"name\": \"constant.numeric.ptx\", \"match\": \"(?<![\\\\w$%.])(?:0[xX][0-9A-Fa-f]+|0[fFdD][0-9A-Fa-f]+|0[bB][01]+|[0-9]+(?:\\\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)U?\\\\b\"}\n"
		"  ]\n}\n");
}

/* The table of docs/LESSONS.md. */
static void lessons(struct text *out)
{
	text_puts(out,
		"| | lesson | minutes | what you can do afterwards | what you have seen go wrong |\n|---|---|---|---|---|\n");
	for (unsigned k = 1; k <= lesson_count(); k++) {
		const char *before = "";
		struct lesson l;

		lesson_read(&l, k);
		text_printf(out, "| %u | [%s](../%s) | %u | %s |", k, l.title, l.page, l.minutes,
			l.goal);
		for (uint32_t f = 0; f < l.files.count; f++)
			if (l.files.data[f].kind == LESSON_WRONG) {
				text_printf(out, "%s %s", before, l.files.data[f].code);
				before = ",";
			}
		text_puts(out, " |\n");
		lesson_free(&l);
	}
}

bool generate(const char *kind, const char *command, struct text *out)
{
	static const struct {
		const char *name;
		void (*put)(struct text *out);
	} kinds[] = {{"bash", bash}, {"zsh", zsh}, {"vim", vim}, {"vscode", vscode},
		{"lessons", lessons}};
	struct shown_command c;

	if (strcmp(kind, "man") == 0)
		return man_page(command, out);
	if (strcmp(kind, "commands") == 0) {
		for (unsigned k = 0; command_shown(k, &c); k++)
			text_printf(out, "%s\n", c.name);
		return true;
	}
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
		if (strcmp(kinds[k].name, kind) == 0) {
			kinds[k].put(out);
			return true;
		}
	return false;
}
