#!/bin/sh
# C++ names in messages: errors about launches, findings, printed variables, JSON and traces show the C++ name; JSON keeps the symbol under the key that it had.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
file=tests/ptx/run/cpp_names.ptx
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export NO_COLOR=1
bad=0
n=0
grep -v '^//@' $file >"$dir/names.ptx"
# has WHAT: the last output has the line or part WHAT
has() {
	n=$((n + 1))
	grep -qF -- "$1" "$dir/out" && return
	echo "cpp_names: no '$1' in:" && sed 's/^/    /' "$dir/out" && bad=1
}
run() { "$ptxi" run "$dir/names.ptx" -e 'buffer a : s32[32] = 1' "$@" >"$dir/out" 2>&1; }
run -e 'launch scale<<<1, 1>>>(a, 2)'
has "error: 'scale' names several kernels [L0130]"
has 'note: scale(int*, int) (_Z5scalePii)'
has 'note: scale(float*, float) (_Z5scalePff)'
run -e 'launch ns::fil<<<1, 1>>>(a, 2)'
has "the file has no kernel 'ns::fil'"
has 'did you mean ns::fill?'
run -e 'launch scale(long*, int)<<<1, 1>>>(a, 2)'
has 'note: it has the kernel ns::count(int const*, int*)'
run -e 'launch count<<<1, 1>>>(a)'
has 'error: ns::count(int const*, int*) takes 2 arguments, not 1 [L0108]'
run -e 'launch count<<<1, 32>>>(a, 64)'
has "in kernel 'ns::count(int const*, int*)', CTA 0, thread 0"
run -e 'launch count<<<1, 1>>>(a, a)' -e 'print counter'
has 'ns::counter = 1'
run -e 'launch count<<<1, 1>>>(a, a)' -e 'print ns::countr'
has 'did you mean ns::counter?'
run --format=json -e 'launch count<<<1, 1>>>(a, a)' -e 'print counter'
has '"_ZN2ns7counterE": [1]'
run --trace="$dir/trace" -e 'launch count<<<1, 1>>>(a, a)'
cp "$dir/trace" "$dir/out"
has '"kernel": "_ZN2ns5countEPKiPi", "kernel_name": "ns::count(int const*, int*)"'
run -e 'launch count<<<1, 1>>>(a, a)' -e 'print counter[1]'
has 'ns::counter has the elements 0 to 0'
at=tests/oracle/places/out_of_bounds # frames of inlined calls
"$ptxi" run --format=json --script=$at.cu $at.lineinfo.ptx >"$dir/out" 2>&1
has '"function": "_Z5storeIfEvPT_iS0_", "function_name": "void store<float>(float*, int, float)"'
"$ptxi" run "$dir/names.ptx" >"$dir/out" 2>&1
has '_Z5scalePii(.u64 q, .u32 k): scale(int*, int)'
# variables: a part of the name that fits several, and the explorer's texts
cat >"$dir/variables.ptx" <<'END'
.version 9.0
.target sm_90
.address_size 64
.global .align 4 .u32 _ZN2ns4dataE[2];
.global .align 4 .u32 _ZN5other4dataE[2];
.entry _Z3setv()
{
.reg .b32 %r1;
mov.u32 %r1, %ctaid.x;
st.global.u32 [_ZN2ns4dataE+4], %r1;
ret;
}
END
"$ptxi" run "$dir/variables.ptx" -e 'launch set<<<1, 1>>>()' -e 'print data[1]' >"$dir/out" 2>&1
has "error: 'data' names several variables [L0130]"
has 'note: ns::data (_ZN2ns4dataE)'
has 'note: other::data (_ZN5other4dataE)'
for setting in 'allow data[1] == 1' 'expect other::data[1] == 0 && data[0] == 0'; do
	"$ptxi" explore "$dir/variables.ptx" -e 'launch set<<<2, 1>>>()' -e "$setting" >"$dir/out" 2>&1
	has "error: 'data' names several variables [L0130]"
done
"$ptxi" explore -v "$dir/variables.ptx" -e 'launch set<<<2, 1>>>()' -e 'allow ns::data[1] == 1' >"$dir/out" 2>&1
has ', writes ns::data[1] = 1'
has '*> ns::data[1]=1;'
grep -q 'writes.*_ZN' "$dir/out" && echo "cpp_names: a symbol in what explore lists" && bad=1
[ $bad = 0 ] && echo "cpp_names: $n texts"
exit $bad
