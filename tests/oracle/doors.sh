#!/bin/sh
# The doors for CUDA sources and for programs of several files: each command takes .cu files where it takes PTX, shows their lines, and says why it takes one not; what the
# compiler rejects is E0470; files given together are linked; findings of `ptxi exec` name the lines of launches. The programs are in tests/oracle/doors; mistakes are planted with sed.
cd "$(dirname "$0")/../.." || exit 2
: "${PTXI:?}" "${BUILD:=build/release}"
ptxi=$PTXI
case $ptxi in /*) ;; *) ptxi=$PWD/$ptxi ;; esac
build=$BUILD
case $build in /*) ;; *) build=$PWD/$build ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export NO_COLOR=1 TMPDIR="$dir/tmp"
bad=0
tests=0
mkdir "$dir/tmp"
cp tests/oracle/doors/* "$dir"
cd "$dir" || exit 2
fail() {
	echo "doors: $*"
	bad=1
}
# gives STATUS PATTERN... -- ARGUMENT...: ptxi ends with STATUS and prints lines like the patterns
gives() {
	tests=$((tests + 1))
	wanted=$1
	shift
	: >patterns
	while [ "$1" != -- ]; do
		echo "$1" >>patterns
		shift
	done
	shift
	"$ptxi" "$@" >said 2>&1 </dev/null
	status=$?
	[ $status = "$wanted" ] || { fail "ptxi $*: status $status instead of $wanted:" && head -n 5 said; }
	while read -r pattern; do
		grep -qE -e "$pattern" said || { fail "ptxi $*: nothing like '$pattern':" && head -n 20 said; }
	done <patterns
}
# lacks PATTERN: nothing like that was printed
lacks() {
	! grep -qE -e "$1" said || { fail "there is '$1':" && head -n 20 said; }
}
# plant FILE NEW EDIT: a copy with a mistake
plant() {
	sed "$3" "$1" >"$2"
	! cmp -s "$1" "$2" || fail "nothing is planted in $1 by $3"
}

# ---- several files ----
gives 0 '^ +1 :> P1:%r2=1; P1:%r3=1' -- run main.ptx part.ptx
gives 1 'P0: st.relaxed.gpu.global.u32 \[x\], 1 \(line 20 of main.ptx\)' 'P0: st.relaxed.gpu.global.u32 \[y\], 1 \(line 7 of part.ptx\), writes y = 1' \
	'^States 4' -- explore main.ptx part.ptx
gives 1 '^FAIL main.ptx: the memory model allows' -- check --link=part.ptx main.ptx
gives 1 '^FAIL main.ptx' '^1 passed, 1 failed' -- check --link=part.ptx main.ptx --link=three.ptx two.ptx
echo 'break part.ptx:7
continue
backtrace
list' >commands
gives 0 '^ +7 +st.relaxed.gpu.global.u32 \[y\], 1;' "^in 'put', called at line 21 of main.ptx in 'k'" '^> +7' -- debug -x commands main.ptx part.ptx
gives 0 '^part.ptx$' '^ +7 +1 ' '^main.ptx$' -- run --stats=lines main.ptx part.ptx
gives 0 'part.ptx: st.relaxed' -- run --picture=- main.ptx part.ptx
"$ptxi" as -o main.ptxo main.ptx && "$ptxi" as -o part.ptxo part.ptx
gives 1 '^States 4' -- explore --script=main.ptx main.ptxo part.ptxo
gives 1 '^States 4' -- explore part.ptxo main.ptx
for k in 1 2; do "$ptxi" explore --shard=$k/2 main.ptx part.ptx >"part.$k"; done
gives 1 '^States 4' -- merge part.1 part.2
cp part.ptx part.old && echo >>part.ptx
gives 2 'main.ptx has changed since its parts were explored.*L0506' -- merge part.1 part.2
mv part.old part.ptx
gives 3 "main.ptx:21:2: error: function 'put' .*E0460" "main.ptx:8:22: error: variable 'y' .*E0460" -- run main.ptx three.ptx
gives 3 "part.ptx:4:23: error: 'y' is defined in more than one module \[E0461\]" 'part.ptx:4:23: note: defined here' -- run main.ptx part.ptx part.ptx
plant part.ptx wide.ptx 's/.global .u32 y/.global .u64 y/'
gives 3 "E0462" -- run main.ptx wide.ptx
plant part.ptx bad.ptx 's/st.relaxed.gpu.global/st.relaxed.gpu.globl/'
gives 3 'bad.ptx:7:' -- run main.ptx bad.ptx
gives 2 'two.ptx:5:5: error: two of the files that are linked have //@ lines .L0133' 'main.ptx:5:5: note: the others begin here' -- run main.ptx two.ptx
gives 0 -- run --script=two.ptx main.ptx two.ptx part.ptx
gives 2 'none.ptx: No such file' -- run main.ptx none.ptx
printf 'PTX a\n' >a.litmus
gives 2 'a litmus test is a whole program, and cannot be linked' -- run main.ptx a.litmus
gives 2 "'ptxi as' takes one file" -- as main.ptx part.ptx
gives 2 '--repair and --slack change one file' -- explore --repair main.ptx part.ptx
gives 2 '--on=gpu runs one file' -- run --on=gpu main.ptx part.ptx
gives 2 '--dap debugs one file' -- debug --dap --link=part.ptx
gives 0 '^1 outcome in 1 run' ':> z=0' -- run --runs=1 --link=three.ptx two.ptx -e 'observe z'

# ---- without a compiler ----
gives 2 'tile.cu is a source, not a program' 'ptxi cc -o PROGRAM tile.cu' -- exec tile.cu
mkdir -p class/ann && cp tile.cu class/ann
printf 'exercise e\nfile tile.cu\ncase c\n  expect clean\nend\n' >suite
gives 0 'e 0/1: ann/tile.cu: this is C\+\+' -- grade suite class
gives 1 'ptxi cc -S -o tile.ptx tile.cu' -- learn 1 check tile.cu
grep -v '//@' tile.cu >plain.cu
for command in run explore debug; do
	gives 2 'plain.cu has no //@ lines' 'ptxi cc plain.cu && ptxi exec ./a.out' -- $command plain.cu
done
gives 2 '^FAIL plain.cu: not compiled: plain.cu has no //@ lines' -- check plain.cu
(
	PATH=/nowhere CLANG=
	export PATH CLANG
	"$ptxi" check tile.cu
) >said 2>&1
[ $? = 2 ] && grep -q 'FAIL tile.cu: not compiled: clang is not installed' said && grep -q 'apt-get install clang' said || { fail "without clang:" && cat said; }
gives 2 '/no/clang: there is no such program' -- as --clang=/no/clang tile.cu

# ---- with clang ----
: "${CLANG:=$(command -v clang || ls /usr/bin/clang-[0-9]* 2>/dev/null | sort -V | tail -n 1)}"
export CLANG
version=$("${CLANG:-clang}" --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p')
if [ "${version:-0}" -lt 14 ]; then
	echo "doors: $tests commands; SKIP compiling: clang 14 or later is not installed"
	exit $bad
fi
# What clang wrote for the same source, options and folder is kept: most of these commands differ in what they do with it.
mkdir kept
cat >clang <<'END'
#!/bin/sh
for out; do [ "$last" = -o ] || source=$last; last=$out; done
kept=$KEPT/$({ printf '%s\n' "$@" | grep -vxF -e "$out" && cat "$source"; } 2>&1 | cksum | tr ' ' .)
[ -e "$kept" ] || { "$REAL_CLANG" "$@" 2>"$kept.said"; echo $? >"$kept.status"; cp "$out" "$kept" 2>/dev/null || : >"$kept"; }
cat "$kept.said" >&2
cp "$kept" "$out"
read -r status <"$kept.status"
exit "$status"
END
chmod +x clang
export REAL_CLANG="$CLANG" KEPT="$dir/kept" CLANG="$dir/clang"
gives 0 'PASS tile.cu' 'PASS total.cu' -- check --link=part.cu tile.cu total.cu
gives 0 -- run --check=all total.cu part.cu
"$ptxi" as -o part.ptxo part.cu
gives 0 -- run --check=all total.cu part.ptxo
plant total.cu race.cu 's/atomicAdd(&total, in\[i\])/total += in[i]/'
gives 5 '^race.cu:13:8: error: data race on total .*R0101' '^ +13 \| +total \+= in\[i\];' '^race.ptx:' -- run --check=all race.cu part.cu
plant total.cu past.cu 's/i % 2/i/'
gives 4 '^part.cu:6:13: error: ld.global reads 4 bytes .* just past .global variable `table`.*F0201' "'scaled\(.*was called at past.cu:14 " -- run past.cu part.cu
gives 8 "'scaled\(unsigned int, unsigned int\)' is called but has no body.*U0002" 'files given together are linked' -- run total.cu
plant tile.cu open.cu 's,__syncthreads,// &,'
gives 1 '^ +open.cu:14:11: error: data race on tile.*R0101' -- check --seeds=0 open.cu
gives 0 '^tile.cu$' '^[* ] +14 .*out.i. = tile' -- run --stats=lines --check=none tile.cu
gives 5 'open.cu:1[24]' -- run --picture=- --check=all open.cu
gives 5 '"source": {"file": "open.cu", "line": 14, ' '"file": "open.cu", "case": null|"file": "open.cu"' -- run --format=json --check=all open.cu
echo 'break tile.cu:14
continue' >commands
gives 0 '^ tile.cu:14' '^ +14 +out\[i\] = tile' -- debug -x commands tile.cu
gives 0 '^\.visible \.entry _Z6rotate' -- dis tile.cu
gives 0 -- as -o tile.ptxo tile.cu
gives 0 -- run --script=tile.cu tile.ptxo
gives 0 'out\[0\] = 6' -- run "$dir/tile.cu" -e 'print out[0]'
cat >pass.cu <<'END'
//@ buffer x : u32[2] = 0
//@ buffer out : u32[2] = 0
//@ launch pass<<<2, 1>>>(x, out)
//@ forbid out[0] == 1 && out[1] == 0
__global__ void pass(volatile unsigned *x, unsigned *out)
{
	if (blockIdx.x == 0) {
		x[0] = 1;
		x[1] = 1;
	} else {
		out[0] = x[1];
		out[1] = x[0];
	}
}
END
gives 1 '\(pass.cu:11 \[line [0-9]+\]\)' '^States 4' -- explore pass.cu
gives 1 '^\+	fence.release.gpu;' '^\+	fence.acquire.gpu;' -- explore --repair pass.cu
for k in 1 2; do "$ptxi" explore --shard=$k/2 pass.cu >"part.$k"; done
gives 1 '^States 4' -- merge part.1 part.2
# what the compiler says
printf '//@ launch k<<<1, 1>>>()\n__global__ void k() { int x = 1 }\n' >broken.cu
gives 3 "^broken.cu:2:32: error: expected ';' at end of declaration .E0470" '^ +2 \| __global__ void k\(\) \{ int x = 1 \}' -- run broken.cu
gives 3 'E0470' -- explore broken.cu
gives 1 "^FAIL broken.cu: rejected: expected ';' at end of declaration .E0470" -- check broken.cu
gives 3 '"code": "E0470", .*"file": "broken.cu", "line": 2, "column": 32' -- as --format=json broken.cu
sed 's,$, //@ error E0470,; 1s, //@ error.*,,' broken.cu >expected.cu
gives 0 'PASS expected.cu' -- check expected.cu
printf '//@ launch k<<<1, 1>>>()\n#include "no/such.h"\n__global__ void k() {}\n' >lost.cu
gives 3 "^lost.cu:2:10: error: 'no/such.h' file not found .E0470" -- dis lost.cu
printf '//@ launch k<<<1, 1>>>(0)\n__global__ void k(int *p) { *p = 1; } //@ error F0203\n' >null.cu
gives 0 'PASS null.cu' -- check null.cu
sed 's/F0203/F0202/' null.cu >other.cu
gives 1 'FAIL other.cu' -- check other.cu
printf '//@ launch k<<<1, 1>>>()\n__global__ void k() { int x; asm("foo.bar %%0, 1;" : "=r"(x)); *(volatile int *)0 = x; }\n' >inline.cu
gives 3 '^inline.cu:2:30: error: unknown word .*E0103' '^inline.ptx:' -- run inline.cu
gives 7 'the time limit' -- run --timeout=0.001 tile.cu
gives 1 '^FAIL tile.cu: the time limit .--timeout. was reached while the file was' -- check --timeout=0.001 tile.cu
: >empty.cu
gives 3 'empty.cu: the file is empty' -- run empty.cu
head -c 100 "$ptxi" >binary.cu
gives 3 'binary.cu: this is not text' -- run binary.cu

# ---- where kernels were launched ----
CLANG=$REAL_CLANG
if nm -D "$build/libcuda.so.1" | grep -q __asan_init || [ ! -e "$build/libcudart.so.13" ]; then
	echo "doors: SKIP launches: the libraries need a sanitizer, which would have to be in every program"
else
	"$ptxi" cc -g -o launches launches.cu >said 2>&1 || { fail "launches.cu is not compiled:" && cat said; }
	! grep -q warning said || fail "ptxi cc -g warns: $(head -n 1 said)"
	where() { grep -n "// $1\$" launches.cu | cut -d: -f1; }
	gives 5 "thread 0 of CTA 0 of kernel 'add\(int\*, int\)' \(launch 1, launched at launches.cu:$(where SECOND)\) .* \(launch 0, launched at launches.cu:$(where FIRST)\)" \
		"in kernel 'add\(int\*, int\)', CTA 0, thread 0, launched at launches.cu:$(where SECOND)" 'on cudaMalloc at launches.cu:[0-9]+\+64 ' -- exec --check=all ./launches race
	gives 4 "CTA 1, thread 31, launched at launches.cu:$(where INLINE)" -- exec ./launches inline
	gives 4 "CTA 1, thread 31, launched at launches.cu:$(where CALL)" -- exec ./launches call
	gives 4 "CTA 0, thread 24, launched at launches.cu:$(where CAPTURED)" -- exec ./launches graph
	gives 4 "CTA 1, thread 31, launched by cudaGraphAddKernelNode at launches.cu:$(where NODE)" -- exec ./launches node
	gives 6 "deadlock: no thread in CTA 0 of kernel 'both\(\)', launched at launches.cu:$(where DEADLOCK), can make progress" -- exec ./launches deadlock
	gives 6 "note: in kernel 'spin\(int\*\)', launched at launches.cu:$(where LIVELOCK)" -- exec ./launches livelock
	"$ptxi" cc -o launches launches.cu
	gives 4 'CTA 1, thread 31, launched in ' -- exec ./launches call
fi
left=$(ls tmp)
[ -z "$left" ] || fail "temporary files are left: $left"
[ $bad = 0 ] && echo "doors: $tests commands"
exit $bad
