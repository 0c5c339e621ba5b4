#!/bin/sh
# The command line: exit statuses, where output goes, suggestions, formats. PTXI is the program.
# one watch for all commands
[ -n "$CLI_WATCHED" ] || CLI_WATCHED=1 exec timeout 1800 sh "$0" "$@"
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0

# status WANTED ARG...: checks the exit status; the output is in out and err
status() {
	want=$1
	shift
	tests=$((tests + 1))
	NO_COLOR=1 "$ptxi" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	got=$?
	[ $got = "$want" ] && return
	echo "cli: ptxi $*: status $got, not $want"
	head -n 3 "$dir/err"
	bad=1
}
# says FILE TEXT: out or err of the last run has a line with TEXT
# (the shell reads short output itself, which takes less than a process)
says() {
	tests=$((tests + 1))
	shown=0
	while IFS= read -r seen || [ -n "$seen" ]; do
		case $seen in *"$2"*) return ;; esac
		shown=$((shown + 1))
		[ $shown -lt 50 ] || break
	done <"$dir/$1"
	[ $shown -lt 50 ] || ! grep -qF -- "$2" "$dir/$1" || return
	echo "cli: '$2' is not on std$1:"
	head -n 5 "$dir/$1"
	bad=1
}
silent() {
	tests=$((tests + 1))
	[ -s "$dir/$1" ] || return
	echo "cli: std$1 is not empty:"
	head -n 5 "$dir/$1"
	bad=1
}

cat >"$dir/head" <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 p, .param .u32 v)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [v];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r1;
	ret;
}
.visible .entry spin()
{
again:
	bra again;
}
.visible .entry count()
{
	.reg .pred %more;
	.reg .b64 %c;
	mov.b64 %c, 0;
again:
	add.u64 %c, %c, 1;
	setp.ne.u64 %more, %c, 0;
	@%more bra again;
	ret;
}
.visible .entry stop() { trap; }
END
cp "$dir/head" "$dir/plain.ptx"
{ echo '//@ buffer a : u32[4] = 0'; echo '//@ launch fill<<<1, 4>>>(a, 7)'; echo '//@ print a'; echo '//@ expect a == 7'; cat "$dir/head"; } >"$dir/good.ptx"
{ echo '//@ buffer a : u32[4] = 0'; echo '//@ expect a == 7'; cat "$dir/head"; } >"$dir/wrong.ptx"
{ cat "$dir/head"; echo '.entry x() { bad; }'; } >"$dir/rejected.ptx"
: >"$dir/empty.ptx"
printf '\0\1\2' >"$dir/binary.ptx"
mkdir "$dir/none" "$dir/some"
cp "$dir/good.ptx" "$dir/plain.ptx" "$dir/some"

status 0 --version; says out "ptxi $(sed -n "s|^## \[\{0,1\}\([0-9.]*\).*|\1|p" CHANGELOG.md | head -n 1)"; silent err
status 0 --help; says out "ptxi check"
for command in run check explore as dis explain; do
	status 0 $command --help; says out "usage: ptxi $command"
done
status 2; says err "ptxi run"; silent out
status 2 rnu; says err "did you mean 'ptxi run'?"
status 2 run --sede=1 "$dir/good.ptx"; says err "did you mean --seed=1?"; silent out
status 2 run --schedule=far "$dir/good.ptx"; says err "did you mean fair?"
status 2 run --seed; says err "needs a value"
status 2 run --seed=x "$dir/good.ptx"; says err "whole number"
status 2 run --stats=1 "$dir/good.ptx"; says err "takes no value"
status 2 as --seed=1 "$dir/good.ptx"; says err "takes no --seed"
status 2 run; says err "needs a file"
status 2 as "$dir/good.ptx" "$dir/wrong.ptx"; says err "takes one file"
status 2 run "$dir/nothing.ptx"; says err "No such file"
status 2 run "$dir"; says err "is a directory"
status 3 run "$dir/empty.ptx"; says err "is empty"
status 3 as "$dir/binary.ptx"; says err "is not text"
status 3 run "$dir/rejected.ptx"; says err "E0207"; silent out
status 2 run "$dir/plain.ptx"; says err "fill(.u64 p, .u32 v)"; says err "launch fill<<<1, 32>>>(x, 64)"
status 2 run -W error "$dir/good.ptx"
status 2 run -Wno-nothing "$dir/good.ptx"

status 0 run "$dir/good.ptx"; says out "a[0..3] = 7 7 7 7"; silent err
status 1 run "$dir/wrong.ptx"; says err "a[0] is 0, expected 7"; silent out
status 0 run "$dir/plain.ptx" -e 'buffer a : u32[2] = 0' -e 'launch fill<<<1, 2>>>(a, 9)' -e 'print a'; says out "a[0..1] = 9 9"
status 2 run "$dir/plain.ptx" -e 'lanch fill'; says err "-e:1:1"
status 4 run "$dir/plain.ptx" -e 'launch stop<<<1, 1>>>()'; says err "error: "
status 4 run "$dir/plain.ptx" -e 'buffer a : u32[1] = 0' -e 'launch fill<<<1, 2>>>(a, 9)'
status 7 run "$dir/plain.ptx" -e 'launch spin<<<1, 1>>>()' --check=none --max-steps=1000
printf 'buffer z : u32[1] = 0\nlaunch fill<<<1, 1>>>(z, 5)\nexpect z == 5\nprint z\n' >"$dir/grade.txt"
status 0 run --script="$dir/grade.txt" "$dir/wrong.ptx"; says out "z = 5"
status 0 run --stats "$dir/good.ptx"; says out "thread instructions"; says out "million thread-instructions per second"
status 0 run --format=json "$dir/good.ptx"; says out '"buffers": {"a": [7, 7, 7, 7]}'; silent err
status 3 run --format=json "$dir/rejected.ptx"; says out '"code": "E0207"'; silent err
status 0 run --runs=3 "$dir/good.ptx" -e 'observe a[0]'; says out "1 outcome in 3 runs"
status 2 run --format=tap "$dir/good.ptx"
printf 'PTX SB\n{\nx=0;\ny=0;\n}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ;\n fence.sc.gpu | fence.sc.gpu ;\n ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, x ;\n~exists (P0:r0 == 0 /\\ P1:r0 == 0)\n' >"$dir/sb.litmus"
status 0 run --runs=20 "$dir/sb.litmus"; says out "is validated"; says out "Observation SB Never 0 20"; silent err
status 0 run --runs=5 --format=json "$dir/sb.litmus"; says out '"executions": 5, "outcomes": [{"state": {"P0:r0": '; silent err
status 0 run --runs=5 --format=tsv "$dir/sb.litmus" "$dir/sb.litmus"; says out 'sb.litmus	P0 P1	{"P0:r0": '; silent err
status 2 run "$dir/sb.litmus" "$dir/sb.litmus"; says err "a litmus test is a whole program, and cannot be linked"; says err "'ptxi run' with --runs=N each of them"
status 2 explore --format=tsv "$dir/sb.litmus"; says err "tsv is for run"
status 6 run --runs=2 --format=tsv tests/ptx/litmus/mbarriers.ptx; says out 'mbarriers.ptx:looks		{"P1:%r1": '
status 2 dis "$dir/sb.litmus"; says err "a .litmus file cannot be"
# the expectation determines the status of a race: none, race, clean
cat >"$dir/racing.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.global .u32 x;
.visible .entry k() { st.global.u32 [x], 1; ret; }
END
status 0 explore "$dir/racing.ptx" -e 'launch k<<<2, 1>>>()' -e 'always x == 1'
status 0 explore "$dir/racing.ptx" -e 'launch k<<<2, 1>>>()' -e 'expect race'
status 5 explore "$dir/racing.ptx" -e 'launch k<<<2, 1>>>()' -e 'expect clean'
status 5 explore "$dir/racing.ptx" -e 'launch k<<<2, 1>>>()' -e 'always x == 1' -e 'expect clean'
# each relation of a branch, as PTX and in the explorer
cat >"$dir/branch.litmus" <<'END'
PTX branch
{
P0:r1=2; P0:r2=3; P0:r8=0; P0:r9=0;
}
 P0@cta 0,gpu 0 ;
 beq r1, r2, A0 ;
 add r9, r9, 1 ;
 A0: ;
 bne r1, r2, A1 ;
 add r9, r9, 2 ;
 A1: ;
 blt r1, r2, A2 ;
 add r9, r9, 4 ;
 A2: ;
 ble r1, r2, A3 ;
 add r9, r9, 8 ;
 A3: ;
 bgt r1, r2, A4 ;
 add r9, r9, 16 ;
 A4: ;
 bge r1, r2, A5 ;
 add r9, r9, 32 ;
 A5: ;
 beq r1, r1, B0 ;
 add r8, r8, 1 ;
 B0: ;
 bne r1, r1, B1 ;
 add r8, r8, 2 ;
 B1: ;
 blt r1, r1, B2 ;
 add r8, r8, 4 ;
 B2: ;
 ble r1, r1, B3 ;
 add r8, r8, 8 ;
 B3: ;
 bgt r1, r1, B4 ;
 add r8, r8, 16 ;
 B4: ;
 bge r1, r1, B5 ;
 add r8, r8, 32 ;
 B5: ;
forall (P0:r9 == 49 /\ P0:r8 == 22)
END
status 0 run --runs=1 "$dir/branch.litmus"; says out "is validated"; status 0 explore "$dir/branch.litmus"; says out "Ok"
# an .acquire that reads from no release acquires nothing, so x may be old
awk '/^\/\/@ case/ { on = $3 == "kept" } /^\/\/@/ && !on { next } { print }' tests/ptx/sync/lost_releases.ptx | sed 's/^\/\/@ expect.*/\/\/@ observe out[1]/' >"$dir/kept.ptx"
status 0 run --runs=30 "$dir/kept.ptx"; says out "2 outcomes in 30 runs"; says out "out[1]=0"; silent err
# races and threads that hang are findings of the object, as of a .ptx file
printf 'PTX R\n{x=0}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.weak r0, x ;\nexists (P1:r0=0)\n' >"$dir/race.litmus"
status 0 explore "$dir/race.litmus"; says out "Data race: P0: st.weak x, 1 (line 4)"; silent err
status 0 explore --format=json "$dir/race.litmus"; says out '"code": "R0150", "message": "a data race: P0 writes here, P1 reads'
printf 'PTX D\n{x=0}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.cta.sync 0, 0, 2 | ld.weak r0, x ;\n~exists (P1:r0=0)\n' >"$dir/stuck.litmus"
status 0 explore "$dir/stuck.litmus"; says out "Deadlock: P0: bar.cta.sync 0, 0, 2 (line 4);"; silent err
printf 'PTX DD\n{x=0}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;\n ld.weak r0, x | bar.cta.sync 0, 0, 3 | bar.cta.sync 0, 0, 3 ;\n~exists (P0:r0=1)\n' >"$dir/two.litmus"
status 0 explore "$dir/two.litmus"; says out "Deadlock: P1: bar.cta.sync 0, 0, 3 (line 4); P2: bar.cta.sync 0, 0, 3 (line 4);"; silent err
status 0 explore --format=json "$dir/stuck.litmus"; says out '"code": "D0150", "message": "P0 may wait here forever", "places": [{"file": "'
# several cases: one JSON object, and the worst of their statuses
{ printf '//@ case one\n//@ launch fill<<<1, 1>>>(0, 7)\n//@ allow 1 == 2\n//@ case two\n//@ launch spin<<<1, 1>>>()\n'; cat "$dir/head"; } >"$dir/two.ptx"
status 6 explore --format=json "$dir/two.ptx" && says out '{"schema": 1, "cases": [{"schema": 1'

cat >"$dir/pair.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 8 .u64 q;
.visible .entry pair()
{
	.reg .pred %p;
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	mov.u32 %r1, %ctaid.x;
	setp.eq.u32 %p, %r1, 0;
	@%p st.relaxed.gpu.global.u64 [q], 1;
	@!%p ld.relaxed.gpu.global.u64 %rd1, [q];
	ret;
}
.visible .entry sizes()
{
	.reg .b64 %rd<2>;
	st.global.u32 [q+4], 1;
	ld.global.u64 %rd1, [q];
	ret;
}
END
two='launch pair<<<2, 1>>>()'
status 0 explore "$dir/pair.ptx" -e "$two" -e 'allow P1:%rd1 == 1'; says out "Test $dir/pair.ptx"; says out "States 2"; silent err
status 0 explore "$dir/pair.ptx" -e "$two" -e 'expect q == 1'; says out "2       :> q=1;"
status 2 explore "$dir/pair.ptx" -e "$two" -e 'allow P2:%rd1 == 1'; says err "no thread P2"; silent out
status 2 check "$dir/pair.ptx" -e 'allow P2:%rd1 == 1' -e "$two"; says out "no thread P2"
status 8 explore "$dir/pair.ptx" -e 'allow q == 1'; says err "nothing is launched"
status 2 explore "$dir/pair.ptx" -e "$two" -e 'allow q == 1' --graph="$dir/no/such/place.dot"; says err "L0207"
# every condition of an explored case is judged, including the first
status 1 check "$dir/pair.ptx" -e "$two" -e 'forbid q == 1' -e 'allow q == 1'; says out "the memory model allows this outcome"
status 1 check "$dir/pair.ptx" -e "$two" -e 'allow q == 1' -e 'forbid q == 1'; status 1 check "$dir/pair.ptx" -e "$two" -e 'allow q == 2' -e 'always q == 1'
for option in --on=gpu --memory=weak --schedule=fair --seed=1 --runs=2 --check=race --max-steps=9; do
	status 2 explore "$dir/pair.ptx" -e "$two" $option; says err "takes no"
done
status 7 explore "$dir/pair.ptx" -e 'launch sizes<<<2, 1>>>()' -e 'always P0:%rd1 == 0' -e 'forbid P0:%rd1 != 0'; says err "pair.ptx:20:2"; says err "accesses of different sizes race"; says out "States 0"; says out Undecided
status 0 explore "$dir/pair.ptx" -e 'launch sizes<<<1, 1>>>()' -e 'always P0:%rd1 == 4294967296'; says out "States 1"; silent err
status 7 explore --rounds=2 tests/ptx/litmus/rounds.ptx; says err "loops were followed for 2 rounds (for 1024 where reads have one possible value)"; says out "Test loaded"; says out "Undecided"
status 0 explore tests/ptx/litmus/rounds.ptx; silent err
# rounds are counted in a loop controlled by a value returned from a call, and with other registers that reads have set
cat >"$dir/call.ptx" <<'END'
//@ case polled_through_a_call
//@ launch k<<<2, 1>>>()
//@ always P1:%r4 == 7 && P1:%r5 >= 1
.version 8.6
.target sm_90
.address_size 64
.global .u32 x;
.global .u32 y;
.func (.reg .b32 r) same(.reg .b32 a)
{
	mov.b32 r, a;
	ret;
}
.visible .entry k()
{
	.reg .b32 %r<6>;
	.reg .pred %p<3>;
	.param .b32 q;
	mov.u32 %r5, 0;
	mov.u32 %r2, %ctaid.x;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra W;
L:
	ld.acquire.gpu.global.u32 %r1, [x];
	st.param.b32 [q], %r1;
	call (%r3), same, (q);
	add.u32 %r5, %r5, 1;
	setp.eq.u32 %p2, %r3, 0;
	@%p2 bra L;
	ld.weak.global.u32 %r4, [y];
	ret;
W:
	st.weak.global.u32 [y], 7;
	st.release.gpu.global.u32 [x], 1;
	ret;
}
END
status 7 explore --rounds=3 "$dir/call.ptx"; says out "States 5"; says err "loops were followed for 3 rounds"
cat >"$dir/filled.litmus" <<'END'
PTX loop
{
x=0; a=0; b=0; c=0; d=0;
P1:r5=0;
}
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 st.relaxed.gpu x, 1 | ld.weak r0, a ;
 | ld.weak r1, b ;
 | ld.weak r2, c ;
 | ld.weak r3, d ;
 | L0: ;
 | add r5, r5, 1 ;
 | ld.relaxed.gpu r4, x ;
 | beq r5, 3, L1 ;
 | beq r4, 0, L0 ;
 | L1: ;
forall (P1:r0 == 0 /\ P1:r1 == 0 /\ P1:r2 == 0 /\ P1:r3 == 0 /\ (P1:r5 == 1 \/ P1:r5 == 2 \/ P1:r5 == 3))
END
status 0 explore "$dir/filled.litmus"; says out "States 3"; says out "Ok"; silent err
# a case that is explored is not run, even if a line gives a number of runs
status 0 explore "$dir/pair.ptx" -e 'set runs=3' -e "$two" -e 'allow q == 1' -e 'forbid q == 0'; says out "Ok"; silent err
status 2 explore --rounds=0 tests/ptx/litmus/rounds.ptx; says err "a whole number from 1 to 10000"
status 2 run --rounds=5 "$dir/pair.ptx" -e "$two"; says err "takes no"
status 0 explore "$dir/sb.litmus" --why 'P0:r0 == 1 /\ P1:r0 == 0'; says out "reads y = 1 from P1"; says out "exists P0:r0 == 1"; says out "Possible: P0:r0 = 1, P1:r0 = 0"
# an address in a variable of the module
cat >"$dir/far.ptx" <<'END'
//@ case far
//@ launch k<<<2, 1>>>()
//@ allow P1:%r1 == 1
.version 8.6
.target sm_90
.address_size 64
.global .u32 g[4];
.visible .entry k()
{
	.reg .b32 %r<4>;
	.reg .pred %p;
	mov.u32 %r2, %ctaid.x;
	setp.eq.u32 %p, %r2, 0;
	@%p st.relaxed.gpu.global.u32 [g+8], 1;
	@!%p ld.relaxed.gpu.global.u32 %r1, [g+8];
	ret;
}
END
status 0 explore "$dir/far.ptx" --why 'P1:%r1 == 1'; says out ', writes g+8 = 1'; says out 'reads g+8 = 0 from the initial g+8 = 0'
cat >"$dir/fault.ptx" <<'END'
//@ case second
//@ launch k<<<3, 1>>>()
//@ always 1 == 1
.version 8.6
.target sm_90
.address_size 64
.visible .entry k()
{
	.reg .b32 %r<4>;
	.reg .b64 %rd1;
	.reg .pred %p;
	mov.u32 %r1, %ctaid.x;
	setp.eq.u32 %p, %r1, 1;
	mov.u64 %rd1, 0;
	@%p ld.global.u32 %r2, [%rd1];
	ret;
}
END
for jobs in 1 2 4; do
	status 4 explore -j$jobs "$dir/fault.ptx"; says err "CTA 1 thread 0 encounters an access outside all buffers and variables [F0150]"
done
# .shared is the CTA's own memory, also for explore
for op in 'ld.shared.u32 %r3, [%r1]' 'st.shared::cta.u32 [%r1], %r2' 'red.shared.add.u32 [%r1], %r2' 'cp.async.ca.shared.global [%r1], [%rd1], 4'; do
	cat >"$dir/own.ptx" <<END
//@ buffer in : u32[2] = 0
//@ launch k<<<2, 1>>>(in) cluster=2
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;
	.shared .align 8 .b64 s;
	ld.param.u64 %rd1, [in];
	mov.u32 %r1, s;
	mov.u32 %r2, %cluster_ctarank;
	xor.b32 %r2, %r2, 1;
	mapa.shared::cluster.u32 %r1, %r1, %r2;
	$op;
	ret;
}
END
	status 4 explore "$dir/own.ptx"; says err "an address of another CTA in an instruction with .shared [F0150]"
done
status 2 explore "$dir/sb.litmus" --why 'P0:r7 == 1'; says err "no register 'r7'"

# whole FILE: the trace has a complete end
whole() {
	tests=$((tests + 1))
	case $1 in
	*.json) [ "$(tail -n 1 "$1")" = "]}" ] && [ "$(grep -c '"ph": "B"' "$1")" = "$(grep -c '"ph": "E"' "$1")" ] && return ;;
	*) tail -n 1 "$1" | grep -q '"event": "run ends"' && return ;;
	esac
	echo "cli: the trace $1 is not whole"
	bad=1
}
status 0 run --trace="$dir/t.json" "$dir/good.ptx"; silent err; whole "$dir/t.json"
status 0 run --trace="$dir/t.jsonl" --runs=2 "$dir/good.ptx"; whole "$dir/t.jsonl"
status 4 run --trace="$dir/fault.json" "$dir/plain.ptx" -e 'launch stop<<<1, 1>>>()'; whole "$dir/fault.json"
status 6 run --trace="$dir/stuck.json" tests/ptx/sync/crossed_barriers.ptx; whole "$dir/stuck.json"
status 6 run --trace="$dir/stuck.jsonl" tests/ptx/sync/crossed_barriers.ptx; whole "$dir/stuck.jsonl"
status 7 run --trace="$dir/steps.json" "$dir/plain.ptx" -e 'launch spin<<<1, 1>>>()' --check=none --max-steps=1000; whole "$dir/steps.json"
status 7 run --trace="$dir/time.jsonl" "$dir/plain.ptx" -e 'launch count<<<1, 1>>>()' --check=none --timeout=0.1; whole "$dir/time.jsonl"
status 3 run --trace="$dir/none.json" "$dir/rejected.ptx"; whole "$dir/none.json"
status 0 run --trace=- "$dir/good.ptx"; says out '"event": "launch begins"'
status 0 run --trace="$dir/a.jsonl" --trace-atomics tests/ptx/course/histogram.ptx
tests=$((tests + 1)); grep -q '"event": "access".*"instruction": "\(atom\|red\)\.' "$dir/a.jsonl" || { echo "cli: --trace-atomics shows no atom"; bad=1; }
status 0 run --trace="$dir/a.jsonl" tests/ptx/course/histogram.ptx
tests=$((tests + 1)); grep -q '"event": "access"' "$dir/a.jsonl" && { echo "cli: --trace shows accesses unasked"; bad=1; }
# Strong accesses of a thread's own memory are shown, too, when earlier stores are delayed.
cat >"$dir/own.ptx" <<'END'
//@ buffer out : u32[3] = 0
//@ launch own<<<1, 1>>>(out)
.version 8.0
.target sm_80
.address_size 64
.visible .entry own(.param .u64 out)
{
	.reg .b32 %r<2>; .reg .b64 %rd<3>; .local .u32 x;
	ld.param.u64 %rd1, [out];
	mov.u64 %rd2, x;
	cvta.local.u64 %rd2, %rd2;
	st.relaxed.gpu.global.u32 [%rd1], 1;
	st.relaxed.gpu.global.u32 [%rd1+4], 1;
	st.relaxed.gpu.global.u32 [%rd1+8], 1;
	st.relaxed.gpu.u32 [%rd2], 5;
	ld.relaxed.gpu.u32 %r1, [%rd2];
	ret;
}
END
status 0 run --memory=weak --runs=8 --trace="$dir/own.jsonl" --trace-atomics "$dir/own.ptx"
tests=$((tests + 1)); [ "$(grep -c '"space": "local"' "$dir/own.jsonl")" = 16 ] || { echo "cli: a weak run's trace lacks accesses of local memory"; bad=1; }
status 2 run --trace="$dir/no/such/place.json" "$dir/good.ptx"; says err "L0207"; silent out
cp "$dir/good.ptx" "$dir/same.ptx"
status 2 run --trace="$dir/same.ptx" "$dir/same.ptx"; says err "overwrite"; cmp -s "$dir/good.ptx" "$dir/same.ptx" || { echo "cli: --trace overwrote the program"; bad=1; }
status 2 run --trace-atomics "$dir/good.ptx"; says err "--trace=FILE"
status 2 run --trace="$dir/t.json" --on=gpu "$dir/good.ptx"; says err "interpreter"
[ -c /dev/full ] && { status 2 run --trace=/dev/full "$dir/good.ptx"; says err "L0207"; }

status 0 check "$dir/good.ptx"; says out "1 passed, 0 failed, 0 skipped"; silent err
status 1 check "$dir/wrong.ptx"; says out "FAIL"; says out "//@ expect a == 7"; silent err
status 2 check "$dir/plain.ptx"; says out "SKIP"
status 0 check "$dir/some"; says out "1 passed, 0 failed, 1 skipped"
status 2 check "$dir/none"; says err "no .ptx or .litmus file"
deep=$dir/deep$(printf '/d%.0s' $(seq 70)) && mkdir -p "$deep" && cp "$dir/good.ptx" "$deep"
status 2 check "$dir/deep"; says err "more than 64 nested directories"
# text in a file cannot control the terminal
{ printf '//@ launch fill<<<1, 1>>>(0, 7)\n//@ expect prints "\\x1b[31m"\n'; cat "$dir/head"; } >"$dir/escape.ptx"
status 1 check "$dir/escape.ptx"; says out "[31m"; tests=$((tests + 1)); grep -q "$(printf '\033')" "$dir/out" && echo "cli: an escape sequence gets through" && bad=1
status 1 check -q "$dir/good.ptx" "$dir/wrong.ptx"; says out "1 passed, 1 failed"
# prints FORMAT: compares the output of `check --format=FORMAT`, for a file that passes, one that fails, one without directives and one whose name needs quoting, with standard
# input
prints() {
	sed "s|DIR|$dir|g" >"$dir/want"
	status 1 check -j 1 --format="$1" "$dir/good.ptx" "$dir/wrong.ptx" "$dir/some" "$dir/a<b>&\"#.ptx"
	tests=$((tests + 1))
	sed 's/time="[0-9]*\.[0-9]*"/time="T"/' "$dir/out" | cmp -s - "$dir/want" && return
	echo "cli: check --format=$1 prints:"
	sed 's/time="[0-9]*\.[0-9]*"/time="T"/' "$dir/out" | diff "$dir/want" -
	bad=1
}
cp "$dir/good.ptx" "$dir/a<b>&\"#.ptx"
prints tap <<'END'
TAP version 13
ok 1 - DIR/good.ptx
not ok 2 - DIR/wrong.ptx
# DIR/wrong.ptx:2:12: error: a[0] is 0, expected 7 [X0101]
#     2 | //@ expect a == 7
#       |            ^~~~~~
#       note: at i = 0
#       note: at i = 1: a[1] is 0, expected 7
#       note: at i = 2: a[2] is 0, expected 7
#       note: at i = 3: a[3] is 0, expected 7
ok 3 - DIR/some/good.ptx
ok 4 - DIR/some/plain.ptx # SKIP no //@ directive expects anything
ok 5 - DIR/a<b>&"\#.ptx
1..5
END
prints junit <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="ptxi">
  <testcase name="DIR/good.ptx" classname="ptxi" time="T"/>
  <testcase name="DIR/wrong.ptx" classname="ptxi" time="T"><failure message="a[0] is 0, expected 7">DIR/wrong.ptx:2:12: error: a[0] is 0, expected 7 [X0101]&#10;    2 | //@ expect a == 7&#10;      |            ^~~~~~&#10;      note: at i = 0&#10;      note: at i = 1: a[1] is 0, expected 7&#10;      note: at i = 2: a[2] is 0, expected 7&#10;      note: at i = 3: a[3] is 0, expected 7&#10;</failure></testcase>
  <testcase name="DIR/some/good.ptx" classname="ptxi" time="T"/>
  <testcase name="DIR/some/plain.ptx" classname="ptxi" time="T"><skipped message="no //@ directive expects anything"/></testcase>
  <testcase name="DIR/a&lt;b&gt;&amp;&quot;#.ptx" classname="ptxi" time="T"/>
</testsuite>
END
prints text <<'END'
PASS DIR/good.ptx
FAIL DIR/wrong.ptx: a[0] is 0, expected 7
    DIR/wrong.ptx:2:12: error: a[0] is 0, expected 7 [X0101]
        2 | //@ expect a == 7
          |            ^~~~~~
          note: at i = 0
          note: at i = 1: a[1] is 0, expected 7
          note: at i = 2: a[2] is 0, expected 7
          note: at i = 3: a[3] is 0, expected 7
PASS DIR/some/good.ptx
SKIP DIR/some/plain.ptx (no //@ directive expects anything)
PASS DIR/a<b>&"#.ptx
3 passed, 1 failed, 1 skipped
END
rm "$dir/a<b>&\"#.ptx"
status 1 check --format=json "$dir/wrong.ptx"; says out '"verdict": "fail"'

# a failure under another schedule only: the seed, and the command that reproduces it
{ printf '//@ launch last<<<2, 1>>>()\n//@ expect x == 2\n'; sed -n '/^.version/,$p' tests/ptx/race/some_schedules.ptx; } >"$dir/last.ptx"
status 1 check "$dir/last.ptx"; says out "x is 1, expected 2 (--schedule=random --seed="; says out "reproduce it with: ptxi run --check=all --schedule=random --seed="
again=$(sed -n 's/.*reproduce it with: ptxi //p' "$dir/out")
status 1 $again; says err "x is 1, expected 2"
status 1 check -j 2 "$dir/last.ptx" "$dir/last.ptx"; says out "reproduce it with: ptxi $again"
# a name that needs quoting in a shell
cp "$dir/last.ptx" "$dir/the last's.ptx"
status 1 check "$dir/the last's.ptx"; says out " '$dir/the last'\\''s.ptx'"
eval "status 1 $(sed -n 's/.*reproduce it with: ptxi //p' "$dir/out")"; says err "x is 1, expected 2"
status 1 check --format=json "$dir/last.ptx"; says out '"seed": '; says out '"repeat": "ptxi '"$again"'"'; says out '"reason": "x is 1, expected 2 (--sch'
status 0 check --seeds=0 "$dir/last.ptx"; status 0 check --schedule=fair "$dir/last.ptx"; status 0 check --seed=1 "$dir/last.ptx"
status 0 check --seeds=0 --format=json "$dir/last.ptx"; says out '"executions": 1,'
status 0 check --seeds=5 --format=json "$dir/good.ptx"; says out '"executions": 6,'
for set in 0:schedule=lockstep 0:schedule=fair 0:memory=fast 0:seeds=0 1:seeds=20 1:max-steps=1000000; do
	sed "1i //@ set ${set#*:}" "$dir/last.ptx" >"$dir/set.ptx"
	status ${set%%:*} check "$dir/set.ptx"
done
# an expected race may occur in any run
status 0 check --format=json tests/ptx/race/some_schedules.ptx; says out '"executions": 1,'
status 1 check --seeds=0 tests/ptx/race/some_schedules.ptx; says out "expected a race, but the run had none"
status 2 check --seeds=x "$dir/last.ptx"; says err "' of --seeds"

cat >"$dir/limits.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[12] = {98, 101, 102, 111, 114, 101, 32, 105, 116, 10, 0, 0};
.visible .global .u64 w;
.visible .entry talk(.param .u64 forever)
{
	.reg .pred %p;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd2, [forever];
	setp.ne.u64 %p, %rd2, 0;
	mov.u64 %rd0, text;
	cvta.global.u64 %rd1, %rd0;
again:
	{
		.param .b64 f;
		.param .b64 a;
		.param .b32 r;
		st.param.b64 [f], %rd1;
		st.param.b64 [a], 0;
		call.uni (r), vprintf, (f, a);
	}
	@%p bra again;
	ret;
}
.visible .entry spin()
{
	.reg .b64 %rd<2>;
	mov.u64 %rd0, 0;
again:
	add.u64 %rd0, %rd0, 1;
	st.relaxed.gpu.global.u64 [w], %rd0;
	bra again;
}
.visible .entry none() { ret; }
END
# many runs: outcomes are named by the expect and print lines, and by the printed text; each is shown once
status 1 run --runs=50 "$dir/last.ptx" -e 'print x'; says out "2 outcomes in 50 runs"; says out ":> x=1"; says out ":> x=2"
tests=$((tests + 1)); grep -q "x = " "$dir/out" && echo "cli: --runs shows the print lines of each run" && bad=1
status 1 run --memory=weak --runs=50 "$dir/last.ptx"; says out "2 outcomes in 50 runs"; says out ":> x=1"
tests=$((tests + 1)); [ "$(grep -c X0101 "$dir/err")" = 1 ] || { echo "cli: --runs says a finding $(grep -c X0101 "$dir/err") times"; bad=1; }
status 1 run --schedule=random --runs=9 --format=json "$dir/last.ptx" -e 'observe x'; says out '{"state": {"x": 1}, "count": '
status 0 run --runs=3 "$dir/limits.ptx" -e 'launch talk<<<1, 8>>>(0)'; says out '3 :> printed="before it\nbefore it\nbefore it\nbefore it\nbefore it\nbefore it\n... 8 lines, 80 bytes, '
# several cases with the same finding
printf 'case one\nlaunch stop<<<1, 1>>>()\ncase two\nlaunch stop<<<1, 1>>>()\n' >"$dir/twice.txt"
status 4 run --script="$dir/twice.txt" "$dir/plain.ptx"; says err "case two: as in case one"
# a race without --check: one line reports it if the program is short, and that races were not checked if it is not
cat >"$dir/race.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .global .u32 x;
.visible .entry race(.param .u32 rounds)
{
	.reg .pred %p;
	.reg .b32 %r<3>;
	ld.param.u32 %r0, [rounds];
	mov.u32 %r1, %ctaid.x;
again:
	st.global.u32 [x], %r1;
	sub.u32 %r0, %r0, 1;
	setp.ne.u32 %p, %r0, 0;
	@%p bra again;
	ret;
}
END
status 0 run "$dir/race.ptx" -e 'launch race<<<2, 1>>>(1)'; says err "with --check=all, this run has a finding: "; says err "[R0"
status 0 run -q "$dir/race.ptx" -e 'launch race<<<2, 1>>>(1)'; silent err
status 0 run --check=bounds "$dir/race.ptx" -e 'launch race<<<2, 1>>>(1)'; silent err
status 0 run "$dir/race.ptx" -e 'launch race<<<1, 1>>>(1)'; silent err
status 0 run "$dir/race.ptx" -e 'launch race<<<2, 1>>>(20000)'; says err "no check for races; use 'ptxi check $dir/race.ptx'"
status 5 run --check=all "$dir/race.ptx" -e 'launch race<<<2, 1>>>(20000)'

# Limits: time, printed text, memory, files, and signals. Output appears as it is printed.
# within SECONDS COMMAND...: the last command, whose deadline was earlier, took no longer; a sanitizer is slower, most of all at freeing memory
case $ptxi in */asan/* | */tsan/*) slack=60 ;; *) slack=0 ;; esac
begin() { started=$(date +%s); }
within() {
	tests=$((tests + 1))
	[ $(($(date +%s) - started)) -le $(($1 + slack)) ] || { echo "cli: $2 took longer than $(($1 + slack)) s"; bad=1; }
}
begin; status 7 run "$dir/limits.ptx" -e 'launch talk<<<1, 32>>>(1)' --timeout=0.4 --max-output=1G; within 6 "a kernel that prints for ever"; says err B0002; says out "before it"
status 7 run "$dir/limits.ptx" -e 'launch talk<<<1, 32>>>(1)' --max-output=1000; says err "printed more than 1000 bytes (--max-output) [B0004]"; says err "CTA 0 of 'talk': threads 0 to 31 at line"
tests=$((tests + 1)); [ "$(wc -c <"$dir/out")" = 1000 ] || { echo "cli: --max-output=1000 printed $(wc -c <"$dir/out") bytes"; bad=1; }
status 7 run "$dir/limits.ptx" -e 'buffer a : u32[3000000] = 0' -e 'print a'; says err "B0004"
begin; status 7 run "$dir/limits.ptx" -e 'buffer a : u8[1000000000]' -e 'expect sum(a) == 1' --timeout=0.4; within 6 "an expectation over 1 GB"; says err "B0002"
begin; status 7 run "$dir/limits.ptx" -e 'buffer a : u64[2000000000] = random(1)' --max-memory=17G --timeout=0.4; within 6 "filling 16 GB"
# the time limit is the file's: its cases share it
for n in 1 2 3 4 5 6 7 8; do
	printf '//@ case c%s\n//@ launch spin<<<1, 1>>>()\n//@ expect clean\n' $n
done >"$dir/eight.ptx"
cat "$dir/limits.ptx" >>"$dir/eight.ptx"
for command in run check 'check --seeds=0'; do
	# shellcheck disable=SC2086
	begin; status "$([ "$command" = run ] && echo 7 || echo 1)" $command --timeout=0.4 "$dir/eight.ptx"; within 5 "$command of eight cases that do not end"
done
says out "eight.ptx:c1: the time limit (--timeout) was reached before the kernels ended"; says out "eight.ptx:c8: the time limit (--timeout) was reached at this line"
status 7 run "$dir/limits.ptx" -e 'buffer a : u8[5000000] = 0' --max-memory=4M; says err "5000000 bytes exceed what is left of the memory limit (--max-memory) [B0003]"
status 0 run "$dir/limits.ptx" -e 'buffer a : u8[3000000] = 0' --max-memory=4M
# Zeros that nothing uses take no memory.
if [ -x /usr/bin/time ] && ! nm "$ptxi" 2>/dev/null | grep -q -e __asan_init -e __tsan_init; then
	tests=$((tests + 1))
	/usr/bin/time -o "$dir/kilobytes" -f %M "$ptxi" run -e 'buffer a : u32[268435456] = 0' -e 'buffer b : u32[100000000] = {7, 8}' -e 'expect b[1] + b[2] + a[5000000] == 8' --max-memory=4G "$dir/limits.ptx" >"$dir/out" 2>"$dir/err" &&
		[ "$(cat "$dir/kilobytes")" -lt 200000 ] || { echo "cli: 1.4 GB of zeros took $(tail -n 1 "$dir/kilobytes") KB"; cat "$dir/err"; bad=1; }
fi
status 7 run --format=json "$dir/limits.ptx" -e 'buffer a : u8[5000000] = 0' --max-memory=4M; says out '"status": 7, "complete": false'
sed 3q "$dir/head" >"$dir/orders.ptx"
cat >>"$dir/orders.ptx" <<'END'
.visible .global .u32 last;
.visible .entry orders()
{
	.reg .b32 %r<3>;
	mov.u32 %r2, %ctaid.x;
	add.u32 %r2, %r2, 1;
	atom.relaxed.gpu.global.exch.b32 %r1, [last], %r2;
	ret;
}
END
orders='observe last, P0:%r1, P1:%r1, P2:%r1, P3:%r1, P4:%r1, P5:%r1, P6:%r1, P7:%r1'
begin; status 7 explore "$dir/orders.ptx" -e 'launch orders<<<8, 1>>>()' -e "$orders" --max-memory=2M; within 20 "8! orders in 2 MB"
says err "the search needs more memory than its limit (1 GB per execution, --max-memory in all) [B0150]"
says err "undecided: not all executions were explored"
status 7 explore --format=json -j 2 "$dir/orders.ptx" -e 'launch orders<<<8, 1>>>()' -e "$orders" --max-memory=2M; says out '"status": 7, "complete": false'
status 7 explore "$dir/orders.ptx" -e 'set max-memory=2M' -e 'launch orders<<<8, 1>>>()' -e "$orders"
status 1 check "$dir/orders.ptx" -e 'launch orders<<<8, 1>>>()' -e "$orders" -e 'allow last == 9' --max-memory=2M; says out "FAIL"; says out "--max-memory in all"
status 1 check "$dir/orders.ptx" -e 'launch orders<<<12, 1>>>()' -e "$orders" -e 'allow last == 13' --timeout=0.1; says out "not all executions were explored"
status 0 explore "$dir/orders.ptx" -e 'launch orders<<<4, 1>>>()' -e 'observe last, P0:%r1' --max-memory=2M
status 2 run "$dir/limits.ptx" --max-memory=4X; says err "a number of bytes, such as 4096, 64K, 300M or 2G"
begin; status 2 as /dev/zero; within 10 "an endless file"; says err "is longer than 64 MiB"
if mkfifo "$dir/fifo.ptx" 2>/dev/null; then
	begin; status 7 run --timeout=0.3 "$dir/fifo.ptx"; within 6 "a FIFO"; says err "while the file was read"
	begin; status 1 check --timeout=0.3 "$dir/fifo.ptx" "$dir/good.ptx"; within 6 "a FIFO"; says out "while the file was read"; says out "1 passed, 1 failed"
fi
# one file never affects another: this one needs more memory than a worker may have
if [ "$(uname)" = Linux ] && ! nm "$ptxi" 2>/dev/null | grep -q -e __asan_init -e __tsan_init; then
	truncate -s 700M "$dir/huge.ptx"
	status 1 check --max-memory=1M -j 1 "$dir/good.ptx" "$dir/huge.ptx" "$dir/good.ptx"; says out "huge.ptx: out of memory (--max-memory)"; says out "2 passed, 1 failed"; says err "ptxi: out of memory"
	status 7 run --max-memory=1M "$dir/huge.ptx"; says err "ptxi: out of memory"
	rm "$dir/huge.ptx"
fi
# file() reads below the folder of the file that contains the directive
mkdir -p "$dir/in/side" "$dir/outside" && printf 'abcd' >"$dir/outside/f" && printf 'efgh' >"$dir/in/side/f" && ln -s ../outside "$dir/in/link"
{ printf '//@ buffer a : u8[4] = file("FILE")\n//@ print a\n'; cat "$dir/limits.ptx"; } >"$dir/in/file"
for file in ../outside/f link/f "$dir/outside/f" side/../../outside/f; do
	sed "1s|FILE|$file|" "$dir/in/file" >"$dir/in/file.ptx"
	status 2 run "$dir/in/file.ptx"; says err L0208; silent out
	status 2 check "$dir/in/file.ptx" -e 'expect a[0] == 97'; says out L0208
	status 0 run --allow-files="$dir/in" --allow-files="$dir/outside" "$dir/in/file.ptx"; says out "a[0..3] = 97 98 99 100"
done
sed "1s|FILE|side/f|" "$dir/in/file" >"$dir/in/file.ptx"
status 0 run "$dir/in/file.ptx"; says out "a[0..3] = 101 102 103 104"
[ -p "$dir/fifo.ptx" ] && { status 2 run "$dir/limits.ptx" -e 'buffer a : u8[4] = file("'"$dir"'/fifo.ptx")' --allow-files="$dir"; says err "it is not a regular file"; }
# interrupt SIGNAL WANTED ARG...: what was printed before the signal is already in the output, followed by a report of where threads are
interrupt() {
	signal=$1 want=$2
	shift 2
	tests=$((tests + 1))
	NO_COLOR=1 "$ptxi" "$@" >"$dir/out" 2>"$dir/err" </dev/null &
	pid=$!
	sleep 0.4
	kill -"$signal" $pid
	wait $pid
	got=$?
	[ $got = "$want" ] && return
	echo "cli: ptxi $* after SIG$signal: status $got, not $want"
	bad=1
}
{ printf '//@ launch talk<<<1, 1>>>(0)\n//@ sync\n//@ launch spin<<<2, 32>>>()\n//@ expect clean\n//@ case two\n//@ launch spin<<<1, 32>>>()\n//@ expect clean\n'; cat "$dir/limits.ptx"; } >"$dir/hang.ptx"
interrupt INT 130 run "$dir/hang.ptx"; says out "before it"; says err "interrupted before the kernels ended [B0005]"; says err "of 'spin': threads 0 to 31 at line"
interrupt TERM 143 run --format=json "$dir/hang.ptx"; says out '"complete": false'; says out '"output": "before it\n"'; says out ']}'
interrupt INT 130 check "$dir/good.ptx" "$dir/hang.ptx" "$dir/hang.ptx"; says out "PASS $dir/good.ptx"; says out "interrupted before the kernels ended"; says out "1 passed"
# cases finished after an unfinished one are reported, too
interrupt INT 130 check -j 2 "$dir/hang.ptx" "$dir/good.ptx"; says out "interrupted before the kernels ended"; says out "PASS $dir/good.ptx"; says out "1 passed"
interrupt TERM 143 check --format=json "$dir/hang.ptx"; says out '], "passed": 0, "failed": 1, "skipped": 0, "interrupted": true}'

status 0 as "$dir/good.ptx"; silent out; silent err
status 3 as "$dir/rejected.ptx"; says err "^"
status 3 as --format=json "$dir/rejected.ptx"; says out '"kind": "error", "code": "E0207"'; says out '"column": '; says out '"help": '; silent err
status 0 as "$dir/good.ptx" -o "$dir/good.ptxo"
status 2 as "$dir/good.ptx" -o "$dir/no/such/place"
status 0 run "$dir/good.ptxo" --script="$dir/grade.txt"; says out "z = 5"
head -c 100 "$dir/good.ptxo" >"$dir/cut.ptxo"
status 3 run "$dir/cut.ptxo"
status 0 dis "$dir/good.ptxo" -o "$dir/again.ptx"
status 0 dis "$dir/good.ptx"; cmp -s "$dir/out" "$dir/again.ptx" || { echo "cli: dis of the object and of the source differ"; bad=1; }
status 0 as "$dir/again.ptx"

status 0 explain L0101; says out "lanch"
status 0 explain codes; says out "X0101"
status 0 explain launch; says out "KERNEL<<<GRID"
status 0 explain add; says out "add"
status 2 explain nonsens; says err "no entry for 'nonsens'"
status 2 explain rase; says err "did you mean race?"
# concepts, and everything that they refer to
for word in race deadlock parity phase token scope proxy release acquire divergence; do
	status 0 explain $word; says out "see: ptxi explain"
	for see in $(sed -n 's/^see: ptxi explain //p' "$dir/out"); do status 0 explain "$see"; done
done
# first steps of a new user
status 0 help; says out "explore FILE"; status 0 help run; says out "usage: ptxi run"; status 0 help race; says out "Two threads access"
status 0 "$dir/good.ptx"; says out "a[0..3] = 7 7 7 7"
status 2 "$dir/nowhere.ptx"; says err "No such file"
printf '__global__ void k() {}\n' >"$dir/k.cpp"
for command in check as dis explore; do
	status 2 $command "$dir/k.cpp"
	cat "$dir/err" >>"$dir/out"; says out L0209; says out "nvcc -ptx -lineinfo -arch=sm_90 -o $dir/k.ptx $dir/k.cpp"
done
status 2 run "$ptxi"; says err "cuobjdump -ptx"
status 2 run seed=7 "$dir/good.ptx"; says err "did you mean --seed=7?"
status 2 run -seed=7 "$dir/good.ptx"; says err "did you mean --seed=7?"
status 2 run "$dir"; says err "'ptxi check $dir' checks all its files"
sed '1i //@ set sheduel=random' "$dir/good.ptx" >"$dir/set.ptx"
status 2 run "$dir/set.ptx"; says err "did you mean schedule?"
status 2 explain
status 0 explain --coverage
status 0 explain --coverage --since=9.1; says out '9.4 executed     ld.proxy::readonly'; says out '9.3 not executed fabric.submit'
status 2 explain --coverage --since=x; says err 'a version such as 9.4'
status 2 run --since=9.1 "$dir/good.ptx"

# Hostile lines: each gets an error, and none takes much time or memory.
lines() { want=$1; text=$2; shift 2; status "$want" run "$dir/plain.ptx" "$@"; [ -z "$text" ] || says err "$text"; }
lines 2 "do not fit into memory" -e 'buffer a : u32[99999999999999999999]'
lines 2 "do not fit into memory" -e 'buffer a : u64[2305843009213693953] = 0'
lines 2 "at least 1, not -1" -e 'buffer a : u32[-1]'
lines 2 "not a regular file" -e 'buffer a : u32[4] = file("/dev/zero")' --allow-files=/dev
lines 2 "not all values are in the range" -e 'buffer a : u32[4] = iota(9999999999999999999999)'
lines 2 "element 0 of a" -e 'buffer a : u8[3] = {300, 1, 2}'
lines 2 "element 2 of a" -e 'buffer a : u8[3] = {1, 2, 300}'
lines 2 "not 4294967296" -e 'launch stop<<<4294967296, 1>>>()'
lines 2 "not -1" -e 'launch stop<<<-1, 1>>>()'
lines 2 "not -1" -e 'launch stop<<<1, 1, -1>>>()'
lines 4 "the maximum is 232448" -e 'launch stop<<<1, 1, 4294967295>>>()'
lines 4 "the maximum is 16" -e 'launch stop<<<8, 1>>>() cluster=99'
lines 2 "from 0 to 15" -e 'launch stop<<<8, 1>>>() gpu=4294967296'
lines 7 "max-steps" -e 'launch spin<<<(2147483647, 65535, 65535), 1024>>>()' --max-steps=100000
lines 7 "timeout" -e 'launch count<<<(2147483647, 65535, 65535), 1024>>>()' --timeout=0.2
lines 2 "of max-steps" -e 'set max-steps=99999999999999999999999'
lines 2 "ends before it begins" -e 'buffer a : u32[4] = 0' -e 'print a[3..1]'
lines 2 "has the elements 0 to 3" -e 'buffer a : u32[4] = 0' -e 'expect a[0..99999999999] == 0'
lines 1 "division by zero" -e 'expect 1 / 0 == 0'
lines 2 "levels of nesting" -e "expect $(printf '%03000d' 0 | tr 0 '(')1"
lines 2 "operations in a row" -e "expect $(printf '%03000d' 0 | sed 's/0/1+/g')1 == 1"
lines 2 "no earlier record directive" -e 'wait never'
for option in --max-steps=-1 --timeout=nan --timeout=1e999 --seed=99999999999999999999 --runs=0 -j0 -j999999999 --check=race,, --memory=x --ptx=99999.9; do
	status 2 run "$dir/plain.ptx" $option; says err "invalid value"
done

# Invalid files, and output that cannot be written.
status 2 run "$dir"; says err "is a directory"
status 3 run /dev/null; says err "is empty"
status 2 run ""; says err "No such file"
status 2 as "$dir/good.ptx" -o "$dir"; says err "Is a directory"
if [ -e /dev/full ]; then
	status 2 as "$dir/good.ptx" -o /dev/full; says err "No space left"
	for command in "run $dir/good.ptx" "check $dir/good.ptx" "dis $dir/good.ptx" "explain codes" --help; do
		tests=$((tests + 1))
		NO_COLOR=1 "$ptxi" $command >/dev/full 2>"$dir/err" </dev/null
		[ $? = 2 ] || { echo "cli: ptxi $command >/dev/full: status not 2"; bad=1; }
		says err "standard output: No space left"
	done
fi
tests=$((tests + 1))
"$ptxi" run - <"$dir" >"$dir/out" 2>&1
[ $? = 2 ] || { echo "cli: a directory as standard input"; bad=1; }

tests=$((tests + 1))
"$ptxi" run - <"$dir/good.ptx" >"$dir/out" 2>&1 || { echo "cli: standard input"; bad=1; }
says out "a[0..3] = 7 7 7 7"
tests=$((tests + 1))
"$ptxi" run --color=always "$dir/wrong.ptx" 2>&1 | grep -q "$(printf '\033')" || { echo "cli: --color=always shows no colour"; bad=1; }
# The counts of --stats, one by one: 6 CTAs of 80 threads and one of 33; the threads from 40 on execute one more instruction, in one warp of each CTA together with others.
cat >"$dir/counts" <<'END'
           11013 thread instructions
             432 warp instructions
               2 launches
               7 CTAs
              20 warps
             513 threads
              14 barrier phases
             786 atomic operations
               6 divergent branches
            2052 bytes loaded, 3012 stored: global
            1092 bytes loaded, 5196 stored: shared
            2052 bytes loaded, 4104 stored: local
            2052 bytes loaded, 0 stored: const
            6156 bytes loaded, 0 stored: param
            2052 ld
            1539 mov
            1539 st
             753 add
             513 mul.wide
             513 mad
             513 setp
             513 bra
             513 ret
             513 bar
             513 bar
             513 barrier
             513 atom
             513 red
END
# counts FILE OPTION...: compares the statistics with $dir/counts; of a form, only its opcode
counts() {
	tests=$((tests + 1))
	NO_COLOR=1 "$ptxi" run --stats "$@" 2>/dev/null | awk '/statistics:|seconds|^thread-inst|million|^engine:/ { next } / [0-9.]+% / { sub(/[~({.].*/, "", $3) ; if ($3 == "mul") $3 = "mul.wide"; printf "%16d %s\n", $1, $3; next } { print }' >"$dir/out"
	cmp -s "$dir/out" "$dir/counts" && return
	echo "cli: --stats $*"
	diff "$dir/counts" "$dir/out" | head -n 10
	bad=1
}
counts tests/ptx/run/statistics.ptx -j 1
counts tests/ptx/run/statistics.ptx -j 3
counts tests/ptx/run/statistics.ptx --check=all
counts tests/ptx/run/statistics.ptx --schedule=lockstep
# Findings of checks that --check omits are not expected, those of the others are.
status 0 check --check=none tests/ptx/sync/mbarrier_misuse.ptx; says out "SKIP tests/ptx/sync/mbarrier_misuse.ptx:touched (it expects a fault mbarrier_touched, which --check does not enable)"
status 0 check --check=race,sync tests/ptx/run/findings.ptx; says out "findings.ptx:uninitialised (it expects an uninitialised read, which --check does not enable)"
status 1 check --check=init "$dir/plain.ptx" -e 'buffer p : u32[1] = 0' -e 'launch fill<<<1, 1>>>(p, 1)' -e 'expect uninitialised'; says out "expected an uninitialised read, but the run had none"
# A cluster of two, an asynchronous copy, an mbarrier per CTA: barrier phases are those of bar, barrier.cluster and mbarrier; a wait counts once.
status 0 run --stats -j 1 tests/ptx/sync/statistics.ptx
for line in "1600 thread instructions" "50 warp instructions" "2 CTAs" "5 barrier phases" "66 atomic operations" "256 bytes loaded, 256 stored: global" \
	"256 bytes loaded, 256 stored: shared" "1024 bytes loaded, 0 stored: param"; do
	says out "$line"
done
# Versions and targets: --ptx and --target select other rules, in both directions; --arch keeps the file's rules, as ptxas does.
printf '.version 9.9\n.target sm_130\n.entry k() { ret; }\n' >"$dir/newer.ptx"
status 0 as -o "$dir/x" "$dir/newer.ptx"
says err "[W0515]"
says err "it is treated as sm_121"
status 0 as -q -o "$dir/x" "$dir/newer.ptx"
silent err
status 0 as --ptx=9.0 --target=sm_90 -o "$dir/x" "$dir/newer.ptx"
silent err
status 3 as --target=sm_91 -o "$dir/x" "$dir/newer.ptx"
says err "[E0402]"
status 3 as --ptx=7.7 --target=sm_90 -o "$dir/x" "$dir/newer.ptx"
says err "[E0403]"
printf '.version 9.0\n.target sm_72\n.entry k() { .reg .f32 %%f<3>; mov.f32 %%f1, 0f3F800000; tanh.approx.f32 %%f2, %%f1; ret; }\n' >"$dir/low.ptx"
status 3 as --arch=sm_90 -o "$dir/x" "$dir/low.ptx"
says err "[E0313]"
status 0 as --target=sm_90 -o "$dir/x" "$dir/low.ptx"
printf '.version 9.0\n.target sm_90\n.entry k() { ret; }\n' >"$dir/plain.ptx"
status 0 as --arch=sm_100a -o "$dir/x" "$dir/plain.ptx"
status 3 as --arch=sm_80 -o "$dir/x" "$dir/plain.ptx"
says err "[E0437]"
status 3 as --arch=sm_100 --target=sm_90a -o "$dir/x" "$dir/plain.ptx"
status 0 as --arch=sm_103f --target=sm_100f -o "$dir/x" "$dir/plain.ptx"
status 3 as --arch=sm_110f --target=sm_100f -o "$dir/x" "$dir/plain.ptx"
# A missing } is one error, although the labels are then in a block that never ends.
printf '.version 9.0\n.target sm_90\n.entry k(.param .u32 n) {\n.reg .pred %%p<3>;\n.reg .b32 %%r<3>;\nld.param.u32 %%r1, [n];\nsetp.eq.u32 %%p1, %%r1, 0;\n@%%p1 bra L1;\n@!%%p1 bra L2;\n{\nmov.u32 %%r2, 1;\nL1:\nmov.u32 %%r2, 2;\nL2:\nret;\n}\n.entry l() { ret; }\n' >"$dir/brace.ptx"
status 3 as -q -o "$dir/x" "$dir/brace.ptx"
tests=$((tests + 1))
[ "$(grep -c ': error: ' "$dir/err")" = 1 ] || { echo "cli: a missing } gives more than one error" && grep ': error: ' "$dir/err" && bad=1; }
# The message for a missing vector names its length.
printf '.version 9.0\n.target sm_90\n.entry k() { .reg .b16 %%h<3>; .shared .b8 s[64]; ldmatrix.sync.aligned.m8n8.x4.shared.b16 %%h1, [s]; ret; }\n' >"$dir/ldm.ptx"
status 3 as -o "$dir/x" "$dir/ldm.ptx"
says err "should be a vector of 4 elements"
# a finding that is a warning: it is printed, and only expect clean rejects it
cat >"$dir/left.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry left()
{
	.reg .pred %p;
	.reg .b32 %r;
	mov.u32 %r, %tid.x;
	setp.ge.u32 %p, %r, 8;
	@%p bra E;
	bar.sync 0;
E:	ret;
}
END
status 0 check "$dir/left.ptx" -e 'launch left<<<1, 32>>>()' -e 'expect prints 0 lines'
says out "PASS"
says out "warning: warp 0 arrives at barrier 0 without threads 8 to 31, which leave without executing it"
status 0 check -q "$dir/left.ptx" -e 'launch left<<<1, 32>>>()' -e 'expect prints 0 lines'
silent err
for schedule in fair random lockstep; do
	status 1 check --schedule=$schedule "$dir/left.ptx" -e 'launch left<<<1, 32>>>()' -e 'expect clean'
	says out "the run was not clean: warp 0 arrives at barrier 0"
	status 0 check --schedule=$schedule "$dir/left.ptx" -e 'launch left<<<1, 32>>>()' -e 'expect misuse barrier_left'
done
status 1 check "$dir/left.ptx" -e 'launch left<<<1, 32>>>()' -e 'expect misuse S0104'
says out "expected misuse S0104, but the run had none; instead: warp 0 arrives"
status 1 check "$dir/left.ptx" -e 'launch left<<<1, 32>>>()' -e 'expect fault'
status 0 run "$dir/left.ptx" -e 'launch left<<<1, 32>>>()'
says err "[S0107]"
status 0 run --runs=20 "$dir/left.ptx" -e 'launch left<<<1, 32>>>()'
tests=$((tests + 1))
[ "$(grep -c S0107 "$dir/err")" = 1 ] || { echo "cli: --runs=20 says S0107 $(grep -c S0107 "$dir/err") times" && bad=1; }
# the number of bytes that a copy reads, and the meaning of a number of lines
sed 3q "$dir/head" >"$dir/copy.ptx"
cat >>"$dir/copy.ptx" <<'END'
.visible .entry copy(.param .u64 p, .param .u32 n)
{
	.reg .b32 %s, %n;
	.reg .b64 %p;
	.shared .align 16 .b8 to[16];
	ld.param.u64 %p, [p];
	ld.param.u32 %n, [n];
	mov.u32 %s, to;
	cp.async.cg.shared.global [%s], [%p], 16, %n;
	cp.async.wait_all;
	ret;
}
END
status 4 run "$dir/copy.ptx" -e 'launch copy<<<1, 1>>>(0, 16)'
says err "cp.async.global reads 16 bytes at 0x0, the null pointer [F0203]"
status 4 run "$dir/copy.ptx" -e 'launch copy<<<1, 1>>>(0, 4)'
says err "cp.async.global reads 4 bytes at 0x0, the null pointer [F0203]"
status 0 run "$dir/copy.ptx" -e 'launch copy<<<1, 1>>>(0, 0)'
status 4 run "$dir/copy.ptx" -e 'buffer a : u32[5] = 0' -e 'launch copy<<<1, 1>>>(&a[4], 16)'
says err "cp.async.global reads 16 bytes at 0x10000100010, the last 12 of 16 bytes are past buffer"
status 2 check "$dir/copy.ptx" -e 'expect prints -1 lines'
says out "a number of lines is a whole number from 0 to 4294967295, not -1 [L0109]"
status 2 check "$dir/copy.ptx" -e 'expect prints 1.5 lines'
says out "not 1.5 [L0109]"
status 2 check "$dir/copy.ptx" -e 'expect prints lines'
says out "expected a text in quotes or a number of lines, found 'lines' [L0102]"
status 0 check "$dir/copy.ptx" -e 'buffer prints : u32[1] = 3' -e 'expect prints - 1 == 2' -e 'expect prints[0] == 3'
# -W disables warnings of runs, too: expect clean ignores them, and a case that expects one is skipped
for off in -Wno-barrier-left -Wno-barrier_left -Wno-S0107 -w; do
	status 0 run $off "$dir/left.ptx" -e 'launch left<<<1, 32>>>()' -e 'expect clean'
	silent err
	status 0 check $off "$dir/left.ptx" -e 'launch left<<<1, 32>>>()' -e 'expect clean'
	says out "PASS"
	status 0 check $off "$dir/left.ptx" -e 'launch left<<<1, 32>>>()' -e 'expect misuse barrier_left'
	says out "(it expects misuse barrier_left, which -W disables)"
done
status 0 run -q "$dir/left.ptx" -e 'launch left<<<1, 32>>>()'
silent err
status 1 run -q "$dir/left.ptx" -e 'launch left<<<1, 32>>>()' -e 'expect clean'
says err "the run was not clean: warp 0 arrives"
status 1 check -Wno-shuffle-source "$dir/left.ptx" -e 'launch left<<<1, 32>>>()' -e 'expect clean'
status 0 run -Wno-S0109 --check=sync --script=/dev/null tests/ptx/sync/shuffle_source.ptx -e 'buffer out : u32[64]' -e 'launch exited_down<<<1, 32>>>(out)'
silent err
status 2 run -Wno-S0108 "$dir/left.ptx"
says err "unknown warning"
status 0 explain S0107
says out "a warning"
status 0 explain expect
says out "misuse"
# one cause is one finding: its consequences are in the notes
errors() { # errors NUMBER: of the last run
	tests=$((tests + 1))
	[ "$(grep -c 'error: ' "$dir/err")" = "$1" ] && return
	echo "cli: $(grep -c 'error: ' "$dir/err") errors, not $1:"
	cat "$dir/err"
	bad=1
}
cause=tests/ptx/sync/mbarrier_one_cause.ptx
status 6 run --check=sync --script=/dev/null $cause -e 'launch again<<<1, 32>>>(4)'
errors 1
says err "error: wait for phase 0 of mbarrier 'bar', which is in phase 2"
says err "note: the program then hangs: livelock: "
says err "note: mbarrier 'bar', phase 2: 32 arrivals are pending (it expects 32)"
status 6 run --check=sync --script=/dev/null $cause -e 'launch parities<<<1, 64>>>(1)'
errors 1
says err "error: arrival in phase 1 of mbarrier 'bar', but no thread has waited for phase 0"
says err "note: the program then hangs: livelock: "
status 6 run --check=none --script=/dev/null $cause -e 'launch parities<<<1, 64>>>(1)'
errors 1
says err "[D0201]"
status 4 run --check=all --script=/dev/null $cause -e 'launch unordered<<<1, 64>>>()'
errors 1
says err "error: thread 0 initialised mbarrier 'bar', and this thread has not synchronised with it since"
says err "note: initialised here"
says err "note: R0104 at line"
status 5 run --check=race --script=/dev/null $cause -e 'launch unordered<<<1, 64>>>()'
errors 1
says err "[R0104]"
[ $bad = 0 ] && echo "cli: $tests checks of the command line"
exit $bad
