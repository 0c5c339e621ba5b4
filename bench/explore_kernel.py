#!/usr/bin/env python3
"""Writes one member of a scaling family of kernels: explore_kernel.py FAMILY N.

membar   N CTAs store, membar.gl, and count with red.add
last     N CTAs store, fence and count with atom.add; the last one sums
ticket   N CTAs add to a word under a ticket lock
counted  256 threads, N rounds of a store to shared memory, a barrier with a count, a load and the barrier
whole    the same with bar.sync 0
wide     N CTAs of 256 threads, which exchange values through shared memory
launches N launches of one such CTA, one after another
"""
import sys

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .u32 cnt;\n.global .u32 serving;\n.shared .b32 s[256];\n"
REGS = "\t.reg .pred %p;\n\t.reg .b32 %r<8>;\n\t.reg .b64 %a, %b, %c;\n"
STORE = """	ld.param.u64 %a, [part];
	mov.u32 %r1, %ctaid.x;
	mul.wide.u32 %b, %r1, 4;
	add.u64 %b, %a, %b;
	add.u32 %r1, %r1, 1;
	st.global.u32 [%b], %r1;
	membar.gl;
"""


def kernel(kind, n):
    """The directives, the parameters, the code."""
    if kind == "membar":
        return (f"//@ buffer part : u32[{n}] = 0\n//@ launch k<<<{n}, 1>>>(part)\n//@ observe part[0..{n - 1}], cnt\n", ".param .u64 part",
                STORE + "\tred.relaxed.gpu.global.add.u32 [cnt], 1;\n\tret;\n")
    if kind == "last":
        return (f"//@ buffer part : u32[{n}] = 0\n//@ buffer out : u32[1] = 0\n//@ launch k<<<{n}, 1>>>(part, out)\n//@ observe out[0], cnt\n",
                ".param .u64 part, .param .u64 out", STORE + f"""	atom.relaxed.gpu.global.add.u32 %r2, [cnt], 1;
	setp.ne.u32 %p, %r2, {n - 1};
	@%p ret;
	membar.gl;
	mov.u32 %r3, 0;
	mov.u32 %r4, 0;
again:
	ld.global.u32 %r5, [%a];
	add.u32 %r4, %r4, %r5;
	add.u64 %a, %a, 4;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p, %r3, {n};
	@%p bra again;
	ld.param.u64 %b, [out];
	st.global.u32 [%b], %r4;
	ret;
""")
    if kind == "ticket":
        return (f"//@ buffer x : u32[1] = 0\n//@ launch k<<<{n}, 1>>>(x)\n//@ always x[0] == {n}\n", ".param .u64 x", """	ld.param.u64 %a, [x];
	atom.relaxed.gpu.global.add.u32 %r2, [cnt], 1;
again:
	ld.acquire.gpu.global.u32 %r1, [serving];
	setp.ne.u32 %p, %r1, %r2;
	@%p bra again;
	ld.global.u32 %r3, [%a];
	add.u32 %r3, %r3, 1;
	st.global.u32 [%a], %r3;
	red.release.gpu.global.add.u32 [serving], 1;
	ret;
""")
    if kind in ("counted", "whole"):
        barrier = "bar.sync 0, 256" if kind == "counted" else "bar.sync 0"
        return ("//@ buffer x : u32[256] = 0\n//@ launch k<<<1, 256>>>(x)\n//@ observe x[0]\n", ".param .u64 x", f"""	mov.u32 %r1, %tid.x;
	mul.wide.u32 %b, %r1, 4;
	mov.u64 %c, s;
	add.u64 %a, %c, %b;
	add.u32 %r2, %r1, 1;
	and.b32 %r2, %r2, 255;
	mul.wide.u32 %b, %r2, 4;
	add.u64 %b, %c, %b;
	mov.u32 %r3, %r1;
	mov.u32 %r4, 0;
again:
	st.shared.u32 [%a], %r3;
	{barrier};
	ld.shared.u32 %r3, [%b];
	{barrier};
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p, %r4, {n};
	@%p bra again;
	ld.param.u64 %a, [x];
	mul.wide.u32 %b, %r1, 4;
	add.u64 %a, %a, %b;
	st.global.u32 [%a], %r3;
	ret;
""")
    if kind in ("wide", "launches"):
        grid = n if kind == "wide" else 1
        return (f"//@ buffer x : u32[{256 * grid}] = 0\n" + f"//@ launch k<<<{grid}, 256>>>(x)\n" * (n // grid) +
                f"//@ always x[0] == {n // grid}\n", ".param .u64 x", """	ld.param.u64 %a, [x];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	mad.lo.u32 %r1, %r1, 256, %r0;
	mul.wide.u32 %b, %r1, 4;
	add.u64 %a, %a, %b;
	mul.wide.u32 %b, %r0, 4;
	mov.u64 %c, s;
	add.u64 %b, %c, %b;
	ld.global.u32 %r2, [%a];
	st.shared.u32 [%b], %r2;
	bar.sync 0;
	xor.b32 %r0, %r0, 255;
	mul.wide.u32 %b, %r0, 4;
	add.u64 %b, %c, %b;
	ld.shared.u32 %r2, [%b];
	add.u32 %r2, %r2, 1;
	st.global.u32 [%a], %r2;
	ret;
""")
    sys.exit(__doc__)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    directives, parameters, code = kernel(sys.argv[1], int(sys.argv[2]))
    print(f"{directives}{HEAD}.visible .entry k({parameters})\n{{\n{REGS}{code}}}")


main()
