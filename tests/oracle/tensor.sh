#!/bin/sh
# Replays what an H100 and its driver made of tensor maps and of copies through them (tests/oracle/h100/tensor.tsv), through ptxi's libcuda: images, refusals, copies, misuse.
: "${BUILD:?}"
case $BUILD in *asan* | *tsan*) echo "SKIP tensor.sh: minutes long under a sanitizer; the same code runs in the golden files" && exit 0 ;; esac
"$BUILD/oracle/tensor" "$BUILD/libcuda.so.1" tests/oracle/h100/tensor.tsv replay >"$BUILD/tensor.log" 2>/dev/null
status=$?
head -n 20 "$BUILD/tensor.log" | grep -v '^tensor copies'
tail -n 1 "$BUILD/tensor.log"
exit $status
