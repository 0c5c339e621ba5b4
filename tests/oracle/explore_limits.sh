#!/bin/sh
# The reports of explore and check when the search ends early, and of races: exit status 7 with a message, "complete": false, --timeout respected, and a passed case that has a
# data race.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
bad=0
checks=0

# want STATUS TEXT COMMAND...: checks the exit status, and a line of the output (TEXT "": any output)
want() {
	status=$1 text=$2
	shift 2
	checks=$((checks + 1))
	NO_COLOR=1 "$@" >"$work/out" 2>&1 </dev/null
	got=$?
	[ $got = "$status" ] || { echo "explore_limits: $* exits with $got, not $status"; bad=1; }
	grep -qF -- "$text" "$work/out" || { echo "explore_limits: $* does not say: $text"; bad=1; }
}

head='.version 8.0
.target sm_90
.address_size 64'
# A lock with distinguishable threads: more orders than can be explored in the time.
cat >"$work/many.ptx" <<P
//@ launch k<<<12, 1>>>()
$head
.visible .global .u32 n;
.visible .global .u32 last[16];
.visible .entry k() { .reg .b32 %r<4>; .reg .b64 %rd<4>;
 mov.u32 %r1, %ctaid.x; atom.global.add.u32 %r2, [n], 1; mov.u64 %rd1, last; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r2; ret; }
P
for kind in race deadlock clean; do
	want 7 'not all' "$ptxi" explore -q --timeout=0.3 -e "expect $kind" "$work/many.ptx"
	want 7 '[B0151]' "$ptxi" explore -q --timeout=0.3 -e "expect $kind" "$work/many.ptx"
done
want 7 'undecided: not all executions were explored' "$ptxi" explore -q --timeout=0.3 "$work/many.ptx"
want 7 'do not decide every condition [B0151]' "$ptxi" explore -q --timeout=0.3 -e 'forbid n == 3' "$work/many.ptx"
want 7 'many.ptx:8:25: error: the limit on time or executions was reached; most choices of what to read are here:' "$ptxi" explore -q --timeout=2 "$work/many.ptx"
want 7 '"complete": false' "$ptxi" explore --format=json --timeout=0.3 "$work/many.ptx"
want 1 '"complete": false' "$ptxi" check --format=json --timeout=0.3 -e 'forbid n == 3' "$work/many.ptx"
# A case that the time for the file does not reach is undecided, too.
sed '1s/.*/\/\/@ case first\n&\n\/\/@ case second\n&/' "$work/many.ptx" >"$work/two.ptx"
want 7 '[B0002]' "$ptxi" explore -q --timeout=0.3 "$work/two.ptx"
# An expectation that is not met is an error, not only a status.
cat >"$work/one.ptx" <<P
//@ launch k<<<2, 1>>>()
$head
.visible .global .u32 n;
.visible .entry k() { .reg .b32 %r<4>; mov.u32 %r1, 1; red.relaxed.gpu.global.add.u32 [n], %r1; ret; }
P
want 1 'expected a race, but no execution has one' "$ptxi" explore -q -e 'expect race' "$work/one.ptx"
want 1 'expected a deadlock, but no execution has one' "$ptxi" explore -q -e 'expect deadlock' "$work/one.ptx"
want 0 '"complete": true' "$ptxi" explore --format=json "$work/one.ptx"
# A case that passes reports its race.
cat >"$work/race.ptx" <<P
//@ launch k<<<2, 1>>>()
$head
.visible .global .u32 n;
.visible .entry k() { .reg .b32 %r<4>; mov.u32 %r1, %ctaid.x; st.global.u32 [n], %r1; ret; }
P
want 0 '(with a data race, R0150)' "$ptxi" check -e 'allow n == 1' "$work/race.ptx"
want 0 '"reason": "with a data race, R0150"' "$ptxi" check --format=json -e 'allow n == 1' "$work/race.ptx"
want 0 '"code": "R0150"' "$ptxi" check --format=json -e 'allow n == 1' "$work/race.ptx"
want 0 'Data races 1' "$ptxi" explore -e 'allow n == 1' "$work/race.ptx"
want 0 'R0150' "$ptxi" explore -q -e 'allow n == 1' "$work/race.ptx"
printf 'PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nst.weak x, 1 | ld.weak r0, x ;\nexists (1:r0 == 1)\n' >"$work/race.litmus"
want 0 '(with a data race, R0150)' "$ptxi" check "$work/race.litmus"
# Many threads at a counted barrier in many rounds; a loop that stores forever; stores that all race.
cat >"$work/barrier.ptx" <<P
//@ buffer b : u32[512] = 0
//@ launch k<<<1, 512>>>(b)
$head
.visible .entry k(.param .u64 a) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
 ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; mov.u32 %r2, 0;
L: st.global.u32 [%rd2], %r2; barrier.sync 1, 512; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 24; @%p1 bra L; ret; }
P
cat >"$work/store.ptx" <<P
//@ launch k<<<1, 1>>>()
$head
.visible .global .u32 n;
.visible .entry k() { .reg .b32 %r<4>; mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; st.global.u32 [n], %r1; bra L; }
P
cat >"$work/racing.ptx" <<P
//@ launch k<<<2, 512>>>()
//@ print n
$head
.visible .global .u32 n;
.visible .entry k() { .reg .b32 %r<4>; mov.u32 %r1, %tid.x; st.global.u32 [n], %r1; ret; }
P
case $BUILD in *asan* | *tsan*) long=200 ;; *) long=20 ;; esac
for name in barrier store racing many; do
	checks=$((checks + 1))
	timeout $long "$ptxi" explore -q --timeout=1 "$work/$name.ptx" >/dev/null 2>&1 </dev/null
	[ $? != 124 ] || { echo "explore_limits: explore --timeout=1 of $name.ptx runs for $long s"; bad=1; }
done
[ $bad = 0 ] && echo "explore_limits: $checks checks as expected"
exit $bad
