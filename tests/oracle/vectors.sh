#!/bin/sh
# Replays the results of an H200 (tests/oracle/h200) on the interpreter, and counts forms, vectors and differences. Forms that round are replayed again with rounding in integer
# arithmetic, every fourth of them; FULL=1 takes all of them. (vectors_soft replays all 5,868 forms, in a minute.)
: "${BUILD:?}"
case $BUILD in *asan* | *tsan*) echo "SKIP vectors.sh: minutes long under a sanitizer; the same code runs in the unit tests" && exit 0 ;; esac
log=$BUILD/vectors.log
"$BUILD/oracle/vectors" replay tests/oracle/h200 >"$log" 2>&1
status=$?
grep '^differs\|^not executed\|^recorded, but' "$log" | head -n 20
tail -n 1 "$log"
"$BUILD/oracle/vectors_soft" "replay$([ "$FULL" ] || echo -some)" tests/oracle/h200 add sub mul mad fma div sqrt rcp cvt >"$log.soft" 2>&1 || status=1
grep '^differs\|^not executed\|^recorded, but' "$log.soft" | head -n 20
echo "by integers: $(tail -n 1 "$log.soft")"
exit $status
