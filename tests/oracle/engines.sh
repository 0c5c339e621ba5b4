#!/bin/sh
# Every engine computes the same: runs programs with --engine=interpreter, =stencils and =native, and compares what they print, the findings, the counts of --stats and the
# status. `engines.sh` takes some programs, as `make check` does; `engines.sh all [N [SEED]]` takes all of tests/ptx, bench and examples, and N random kernels of each sort
# (make check-engines). The few are
# compiled without optimisation, which takes a tenth of the time, and one random kernel of each sort runs plainly, with a random schedule, as before Volta and with a limit of steps. An engine that does not run here is skipped, as native without a C compiler.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
build=${BUILD:-build/release}
case $ptxi in /*) ;; *) ptxi=$(pwd)/$ptxi ;; esac
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export NO_COLOR=1 LC_ALL=C XDG_CACHE_HOME="$tmp/cache"
mkdir "$tmp/cache"
bad=0 done=0 translated=0

cat >"$tmp/probe.ptx" <<'END'
//@ buffer out : u32[64] = 0
//@ launch k<<<1, 64>>>(out)
//@ expect out[63] == 64
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<3>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd1, %rd1, %rd2;
	add.u32 %r2, %r1, 1;
	st.global.u32 [%rd1], %r2;
	ret;
}
END
if [ "$1" != all ]; then
	cat >"$tmp/quick" <<'END'
#!/bin/sh
exec "${ENGINES_CC:-cc}" "$@" -O0
END
	chmod +x "$tmp/quick"
	for cc in "$PTXI_CC" cc gcc clang; do
		[ -n "$cc" ] && command -v "$cc" >/dev/null && break
	done
	export ENGINES_CC="$cc" PTXI_CC="$tmp/quick"
fi
# the engines that run here
engines=
for engine in stencils native; do
	what=$("$ptxi" run -j1 --engine=$engine --stats "$tmp/probe.ptx" 2>&1 | sed -n 's/^engine: //p')
	case $what in
	$engine*) engines="$engines $engine" ;;
	*) echo "engines: skipped: ${what:-no engine}" ;;
	esac
done
[ "$engines" ] || exit 0
# whether ENGINE runs here
has() { case $engines in *" $1"*) ;; *) return 1 ;; esac; }

# Without times, and without the hint of a check that runs only while there is time for it.
plain() { grep -v ' seconds in kernels$\| million thread-instructions per second$\|^engine: \|^ptxi: with --check=all' "$@"; }
# runs FILE ENGINE OPTION...: what the run prints
runs() {
	file=$1 engine=$2
	shift 2
	timeout 120 "$ptxi" run -j1 --max-steps=3000000 --engine="$engine" --stats "$@" "$file" >"$tmp/$engine.all" 2>&1
	echo "status $?" >>"$tmp/$engine.all"
	plain "$tmp/$engine.all" >"$tmp/$engine.out"
}
same() {
	runs "$1" interpreter "$2"
	for engine in $engines; do
		runs "$1" "$engine" "$2"
		done=$((done + 1))
		grep -q "^engine: $engine" "$tmp/$engine.all" && translated=$((translated + 1))
		! grep "^engine: .*the compiler failed" "$tmp/$engine.all" || bad=1
		cmp -s "$tmp/interpreter.out" "$tmp/$engine.out" && continue
		echo "engines: $1 with $2: other results with $engine"
		diff "$tmp/interpreter.out" "$tmp/$engine.out" | head -n 10
		bad=1
	done
}

# program SEED: a kernel of random instructions on registers of all widths, under guards, in loops and in branches that part warps, with loads and stores of each size
program() {
	awk -v seed="$1" '
	function pick(list, n, a) { n = split(list, a, " "); return a[int(rand() * n) + 1] }
	function r() { return "%r" int(rand() * 12) }
	function rd() { return "%d" int(rand() * 6) }
	function h() { return "%h" int(rand() * 4) }
	function f() { return "%f" int(rand() * 8) }
	function g() { return "%g" int(rand() * 4) }
	function p() { return "%p" int(rand() * 5) }
	function ri() { return rand() < 0.3 ? int(rand() * 70) - 3 : r() }
	function guard() { return rand() < 0.25 ? "@" (rand() < 0.5 ? "!" : "") p() " " : "" }
	function instruction(k) {
		k = int(rand() * 40)
		if (k < 5) return pick("add.u32 sub.s32 mul.lo.s32 min.s32 max.u32 and.b32 or.b32 xor.b32 div.u32 rem.s32 mul.hi.u32 add.sat.s32 div.s32") " " r() ", " r() ", " ri()
		if (k == 5) return pick("mad.lo.s32 mad.hi.s32 prmt.b32 bfe.u32 bfe.s32 shf.l.wrap.b32 shf.r.clamp.b32 dp4a.s32.u32 sad.u32") " " r() ", " r() ", " r() ", " ri()
		if (k == 6) return pick("shl.b32 shr.u32 shr.s32") " " r() ", " r() ", " ri()
		if (k == 7) return pick("popc.b32 clz.b32 brev.b32 not.b32 neg.s32 abs.s32 bfind.u32 cnot.b32") " " r() ", " r()
		if (k == 8) return "lop3.b32 " r() ", " r() ", " r() ", " r() ", " int(rand() * 256)
		if (k < 11) return pick("add.u64 sub.s64 mul.lo.u64 min.s64 and.b64 xor.b64 mul.hi.s64 div.u64") " " rd() ", " rd() ", " rd()
		if (k == 11) return pick("mul.wide.u32 mul.wide.s32") " " rd() ", " r() ", " ri()
		if (k == 12) return "mad.wide.s32 " rd() ", " r() ", " r() ", " rd()
		if (k == 13) return pick("cvt.u64.u32 cvt.s64.s32 cvt.s64.s8") " " rd() ", " r()
		if (k == 14) return pick("cvt.u32.u64 cvt.u8.u64") " " r() ", " rd()
		if (k == 15) return pick("add.u16 mul.lo.s16 xor.b16 max.s16 rem.u16") " " h() ", " h() ", " h()
		if (k == 16) return pick("cvt.u16.u32 cvt.u8.u32") " " h() ", " r()
		if (k == 17) return pick("cvt.s32.s16 cvt.u32.u16") " " r() ", " h()
		if (k < 21) return pick("add.f32 sub.ftz.f32 mul.f32 min.f32 max.NaN.f32 div.rn.f32 mul.sat.f32 add.rz.f32 copysign.f32 mul.ftz.f32") " " f() ", " f() ", " f()
		if (k == 21) return pick("fma.rn.f32 fma.rn.ftz.sat.f32 fma.rp.f32") " " f() ", " f() ", " f() ", " f()
		if (k == 22) return pick("sqrt.rn.f32 neg.f32 abs.ftz.f32 rcp.rn.f32 ex2.approx.f32 sin.approx.f32") " " f() ", " f()
		if (k == 23) return pick("add.f64 mul.f64 div.rn.f64 min.f64") " " g() ", " g() ", " g()
		if (k == 24) return "fma.rn.f64 " g() ", " g() ", " g() ", " g()
		if (k == 25) return pick("cvt.rn.f32.s32 cvt.rn.f32.u32 mov.b32") " " f() ", " r()
		if (k == 26) return pick("cvt.rzi.s32.f32 cvt.rni.u32.f32 mov.b32") " " r() ", " f()
		if (k == 27) return "cvt.f64.f32 " g() ", " f()
		if (k == 28) return "cvt.rn.f32.f64 " f() ", " g()
		if (k < 31) return "setp." pick("eq ne lt le gt ge") "." pick("s32 u32") " " p() ", " r() ", " ri()
		if (k == 31) return "setp." pick("eq neu lt geu num nan") "." pick("f32 ftz.f32") " " p() ", " f() ", " f()
		if (k == 32) return "setp." pick("eq lt ge") ".u64 " p() ", " rd() ", " rd()
		if (k == 33) return pick("and or xor") ".pred " p() ", " p() ", " p()
		if (k == 34) return "selp.b32 " r() ", " r() ", " ri() ", " p()
		if (k == 35) return "mov.b64 " rd() ", {" r() ", " r() "}"
		if (k == 36) return "mov.b64 {%r1, %r2}, " rd()
		if (k == 37) return "setp.lt.and.s32 " p() ", " r() ", " ri() ", !" p()
		if (k == 38) return pick("add.cc.u32 addc.u32 addc.cc.u32") " " r() ", " r() ", " r()
		return "shfl.sync.bfly.b32 %r3, %r4, " int(rand() * 32) ", 31, -1"
	}
	# vectors of two or four
	function vector(n, t) {
		n = pick("2 4")
		t = n == 2 ? "{" r() ", " r() "}" : "{" r() ", " r() ", " r() ", " r() "}"
		print "\tand.b32 %x, " r() ", 4080;\n\tcvt.u64.u32 %ad, %x;\n\tadd.s64 %ad, %ad, %base;"
		if (rand() < 0.5) print "\t" guard() "ld." (rand() < 0.5 ? "global.v" n ".u32 " t ", [%ad];" : "shared.v" n ".s8 " t ", [%x];")
		else print "\t" guard() "st." (rand() < 0.5 ? "global.v" n ".u32 [%ad], " t ";" : "shared.v" n ".u16 [%x], " (n == 2 ? "{%h0, %h1}" : "{%h0, %h1, %h2, %h3}") ";")
	}
	# an access at a multiple of its size below 4096 bytes, of a register or of a row
	function access(n, kind, address) {
		if (rand() < 0.25) {
			vector()
			return
		}
		n = pick("8 16 32 64")
		kind = rand() < 0.5
		address = rand() < 0.5 ? "%ad" : "%row" n
		print "\tand.b32 %x, " r() ", " (4096 - n / 8) ";\n\tcvt.u64.u32 %ad, %x;\n\tadd.s64 %ad, %ad, %base;"
		if (rand() < 0.5) print "\t" guard() (kind ? "ld.global.u" n " " value(n) ", [" address "];" : "st.global.u" n " [" address "], " value(n) ";")
		else print "\t" guard() (kind ? "ld.shared.s" n " " value(n) ", [%x];" : "st.shared.b" n " [%x], " value(n) ";")
	}
	function value(n) { return n == 64 ? rd() : n == 32 ? r() : h() }
	function lines(n) { while (n-- > 0) { if (rand() < 0.12) access(); else print "\t" (rand() < 0.9 ? guard() : "") instruction() ";" } }
	BEGIN {
		srand(seed)
		print "//@ buffer mem : u32[4096] = random(" seed ")\n//@ launch k<<<2, " pick("64 48 32 80") ">>>(mem)\n//@ launch k<<<1, 32>>>(mem)\n//@ print mem"
		print ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 mem)\n{"
		print "\t.reg .pred %p<5>, %go;\n\t.reg .b16 %h<4>;\n\t.reg .b32 %r<12>, %i, %x, %t;\n\t.reg .b64 %d<6>, %ad, %base, %row<65>, %t64;\n\t.reg .f32 %f<8>;\n\t.reg .f64 %g<4>;\n\t.shared .align 8 .b8 sh[4096];"
		print "\tld.param.u64 %base, [mem];\n\tmov.u32 %t, %tid.x;\n\tmov.u32 %x, %ctaid.x;\n\tmad.lo.u32 %t, %x, 97, %t;"
		print "\tand.b32 %x, %t, 31;\n\tcvt.u64.u32 %t64, %x;"
		for (k = 8; k <= 64; k *= 2) print "\tmad.lo.u64 %row" k ", %t64, " k / 8 ", %base;"
		for (k = 0; k < 12; k++) print "\tmad.lo.u32 %r" k ", %t, " int(rand() * 100000) ", " int(rand() * 1000) ";"
		for (k = 0; k < 6; k++) print "\tmad.wide.u32 %d" k ", %r" k ", %r" k + 1 ", %t64;"
		for (k = 0; k < 4; k++) print "\tcvt.u16.u32 %h" k ", %r" k ";"
		for (k = 0; k < 8; k++) print "\tcvt.rn.f32.s32 %f" k ", %r" k ";"
		for (k = 0; k < 4; k++) print "\tcvt.f64.f32 %g" k ", %f" k ";"
		for (k = 0; k < 5; k++) print "\tsetp.lt.u32 %p" k ", %r" k ", " int(rand() * 2000000000) ";"
		print "\tshl.b32 %x, %t, 2;\n\tand.b32 %x, %x, 4092;\n\tst.shared.u32 [%x], %t;\n\tbar.sync 0;"
		for (part = 0; part < 3; part++) {
			print "\tmov.u32 %i, 0;\nL" part ":"
			lines(6 + int(rand() * 10))
			if (rand() < 0.6) { print "\tsetp.lt.s32 %go, " r() ", " ri() ";\n\t@%go bra S" part ";"; lines(4); print "S" part ":" }
			print "\tadd.u32 %i, %i, 1;\n\tsetp.lt.u32 %go, %i, " (rand() < 0.5 ? 3 + int(rand() * 6) : "5") ";\n\t@%go bra L" part ";"
			if (rand() < 0.5) print "\tbar.sync 0;"
			lines(4)
		}
		print "\tmov.u32 %x, %ctaid.x;\n\tmad.lo.u32 %x, %x, 97, %t;\n\tmul.wide.u32 %ad, %t, 4;\n\tadd.s64 %ad, %ad, %base;"
		for (k = 0; k < 12; k++) print "\txor.b32 %i, %i, %r" k ";\n\tmul.lo.u32 %i, %i, 31;"
		for (k = 0; k < 8; k++) print "\tmov.b32 %x, %f" k ";\n\txor.b32 %i, %i, %x;\n\tmul.lo.u32 %i, %i, 31;"
		for (k = 0; k < 6; k++) print "\tcvt.u32.u64 %x, %d" k ";\n\txor.b32 %i, %i, %x;\n\tmul.lo.u32 %i, %i, 31;"
		for (k = 0; k < 4; k++) print "\tmov.b64 %t64, %g" k ";\n\tcvt.u32.u64 %x, %t64;\n\txor.b32 %i, %i, %x;\n\tcvt.u32.u16 %x, %h" k ";\n\tadd.u32 %i, %i, %x;"
		for (k = 0; k < 5; k++) print "\tselp.u32 %x, 1, 2, %p" k ";\n\tadd.u32 %i, %i, %x;"
		print "\tst.global.u32 [%ad+8192], %i;\n\tret;\n}"
	}'
}

# waits SEED: a kernel of barriers of every form: in loops, with counts, for some warps, after exits, where a warp has parted; between them values that are the same in all lanes or
# rows, some of which wrap around, and exchanges between lanes
waits() {
	awk -v seed="$1" '
	function pick(list, n, a) { n = split(list, a, " "); return a[int(rand() * n) + 1] }
	function r() { return "%r" int(rand() * 6) }
	function one() { return "%u" int(rand() * 5) }
	function row() { return "%a" int(rand() * 5) }
	# %a0 to %a2 count on from lane to lane, %a3 and %a4 are made of them by one instruction each, %u are the same in all lanes; in a wild kernel anything may be written to any
	function line() { return "%a" int(rand() * (wild ? 5 : 3)) }
	function to() { return wild ? any() : r() }
	function any() { return pick(r() " " one() " " row()) }
	function num() { return pick("1 2 3 4 7 16 31 -1 -5 1000 65536 0x7ffffff0 0xfffffff0") }
	function instruction(k) {
		k = int(rand() * 28)
		if (k < 4) return pick("add.u32 sub.s32 mul.lo.s32 xor.b32 min.u32") " " one() ", " one() ", " (rand() < 0.5 ? num() : one())
		if (k < 8) return pick("add.u32 sub.u32") " " line() ", " line() ", " (rand() < 0.5 ? num() : one())
		if (k == 8) return wild ? "mul.lo.u32 " row() ", " row() ", " pick("1 2 4 -1 3") : "mul.lo.u32 %a3, " line() ", " by
		if (k == 9) return wild ? "shl.b32 " row() ", " row() ", " pick("0 1 2 5 31 32") : "shl.b32 %a4, " line() ", " by
		if (k == 10) return wild ? "mad.lo.s32 " row() ", " row() ", " pick("1 2 -3") ", " pick(row() " " one()) : "mad.lo.s32 %a3, " line() ", " by ", " one()
		if (k == 11) return pick("mul.wide.u32 mul.wide.s32") " " (wild ? pick("%d0 %d1 %d2") : "%d0") ", " (wild ? pick(row() " " one()) : line()) ", " (wild ? pick("4 8 -4 1") : by)
		if (k == 12) return pick("cvt.u64.u32 cvt.s64.s32") " " (wild ? pick("%d0 %d1 %d2") : "%d1") ", " (wild ? pick(row() " " one()) : line())
		if (k == 13) return pick("mad.wide.u32 mad.wide.s32") " " (wild ? pick("%d0 %d1 %d2") : "%d2") ", " (wild ? row() : line()) ", " (wild ? 4 : by) ", " (wild ? pick("%d0 %d1 %d2") : "%base")
		if (k == 14) return "cvt.u32.u64 " to() ", " pick("%d0 %d1 %d2")
		if (k == 15) return "mov.u32 " to() ", " pick("%tid.x %tid.x %tid.y %laneid %ctaid.x %ntid.x %warpid")
		if (k == 16) return "setp." pick("lt eq ge ne") ".s32 %p" int(rand() * 3) ", " any() ", " (rand() < 0.5 ? num() : any())
		if (k == 17) return "selp.u32 " to() ", " any() ", " any() ", %p" int(rand() * 3)
		if (k == 18) return "shfl.sync." pick("bfly up down idx") ".b32 " r() ", " any() ", " int(rand() * 32) ", " pick("31 0") ", -1"
		if (k == 19) return "redux.sync." pick("add.u32 max.s32 xor.b32") " " r() ", " any() ", -1"
		if (k == 20) return "vote.sync.ballot.b32 " r() ", %p1, -1"
		if (k == 21) return "vote.sync.any.pred %p2, %p0, -1"
		if (k == 22) return rand() < 0.5 ? "bar.warp.sync -1" : "match.any.sync.b32 " r() ", %u1, -1"
		return pick("add.u32 mul.lo.u32 xor.b32 and.b32") " " r() ", " any() ", " any()
	}
	function put(text) { print "\t" text }
	function guard() { return rand() < 0.15 ? "@" (rand() < 0.5 ? "!" : "") "%p" int(rand() * 3) " " : "" }
	function statement(k, t, u, v) {
		k = rand()
		if (k < 0.25) {
			# shared memory: a row, one address, or any
			t = pick("row one any")
			if (t == "row") put("and.b32 %x, " one() ", 1020;\n\tadd.u32 %x, %x, %t4;")
			else if (t == "one") put("and.b32 %x, " one() ", 2044;")
			else put("and.b32 %x, " r() ", 2044;")
			put(guard() (rand() < 0.5 ? "ld.shared.u32 " pick(r() " " one()) ", [%x];" : "st.shared.u32 [%x], " any() ";"))
		} else if (k < 0.29) {
			# vectors: a row of them, one, or any
			v = pick("2 4")
			t = pick("row one any")
			if (t == "row") put("and.b32 %x, " one() ", 1008;\n\tmad.lo.u32 %x, %t4, " v ", %x;")
			else put("and.b32 %x, " (t == "one" ? one() : r()) ", 2032;")
			put("cvt.u64.u32 %ad, %x;\n\tadd.u64 %ad, %ad, %base;")
			u = rand() < 0.5 ? "{" r() ", " any() (v == 4 ? ", " r() ", " r() : "") "}" : "{" one() ", " one() (v == 4 ? ", " one() ", " one() : "") "}"
			t = pick("shared global")
			put(guard() (rand() < 0.5 ? "ld." t ".v" v ".u32 " (wild || u !~ /%a/ ? u : "{%r0, %r1" (v == 4 ? ", %r2, %r3" : "") "}") ", [" (t == "shared" ? "%x" : "%ad") "];" : "st." t ".v" v ".u32 [" (t == "shared" ? "%x" : "%ad") "], " u ";"))
		} else if (k < 0.33) {
			put("and.b32 %x, " pick(one() " " r()) ", 1020;\n\tadd.u32 %x, %x, %t4;\n\tcvt.u64.u32 %ad, %x;\n\tadd.u64 %ad, %ad, %base;")
			put(guard() (rand() < 0.5 ? "ld.global.u32 " r() ", [%ad];" : "st.global.u32 [%ad], " any() ";"))
		} else {
			t = instruction()
			# what is a line stays one only where no guard is
			put((t ~ /sync/ || (!wild && t !~ / %r/) ? "" : guard()) t ";")
		}
	}
	function lines(n) { while (n-- > 0) statement() }
	function wait(k) {
		k = rand()
		if (k < 0.62) put("bar.sync 0;")
		else if (k < 0.68) put("barrier.sync " int(rand() * 3) ";")
		else if (k < 0.74) put("bar.sync 1, " threads ";")
		else if (k < 0.80) put("bar.red.popc.u32 " r() ", 0, %p1;")
		else if (k < 0.84) put("bar.red.or.pred %p2, 0, %p0;")
		else if (k < 0.88) put("setp.lt.u32 %q, %w, 1;\n\t@%q bra A" ++label ";\n\tbar.sync 2, " threads ";\n\tbra B" label ";\nA" label ":\n\tbar.sync 2, " threads ";\nB" label ":")
		else if (k < 0.90) put("@%p0 bar.sync 0;")
		else if (k < 0.92) put("setp.lt.u32 %q, %t, " int(rand() * 70) ";\n\t@%q bar.sync 0;")
		else if (k < 0.94) put("bar.arrive 3, " threads + 32 ";\n\tbar.sync 0;")
		else if (k < 0.955) put("setp.gt.u32 %q, %t, " int(rand() * 90) ";\n\t@%q exit;")
		else if (k < 0.965) put("mov.u32 %x, 0;\n\tbar.sync %x;")
		else put("bar.sync 0;\n\tbar.sync 0;")
	}
	function branch() {
		label++
		# one branch inside another, to the same place
		if (rand() < 0.4) {
			put("setp." pick("lt ge") ".u32 %q, %t, " int(rand() * 64) ";\n\t@%q bra S" label ";")
			lines(1 + int(rand() * 3))
		}
		put("setp." pick("lt ge eq") ".u32 %q, " pick("%t %w %i " any()) ", " pick("%i 1 16 40 " one()) ";\n\t@%q bra S" label ";")
		lines(1 + int(rand() * 4))
		print "S" label ":"
	}
	BEGIN {
		srand(seed)
		wild = rand() < 0.3
		by = pick("1 2 4 3 31")
		shape = pick("64 96 48 128 33 32 (16,4) (32,3) (8,8) (64,2)")
		threads = shape ~ /,/ ? (shape == "(32,3)" ? 96 : shape == "(64,2)" ? 128 : 64) : shape == 48 || shape == 33 ? 64 : shape
		print "//@ buffer mem : u32[8192] = random(" seed ")\n//@ launch k<<<3, " shape ">>>(mem, " 1 + int(rand() * 5) ")\n//@ print mem"
		print ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 mem, .param .u32 n)\n{"
		print "\t.reg .pred %p<3>, %q;\n\t.reg .b32 %r<6>, %u<5>, %a<5>, %i, %j, %x, %t, %t4, %w, %n;\n\t.reg .b64 %d<3>, %ad, %base;\n\t.shared .align 8 .b8 sh[4096];"
		print "\tld.param.u64 %base, [mem];\n\tld.param.u32 %n, [n];\n\tmov.u32 %t, %tid.x;\n\tmov.u32 %x, %tid.y;\n\tmov.u32 %w, %ntid.x;\n\tmad.lo.u32 %t, %x, %w, %t;\n\tshr.u32 %w, %t, 5;"
		print "\tmov.u32 %t4, " pick("%t %tid.x") ";\n\tshl.b32 %t4, %t4, 2;"
		for (k = 0; k < 6; k++) print "\tmad.lo.u32 %r" k ", %t, " int(rand() * 100000) ", " int(rand() * 1000) ";"
		for (k = 0; k < 5; k++) print "\tadd.u32 %u" k ", %n, " int(rand() * 1000) ";\n\tmov.u32 %a" k ", %tid.x;\n\tadd.u32 %a" k ", %a" k ", " (k < 3 || wild ? num() : "-1") ";"
		for (k = 0; k < 3; k++) print "\tsetp.lt.u32 %p" k ", %r" k ", " int(rand() * 2000000) ";\n"
		for (part = 0; part < 2 + int(rand() * 2); part++) {
			# the number of rounds: the same for all, one for each warp, or one for each lane
			print "\tmov.u32 %i, 0;\n\tmov.u32 %j, " (rand() < 0.7 ? "%n" : rand() < 0.6 ? "%w" : "%t") ";\n\tand.b32 %j, %j, 7;\nL" part ":"
			lines(int(rand() * 5))
			if (rand() < 0.4) branch()
			wait()
			lines(int(rand() * 4))
			if (rand() < 0.5) wait()
			print "\tadd.u32 %i, %i, 1;\n\tsetp.lt.u32 %q, %i, %j;\n\t@%q bra L" part ";"
			if (rand() < 0.5) branch()
			wait()
			lines(3)
		}
		print "\tmov.u32 %x, %ctaid.x;\n\tmad.lo.u32 %x, %x, 256, %t;\n\tmul.wide.u32 %ad, %x, 4;\n\tadd.s64 %ad, %ad, %base;\n\tmov.u32 %i, 0;"
		for (k = 0; k < 6; k++) print "\txor.b32 %i, %i, %r" k ";\n\tmul.lo.u32 %i, %i, 31;"
		for (k = 0; k < 5; k++) print "\txor.b32 %i, %i, %a" k ";\n\tmul.lo.u32 %i, %i, 31;\n\txor.b32 %i, %i, %u" k ";\n\tmul.lo.u32 %i, %i, 31;"
		for (k = 0; k < 3; k++) print "\tcvt.u32.u64 %x, %d" k ";\n\txor.b32 %i, %i, %x;\n\tselp.u32 %x, 1, 2, %p" k ";\n\tmad.lo.u32 %i, %i, 31, %x;"
		print "\tst.global.u32 [%ad+16384], %i;\n\tret;\n}"
	}'
}

# forks SEED: a kernel whose warps part at branches to any of some labels further down and meet again after the last; between them registers that are the same in all lanes or count on from
# lane to lane, where some wrap around, and accesses to one buffer, to two, in rows, at one address, outside and misaligned
forks() {
	awk -v seed="$1" '
	function pick(list, n, a) { n = split(list, a, " "); return a[int(rand() * n) + 1] }
	function r() { return "%r" int(rand() * 4) }
	function any() { return pick(r() " " r() " %u" int(rand() * 3) " %a" int(rand() * 3)) }
	function put(text) { print "\t" text }
	function guard() { return rand() < 0.15 ? "@" (rand() < 0.5 ? "!" : "") "%p" int(rand() * 3) " " : "" }
	function test() { put("setp." pick("lt ge eq ne") ".u32 %q, " pick("%t %t %i " any()) ", " pick("%i 1 7 16 31 " any()) ";") }
	function address(k) {
		k = rand()
		if (k < 0.4) put("mul.wide.u32 %ad, %t, 4;\n\tadd.s64 %ad, %ad, %base;")
		else if (k < 0.5) put("add.s64 %ad, %base, " 4 * int(rand() * 64) ";")
		else if (k < 0.7) put("and.b32 %x, " any() ", 1020;\n\tcvt.u64.u32 %ad, %x;\n\tadd.s64 %ad, %ad, %base;")
		else if (k < 0.85) put("mul.wide.u32 %ad, %a" int(rand() * 3) ", 4;\n\tand.b64 %ad, %ad, 1020;\n\tadd.s64 %ad, %ad, %base;")
		else if (k < 0.98 || !faults) put("selp.b64 %ad, %base, %other, %p" int(rand() * 3) ";")
		else put("add.s64 %ad, %base, " pick("2 -4 65536 4096") ";")
	}
	function statement(k) {
		k = rand()
		if (k < 0.14) { address(); put(guard() "ld.global.u32 " r() ", [%ad];") }
		else if (k < 0.28) { address(); put(guard() "st.global.u32 [%ad], " any() ";") }
		else if (k < 0.32) { address(); put(guard() pick("red.global.add.u32 atom.global.max.u32~" r() ",") " [%ad], " any() ";") }
		else if (k < 0.4) put("mul.wide." pick("u32 s32") " %d" int(rand() * 2) ", " any() ", " pick("4 8 1") ";")
		else if (k < 0.46) put(pick("cvt.u64.u32 cvt.s64.s32") " %d" int(rand() * 2) ", " any() ";")
		else if (k < 0.52) put(guard() "cvt.u32.u64 " r() ", %d" int(rand() * 2) ";")
		else if (k < 0.6) put("setp." pick("lt ge eq") ".u32 %p" int(rand() * 3) ", " any() ", " any() ";")
		else if (k < 0.66) put("add.u32 %a" (k = int(rand() * 3)) ", %a" (rand() < 0.8 ? k : int(rand() * 3)) ", " pick("1 4 0x7ffffff0 %u0") ";")
		else if (k < 0.72) put("add.u32 %u" int(rand() * 3) ", %u" int(rand() * 3) ", " pick("1 3 %u1") ";")
		else put(guard() pick("add.u32 sub.u32 mul.lo.u32 xor.b32 min.u32") " " r() ", " any() ", " any() ";")
	}
	function statements(n) { while (n-- > 0) statement() }
	# N blocks, each of which ends with a branch to a later one, or does not
	function fork(n, l, k) {
		l = ++label
		for (k = 0; k < n; k++) {
			print "F" l "_" k ":"
			statements(1 + int(rand() * 4))
			if (k == 0 || rand() < 0.7) { test(); put("@%q bra F" l "_" k + 1 + int(rand() * (n - k)) ";"); if (rand() < 0.3) statements(1) }
			if (rand() < 0.25) put("bra F" l "_" k + 1 + int(rand() * (n - k)) ";")
		}
		print "F" l "_" n ":"
	}
	BEGIN {
		srand(seed)
		faults = rand() < 0.2
		print "//@ buffer mem : u32[512] = random(" seed ")\n//@ buffer other : u32[512] = random(" seed + 1 ")\n//@ launch k<<<2, " pick("64 48 96 31") ">>>(mem, other, " int(rand() * 9) ")\n//@ print mem\n//@ print other"
		print ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 mem, .param .u64 other, .param .u32 n)\n{"
		print "\t.reg .pred %p<3>, %q;\n\t.reg .b32 %r<4>, %u<3>, %a<3>, %i, %x, %t, %most;\n\t.reg .b64 %d<2>, %ad, %base, %other;"
		print "\tld.param.u64 %base, [mem];\n\tld.param.u64 %other, [other];\n\tld.param.u32 %x, [n];\n\tmov.u32 %t, %tid.x;\n\tmov.u32 %i, 0;"
		for (k = 0; k < 3; k++) print "\tadd.u32 %u" k ", %x, " k ";\n\tadd.u32 %a" k ", %t, " pick("0 5 0xfffffff0 0x7ffffff0") ";\n\tmul.lo.u32 %x, %t, " pick("3 0x9e3779b9 77") ";\n\tand.b32 %r" k ", %x, 63;\n\tsetp.lt.u32 %p" k ", %r" k ", 30;\n\tcvt.u64.u32 %d" k % 2 ", %r" k ";"
		print "\tmov.u32 %r3, %t;\n\tand.b32 %most, " pick("%t %u0") ", 7;\nL:"
		for (k = 1 + int(rand() * 3); k > 0; k--) { fork(1 + int(rand() * 5)); if (rand() < 0.3) put("bar.sync 0;"); statements(int(rand() * 3)) }
		print "\tadd.u32 %i, %i, 1;\n\tsetp.lt.u32 %q, %i, " pick("3 5 %u0 %r3") ";\n\t@%q bra L;\n\tmov.u32 %i, 0;"
		for (k = 0; k < 4; k++) print "\tmad.lo.u32 %i, %i, 31, %r" k ";"
		for (k = 0; k < 3; k++) print "\tmad.lo.u32 %i, %i, 31, %a" k ";\n\tmad.lo.u32 %i, %i, 31, %u" k ";\n\tselp.u32 %x, 1, 2, %p" k ";\n\tmad.lo.u32 %i, %i, 31, %x;"
		for (k = 0; k < 2; k++) print "\tcvt.u32.u64 %x, %d" k ";\n\tmad.lo.u32 %i, %i, 31, %x;"
		print "\tmov.u32 %x, %ctaid.x;\n\tmad.lo.u32 %x, %x, 128, %t;\n\tmul.wide.u32 %ad, %x, 4;\n\tadd.s64 %ad, %ad, %base;\n\tst.global.u32 [%ad+1024], %i;\n\tret;\n}"
	}' | tr '~' ' '
}

# parts SEED: a kernel whose warps part: loops with a number of rounds for each lane, branches two and three ways inside one another, some with an else, jumps out of loops and to tables, lanes that exit;
# in them atomic operations, relaxed accesses, exchanges among those that are together, and functions; blocks that fill their last warp and such that do not
parts() {
	awk -v seed="$1" '
	function pick(list, n, a) { n = split(list, a, " "); return a[int(rand() * n) + 1] }
	function r() { return "%r" int(rand() * 6) }
	function d() { return "%d" int(rand() * 2) }
	function p() { return "%p" int(rand() * 3) }
	function num() { return pick("1 2 3 5 7 12 31 -1 255 65537 0x9e3779b9") }
	function put(text) { print "\t" text }
	function guard() { return rand() < 0.2 ? "@" (rand() < 0.5 ? "!" : "") p() " " : "" }
	function compare() { put("setp." pick("lt gt eq ne le") "." pick("s32 u32") " %q, " r() ", " (rand() < 0.5 ? r() : num()) ";") }
	# bits of a register, or of the lane
	function test() {
		if (rand() < 0.3) { compare(); return }
		put("and.b32 %x, " pick("%lane %t " r()) ", " pick("1 2 3 5 16 24") ";")
		put("setp." pick("eq ne") ".u32 %q, %x, 0;")
	}
	# one place in global (%ad) and in shared memory (%x): a row, one for all, or any
	function access(n, k, space, where, what, word) {
		n = pick("4 8")
		what = n == 4 ? r() : d()
		space = pick("global shared")
		where = "[" (space == "global" ? "%ad" : "%x") "]"
		k = rand()
		put(pick("and.b32~%x,~" r() ",~" (2048 - n) " mul.lo.u32~%x,~%lane,~" n " mov.u32~%x,~" n * int(rand() * 8)) ";")
		put("cvt.u64.u32 %ad, %x;\n\tadd.s64 %ad, %ad, %base;")
		if (k < 0.2) put(guard() "ld." space ".u" n * 8 " " what ", " where ";")
		else if (k < 0.3) put(guard() "st." space ".u" n * 8 " " where ", " what ";")
		else if (k < 0.4) put(guard() pick("ld.relaxed.gpu ld.volatile ld.acquire.gpu") "." space ".u" n * 8 " " what ", " where ";")
		else if (k < 0.45) put(guard() pick("st.relaxed.gpu st.volatile st.release.gpu") "." space ".u" n * 8 " " where ", " what ";")
		else if (k < 0.5) put(guard() "ld.global.u8 " r() ", [%ad];")
		else if (k < 0.7) {
			word = pick(n == 4 ? "add.u32 min.s32 max.u32 min.u32 max.s32 and.b32 or.b32 xor.b32 inc.u32 dec.u32 exch.b32" : "add.u64 min.s64 max.u64 and.b64 or.b64 xor.b64 exch.b64")
			put(guard() "atom." space "." word " " what ", " where ", " what ";")
		} else if (k < 0.8) put(guard() "atom." space ".cas.b" n * 8 " " what ", " where ", " (n == 4 ? r() : d()) ", " what ";")
		else if (k < 0.95) put(guard() "red." (rand() < 0.5 ? "relaxed.gpu." : "") space "." (n == 4 ? pick("add.u32 min.s32 max.u32 and.b32 or.b32 xor.b32 inc.u32") : pick("add.u64 max.s64 min.u64 and.b64 xor.b64")) " " where ", " what ";")
		else put(guard() "atom.shared.add.f32 %f0, [%x], %f0;")
	}
	function exchange(k) {
		k = rand()
		put("activemask.b32 %m;")
		if (k < 0.4) put("shfl.sync." pick("bfly up down idx") ".b32 " r() (rand() < 0.5 ? "|" p() : "") ", " r() ", " pick("1 2 5 16 " r()) ", " pick("31 0 0x1003") ", %m;")
		else if (k < 0.55) put("vote.sync.ballot.b32 " r() ", " p() ", %m;")
		else if (k < 0.7) put("vote.sync." pick("any all uni") ".pred " p() ", " p() ", %m;")
		else if (k < 0.8) put("match.any.sync.b32 " r() ", " r() ", %m;")
		else if (k < 0.9) put("redux.sync." pick("add.u32 max.s32 or.b32") " " r() ", " r() ", %m;")
		else put("bar.warp.sync %m;")
	}
	function arithmetic() {
		if (rand() < 0.15) put("setp." pick("lt ge eq") ".u32 " p() ", " r() ", " (rand() < 0.5 ? r() : num()) ";")
		else if (rand() < 0.15) put(guard() pick("add.u64 xor.b64 mul.lo.u64") " " d() ", " d() ", " d() ";")
		else if (rand() < 0.1) put(guard() "mad.wide.u32 " d() ", " r() ", " r() ", " d() ";")
		else if (rand() < 0.1) put(guard() "cvt.u32.u64 " r() ", " d() ";")
		else if (rand() < 0.05) put("call (%r5), f, (" r() ");")
		else put(guard() pick("add.u32 sub.u32 mul.lo.u32 xor.b32 and.b32 or.b32 min.s32 max.u32 shr.u32 rem.u32") " " r() ", " r() ", " (rand() < 0.5 ? num() : r()) ";")
	}
	function choice(depth, l) {
		l = ++label
		test()
		put("@%q bra A" l ";")
		block(depth - 1)
		if (rand() < 0.4) {
			put("bra B" l ";")
			print "A" l ":"
			block(depth - 1)
			print "B" l ":"
		} else print "A" l ":"
	}
	# three ways to one place, as in a lexer
	function ways(depth, l) {
		l = ++label
		test()
		put("@%q bra A" l ";")
		test()
		put("@%q bra B" l ";")
		block(depth - 1)
		put("bra C" l ";")
		print "A" l ":"
		block(depth - 1)
		put("bra C" l ";")
		print "B" l ":"
		block(depth - 1)
		print "C" l ":"
	}
	function table(depth, l) {
		l = ++label
		put("and.b32 %x, " r() ", 3;")
		put("T" l ": .branchtargets A" l ", B" l ", C" l ", B" l ";\n\tbrx.idx %x, T" l ";")
		print "A" l ":"
		block(depth - 1)
		put("bra C" l ";")
		print "B" l ":"
		block(depth - 1)
		print "C" l ":"
	}
	function loop(depth, l, i) {
		l = ++label
		i = "%i" depth
		put("mov.u32 " i ", 0;\n\tand.b32 %x, " pick("%lane %t " r()) ", " pick("3 7 15") ";\n\tmov.u32 %j" depth ", %x;")
		print "L" l ":"
		block(depth - 1)
		if (rand() < 0.3) { test(); put("@%q bra E" l ";") }
		if (rand() < 0.3) block(depth - 1)
		put("add.u32 " i ", " i ", 1;\n\tsetp." pick("lt le") ".u32 %q, " i ", %j" depth ";\n\t@%q bra L" l ";")
		print "E" l ":"
	}
	function block(depth, n, k) {
		for (n = 1 + int(rand() * (depth > 1 ? 4 : 3)); n > 0; n--) {
			k = rand()
			if (depth > 0 && k < 0.22) choice(depth)
			else if (depth > 0 && k < 0.34) ways(depth)
			else if (depth > 0 && k < 0.38) table(depth)
			else if (depth > 0 && k < 0.52) loop(depth)
			else if (k < 0.7) access()
			else if (k < 0.78 && exchanges) exchange()
			else if (k < 0.785) { test(); put("@%q exit;") }
			else arithmetic()
		}
	}
	BEGIN {
		srand(seed)
		exchanges = rand() < 0.5
		shape = pick("32 31 64 96 48 33 20 (16,4) (8,5) 128")
		print "//@ buffer mem : u32[4096] = random(" seed ")\n//@ launch k<<<2, " shape ">>>(mem)\n//@ print mem"
		print ".version 8.0\n.target sm_80\n.address_size 64"
		print ".func (.reg .b32 %out) f(.reg .b32 %in)\n{\n\t.reg .pred %q;\n\tadd.u32 %out, %in, 3;\n\tsetp.lt.s32 %q, %in, 1000;\n\t@%q ret;\n\tmul.lo.u32 %out, %out, 5;\n\tret;\n}"
		print ".visible .entry k(.param .u64 mem)\n{"
		print "\t.reg .pred %p<3>, %q;\n\t.reg .b32 %r<6>, %i<5>, %j<5>, %x, %t, %lane, %m, %n;\n\t.reg .b64 %d<2>, %ad, %base;\n\t.reg .f32 %f<1>;\n\t.shared .align 8 .b8 sh[2048];"
		print "\tld.param.u64 %base, [mem];\n\tmov.u32 %t, %tid.x;\n\tmov.u32 %x, %tid.y;\n\tmov.u32 %n, %ntid.x;\n\tmad.lo.u32 %t, %x, %n, %t;\n\tmov.u32 %lane, %laneid;\n\tmov.u32 %x, %ctaid.x;\n\tmad.lo.u32 %x, %x, 128, %t;"
		for (k = 0; k < 6; k++) print "\tmad.lo.u32 %r" k ", %x, " int(rand() * 100000) ", " int(rand() * 1000) ";"
		for (k = 0; k < 2; k++) print "\tmul.wide.u32 %d" k ", %r" k ", %r" k + 1 ";"
		for (k = 0; k < 3; k++) print "\tsetp.lt.u32 %p" k ", %r" k ", " int(rand() * 5000000) ";"
		print "\tmov.f32 %f0, 0f3f800000;"
		for (part = 0; part < 2; part++) {
			print "\tmov.u32 %n, 0;\nN" part ":"
			block(3)
			if (rand() < 0.6) print "\tbar.sync 0;"
			print "\tadd.u32 %n, %n, 1;\n\tsetp.lt.u32 %q, %n, " 2 + int(rand() * 5) ";\n\t@%q bra N" part ";"
			block(2)
		}
		print "\tmov.u32 %x, %ctaid.x;\n\tmad.lo.u32 %x, %x, 256, %t;\n\tmul.wide.u32 %ad, %x, 4;\n\tadd.s64 %ad, %ad, %base;\n\tmov.u32 %n, 0;"
		for (k = 0; k < 6; k++) print "\txor.b32 %n, %n, %r" k ";\n\tmul.lo.u32 %n, %n, 31;"
		for (k = 0; k < 2; k++) print "\tcvt.u32.u64 %x, %d" k ";\n\txor.b32 %n, %n, %x;\n\tmul.lo.u32 %n, %n, 31;"
		for (k = 0; k < 3; k++) print "\tselp.u32 %x, 1, 2, %p" k ";\n\tadd.u32 %n, %n, %x;"
		print "\tst.global.u32 [%ad+8192], %n;\n\tret;\n}"
	}' | tr '~' ' '
}

# sums SEED: a kernel of reductions of all kinds that commute, each kind on a buffer of its own, to few or many places, by all lanes or some, in loops and among accesses that reductions must
# not overtake: what is in memory at the end depends on no order
sums() {
	awk -v seed="$1" '
	function pick(list, n, a) { n = split(list, a, " "); return a[int(rand() * n) + 1] }
	function r() { return "%r" int(rand() * 4) }
	function put(text) { print "\t" text }
	function guard() { return rand() < 0.3 ? "@" (rand() < 0.5 ? "!" : "") "%p" int(rand() * 2) " " : "" }
	function reduce(b) {
		b = int(rand() * buffers)
		put("and.b32 %x, " r() ", " pick("0 7 63 511") ";\n\tmul.wide.u32 %ad, %x, " (wide[b] ? 8 : 4) ";\n\tadd.s64 %ad, %ad, %b" b ";")
		put(guard() (rand() < 0.5 ? "red.global." op[b] " [%ad], " : "atom.global." op[b] " " (wide[b] ? "%d0" : "%y") ", [%ad], ") (wide[b] ? "%d1" : r()) ";")
		k = rand()
		if (k < 0.1) put("ld.global.u32 %y, [%ad];")
		else if (k < 0.15) put("ld.relaxed.gpu.global.u32 %y, [%ad];")
		else if (k < 0.2) put("fence.acq_rel.gpu;")
		else if (k < 0.5) put("mad.wide.u32 %d1, " r() ", " r() ", %d1;")
		else if (k < 0.9) put("mad.lo.u32 " r() ", %x, " int(rand() * 100000) ", " r() ";")
	}
	BEGIN {
		srand(seed)
		buffers = 1 + int(rand() * 3)
		for (b = 0; b < buffers; b++) {
			wide[b] = rand() < 0.4
			op[b] = wide[b] ? pick("add.u64 min.s64 max.s64 min.u64 max.u64 and.b64 or.b64 xor.b64") : pick("add.u32 add.u32 min.s32 max.s32 min.u32 max.u32 and.b32 or.b32 xor.b32")
			print "//@ buffer b" b " : " (wide[b] ? "u64" : "u32") "[512] = random(" seed + b ")"
			list = list (b ? ", " : "") "b" b
		}
		print "//@ launch k<<<" pick("9 40 100") ", " pick("32 64 48 256") ">>>(" list ")"
		for (b = 0; b < buffers; b++) print "//@ print b" b
		print ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 " list ")\n{"
		print "\t.reg .pred %p<2>, %q;\n\t.reg .b32 %r<4>, %x, %y, %i, %most;\n\t.reg .b64 %d<2>, %b<3>, %ad;"
		for (b = 0; b < buffers; b++) put("ld.param.u64 %b" b ", [b" b "];")
		put("mov.u32 %x, %ctaid.x;\n\tmov.u32 %i, %tid.x;\n\tmad.lo.u32 %x, %x, 256, %i;\n\tand.b32 %most, %i, " pick("0 7 15") ";\n\tmov.u32 %i, 0;\n\tmul.wide.u32 %d1, %x, 0x9e3779b9;")
		for (k = 0; k < 4; k++) put("mad.lo.u32 %r" k ", %x, " pick("0x9e3779b9 77 1") ", " k ";")
		for (k = 0; k < 2; k++) put("and.b32 %y, %r" k ", " pick("1 8 0x40000") ";\n\tsetp.eq.u32 %p" k ", %y, 0;")
		print "L:"
		for (k = 1 + int(rand() * 5); k > 0; k--) reduce()
		if (rand() < 0.3) put("bar.sync 0;")
		print "\tadd.u32 %i, %i, 1;\n\tsetp.le.u32 %q, %i, " (rand() < 0.5 ? "%most" : int(rand() * 40)) ";\n\t@%q bra L;\n\tret;\n}"
	}' | sed '/^.visible/s/, b/, .param .u64 b/g'
}

# tiles SEED: a kernel of runs of accesses to shared memory from one address on, as unrolled loops have them: rows and single addresses of a warp or of each half, of elements and vectors of all sizes,
# some outside or misaligned; between them arithmetic, addresses that change, guards, and accesses to a buffer, some outside
tiles() {
	awk -v seed="$1" '
	function pick(list, n, a) { n = split(list, a, " "); return a[int(rand() * n) + 1] }
	function put(text) { print "\t" text }
	function value(bytes) { return (bytes == 8 ? "%d" : bytes == 4 ? "%r" : "%h") int(rand() * 4) }
	function values(bytes, n, list) { while (n-- > 0) list = list (list ? ", " : "") value(bytes); return list ~ /,/ ? "{" list "}" : list }
	function guard() { return rand() < 0.1 ? "@" (rand() < 0.5 ? "!" : "") "%p" int(rand() * 2) " " : "" }
	# where a lane, or a lane of a half, begins: BYTES further than the one before, or all at one place
	function base(bytes) {
		put("mov.u32 %x, " pick("%tid.x %tid.x %laneid %row") ";\n\tmul.lo.u32 %x, %x, " (rand() < 0.6 ? bytes : 0) ";")
		put("mad.lo.u32 %x, " pick("%row %i %w") ", " pick("16 64 128") ", %x;")
		offset = pick("%sh 256")
		put("add.u32 %x, %x, " offset ";")
		put("cvt.u64.u32 %xd, %x;")
	}
	function access(bytes, n, at, type) {
		at = bytes * n * int(rand() * 12)
		if (rand() < 0.1 && (wild || from ~ /%/ && at <= 256 && offset == 256)) at = -at
		if (wild && rand() < 0.03) at = pick("4096 2040 -4096 1 6 2047")
		type = (n > 1 ? ".v" n : "") "." pick("u s") 8 * bytes " "
		put(guard() (rand() < 0.6 ? "ld.shared" type values(bytes < 2 ? 2 : bytes, n) ", [" from "+" at "];" : "st.shared" type "[" from "+" at "], " values(bytes < 2 ? 2 : bytes, n) ";"))
	}
	function between(k) {
		k = rand()
		if (k < 0.4) put("mad.lo.u32 " value(4) ", " value(4) ", " value(4) ", %i;")
		else if (k < 0.5) put("add.u64 " value(8) ", " value(8) ", " value(8) ";")
		else if (k < 0.6) put(guard() "ld.global.u32 " value(4) ", [%mem" (wild && rand() < 0.1 ? "+65536" : "+" 4 * int(rand() * 32)) "];")
		else if (k < 0.65) put("add.u32 %x, %x, 16;\n\tadd.u64 %xd, %xd, 16;")
		else if (k < 0.7) put("bar.sync 0;")
		else if (k < 0.75) put("setp.lt.u32 %p" int(rand() * 2) ", " value(4) ", " value(4) ";")
		else if (k < 0.78) put("ex2.approx.f32 %f, %f;")
		else if (k < 0.8) put("shfl.sync.bfly.b32 " value(4) ", " value(4) ", 1, -1;")
	}
	BEGIN {
		srand(seed)
		wild = rand() < 0.4
		print "//@ buffer mem : u32[2048] = random(" seed ")\n//@ launch k<<<2, " pick("64 (16,4) (16,6) 48 32 (8,8) 33") ", 1024>>>(mem, " 1 + int(rand() * 4) ")\n//@ print mem"
		print ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 more[];\n.visible .entry k(.param .u64 mem, .param .u32 n)\n{"
		print "\t.reg .pred %p<2>, %q;\n\t.reg .b16 %h<4>;\n\t.reg .b32 %r<4>, %x, %i, %n, %w, %row, %sh, %t;\n\t.reg .b64 %d<4>, %mem, %xd;\n\t.reg .f32 %f;\n\t.shared .align 16 .b8 sh[" pick("1024 2048 4096") "];"
		put("ld.param.u64 %mem, [mem];\n\tld.param.u32 %n, [n];\n\tmov.u32 %row, %tid.x;\n\tmov.u32 %t, %tid.y;\n\tmov.u32 %w, %ntid.x;\n\tmad.lo.u32 %t, %t, %w, %row;\n\tmov.u32 %row, %tid.y;\n\tshr.u32 %w, %t, 5;\n\tmov.u32 %sh, " pick("sh more") ";\n\tmov.u32 %i, 0;\n\tmov.f32 %f, 0f3F000000;")
		for (k = 0; k < 4; k++) put("mad.lo.u32 %r" k ", %t, " int(rand() * 100000) ", " k ";\n\tmul.wide.u32 %d" k ", %r" k ", 77;\n\tcvt.u16.u32 %h" k ", %r" k ";")
		for (k = 0; k < 2; k++) put("setp.lt.u32 %p" k ", %r" k ", " int(rand() * 2000000) ";")
		print "L:"
		for (run = 1 + int(rand() * 4); run > 0; run--) {
			bytes = pick("1 2 4 4 4 8")
			n = bytes == 8 ? pick("1 1 2") : pick("1 1 1 2 4")
			base(bytes * n)
			from = pick("%x %x %x %xd sh more")
			for (k = 2 + int(rand() * 8); k > 0; k--) {
				if (rand() < 0.1) access(pick("1 2 4 8"), 1)
				else access(bytes, n)
				if (rand() < 0.4) between()
			}
		}
		print "\tadd.u32 %i, %i, 1;\n\tsetp.lt.u32 %q, %i, %n;\n\t@%q bra L;"
		put("mov.u32 %x, %ctaid.x;\n\tmad.lo.u32 %x, %x, 128, %t;\n\tmul.wide.u32 %xd, %x, 4;\n\tadd.s64 %mem, %mem, %xd;")
		for (k = 0; k < 4; k++) put("cvt.u32.u64 %x, %d" k ";\n\txor.b32 %i, %i, %x;\n\tmul.lo.u32 %i, %i, 31;\n\txor.b32 %i, %i, %r" k ";\n\tmul.lo.u32 %i, %i, 31;\n\tcvt.u32.u16 %x, %h" k ";\n\txor.b32 %i, %i, %x;\n\tmul.lo.u32 %i, %i, 31;")
		print "\tst.global.u32 [%mem+4096], %i;\n\tret;\n}"
	}'
}

options() {
	case $1 in
	0) echo --schedule=fair ;;
	1) echo --schedule=random ;;
	2) echo --schedule=lockstep ;;
	*) echo --max-steps=$((37 * $1 % 1009)) ;;
	esac
}

fail() {
	echo "engines: $*"
	bad=1
}

# Accesses outside, misaligned, through a forged address and a forged function pointer: the same fault at the same place. An access is a kernel, to which a case gives the address: OUT + MORE.
# An address that the translator knows is another path: all are tried by `all`, otherwise one of each kind.
forged() {
	head=$(sed -n '/^\.version/,/^\.address/p' "$tmp/probe.ptx")
	echo "$head" >"$tmp/forged.ptx"
	: >"$tmp/cases"
	k=0 n=0
	for access in 'st.global.u32 [%rd1], %r2' 'ld.global.u32 %r2, [%rd1]' 'ld.u32 %r2, [%rd1]' 'ld.shared.u32 %r2, [%rd1]' 'atom.global.add.u32 %r2, [%rd1], 1'; do
		sed -n '/^\.visible/,$p' "$tmp/probe.ptx" | sed "s/entry k(.*/entry k$k(.param .u64 out, .param .u64 more)/; s/^\tst.global.u32.*/\tld.param.u64 %rd2, [more];\n\tadd.s64 %rd1, %rd1, %rd2;\n\t$access;/" >>"$tmp/forged.ptx"
		for where in 'out, 4096' 'out, -4096' 'out, 2' '0, 0x7ff300000001' '0, -8' '0, 0x7fffffffffff0000' '0, 0'; do
			n=$((n + 1))
			printf '//@ case %s\n//@ buffer out : u32[64] = 0\n//@ launch k%s<<<1, 64>>>(%s)\n//@ expect out[63] == 64\n' "k$k.$n" $k "$where" >>"$tmp/cases"
		done
		k=$((k + 1))
	done
	cat "$tmp/cases" >>"$tmp/forged.ptx"
	same "$tmp/forged.ptx" --schedule=fair
	[ "$(grep -c '^case ' "$tmp/interpreter.out")" = 35 ] && [ "$(grep -c '\[F[0-9]*\]' "$tmp/interpreter.out")" = 35 ] || fail "not every forged address is a fault"
	echo "$head" >"$tmp/forged.ptx"
	: >"$tmp/cases"
	k=0
	for what in 'add.s64 %rd1, %rd1, 4096' 'add.s64 %rd1, %rd1, -4096' 'add.s64 %rd1, %rd1, 2' 'mov.b64 %rd1, 0x7ff300000001' 'mov.b64 %rd1, -8' 'mov.b64 %rd1, 0x7fffffffffff0000' 'mov.b64 %rd1, 0'; do
		for access in 'st.global.u32 [%rd1], %r2' 'ld.global.u32 %r2, [%rd1]' 'ld.u32 %r2, [%rd1]' 'ld.shared.u32 %r2, [%rd1]' 'atom.global.add.u32 %r2, [%rd1], 1'; do
			case $1:$what:$access in all:* | *4096:st.* | *-8:ld.u32* | *' 0:atom'* | *00001:ld.global*) ;; *) continue ;; esac
			k=$((k + 1))
			sed -n '/^\.visible/,$p' "$tmp/probe.ptx" | sed "s/entry k(/entry k$k(/; s/st.global.u32.*/$what;\n\t$access;/" >>"$tmp/forged.ptx"
			printf '//@ case k%s\n//@ buffer out : u32[64] = 0\n//@ launch k%s<<<1, 64>>>(out)\n//@ expect out[63] == 64\n' $k $k >>"$tmp/cases"
		done
	done
	cat "$tmp/cases" >>"$tmp/forged.ptx"
	same "$tmp/forged.ptx" --schedule=fair
	[ "$(grep -c '\[F[0-9]*\]' "$tmp/interpreter.out")" = $k ] || fail "not every forged address is a fault"
}

# The folder: the user's alone, files that others could have written or that were changed are not loaded, and it works without one.
engine_of() { "$ptxi" run -j1 --engine=native --stats "$@" "$tmp/probe.ptx" 2>&1 | sed -n 's/^engine: //p'; }
cache() {
	rm -rf "$tmp/cache/ptxi"
	case $(engine_of --no-cache) in native*) ;; *) fail "--no-cache does not translate" ;; esac
	[ ! -e "$tmp/cache/ptxi" ] || fail "--no-cache leaves files"
	engine_of >/dev/null
	# shellcheck disable=SC2012 # the names are hashes
	[ "$(ls -ld "$tmp/cache/ptxi" | cut -c1-10)" = drwx------ ] || fail "others may look into the cache"
	[ "$(find "$tmp/cache/ptxi" -type f | wc -l)" = 2 ] || fail "the cache does not have one library and its key"
	# a library without its compiler: loaded from the cache
	case $(PTXI_CC="$tmp/quick" ENGINES_CC=false engine_of) in native*) ;; *) fail "the cache is not used" ;; esac
	# a key that is not the same, a file or a folder that others may write: compiled again, which fails here
	so=$(find "$tmp/cache/ptxi" -name '*.so')
	chmod go+w "$so"
	case $(ENGINES_CC=false engine_of) in native*) fail "a library that others may write is loaded" ;; esac
	chmod go-w "$so"
	for change in "head -c -1" "sed s/v[234]/v9/" "sed \$s/./&&/" "cat - $ptxi"; do
		cp "${so%.so}.key" "$tmp/key"
		$change <"$tmp/key" >"${so%.so}.key"
		case $(ENGINES_CC=false engine_of) in native*) fail "a library is loaded for another key ($change)" ;; esac
		cp "$tmp/key" "${so%.so}.key"
	done
	case $(ENGINES_CC=false engine_of) in native*) ;; *) fail "the key is not that of before" ;; esac
	rm -rf "$tmp/cache/ptxi"
	engine_of >/dev/null
	chmod go+w "$tmp/cache/ptxi"
	case $(ENGINES_CC=false engine_of) in native*) fail "a folder that others may write is used" ;; esac
	chmod go-w "$tmp/cache/ptxi"
	so=$(find "$tmp/cache/ptxi" -name '*.so')
	mv "$so" "$tmp/elsewhere.so" && ln -s "$tmp/elsewhere.so" "$so"
	case $(ENGINES_CC=false engine_of) in native*) fail "a link is followed" ;; esac
	case $(PTXI_CC=no-such-compiler engine_of --no-cache) in "interpreter (no C compiler was found)") ;; *) fail "a missing compiler is not told" ;; esac
	case $(engine_of --check=all) in "interpreter (checks"*) ;; *) fail "a checked run is translated" ;; esac
}

# Several host threads: what a file expects holds in each engine.
threads() {
	for engine in interpreter stencils native; do
		"$ptxi" run -q -j4 --engine=$engine "$1" >"$tmp/said" 2>&1 || { fail "$1 with --engine=$engine -j4" && cat "$tmp/said"; }
	done
}

# Several host threads leave in memory what one leaves that interprets, and count the same.
together() {
	"$ptxi" run -j1 --engine=interpreter --stats "$1" 2>&1 | plain >"$tmp/interpreter.out"
	for engine in interpreter $engines; do
		"$ptxi" run -j4 --engine="$engine" --stats "$1" 2>&1 | plain >"$tmp/$engine.j4"
		done=$((done + 1))
		cmp -s "$tmp/interpreter.out" "$tmp/$engine.j4" || { fail "$1 with $engine -j4: other results" && diff "$tmp/interpreter.out" "$tmp/$engine.j4" | head -n 10; }
	done
}

if [ "$1" = all ]; then
	forged all
	number=${2:-1000} seed=${3:-1}
	for file in $(find tests/ptx bench examples -name '*.ptx' | sort); do
		same "$file" --schedule=fair
	done
	${MAKE_PARTS:-make} -s --no-print-directory "$build/oracle/random_files" || exit 2
	for kind in kernel protocol copies; do
		mkdir -p "$tmp/$kind"
		"$build/oracle/random_files" "$kind" "$tmp/$kind" $((number / 10 + 1)) "$seed"
		for file in "$tmp/$kind"/*.ptx; do
			same "$file" --schedule=fair
		done
	done
else
	same tests/ptx/course/reductions.ptx --schedule=fair
	same tests/ptx/course/locks.ptx --schedule=fair
	same tests/ptx/run/two_buffers_in_a_row.ptx --schedule=fair
	same tests/ptx/run/shared_together.ptx --schedule=fair
	same tests/ptx/run/which_nan.ptx --schedule=fair
	threads tests/ptx/run/reductions_wait.ptx
	forged few
	has native && cache
	# clang, which ptxi knows by its name, takes half of the time for the long ones
	if command -v clang >/dev/null; then
		cp "$tmp/quick" "$tmp/quick-clang"
		export ENGINES_CC=clang PTXI_CC="$tmp/quick-clang"
	fi
fi
# kernel KIND SEED WAY...: a random kernel of this kind, which is compiled once, whatever the options
kernel() {
	$1 "$2" >"$tmp/random.ptx"
	shift 2
	for way; do same "$tmp/random.ptx" "$(options "$way")"; done
	[ $bad = 0 ] || [ -f "$tmp/first.ptx" ] || cp "$tmp/random.ptx" "$tmp/first.ptx"
}
if [ "$1" = all ]; then
	k=0
	while [ "$k" -lt "$number" ]; do
		for kind in program waits forks parts tiles; do kernel $kind $((seed + k)) $((k % 5)); done
		sums $((seed + k)) >"$tmp/random.ptx"
		together "$tmp/random.ptx"
		k=$((k + 1))
	done
else
	kernel program 1 0 1 2 3
	# registers that nothing writes in sums that lanes have in common (16), lines that end while lanes wait (134)
	kernel waits 16 0 1 2 3
	kernel waits 134 0
	# lanes that come to a barrier after the interpreter has gone on with some of them
	kernel forks 29 0 1 2 3
	# polling groups that meet and are joined in another order
	kernel parts 7700394 0 1 2 3
	# a fault between accesses that are checked together
	kernel tiles 79 0 3
	sums 1 >"$tmp/random.ptx"
	together "$tmp/random.ptx"
fi
[ "$translated" -gt 0 ] || { echo "engines: no program was translated" && bad=1; }
[ $bad = 0 ] && echo "engines: $done runs of programs, $translated of them translated: the same in every engine"
exit $bad
