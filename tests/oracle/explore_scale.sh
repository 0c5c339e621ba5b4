#!/bin/sh
# Kernels of the course at full size are explored completely, and every outcome is the intended one.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
seconds=${SECONDS_EACH:-60}
failed=0
while read -r file condition; do
	out=$("$ptxi" explore -q --timeout="$seconds" -e "$condition" "tests/ptx/course/$file.ptx" 2>&1)
	status=$?
	if [ $status != 0 ]; then
		printf '%s: exit status %s, expected every outcome to have %s\n%s\n' "$file" $status "$condition" "$(printf '%s' "$out" | tail -n 3)"
		failed=1
	fi
done <<'F'
mbarrier_parity always out[0..31] == 32
mbarrier_early_exit always out[0..23] == i / 8
mbarrier_transactions always out[0] == 1
mbarrier_producer_consumer always out[0..255] == 2 * i
grid_barrier always data[0..254] == i * i + (i + 1) * (i + 1)
sync_count_and_or always out[0..95] == 2085
histogram always bins[0..63] == 16
transpose always out[0..1023] == in[i % 32 * 32 + i / 32]
F
# what it prints is no condition
"$ptxi" explore --timeout="$seconds" tests/ptx/course/k1.ptx 2>&1 | grep -qx 'States 2' || { echo "k1: not two outcomes"; failed=1; }
"$ptxi" check --format=json tests/ptx/litmus/arrival_orders.ptx | grep -q 'every condition was decided before all executions were explored' ||
	{ echo "arrival_orders: check does not stop when all conditions are decided"; failed=1; }
[ $failed = 0 ] && echo "explore: 9 kernels of the course explored to the end"
exit $failed
