#!/bin/sh
# ptxi grade on a class of 44 that this script makes: 24 students with right and wrong solutions of three exercises, and 20 with hostile files. The points of every student
# are as in the tables below; the reports are valid in every format, the same for any number of processes, and the merged shards are the same bytes as one run. With
# FULL=1, make and time it is a class of 200.
# `grade.sh make FOLDER` only makes the class, in a new FOLDER; `grade.sh time JOBS` prints the number of files, the seconds, and the seconds of processor time that grading takes.
cd "$(dirname "$0")/../.." || exit 2
ptxi=$(realpath "${PTXI:-build/release/ptxi}")
if [ "$1" = make ]; then
	mkdir "$2" && dir=$(realpath "$2") || exit 2
else
	dir=$(mktemp -d) || exit 2
	trap 'rm -rf "$dir"' EXIT
fi
export LC_ALL=C NO_COLOR=1
bad=0
tests=0

fail() {
	echo "grade: $*"
	bad=1
}

# same WHAT FILE FILE
same() {
	tests=$((tests + 1))
	cmp -s "$2" "$3" || { fail "$1 differ:"; diff "$2" "$3" | cut -c1-300 | head -n 10; }
}

# ---- the suite ----
cat >"$dir/class.suite" <<'END'
suite "Parallel programming, week 3"
steps 100000
time 10s         # a guard: the slowest machine needs a tenth of it
memory 256M
output 64K
size 2M

exercise scale "Multiply a vector by a number"
	file scale.ptx
	points 10
	case small
		buffer x : u32[32] = iota(0)
		launch scale<<<1, 32>>>(x, 3)
		expect x == 3 * i
	end
	case large hidden points 3
		buffer x : u32[256] = iota(7)
		launch scale<<<4, 64>>>(x, 5)
		expect x == 5 * (i + 7)
		expect clean
	end

exercise reduce "Sum of an array in shared memory"
	file reduce.ptx
	points 20
	uses shared
	barriers >= 1 points 1
	atoms <= 1 points 1
	cases reduce.check hidden points 4

exercise handoff "Hand a value over with an mbarrier"
	file handoff.ptx
	points 10
	uses mbarrier
	case handoff
		buffer out : u32[64] = 0
		launch handoff<<<1, 64>>>(out)
		expect out == 42
		expect clean
	end
END
cat >"$dir/reduce.check" <<'END'
case iota
buffer in : u32[64] = iota(1)
buffer out : u32[1] = 0
launch reduce<<<1, 64>>>(in, out)
expect out[0] == 2080
expect clean
case ones
buffer in : u32[64] = 1
buffer out : u32[1] = 0
launch reduce<<<1, 64>>>(in, out)
expect out[0] == 64
expect clean
END

# ---- solutions: DIR/s/EXERCISE.LETTER; points of each letter ----
mkdir "$dir/s" "$dir/class"
head='.version 8.0
.target sm_90
.address_size 64'

# scale LETTER POINTS BODY: x in %rd1, f in %r1
scale() {
	echo "scale $1 $2" >>"$dir/points"
	cat >"$dir/s/scale.$1" <<END
$head
.visible .entry scale(.param .u64 x, .param .u32 f)
{
	.reg .pred %p<2>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [x];
	ld.param.u32 %r1, [f];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	$3
	mul.wide.u32 %rd2, %r4, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r5, [%rd1];
	$4 %r5, %r5, %r1;
	st.global.u32 [%rd1], %r5;
	ret;
}
END
}
scale a 10 'mad.lo.u32 %r4, %r2, %r3, %r4;' mul.lo.u32
scale b 10 'mul.lo.u32 %r6, %r2, %r3; add.u32 %r4, %r4, %r6;' mul.lo.s32
scale c 2.5 '// only one CTA' mul.lo.u32
scale d 0 'mad.lo.u32 %r4, %r2, %r3, %r4;' add.u32
scale e 0 'mad.lo.u32 %r4, %r2, %r3, %r4; add.u32 %r4, %r4, 1;' mul.lo.u32

# reduce LETTER POINTS BODY: in in %rd1, out in %rd2, the thread in %r1, its element in %r2, its place of s in %r3; declared but unused registers are free
reduce() {
	echo "reduce $1 $2" >>"$dir/points"
	cat >"$dir/s/reduce.$1" <<END
$head
.visible .entry reduce(.param .u64 in, .param .u64 out)
{
	.shared .align 4 .b8 s[256];
	.reg .pred %p<4>;
	.reg .b32 %r<16>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd4, %rd1, %rd3;
	ld.global.u32 %r2, [%rd4];
	$3
	ret;
}
END
}
# shellcheck disable=SC2016 # the $ of labels
tree='mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4;
	st.shared.u32 [%r3], %r2;
	mov.u32 %r5, 32;
$next:
	BARRIER
	setp.ge.u32 %p1, %r1, %r5;
	@%p1 bra $skip;
	shl.b32 %r6, %r5, 2; add.u32 %r6, %r3, %r6;
	ld.shared.u32 %r7, [%r6]; ld.shared.u32 %r8, [%r3]; add.u32 %r8, %r8, %r7; st.shared.u32 [%r3], %r8;
$skip:
	shr.u32 %r5, %r5, 1;
	setp.ne.u32 %p2, %r5, 0;
	@%p2 bra $next;
	setp.ne.u32 %p3, %r1, 0;
	@%p3 ret;
	ld.shared.u32 %r9, [%r3];
	st.global.u32 [%rd2], %r9;'
reduce a 20 "$(echo "$tree" | sed 's/BARRIER/bar.sync 0;/')"
# a race, and no barrier: 1 of 10 points of weight
reduce b 2 "$(echo "$tree" | sed 's/BARRIER//')"
reduce c 20 'setp.ne.u32 %p1, %r1, 0; @!%p1 st.shared.u32 [s], 0; bar.sync 0; red.shared.add.u32 [s], %r2; bar.sync 0; @%p1 ret; ld.shared.u32 %r4, [s]; st.global.u32 [%rd2], %r4;'
# no shared memory at all: the required word is missing, although the sum is right
reduce d 0 'red.global.add.u32 [%rd2], %r2;'
# shared memory and the barrier only behind a return: unreachable code does not count
reduce e 0 'red.global.add.u32 [%rd2], %r2; ret; bar.sync 0; st.shared.u32 [s], %r2;'
# two atomics, one barrier: right, but one point less
reduce f 18 'setp.ne.u32 %p1, %r1, 0; @!%p1 st.shared.u32 [s], 0; bar.sync 0; setp.lt.u32 %p2, %r1, 32; @%p2 red.shared.add.u32 [s], %r2; @!%p2 red.shared.add.u32 [s], %r2; bar.sync 0; @%p1 ret; ld.shared.u32 %r4, [s]; st.global.u32 [%rd2], %r4;'
# it knows the sum of one case
reduce g 12 'setp.ne.u32 %p1, %r1, 0; @!%p1 st.shared.u32 [s], 64; bar.sync 0; @%p1 ret; ld.shared.u32 %r4, [s]; st.global.u32 [%rd2], %r4;'

# handoff LETTER POINTS PARITY-OR-NONE
handoff() {
	echo "handoff $1 $2" >>"$dir/points"
	cat >"$dir/s/handoff.$1" <<END
$head
.visible .entry handoff(.param .u64 out)
{
	.shared .align 8 .b64 bar;
	.shared .align 4 .u32 value;
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	setp.ne.u32 %p1, %r1, 0;
	$3
	ld.shared.u32 %r2, [value];
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd1, %rd1, %rd3;
	st.global.u32 [%rd1], %r2;
	ret;
}
END
}
# shellcheck disable=SC2016
wait='@!%p1 mbarrier.init.shared.b64 [bar], 1;
	bar.sync 0;
	@%p1 bra $wait;
	st.shared.u32 [value], 42;
	mbarrier.arrive.shared.b64 %rd2, [bar];
$wait:
	mbarrier.try_wait.parity.shared.b64 %p2, [bar], PARITY;
	@!%p2 bra $wait;'
handoff a 10 "$(echo "$wait" | sed 's/PARITY/0/')"
handoff b 0 "$(echo "$wait" | sed 's/PARITY/1/')"
handoff c 0 '@!%p1 st.shared.u32 [value], 42; bar.sync 0;'
handoff d 0 "$(echo "$wait" | sed 's/PARITY/0/; s/42/41/')"

# ---- 24 students: each variant of each exercise in turn; every third hands in files beside the folders, and some hand in only two ----
students=24
case $1$FULL in ?*) students=180 ;; esac
awk -v dir="$dir" -v most=$students '
	{ letter[$1, n[$1] + 0] = $2; points[$1, n[$1]++ + 0] = $3 }
	END {
		split("scale reduce handoff", names, " ")
		for (s = 0; s < most; s++) {
			student = sprintf("s%03d", s); sum = 0
			for (e = 1; e <= 3; e++) {
				k = int(s * (e + 6) / 7) % n[names[e]]
				if (s % 11 == 10 && e == 3) continue
				sum += points[names[e], k]
				print student, names[e], letter[names[e], k], s % 3 == 2 ? "flat" : "folder" > (dir "/files")
			}
			print student, sum > (dir "/expected")
		}
	}' "$dir/points"
while read -r student exercise letter layout; do
	case $layout in
	flat) cp "$dir/s/$exercise.$letter" "$dir/class/${student}_$exercise.ptx" ;;
	*) mkdir -p "$dir/class/$student" && cp "$dir/s/$exercise.$letter" "$dir/class/$student/$exercise.ptx" ;;
	esac
done <"$dir/files"

# ---- 20 hostile students, h01 to h20: each hands in a hostile scale.ptx and a right reduce.ptx (20 points) ----
hostile=0
# hostile REASON: adds a student, who is told the reason; the caller writes $at/scale.ptx
hostile() {
	hostile=$((hostile + 1))
	student=$(printf 'h%02d' $hostile)
	at=$dir/class/$student
	mkdir -p "$at"
	cp "$dir/s/reduce.a" "$at/reduce.ptx"
	echo "$student 20" >>"$dir/expected"
	printf '%s %s\n' "$student" "$1" >>"$dir/reasons"
}
# kernel LINES [MODULE LINES]: a kernel named scale
kernel() {
	printf '%s\n%s\n.visible .entry scale(.param .u64 x, .param .u32 f)\n{\n.reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>;\nld.param.u64 %%rd1, [x];\n%s\nret;\n}\n' "$head" "$2" "$1"
}
printf_module='.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 1 .b8 text[101] = {65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,65,10,0};'
print='{ .param .b64 a; .param .b64 b; .param .b32 r; mov.u64 %rd2, text; cvta.global.u64 %rd2, %rd2; st.param.b64 [a], %rd2; st.param.b64 [b], 0; call (r), vprintf, (a, b); }'

hostile "executed more instructions than 'steps' allows"
kernel 'L: bra L;' >"$at/scale.ptx"
hostile "executed more instructions than 'steps' allows" # a loop that changes memory all the time
kernel 'L: ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; bra L;' >"$at/scale.ptx"
hostile 'printed more than 64 KB'
kernel "L: $print bra L;" "$printf_module" >"$at/scale.ptx"
hostile "executed more instructions than 'steps' allows" # malloc
kernel 'L: { .param .b64 a; .param .b64 r; st.param.b64 [a], 1048576; call (r), malloc, (a); ld.param.b64 %rd2, [r]; } bra L;' \
	'.extern .func (.param .b64 r) malloc (.param .b64 a);' >"$at/scale.ptx"
hostile "used more than 256 MB: variable 'big'"
kernel '' '.global .align 4 .b8 big[34359738368];' >"$at/scale.ptx"
hostile 'is larger than 2 MB' # a million cases, in comments: the file is larger than 2 MB
awk 'BEGIN { for (k = 0; k < 1000000; k++) print "//@ case c" k }' >"$at/scale.ptx"
kernel '' >>"$at/scale.ptx"
hostile 'a module begins with .version' # 100000 of them are not
awk 'BEGIN { for (k = 0; k < 100000; k++) print "//@ case c" k }' >"$at/scale.ptx"
hostile 'the line ends too early' # truncated in the middle of an instruction
kernel 'ld.global.u32 %r1, [%rd1' | head -c 300 | sed '$d' >"$at/scale.ptx"
hostile 'is not text'
awk 'BEGIN { srand(7); for (k = 0; k < 20000; k++) printf "%c", int(rand() * 256) }' >"$at/scale.ptx"
printf '\0\0' >>"$at/scale.ptx"
hostile 'x[1] is 1, expected 3' # the student's own directives are not obeyed
{ printf '//@ case cheat\n//@ needs gpu\n//@ expect 1 == 1\n//@ error E0302\n//@ set max-steps=1\n'; kernel ''; } >"$at/scale.ptx"
hostile 'maximum is 524288'
kernel '.local .align 8 .b8 depot[1073741824]; mov.u64 %rd2, depot;' >"$at/scale.ptx"
hostile 'nested too deeply'
{ kernel ''; printf '.func f() '; awk 'BEGIN { for (k = 0; k < 100000; k++) printf "{"; }'; } >"$at/scale.ptx"
hostile 'is a folder, not a file'
mkdir "$at/scale.ptx"
hostile 'is a device, pipe or socket, not a file'
mkfifo "$at/scale.ptx"
hostile 'is a symbolic link, which is not followed'
ln -s /etc/passwd "$at/scale.ptx"
hostile 'is larger than 2 MB'
truncate -s 100M "$at/scale.ptx"
hostile 'not handed in' # the name of the file contains a newline, and the folder a byte that is not UTF-8
kernel '' >"$at/scale.ptx
"
hostile 'x[1] is 1, expected 3' # a name declared a million times over: registers that nobody needs
kernel '' '.global .align 4 .b8 a[4];' | sed 's/%rd<8>/%rd<1000000>, %rf<2000000>, %rg<100000000>/' >"$at/scale.ptx"
hostile 'is a litmus test'
printf 'PTX T\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1   ;\nexists (x == 1)\n' >"$at/scale.ptx"
hostile '' # endless recursion, whose frames need memory
kernel 'call deeper;' '.func deeper() { .local .align 8 .b8 b[4096]; .reg .b64 %a; mov.u64 %a, b; st.local.u64 [%a], 1; call deeper; ret; }' >"$at/scale.ptx"
[ $hostile = 20 ] || fail "there are $hostile hostile students"

[ "$1" = make ] && exit 0
if [ "$1" = time ]; then
	python3 - "$ptxi" "$dir" "$2" <<'END'
import json, resource, subprocess, sys, time
ptxi, d, jobs = sys.argv[1:]
begin = time.monotonic()
subprocess.run([ptxi, "grade", "-j", jobs, "--format=json", "-o", d + "/one.json", d + "/class.suite", d + "/class"], check=True)
seconds, used = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
files = sum(e["state"] != "missing" for s in json.load(open(d + "/one.json"))["students"] for e in s["exercises"])
print(f"{files} {seconds:.1f} {used.ru_utime + used.ru_stime:.1f}")
END
	exit
fi

# ---- every student has the points of the table, every hostile one the reason ----
"$ptxi" grade --format=json -o "$dir/one.json" "$dir/class.suite" "$dir/class" >"$dir/said" 2>&1 || fail "grade ends with status $?"
[ -s "$dir/said" ] && fail "it says: $(head -n 3 "$dir/said")"
"$ptxi" merge --format=csv -o "$dir/one.csv" "$dir/one.json" || fail "merge ends with status $?"
sed 1d "$dir/one.csv" | sed 's/"//g' | awk -F, '{ print $1, $2 }' >"$dir/points.got"
sort "$dir/expected" >"$dir/points.want"
same "points" "$dir/points.want" "$dir/points.got"
[ "$(wc -l <"$dir/points.got")" = $((students + 20)) ] || fail "the class has $(wc -l <"$dir/points.got") students"
tests=$((tests + students + 20))
"$ptxi" merge "$dir/one.json" >"$dir/one.txt" || fail "merge ends with status $?"
tests=$((tests + hostile))
awk '
	NR == FNR { told[$1] = substr($0, length($1) + 2); next }
	/^[^ ]/ { of = $1 }
	of in told && index($0, told[of]) { delete told[of] }
	END { for (of in told) if (told[of] != "") { print "grade: " of " is not told: " told[of]; bad = 1 } exit bad }' "$dir/reasons" "$dir/one.txt" || bad=1
grep -qxF 'not graded: h17/scale.ptx\x0A: belongs to no exercise' "$dir/one.txt" || fail "the file whose name contains a newline is not listed"
grep -q 'scale 0/10 (5 //@ lines ignored)' "$dir/one.txt" || fail "the ignored //@ lines are not reported"
grep -q 'please report' "$dir/one.txt" && fail "a submission crashed ptxi"

# ---- the same bytes for any number of processes, in another environment, and from merged shards ----
for k in 1 2 3 4 5; do
	(
		cd "$dir" || exit
		# shellcheck disable=SC3045 # every shell that these tests run in has it
		[ $k = 1 ] && ulimit -s 2048
		TZ=Asia/Tokyo LANG=de_DE.UTF-8 COLUMNS=40 MALLOC_PERTURB_=$k POSIXLY_CORRECT=1 "$ptxi" grade -j $((2 * k - 1)) --shard=$k/5 --format=json class.suite class >"shard.$k" 2>&1
	) || fail "grade --shard=$k/5 ends with status $?"
done
"$ptxi" merge --format=json "$dir/shard.4" "$dir/shard.1" "$dir/shard.5" "$dir/shard.2" "$dir/shard.3" >"$dir/merged.json" || fail "merge of shards ends with status $?"
same "five shards and one run" "$dir/one.json" "$dir/merged.json"
for format in junit csv html; do "$ptxi" merge --format=$format -o "$dir/one.$format" "$dir/one.json" || fail "merge --format=$format ends with status $?"; done
# four students are enough for this: in every format, grade prints what merge prints of its JSON, also of more shards than students
for k in 1 2 3 4 5 6 7 8 9; do "$ptxi" grade --shard=$k/9 --format=json -o "$dir/few.$k" tests/grade/week3.suite tests/grade/class || fail "grade --shard=$k/9 ends with status $?"; done
grep -LF '"student"' "$dir"/few.[1-9] >"$dir/empty.shards"
[ -s "$dir/empty.shards" ] || fail "no shard of four students is empty"
"$ptxi" merge --format=json -o "$dir/few.json" "$dir"/few.[1-9] || fail "merge of nine shards ends with status $?"
for format in json text junit csv html; do
	for reader in teacher students; do
		"$ptxi" grade --for=$reader --format=$format tests/grade/week3.suite tests/grade/class >"$dir/one.of" || fail "grade --format=$format ends with status $?"
		"$ptxi" merge --for=$reader --format=$format "$dir/few.json" >"$dir/merged.of" || fail "merge --format=$format ends with status $?"
		same "$format for $reader of one run and of merged shards" "$dir/one.of" "$dir/merged.of"
	done
done

# ---- what students see of hidden cases: the name and whether it passed ----
mkdir "$dir/html" "$dir/json"
"$ptxi" merge --for=students --format=html -o "$dir/html" "$dir/one.json" || fail "one HTML file for each student: status $?"
"$ptxi" merge --for=students --format=json -o "$dir/json" "$dir/one.json" || fail "one JSON file for each student: status $?"
"$ptxi" merge --for=students --format=json -o "$dir/students.json" "$dir/one.json" || fail "merge --for=students ends with status $?"
[ "$(find "$dir/html" -name '*.html' | wc -l)" = $((students + 20)) ] || fail "there are not $((students + 20)) HTML files"
tests=$((tests + 3))
grep -q '2080' "$dir/one.json" || fail "the teacher's report does not show the hidden cases"
grep -rqE '2080|5 \* \(i|iota\(7\)|iota\(1\)' "$dir/html" "$dir/json" "$dir/students.json" && fail "a report for students shows a hidden case"
grep -q '3 \* i' "$dir/students.json" || fail "the report for students lacks the cases that are shown"

# ---- every format is valid ----
if command -v python3 >/dev/null; then
	python3 - "$dir" $((students + 20)) <<'END' || fail "a report is not valid"
import csv, glob, html.parser, json, sys, xml.etree.ElementTree as tree
d, everybody = sys.argv[1], int(sys.argv[2])
void = {"meta", "br", "link"}

class Pages(html.parser.HTMLParser):
    def __init__(self, name):
        super().__init__()
        self.name, self.open = name, []
    def handle_starttag(self, tag, attributes):
        if tag in ("script", "iframe", "img"): sys.exit(f"{self.name}: contains <{tag}>")
        if tag not in void: self.open.append(tag)
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: sys.exit(f"{self.name}: </{tag}> has no beginning")

for name in [d + "/one.html"] + glob.glob(d + "/html/*.html"):
    p = Pages(name)
    p.feed(open(name, encoding="utf-8").read())
    if p.open: sys.exit(f"{name}: {p.open} does not end")
whole = json.load(open(d + "/one.json", encoding="utf-8"))
assert len(whole["students"]) == everybody and whole["of"] == 40
for name in glob.glob(d + "/json/*.json"):
    assert len(json.load(open(name, encoding="utf-8"))["students"]) == 1
suites = tree.parse(d + "/one.junit").getroot()
assert len(suites) == everybody
for s in suites:
    assert int(s.get("tests")) == len(s) and int(s.get("failures")) == len(s.findall("testcase/failure"))
rows = list(csv.reader(open(d + "/one.csv", encoding="utf-8", newline="")))
assert len(rows) == everybody + 1 and all(len(r) == 9 for r in rows)
by_name = {s["student"]: s["points"] for s in whole["students"]}
assert all(float(r[1]) == by_name[r[0]] for r in rows[1:])
END
	tests=$((tests + 4))
else
	echo "grade: SKIP the formats: python3 is not installed"
fi

# ---- students of strange names, a file with a character that XML does not have, and a folder full of other files ----
mkdir -p "$dir/strange/=HYPERLINK(1)" "$dir/strange/<b>&\"x\"
y" "$dir/strange/$(printf 'bad\377')" "$dir/strange/$(printf 'right\342\200\256tfel')" "$dir/strange/xml" "$dir/strange/full"
for s in "$dir"/strange/*; do cp "$dir/s/scale.a" "$s/scale.ptx"; done
printf '\n\357\277\276\n' >>"$dir/strange/xml/scale.ptx"
(cd "$dir/strange/full" && awk 'BEGIN { for (k = 0; k < 1000; k++) { print > (k ".txt"); close(k ".txt") } }')
"$ptxi" grade --format=json -o "$dir/strange.json" "$dir/class.suite" "$dir/strange" || fail "strange names: status $?"
for format in text csv junit html; do "$ptxi" merge --format=$format "$dir/strange.json" >"$dir/strange.$format" || fail "strange names: status $?"; done
tests=$((tests + 6))
grep -q '^"'"'"'=HYPERLINK(1)",10,' "$dir/strange.csv" || fail "a name is a formula in the CSV report"
grep -q '<b>' "$dir/strange.html" && fail "a name is markup in the HTML report"
grep -qF 'bad\\xFF' "$dir/strange.json" || fail "a name that is not UTF-8 is not shown as such"
grep -qF 'right\xE2\x80\xAEtfel 10/40' "$dir/strange.text" || fail "a name turns the direction of the text"
[ "$(grep -c '^not graded: full/' "$dir/strange.text")" = 21 ] || fail "the report lists $(grep -c '^not graded: full/' "$dir/strange.text") files of a full folder"
grep -qxF 'not graded: full/...: 980 more files that belong to no exercise' "$dir/strange.text" || fail "the report does not say how many files it does not list"
if command -v python3 >/dev/null; then
	tests=$((tests + 1))
	python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' "$dir/strange.junit" || fail "the JUnit report of strange names is not XML"
fi

# ---- requirements count what can be reached, by the words of the text; groups take all spellings ----
mkdir -p "$dir/counts/x"
cat >"$dir/counts/x/k.ptx" <<END
$head
.shared .align 4 .u32 sh;
.global .align 4 .u32 g;
.func unused() { bar.sync 7; atom.global.add.u32 _, [g], 1; ret; }
.func used() { barrier.sync 0; ret; }
.entry other() { bar.sync 0; ret; }
.visible .entry k()
{
	.reg .pred %p, %q;
	.reg .b32 %r<4>;
	bar.sync 0;
	barrier.sync.aligned 0;
	barrier.red.or.pred %q, 0, %p;
	bar.warp.sync -1;
	call used;
	call used;
	red.global.add.u32 [g], 1;
	atom.global.add.u32 %r1, [g], 1;
	membar.gl;
	fence.sc.gpu;
	mov.u32 %r2, sh;
	bra end;
	bar.sync 1; // no path leads here
	atom.global.add.u32 %r1, [g], 1;
end:
	setp.ne.u32 %p, 1, 1;
	@%p bar.sync 2; // never executed, but that is not decided
	// bar.sync 3;
	ret;
	bar.sync 5;
}
END
echo 'barriers 5
bar 3
bar.sync 3
barrier 3
barrier.sync 2
bar.warp 1
atoms 2
atom 1
red 1
fences 2
fence 1
membar 1
shared 1
.add 2
add 0
call 2' >"$dir/counts.want"
{ printf 'exercise k\nfile k.ptx\n' && sed 's/ .*/ >= 0 points 1/' "$dir/counts.want" && printf 'case k\nlaunch k<<<1, 32>>>()\nexpect clean\nend\n'; } >"$dir/counts.suite"
"$ptxi" grade --format=json "$dir/counts.suite" "$dir/counts" >"$dir/counts.json" || fail "counts: status $?"
grep -o '"name": "[^"]* >= 0", "verdict": "[a-z]*", "reason": "", "detail": "", "count": [0-9]*' "$dir/counts.json" | sed 's/"name": "\([^ ]*\) >=.*: /\1 /' >"$dir/counts.got"
same "the counts of requirements" "$dir/counts.want" "$dir/counts.got"

# ---- a kernel that the file lacks costs only the cases that launch it, whether they are in the suite or in a file ----
mkdir -p "$dir/half/x"
cp "$dir/s/scale.a" "$dir/half/x/scale.ptx"
printf 'case one\nbuffer x : u32[32] = 1\nlaunch scale<<<1, 32>>>(x, 2)\nexpect x == 2\ncase two\nlaunch absent<<<1, 1>>>()\nexpect clean\n' >"$dir/two.check"
printf 'exercise a\n file scale.ptx\n cases two.check\n case three\n launch absent<<<1, 1>>>()\n expect clean\n end\n no bar points 1\n' >"$dir/two.suite"
"$ptxi" grade -v "$dir/two.suite" "$dir/half" >"$dir/half.txt" || fail "half: status $?"
tests=$((tests + 1))
[ "$(grep -cE 'x 2/4|PASS no bar|PASS one|FAIL two: the file has no kernel|FAIL three: the file has no kernel' "$dir/half.txt")" = 5 ] || fail "a missing kernel: $(cat "$dir/half.txt")"

# ---- time, a crash, and an interrupt cost one case or one submission; whoever starts the grader may ignore and block signals ----
mkdir -p "$dir/slow/a" "$dir/slow/b"
kernel 'L: add.u32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, %r2; bra L;' >"$dir/slow/a/scale.ptx"
cp "$dir/s/scale.a" "$dir/slow/b/scale.ptx"
sed '/^exercise reduce/,$d; s/^steps.*/steps 1000000000000/; s/^time.*/time 300ms/' "$dir/class.suite" >"$dir/slow.suite"
cat >"$dir/deaf.py" <<'END'
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
os.execv(sys.argv[1], sys.argv[1:])
END
deaf() { if command -v python3 >/dev/null; then python3 "$dir/deaf.py" "$@"; else "$@"; fi; }
deaf "$ptxi" grade "$dir/slow.suite" "$dir/slow" >"$dir/slow.txt" || fail "slow: status $?"
tests=$((tests + 2))
grep -q 'FAIL small: took longer than 0.3 s$' "$dir/slow.txt" || fail "a loop is not stopped by the time: $(cat "$dir/slow.txt")"
grep -q '^b 10/10$' "$dir/slow.txt" || fail "a loop costs another student points"
if command -v pgrep >/dev/null; then
	sed 's/^time.*/time 1000s/' "$dir/slow.suite" >"$dir/endless.suite"
	# disturb OPTIONS: starts the grader, and sets $child to the process in which the loop runs
	disturb() {
		"$ptxi" grade "$@" "$dir/endless.suite" "$dir/slow" >"$dir/slow.txt" 2>"$dir/said" &
		grader=$!
		tries=0
		until child=$(pgrep -P $grader) && [ -n "$child" ] || [ $tries = 500 ]; do
			tries=$((tries + 1))
			sleep 0.02
		done
		sleep 0.2
		child=$(pgrep -P $grader)
	}
	disturb -j 1
	kill -SEGV "$child"
	sleep 0.2
	kill -KILL "$(pgrep -P $grader)" # the process of the second case
	wait $grader || fail "after a crash: status $?"
	tests=$((tests + 3))
	grep -q 'FAIL small: crashed: signal 11 - please report$' "$dir/slow.txt" || fail "a crash is not named: $(cat "$dir/slow.txt")"
	grep -q 'FAIL large: the system ended it' "$dir/slow.txt" || fail "a killed process is not named: $(cat "$dir/slow.txt")"
	grep -q '^b 10/10$' "$dir/slow.txt" || fail "a crash costs another student points"

	# ---- an interrupt ends with a report of what was judged, from which another run goes on ----
	# interrupted SIGNAL STATUS FORMAT
	interrupted() {
		disturb -j 2 --format="$3"
		kill "-$1" "$child" # Control-C goes to the processes of submissions, too; the grader alone ends them
		sleep 0.1
		kill "-$1" $grader
		wait $grader
		status=$?
		tests=$((tests + 4))
		[ $status = "$2" ] || fail "a grader interrupted by $1 ends with status $status"
		kill -0 "$child" 2>/dev/null && fail "an interrupted grader leaves a process behind"
		grep -q '1 of 2 submissions were not judged' "$dir/said" || fail "an interrupted grader says: $(cat "$dir/said")"
		[ "$3" = json ] || "$ptxi" merge --format="$3" "$dir/part.json" 2>/dev/null | cmp -s - "$dir/slow.txt" || fail "$3 of an interrupted run: $(cat "$dir/slow.txt")"
		cp "$dir/slow.txt" "$dir/part.$3"
	}
	interrupted TERM 143 json
	for format in text csv junit html; do interrupted INT 130 $format; done
	"$ptxi" merge "$dir/part.json" >"$dir/slow.txt" 2>/dev/null
	status=$?
	tests=$((tests + 4))
	[ $status = 7 ] || fail "merge of an interrupted run ends with status $status"
	[ "$(grep -cxE 'a 0/10|  scale 0/10: not judged: the run was interrupted|b 10/10|1 of 2 submissions were not judged: the run was interrupted' "$dir/slow.txt")" = 4 ] || fail "an interrupted run reports: $(cat "$dir/slow.txt")"
	# another run judges what is missing and what changed: the steps of b, which are forged, stay until its file changes
	cp "$dir/s/scale.a" "$dir/slow/a/scale.ptx"
	sed '/"student": "b"/s/"steps": [0-9]*/"steps": 12345/' "$dir/part.json" >"$dir/forged.json"
	"$ptxi" grade --continue="$dir/part.json" --format=json -o "$dir/rest.json" "$dir/endless.suite" "$dir/slow" || fail "grade --continue ends with status $?"
	"$ptxi" grade --format=json -o "$dir/all.json" "$dir/endless.suite" "$dir/slow" || fail "grade of the repaired file ends with status $?"
	same "an interrupted and continued run, and one run" "$dir/all.json" "$dir/rest.json"
	"$ptxi" grade --continue="$dir/forged.json" --format=json -o "$dir/rest.json" "$dir/endless.suite" "$dir/slow" || fail "grade --continue ends with status $?"
	grep -q '"student": "b".*"steps": 12345' "$dir/rest.json" || fail "grade --continue judges again what was judged"
	echo '// changed' >>"$dir/slow/b/scale.ptx"
	"$ptxi" grade --continue="$dir/forged.json" --format=json -o "$dir/rest.json" "$dir/endless.suite" "$dir/slow" || fail "grade --continue ends with status $?"
	grep -q '"steps": 12345' "$dir/rest.json" && fail "grade --continue does not judge a file that changed"
	"$ptxi" grade --continue="$dir/part.json" "$dir/slow.suite" "$dir/slow" >"$dir/said" 2>&1
	status=$?
	[ $status = 2 ] || fail "grade --continue with the result of another suite ends with status $status"
	grep -q "is not the result of this suite and shard" "$dir/said" || fail "grade --continue takes the result of another suite: $(cat "$dir/said")"
fi

# ---- a process that a submission has taken over: whatever it sends, it costs this submission only, and soon ----
cat >"$dir/liar.c" <<'END'
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
struct record { uint32_t magic, kind, index, verdict; uint64_t amount; uint32_t nreason, ndetail; };
static char zeros[1 << 20];
static ssize_t put(int fd, const void *b, size_t n) { return syscall(SYS_write, fd, b, n); }
/* Instead of the write() of libc: when case 0 begins, it does what LIE says. */
ssize_t write(int fd, const void *b, size_t n)
{
	const char *how = getenv("LIE");
	struct record r;

	if (!how || n < sizeof r || memcmp(b, "DXRG", 4) != 0)
		return put(fd, b, n);
	memcpy(&r, b, sizeof r);
	if (r.kind != 3)
		return put(fd, b, n);
	if (strcmp(how, "part") == 0) { put(fd, b, 10); _exit(0); }
	if (strcmp(how, "close") == 0) close(fd);
	if (strcmp(how, "zeros") == 0) for (;;) put(fd, zeros, sizeof zeros);
	if (strcmp(how, "flood") == 0) for (r.kind = 0;;) put(fd, &r, sizeof r);
	if (strcmp(how, "large") == 0) r.ndetail = 1u << 30;
	if (strcmp(how, "case") == 0) r.index = 77;
	if (strcmp(how, "end") == 0) r.kind = 5;
	put(fd, &r, sizeof r);
	for (;;) pause();
}
END
mkdir -p "$dir/pair/a"
cp "$dir/s/scale.a" "$dir/pair/a/scale.ptx"
if ${CC:-cc} -shared -fPIC -o "$dir/liar.so" "$dir/liar.c" 2>/dev/null && LD_PRELOAD=$dir/liar.so "$ptxi" grade "$dir/slow.suite" "$dir/pair" >"$dir/said" 2>&1; then
	for lie in part close zeros flood large case end; do
		LIE=$lie LD_PRELOAD=$dir/liar.so timeout 60 "$ptxi" grade "$dir/slow.suite" "$dir/pair" >"$dir/said" 2>&1 || fail "$lie: status $?"
		tests=$((tests + 1))
		grep -q '^  scale 0/10: crashed: .* - please report$' "$dir/said" || fail "$lie: $(cat "$dir/said")"
	done
else
	echo "grade: SKIP processes that lie: no compiler, or this build of ptxi takes no LD_PRELOAD"
fi

# ---- errors: in the suite with their place, and of merge ----
# wrong CODE LINE:COLUMN EXPRESSION: the suite changed by sed
wrong() {
	tests=$((tests + 1))
	sed "$3" "$dir/class.suite" >"$dir/wrong.suite"
	"$ptxi" grade "$dir/wrong.suite" "$dir/class" >"$dir/said" 2>&1
	status=$?
	grep -q "wrong.suite:$2: error: .*\[$1\]\$" "$dir/said" || fail "'$3' is not reported as $1 at $2: $(head -n 1 "$dir/said")"
	[ $status = 2 ] || fail "'$3': status $status"
}
wrong L0501 2:1 's/^steps/stpes/'
wrong L0502 3:6 's/^time 10s/time soon/'
wrong L0502 10:9 's/points 10$/points 1.234/'
wrong L0503 8:10 's/file scale.ptx//'
wrong L0503 23:10 's/^exercise reduce/exercise scale/'
wrong L0504 26:7 's/uses shared/uses sharde/'
wrong L0505 11:7 '15d'
wrong L0505 12:29 's/= iota(0)/= file("x")/'
wrong L0101 14:3 's/expect x == 3/expct x == 3/'
wrong L0115 12:7 's/buffer x : u32.32. = iota(0)/set sched=random/'
wrong L0124 12:18 's/u32.32. = iota(0)/u32[99999999999999999999]/'
wrong L0113 14:12 's/expect x == 3 . i/expect x[40] == 3/'
wrong L0116 12:8 's/buffer x : u32.32. = iota(0)/wait e/'
wrong L0502 1:13 's/^suite .*/submissions {student}_{student}_{file}/'
wrong L0502 1:13 's/^suite .*/submissions {student}*****{file}/'
wrong L0201 29:8 's/cases reduce.check/cases no.check/'
# refused WORDS ARGUMENTS...: a command line that ends with status 2 and these words
refused() {
	words=$1
	shift
	tests=$((tests + 1))
	"$ptxi" "$@" >"$dir/said" 2>&1
	status=$?
	[ $status = 2 ] || fail "'$*': status $status"
	grep -q -e "$words" "$dir/said" || fail "'$*' says: $(head -n 1 "$dir/said")"
}
refused 'shard 2/5 is missing' merge "$dir/shard.1" "$dir/shard.3" "$dir/shard.4" "$dir/shard.5"
refused 'are both shard 1/5' merge "$dir/shard.1" "$dir/shard.1"
refused 'are not results of the same number of shards' merge "$dir/shard.1" "$dir/one.json"
refused "is in two of the files" merge "$dir/one.json" "$dir/merged.json"
refused 'this is not a result of' merge "$dir/class.suite"
head -c 20000 "$dir/one.json" >"$dir/cut.json"
refused 'this is not a result of' merge "$dir/cut.json"
sed 's/"points": 40/"points": 41/' "$dir/one.json" >"$dir/forged.json"
refused "are not those of its cases" merge "$dir/forged.json"
refused 'it takes a part' grade --shard=6/5 "$dir/class.suite" "$dir/class"
refused 'needs a suite and the folder' grade "$dir/class.suite"
refused 'No such file' grade -o "$dir/no/where" "$dir/class.suite" "$dir/class"
refused 'only html and json' grade -o "$dir" "$dir/class.suite" "$dir/class"
refused 'No such file' grade "$dir/class.suite" "$dir/nowhere"

# ---- changed suites and results: an error, never a crash (tests/fuzz/fuzz_suite.c and fuzz_result.c look further) ----
if command -v python3 >/dev/null; then
	mkdir "$dir/empty"
	head -n 14 "$dir/one.json" | sed '$s/,$//' >"$dir/few.json" # the suite and some students
	echo '], "not_graded": [{"path": "x", "why": "y"}]}' >>"$dir/few.json"
	"$ptxi" merge "$dir/few.json" >/dev/null || fail "a part of the result cannot be read"
	tests=$((tests + 1))
	python3 - "$ptxi" "$dir" <<'END' || fail "a changed suite or result is not handled"
import random, subprocess, sys
ptxi, d = sys.argv[1:]
rng = random.Random(7)
suite, result = open(d + "/class.suite", "rb").read(), open(d + "/few.json", "rb").read()

def changed(text):
    words = text.split(b" ")
    for _ in range(rng.randint(1, 4)):
        at, how = rng.randrange(len(words)), rng.randrange(5)
        if how == 0: words[at] = words[rng.randrange(len(words))]
        elif how == 1: del words[at]
        elif how == 2: words[at] = bytes(rng.randrange(256) for _ in range(3))
        elif how == 3: words[at] = rng.choice([b'"', b"{", b"999999999999999999999", b"-1", b"\n", b"\\", b"end", b"//", b"*" * 50, b"[" * 50])
        else: words = words[:at + 1]
        if not words: words = [b""]
    return b" ".join(words)

for text, name, line in (suite, "x.suite", [ptxi, "grade", d + "/x.suite", d + "/empty"]), (result, "x.json", [ptxi, "merge", d + "/x.json"]):
    refused = 0
    for k in range(50):
        open(d + "/" + name, "wb").write(changed(text))
        run = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
        refused += run.returncode == 2
        if run.returncode not in (0, 2) or (run.returncode == 2) != (b"error" in run.stderr):
            sys.exit(f"{name}: status {run.returncode}: {run.stderr[:300]!r}: {open(d + '/' + name, 'rb').read()[:300]!r}")
    if refused < 10: sys.exit(f"{name}: only {refused} of 50 are refused")
END
fi

[ $bad = 0 ] && echo "grade: $tests: a class of $((students + 20)) with 20 hostile submissions has the points of the table, the same from shards and in every format; errors have their place"
exit $bad
