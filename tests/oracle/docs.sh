#!/bin/sh
# README.md and docs/: every session shown ("$ command" in a fenced block, followed by its output; "..." stands for any lines) is run and compared, every mistake of
# DIAGNOSTICS.md is made, every option named exists, every link has a target.
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
ptxi=${PTXI:?}
case $ptxi in /*) ;; *) ptxi=$root/$ptxi ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
mkdir "$dir/bin" "$dir/at"
ln -s "$ptxi" "$dir/bin/ptxi"
ln -s "$root/tests" "$dir/at/tests"
PATH=$dir/bin:$PATH HOME=$dir
export PATH HOME NO_COLOR=1
unset XDG_STATE_HOME
pages="README.md CONTRIBUTING.md $(ls docs/*.md)"

fail() {
	echo "docs: $*"
	bad=1
}

# like WANT GOT: the same lines
like() { awk -f tests/oracle/like.awk "$1" "$2"; }

# ---- sessions ----
for page in $pages; do
	rm -f "$dir"/cmd.* "$dir"/want.*
	awk -v dir="$dir" '
	/^```/ { inside = !inside; file = ""; next }
	inside && /^\$ / { n++; file = dir "/want." 1000 + n; print substr($0, 3) > (dir "/cmd." 1000 + n); printf "" > file; next }
	inside && file { print > file }' "$page"
	for cmd in "$dir"/cmd.*; do
		[ -f "$cmd" ] || continue
		tests=$((tests + 1))
		want=$dir/want.${cmd##*.}
		(cd "$dir/at" && sh "$cmd") >"$dir/got" 2>&1 </dev/null
		case $? in
		0 | 1 | 4 | 5 | 6) ;;
		*) fail "$page: '$(cat "$cmd")' fails: $(head -n 1 "$dir/got")" ;;
		esac
		[ -s "$want" ] || continue
		like "$want" "$dir/got" || fail "$page: '$(cat "$cmd")' prints something else"
	done
done

# ---- README's session on a terminal of 80 columns: the same text, with colours that end on their line and no other control characters ----
if python3 -c 'import fcntl, pty, termios; pty.openpty()' 2>/dev/null; then
	rm -f "$dir"/cmd.* "$dir"/want.* "$dir/colours"
	awk -v dir="$dir" '
	/^```/ { inside = !inside; file = ""; next }
	inside && /^\$ / { n++; file = dir "/want." 1000 + n; print substr($0, 3) > (dir "/cmd." 1000 + n); printf "" > file; next }
	inside && file { print > file }' README.md
	for cmd in "$dir"/cmd.*; do
		tests=$((tests + 1))
		want=$dir/want.${cmd##*.}
		(cd "$dir/at" && python3 "$root/tests/oracle/terminal.py" "$dir/colours" "$(cat "$cmd")") >"$dir/got" 2>&1
		case $? in
		0 | 1 | 4 | 5 | 6) ;;
		*) fail "README.md, on a terminal: '$(cat "$cmd")' fails: $(tail -n 1 "$dir/got")" ;;
		esac
		sed -i '$ { /^$/d }' "$dir/got"
		[ ! -s "$want" ] || like "$want" "$dir/got" || fail "README.md, on a terminal: '$(cat "$cmd")' prints something else"
	done
	awk '{ n += $1 } END { exit n == 0 }' "$dir/colours" || fail "README.md: no command prints in colour on a terminal"
else
	echo "SKIP docs: README's session on a terminal: python3 with a pseudo-terminal is needed"
fi

# ---- the mistakes of DIAGNOSTICS.md: a frame, then for each the lines, and the messages of ptxas and ptxi ----
awk -v dir="$dir" '
/^### / { section++; block = 0; next }
/^## / && section { exit }
/^```/ { inside = !inside; if (inside) block++; next }
!section && inside { print > (dir "/frame") }
section && inside && block == 1 { sub(/^    /, "\t"); print > (dir "/lines." section) }
section && inside && block == 3 { print > (dir "/says." section) }' docs/DIAGNOSTICS.md
for lines in "$dir"/lines.*; do
	tests=$((tests + 1))
	awk -v lines="$lines" '{ sub(/^    /, "\t") } /^\t?\.\.\.$/ { while ((getline line < lines) > 0) print line; next } { print }' "$dir/frame" >"$dir/at/k.ptx"
	(cd "$dir/at" && ptxi as -w k.ptx) >"$dir/got" 2>&1
	like "$dir/says.${lines##*.}" "$dir/got" || fail "docs/DIAGNOSTICS.md: mistake ${lines##*.} is reported differently"
done

# ---- options and links ----
ptxi --help >"$dir/help"
for command in run check explore as dis explain grade merge learn debug exec cc; do ptxi $command --help; done >>"$dir/help"
cat $pages docs/ptxi.1 | sed '/^compute-sanitizer /d; /^clang++ /d; /pkg-config --/d; s/\\-/-/g' | grep -oE '(^|[^-a-zA-Z0-9])--[a-z][a-z-]*' | grep -oE -e '--[a-z-]+' | sort -u >"$dir/options"
tests=$((tests + $(wc -l <"$dir/options")))
for option in $(grep -oE -e '--[a-z-]+' "$dir/help" | grep -vxF -f - "$dir/options"); do
	fail "there is no option $option"
done
for page in $pages; do
	folder=${page%"${page##*/}"}
	for link in $(grep -oE '\]\([^)#]+\)' "$page" | sed 's/^](//; s/)$//'); do
		case $link in http*) continue ;; esac
		tests=$((tests + 1))
		[ -e "$folder$link" ] || fail "$page: $link is not there"
	done
done

# ---- the walk through the code: `file` exists, `file:name` contains the name ----
page=docs/ARCHITECTURE.md
for place in $(grep -oE '`[a-z]+/[a-zA-Z0-9_/.-]*(:[A-Za-z_0-9]+)?`' $page | tr -d '`' | sort -u); do
	file=${place%%:*}
	tests=$((tests + 1))
	[ -e "$file" ] || { fail "$page: $file is not there"; continue; }
	case $place in *:*) grep -qwF -e "${place#*:}" "$file" || fail "$page: $file does not name ${place#*:}" ;; esac
done

# ---- MEMORY-MODEL.md: its formulas are those that herd7 reads, and the files that it names exist ----
page=docs/MEMORY-MODEL.md
{
	awk '/^```/ { inside = $0 == "```cat"; next } inside' $page
	grep -oE '`[^`]* as [A-Z][A-Za-z-]*`' $page | sed 's/`//g; s/\\|/|/g'
} >"$dir/formulas"
[ -s "$dir/formulas" ] || fail "$page has no formulas"
tests=$((tests + $(wc -l <"$dir/formulas")))
! grep -vxF -f model/ptx.cat "$dir/formulas" || fail "$page: model/ptx.cat has no such lines"
for file in $(grep -oE '`(tests|model|explore|check|isa|code)/[a-z_/.]*`' $page | tr -d '`' | sort -u); do
	tests=$((tests + 1))
	[ -e "$file" ] || fail "$page: $file is not there"
done

[ $bad = 0 ] && echo "docs: $tests sessions, mistakes, options and links are as the pages say"
exit $bad
