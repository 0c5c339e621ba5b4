#!/bin/sh
# `ptxi explore --any-grid`: kernels that are proved to have no data race in any grid; without one of their barriers, bounds or indices, none is. Then random kernels: what is proved has no race
# under check (tests/any_grid_random.py; make check-any-grid compares more).
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
file=tests/oracle/any_grid/kernels.ptx
complain()
{
	echo "any_grid: $1"
	bad=1
}

cat >"$dir/want" <<'END'
add, CTAs of 256 x 1 x 1 threads: no data race, for up to 8388608 CTAs
reduce, CTAs of 256 x 1 x 1 threads: no data race, for up to 16777216 CTAs
stencil, CTAs of 64 x 1 x 1 threads: no data race, for up to 67108864 CTAs
transpose, CTAs of 16 x 8 x 1 threads: no data race, for grids of up to 67108864 x 65535 CTAs
END
"$ptxi" explore --any-grid $file >"$dir/out" 2>&1 || complain "exit status $? for $file"
cmp -s "$dir/out" "$dir/want" || { complain "another answer for $file:"; diff "$dir/want" "$dir/out"; }
"$ptxi" check --check=race $file >/dev/null || complain "check finds a race in $file"

# kernel:LINE is the kernel without the line marked LINE
for broken in add:own_element reduce:first_barrier reduce:half_only reduce:each_barrier reduce:one_only reduce:own_result stencil:filled_barrier transpose:inside_only; do
	kernel=${broken%:*}
	line=${broken#*:}
	# the label of the line stays
	sed "s/^\\([a-z]*:\\)\\{0,1\\}	[^/]*\\/\\/ $line\$/\\1/" $file >"$dir/broken.ptx"
	cmp -s $file "$dir/broken.ptx" && complain "no line is marked $line"
	sed -n "/^\\/\\/@ case $kernel\$/,/^\\/\\/@ expect/p" $file >"$dir/lines"
	"$ptxi" explore --any-grid --script="$dir/lines" "$dir/broken.ptx" >"$dir/out" 2>"$dir/err"
	status=$?
	[ $status = 7 ] || { complain "$kernel without $line: exit status $status"; cat "$dir/out" "$dir/err"; }
	grep -q "not known" "$dir/err" || complain "$kernel without $line: no reason"
done

# what is not proved, and why
ask()
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.global .align 8 .u32 x[64];\n.global .align 8 .u32 y[64];\n.shared .align 8 .u32 s[64];\n.visible .entry k()\n{\n.reg .pred %%p<2>;\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<6>;\n%s\nret;\n}\n' "$2" >"$dir/one.ptx"
	"$ptxi" explore --any-grid -e 'launch k<<<1, 32>>>()' "$dir/one.ptx" >"$dir/out" 2>"$dir/err"
	case $(cat "$dir/out") in
	*"$1"*) ;;
	*) complain "'$2': expected '$1', got '$(cat "$dir/out" "$dir/err")'" ;;
	esac
}
index='mov.u32 %r1, %tid.x; mov.u64 %rd1, x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;'
ask 'only known for the grid as launched' "$index st.global.u32 [%rd1], 1;"
ask 'an atomic operation' "$index red.global.add.u32 [%rd1], 1;"
ask 'a barrier that is not one of all threads' "bar.sync 0, 32;"
ask 'threads of a CTA come to different barriers' "$index setp.eq.u32 %p1, %r1, 0; @%p1 bra A; bar.sync 0; ret; A: bar.sync 1;"
ask 'a thread ends after an access' "$index setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [x], 1; @%p1 ret; bar.sync 0;"
ask 'not a linear expression' "$index ld.global.u32 %r2, [%rd1]; mov.u64 %rd1, x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], 1;"
ask 'no data race, for any number of CTAs' "$index ld.global.u32 %r2, [%rd1]; mov.u64 %rd1, x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2; ld.global.u32 %r2, [%rd1];"
ask 'two threads may access the same bytes' "$index st.global.u32 [x], 1;"
ask 'too many steps' "A: bra A;"
ask 'no data race, for any number of CTAs' "$index mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, 0; @%p1 ret; st.global.u32 [%rd1], 1;"
# each of these has a race, which a hastier proof does not see
not_linear='not known: the address of an access is not a linear expression'
# a narrow result in a wide register is extended: the upper half of the number is lost
ask "$not_linear" 'mov.u32 %r1, %ctaid.x; shl.b32 %r1, %r1, 16; mov.u32 %r2, %tid.x; add.u32 %r1, %r1, %r2; cvt.u16.u32 %r3, %r1; mov.u64 %rd1, x; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], 1;'
ask "$not_linear" 'mov.u32 %r1, %ctaid.x; cvt.u64.u32 %rd1, %r1; shl.b64 %rd1, %rd1, 32; mov.u32 %r2, %tid.x; cvt.u64.u32 %rd2, %r2; add.u64 %rd1, %rd1, %rd2; cvt.u32.u64 %rd3, %rd1; shl.b64 %rd3, %rd3, 2; mov.u64 %rd2, x; add.u64 %rd2, %rd2, %rd3; st.global.u32 [%rd2], 1;'
# shared memory under two names
ask 'not known: two threads may access the same bytes' 'mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra A; st.shared.u32 [s], 1; ret; A: setp.ne.u32 %p1, %r1, 1; @%p1 ret; mov.u64 %rd1, s; cvta.shared.u64 %rd1, %rd1; ld.u32 %r2, [%rd1];'
# a thread's own store, loaded through another proxy
ask 'not known: memory to which the kernel stores may be loaded with .nc' "$index st.global.u32 [%rd1], 1; ld.global.nc.u32 %r2, [%rd1];"
# from one buffer into another by the distance between them
distance='mov.u32 %r1, %tid.x; mov.u64 %rd1, x; mov.u64 %rd2, y; sub.u64 %rd3, %rd2, %rd1; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd5, %rd1, %rd4;'
other_way='mov.u32 %r2, 31; sub.u32 %r2, %r2, %r1; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd5, %rd2, %rd4; st.global.u32 [%rd5], 2;'
ask "$not_linear" "$distance add.u64 %rd5, %rd5, %rd3; st.global.u32 [%rd5], 1; $other_way"
ask "$not_linear" "$distance shr.u64 %rd3, %rd3, 2; mad.lo.s64 %rd5, %rd3, 4, %rd5; st.global.u32 [%rd5], 1; $other_way"
# an index that wraps around in other grids, and for more threads
ask 'only known for the grid as launched' 'mov.u32 %r1, %ctaid.x; shl.b32 %r1, %r1, 31; mov.u32 %r2, %tid.x; add.u32 %r1, %r1, %r2; mov.u64 %rd1, x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], 1;'
ask 'only known for the grid as launched' 'mov.u32 %r1, %tid.x; mul.lo.u32 %r1, %r1, 134217728; mov.u64 %rd1, x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], 1;'
# elements that are narrower than their distance, and wider
ask 'not known' 'mov.u32 %r1, %tid.x; mov.u64 %rd1, x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; and.b64 %rd1, %rd1, -8; st.global.u64 [%rd1], 1;'
ask 'not known' 'mov.u32 %r1, %tid.x; mov.u64 %rd1, x; mul.wide.s32 %rd2, %r1, -4; add.u64 %rd1, %rd1, %rd2; st.global.v2.u32 [%rd1+128], {1, 1};'
# a thread that ends before the barrier that would order its store
ask 'not known' "$index"' mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, 0; @%p1 ret; setp.eq.u32 %p1, %r1, 3; @%p1 st.shared.u32 [s], 1; @%p1 ret; bar.sync 0; ld.shared.u32 %r2, [s];'

printf 'PTX t\n{}\nP0@cta 0,gpu 0 ;\nst.relaxed.gpu x, 1 ;\nexists (x == 1)\n' >"$dir/t.litmus"
"$ptxi" explore --any-grid "$dir/t.litmus" >/dev/null 2>"$dir/err"
[ $? = 2 ] || complain "a litmus test: $(cat "$dir/err")"

if command -v python3 >/dev/null; then
	python3 tests/any_grid_random.py "$ptxi" "${N:-40}" "${SEED:-1}" || bad=1
else
	echo "any_grid: random kernels skipped: no python3"
fi
[ $bad = 0 ] && echo "any_grid: 4 kernels proved, 8 broken ones not"
exit $bad
