#!/bin/sh
# Replays the matrix instructions that an H100 executed (tests/oracle/h100/matrix.tsv) on the interpreter: 515 forms of a warp, each on 512 tiles, and 409 of a warpgroup (wgmma), each on 64; in `make check` on a quarter of these, FULL=1 takes all.
: "${BUILD:?}"
case $BUILD in *asan* | *tsan*) echo "SKIP matrix.sh: minutes long under a sanitizer; the same code runs in the unit tests" && exit 0 ;; esac
"$BUILD/oracle/matrix" "replay$([ "$FULL" ] || echo -some)" tests/oracle/h100 >"$BUILD/matrix.log" 2>&1
status=$?
grep '^differs\|^not executed\|^recorded, but' "$BUILD/matrix.log" | head -n 20
tail -n 1 "$BUILD/matrix.log"
exit $status
