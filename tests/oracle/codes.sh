#!/bin/sh
# A test for every diagnostic code. Most are provoked by the golden files (//@ error CODE, and the findings that their cases expect) and the unit tests; here stand
# those that need a command line, an object, a litmus test or the explorer. A code that nothing provokes fails.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
: >"$dir/provoked"

# code CODE ARG...: ptxi ARG... says CODE
code() {
	want=$1
	shift
	tests=$((tests + 1))
	NO_COLOR=1 timeout 60 "$ptxi" "$@" >"$dir/out" 2>&1 </dev/null
	if grep -qF -- "[$want]" "$dir/out"; then
		echo "$want" >>"$dir/provoked"
	else
		echo "codes: ptxi $*: no $want:"
		head -n 4 "$dir/out"
		bad=1
	fi
}
# Kernel k with the given statements, and whatever stands before it.
ptx() {
	printf '.version 9.0\n.target sm_100\n.address_size 64\n%s\n.visible .entry k()\n{\n\t.reg .pred %%p<4>;\n\t.reg .b32 %%r<8>;\n\t.reg .b64 %%rd<8>;\n%s\n\tret;\n}\n' "$2" "$3" >"$dir/$1"
}
litmus() { printf 'PTX T\n{ x=0; }\n%s\nexists (%s)\n' "$2" "$3" >"$dir/$1"; }

# the command line and files
ptx good.ptx '' ''
code L0301 rnu
code L0302 run --sede=1 "$dir/good.ptx"
code L0303 run --seed=x "$dir/good.ptx"
code L0304 run
code L0305 explain nonsens
code L0306 as --seed=1 "$dir/good.ptx"
code L0202 run "$dir"
ln -s "$dir/loop" "$dir/loop"
code L0203 run "$dir/loop"
: >"$dir/empty.ptx"
code L0204 run "$dir/empty.ptx"
printf '.version 9.0\0' >"$dir/binary.ptx"
code L0205 as "$dir/binary.ptx"
truncate -s 1025M "$dir/large.ptx" && code L0206 as "$dir/large.ptx"
code L0207 as "$dir/good.ptx" -o "$dir/no/such/place"
mkdir "$dir/none" && code L0128 check "$dir/none"
litmus good.litmus 'P0@cta 0,gpu 0 ; st.weak x, 1 ;' 'x == 1'
code L0403 as "$dir/good.litmus"

# objects and syntax
"$ptxi" as "$dir/good.ptx" -o "$dir/good.ptxo" && head -c 60 "$dir/good.ptxo" >"$dir/cut.ptxo" && code E0450 dis "$dir/cut.ptxo"
ptx deep.ptx '' "	mov.u32 %r1, $(awk 'BEGIN { for (i = 0; i < 3000; i++) printf "~"; print "1" }');"
code E0110 as "$dir/deep.ptx"
printf '.version 9.0\n.target sm_90, debug\n.address_size 64\n.entry k() { ret; }\n' >"$dir/debug.ptx"
code E0442 as "$dir/debug.ptx"

# litmus tests
litmus a.litmus 'P0@cta 0,gpu 0 ; P0@cta 0,gpu 0 ;' 'x == 1' && code E0150 explore "$dir/a.litmus"
litmus b.litmus 'P0@cta 0,gpu 0 ; jump x ;' 'x == 1' && code E0151 explore "$dir/b.litmus"
litmus c.litmus 'P0@cta 0,gpu 0 ; ld.weak 5, x ;' 'x == 1' && code E0152 explore "$dir/c.litmus"
litmus d.litmus 'P0@cta 0,gpu 0 ; goto L ;' 'x == 1' && code E0153 explore "$dir/d.litmus"
litmus e.litmus "$(awk 'BEGIN { for (i = 0; i < 65; i++) printf "%sP%d@cta 0,gpu 0", i ? "|" : "", i; print " ;" }')" 'x == 1' && code E0154 explore "$dir/e.litmus"
litmus f.litmus 'P0@cta 0,gpu 0 ; fence.proxy.texture ;' 'x == 1' && code U0151 run "$dir/f.litmus"

# the explorer
ptx spin.ptx '.global .u32 x;' 'L:	ld.relaxed.gpu.global.u32 %r1, [x];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra L;'
code D0151 explore "$dir/spin.ptx" -e 'launch k<<<1, 1>>>()' -e 'observe x'
ptx wait.ptx '' '	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 barrier.sync 1, 64;'
code D0150 explore "$dir/wait.ptx" -e 'launch k<<<1, 2>>>()' -e 'allow 1 == 1'
ptx loop.ptx '.global .u32 x;' 'L:	atom.add.relaxed.gpu.global.u32 %r1, [x], 1;
	setp.lt.u32 %p1, %r1, 100;
	@%p1 bra L;'
code B0150 explore "$dir/loop.ptx" -e 'launch k<<<1, 1>>>()' -e 'observe x'
code B0151 explore "$dir/loop.ptx" -e 'launch k<<<1, 1>>>()' -e 'observe x'
ptx race.ptx '.global .u32 x;' '	st.global.u32 [x], 1;'
code R0150 explore "$dir/race.ptx" -e 'launch k<<<2, 1>>>()' -e 'observe x'
ptx fault.ptx '' '	mov.u64 %rd1, 16;
	ld.relaxed.gpu.global.u32 %r1, [%rd1];'
code F0150 explore "$dir/fault.ptx" -e 'launch k<<<1, 1>>>()' -e 'allow 1 == 1'
ptx many.ptx '' ''
code U0150 explore "$dir/many.ptx" -e 'launch k<<<1025, 1>>>()' -e 'allow 1 == 1'

# runs
code X0107 run "$dir/good.ptx" -e 'buffer a : u32[2] = 0' -e 'expect 1 / a[0] == 1'
code X0108 run --check=all "$dir/good.ptx" -e 'buffer a : u32[2]' -e 'expect a[0] == 1'
code F0112 run "$dir/good.ptx" -e 'launch k<<<3, 32>>>() cluster=2'
ptx large.ptx '.global .b8 x[70368744177664];' ''
code F0111 run "$dir/large.ptx" -e 'launch k<<<1, 1>>>()'
ptx init.ptx '.shared .align 8 .b64 m;' '	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 mbarrier.init.shared.b64 [m], 64;
	mbarrier.arrive.shared.b64 %rd1, [m];'
code S0230 run --check=all "$dir/init.ptx" -e 'launch k<<<1, 64>>>()'
sed 's/sm_100$/sm_100a/; s/k()$/k() .maxntid 128 .maxnreg 128/' "$dir/good.ptx" | sed 's/^	ret;/	mov.u32 %r1, %tid.x;\n	setp.lt.u32 %p1, %r1, 16;\n	@%p1 setmaxnreg.dec.sync.aligned.u32 40;\n	ret;/' >"$dir/maxnreg.ptx"
code S0406 run "$dir/maxnreg.ptx" -e 'launch k<<<1, 128>>>()'

ptx cancel.ptx '' '	.reg .b128 %q;
	mov.u64 %rd1, 0;
	mov.b128 %q, {%rd1, %rd1};
	clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q;'
code S0408 run "$dir/cancel.ptx" -e 'launch k<<<1, 1>>>()'

# warnings that neither the unit tests nor the golden files provoke
printf '.version 6.0\n.target sm_60\n.address_size 64\n.entry k() .minnctapersm 2\n{\n\t.reg .pred %%p<2>;\n\tsetp.eq.u32 %%p1, 1, 1;\n\tvote.all.pred %%p1, %%p1;\n\t@%%p1 ret;\n\tret;\n}\n' >"$dir/old.ptx"
code W0512 as "$dir/old.ptx"
code W0514 as "$dir/old.ptx"

# each warning is turned off by its name and by its code, and the names in docs/ are right
sed -n 's/^CODE(\(W[0-9]*\), \([a-z_]*\),.*/\1 \2/p' diag/code/*.def >"$dir/warnings"
while read -r w name; do
	tests=$((tests + 1))
	for off in "$w" "$name"; do
		"$ptxi" as -Wno-"$off" "$dir/good.ptx" >"$dir/out" 2>&1 </dev/null || { echo "codes: -Wno-$off: $(head -n 1 "$dir/out")" && bad=1; }
	done
	grep -q "^| $w | $name |" docs/DIAGNOSTICS.md || { echo "codes: docs/DIAGNOSTICS.md does not list $w, $name" && bad=1; }
done <"$dir/warnings"
for off in W0512 deprecated; do
	"$ptxi" as -Wno-$off "$dir/old.ptx" 2>&1 </dev/null | grep -q W0512 && { echo "codes: -Wno-$off does not turn W0512 off" && bad=1; }
done

# every code of diag/code/ against what is provoked here, by golden files, unit tests and the tests beside this one
sed -n 's/^CODE(\([A-Z][0-9]*\),.*/\1/p' diag/code/*.def | sort -u >"$dir/codes"
"$ptxi" check --format=json tests/ptx 2>/dev/null | grep -o '"code": *"[A-Z][0-9]*"' | sed 's/.*"\([A-Z][0-9]*\)"/\1/' | sort -u >>"$dir/provoked"
grep -rhoE '//@ error [A-Z0-9 ,]*' tests/ptx | grep -oE '[A-Z][0-9]{4}' >>"$dir/provoked"
grep -hoE '(DIAG_|\b)[A-Z][0-9]{4}\b' tests/unit/*.c tests/oracle/cli.sh tests/oracle/gpu.sh tests/oracle/litmus.sh | sed 's/DIAG_//' >>"$dir/provoked"
sort -u "$dir/provoked" | comm -23 "$dir/codes" - >"$dir/missing"
if [ -s "$dir/missing" ]; then
	echo "codes without a test: $(tr '\n' ' ' <"$dir/missing")"
	bad=1
fi
echo "codes: $(wc -l <"$dir/codes") codes, $tests provoked by commands"
exit $bad
