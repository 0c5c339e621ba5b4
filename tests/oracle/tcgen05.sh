#!/bin/sh
# Products of tcgen05.mma of every kind, dense, sparse and block-scaled, K-major and transposed, with random contents, against sums formed by tests/oracle/tcgen05/cases.py.
: "${BUILD:?}"
# Forms that are not executed end with status 8, and say why.
refused() { # KERNEL REASON
	said=$("$BUILD/ptxi" run tests/oracle/tcgen05/refused.ptx -e "launch $1<<<1, 1>>>()" 2>&1)
	code=$?
	case $said in *"$2"*) [ "$code" = 8 ] && return ;; esac
	echo "refused.ptx, $1: status $code, not 8 with '$2'"
	echo "$said"
	exit 1
}
refused shifts 'which way the rows move'
refused ashift 'what the first row of A becomes'
refused four_lanes 'which lanes get the data'
refused reads_of_a 'without .sync_restrict'
refused other_k 'choose a K'
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
