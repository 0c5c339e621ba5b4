#!/bin/sh
# Pictures (--picture of run and explore): the golden files, which are also those of the pages (docs/pictures/), byte for byte; XML that a parser accepts, of bounded size, with
# a title and a description; names that try to be markup; what is left out of long runs and large executions, and said; the option beside others; files that cannot be written.
# "pictures.sh write" writes the golden files; look at each that has changed.
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
ptxi=${PTXI:?}
case $ptxi in /*) ;; *) ptxi=$root/$ptxi ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
write=$1
mkdir "$dir/bin" "$dir/at"
ln -s "$ptxi" "$dir/bin/ptxi"
ln -s "$root/tests" "$dir/at/tests"
PATH=$dir/bin:$PATH HOME=$dir NO_COLOR=1
export PATH HOME NO_COLOR
unset XDG_STATE_HOME

fail() {
	echo "pictures: $*"
	bad=1
}
# status WANT ARG...: ptxi ARG... ends with this status; out and err are what it prints
status() {
	want=$1
	shift
	tests=$((tests + 1))
	what="ptxi $*"
	ptxi "$@" >"$dir/out" 2>"$dir/err" </dev/null
	got=$?
	[ $got = "$want" ] || fail "ptxi $*: status $got, not $want: $(head -n 3 "$dir/err")"
}
has() {
	grep -qF -e "$2" "$1" || fail "$1 lacks '$2'"
}
lacks() {
	grep -qF -e "$2" "$1" && fail "$1 has '$2'"
}

# well FILE...: XML with a title, a description and the three schemes, and not too large; no script, nothing from elsewhere
if python3 -c 'import xml.dom.minidom' 2>/dev/null; then
	parser=yes
else
	echo "SKIP pictures: no XML parser: python3 is needed"
	parser=no
fi
# (They are looked at together at the end, since each process takes longer than a picture.)
well() {
	for svg in "$@"; do
		tests=$((tests + 1))
		looked=$((looked + 1))
		cp "$svg" "$dir/look/$looked.svg" || fail "there is no $svg"
		printf '%s.svg %s of: %s\n' $looked "$svg" "$what" >>"$dir/look/names"
	done
}
looked=0
mkdir "$dir/look"
look() {
	large=$(find "$dir/look" -name '*.svg' -size +1000000c -exec basename {} \;)
	[ -z "$large" ] || fail "larger than 1 MB: $(grep -F "$large" "$dir/look/names")"
	[ $parser = no ] || python3 - "$dir/look" $looked <<'END' || bad=1
import sys, xml.dom.minidom
folder, wanted = sys.argv[1:]
names = dict(line.rstrip('\n').split(' ', 1) for line in open(folder + '/names', errors='replace'))
bad = len(names) != int(wanted)
def well(path):
    svg = xml.dom.minidom.parse(path).documentElement
    names = {e.tagName for e in svg.getElementsByTagName('*')}
    first = [c.tagName for c in svg.childNodes if c.nodeType == c.ELEMENT_NODE][:2]
    right = svg.tagName == 'svg' and svg.getAttribute('role') == 'img' and first == ['title', 'desc'] and svg.getElementsByTagName('title')[0].firstChild
    right = right and names <= {'title', 'desc', 'style', 'defs', 'pattern', 'marker', 'path', 'rect', 'circle', 'text', 'g'}
    for e in svg.getElementsByTagName('*'):
        for k, v in e.attributes.items():
            right = right and not k.startswith('on') and k != 'href' and 'javascript' not in v.lower()
    style = svg.getElementsByTagName('style')[0].firstChild.data
    return right and 'prefers-color-scheme:dark' in style and '@media print' in style and '@import' not in style
for file, name in names.items():
    path = folder + '/' + file
    try:
        right = well(path)
    except Exception as e:
        right = print(e)
    if not right:
        print(f'pictures: {name} ({file}) is not a well-formed picture')
        bad = True
sys.exit(bad)
END
}

# ---- the golden files: NAME, and the command that draws it in a folder with tests/ ----
golden() {
	name=$1
	shift
	tests=$((tests + 1))
	rm -f "$dir/at/$name.svg"
	(cd "$dir/at" && ptxi "$@" --picture="$name.svg") >"$dir/said" 2>&1 </dev/null
	[ -s "$dir/at/$name.svg" ] || { fail "ptxi $* draws nothing: $(head -n 3 "$dir/said")" && return; }
	same "$dir/at/$name.svg" "docs/pictures/$name.svg" "ptxi $*"
}
# same NEW GOLDEN COMMAND
same() {
	what=$3
	well "$1"
	[ "$write" = write ] && mkdir -p docs/pictures && cp "$1" "$2"
	cmp -s "$1" "$2" || fail "$3: the picture differs from $2"
	echo "$2" >>"$dir/known"
}
: >"$dir/known"
golden forbidden explore tests/ptx/course/write_read_xy.ptx --why 'seen[0] == 1 && seen[1] == 20'
golden race run --check=all tests/ptx/race/missing_bar.ptx
golden deadlock run tests/ptx/sync/crossed_barriers.ptx
golden pipe run tests/ptx/course/mbarrier_producer_consumer.ptx

# ---- the lessons: a session that draws NAME.svg draws docs/pictures/NN-NAME.svg, which the page shows; one with sed may make the program for it ----
number=0
for page in lessons/[0-9]*.md; do
	number=$((number + 1))
	nn=${page#lessons/}
	nn=${nn%%-*}
	sed -n 's/^\$ \(ptxi .*--picture=[a-z_0-9+]*\.svg .*\)$/\1/p; s/^\$ \(sed .*\.ptx >[a-z_]*\.ptx\)$/\1/p' "$page" >"$dir/commands"
	grep -o '](\.\./docs/pictures/[^)]*)' "$page" | sed 's/^](\.\.\///; s/)$//' | sort >"$dir/shown"
	: >"$dir/drawn"
	[ -s "$dir/commands" ] && ptxi learn $number start "$dir/lesson-$nn" >/dev/null
	while read -r command; do
		tests=$((tests + 1))
		case $command in
		sed*)
			(cd "$dir/lesson-$nn" && sh -c "$command") || fail "$page: '$command' fails"
			continue
			;;
		esac
		svg=$(echo "$command" | sed 's/.*--picture=\([^ ]*\).*/\1/')
		(cd "$dir/lesson-$nn" && sh -c "$command") >"$dir/said" 2>&1 </dev/null
		[ -s "$dir/lesson-$nn/$svg" ] || { fail "$page: '$command' draws nothing: $(head -n 3 "$dir/said")" && continue; }
		echo "docs/pictures/$nn-$svg" >>"$dir/drawn"
		same "$dir/lesson-$nn/$svg" "docs/pictures/$nn-$svg" "$page"
	done <"$dir/commands"
	[ -s "$dir/drawn" ] || fail "$page has no picture"
	sort "$dir/drawn" | cmp -s - "$dir/shown" || fail "$page shows other pictures than it draws"
done
for svg in docs/pictures/*.svg; do
	tests=$((tests + 1))
	grep -qxF "$svg" "$dir/known" || fail "nothing draws $svg"
done

# ---- the same picture again, and with other options beside it; the run itself does not change ----
p=tests/ptx/sync/crossed_barriers.ptx
status 6 run $p --picture="$dir/a.svg"
cp "$dir/err" "$dir/plain"
status 6 run $p
cmp -s "$dir/err" "$dir/plain" || fail "--picture changes what run reports"
status 6 run $p -j 1 --trace="$dir/t.json" --trace-atomics --picture="$dir/b.svg"
cmp -s "$dir/a.svg" "$dir/b.svg" || fail "--trace changes the picture"
tests=$((tests + 1))
[ -s "$dir/t.json" ] || fail "--picture takes the place of --trace"
status 6 run -q --format=json $p --picture="$dir/b.svg"
cmp -s "$dir/a.svg" "$dir/b.svg" || fail "--format=json changes the picture"
has "$dir/out" '"status": 6'
status 6 run $p --picture=-
tests=$((tests + 1))
cmp -s "$dir/a.svg" "$dir/out" || fail "--picture=- prints another picture"
has "$dir/a.svg" "D0101: deadlock"
has "$dir/a.svg" "<desc>"
status 5 run --check=all --runs=3 tests/ptx/race/missing_bar.ptx --picture="$dir/a.svg"
has "$dir/a.svg" "Run 1 of 3, with seed"
well "$dir/a.svg"
status 0 run tests/ptx/course/scan.ptx --stats --picture="$dir/a.svg"
has "$dir/a.svg" "--check=all marks them here"
status 0 run --check=all tests/ptx/course/scan.ptx --picture="$dir/a.svg"
lacks "$dir/a.svg" "--check=all marks them here"
status 0 explore -q tests/ptx/course/write_read_xy.ptx --picture="$dir/a.svg" --graph="$dir/a.dot" --format=json
well "$dir/a.svg"
grep -q '^digraph' "$dir/a.dot" || fail "--picture takes the place of --graph"
has "$dir/a.svg" "every_outcome: forbidden"
has "$dir/a.svg" "outcome 1 of 3"

# lines are those of the source if it is known; a finding is marked at the instruction that it is about, which has one box
status 4 run --check=all --script=tests/oracle/places/async_proxy.cu tests/oracle/places/async_proxy.lineinfo.ptx --picture="$dir/a.svg"
has "$dir/a.svg" "Numbers in boxes are lines of async_proxy.cu."
has "$dir/a.svg" "S0303: "
tests=$((tests + 1))
[ "$(grep -c '>cp.async.bulk' "$dir/a.svg")" = 2 ] || fail "a finding of a copy has a box of its own"
tests=$((tests + 1))
[ "$(grep -c 'class="fault"' "$dir/a.svg")" = 1 ] || fail "not one box is marked"

# a fault ends the run, so that nothing follows it: it has its box all the same, also if the threads have done nothing else that is drawn
cat >"$dir/fault.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	st.global.u32 [%rd1+4], 1;
	exit;
}
END
status 4 run "$dir/fault.ptx" -e 'buffer b : u32[1] = 0' -e 'launch k<<<1, 1>>>(b)' --picture="$dir/a.svg"
well "$dir/a.svg"
tests=$((tests + 1))
[ "$(grep -c 'class="fault"' "$dir/a.svg")" = 1 ] || fail "a fault is not marked at its instruction"

# ---- every case has its drawing; a file without any work is a picture that says so ----
cat >"$dir/cases.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry k() { bar.sync 0; ret; }
END
status 0 run "$dir/cases.ptx" -e 'case one' -e 'launch k<<<1, 32>>>()' -e 'case two' -e 'launch k<<<1, 64>>>()' --picture="$dir/a.svg"
has "$dir/a.svg" "cases.ptx, case one"
has "$dir/a.svg" "cases.ptx, case two"
status 2 run "$dir/cases.ptx" --picture="$dir/a.svg"
has "$dir/a.svg" "Nothing was executed."
well "$dir/a.svg"

# ---- hostile names: markup, quotes, control characters, invalid UTF-8, of files and in programs ----
evil=$(printf '<script>alert(1)<\\script>&"\047\001\033[31m\377\302.ptx')
cat >"$dir/at/$evil" <<'END'
.version 8.0
.target sm_80
.address_size 64
.global .u32 x$script_;
.visible .entry k$onload_(.param .u64 p)
{
	.reg .b32 %r;
	.reg .b64 %rd;
	.reg .pred %p;
	mov.u32 %r, %ctaid.x;
	atom.global.add.u32 %r, [x$script_], 1 /* <script>alert(1)</script> ]]> " ' */ ;
	st.global.u32 [x$script_], %r; // </title><script>
	exit;
}
END
status 5 run --check=all "$dir/at/$evil" -e 'launch k$onload_<<<2, 32>>>(0)' --picture="$dir/a.svg"
well "$dir/a.svg"
lacks "$dir/a.svg" "<script"
has "$dir/a.svg" "&lt;script&gt;"
status 0 explore -q "$dir/at/$evil" -e 'launch k$onload_<<<2, 1>>>(0)' -e 'allow x$script_ == 0' --picture="$dir/a.svg"
well "$dir/a.svg"
lacks "$dir/a.svg" "<script"
cat >"$dir/evil.litmus" <<'END'
PTX <script>&x
{ x = 0; }
 P0@cta 0,gpu 0  | P1@cta 1,gpu 0   ;
 st.weak x, 1    | ld.weak r0, x    ;
exists (1:r0 == 1)
END
status 0 explore -q "$dir/evil.litmus" --picture="$dir/a.svg"
well "$dir/a.svg"
lacks "$dir/a.svg" "<script"
has "$dir/a.svg" "&lt;script&gt;"

# ---- long runs and large executions: cut, and said ----
cat >"$dir/long.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.global .u32 n;
.visible .entry k(.param .u32 rounds)
{
	.reg .b32 %r<4>;
	.reg .pred %p;
	ld.param.u32 %r1, [rounds];
again:
	atom.global.add.u32 %r2, [n], 1;
	bar.sync 0;
	sub.u32 %r1, %r1, 1;
	setp.ne.u32 %p, %r1, 0;
	@%p bra again;
	exit;
}
END
status 0 run "$dir/long.ptx" -e 'launch k<<<1, 64>>>(300)' --picture="$dir/a.svg"
well "$dir/a.svg"
has "$dir/a.svg" "steps are not drawn"
status 0 run "$dir/long.ptx" -e 'launch k<<<8, 1024>>>(100)' --picture="$dir/a.svg"
well "$dir/a.svg"
has "$dir/a.svg" "more warps are not drawn."
has "$dir/a.svg" "were not recorded for the picture"
tests=$((tests + 1))
[ "$(grep -c '>warp [0-9]*<' "$dir/a.svg")" -le 12 ] || fail "more than 12 warps are drawn"
set --
for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do set -- "$@" -e "case c$k" -e 'launch k<<<1, 384>>>(40)'; done
status 0 run "$dir/long.ptx" "$@" --picture="$dir/a.svg"
well "$dir/a.svg"
has "$dir/a.svg" "not drawn: the picture would be larger than 1 MB."
cat >"$dir/wide.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.global .u32 n;
.visible .entry k()
{
	.reg .b32 %r<32>;
END
for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do echo "	st.relaxed.gpu.global.u32 [n], $k;"; done >>"$dir/wide.ptx"
echo '	exit; }' >>"$dir/wide.ptx"
status 0 explore -q "$dir/wide.ptx" -e 'launch k<<<1, 1>>>()' -e 'allow n == 25' --picture="$dir/a.svg"
well "$dir/a.svg"
has "$dir/a.svg" "Not drawn, since there are too many: 5 events of these threads, 0 other threads."
status 0 explore -q "$dir/cases.ptx" -e 'launch k<<<12, 1>>>()' --picture="$dir/a.svg"
well "$dir/a.svg"
has "$dir/a.svg" "4 other threads."

# a run that a limit ends has a picture of what there was
status 7 run --max-steps=3000 "$dir/long.ptx" -e 'launch k<<<1, 64>>>(100000)' --picture="$dir/a.svg"
well "$dir/a.svg"
has "$dir/a.svg" "B0001: "
# the limits that docs/PICTURES.md names
limit() {
	tests=$((tests + 1))
	n=$(sed -n "s/^.*\b$1 = \([0-9]*\).*/\1/p" "$2" | head -n 1)
	[ -n "$n" ] && grep -qF -e "$3" docs/PICTURES.md && [ "$(echo "$3" | grep -oE '[0-9]+' | head -n 1)" = "$n" ] || fail "docs/PICTURES.md: '$3', but $1 is $n"
}
limit WARPS trace/trace_picture.c '12 warps'
limit OBJECTS trace/trace_picture.c '6 mbarriers'
limit FINDINGS picture/chart.c 'more than 8'
limit THREADS picture/graph.c '8 threads'
limit EVENTS picture/graph.c '20 events of a thread'
limit DRAWN script/litmus/explorer_judge.c '4 outcomes'

# ---- what cannot be: other files, other engines, files that cannot be written ----
status 2 run $p --picture="$dir/no/such.svg"
has "$dir/err" "no/such.svg"
lacks "$dir/err" "deadlock"
status 2 run $p --picture="$dir/a.png"
has "$dir/err" "end in .svg"
status 2 explore tests/ptx/course/write_read_xy.ptx --picture=
status 2 run $p --picture="$dir/program.ptx"
tests=$((tests + 1))
[ ! -e "$dir/program.ptx" ] || fail "a picture takes the place of a program"
status 2 run --on=gpu $p --picture="$dir/a.svg"
has "$dir/err" "not a GPU's"
status 2 check $p --picture="$dir/a.svg"
has "$dir/err" "takes no --picture"
if [ -w /dev/full ]; then
	ln -s /dev/full "$dir/full.svg"
	status 2 run tests/ptx/course/scan.ptx --picture="$dir/full.svg"
	has "$dir/err" "full.svg"
	status 2 explore -q tests/ptx/course/write_read_xy.ptx --picture="$dir/full.svg"
	has "$dir/err" "full.svg"
fi
status 3 run "$root/README.md" --picture="$dir/a.svg"
well "$dir/a.svg"

look
[ $bad = 0 ] && echo "pictures: $tests pictures and refusals are as they should be"
exit $bad
