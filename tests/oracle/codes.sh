#!/bin/sh
# Every diagnostic code has a rule, a section, a wrong example that yields the code and a right one that yields neither the code nor any error; and the examples of concepts
# pass. Examples are made into files as described by `ptxi explain examples`. Those that begin with "#" need a GPU or a user: these codes each have a test elsewhere.
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
ptxi=${PTXI:?}
case $ptxi in /*) ;; *) ptxi=$root/$ptxi ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
elsewhere=' F0104 E0901 U0901 F0901 F0902 F0903 B0901 B0005 L0401 L0402 X0110 E0460 E0461 E0462 E0470 H0101 H0102 H0103 H0104 H0105 H0106 H0107 H0108 H0151 H0152 H0153 '
bad=0
tests=0
mkdir "$dir/bin"
ln -s "$ptxi" "$dir/bin/ptxi"
PATH=$dir/bin:$PATH
export PATH NO_COLOR=1

fail() {
	echo "codes: $*"
	[ ! -s "$dir/out" ] || head -n 3 "$dir/out"
	bad=1
}
# part PARAGRAPH FILE
part() { sed -n "/^$1\$/,/^[^ ]/s/^    //p" "$2"; }

ptxi explain examples | sed 's/^example$/frame/' >"$dir/examples"
part frame "$dir/examples" >"$dir/frame"

# complete EXAMPLE: the text of its file
complete() {
	if grep -q '^\.version\|^\.target\|^PTX ' "$1"; then
		cat "$1"
		return
	fi
	grep '^//@' "$1"
	grep -v '^//@' "$1" >"$1.rest"
	if grep -qE '^\.(entry|func|global|common|tex|file|section|extern)' "$1.rest"; then
		head -n 3 "$dir/frame"
		cat "$1.rest"
		grep -qE '^\.(entry|func)' "$1.rest" || echo '.entry k() { ret; }'
	else
		awk -v rest="$1.rest" '/^[ \t]*\.\.\.$/ { while ((getline line < rest) > 0) print "\t\t" line; next } { print }' "$dir/frame"
	fi
}

# try EXAMPLE [anyway]: runs its commands on its file, or the default commands; up to the first that fails, or all of them
try() {
	rm -rf "$dir/at"
	mkdir "$dir/at"
	grep -v '^\$ ' "$1" >"$dir/text"
	sed -n 's/^\$ //p' "$1" >"$dir/commands"
	file=k.ptx
	grep -q '^PTX ' "$dir/text" && file=k.litmus
	complete "$dir/text" >"$dir/at/$file"
	[ -s "$dir/text" ] || sed -i '1i //@ launch k<<<1, 1>>>()' "$dir/at/$file"
	if [ -s "$dir/commands" ]; then
		:
	elif [ $file = k.litmus ]; then
		echo "ptxi explore $file" >"$dir/commands"
	else
		echo "ptxi as $file" >"$dir/commands"
		if grep -q '^//@' "$dir/at/$file"; then
			echo "ptxi run --check=all $file"
		elif grep -q '\.entry k()' "$dir/at/$file"; then
			echo "ptxi run --check=all -e 'launch k<<<1, 1>>>()' $file"
		fi >>"$dir/commands"
	fi
	: >"$dir/out"
	(cd "$dir/at" && while read -r command; do
		timeout 60 sh -c "$command" </dev/null >>"$dir/out" 2>&1 && continue
		[ $? != 124 ] || echo "$command" >"$dir/endless"
		[ -n "$2" ] || exit
	done <"$dir/commands")
}

# ---- codes ----
: >"$dir/sections"
for code in ${CODES:-$(ptxi explain codes | sed 's/ .*//')}; do
	: >"$dir/out"
	ptxi explain "$code" >"$dir/explained"
	for field in rule wrong right; do
		part $field "$dir/explained" >"$dir/$field"
		[ -s "$dir/$field" ] || fail "$code has no $field"
	done
	section=$(sed -n 's/^PTX manual: //p; s/^see: //p' "$dir/explained")
	page=${section%%, *}
	case $section in
	docs/*)
		[ -e "$page" ] || fail "$code: there is no $page"
		[ "$page" = "$section" ] || grep -qE "^#+ ${section#*, }" "$page" || fail "$code: $page has no heading '${section#*, }'"
		;;
	[0-9]*' '*) echo "$section" >>"$dir/sections" ;;
	*) fail "$code has no section: '$section'" ;;
	esac
	if grep -q '^#' "$dir/wrong"; then
		case $elsewhere in
		*" $code "*) grep -qE "(DIAG_|\b)$code\b" tests/unit/*.c tests/oracle/cli.sh tests/oracle/gpu.sh tests/oracle/litmus.sh tests/oracle/host.sh tests/oracle/doors.sh || fail "$code: no test" ;;
		*) fail "$code: this example can be tried here" ;;
		esac
		continue
	fi
	tests=$((tests + 2))
	try "$dir/wrong" anyway
	grep -qF "[$code]" "$dir/out" || fail "$code: the wrong example does not yield it"
	case $code in
	B015? | E0450 | L0128 | L0[234]?? | U0151) ;; # of a whole file, a command line or a test, not of a place
	*) grep -qE "[^ ]:[0-9]+:[0-9]+: .*\[$code\]" "$dir/out" || fail "$code: the message has no location" ;;
	esac
	try "$dir/right" || fail "$code: the right example fails"
	! grep -qF "[$code]" "$dir/out" || fail "$code: the right example yields it"
	[ ! -e "$dir/endless" ] || fail "$code: '$(cat "$dir/endless")' does not end"
	rm -f "$dir/endless"
done
: >"$dir/out"
sort -u "$dir/sections" | awk '{ n = $1; $1 = ""; if (n in title) { print "codes: section " n " is" title[n] " and" $0; bad = 1 } title[n] = $0 } END { exit bad }' || bad=1

# ---- concepts ----
for concept in race phase parity token scope proxy release divergence; do
	tests=$((tests + 1))
	ptxi explain $concept >"$dir/explained"
	part example "$dir/explained" >"$dir/k.ptx"
	ptxi check "$dir/k.ptx" >"$dir/out" 2>&1 || fail "explain $concept: its example fails"
	lines=$(grep -c . "$dir/k.ptx")
	[ "$lines" -le 25 ] || fail "explain $concept: its example has $lines lines"
done

# ---- each warning can be disabled by its name and by its code, and docs/ has the right names ----
echo '.version 9.0 .target sm_90 .address_size 64 .entry k() { ret; }' >"$dir/good.ptx"
ptxi explain codes | sed -n 's/^\(W[0-9]*\)  \([a-z_]*\) .*/\1 \2/p' >"$dir/warnings"
while read -r w name; do
	tests=$((tests + 1))
	for off in "$w" "$name"; do
		ptxi as -Wno-"$off" "$dir/good.ptx" >"$dir/out" 2>&1 </dev/null || fail "-Wno-$off is not known"
	done
	grep -q "^| $w | $name |" docs/DIAGNOSTICS.md || fail "docs/DIAGNOSTICS.md does not list $w, $name"
done <"$dir/warnings"
printf '.version 6.0\n.target sm_60\n.address_size 64\n.entry k()\n{\n\t.reg .pred %%p;\n\tsetp.eq.u32 %%p, 1, 1;\n\tvote.all.pred %%p, %%p;\n\tret;\n}\n' >"$dir/old.ptx"
for off in W0512 deprecated; do
	ptxi as -Wno-$off "$dir/old.ptx" >"$dir/out" 2>&1 </dev/null
	! grep -q W0512 "$dir/out" || fail "-Wno-$off does not turn W0512 off"
done

[ $bad = 0 ] && echo "codes: $tests examples and warnings of $(ptxi explain codes | grep -c .) codes are as 'ptxi explain' says"
exit $bad
