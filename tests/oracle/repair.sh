#!/bin/sh
# `ptxi explore --repair` and `--slack`: what they name for small programs, that the diff applies and the patched file passes, what they say when nothing was found or the time
# ended, and JSON. Many programs: tests/unit/test_repair.c (`make check-repair`).
cd "$(dirname "$0")/../.." || exit 2
case ${PTXI:?} in /*) ptxi=$PTXI ;; *) ptxi=$PWD/$PTXI ;; esac
own=$PWD/tests/oracle/repair
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
export NO_COLOR=1 LC_ALL=C
bad=0
tests=0

# says COMMAND... <<EXPECTED: its output from the line "Repair: " or "Slack: " on
says() {
	tests=$((tests + 1))
	cat >want
	"$@" 2>err | sed -n '/^Repair: /,$p; /^Slack: /,$p' | awk '!seen[NR]++' >got
	diff want got >diff || { echo "repair: $*:"; cat diff; bad=1; }
}
# patched FILE: the first diff in `got` makes FILE a file that passes
patched() {
	command -v patch >/dev/null || return 0
	tests=$((tests + 1))
	sed -n '/^--- /,/^[0-9]*\. /p' got | sed '/^[0-9]*\. /,$d' >first
	cp "$1" whole && patch -s "$1" first && "$ptxi" check -q "$1" >passed || { echo "repair: $1 with the first diff does not pass"; bad=1; }
	cp whole "$1"
}

cp "$own/mp.litmus" . || exit 2
says "$ptxi" explore -j1 --repair mp.litmus <<'END'
Repair: 2 changes, each enough alone, the weakest first (12 changed programs explored)
1. line 5, P0: st.relaxed.gpu becomes st.release.gpu
--- mp.litmus
+++ mp.litmus
@@ -5 +5 @@
- st.relaxed.gpu y, 1 | ld.weak r1, x        ;
+ st.release.gpu y, 1 | ld.weak r1, x        ;
2. line 5, P0: fence.release.gpu before st.relaxed.gpu
--- mp.litmus
+++ mp.litmus
@@ -4,0 +5 @@
+ fence.release.gpu   |                      ;
END
patched mp.litmus
# in a file with exists, the outcome that it asks for is to be forbidden; two fences are needed
cat >sb.litmus <<'END'
PTX SB
{ x=0; y=0; P0:r0=0; P1:r0=0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 st.relaxed.gpu x, 1  | st.relaxed.gpu y, 1  ;
 ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, x ;
exists (P0:r0 == 0 /\ P1:r0 == 0)
END
says "$ptxi" explore -j1 --repair sb.litmus <<'END'
Repair: 1 set of 2 changes that are enough only together, the weakest first (94 changed programs explored)
1. line 5, P0: fence.sc.gpu before ld.relaxed.gpu
   line 5, P1: fence.sc.gpu before ld.relaxed.gpu
--- sb.litmus
+++ sb.litmus
@@ -4,0 +5,2 @@
+ fence.sc.gpu         |                      ;
+                      | fence.sc.gpu         ;
END
# COND: another outcome than that of the file; one that no order forbids
says "$ptxi" explore -j1 --repair='x == 1' sb.litmus <<'END'
Repair: none found: even with every order, scope and fence as strong as it can be, what fails still fails (7 changed programs explored)
END
says "$ptxi" explore -j1 --repair='x == 2' sb.litmus <<'END'
Repair: nothing to repair: no condition or expectation fails, and no data race was found
END
# three places are needed: one from each thread
cat >isa2.litmus <<'END'
PTX ISA2
{ x=0; y=0; z=0; P1:r0=0; P2:r0=0; P2:r1=0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       | P2@cta 2,gpu 0       ;
 st.weak x, 1        | ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, z ;
 st.relaxed.gpu y, 1 | st.relaxed.gpu z, 1  | ld.weak r1, x        ;
~exists (P1:r0 == 1 /\ P2:r0 == 1 /\ P2:r1 == 0)
END
says "$ptxi" explore -j1 --repair isa2.litmus <<'END'
Repair: 1 set of 3 changes that are enough only together, the weakest first (79 changed programs explored)
1. line 5, P0: fence.release.gpu before st.relaxed.gpu
   line 5, P1: fence.acq_rel.gpu before st.relaxed.gpu
   line 5, P2: fence.acquire.gpu before ld.weak
--- isa2.litmus
+++ isa2.litmus
@@ -4,0 +5,3 @@
+ fence.release.gpu   |                      |                      ;
+                     | fence.acq_rel.gpu    |                      ;
+                     |                      | fence.acquire.gpu    ;
END
patched isa2.litmus

cat >kernel.ptx <<'END'
//@ launch k<<<2, 32>>>()
//@ forbid P32:%r3 == 1 && P32:%r4 == 0
//@ expect clean
.version 8.0
.target sm_90
.address_size 64
.global .u32 data, flag;
.visible .entry k()
{
	.reg .pred %p<3>;
	.reg .b32 %r<6>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 exit;
	setp.ne.u32 %p2, %r1, 0;
	@%p2 bra reader;
	st.global.u32 [data], 1;
	fence.acq_rel.cta;
	st.relaxed.gpu.global.u32 [flag], 1;
	exit;
reader:
	ld.relaxed.gpu.global.u32 %r3, [flag];
	setp.eq.u32 %p1, %r3, 0;
	@%p1 exit;
	fence.sc.sys;
	ld.global.u32 %r4, [data];
	exit;
}
END
says "$ptxi" explore -j1 --repair kernel.ptx <<'END'
Repair: 2 changes, each enough alone, the weakest first (19 changed programs explored)
1. line 19: fence.acq_rel.cta becomes fence.acq_rel.gpu
--- kernel.ptx
+++ kernel.ptx
@@ -19 +19 @@
-	fence.acq_rel.cta;
+	fence.acq_rel.gpu;
2. line 20: st.relaxed.gpu.global.u32 becomes st.release.gpu.global.u32
--- kernel.ptx
+++ kernel.ptx
@@ -20 +20 @@
-	st.relaxed.gpu.global.u32 [flag], 1;
+	st.release.gpu.global.u32 [flag], 1;
END
patched kernel.ptx
sed 's/fence.acq_rel.cta/fence.acq_rel.sys/' kernel.ptx >slack.ptx
says "$ptxi" explore -j1 --slack slack.ptx <<'END'
Slack: 2 places can be weaker, all together, without a new outcome or data race (14 changed programs explored)
   line 19: fence.acq_rel.sys becomes fence.release.gpu
   line 26: fence.sc.sys becomes fence.acquire.gpu
--- slack.ptx
+++ slack.ptx
@@ -19 +19 @@
-	fence.acq_rel.sys;
+	fence.release.gpu;
@@ -26 +26 @@
-	fence.sc.sys;
+	fence.acquire.gpu;
END
patched slack.ptx
# nothing but weak accesses of one thread
sed 's/<<<2, 32>>>/<<<1, 1>>>/; /expect/d; /forbid/d; s/relaxed.gpu.//; /fence/d; /@%p[12]/d' kernel.ptx >weak.ptx
says "$ptxi" explore -j1 --slack weak.ptx <<'END'
Slack: none: there is no order, scope, fence or barrier that may be weaker (0 changed programs explored)
END
# no condition: the data race is what is repaired
sed '/forbid/d; /expect/d; s/^..@ launch/\/\/@ observe P32:%r3\n&/' kernel.ptx >race.ptx
says "$ptxi" explore -j1 --repair race.ptx <<'END'
Repair: 2 changes, each enough alone, the weakest first (19 changed programs explored)
1. line 18: fence.acq_rel.cta becomes fence.acq_rel.gpu
--- race.ptx
+++ race.ptx
@@ -18 +18 @@
-	fence.acq_rel.cta;
+	fence.acq_rel.gpu;
2. line 19: st.relaxed.gpu.global.u32 becomes st.release.gpu.global.u32
--- race.ptx
+++ race.ptx
@@ -19 +19 @@
-	st.relaxed.gpu.global.u32 [flag], 1;
+	st.release.gpu.global.u32 [flag], 1;
END
# the time ends first; on a slow machine while the file is read
"$ptxi" explore --repair --slack --timeout=0.000001 kernel.ptx >got 2>&1
tests=$((tests + 1))
grep -q 'was reached while the file was read' got ||
	{ grep -q '^Repair: .*not everything was explored' got && grep -q 'The search ended before' got; } || { echo "repair: a search that ended does not say so:"; cat got; bad=1; }
# JSON, and a condition that cannot be read
tests=$((tests + 2))
"$ptxi" explore --format=json --repair --slack kernel.ptx >json 2>/dev/null
grep -q '"repair": {"programs": [0-9]*, "complete": true, "sets": \[{"changes": \[{"line": 19, "text": "line 19: ' json || { echo "repair: JSON:"; cat json; bad=1; }
! command -v python3 >/dev/null || python3 -m json.tool json >/dev/null || bad=1
"$ptxi" explore --repair='q ==' sb.litmus >/dev/null 2>err
[ $? = 2 ] && grep -q E01 err || { echo "repair: a condition that cannot be read:"; cat err; bad=1; }
[ $bad = 0 ] && echo "repair: $tests searches for changes, as recorded; patched files pass"
exit $bad
