#!/bin/sh
# The lessons, as a student meets them: what `ptxi learn N start` writes is tried. A program that is right passes and prints something; each mistake is reported with its code;
# the exercise as it is given fails the hidden checks, and so does its solution without any one of its lines; the solution passes them; every session that a page shows prints what the page says ("(ptxi) ..." is what the student types into the debugger). And the command itself.
# "lessons.sh write" writes the table of docs/LESSONS.md.
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
ptxi=${PTXI:?}
case $ptxi in /*) ;; *) ptxi=$root/$ptxi ;; esac
many=${BUILD:=build/release}/oracle/many
case $many in /*) ;; *) many=$root/$many ;; esac
${MAKE_PARTS:-make} -s --no-print-directory "$BUILD/oracle/many" || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
mkdir "$dir/bin" "$dir/home"
ln -s "$ptxi" "$dir/bin/ptxi"
PATH=$dir/bin:$PATH HOME=$dir/home NO_COLOR=1
export PATH HOME NO_COLOR
unset XDG_STATE_HOME

fail() {
	echo "lessons: $*"
	bad=1
}
# status WANT ARG...: ptxi ARG... ends with this status; what it prints is in $dir/said
status() {
	want=$1
	shift
	tests=$((tests + 1))
	ptxi "$@" >"$dir/said" 2>&1 </dev/null
	got=$?
	[ $got = "$want" ] || fail "ptxi $*: status $got, not $want: $(head -n 3 "$dir/said")"
}
says() {
	grep -qF -e "$1" "$dir/said" || fail "does not say '$1': $(head -n 5 "$dir/said")"
}

# later STATUS TEXT ARG...: ptxi ARG... is to end with STATUS, and to say TEXT ("*": anything); settle runs them all in one process (tests/oracle/many/many.c)
later() {
	tests=$((tests + 1))
	want=$1 text=$2
	shift 2
	printf '%s\t%s\t%s\t%s\n' "$dir/later.$tests" "$want" "$text" "ptxi $*" >>"$dir/wanted"
	printf '%s\t%s' "$PWD" "$dir/later.$tests" >>"$dir/list"
	printf '\t%s' "$@" >>"$dir/list"
	echo >>"$dir/list"
}
settle() {
	"$many" 60 <"$dir/list" || exit 2
	awk -F'\t' '{
		said = $3 == ""
		first = last = ""
		while ((getline line <$1) > 0) {
			said = said || (last != "" && $3 == "*") || ($3 != "*" && index(line, $3))
			first = first == "" ? line : first
			last = line
		}
		close($1)
		if (last != "status " $2 || !said) {
			print "lessons: " $4 ": " last ", not " $2 (said ? "" : ", without \"" $3 "\"") ": " first
			bad = 1
		}
	}
	END { exit bad }' "$dir/wanted" || bad=1
	rm "$dir"/later.* "$dir/list" "$dir/wanted"
}

# weakened FILE: the checks notice when any one of the lines that the solution adds is missing again
weakened() {
	rm -f "$dir/weak"
	awk '/^```/ { inside = $0 == "```solution"; next } inside && /^\+/ && !/^\+[ \t]*(\/\/|$)/ { print substr($0, 2) }' "$root/$page" |
		awk -v list="$dir/list" -v wanted="$dir/wanted" -v to="$dir/later.weak$number." -v here="$PWD" -v number=$number 'NR == FNR { added[++n] = $0; next } { line[++m] = $0 }
		END {
			for (k = 1; k <= n; k++) {
				for (at = from[added[k]] + 1; line[at] != added[k]; at++) ;
				from[added[k]] = at
				file = "weak." k ".ptx"
				for (j = 1; j <= m; j++) if (j != at) print line[j] >file
				close(file)
				printf "%s\t%s\tlearn\t%s\tcheck\t%s\n", here, to k, number, file >>list
				what = "check without line " at " of the solution, \"" line[at] "\""
				gsub(/\t/, " ", what)
				printf "%s\t1\t\tptxi learn %s %s\n", to k, number, what >>wanted
			}
			print n
		}' - "$1" >"$dir/weak"
	read -r n <"$dir/weak"
	tests=$((tests + n))
}

# ---- each lesson ----
number=0
for page in lessons/[0-9]*.md; do
	number=$((number + 1))
	later 0 '' learn $number start "$dir/$number"
done
settle
number=0
for page in lessons/[0-9]*.md; do
	number=$((number + 1))
	cd "$dir/$number" || exit 2
	for file in *.ptx; do
		code=$(sed -n "s/^\`\`\`diff $file //p" "$root/$page")
		case $file in
		exercise.ptx)
			later 1 '' learn $number check $file
			ptxi learn $number solution >solution.ptx
			later 0 '' learn $number check solution.ptx
			weakened solution.ptx
			file=solution.ptx
			;;
		*)
			if [ "$code" ]; then
				later 1 "[$code]" check $file
				continue
			fi
			later 0 '' check $file
			;;
		esac
		later 0 '*' run -q $file
	done
	cd "$root" || exit 2
done
settle
for page in lessons/[0-9]*.md; do
	at=${page#lessons/}
	at=${at%%-*}
	cd "$dir/${at#0}" || exit 2
	rm -f solution.ptx weak.*
	# the sessions: one shell has all commands, and one awk compares
	rm -f "$dir"/session.*
	awk -v dir="$dir/session." -v page="$page" '
	/^```/ { inside = inside ? 0 : $0 == "```console"; at = ""; next }
	inside && /^\$ / {
		at = dir 1000 + n++
		print > (at ".want")
		print > (at ".said")
		command = substr($0, 3)
		typed = "/dev/null"
		if (command ~ /^ptxi debug /) { # what the student types is in the session
			command = command " -v"
			typed = at ".typed"
			printf "" > typed
		}
		print "(" command "\n) <" typed " >>" at ".said 2>&1" > (dir "sh")
		next
	}
	inside && at {
		print > (at ".want")
		if (sub(/^\(ptxi\) /, "") && typed == at ".typed") print > typed
	}
	END { print n + 0 > (dir "n") }' "$root/$page"
	read -r n <"$dir/session.n"
	tests=$((tests + n))
	[ $n != 0 ] || fail "$page shows no session"
	for typed in "$dir"/session.*.typed; do [ -s "$typed" ] || [ ! -e "$typed" ] || fail "$page: a session of the debugger without a command"; done
	sh "$dir/session.sh"
	set --
	for want in "$dir"/session.*.want; do set -- "$@" "$want" "${want%want}said"; done
	awk -f "$root/tests/oracle/like.awk" "$@" || fail "$page: sessions print something else"
	cd "$root" || exit 2
	# prose fits a terminal
	awk -v page="$page" '/^```/ { inside = !inside; next } !inside && length($0) > 80 { print "lessons: " page ":" FNR ": more than 80 columns"; bad = 1 } END { exit bad }' "$page" || bad=1
done

# ---- other solutions: the checks take them, too ----
# other N CHANGE: the solution of lesson N with a change by sed
other() {
	ptxi learn "$1" solution | sed "$2" >"$dir/other.ptx"
	ptxi learn "$1" solution | cmp -s - "$dir/other.ptx" && fail "lesson $1 has no other solution"
	status 0 learn "$1" check "$dir/other.ptx"
}
other 5 's/^\tsub.u32 %r11/\tbar.sync 0;\n&/'
other 10 's/red.shared.add.u32 /atom.shared.add.u32 %r5, /'
other 12 's/^\tsetp.eq.u32 %p3, %r6, 0;/\tsetp.ne.u32 %p3, %r1, %r1;/; s/^consumer:/&\n\tbar.arrive 2, 128;/'
other 13 's/cas.b32 %r6, \[%rd1\], 0, 1/exch.b32 %r6, [%rd1], 1/'
other 14 's/cas.b32 %r3, \[mine\], 0, 1/exch.b32 %r3, [mine], 1/'
other 15 's/st.relaxed.gpu.global.u32 \[%rd10\], 1/red.global.or.b32 [%rd10], 1/'
other 17 's/fence.sc.gpu/membar.gl/; s/st.release/st.relaxed/; s/ld.acquire/ld.relaxed/'
other 18 's/^\tatom.acq_rel.gpu/\tmembar.gl;\n\tatom/; s/^\t@%p2 exit;.*/&\n\tmembar.gl;/'
other 20 's/^\tred.release/\tfence.acq_rel.gpu;\n\tred.relaxed/; s/^met:/&\n\tfence.acq_rel.gpu;/; s/ld.acquire/ld.relaxed/'
other 24 's/barrier.cluster.[a-z]*/&.aligned/'

# tests/learn: solutions that others might write, NN-what.ptx for lesson NN. Those in right/ are right and pass. Those in wrong/ compute the results that the page shows, or nearly, but by no synchronisation,
# a single thread, or results put in by hand; the checks refuse each, and not because it is not PTX.
for file in tests/learn/right/*.ptx tests/learn/wrong/*.ptx; do
	name=${file##*/}
	number=${name%%-*}
	case $file in
	*/right/*) later 0 '' learn ${number#0} check "$file" ;;
	*) later 1 ' checks passed' learn ${number#0} check "$file" ;;
	esac
done
settle

status 1 learn 1 check tests/learn/wrong/01-one-thread.ptx
says "the limit of 600 warp instructions (--max-steps) was reached"
# a warning may name the cause of an error
status 1 learn 10 check "$dir/10/exercise.ptx"
says "[S0107]"
says "rule R0104"

# ---- the index ----
tests=$((tests + 1))
ptxi --generate lessons >"$dir/index"
if [ "$1" = write ]; then
	awk -v index_file="$dir/index" '/^\| \| lesson/ { while ((getline line < index_file) > 0) print line; skip = 1 } /^$/ { skip = 0 } !skip' docs/LESSONS.md >"$dir/page" &&
		cat "$dir/page" >docs/LESSONS.md
fi
sed -n '/^| | lesson/,/^$/p' docs/LESSONS.md | sed '/^$/d' | diff - "$dir/index" || fail "docs/LESSONS.md does not list the lessons: its table is that of ptxi --generate lessons"

# ---- the command ----
rm -rf "$dir/home/.local"
status 0 learn
says "next: ptxi learn 1"
status 0 learn 1
says "squares.ptx:"
says "bytes.ptx is squares.ptx with this change:"
status 0 learn --color=always 1
says "$(printf '\033[1m1. Threads, registers, stores\033[0m')"
grep -q 'mad.lo.u32 %r1, %r5' "$dir/said" && fail "the text of a lesson shows the solution"
awk '/^lessons/ { exit 1 }' "$dir/said" || fail "the text of a lesson shows its source"
status 2 learn 0
status 2 learn 1000
says "they are numbered 1 to $number"
status 2 learn one
status 2 learn 1 begin
says "'begin' is not start, check, hint or solution"
status 2 learn 1 hint more
status 2 learn 1 check
status 2 learn 1 check no.ptx
status 2 learn 1 check "$dir"/1/exercise.ptx again
status 2 learn 1 start "$dir/no/such"
status 2 learn 1 start "$dir/1"
says "exists; nothing was written"
status 0 learn 1 hint
says "more: ask again"
status 0 learn 1 hint
says "(that was the last one"
status 1 learn 1 check "$dir/1/exercise.ptx"
says "A hint: ptxi learn 1 hint"
status 0 learn
says "begun  1  "
ptxi learn 1 solution >"$dir/solution.ptx"
status 0 learn 1 check "$dir/solution.ptx"
says "Lesson 1 is done."
status 0 learn
says "done   1  "
says "next: ptxi learn 2"

# ---- progress that is not what ptxi wrote ----
printf 'x\n1 2\n99999999999 1 1 1\n-1 -1 -1 1\n2 7 7 1\n%s' "$(head -c 300000 /dev/zero | tr '\0' 9)" >"$dir/home/.local/state/ptxi/lessons"
status 0 learn
says "done   2  "
rm -rf "$dir/home/.local"
: >"$dir/home/.local"
status 0 learn 1 check "$dir/solution.ptx"
says "progress could not be kept"
rm "$dir/home/.local"

# ---- hand-ins that are not solutions: their own //@ lines do not count, and none of them hangs or crashes ptxi ----
sed '/^\/\/@/d' "$dir/1/exercise.ptx" >"$dir/cheat.ptx"
sed -i '1i //@ needs gpu\n//@ expect race' "$dir/cheat.ptx"
status 1 learn 1 check "$dir/cheat.ptx"
says "FAIL four_blocks"
sed 's/^\texit;/again: bra again;/' "$dir/1/exercise.ptx" >"$dir/loop.ptx"
status 1 learn 1 check "$dir/loop.ptx"
says "livelock"
: >"$dir/empty.ptx"
status 1 learn 1 check "$dir/empty.ptx"
head -c 100000 /dev/urandom >"$dir/random.ptx"
status 1 learn 1 check "$dir/random.ptx"
head -c 3000000 /dev/zero >"$dir/large.ptx"
status 1 learn 1 check "$dir/large.ptx"
status 1 learn 1 check "$dir"
ln -s /etc/passwd "$dir/link.ptx"
status 1 learn 1 check "$dir/link.ptx"
grep -q root "$dir/said" && fail "a link is followed"

[ $bad = 0 ] && echo "lessons: $tests commands of $number lessons end as they should"
exit $bad
