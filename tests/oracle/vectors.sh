#!/bin/sh
# Replays the results of an H200 (tests/oracle/h200) on the interpreter, and counts forms, vectors and differences; forms that round again with rounding in integer arithmetic.
# In `make check` an eighth of the vectors of each form, with all pairs of edge values; FULL=1 takes all. (vectors_soft replays all 5,868 forms, in a minute.)
: "${BUILD:?}"
case $BUILD in *asan* | *tsan*) echo "SKIP vectors.sh: minutes long under a sanitizer; the same code runs in the unit tests" && exit 0 ;; esac
log=$BUILD/vectors.log
replay=replay$([ "$FULL" ] || echo -some)
"$BUILD/oracle/vectors" "$replay" tests/oracle/h200 >"$log" 2>&1
status=$?
grep '^differs\|^not executed\|^recorded, but' "$log" | head -n 20
tail -n 1 "$log"
"$BUILD/oracle/vectors_soft" "$replay" tests/oracle/h200 add sub mul mad fma div sqrt rcp cvt >"$log.soft" 2>&1 || status=1
grep '^differs\|^not executed\|^recorded, but' "$log.soft" | head -n 20
echo "by integers: $(tail -n 1 "$log.soft")"
exit $status
