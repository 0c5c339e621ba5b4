"""Products of tcgen05.mma with random matrices, scale factors and metadata, whose sums are exact. The
expected values, and where each element lies in shared and tensor memory, are computed here from the
manual's tables and CUTLASS's layouts, not by ptxi's code.
usage: cases.py FOLDER: writes products.ptx and its data."""
import pathlib
import random
import struct
import sys

folder = pathlib.Path(sys.argv[1])
E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def e2m1(v):
    return E2M1.index(abs(v)) | (8 if v < 0 else 0)


def e4m3(v):  # 0 and halves up to 3
    return (0x80 if v < 0 else 0) | {0: 0, 0.5: 0x30, 1: 0x38, 1.5: 0x3C, 2: 0x40, 3: 0x44}[abs(v)]


def e5m2(v):
    return (0x80 if v < 0 else 0) | {0: 0, 0.5: 0x38, 1: 0x3C, 1.5: 0x3E, 2: 0x40, 3: 0x42}[abs(v)]


def e2m3(v):
    return (0x20 if v < 0 else 0) | {0: 0, 0.5: 4, 1: 8, 1.5: 12, 2: 16, 3: 20}[abs(v)]


def e3m2(v):
    return (0x20 if v < 0 else 0) | {0: 0, 0.5: 8, 1: 12, 1.5: 14, 2: 16, 3: 18}[abs(v)]


# kind: dense K, bits of an element, number in the descriptor, code of a value
TYPES = {"f16": (0, 16, lambda v: struct.unpack("<H", struct.pack("<e", v))[0]),
         "bf16": (1, 16, lambda v: struct.unpack("<I", struct.pack("<f", v))[0] >> 16),
         "tf32": (2, 32, lambda v: struct.unpack("<I", struct.pack("<f", v))[0]),
         "s8": (1, 8, lambda v: int(v) & 255), "u8": (0, 8, lambda v: int(abs(v))),
         "e4m3": (0, 8, e4m3), "e5m2": (1, 8, e5m2), "e2m3": (3, 6, e2m3), "e3m2": (4, 6, e3m2), "e2m1": (5, 4, e2m1), "packed": (1, 4, e2m1)}
K = {"f16": 16, "tf32": 8, "i8": 32, "f8f6f4": 32, "mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}


def pack(row, name):
    """The bytes of a row of elements; those of 4 and 6 bits, unless packed, 16 in the first bytes of each 16."""
    _, bits, code = TYPES[name]
    if name == "packed" or bits >= 8:
        return sum(code(v) << k * bits for k, v in enumerate(row)).to_bytes(len(row) * bits // 8, "little")
    return b"".join(sum(code(v) << k * bits for k, v in enumerate(row[g:g + 16])).to_bytes(16, "little") for g in range(0, len(row), 16))


def place(image, base, rows, mode, transposed, element):
    """Puts rows of bytes into the image; returns the descriptor without the address. MODE: bytes of a swizzled row, or 0."""
    n, size = len(rows), len(rows[0])
    if transposed:  # chunks of 16 bytes along the rows
        per, count = 16 // element, size // element
        strides = (n // per * 128, 128) if not mode else (1024, n // (mode // element) * 1024)
        for r in range(0, n, per):
            for k in range(count):
                chunk = b"".join(rows[r + e][k * element:(k + 1) * element] for e in range(per))
                c = r // per
                if not mode:
                    at = k % 8 * 16 + k // 8 * strides[0] + c * strides[1]
                else:
                    at = k % 8 * 128 + (c % 8 ^ k % 8) * 16 + c // 8 * 1024 + k // 8 * strides[1]
                image[base + at:base + at + 16] = chunk
        lead, stride = strides
    elif not mode:
        lead, stride = 128, size // 16 * 128
        for r, row in enumerate(rows):
            for c in range(size // 16):
                at = base + r % 8 * 16 + c * lead + r // 8 * stride
                image[at:at + 16] = row[c * 16:c * 16 + 16]
    else:  # 128-byte rows, of which the first bytes are used
        lead, stride = 16, 1024
        for r, row in enumerate(rows):
            for c in range(size // 16):
                at = base + r // 8 * 1024 + r % 8 * 128 + (c ^ r % 8) * 16
                image[at:at + 16] = row[c * 16:c * 16 + 16]
    return lead >> 4 << 16 | stride >> 4 << 32 | 1 << 46 | (2 << 61 if mode else 0)


def nibbles(rng, kind, k):
    """Random metadata of a row, and the elements of K that are stored."""
    pair = kind in ("mxf4", "mxf4nvf4")
    bits, kept = [], []
    for chunk in range(k // (2 if kind == "tf32" else 8 if pair else 4)):
        if kind == "tf32":
            n = rng.choice([4, 14])
            bits.append(n)
            kept.append(chunk * 2 + (n == 14))
            continue
        n = rng.choice([4, 8, 12, 9, 13, 14])
        bits.append(n)
        for which in (n & 3, n >> 2):
            kept += [chunk * 8 + which * 2, chunk * 8 + which * 2 + 1] if pair else [chunk * 4 + which]
    return bits, kept


def make(number, kind, a_type, b_type, m=128, n=16, sparse=False, ws=False, scales=0, scale="ue8m0", ids=(0, 0), trans=(0, 0), neg=(0, 0), mode=0, a_tensor=False, selector=0, word=""):
    rng = random.Random(number)
    k = K[kind] << sparse
    small = [-2, -1, 0, 1, 2] if kind == "f8f6f4" else [-3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3]
    if kind == "i8":
        small = [-3, -2, -1, 0, 1, 2, 3] if a_type == "s8" else [0, 1, 2, 3]
    a = [[rng.choice(small) for _ in range(k)] for _ in range(m)]
    b = [[abs(rng.choice(small)) if b_type == "u8" else rng.choice(small) for _ in range(k)] for _ in range(n)]
    meta = [nibbles(rng, kind, k) for _ in range(m)] if sparse else []
    if sparse:
        for i in range(m):
            a[i] = [v if j in set(meta[i][1]) else 0 for j, v in enumerate(a[i])]
    stored = [[a[i][j] for j in meta[i][1]] for i in range(m)] if sparse else a
    parts = 128 // m if ws else 1
    first = n // parts  # column after D
    tensor = [[0] * 128 for _ in range(first + 24)]  # [column][lane]
    factor = [[[1.0] * max(scales, 1) for _ in range(c)] for c in (m, n)]
    for x, (count, column) in enumerate(((m, first), (n, first + 4))):
        for i in range(count if scales else 0):
            for s in range(scales):
                if scale == "ue8m0":
                    e = rng.randrange(125, 130)
                    code, factor[x][i][s] = e, 2.0 ** (e - 127)
                else:
                    code, factor[x][i][s] = rng.choice([(0x30, 0.5), (0x38, 1), (0x3C, 1.5), (0x40, 2), (0x44, 3)])
                for copy in range(4):
                    tensor[column + i // 32][i % 32 + 32 * copy] |= code << 8 * (ids[x] + s)
    for i in range(m if sparse else 0):
        for c, bits in enumerate(meta[i][0]):
            for copy in range(128 // m):
                if kind in ("f16", "tf32"):  # pairs of rows share the words of two lanes
                    lane, column, shift = i // 16 * 16 + c // 4 * 8 + i % 8, selector, i // 8 % 2 * 16 + c % 4 * 4
                else:
                    lane, column, shift = i, c // 8, c % 8 * 4
                tensor[first + 12 + column][copy * m + lane] |= bits << shift
    image = bytearray(47104)
    rows = [pack(r, a_type) for r in stored]
    element = max(TYPES[a_type][1] // 8, 1)
    desc_a = place(image, 0, rows, mode, trans[0], element)
    desc_b = place(image, 16384, [pack(r, b_type) for r in b], mode, trans[1], element)
    if a_tensor:
        for i, row in enumerate(rows):
            for e in range(8):
                tensor[first + 16 + e][i] = int.from_bytes(row[4 * e:4 * e + 4], "little")
    want = [[0] * 128 for _ in range(n // parts)]
    for i in range(m):
        for j in range(n):
            chunk = k // max(scales, 1)
            v = sum(a[i][e] * b[j][e] * factor[0][i][e // chunk if scales else 0] * factor[1][j][e // chunk if scales else 0] for e in range(k) if a[i][e])
            v = -v if neg[0] ^ neg[1] else v
            start = rng.randrange(-4, 5)
            lane, column = i + j // (n // parts) * m, j % (n // parts)
            form = "<i" if kind == "i8" else "<f"
            tensor[column][lane] = struct.unpack("<I", struct.pack(form, start))[0]
            want[column][lane] = struct.unpack("<I", struct.pack(form, int(v) + start if kind == "i8" else v + start))[0]
    descriptor = sparse << 2 | TYPES[a_type][0] << 7 | TYPES[b_type][0] << 10 | neg[0] << 13 | neg[1] << 14 | trans[0] << 15 | trans[1] << 16 | n // 8 << 17
    if scales:
        descriptor |= ids[1] << 4 | (scale == "ue8m0") << 23 | m // 128 << 27 | ids[0] << 29
    else:
        descriptor |= selector | (2 if kind == "i8" else 1) << 4 | m // 16 << 24
    name = f"p{number}"
    for what, data in (("s", bytes(image)), ("t", b"".join(struct.pack("<128I", *c) for c in tensor)), ("w", b"".join(struct.pack("<128I", *c) for c in want))):
        (folder / f"{name}.{what}").write_bytes(data)
    form = "tcgen05.mma" + ".ws" * ws + ".sp" * sparse + f".cta_group::1.kind::{kind}" + (".block_scale" + word if scales else "")
    operands = ["[%x2]", "[%x15]" if a_tensor else "%d0", "%d1"] + ["[%x14]"] * sparse + ["%x8"] + (["[%x12]", "[%x13]"] if scales else []) + ["%p4"]
    lines = f"""//@ case {name}
//@ buffer s : u8[47104] = file("{name}.s")
//@ buffer t : u32[{len(tensor) * 128}] = file("{name}.t")
//@ buffer w : u32[{len(want) * 128}] = file("{name}.w")
//@ buffer out : u32[{len(want) * 128}] = 0
//@ launch {name}<<<1, 128>>>(s, t, out)
//@ expect out[0..{len(want) * 128 - 1}] == w[i]
//@ expect clean
"""
    code = f"""
.visible .entry {name}(.param .u64 s, .param .u64 t, .param .u64 out)
{{
	.reg .b32 %r<8>; .reg .b32 %x<20>; .reg .b64 %d<8>; .reg .pred %p<8>;
	.shared .align 1024 .b8 a[47104];
	.shared .align 8 .b64 bar;
	.shared .align 4 .b32 at;
	mov.u32 %x0, %tid.x;
	setp.eq.u32 %p0, %x0, 0;
	setp.lt.u32 %p1, %x0, 32;
	@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 512;
	@%p0 mbarrier.init.shared.b64 [bar], 1;
	bar.sync 0;
	ld.shared.b32 %x2, [at];
	shr.u32 %x3, %x0, 5;
	shl.b32 %x3, %x3, 21;
	add.u32 %x3, %x3, %x2;
	ld.param.u64 %d5, [s];
	mov.u32 %x6, a;
	mov.u32 %x7, 0;
COPY:	mad.lo.u32 %x9, %x7, 2048, 0;
	mad.lo.u32 %x9, %x0, 16, %x9;
	cvt.u64.u32 %d6, %x9;
	add.u64 %d6, %d6, %d5;
	ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%d6];
	add.u32 %x9, %x9, %x6;
	st.shared.v4.b32 [%x9], {{%r0, %r1, %r2, %r3}};
	add.u32 %x7, %x7, 1;
	setp.lt.u32 %p2, %x7, 23;
	@%p2 bra COPY;
	ld.param.u64 %d5, [t];
	mov.u32 %x7, 0;
STORE:	mad.lo.u32 %x9, %x7, 128, %x0;
	mad.wide.u32 %d6, %x9, 4, %d5;
	ld.global.b32 %r0, [%d6];
	add.u32 %x9, %x3, %x7;
	tcgen05.st.sync.aligned.32x32b.x1.b32 [%x9], {{%r0}};
	add.u32 %x7, %x7, 1;
	setp.lt.u32 %p2, %x7, {len(tensor)};
	@%p2 bra STORE;
	tcgen05.wait::st.sync.aligned;
	fence.proxy.async;
	tcgen05.fence::before_thread_sync;
	bar.sync 0;
	tcgen05.fence::after_thread_sync;
	shr.u32 %x9, %x6, 4;
	cvt.u64.u32 %d0, %x9;
	add.u64 %d1, %d0, 1024;
	or.b64 %d0, %d0, 0x{desc_a:016x};
	or.b64 %d1, %d1, 0x{desc_b:016x};
	mov.b32 %x8, 0x{descriptor:08x};
	add.u32 %x12, %x2, {first};
	add.u32 %x13, %x2, {first + 4};
	add.u32 %x14, %x2, {first + 12};
	add.u32 %x15, %x2, {first + 16};
	setp.eq.u32 %p4, %x0, %x0;
	@%p0 {form} {", ".join(operands)};
	@%p0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
WAIT:	mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;
	@!%p3 bra WAIT;
	tcgen05.fence::after_thread_sync;
	ld.param.u64 %d5, [out];
	mov.u32 %x7, 0;
LOAD:	add.u32 %x9, %x3, %x7;
	tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r0}}, [%x9];
	tcgen05.wait::ld.sync.aligned;
	mad.lo.u32 %x9, %x7, 128, %x0;
	mad.wide.u32 %d6, %x9, 4, %d5;
	st.global.b32 [%d6], %r0;
	add.u32 %x7, %x7, 1;
	setp.lt.u32 %p2, %x7, {len(want)};
	@%p2 bra LOAD;
	tcgen05.fence::before_thread_sync;
	bar.sync 0;
	tcgen05.fence::after_thread_sync;
	@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %x2, 512;
	ret;
}}
"""
    return lines, code


cases = [
    dict(kind="f16", a_type="f16", b_type="f16", trans=(1, 1), n=32), dict(kind="f16", a_type="bf16", b_type="bf16", trans=(1, 0), neg=(1, 0)),
    dict(kind="f16", a_type="f16", b_type="f16", trans=(1, 1), n=64, mode=128), dict(kind="f16", a_type="f16", b_type="f16", n=232, mode=128),
    dict(kind="tf32", a_type="tf32", b_type="tf32", n=24), dict(kind="i8", a_type="s8", b_type="u8", n=32, trans=(1, 1)), dict(kind="f8f6f4", a_type="e5m2", b_type="e4m3", trans=(0, 1)),
    dict(kind="f8f6f4", a_type="e3m2", b_type="e2m3", neg=(0, 1)),
    dict(kind="mxf8f6f4", a_type="e4m3", b_type="e5m2", scales=1, ids=(2, 3), n=40), dict(kind="mxf8f6f4", a_type="e2m1", b_type="e2m3", scales=1, neg=(1, 0), word=".block32"),
    dict(kind="mxf8f6f4", a_type="e3m2", b_type="e2m1", scales=1, ids=(0, 1), n=136, mode=128), dict(kind="mxf4", a_type="packed", b_type="packed", scales=2, ids=(2, 0), n=48),
    dict(kind="mxf4nvf4", a_type="packed", b_type="packed", scales=4, scale="ue4m3", word=".scale_vec::4X", mode=128), dict(kind="mxf4nvf4", a_type="packed", b_type="packed", scales=4, word=".block16", a_tensor=True, neg=(0, 1)),
    dict(kind="f16", a_type="f16", b_type="f16", sparse=True, n=32), dict(kind="f16", a_type="bf16", b_type="bf16", sparse=True, selector=1, mode=128), dict(kind="tf32", a_type="tf32", b_type="tf32", sparse=True, a_tensor=True),
    dict(kind="f8f6f4", a_type="e4m3", b_type="e2m1", sparse=True, n=24), dict(kind="i8", a_type="s8", b_type="s8", sparse=True, mode=128),
    dict(kind="mxf8f6f4", a_type="e5m2", b_type="e4m3", sparse=True, scales=1, ids=(1, 2)), dict(kind="mxf4", a_type="packed", b_type="packed", sparse=True, scales=2, ids=(0, 2)),
    dict(kind="mxf4nvf4", a_type="packed", b_type="packed", sparse=True, scales=4, scale="ue4m3", word=".block16", n=64),
    dict(kind="f16", a_type="f16", b_type="f16", sparse=True, ws=True, m=64, n=64), dict(kind="f8f6f4", a_type="e4m3", b_type="e4m3", sparse=True, ws=True, m=32, n=64),
]
made = [make(number, **case) for number, case in enumerate(cases)]
for name in ("products.ptx",):
    (folder / name).write_text("".join(m[0] for m in made) + ".version 9.0\n.target sm_100a\n.address_size 64\n" + "".join(m[1] for m in made))
print(len(cases))
