#!/bin/sh
# The golden files without checks, and with bounds checks only, as users run programs: loads, stores and barriers then take other paths than under `check`. Expected findings of
# other checks are skipped; values and outcomes are not. (tests/ptx/litmus is explored, which no check changes.)
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
bad=0
folders=$(ls -d tests/ptx/*/ | grep -v /litmus/)
for checks in none bounds; do
	# shellcheck disable=SC2086 # several folders
	"$ptxi" check --seeds=0 --check=$checks $folders >"$out" 2>&1
	grep -q ' passed, 0 failed, ' "$out" || { echo "golden_plain: these cases fail with --check=$checks:"; grep -v '^PASS\|^SKIP' "$out"; bad=1; }
	if grep '^SKIP' "$out" | grep -v 'which --check does not enable)$'; then
		echo "golden_plain: skipped with --check=$checks for another reason"
		bad=1
	fi
	said="$said$(tail -n 1 "$out") with --check=$checks; "
done
[ $bad = 0 ] && echo "golden_plain: ${said%; }"
exit $bad
