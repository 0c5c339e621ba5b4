#!/bin/sh
# The meaning of other lines than conditions in an explored case of check: an expect line must hold in every outcome, and an expectation that exploration cannot evaluate does
# not pass.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
bad=0
checks=0

# want STATUS TEXT LINE...: runs check (or $command) with these //@ lines; checks the exit status and the output
want() {
	status=$1 text=$2
	shift 2
	checks=$((checks + 1))
	printf '%s\n' "$@" >"$work/lines"
	NO_COLOR=1 "$ptxi" ${command:-check} --script="$work/lines" "$work/k.ptx" >"$work/out" 2>&1 </dev/null
	got=$?
	[ $got = "$status" ] || { echo "explored_lines: $*: status $got, not $status"; bad=1; }
	grep -qF -- "$text" "$work/out" || { echo "explored_lines: $*: does not say: $text"; bad=1; }
}

cat >"$work/k.ptx" <<'P'
.version 8.0
.target sm_90
.address_size 64
.global .u32 x, y, v[2];
.visible .entry k() { .reg .b32 %r<3>; .reg .pred %p; mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 0;
 @%p st.relaxed.gpu.global.u32 [x], 1; @!%p ld.relaxed.gpu.global.u32 %r2, [x]; @!%p st.global.u32 [y], %r2; ret; }
.visible .entry races() { .reg .b32 %r<2>; mov.u32 %r1, %tid.x; st.global.u32 [x], %r1; ret; }
.visible .entry bad() { trap; }
P
launch='launch k<<<1, 2>>>()'
want 0 '1 passed' "$launch" 'allow y == 1' 'expect x == 1 && y <= 1'
want 1 'y is 0, expected 1' "$launch" 'allow y == 1' 'expect y == 1'
want 1 'in the outcome y=0;' "$launch" 'allow y == 1' 'expect y == 1'
want 1 'x is 1, expected 7' "$launch" 'forbid y == 2' 'expect x == 7'
want 0 '1 passed' "$launch" "$launch" 'observe x' 'allow y == 1' 'expect y == 1'
# A condition without a value does not hold.
want 1 'index 3 is outside v' "$launch" 'forbid v[3 * y] == 1'
# Expected findings
want 0 '1 passed' 'launch races<<<1, 2>>>()' 'allow x == 1' 'expect race'
want 1 'expected a race, but no execution has one' "$launch" 'allow y == 1' 'expect race'
want 1 'expected a deadlock, but no execution has one' "$launch" 'allow y == 1' 'expect deadlock'
want 1 'expected a fault, but no execution has one' "$launch" 'allow y == 1' 'expect fault'
want 1 'some execution is not clean: a data race' 'launch races<<<1, 2>>>()' 'allow x == 1' 'expect clean'
want 1 'a thread may fault' 'launch bad<<<1, 2>>>()' 'allow x == 0'
want 0 '1 skipped' "$launch" 'allow y == 1' 'expect misuse'
want 0 'it expects an uninitialised read, which is not explored' "$launch" 'allow y == 1' 'expect uninitialised'
want 0 'it expects a fault trap, which is not explored' "$launch" 'allow y == 1' 'expect fault trap'
# What is not explored
want 8 "an 'expect' directive precedes a launch" "$launch" 'expect x == 1' "$launch" 'allow y == 1'
want 8 'printed text is not explored' "$launch" 'allow y == 1' 'expect prints "hello"'
want 8 'not explored: nothing is launched' 'allow y == 1'
want 1 'not explored: 400000000000 bytes exceed what is left of the memory limit' "$launch" 'buffer b : u32[100000000000]' 'allow y == 1'
# A violated condition takes precedence over an undecided one.
cat >"$work/k.ptx" <<'P'
.version 8.0
.target sm_90
.address_size 64
.global .u32 x, y;
.visible .entry k() { .reg .pred %p; .reg .b32 %r<4>; mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0; setp.ne.u32 %p, %r1, 0; @%p bra store;
again: ld.relaxed.gpu.global.u32 %r3, [x]; add.u32 %r2, %r2, 1; setp.eq.u32 %p, %r3, 0; @%p bra again; st.global.u32 [y], %r2; ret;
store: st.relaxed.gpu.global.u32 [x], 1; ret; }
P
command=explore
want 7 'do not decide every condition [B0151]' 'launch k<<<2, 1>>>()' 'forbid y == 77'
want 1 'the memory model allows this outcome' 'launch k<<<2, 1>>>()' 'forbid y == 77' 'forbid y == 2'
[ $bad = 0 ] && echo "explored_lines: $checks checks as expected"
exit $bad
