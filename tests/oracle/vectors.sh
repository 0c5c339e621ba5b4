#!/bin/sh
# Replays what an H200 computed (tests/oracle/h200) on the interpreter: forms x vectors, differing.
: "${BUILD:?}"
case $BUILD in *asan* | *tsan*) echo "SKIP vectors.sh: minutes long under a sanitizer; the same code runs in the unit tests" && exit 0 ;; esac
log=$BUILD/vectors.log
"$BUILD/oracle/vectors" replay tests/oracle/h200 >"$log" 2>&1
status=$?
grep '^differs\|^not executed\|^recorded, but' "$log" | head -n 20
tail -n 1 "$log"
exit $status
