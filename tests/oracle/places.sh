#!/bin/sh
# Programs compiled by nvcc with -lineinfo and with -G (places/, made by places/make.sh), each with one mistake of a course on CUDA: the first place of the first finding is
# the line of the .cu file that "// wrong: CODE" marks, in the text and in JSON, and the line itself is shown. Then what a .ptx file may read by naming it in .file.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
case $ptxi in /*) ;; *) ptxi=$PWD/$ptxi ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
export NO_COLOR=1

fail() {
	echo "places: $*"
	bad=1
}

for cu in tests/oracle/places/*.cu; do
	line=$(sed -n '/\/\/ wrong: /=' "$cu")
	code=$(sed -n 's|.*// wrong: \([A-Z0-9]*\)$|\1|p' "$cu")
	name=${cu##*/}
	for way in lineinfo debug; do
		ptx=${cu%.cu}.$way.ptx
		tests=$((tests + 1))
		"$ptxi" check --script="$cu" "$ptx" >"$dir/text" 2>&1
		"$ptxi" check --format=json --script="$cu" "$ptx" >"$dir/json" 2>&1
		# of the text, the record's first line, and the line of source below it
		awk -v ptx="$ptx" -v name="$name" -v line="$line" -v code="$code" '
			function fail(what) { print "places: " ptx ": " what; bad = 1 }
			FILENAME ~ /text$/ && FNR == 2 && !(index($0, "    " name ":" line ":") == 1 && index($0, "[" code "]")) { fail("not " name ":" line " [" code "], but: " $0) }
			FILENAME ~ /text$/ && FNR == 3 && !($1 == line && $2 == "|" && $0 ~ ("// wrong: " code "$")) { fail("the line is not shown, but: " $0) }
			FILENAME ~ /text$/ && index($0, "    " ptx ":") == 1 && /:[0-9]+:[0-9]+: note: the instruction in PTX$/ { instruction = 1 }
			FILENAME ~ /json$/ && !coded && match($0, /"code": "[A-Z0-9]*"/) { coded = substr($0, RSTART + 9, RLENGTH - 10) }
			FILENAME ~ /json$/ && !placed && (at = index($0, "\"places\": [{")) { placed = substr($0, at) }
			FILENAME ~ /text$/ { lines = FNR }
			END {
				if (lines < 3) fail("no finding")
				if (!instruction) fail("no place in the PTX")
				if (coded != code) fail("another first finding in JSON: " coded)
				if (index(placed, "\"places\": [{\"source\": {\"file\": \"" name "\", \"line\": " line ", ") != 1) fail("another first place in JSON: " placed)
				exit bad
			}' "$dir/text" "$dir/json" || bad=1
	done
done
[ "$tests" -ge 60 ] || fail "only $tests programs"

# ---- a loop that was unrolled: one line, one finding ----
tests=$((tests + 1))
"$ptxi" check --script=tests/oracle/places/race_warp.cu tests/oracle/places/race_warp.lineinfo.ptx >"$dir/text" 2>&1
grep -q 'race_warp.cu:9:[0-9]*: error: data race .* \[R0101\] ([0-9]* times, in [0-9]* instructions)$' "$dir/text" || fail "findings of an unrolled loop are not joined"
[ "$(grep -c 'race_warp.cu:9:[0-9]*: error:' "$dir/text")" -lt "$(grep -c 'ld.shared' tests/oracle/places/race_warp.lineinfo.ptx)" ] || fail "as many findings as instructions"

# ---- objects carry the places; their text is found by --source-path ----
tests=$((tests + 1))
"$ptxi" as tests/oracle/places/race_sync.lineinfo.ptx -o "$dir/race.ptxo" || fail "cannot assemble"
"$ptxi" check --script=tests/oracle/places/race_sync.cu "$dir/race.ptxo" >"$dir/text" 2>&1
sed -n 2,3p "$dir/text" | grep -q '^    race_sync.cu:11:' || fail "an object has no places"
grep -q '// wrong' "$dir/text" && fail "a line of a file that is not below the object's folder"
"$ptxi" check --source-path=tests/oracle/places --script=tests/oracle/places/race_sync.cu "$dir/race.ptxo" >"$dir/text" 2>&1
sed -n 3p "$dir/text" | grep -q '^ *11 | .*// wrong' || fail "--source-path does not find the line"

# ---- which files a .ptx file may show ----
mkdir "$dir/own" "$dir/other" "$dir/own/src"
# kernel NAME: the .ptx file own/k.ptx, compiled from line 2 of NAME, which writes out of bounds
kernel() {
	cat >"$dir/own/k.ptx" <<END
.version 9.0
.target sm_90
.address_size 64
.entry k()
{
.reg .b64 %rd<2>;
.loc 1 2 ${2:-3}
mov.u64 %rd1, 64;
st.global.u32 [%rd1], 1;
ret;
}
.file 1 "$1"
//@ launch k<<<1, 1>>>()
//@ expect clean
END
}
# shows WANTED(yes|no) NAME [OPTION...]: whether the line of NAME is shown
shows() {
	wanted=$1
	kernel "$2"
	shift 2
	tests=$((tests + 1))
	timeout 20 "$ptxi" run "$@" "$dir/own/k.ptx" >"$dir/text" 2>&1
	[ $? -eq 4 ] || fail "k.ptx with $*: another status"
	got=no
	grep -q '2 | .*secret' "$dir/text" && got=yes
	[ "$got" = "$wanted" ] || fail "$(grep '^\.file' "$dir/own/k.ptx") $*: line shown: $got"
	grep -q 'k.ptx:9:1: note: the instruction in PTX' "$dir/text" || fail "$*: no place in the PTX"
}
for f in own/a.cu own/src/b.cuh own/c.txt other/d.cu other/deep.h; do
	printf 'first\nsecret\nthird\n' >"$dir/$f"
done
printf 'one line, secret\n' >"$dir/own/short.cu"
printf 'first\nsecret\0\n' >"$dir/own/binary.cu"
(printf 'first\nsecret\n' && head -c 17000000 /dev/zero | tr '\0' 'x') >"$dir/own/large.cu"
ln -s ../other/d.cu "$dir/own/link.cu"
mkfifo "$dir/own/fifo.cu"
mkdir "$dir/own/folder.cu"
shows yes a.cu
shows yes "$dir/own/a.cu"
shows yes src/b.cuh
shows yes /home/someone/project/src/b.cuh
shows yes 'C:\\project\\src\\b.cuh'
shows no a.cu --source-path=none
shows no c.txt
shows no ../other/d.cu
shows no "$dir/other/d.cu"
shows no ../own/../other/d.cu
shows no link.cu
shows no fifo.cu
shows no folder.cu
shows no short.cu
shows no binary.cu
shows no large.cu
shows no ''
shows no /
shows no .cu
shows yes "$dir/other/d.cu" --source-path="$dir/other"
shows yes /build/x/d.cu --source-path="$dir/other"
shows yes x/other/d.cu --source-path="$dir"
shows no x/other/d.cu --source-path="$dir/missing"
shows yes link.cu --source-path="$dir/missing" --source-path="$dir/other"
shows no "$(awk 'BEGIN { for (k = 0; k < 5000; k++) printf "a/" }')a.cu"

# one file under many names is not read without end: every line of the PTX comes from another name
tests=$((tests + 1))
head -c 10000000 /dev/zero | tr '\0' '\n' >"$dir/own/ten.cu"
awk 'BEGIN {
	print ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<200>;"
	for (k = 1; k <= 60; k++) print ".loc " k " 2 1\nadd.u32 %r" k ", %r" k + 100 ", 1;"
	print "ret;\n}"
	for (k = 1; k <= 60; k++) { printf ".file " k " \""; for (i = 0; i < k; i++) printf "./"; print "ten.cu\"" }
}' >"$dir/own/names.ptx"
timeout 20 "$ptxi" as "$dir/own/names.ptx" -o "$dir/x.ptxo" >"$dir/text" 2>&1
[ $? -eq 0 ] || fail "60 names of one file: $(tail -n 1 "$dir/text")"
[ "$(grep -c '^ *2 | ' "$dir/text")" = 6 ] || fail "60 names of one file: $(grep -c '^ *2 | ' "$dir/text") lines shown"

# a name cannot control the terminal, and a column past the end is harmless
tests=$((tests + 2))
kernel "$(printf 'x\033[31m\a.cu')"
"$ptxi" run "$dir/own/k.ptx" 2>&1 | LC_ALL=C grep -q "$(printf '[\033\a]')" && fail "a file's name reaches the terminal"
kernel a.cu 4000000000
"$ptxi" run "$dir/own/k.ptx" 2>&1 | sed -n 3p | grep -q '^ *| *^$' || "$ptxi" run "$dir/own/k.ptx" 2>&1 | grep -q '2 | secret' || fail "column 4000000000"

# ---- mistakes in the PTX itself, such as those of an asm statement ----
# rejected WANT EDIT: what the first line of the message says after EDIT of a program
rejected() {
	tests=$((tests + 1))
	sed "$2" tests/oracle/places/early_exit.lineinfo.ptx >"$dir/bad.ptx"
	"$ptxi" as "$dir/bad.ptx" --source-path=tests/oracle/places -o "$dir/bad.ptxo" >"$dir/text" 2>&1
	[ $? -eq 3 ] || fail "$2: not rejected"
	head -n 1 "$dir/text" | grep -q "^$1" || fail "$2: $(head -n 1 "$dir/text")"
}
rejected 'early_exit.cu:7:5: error: .*E0' 's/mbarrier.arrive.shared.b64 _,/mbarrier.arrive.shared.b32 _,/'
rejected 'early_exit.cu:7:5: error: .*E0' 's/mbarrier.arrive.shared.b64 _,/mbarrier.arrive.shared.b64 5 5,/'
rejected "$dir/bad.ptx:[0-9]*:[0-9]*: error: .*E0" 's/^\.target.*/&\n.global .u32 x = {1};/'
rejected "$dir/bad.ptx:[0-9]*:[0-9]*: error: .*E0" 's/^}/&\n.global .u32 x = {1};/'

# ---- other texts that name lines: reports of hangs, explore, traces ----
tests=$((tests + 3))
"$ptxi" check --script=tests/oracle/places/barrier_count.cu tests/oracle/places/barrier_count.debug.ptx >"$dir/text" 2>&1
for text in 'wait at barrier_count.cu:12 \[line ' 'it was initialised with 33 (barrier_count.cu:10 \[line ' 'in the loop at barrier_count.cu:12 \[line '; do
	grep -q "$text" "$dir/text" || fail "barrier_count: no '$text'"
done
"$ptxi" run --check=race --script=tests/oracle/places/early_exit.cu --trace="$dir/trace" tests/oracle/places/early_exit.lineinfo.ptx >"$dir/text" 2>&1
grep '"event": "arrive"' "$dir/trace" | grep -q '"line": [0-9]*, "source": {"file": "early_exit.cu", "line": 7, ' || fail "a trace has no places"
cat >"$dir/mp.ptx" <<'END'
.version 9.0
.target sm_90
.address_size 64
.entry mp(.param .u64 x, .param .u64 y, .param .u64 o)
{
.reg .pred %p;
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
ld.param.u64 %rd3, [o];
ld.param.u64 %rd1, [x];
ld.param.u64 %rd2, [y];
mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p, %r1, 0;
@%p bra W;
.loc 1 7 3
ld.relaxed.gpu.global.u32 %r2, [%rd2];
.loc 1 8 3
ld.relaxed.gpu.global.u32 %r3, [%rd1];
.loc 1 9 3
st.global.v2.u32 [%rd3], {%r2, %r3};
ret;
W:
.loc 1 3 3
st.relaxed.gpu.global.u32 [%rd1], 1;
.loc 1 4 3
st.relaxed.gpu.global.u32 [%rd2], 1;
ret;
}
.file 1 "mp.cu"
//@ buffer x : u32[1] = 0
//@ buffer y : u32[1] = 0
//@ buffer o : u32[2] = 0
//@ launch mp<<<2, 1>>>(x, y, o)
//@ allow o[0] == 1 && o[1] == 0
END
"$ptxi" explore --why='o[0] == 1 && o[1] == 0' --graph="$dir/mp.dot" "$dir/mp.ptx" >"$dir/text" 2>&1
grep -q 'mp.cu:3 \[line 24\]' "$dir/text" || fail "explore --why has no places"
grep -q 'mp.cu:8 \[line 18\]' "$dir/mp.dot" || fail "explore --graph has no places"

# ---- a library's function that is called from several lines of the user's: each text names the line that called it ----
tests=$((tests + 6))
mkdir "$dir/user"
cat >"$dir/user/lib.ptx" <<'END'
.version 9.0
.target sm_90
.address_size 64
.func start(.param .u32 bar, .param .u32 n)
{
.reg .b32 %r<3>;
.loc 2 5 1
ld.param.u32 %r1, [bar];
ld.param.u32 %r2, [n];
mbarrier.init.shared.b64 [%r1], %r2;
ret;
}
.func arrive(.param .u32 bar)
{
.reg .b32 %r<3>;
.loc 2 10 1
ld.param.u32 %r1, [bar];
mbarrier.arrive.shared.b64 _, [%r1];
ret;
}
.func wait(.param .u32 bar)
{
.reg .pred %p;
.reg .b32 %r<3>;
.loc 2 20 1
ld.param.u32 %r1, [bar];
W:
mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0;
@!%p bra W;
ret;
}
.func store(.param .u32 at)
{
.reg .b32 %r<3>;
.loc 2 30 1
ld.param.u32 %r1, [at];
st.shared.u32 [%r1], %r1;
ret;
}
.func fetch(.param .u32 at, .param .u64 from)
{
.reg .b32 %r<3>;
.reg .b64 %rd<2>;
.loc 2 40 1
ld.param.u32 %r1, [at];
ld.param.u64 %rd1, [from];
cp.async.cg.shared.global [%r1], [%rd1], 16;
cp.async.commit_group;
ret;
}
.shared .align 16 .b8 s[64];
.shared .b64 bars[2];
.entry meet(.param .u32 second)
{
.reg .pred %p;
.reg .b32 %r<5>;
.loc 1 3 1
mov.u32 %r1, bars;
ld.param.u32 %r2, [second];
add.u32 %r3, %r1, 8;
mov.u32 %r4, 2;
setp.ne.u32 %p, %r2, 0;
{ .param .u32 a; .param .u32 b; st.param.u32 [a], %r1; st.param.u32 [b], %r4; call start, (a, b); }
.loc 1 4 1
{ .param .u32 a; .param .u32 b; st.param.u32 [a], %r3; st.param.u32 [b], %r4; call start, (a, b); }
@%p bra SECOND;
.loc 1 5 1
{ .param .u32 a; st.param.u32 [a], %r1; call arrive, (a); }
.loc 1 6 1
{ .param .u32 a; st.param.u32 [a], %r1; call wait, (a); }
ret;
SECOND:
.loc 1 7 1
{ .param .u32 a; st.param.u32 [a], %r3; call arrive, (a); }
.loc 1 8 1
{ .param .u32 a; st.param.u32 [a], %r3; call wait, (a); }
ret;
}
.entry clash()
{
.reg .b32 %r<3>;
.reg .pred %p;
mov.u32 %r1, s;
mov.u32 %r2, %tid.x;
setp.ne.u32 %p, %r2, 0;
@%p bra OTHER;
.loc 1 13 1
{ .param .u32 a; st.param.u32 [a], %r1; call store, (a); }
ret;
OTHER:
.loc 1 15 1
{ .param .u32 a; st.param.u32 [a], %r1; call store, (a); }
ret;
}
.entry copy(.param .u64 from)
{
.reg .b32 %r<4>;
.reg .b64 %rd<2>;
.loc 1 20 1
mov.u32 %r1, s;
ld.param.u64 %rd1, [from];
add.u32 %r2, %r1, 16;
{ .param .u32 a; .param .u64 b; st.param.u32 [a], %r1; st.param.u64 [b], %rd1; call fetch, (a, b); }
.loc 1 21 1
{ .param .u32 a; .param .u64 b; st.param.u32 [a], %r2; st.param.u64 [b], %rd1; call fetch, (a, b); }
.loc 1 22 1
ld.shared.u32 %r3, [%r2];
ret;
}
.func put(.param .u64 at, .param .u32 v)
{
.reg .b32 %r<2>;
.reg .b64 %rd<2>;
.loc 2 50 1
ld.param.u64 %rd1, [at];
ld.param.u32 %r1, [v];
st.global.u32 [%rd1], %r1;
ret;
}
.entry bump(.param .u64 x)
{
.reg .pred %p;
.reg .b32 %r<3>;
.reg .b64 %rd<2>;
.loc 1 29 1
ld.param.u64 %rd1, [x];
mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p, %r1, 0;
mov.u32 %r2, 3;
@%p bra OTHER;
.loc 1 30 1
{ .param .u64 a; .param .u32 b; st.param.u64 [a], %rd1; st.param.u32 [b], %r1; call put, (a, b); }
ret;
OTHER:
.loc 1 32 1
{ .param .u64 a; .param .u32 b; st.param.u64 [a], %rd1; st.param.u32 [b], %r2; call put, (a, b); }
ret;
}
.file 1 "/home/someone/user.cu"
.file 2 "/usr/include/cuda/std/barrier.h"
END
# told OPTIONS TEXT...: each TEXT is in what the run says, and no line of the library stands alone
told() {
	"$ptxi" run --check=all -e 'buffer b : u32[4] = 0' -e "$1" "$dir/user/lib.ptx" >"$dir/text" 2>&1
	shift
	for text in "$@"; do
		grep -q "$text" "$dir/text" || fail "a library's function: no '$text' in $(cat "$dir/text")"
	done
	grep -v ' note: inside' "$dir/text" | grep -q 'barrier.h:' && fail "a library's function: $(grep 'barrier.h:' "$dir/text")"
}
told 'launch meet<<<1, 1>>>(0)' '^/home/someone/user.cu:6:1: error: .* \[D0201\]' 'wait.* at user.cu:6 \[line ' 'thread 0 (user.cu:5 \[line ' 'initialised with 2 (user.cu:3 \[line '
told 'launch meet<<<1, 1>>>(1)' '^/home/someone/user.cu:8:1: error: .* \[D0201\]' 'wait.* at user.cu:8 \[line ' 'thread 0 (user.cu:7 \[line ' 'initialised with 2 (user.cu:4 \[line '
told 'launch clash<<<1, 2>>>()' '^/home/someone/user.cu:15:1: error: data race' '^/home/someone/user.cu:13:1: note: the other access'
told 'launch copy<<<1, 1>>>(b)' '^/home/someone/user.cu:22:1: error: .*the asynchronous copy at user.cu:21 \[line '
"$ptxi" run --trace="$dir/trace" -e 'launch meet<<<1, 2>>>(1)' "$dir/user/lib.ptx" >"$dir/text" 2>&1
grep '"event": "arrive"' "$dir/trace" | grep -q '"source": {"file": "/home/someone/user.cu", "line": 7, ' || fail "a library's function: no place in $(cat "$dir/trace")"
grep -q 'barrier.h' "$dir/trace" && fail "a library's function: $(grep 'barrier.h' "$dir/trace")"
"$ptxi" explore --graph="$dir/dot" -e 'buffer x : u32[1] = 0' -e 'launch bump<<<2, 1>>>(x)' -e 'allow x[0] == 3' --why='x[0] == 3' "$dir/user/lib.ptx" >"$dir/text" 2>&1
for text in '(user.cu:30 \[line ' '(user.cu:32 \[line ' '^/home/someone/user.cu:3[02]:1: error: a data race' '^/home/someone/user.cu:3[02]:1: note: the other access'; do
	grep -q "$text" "$dir/text" || fail "a library's function, explored: no '$text' in $(cat "$dir/text")"
done
grep -q 'user.cu:30 \[line ' "$dir/dot" || fail "a library's function: no place in the graph"
grep -v ' note: inside' "$dir/text" | grep -q 'barrier.h' && fail "a library's function, explored: $(grep 'barrier.h' "$dir/text")"

[ "$bad" -eq 0 ] && echo "places: $tests checks"
exit "$bad"
