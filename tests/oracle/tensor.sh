#!/bin/sh
# Replays what an H100 and its driver made of tensor maps and of copies through them (tests/oracle/h100/tensor.tsv), through ptxi's libcuda: images, refusals, copies, misuse; and what is not executed says
# why, with status 8.
: "${BUILD:?}"
status=0
refused() { # KERNEL REASON
	"$BUILD/ptxi" run tests/oracle/tensor/refused.ptx -e 'buffer a : u8[192] = 0' -e 'tensormap t : b6x16_p32[128, 2] = a box=(128, 1)' -e "launch $1<<<1, 1>>>(t)" >"$BUILD/refused.log" 2>&1
	code=$?
	if [ "$code" != 8 ] || ! grep -q "$2" "$BUILD/refused.log"; then
		echo "refused.ptx, $1: status $code, not 8 with '$2'"
		cat "$BUILD/refused.log"
		status=1
	fi
}
refused packs 'does not pack elements of 6 bits'
case $BUILD in *asan* | *tsan*) echo "SKIP tensor.sh: minutes long under a sanitizer; the same code runs in the golden files" && exit $status ;; esac
"$BUILD/oracle/tensor" "$BUILD/libcuda.so.1" tests/oracle/h100/tensor.tsv replay >"$BUILD/tensor.log" 2>/dev/null || status=1
head -n 20 "$BUILD/tensor.log" | grep -v '^tensor copies'
tail -n 1 "$BUILD/tensor.log"
exit $status
