#!/bin/sh
# Every golden file with --memory=weak, under SEEDS seeds (one in `make check`, 100 in check-sampler): the verdicts must be those of --memory=fast. A case that may fail is listed in weak/wrong.tsv
# with the reason: its program is wrong, and the mistake shows in another way, or its expectation depends on the schedule. (tests/ptx/litmus is explored, not sampled.)
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cut -f1 tests/oracle/weak/wrong.tsv | sort >"$tmp/wrong"
folders=$(ls -d tests/ptx/*/ | grep -v /litmus/)
seed=1
while [ $seed -le "${SEEDS:-1}" ]; do
	# shellcheck disable=SC2086 # several folders
	"$ptxi" check --memory=weak --seed=$seed --timeout=60 $folders >"$tmp/out" 2>&1
	grep -q ' passed, ' "$tmp/out" || { echo "weak: no verdict with seed $seed"; cat "$tmp/out"; exit 1; }
	sed -n "s/^FAIL tests\/ptx\/\([^:]*:[^:]*\):.*/\1/p; s/^FAIL tests\/ptx\/\([^:]*\): .*/\1/p" "$tmp/out" | grep -vxF -f "$tmp/wrong" | sed "s/$/ (seed $seed)/" >>"$tmp/bad"
	seed=$((seed + 1))
done
if [ -s "$tmp/bad" ]; then
	echo "weak: these cases fail with --memory=weak:"
	sort -u "$tmp/bad"
	exit 1
fi
echo "weak: $(sed -n 's/ passed, .*/ of the golden cases pass/p' "$tmp/out") with --memory=weak, the last of $((seed - 1)) seeds; $(wc -l <"$tmp/wrong") that are wrong, or depend on the schedule, may fail (tests/oracle/weak/wrong.tsv)"
