#!/bin/sh
# The messages and exit statuses for a CUDA driver's results, with a driver that computes nothing (fake_cuda/): every refusal, fault and hang.
: "${PTXI:?}" "${BUILD:?}"
case $BUILD in *asan* | *tsan*) echo "SKIP gpu.sh: a sanitizer must be first in every process, and the driver's process is forked" && exit 0 ;; esac
lib=$BUILD/fake_cuda
mkdir -p "$lib" || exit 2
${CC:-gcc} -std=gnu11 -I. -shared -fPIC -o "$lib/libcuda.so.1" tests/oracle/fake_cuda/fake_cuda.c || exit 1
file=$lib/one.ptx
cat >"$file" <<'PTX'
//@ buffer a : u32[4] = {1, 2, 3, 4}
//@ launch k<<<1, 32, 0, s>>>(a)
//@ expect a[0..3] == i + 1
//@ expect prints "hello from a fake GPU"
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a)
{
	ret;
}
PTX
bad=0
passed=0
# MODE STATUS TEXT
expect() {
	out=$(FAKE_CUDA=$1 LD_LIBRARY_PATH=$lib "$PTXI" run --timeout=1 --on=gpu "$file" 2>&1)
	status=$?
	if [ $status = "$2" ] && echo "$out" | grep -q "$3"; then
		passed=$((passed + 1))
	else
		echo "FAIL gpu.sh: with FAKE_CUDA=$1: status $status, expected $2 and '$3':" && echo "$out"
		bad=$((bad + 1))
	fi
}
expect none 0 "hello from a fake GPU"
expect reject 3 "one.ptx:2:.*Something the driver dislikes.*E0901"
expect refuse 4 "too many resources.*F0902"
expect cluster 4 "CUDA_ERROR_INVALID_CLUSTER_SIZE: .*F0902"
sed 's/^\/\/@ launch.*/&\n\/\/@ expect fault launch_cluster/; /expect prints/d' "$file" >"$lib/refused.ptx"
out=$(FAKE_CUDA=cluster LD_LIBRARY_PATH=$lib "$PTXI" check --on=gpu "$lib/refused.ptx" 2>&1) && passed=$((passed + 1)) || { echo "FAIL gpu.sh: a refused launch that was expected: $out" && bad=$((bad + 1)); }
expect newer 8 "U0901"
expect fault 4 "one.ptx:2:.*CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered.*F0901"
expect misaligned 4 "misaligned address"
expect assert 4 "Assertion .false. failed"
expect trap 4 "unspecified launch failure"
expect hang 7 "did not finish within 1 second.*B0901"
expect die 4 "one.ptx:2:.*the process that holds the CUDA context ended.*F0903"
expect nodevice 8 "no CUDA-capable device.*L0401"
# only MODE STATUS TEXT: the same, and TEXT is the only finding.
only() {
	expect "$1" "$2" "$3"
	n=$(echo "$out" | grep -cE '\[[A-Z][0-9]{4}\]')
	if [ "$n" = 1 ]; then passed=$((passed + 1)); else echo "FAIL gpu.sh: with FAKE_CUDA=$1: $n findings, expected one:" && echo "$out" && bad=$((bad + 1)); fi
}
# A fault that the driver returns at a later line is reported at the launch that caused it, whether a buffer, a write or another launch receives it.
for line in '//@ buffer later : u32[4] = 5' '//@ write a[..] = 5' '//@ launch k<<<1, 32, 0, s>>>(a)' '//@ launch k<<<1, 32>>>(a)' '//@ print a'; do
	file=$lib/later.ptx
	sed '2s/.*/&\n&/; /expect/d' "$lib/one.ptx" | awk -v line="$line" '{ print } NR == 3 { print line }' >"$file"
	only later 4 "later.ptx:3:.*CUDA_ERROR_ILLEGAL_ADDRESS.*F0901"
done
# A call that waits for a kernel that hangs has the kernel's time limit.
sed '2s/.*/&\n\/\/@ buffer later : u32[4] = 5/; /expect/d' "$lib/one.ptx" >"$file"
only memory_hangs 7 "later.ptx:2:.*did not finish within 1 second.*B0901"
# Stack, heap and FIFO are those of the interpreter; the stack only for functions that kernels call, and if the device has room for it.
file=$lib/one.ptx
expect limits 0 "stack 1024, printf 16777216, heap 33554432"
only recursion 4 "CUDA_ERROR_HARDWARE_STACK_ERROR"
file=$lib/calls.ptx
sed 's/^.visible/.func f() { ret; }\n&/; s/^.ret;/	call f;\n&/' "$lib/one.ptx" >"$file"
expect limits 0 "stack 65536, printf 16777216, heap 33554432"
expect recursion 0 "hello"
expect small 0 "stack 16384,"
expect full 0 "stack 8192,"
# The table of check-sanitizer, with a tool that reports every file under racecheck and none under the others.
san() { LD_LIBRARY_PATH=$lib SANITIZER=tests/oracle/fake_cuda/compute-sanitizer TABLE=$lib/table.tsv BUILD=$lib MUTANTS=2 JOBS=2 timeout 120 sh tests/oracle/sanitizer/check.sh 2>&1; }
rm -rf "$lib/sanitizer" "$lib/table.tsv"
out=$(san && san)
lines=$(grep -c . "$lib/table.tsv")
right=$(awk -F '\t' 'NR > 1 && $5 == "none" && $6 ~ /^2: Error: Race reported/ && $7 == "none" && $8 == "late"' "$lib/table.tsv" | wc -l)
case "$lines $right $out" in
"5 4 "*"sanitizer: 2 mutants (0 more "*"racecheck "*" 2 "*"false, racecheck:"*) passed=$((passed + 1)) ;;
*) echo "FAIL gpu.sh: the table of check-sanitizer: $lines lines, $right right:" && echo "$out" && cat "$lib/table.tsv" && bad=$((bad + 1)) ;;
esac
# There is nothing to count on a GPU.
out=$(LD_LIBRARY_PATH=$lib "$PTXI" run --stats --on=gpu "$lib/one.ptx" 2>&1)
status=$?
want="hello from a fake GPU
no statistics: this backend does not count"
if [ "$status:$out" = "0:$want" ]; then passed=$((passed + 1)); else echo "FAIL gpu.sh: --stats: status $status: $out" && bad=$((bad + 1)); fi
# A litmus test is run several times: the GPU's own schedule matters.
printf '%s\n' '//@ buffer a : u32[1] = 7' '//@ launch k<<<1, 32>>>(a)' '//@ observe a[0]' .version\ 7.0 .target\ sm_70 '.address_size 64' '.visible .entry k(.param .u64 a) { ret; }' >"$lib/runs.ptx"
out=$(LD_LIBRARY_PATH=$lib "$PTXI" run --on=gpu --runs=3 "$lib/runs.ptx" 2>&1)
status=$?
case $status:$out in
"0:"*"3 "*"a[0]=7"*) passed=$((passed + 1)) ;;
*) echo "FAIL gpu.sh: three runs: status $status: $out" && bad=$((bad + 1)) ;;
esac
file=$lib/two.ptx
sed 's/^.*launch k.*$/&\n\/\/@ launch k<<<1, 32, 0, t>>>(a) gpu=1\n\/\/@ launch k<<<1, 32, 0, s>>>(a) gpu=1/; /expect prints/s/hello.*GPU/a kernel on GPU 1/' "$lib/one.ptx" >"$file"
expect two 0 "a kernel on GPU 1"
expect none 8 "this machine has 1 GPU, but the case launches on GPU 1"
expect strangers 8 "GPU 1 cannot reach the memory of GPU 0"
sed 's/^.address_size 64$/&\n.global .u32 own;/' "$lib/two.ptx" >"$lib/own.ptx"
file=$lib/own.ptx
expect two 8 "its own copy of the module"
file=$lib/one.ptx
sed "s/^.address_size 64/&\n.global .u32 x;/; s,^.version,//@ print x\n&," "$file" >"$lib/variable.ptx"
file=$lib/variable.ptx
expect none 2 "does not have the variable x.*L0402"
out=$(LD_LIBRARY_PATH=/nonexistent "$PTXI" run --on=gpu "$file" 2>&1)
status=$?
if [ $status = 8 ] || [ $status = 0 ]; then passed=$((passed + 1)); else echo "FAIL gpu.sh: without a driver: status $status: $out" && bad=$((bad + 1)); fi
echo "gpu: $passed passed, $bad failed"
[ $bad = 0 ]
