#!/bin/sh
# What `as` needs: at most 6 times the source (measured with 50 MB: docs/SPEED.md); a file with a mistake at its end
# has the same messages as a short one.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
[ -x /usr/bin/time ] || { echo "as_memory: skipped: no /usr/bin/time"; exit 0; }
if nm "$ptxi" 2>/dev/null | grep -q '__asan_init\|__tsan_init'; then
	echo "as_memory: skipped: a sanitizer has memory of its own"
	exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
bad=0

# cost FILE: the most memory that assembling it takes, in hundredths of its size
cost() {
	/usr/bin/time -f %M "$ptxi" as -o "$work/o" "$1" 2>"$work/err" || { echo "as_memory: $1 is rejected"; bad=1; }
	echo $(($(tail -n 1 "$work/err") * 102400 / $(wc -c <"$1")))
}

# 20 MB and 3 MB of nvcc's output: the same kernels under many names.
sh bench/large.sh 1770 >"$work/many.ptx"
sh bench/large.sh 260 >"$work/few.ptx"
# One function of 12 MB, whose registers are each set once, as compilers write unrolled loops.
awk 'BEGIN {
	print ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry long(.param .u64 long_param_0)\n{"
	print "\t.reg .pred \t%p<30000>;\n\t.reg .f32 \t%f<400000>;\n\t.reg .b64 \t%rd<9>;\n\tld.param.u64 \t%rd1, [long_param_0];\n\tmov.f32 \t%f0, 0f3F800000;"
	for (i = 1; i < 160000; i++) {
		printf "\tfma.rn.f32 \t%%f%d, %%f%d, %%f%d, %%f%d;\n\tst.global.f32 \t[%%rd1+%d], %%f%d;\n", i, i - 1, (i > 9) * (i - 9), (i > 30) * (i - 30), i % 4096 * 4, i
		if (i % 16 == 0)
			printf "\tsetp.lt.f32 \t%%p%d, %%f%d, 0f00000000;\n\t@%%p%d bra \t$L__%d;\n\tadd.f32 \t%%f%d, %%f%d, %%f%d;\n$L__%d:\n", i / 16, i, i / 16, i, i + 200000, i, i - 1, i
	}
	print "\tret;\n}"
}' >"$work/long.ptx"
many=$(cost "$work/many.ptx")
long=$(cost "$work/long.ptx")
few=$(cost "$work/few.ptx")
[ "$many" -le 600 ] || { echo "as_memory: many functions take $many hundredths of the source, not 600"; bad=1; }
[ "$long" -le 600 ] || { echo "as_memory: a long function takes $long hundredths of the source, not 600"; bad=1; }
# nearly 2 of it are ptxi and libc themselves
[ "$few" -le 580 ] || { echo "as_memory: 3 MB take $few hundredths of the source, not 580"; bad=1; }

# A mistake that is found at the end of the file, after all of it has been assembled.
for file in many long; do
	{ cat "$work/$file.ptx"; echo '.entry last() { bra nowhere }'; } >"$work/bad.ptx"
	"$ptxi" as "$work/bad.ptx" >"$work/out" 2>&1
	[ $? = 3 ] && grep -q 'E0102' "$work/out" && grep -q 'E0204' "$work/out" || { echo "as_memory: $file.ptx with a mistake at the end"; bad=1; }
done
[ $bad = 0 ] && echo "as_memory: many functions $many, a long one $long, 3 MB $few hundredths of the source"
exit $bad
