#!/bin/sh
# Products of tcgen05.mma of every kind, dense, sparse and block-scaled, K-major and transposed, with random contents, against sums formed by tests/oracle/tcgen05/cases.py.
: "${BUILD:?}"
command -v python3 >/dev/null 2>&1 || { echo "SKIP tcgen05.sh: python3 is not installed" && exit 0; }
out=$BUILD/oracle/tcgen05
rm -rf "$out"
mkdir -p "$out" || exit 1
n=$(python3 tests/oracle/tcgen05/cases.py "$out") || exit 1
"$BUILD/ptxi" check --seeds=0 "$out/products.ptx" >"$out/log" 2>&1
status=$?
[ "$status" = 0 ] || grep -v '^PASS' "$out/log" | head -n 40
[ "$(grep -c '^PASS' "$out/log")" = "$n" ] || status=1
tail -n 1 "$out/log"
rm -f "$out"/p*.[stw]
exit $status
