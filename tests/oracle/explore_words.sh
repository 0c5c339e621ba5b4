#!/bin/sh
# The output of `ptxi explore --why` for the writeXY / readXY example with each kind of fence: the axiom that forbids the new Y with the old X, or what is missing, and the
# effect of other fences. The verdicts themselves are in tests/ptx/course/write_read_xy_fences.ptx and tests/ptx/nvcc/write_read_xy*.ptx.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
out=$(mktemp) && one=$(mktemp) || exit 2
trap 'rm -f "$out" "$one"' EXIT
bad=0
lines=0

# case FILE NAME CONDITION: gets the output for one case of a file
case_of() {
	awk -v name="$2" '/^\/\/@ case / { on = $3 == name } /^\/\/@/ && !on { next } { print }' "$1" >"$one"
	file=$1
	NO_COLOR=1 "$ptxi" explore --script="$one" "$1" --why "$3" >"$out" 2>&1
}
# of FILE CONDITION: the file and condition of the following checks
of() {
	file=$1
	NO_COLOR=1 "$ptxi" explore "$1" --why "$2" >"$out" 2>&1
	grep -q 'error.*data race' "$out" || raced=no
	! grep -q 'error.*data race' "$out" || raced=yes
}
# says CASE TEXT...: the explanation of that case has lines with these texts, in this order
says() {
	name=$1
	shift
	text=$(awk -v name="$name" '/^States/ { on = 0 } /^Observation/ { on = $2 == name; next } on' "$out")
	for want; do
		lines=$((lines + 1))
		rest=${text#*"$want"}
		[ "$rest" != "$text" ] || { echo "explore_words: $file, case $name: '$want' is not printed (there)"; bad=1; }
		text=$rest
	done
}
of tests/ptx/course/write_read_xy_fences.ptx 'seen[0] == 1 && seen[1] == 20'
says volatile_membar Impossible 'Forbidden by Causality' 'membar.gl' 'synchronises with P1: membar.gl' 'must see X = 10 or something newer, and not X = 1' \
	'What its fences' 'as written, fence.sc: impossible' 'fence.acq_rel instead: impossible' 'no fences: possible'
says volatile_acq_rel Impossible 'Forbidden by Causality' 'as written: impossible' 'fence.sc instead: impossible' 'no fences: possible'
says volatile_none Possible 'is read by' 'nothing releases at or before' 'nothing acquires at or after'
says volatile_block_two_blocks Possible 'the scope .cta of' 'does not include the other thread: use .gpu'
says volatile_gl_two_devices Possible 'the scope .gpu of' 'does not include the other thread: use .sys'
of tests/ptx/nvcc/write_read_xy_plain.ptx 'ab[0] == 1 && ab[1] == 20'
[ $raced = yes ] || { echo "explore_words: no race is reported for plain accesses"; bad=1; }
says none Possible 'is weak, and weak accesses do not synchronise' '(a data race: the two are not ordered)'
says threadfence Impossible 'Forbidden by FenceSC:
    if P0: membar.gl' 'must see X = 10 or newer, and not X = 1' 'if P1: membar.gl' 'writes later' \
	'as written, fence.sc: impossible' 'fence.acq_rel instead: possible' 'is weak, and weak accesses do not synchronise' 'no fences: possible'
says acq_rel Possible 'is weak, and weak accesses do not synchronise' '(a data race: the two are not ordered)' 'as written: possible' 'fence.sc instead: impossible' \
	'no fences: possible'
families=tests/ptx/litmus/families
case_of ${families}_sync.ptx cluster-relaxed-fence 'P1:%r1 == 0'
says cluster-relaxed-fence Impossible 'Forbidden by Causality' 'precedes in program order P0: fence.acq_rel.cluster' 'synchronises with P1: barrier.cluster.wait' \
	'fence.sc instead: impossible' 'no fences: possible'
case_of ${families}_sync.ptx cluster-relaxed-fence-cta 'P1:%r1 == 0'
says cluster-relaxed-fence-cta Possible 'No interleaving of the threads has this outcome' 'precedes a barrier that precedes P1: ld.weak.global.u32 %r1, [x]' 'orders no memory'
case_of ${families}.ptx relseq-rmw-relaxed 'P1:%r1 == 1 && P2:%r1 == 2 && P2:%r2 == 0'
says relseq-rmw-relaxed 'Impossible: y = 2' 'Forbidden by Causality' 'synchronises with P2: ld.acquire.gpu'
case_of ${families}_async.ptx bulk-g2s-source-no-fence 'P0:%r1 == 1'
says bulk-g2s-source-no-fence Possible 'precedes the instruction that issues' 'use a fence.proxy.async between the two'
case_of ${families}_widths.ptx two-kernels-one-stream 'z == 0'
says two-kernels-one-stream Impossible 'ends a launch that finished before launch 2 CTA 0 thread 0'
case_of ${families}.ptx red-mixed-scope-pairwise 'x == 1'
says red-mixed-scope-pairwise Impossible 'Forbidden by Atomicity'
races=$(grep -c 'error.*data race' "$out")
[ "$races" = 4 ] || { echo "explore_words: four pairs of instructions race, but $races are reported"; bad=1; }
# Of the possible reasons for a 1 after a lock, the one closest to the program is reported: the second thread, which acquires the lock after the first, reads the older value.
case_of tests/ptx/litmus/locks.ptx cas_two 'x[0] == 1'
says cas_two Impossible 'Forbidden by Causality' 'P0: st.global.u32' 'precedes in program order P0: ' 'synchronises with P1: atom.acquire' 'precedes in program order P1: ld.global.u32' \
	'so P1: ld.global.u32' 'must see x = 1 or something newer, and not x = 0 from the beginning'
# Values that no access of one size can produce, and that only its words could.
torn=tests/oracle/why/torn.ptx
case_of $torn strong 'P1:%rd1 == 2'
says strong 'Impossible: P1:%rd1 = 2' 'Forbidden by single-copy atomicity' 'P1: @%p ld.relaxed.gpu.global.u64 %rd1, [x]' 'would read part of what P0: @!%p st.relaxed.gpu.global.u64 [x]' 'and the rest from the initial'
! grep -q 'out of thin air\|not morally strong' "$out" || { echo "explore_words: $file: a torn read is reported as something else"; bad=1; }
case_of $torn weak 'P1:%rd1 == 2'
says weak 'Forbidden by single-copy atomicity' 'P1: @%p ld.weak.global.u64' 'and the rest from the initial' 'The two are not morally strong'
case_of $torn last 'x == 0x100000004'
says last 'Forbidden by single-copy atomicity' 'memory would end with parts of the values that two different accesses write'
case_of $torn nowhere 'P1:%rd1 == 7'
says nowhere 'Impossible under any memory model' 'out of thin air'
# expected FILE: compares OUT with the recorded FILE. After an intended change: explore_words.sh write, and read the difference.
write=$1
expected() {
	if [ "$write" = write ]; then
		cp "$out" "$1"
	elif ! cmp -s "$1" "$out"; then
		echo "explore_words: the output is not that recorded in $1:"
		diff "$1" "$out" | head -n 20
		bad=1
	fi
	lines=$((lines + $(wc -l <"$out")))
}
# The complete explanations of small litmus tests: each axiom in each form.
for file in tests/oracle/why/*.litmus; do
	echo "== $(basename "$file" .litmus)"
	NO_COLOR=1 "$ptxi" explore "$file" --why "$(sed -n 's/^exists (\(.*\))$/\1/p' "$file")" 2>&1 | sed -n '/^exists/,$p'
done >"$out"
expected tests/oracle/why/expected.txt
# The complete output for some files: executions, JSON, graphs.
litmus=tests/ptx/litmus
for file in $litmus/calls_used.ptx $litmus/clocks.ptx $litmus/lanes.ptx $litmus/mbarrier_init.ptx $litmus/vectors.ptx $litmus/streams.ptx tests/oracle/why/coherence.litmus \
	tests/oracle/why/location_store.litmus tests/oracle/why/atomicity.litmus tests/oracle/why/fences.litmus tests/oracle/why/message.litmus; do
	echo "== $file"
	NO_COLOR=1 "$ptxi" explore -j 1 --graph="$one" "$file" 2>&1
	cat "$one"
	: >"$one"
	"$ptxi" explore -j 1 --format=json "$file"
done >"$out"
expected tests/oracle/why/formats.txt
# How much is explored: the cases, executions, outcomes and statuses of a file. Another number of executions with the same outcomes means another search: slower or faster.
for file in $litmus/*.ptx tests/oracle/why/*.litmus; do
	case $file in */arrival_orders.ptx) continue ;; esac
	"$ptxi" explore -j 1 --format=json "$file" 2>/dev/null | grep -o '"executions": [0-9]*\|"status": [0-9]*\|{"state"' | awk -v file="$file" '
		/executions/ { executions += $2; cases++ }
		/status/ { status[$2]++ }
		/state"/ { outcomes++ }
		END {
			printf "%s: %d cases, %d executions, %d outcomes; status", file, cases, executions, outcomes
			for (k = 0; k <= 8; k++)
				if (k in status)
					printf " %d: %d", k, status[k]
			print ""
		}'
done >"$out"
expected tests/oracle/why/counts.txt
# The cycle of a value out of thin air, by data, by control and through a barrier; and the atoms through which a release sequence goes.
explained() { # CONDITION LINE...: the explanation for the test on standard input has these lines in this order
	condition=$1
	shift
	cat >"$one.litmus"
	"$ptxi" explore -q --why "$condition" "$one.litmus" >"$out" 2>&1
	name=$(sed -n '1s/PTX //p' "$one.litmus")
	for want; do
		lines=$((lines + 1))
		grep -qF -- "$want" "$out" || { echo "explore_words: $name: '$want' is missing"; bad=1; }
		sed -i "0,/$(printf '%s' "$want" | sed 's/[][\\/.*]/\\&/g')/d" "$out"
	done
	rm -f "$one.litmus"
}
explained 'P0:r1 == 1 /\ P1:r1 == 1' 'values out of thin air' 'P0: ld.relaxed.gpu r1, x' 'would read from P1: st.relaxed.gpu x, r1 (line 5), which depends on P1: ld.relaxed.gpu r1, y (line 4)' \
	'would read from P0: st.relaxed.gpu y, r1 (line 5), which depends on P0: ld.relaxed.gpu r1, x (line 4)' <<'END'
PTX by-data
{ x = 0; y = 0; P0:r1 = 0; P1:r1 = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.relaxed.gpu r1, x | ld.relaxed.gpu r1, y ;
 st.relaxed.gpu y, r1 | st.relaxed.gpu x, r1 ;
~exists (P0:r1 == 1 /\ P1:r1 == 1)
END
explained 'P0:r1 == 1 /\ P1:r1 == 1' 'would read what x gets from P1 only after P1: ld.relaxed.gpu r1, y (line 4)' 'would read what y gets from P0 only after P0: ld.relaxed.gpu r1, x (line 4)' <<'END'
PTX by-control
{ x = 0; y = 0; P0:r1 = 0; P1:r1 = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 ld.relaxed.gpu r1, x | ld.relaxed.gpu r1, y ;
 bne r1, 1, LC0       | bne r1, 1, LC1       ;
 st.relaxed.gpu y, 1  | st.relaxed.gpu x, 1  ;
 LC0:                 | LC1:                 ;
~exists (P0:r1 == 1 /\ P1:r1 == 1)
END
explained 'P0:r1 == 1 /\ P2:r3 == 1' 'would read from P2: st.relaxed.gpu x, r3 (line 7)' 'would read what y gets from P1 only after P0: ld.relaxed.gpu r1, x (line 4), since it waits at a barrier' <<'END'
PTX through-a-barrier
{ x = 0; y = 0; P0:r1 = 0; P2:r3 = 0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0      | P2@cta 1,gpu 0       ;
 ld.relaxed.gpu r1, x | bar.cta.sync 2      |                      ;
 bne r1, 0, LC10      | st.relaxed.gpu y, 1 | ld.relaxed.gpu r3, y ;
 LC10:                |                     |                      ;
 bar.cta.sync 2       |                     | st.relaxed.gpu x, r3 ;
~exists (P0:r1 == 1 /\ P2:r3 == 1)
END
explained 'P2:r1 == 2 /\ P1:r1 == 1 /\ P2:r2 == 0' 'P0: st.release.gpu y, 1 (line 5)' 'synchronises with P2: ld.acquire.gpu r1, y (line 4)' \
	'through P1: atom.add.relaxed.gpu r1, y, 1 (line 4), which reads it and writes y = 2' 'must see x = 1' <<'END'
PTX through-an-atom
{ x = 0; y = 0; P2:r1 = 0; P2:r2 = 0; P1:r1 = 0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0                | P2@cta 2,gpu 0       ;
 st.weak x, 1        | atom.add.relaxed.gpu r1, y, 1 | ld.acquire.gpu r1, y ;
 st.release.gpu y, 1 |                               | ld.weak r2, x        ;
~exists (P2:r1 == 2 /\ P1:r1 == 1 /\ P2:r2 == 0)
END
# -q: the explanation and nothing else
cat >"$one" <<'END'
PTX sb
{ x = 0; y = 0; P0:r1 = 0; P1:r1 = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 st.relaxed.gpu x, 1  | st.relaxed.gpu y, 1  ;
 fence.sc.gpu         | fence.sc.gpu         ;
 ld.relaxed.gpu r1, y | ld.relaxed.gpu r1, x ;
~exists (P0:r1 == 0 /\ P1:r1 == 0)
END
mv "$one" "$one.litmus"
first=$("$ptxi" explore -q --why 'P0:r1 == 0 /\ P1:r1 == 0' "$one.litmus" | head -n 2 | tr '\n' '|')
[ "$first" = 'Impossible: P0:r1 = 0, P1:r1 = 0|  Forbidden by FenceSC:|' ] || { echo "explore_words: -q --why prints '$first'"; bad=1; }
first=$("$ptxi" explore -q --why 'ab[0] == 1 && ab[1] == 20' tests/ptx/nvcc/write_read_xy_plain.ptx 2>/dev/null | head -n 1)
case $first in *"ab[0] == 1 && ab[1] == 20"*) ;; *) echo "explore_words: -q --why prints '$first'"; bad=1 ;; esac
[ -z "$("$ptxi" explore -q "$one.litmus")" ] || { echo "explore_words: -q prints something"; bad=1; }
rm -f "$one.litmus"
lines=$((lines + 3))
[ $bad = 0 ] && echo "explore_words: $lines sentences as expected"
exit $bad
