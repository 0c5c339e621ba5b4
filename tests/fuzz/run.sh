#!/bin/sh
# run.sh TARGET|all SECONDS: builds libFuzzer target fuzz_TARGET.c with clang and runs it on the project's own test files; fails at the first finding. FUZZ_BUILD is the folder
# for everything generated (default build/fuzz). `run.sh all 0` only builds: FUZZ_BUILD/fuzz.tgz then contains everything that a machine without a compiler needs: unpack it and
# run `bash all.sh . SECONDS [JOBS]`.
target=$1
seconds=${2:-600}
cd "$(dirname "$0")/../.." || exit 2
command -v clang >/dev/null 2>&1 || { echo "SKIP fuzz: clang is not installed" && exit 0; }
build=${FUZZ_BUILD:-build/fuzz}
ready=$build/ready
names=$(grep -v '^#' tests/fuzz/targets | cut -d' ' -f1)
[ "$target" = all ] || names=$target
programs=
for name in $names; do programs="$programs $build/fuzz_$name"; done
# shellcheck disable=SC2086
make -s -j"${FUZZ_JOBS:-$(nproc)}" --no-print-directory CC="${FUZZ_CC:-clang}" VARIANT=fuzz BUILD="$build" "$build/ptxi" $programs || exit 1
mkdir -p "$ready"
sh tests/fuzz/seeds.sh "$build/ptxi" "$ready/seeds"
# shellcheck disable=SC2086
cp $programs "$ready"
cp tests/fuzz/all.sh tests/fuzz/targets "$ready"
[ "$seconds" = 0 ] && tar czf "$build/fuzz.tgz" -C "$ready" . && ls -l "$build/fuzz.tgz" && exit 0
[ "$target" = all ] && exec bash tests/fuzz/all.sh "$ready" "$seconds"
line=$(grep "^$target " tests/fuzz/targets)
mkdir -p "$build/corpus-$target" "$build/findings"
# shellcheck disable=SC2086
set -- $line
exec "$build/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3072 -malloc_limit_mb=16384 -max_len="$3" -artifact_prefix="$build/findings/$target-" -print_final_stats=1 \
	"$build/corpus-$target" "$ready/seeds/$2"
