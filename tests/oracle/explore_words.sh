#!/bin/sh
# What `ptxi explore --why` says of the writeXY / readXY example with each kind of fence: which axiom forbids the new Y with the old X, or what is missing, and what other
# fences would do. The verdicts themselves stand in tests/ptx/course/write_read_xy_fences.ptx and tests/ptx/nvcc/write_read_xy*.ptx.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
bad=0
lines=0

# of FILE CONDITION: what the rest is about
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
		[ "$rest" != "$text" ] || { echo "explore_words: $file, case $name: '$want' is not said (there)"; bad=1; }
		text=$rest
	done
}
of tests/ptx/course/write_read_xy_fences.ptx 'seen[0] == 1 && seen[1] == 20'
says volatile_membar Impossible 'Forbidden by Causality' 'membar.gl' 'synchronises with P1: membar.gl' 'must see X = 10 or something newer, and not X = 1' \
	'What its fences' 'as written, fence.sc: impossible' 'fence.acq_rel in their place: impossible' 'no fences: possible'
says volatile_acq_rel Impossible 'Forbidden by Causality' 'as written: impossible' 'fence.sc in their place: impossible' 'no fences: possible'
says volatile_none Possible 'is read by' 'nothing releases at or before' 'nothing acquires at or after'
says volatile_block_two_blocks Possible 'the scope .cta of' 'does not include the other thread: use .gpu'
says volatile_gl_two_devices Possible 'the scope .gpu of' 'does not include the other thread: use .sys'
of tests/ptx/nvcc/write_read_xy_plain.ptx 'ab[0] == 1 && ab[1] == 20'
[ $raced = yes ] || { echo "explore_words: no race is reported for plain accesses"; bad=1; }
says none Possible 'is weak, and weak accesses do not synchronise' '(a data race: nothing orders the two)'
says threadfence Impossible 'Forbidden by FenceSC' 'if P0: membar.gl' 'must see X = 10 or newer, and not X = 1' 'if P1: membar.gl' 'writes only later' \
	'as written, fence.sc: impossible' 'fence.acq_rel in their place: possible' 'is weak, and weak accesses do not synchronise' 'no fences: possible'
says acq_rel Possible 'is weak, and weak accesses do not synchronise' '(a data race: nothing orders the two)' 'as written: possible' 'fence.sc in their place: impossible' \
	'no fences: possible'
[ $bad = 0 ] && echo "explore_words: $lines sentences as expected"
exit $bad
