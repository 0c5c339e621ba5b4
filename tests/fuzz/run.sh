#!/bin/sh
# run.sh TARGET SECONDS: builds libFuzzer target fuzz_TARGET.c with clang and runs it from the project's own test files; fails at the first finding.
target=$1
seconds=${2:-600}
cd "$(dirname "$0")/../.." || exit 2
command -v clang >/dev/null 2>&1 || { echo "SKIP fuzz: clang is not installed" && exit 0; }
build=${FUZZ_BUILD:-build/fuzz}
make --no-print-directory CC=clang VARIANT=fuzz BUILD=$build $build/fuzz_"$target" || exit 1
corpus=$build/corpus-$target
mkdir -p "$corpus" $build/findings
for file in tests/ptx/*/*.ptx tests/ptx/*/*.litmus; do
	[ -f "$file" ] && cp "$file" "$corpus/$(echo "$file" | tr / _)"
done
exec $build/fuzz_"$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=16384 -artifact_prefix=$build/findings/ -print_final_stats=1 "$corpus"
