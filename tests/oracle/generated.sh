#!/bin/sh
# What ptxi generates from its tables: manual pages without a warning of man, completions that bash and zsh are asked, syntax files that vim and a regular expression engine
# apply to a program.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
fail() {
	echo "generated: $*"
	bad=1
}
skip() { echo "SKIP generated: $*"; }

$ptxi --generate nothing >"$dir/out" 2>&1 && fail "an unknown kind is accepted"
$ptxi --generate man nothing >"$dir/out" 2>&1 && fail "an unknown command has a page"
commands=$($ptxi --generate commands)
for command in run check explore as dis explain grade merge learn debug exec; do
	case " $(echo "$commands" | tr '\n' ' ') " in *" $command "*) ;; *) fail "$command is not among the commands" ;; esac
done

# ---- manual pages: every option of --help, in its order ----
for command in $commands; do
	$ptxi --generate man "$command" >"$dir/page" || fail "$command has no page"
	$ptxi "$command" --help | cut -c1-34 | sed -n 's/^  \(-[^ ]*\),* *\(--[a-z-]*\).*/\1 \2/p; t; s/^  \(-[-a-zA-Z]*\).*/\1/p' | tr ' ' '\n' | sed 's/[,=].*//; /^$/d' >"$dir/help"
	sed -n '/^\.TP$/{n;p;}' "$dir/page" | sed 's/\\-/-/g; s/\\f[BIR]//g; s/=.*//; s/^\(-[a-zA-Z]\) [A-Z].*/\1/; s/^-Wno.*/-W/' | sed 's/, /\n/' >"$dir/shown"
	sed -i 's/^-Wno.*/-W/' "$dir/help"
	cmp -s "$dir/help" "$dir/shown" || { fail "the page of $command and --help differ:" && diff "$dir/help" "$dir/shown"; }
	if command -v groff >/dev/null; then
		said=$(LC_ALL=C groff -man -Tascii -ww "$dir/page" 2>&1 >/dev/null)
		[ -z "$said" ] || fail "groff on the page of $command: $said"
	fi
	tests=$((tests + 1))
done
command -v groff >/dev/null || skip "groff is not installed"

# ---- bash ----
if command -v bash >/dev/null; then
	$ptxi --generate bash >"$dir/ptxi.bash"
	: >"$dir/a file.ptx"
	: >"$dir/b.ptx"
	complete() { # WORD...: what is offered for the last word
		(cd "$dir" && bash -c '. ./ptxi.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ptxi; [ ${#COMPREPLY[@]} = 0 ] || printf "%s\n" "${COMPREPLY[@]}"' bash "$@") | tr '\n' '|'
		tests=$((tests + 1))
	}
	offers() { # WANTED WORD...
		wanted=$1
		shift
		got=$(complete "$@")
		[ "$got" = "$wanted" ] || fail "bash completes '$*' to '$got', not '$wanted'"
		tests=$((tests + 1))
	}
	offers 'explore|explain|' ptxi exp
	offers '--schedule=|' ptxi run --sch
	offers 'lockstep|' ptxi run --schedule = l
	offers 'fair|lockstep|random|' ptxi run --schedule =
	offers 'b.ptx|' ptxi run b
	offers 'a file.ptx|' ptxi check a
	offers '--verify|' ptxi explore --verif
	offers '' ptxi run --verif
	offers '' ptxi run --seed = ''
	offers 'b.ptx|' ptxi run --script = b
	offers 'mbarrier|' ptxi explain mbarr
	offers 'R0101|' ptxi explain R0101
	for command in $commands; do
		got=$(complete ptxi "$command" - | tr '|' '\n' | sed 's/=$//' | sort)
		want=$($ptxi "$command" --help | grep -oE '^  -.{1,30}' | grep -oE -e '--[a-z][a-z-]*|(^|[ ,])-[a-zA-Z]' | tr -d ' ,' | sort)
		[ "$got" = "$want" ] || { fail "bash offers for $command:" && printf '%s\n%s\n' "$got" "$want" | sort | uniq -u; }
	done
else
	skip "bash is not installed"
fi

# ---- zsh: the specifications that _arguments gets ----
if command -v zsh >/dev/null; then
	mkdir "$dir/zsh"
	$ptxi --generate zsh >"$dir/zsh/_ptxi"
	for command in $commands; do
		zsh -fc 'fpath=($1); _arguments() { print -l -- "$@" }; _describe() { }; _files() { }; words=(ptxi $2 -); CURRENT=3; autoload _ptxi; _ptxi' zsh "$dir/zsh" "$command" >"$dir/specs" 2>&1 ||
			fail "zsh fails for $command: $(head -n 1 "$dir/specs")"
		got=$(grep -oE '^\*-[-a-zA-Z]*' "$dir/specs" | sed 's/^\*//; s/^-W-$/-W/' | sort)
		want=$($ptxi "$command" --help | grep -oE '^  -.{1,30}' | grep -oE -e '--[a-z][a-z-]*|(^|[ ,])-[a-zA-Z]' | tr -d ' ,' | sort)
		[ "$got" = "$want" ] || { fail "zsh gets for $command:" && printf '%s\n%s\n' "$got" "$want" | sort | uniq -u; }
		tests=$((tests + 1))
	done
else
	skip "zsh is not installed"
fi

# ---- syntax: the group of places in a line ----
cat >"$dir/t.ptx" <<'END'
//@ launch k<<<1, 32>>>()
.visible .entry k(.param .u64 a)
{
	mbarrier.try_wait.shared::cta.b64 p, [a], 0x10; // mov
	mov.u32 %r1, %tid.x;
loop:	@%p bra loop;
}
END
if command -v vim >/dev/null && vim --version | grep -q '+syntax'; then
	$ptxi --generate vim >"$dir/ptx.vim"
	cat >"$dir/ask.vim" <<'END'
set nocompatible
syntax on
source ptx.vim
let s:out = []
for [s:line, s:text] in [[1, 'launch'], [1, '//@'], [2, '\.visible'], [2, '\.entry'], [2, '\.param'], [2, '\.u64'], [4, 'mbarrier'], [4, 'try_wait'], [4, '\.shared::cta'], [4, '\.b64'], [4, '0x10'], [4, 'mov'], [5, 'mov'], [5, '%r1'], [5, '%tid'], [6, 'loop'], [6, 'bra']]
  call add(s:out, s:text . ' ' . synIDattr(synID(s:line, match(getline(s:line), s:text) + 2, 1), 'name'))
endfor
call writefile(s:out, 'groups')
qall!
END
	(cd "$dir" && vim -u NONE -es -S ask.vim t.ptx >"$dir/said" 2>&1 </dev/null) || { fail "vim: " && cat "$dir/said"; }
	cat >"$dir/wanted" <<'END'
launch ptxScriptWord
//@ ptxScript
\.visible ptxDirective
\.entry ptxDirective
\.param ptxSpace
\.u64 ptxType
mbarrier ptxInstruction
try_wait ptxModifier
\.shared::cta ptxModifier
\.b64 ptxType
0x10 ptxNumber
mov ptxComment
mov ptxInstruction
%r1 
%tid ptxSpecial
loop ptxLabel
bra ptxInstruction
END
	cmp -s "$dir/wanted" "$dir/groups" || { fail "vim's groups differ:" && diff "$dir/wanted" "$dir/groups"; }
	tests=$((tests + 1))
else
	skip "vim with +syntax is not installed"
fi
if command -v python3 >/dev/null; then
	$ptxi --generate vscode >"$dir/ptx.json"
	cat >"$dir/ask.py" <<'END'
import json, re, sys

grammar = json.load(open("ptx.json"))
rules = [(p["name"], re.compile(p.get("match") or p["begin"])) for p in grammar["patterns"]]
def scope(line, text):  # of the earliest rule that covers TEXT, scanning as an editor does
    at, want = 0, line.index(text)
    while at <= want:
        found = [(m.start(), k, m, name) for k, (name, r) in enumerate(rules) for m in [r.search(line, at)] if m and m.end() > m.start()]
        if not found:
            return None
        _, _, m, name = min(found, key=lambda f: f[:2])
        if m.start() <= want < m.end():
            return name
        at = m.end()
lines = open("t.ptx").read().split("\n")
for n, text, wanted in ((1, "//@", "meta.script.ptx"), (2, ".entry", "keyword.control.directive.ptx"), (2, ".param", "storage.modifier.space.ptx"),
                        (2, ".u64", "storage.type.ptx"), (4, "mbarrier", "keyword.mnemonic.ptx"), (4, ".try_wait", "support.type.modifier.ptx"),
                        (4, ".shared::cta", "support.type.modifier.ptx"), (4, "0x10", "constant.numeric.ptx"),
                        (4, "// mov", "comment.line.double-slash.ptx"), (5, "mov", "keyword.mnemonic.ptx"), (5, "%r1", None),
                        (5, "%tid", "variable.language.ptx"), (6, "loop:", "entity.name.label.ptx"), (6, "bra", "keyword.mnemonic.ptx")):
    got = scope(lines[n - 1], text)
    if got != wanted:
        print(f"generated: {text} of line {n} is {got}, not {wanted}")
        sys.exit(1)
END
	(cd "$dir" && python3 -B ask.py) || fail "the syntax for VS Code"
	tests=$((tests + 1))
else
	skip "python3 is not installed"
fi
[ $bad = 0 ] && echo "generated: $tests tests: manual pages, completions for bash and zsh, syntax for vim and VS Code"
exit $bad
