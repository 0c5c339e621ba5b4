#!/bin/sh
# All tests: layers, every tests/oracle/*.sh (each prints the reason when it skips), Criterion's unit tests, and the golden .ptx files. Fails if any of them fails. The scripts
# run in parallel, one per processor and one more, as some wait, the long ones first, so that no processor waits for a last one; the output of each stays together. None may take longer than half an hour.
build=$1
cd "$(dirname "$0")/.." || exit 2
ptxi=$build/ptxi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# What the scripts make is built here, and nothing is left for make to do in them.
export PTXI="$ptxi" BUILD="$build" CHECK_WORK="$work" MAKE_PARTS=:
# A python3 that is itself a script (pyenv's) takes half a second to start: the program that it starts stands before it.
if [ "$(head -c 2 "$(command -v python3 || echo /dev/null)")" = '#!' ]; then
	PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH
fi

# shellcheck disable=SC2016 # "$1" is the script that xargs names
long=$(printf 'tests/oracle/%s.sh\n' progress lessons cc cli engines linking recorded doors grade explore_work race_mutants deb codes host shards live narrow weak golden_plain changed gpu docs device explore_limits)
others=$(printf '%s\n' tests/layers.sh tests/oracle/*.sh | grep -vxF "$long")
printf '%s\n' "$long" "$others" | xargs -P "$(($(nproc) + 1))" -I{} sh -c '
	log=$(mktemp -p "$CHECK_WORK") || exit 1
	timeout 1800 sh "$1" >"$log" 2>&1 || echo "FAIL $1" | tee -a "$CHECK_WORK/failed" >>"$log"
	cat "$log"' sh {} || touch "$work/failed"
case $build in
*tsan*) echo "SKIP unit tests: Criterion does not start under the thread sanitizer; the golden files run with all threads" ;;
*) "$build/unit/all" || touch "$work/failed" ;;
esac
# Matrix products take long: these run twice more, with other schedules, where check would run them twenty times, as check-verdicts does.
long=$(printf 'tests/ptx/%s.ptx\n' nvcc/matmul_mma nvcc/matmul_wmma nvcc/wgmma course/wgmma_matmul course/tcgen05_matmul run/tcgen05 run/wgmma)
# shellcheck disable=SC2046,SC2086 # several files
"$ptxi" check -q $(find tests/ptx -name '*.ptx' -o -name '*.litmus' | grep -vxF "$long" | sort) && "$ptxi" check -q --seeds=2 $long || touch "$work/failed"
[ ! -e "$work/failed" ]
