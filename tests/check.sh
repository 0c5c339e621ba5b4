#!/bin/sh
# All tests: layers, every tests/oracle/*.sh (each says why when it skips), Criterion's unit tests, and the golden .ptx files. Fails if any fails.
build=$1
cd "$(dirname "$0")/.." || exit 2
ptxi=$build/ptxi
export PTXI="$ptxi" BUILD="$build"
bad=0

sh tests/layers.sh || bad=1
for oracle in tests/oracle/*.sh; do
	[ -f "$oracle" ] || continue
	sh "$oracle" || { echo "FAIL $oracle"; bad=1; }
done
case $build in
*tsan*) echo "SKIP unit tests: Criterion does not start under the thread sanitizer; the golden files run with all threads" ;;
*) "$build/unit/all" || bad=1 ;;
esac
"$ptxi" check -q tests/ptx || bad=1
exit $bad
