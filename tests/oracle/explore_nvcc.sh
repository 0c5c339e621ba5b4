#!/bin/sh
# `ptxi explore` on libcu++ waits compiled by nvcc, with as few threads as they need: loops that sleep by the clock, count their rounds and retry are spins, and what they wait
# for is visible in every execution. Also the messages for the files in tests/ptx/litmus when the host or the lanes exceed what is explored.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
asked=0

# of FILE LINE...: explores the kernels of FILE without its own cases; the status must be STATUS
of() {
	want=$1
	file=$2
	shift 2
	sed '/^\/\/@/d' "$file" >"$dir/one.ptx"
	for line; do
		set -- "$@" -e "$line"
		shift
	done
	NO_COLOR=1 timeout 60 "$ptxi" explore --timeout=40 "$dir/one.ptx" "$@" >"$dir/out" 2>&1
	got=$?
	asked=$((asked + 1))
	[ $got = "$want" ] || { echo "explore_nvcc: $file, $2: status $got, not $want"; bad=1; }
}
says() {
	grep -q -- "$1" "$dir/out" || { echo "explore_nvcc: $file: '$1' is not printed"; bad=1; }
}
nvcc=tests/ptx/nvcc
of 0 $nvcc/waiting.ptx 'buffer out : s32[1] = 0' 'launch semaphore<<<2, 1>>>(out)' 'always out == 2'
of 0 $nvcc/waiting.ptx 'buffer lock : u32[2] = 0' 'buffer sum : s32[1] = 0' 'launch ticket<<<2, 1>>>(lock, sum)' 'always sum == 2'
of 0 $nvcc/waiting.ptx 'buffer out : s32[4] = 0' 'launch queue<<<2, 1>>>(out, 2)' 'always out[0] == 1 && out[1] == 2'
of 0 $nvcc/mbarrier_stages.ptx 'buffer out : s32[2] = 0' 'launch phases<<<1, 2>>>(out, 1)' 'always out[0] == 102 && out[1] == 102'
of 0 $nvcc/cp_async_arrive.ptx 'buffer in : s32[2] = {5, 7}' 'buffer out : s32[2] = -1' 'launch without_noinc<<<1, 2>>>(in, out)' 'observe out[0..1]'
# A wait with a time limit may give up at any time.
of 8 $nvcc/grid_barrier_timeout.ptx 'buffer count : u32[1] = 0' 'buffer out : s32[2] = 9' 'launch meet<<<1, 1, 0, 1>>>(count, out, 0, 1000)' 'launch meet<<<1, 1, 0, 2>>>(count, out, 1, 1000)' 'observe out[0]'
says 'a clock, which may have any value, where it determines a branch'
# Without a time limit the clock affects nothing.
of 0 $nvcc/grid_barrier_timeout.ptx 'buffer count : u32[1] = 0' 'buffer out : s32[2] = 9' 'launch meet<<<1, 1, 0, 1>>>(count, out, 0, -1)' 'launch meet<<<1, 1, 0, 2>>>(count, out, 1, -1)' 'always out[0] == 1 && out[1] == 1'
printf '.version 7.0\n.target sm_70\n.address_size 64\n.const .u32 c = 1;\n.visible .entry k()\n{\n\t.reg .b32 %%r<2>;\n\tld.const.u32 %%r1, [c];\n\tret;\n}\n' >"$dir/const.ptx"
of 8 "$dir/const.ptx" 'launch k<<<1, 1>>>()' 'write c = 5' 'launch k<<<1, 1>>>()' 'observe P0:%r1'
says 'constant memory that the host writes after a launch'
of 0 "$dir/const.ptx" 'write c = 5' 'launch k<<<1, 1>>>()' 'always P0:%r1 == 5'
of 8 tests/ptx/litmus/lanes.ptx 'launch mask<<<1, 9>>>()' 'observe P0:%r1'
says 'more than 8 lanes'
of 8 tests/ptx/litmus/host.ptx 'buffer x : u32[20000] = 5' 'launch put<<<1, 1>>>(x, 5)' 'always x[0..19999] == 5'
says 'conditions over more than 16384 elements'
of 0 tests/ptx/litmus/host.ptx 'buffer x : u32[2000] = 5' 'launch put<<<1, 1>>>(x, 5)' 'always x[0..1999] == 5'
[ $bad != 0 ] || echo "explore_nvcc: $asked explorations"
exit $bad
