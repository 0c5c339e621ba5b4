"""Drives libcuda.so.1 through ctypes, as Python frameworks do. Each scenario is a process of its own; what it must print on stderr stands beside it."""
import ctypes as c
import os
import re
import struct
import subprocess
import sys
import threading

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
# c[i] = a[i] + b[i] for i < n
ADD = HEAD + """
.global .u32 calls[2] = {40, 41};
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
.maxntid 256, 1, 1
{
	.reg .pred %p;
	.reg .b32 %r<6>;
	.reg .b64 %d<4>;
	mov.u32 %r0, %ctaid.x;
	mov.u32 %r1, %ntid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r0, %r0, %r1, %r2;
	ld.param.u32 %r1, [n];
	setp.ge.u32 %p, %r0, %r1;
	@%p ret;
	mul.wide.u32 %d0, %r0, 4;
	ld.param.u64 %d1, [a];
	add.u64 %d1, %d1, %d0;
	ld.global.u32 %r3, [%d1];
	ld.param.u64 %d1, [b];
	add.u64 %d1, %d1, %d0;
	ld.global.u32 %r4, [%d1];
	add.u32 %r5, %r3, %r4;
	ld.param.u64 %d1, [c];
	add.u64 %d1, %d1, %d0;
	st.global.u32 [%d1], %r5;
	ret;
}
"""
# kernels that go wrong, and one with dynamic shared memory
OTHERS = HEAD + """
.extern .shared .align 16 .b8 room[];
.visible .entry odd(.param .u64 a) { .reg .b32 %r; .reg .b64 %d; ld.param.u64 %d, [a]; ld.global.u32 %r, [%d+2]; st.global.u32 [%d+2], %r; ret; }
.visible .entry stop(.param .u64 a) { trap; }
.visible .entry hang(.param .u64 a) { bar.sync 0, 96; ret; }
.visible .entry fill(.param .u64 a) { .reg .b32 %r; .reg .b64 %d; ld.param.u64 %d, [a]; mov.u32 %r, 7; st.shared.u32 [room], %r; st.global.u32 [%d], %r; ret; }
"""

cu = None


def call(name, *args, want=0):
    got = getattr(cu, name)(*args)
    assert got == want, f"{name} returns {got} and not {want}"


def out(kind, name, *args, want=0):
    value = kind()
    call(name, c.byref(value), *args, want=want)
    return value


def u64(value):
    return c.c_uint64(value)


def begin():
    call("cuInit", 0)
    return out(c.c_void_p, "cuCtxCreate_v2", 0, 0)


def load(text=ADD):
    return out(c.c_void_p, "cuModuleLoadData", text.encode())


def function(module, name):
    return out(c.c_void_p, "cuModuleGetFunction", module, name.encode())


def alloc(n):
    return out(c.c_uint64, "cuMemAlloc_v2", c.c_size_t(n)).value


def words(*values):
    return (c.c_uint32 * len(values))(*values)


def upload(values):
    a = alloc(4 * len(values))
    call("cuMemcpyHtoD_v2", u64(a), words(*values), c.c_size_t(4 * len(values)))
    return a


def download(a, n, want=0):
    data = (c.c_uint32 * n)()
    call("cuMemcpyDtoH_v2", data, u64(a), c.c_size_t(4 * n), want=want)
    return list(data)


def pointers(*values):
    """kernelParams: pointers to the values."""
    return (c.c_void_p * len(values))(*[c.cast(c.pointer(v), c.c_void_p) for v in values])


def launch(f, grid, block, args, stream=None, shared=0, want=0):
    call("cuLaunchKernel", f, grid, 1, 1, block, 1, 1, shared, stream, pointers(*args), None, want=want)


def launch_add(f, a, b, to, n, stream=None, want=0):
    launch(f, (n + 63) // 64, 64, [u64(a), u64(b), u64(to), c.c_uint32(n)], stream, want=want)


SCENARIOS = {}


def scenario(stderr="", options=""):
    def note(f):
        SCENARIOS[f.__name__] = (f, stderr, options)
        return f

    return note


@scenario()
def vector_add():
    begin()
    n = 1000
    f = function(load(), "add")
    a, b, to = upload(range(n)), upload(range(5, n + 5)), alloc(4 * n)
    launch_add(f, a, b, to, n)
    call("cuCtxSynchronize")
    assert download(to, n) == [2 * k + 5 for k in range(n)]

    # the arguments as one buffer, named by `extra`
    class Args(c.Structure):
        _fields_ = [("a", c.c_uint64), ("b", c.c_uint64), ("c", c.c_uint64), ("n", c.c_int32)]

    args, size = Args(to, b, a, n), c.c_size_t(28)
    extra = (c.c_void_p * 5)(1, c.cast(c.byref(args), c.c_void_p), 2, c.cast(c.byref(size), c.c_void_p), 0)
    call("cuLaunchKernel", f, 16, 1, 1, 64, 1, 1, 0, None, None, extra)
    assert download(a, n) == [3 * k + 10 for k in range(n)]
    call("cuMemFree_v2", u64(a))


@scenario()
def queries():
    call("cuDeviceGetCount", c.byref(c.c_int()), want=3)
    call("cuInit", 0)
    assert out(c.c_int, "cuDeviceGetCount").value == 1
    call("cuDeviceGet", c.byref(c.c_int()), 1, want=101)
    call("cuMemAlloc_v2", c.byref(c.c_uint64()), c.c_size_t(4), want=201)
    name = c.create_string_buffer(20)
    call("cuDeviceGetName", name, 20, 0)
    assert name.value == b"ptxi"
    value = {k: out(c.c_int, "cuDeviceGetAttribute", k, 0).value for k in (1, 10, 16, 75, 76, 97)}
    assert value == {1: 1024, 10: 32, 16: 132, 75: 9, 76: 0, 97: 227 << 10}, value
    call("cuDeviceGetAttribute", c.byref(c.c_int()), 0, 0, want=1)
    assert out(c.c_size_t, "cuDeviceTotalMem_v2", 0).value > 1 << 20
    assert out(c.c_int, "cuDriverGetVersion").value == 13000
    first = begin()
    second = out(c.c_void_p, "cuDevicePrimaryCtxRetain", 0)
    assert first.value != second.value
    call("cuCtxPushCurrent_v2", second)
    assert out(c.c_void_p, "cuCtxGetCurrent").value == second.value
    assert out(c.c_void_p, "cuCtxPopCurrent_v2").value == second.value
    assert out(c.c_void_p, "cuCtxGetCurrent").value == first.value
    call("cuDevicePrimaryCtxRelease_v2", 0)
    call("cuCtxDestroy_v2", first)
    call("cuCtxSetCurrent", first, want=201)
    call("cuCtxSynchronize", want=201)


@scenario(stderr=r"^ptxi: [^\n]* asks the driver for tables that are not documented[^\n]*\n$")
def errors_and_entry_points():
    name, text = c.c_char_p(), c.c_char_p()
    call("cuGetErrorName", 700, c.byref(name))
    call("cuGetErrorString", 2, c.byref(text))
    assert name.value == b"CUDA_ERROR_ILLEGAL_ADDRESS" and text.value == b"out of memory"
    call("cuGetErrorName", 12345, c.byref(name), want=1)

    def find(symbol, version, want=0):
        p, status = c.c_void_p(), c.c_uint()
        call("cuGetProcAddress_v2", symbol, c.byref(p), version, u64(0), c.byref(status))
        assert status.value == want, (symbol, status.value)
        return p.value

    def at(symbol):
        return c.cast(getattr(cu, symbol), c.c_void_p).value

    assert find(b"cuMemAlloc", 12000) == at("cuMemAlloc_v2")
    assert find(b"cuCtxCreate", 12000) == at("cuCtxCreate_v2")
    assert find(b"cuCtxCreate", 13000) == at("cuCtxCreate_v4")
    assert find(b"cuGetProcAddress", 12000) == at("cuGetProcAddress_v2")
    assert find(b"cuMemAlloc", 2000, want=2) is None
    assert find(b"cuNothing", 13000, want=1) is None
    call("cuGetProcAddress", b"cuNothing", c.byref(c.c_void_p()), 13000, u64(0), want=500)
    call("cuGetExportTable", c.byref(c.c_void_p()), bytes(16), want=500)
    call("cuGetExportTable", c.byref(c.c_void_p()), bytes(16), want=500)


@scenario(stderr=r"^ptxi: the module has machine code only; compile it to PTX[^\n]*\n$")
def modules():
    begin()
    m = load()
    f = function(m, "add")
    assert function(m, "add").value == f.value
    call("cuModuleGetFunction", c.byref(c.c_void_p()), m, b"sub", want=500)
    address, size = c.c_uint64(), c.c_size_t()
    call("cuModuleGetGlobal_v2", c.byref(address), c.byref(size), m, b"calls")
    assert size.value == 8 and download(address.value, 2) == [40, 41]
    call("cuModuleGetGlobal_v2", None, None, m, b"none", want=500)
    attribute = {k: out(c.c_int, "cuFuncGetAttribute", k, f).value for k in (0, 1, 5, 6, 8)}
    assert attribute == {0: 256, 1: 0, 5: 80, 6: 90, 8: 48 << 10}, attribute
    assert out(c.c_int, "cuOccupancyMaxActiveBlocksPerMultiprocessor", f, 256, c.c_size_t(0)).value == 8
    blocks, threads = c.c_int(), c.c_int()
    call("cuOccupancyMaxPotentialBlockSize", c.byref(blocks), c.byref(threads), f, None, c.c_size_t(0), 0)
    assert (blocks.value, threads.value) == (8 * 132, 256)

    class Config(c.Structure):
        _fields_ = [("grid", c.c_uint * 3), ("block", c.c_uint * 3), ("shared", c.c_uint), ("stream", c.c_void_p), ("attributes", c.c_void_p), ("count", c.c_uint)]

    class Attribute(c.Structure):
        _fields_ = [("id", c.c_uint), ("pad", c.c_uint), ("cluster", c.c_uint * 3), ("rest", c.c_char * 52)]

    def clusters(x, y, z, block=256, want=0):
        attribute = Attribute(4, 0, (x, y, z))
        config = Config((64, 1, 1), (block, 1, 1), 0, None, c.cast(c.pointer(attribute), c.c_void_p), 1)
        return out(c.c_int, "cuOccupancyMaxActiveClusters", f, c.byref(config), want=want).value

    assert [clusters(*shape) for shape in [(1, 1, 1), (2, 1, 1), (2, 2, 2)]] == [8 * 132, 4 * 132, 132]
    clusters(16, 1, 1, want=912)
    clusters(1, 0, 1, want=912)
    clusters(2, 1, 1, block=1025, want=1)
    alone = Config((64, 1, 1), (256, 1, 1), 0, None, None, 0)
    assert out(c.c_int, "cuOccupancyMaxActiveClusters", f, c.byref(alone)).value == 8 * 132
    assert out(c.c_int, "cuOccupancyMaxPotentialClusterSize", f, c.byref(alone)).value == 8
    call("cuFuncSetAttribute", f, 14, 1)
    assert out(c.c_int, "cuFuncGetAttribute", 14, f).value == 1
    assert out(c.c_int, "cuOccupancyMaxPotentialClusterSize", f, c.byref(alone)).value == 16
    assert clusters(16, 1, 1) == 66
    clusters(17, 1, 1, want=912)
    alone.count = 1
    out(c.c_int, "cuOccupancyMaxActiveClusters", f, c.byref(alone), want=1)
    out(c.c_int, "cuOccupancyMaxActiveClusters", f, None, want=1)

    # a rejected module: its message is in the log that the caller gives, and nowhere else
    log = c.create_string_buffer(1000)
    options = (c.c_int * 2)(5, 6)
    values = (c.c_void_p * 2)(c.cast(log, c.c_void_p), 1000)
    wrong = ADD.replace("add.u32 %r5, %r3, %r4", "add.u32 %r5, %r3").encode()
    call("cuModuleLoadDataEx", c.byref(c.c_void_p()), wrong, 2, options, values, want=218)
    assert b"error" in log.value and b"add.u32 %r5, %r3;" in log.value and b"module 2:" in log.value, log.value
    assert values[1] == len(log.value)
    short = (c.c_void_p * 2)(c.cast(log, c.c_void_p), 10)
    call("cuModuleLoadDataEx", c.byref(c.c_void_p()), wrong, 2, options, short, want=218)
    assert len(log.value) == 9
    call("cuModuleLoadData", c.byref(c.c_void_p()), b"\x7fELF\x02\x01\x01\x00", want=209)
    call("cuModuleLoad", c.byref(c.c_void_p()), b"/nonexistent.ptx", want=301)

    call("cuModuleUnload", m)
    call("cuModuleUnload", m, want=400)
    launch_add(f, 0, 0, 0, 1, want=400)
    call("cuModuleGetFunction", c.byref(c.c_void_p()), m, b"add", want=400)

    # twice as many modules as there are addresses, and each can be used
    a = upload([1])
    for k in range(200):
        m = load()
        launch_add(function(m, "add"), a, a, a, 1)
        call("cuModuleUnload", m)
        if k % 30 == 29:
            assert download(a, 1) == [1 << 30]
            call("cuMemsetD32_v2", u64(a), 1, c.c_size_t(1))


def container(*entries):
    """A fat binary; an entry: its kind, target, flags, payload and size when it is unpacked."""
    body = b""
    for kind, sm, flags, payload, raw in entries:
        padded = payload + bytes(-len(payload) % 8)
        body += struct.pack("<HHIQIIIIQQQQ", kind, 0x101, 64, len(padded), len(payload) if flags else 0, 0, 0, sm, 0, flags, 0, raw) + padded
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def lz4(text):
    """A block of literals only."""
    n = len(text) - 15
    return bytes([0xF0]) + bytes([255] * (n // 255) + [n % 255]) + text


def zstd(text):
    """A frame of one block that is not compressed."""
    return struct.pack("<IBI", 0xFD2FB528, 0xA0, len(text)) + struct.pack("<I", len(text) << 3 | 1)[:3] + text


@scenario(stderr=r"^ptxi: the fat binary cannot be loaded: it has machine code only[^\n]*\n(ptxi: the fat binary cannot be loaded: its compressed PTX is damaged\n){2}"
          r"(ptxi: the fat binary cannot be loaded: it is damaged\n)+$")
def fat_binaries():
    begin()

    def text(target):
        return ADD.replace("add(", f"add{target}(").encode() + b"\0"

    def names(image):
        m = out(c.c_void_p, "cuModuleLoadData", image)
        f = c.c_void_p()
        return [k for k in (75, 80, 90, 120) if cu.cuModuleGetFunction(c.byref(f), m, b"add%d" % k) == 0]

    assert names(container((1, 80, 0, text(80), 0), (1, 90, 0, text(90), 0), (1, 75, 0, text(75), 0), (1, 120, 0, text(120), 0))) == [90]
    assert names(container((2, 90, 0, b"machine code", 0), (1, 120, 0, text(120), 0))) == [120]
    packed = {}
    for library, flag, pack in (("libzstd.so.1", 0x8000, zstd), ("liblz4.so.1", 0x2000, lz4)):
        try:
            c.CDLL(library)
        except OSError:
            sys.stderr.write("ptxi: the fat binary cannot be loaded: its compressed PTX is damaged\n")  # not installed
            continue
        packed[flag] = container((1, 75, flag | 0x11, pack(text(75)), len(text(75))))
        assert names(packed[flag]) == [75]
    # the wrapper that compilers make: a pointer to the container
    inner = c.create_string_buffer(container((1, 75, 0, text(75), 0)))
    wrapper = struct.pack("<IIQQ", 0x466243B1, 1, c.addressof(inner), 0)
    assert names(wrapper) == [75]

    def refused(image):
        call("cuModuleLoadData", c.byref(c.c_void_p()), image, want=209)

    refused(container((2, 90, 0, b"machine code", 0)))
    for image in packed.values():
        refused(image[:80] + bytes([255]) * 16 + image[96:])
    refused(struct.pack("<IIQQ", 0x466243B1, 2, c.addressof(inner), 0))
    whole = container((1, 75, 0, text(75), 0))
    refused(whole[:20] + struct.pack("<I", 8) + whole[24:])  # a header that is too short
    refused(whole[:24] + struct.pack("<Q", 1 << 40) + whole[32:])  # a payload that is too long
    refused(whole[:8] + struct.pack("<Q", 40) + whole[16:])  # a container that is too short
    refused(whole[:6] + struct.pack("<H", 4) + whole[8:])


@scenario(stderr=r"^error: the host reads byte 28 of buffer `allocation 4`, before it has waited for the copy \[H0102\]\n.*\nerror: cuMemHostUnregister: this is memory of the host, and no allocation \[H0106\]\n"
          r"error: cuMemFreeHost: this has been freed already: buffer `allocation 4`, which was freed by cuMemFreeHost \[H0105\]\nptxi: 3 findings")
def memory():
    begin()
    a = alloc(64)
    call("cuMemAlloc_v2", c.byref(c.c_uint64()), c.c_size_t(0), want=1)
    call("cuMemAlloc_v2", c.byref(c.c_uint64()), c.c_size_t(1 << 45), want=2)
    call("cuMemsetD8_v2", u64(a), 1, c.c_size_t(64))
    call("cuMemsetD16_v2", u64(a), 0x203, c.c_size_t(2))
    call("cuMemsetD32_v2", u64(a + 60), 9, c.c_size_t(1))
    call("cuMemsetD32_v2", u64(a + 1), 9, c.c_size_t(1), want=1)
    assert download(a, 16) == [0x02030203] + [0x01010101] * 14 + [9]
    call("cuMemcpyDtoD_v2", u64(a), u64(a + 56), c.c_size_t(8))
    assert download(a, 3) == [0x01010101, 9, 0x01010101]
    base, size = c.c_uint64(), c.c_size_t()
    call("cuMemGetAddressRange_v2", c.byref(base), c.byref(size), u64(a + 5))
    assert (base.value, size.value) == (a, 64)

    # rows 1 and 2 of three, columns 2 and 3 of four words, to the host
    class Copy2D(c.Structure):
        _fields_ = [("sx", c.c_size_t), ("sy", c.c_size_t), ("st", c.c_uint), ("sh", c.c_void_p), ("sd", c.c_uint64), ("sa", c.c_void_p), ("sp", c.c_size_t),
                    ("dx", c.c_size_t), ("dy", c.c_size_t), ("dt", c.c_uint), ("dh", c.c_void_p), ("dd", c.c_uint64), ("da", c.c_void_p), ("dp", c.c_size_t),
                    ("w", c.c_size_t), ("h", c.c_size_t)]

    assert c.sizeof(Copy2D) == 128
    b, host = upload(range(12)), (c.c_uint32 * 6)(*[99] * 6)
    plane = Copy2D(sx=8, sy=1, st=2, sd=b, sp=16, dt=1, dh=c.cast(host, c.c_void_p), dp=12, w=8, h=2)
    call("cuMemcpy2D_v2", c.byref(plane))
    assert list(host) == [6, 7, 99, 10, 11, 99]

    # host memory that the device sees, at the same address; managed memory; registered memory
    pinned = out(c.c_void_p, "cuMemHostAlloc", c.c_size_t(32), 0).value
    c.memmove(pinned, words(*range(8)), 32)
    f = function(load(), "add")
    launch_add(f, pinned, pinned, a, 8)
    call("cuMemcpyDtoHAsync_v2", c.c_void_p(pinned), u64(a), c.c_size_t(32), None)
    assert (c.c_uint32 * 8).from_address(pinned)[7] == 7  # not yet
    call("cuCtxSynchronize")
    assert list((c.c_uint32 * 8).from_address(pinned)) == [2 * k for k in range(8)]
    managed = out(c.c_uint64, "cuMemAllocManaged", c.c_size_t(32), 1).value
    launch_add(f, pinned, pinned, managed, 8)
    call("cuStreamSynchronize", None)
    assert (c.c_uint32 * 8).from_address(managed)[7] == 28
    kind = [out(c.c_uint, "cuPointerGetAttribute", 2, u64(p)).value for p in (a, pinned, managed)]
    assert kind == [2, 1, 2], kind
    mine = words(*range(100, 108))
    call("cuPointerGetAttribute", c.byref(c.c_uint()), 2, u64(c.addressof(mine)), want=1)
    call("cuMemHostRegister_v2", mine, c.c_size_t(32), 0)
    there = out(c.c_uint64, "cuMemHostGetDevicePointer_v2", mine, 0).value
    launch_add(f, there, there, there, 8)
    call("cuCtxSynchronize")
    assert mine[7] == 214
    call("cuMemHostUnregister", mine)
    call("cuMemHostUnregister", mine, want=713)
    call("cuMemFreeHost", c.c_void_p(pinned))
    call("cuMemFreeHost", c.c_void_p(pinned), want=1)

    # the direction follows from the addresses
    call("cuMemcpy", u64(a), u64(c.addressof(mine)), c.c_size_t(4))
    call("cuMemcpy", u64(a + 4), u64(a), c.c_size_t(4))
    call("cuMemcpy", u64(c.addressof(mine)), u64(a + 4), c.c_size_t(4))
    assert mine[0] == 200


@scenario(stderr=r"^error: cuMemcpyDtoH: 68 bytes, where 64 are left: buffer `allocation 1` \[H0103\]\nerror: cuMemFree: no allocation begins here: buffer `allocation 1\+4` \[H0106\]\n"
          r"error: cuMemFree: this has been freed already: buffer `allocation 1`, which was freed by cuMemFree \[H0105\]\n.*1025.*F0101.*"
          r"error: the launch of kernel 'add' has no threads: a grid of 0 x 1 x 1, blocks of 1 x 1 x 1 \[H0108\]\nptxi: 5 findings: 1 H0103, 1 H0106, 1 H0105, 1 F0101, 1 H0108\n$")
def wrong_arguments():
    begin()
    a = alloc(64)
    download(a, 17, want=1)
    call("cuMemFree_v2", u64(a + 4), want=1)
    call("cuMemFree_v2", u64(a))
    call("cuMemFree_v2", u64(a), want=1)
    f = function(load(), "add")
    launch(f, 1, 1025, [u64(0), u64(0), u64(0), c.c_uint32(0)], want=1)
    call("cuLaunchKernel", f, 0, 1, 1, 1, 1, 1, 0, None, None, None, want=1)
    call("cuStreamSynchronize", c.create_string_buffer(100), want=400)


@scenario(stderr=r"data race on allocation 2 .* kernel 'add' .*R0101.*ptxi: 1 finding: 1 R0101\n$", options="check=all")
def races():
    begin()
    f = function(load(), "add")
    a, to = upload(range(64)), alloc(256)
    streams = [out(c.c_void_p, "cuStreamCreate", 1) for _ in range(2)]
    for s in streams:
        launch_add(f, a, a, to, 64, s)
    call("cuCtxSynchronize")
    assert download(to, 64)[63] == 126
    # ordered by an event: no race
    e = out(c.c_void_p, "cuEventCreate", 2)
    launch_add(f, a, a, to, 64, streams[0])
    call("cuEventRecord", e, streams[0])
    call("cuStreamWaitEvent", streams[1], e, 0)
    launch_add(f, a, a, to, 64, streams[1])
    call("cuCtxSynchronize")
    for s in streams:
        call("cuStreamDestroy_v2", s)
    call("cuStreamSynchronize", streams[0], want=400)


@scenario(stderr=r"ld\.global reads 4 bytes at 0x[0-9a-f]*, buffer `allocation 1`, which was freed by cuMemFree \[F0207\].*ptxi: 1 finding: 1 F0207\n$")
def use_after_free():
    begin()
    f = function(load(), "add")
    a = upload(range(64))
    call("cuMemFree_v2", u64(a))
    launch_add(f, a, a, a, 64)
    call("cuCtxSynchronize", want=700)
    call("cuMemAlloc_v2", c.byref(c.c_uint64()), c.c_size_t(4), want=700)  # sticky
    call("cuStreamSynchronize", None, want=700)


def goes_wrong(kernel, block, want):
    begin()
    f = function(load(OTHERS), kernel)
    a = upload(range(64))
    launch(f, 1, block, [u64(a)])
    call("cuCtxSynchronize", want=want)
    call("cuCtxSynchronize", want=want)


@scenario(stderr="F0202")
def misaligned():
    goes_wrong("odd", 1, 716)


@scenario(stderr="F0105")
def trap():
    goes_wrong("stop", 1, 719)


@scenario(stderr="D01")
def deadlock():
    goes_wrong("hang", 33, 702)


@scenario(stderr=r"^error: the launch of kernel 'fill' has 49153 bytes of dynamic shared memory, and may have 49152 \[H0107\]\n")
def shared_memory():
    begin()
    f, a = function(load(OTHERS), "fill"), alloc(4)
    launch(f, 1, 1, [u64(a)], shared=48 << 10)
    launch(f, 1, 1, [u64(a)], shared=(48 << 10) + 1, want=1)
    call("cuFuncSetAttribute", f, 8, 100 << 10)
    launch(f, 1, 1, [u64(a)], shared=100 << 10)
    call("cuFuncSetAttribute", f, 8, 228 << 10, want=1)
    assert download(a, 1) == [7]


@scenario()
def events():
    begin()
    f = function(load(), "add")
    a = upload(range(64))
    first, last = out(c.c_void_p, "cuEventCreate", 0), out(c.c_void_p, "cuEventCreate", 0)
    ms = c.c_float()
    call("cuEventElapsedTime", c.byref(ms), first, last, want=400)
    call("cuEventRecord", first, None)
    launch_add(f, a, a, a, 64)
    call("cuEventRecord", last, None)
    call("cuEventElapsedTime", c.byref(ms), first, last, want=600)
    call("cuEventSynchronize", last)
    call("cuEventQuery", last)
    call("cuEventElapsedTime", c.byref(ms), first, last)
    assert 0 < ms.value < 60000, ms.value
    # destroyed before it has run
    for k in range(3000):
        e = out(c.c_void_p, "cuEventCreate", 0)
        call("cuEventRecord", e, None)
        call("cuEventDestroy_v2", e)
        call("cuEventQuery", e, want=400)
    call("cuCtxSynchronize")
    done = []
    work = c.CFUNCTYPE(None, c.c_void_p)(lambda p: done.append(p))
    call("cuLaunchHostFunc", None, work, c.c_void_p(5))
    assert not done
    call("cuCtxSynchronize")
    assert done == [5]


class KernelNode(c.Structure):
    _fields_ = [("f", c.c_void_p), ("grid", c.c_uint * 3), ("block", c.c_uint * 3), ("shared", c.c_uint), ("args", c.c_void_p), ("extra", c.c_void_p)]


@scenario(stderr=r"^error: the launch of kernel 'add' has no threads: a grid of 0 x 1 x 1, blocks of 64 x 1 x 1 \[H0108\]\nptxi: 1 finding")
def graphs():
    begin()
    f = function(load(), "add")
    a, b = upload(range(64)), upload([1] * 64)
    one, two = [out(c.c_void_p, "cuStreamCreate", 0) for _ in range(2)]
    fork, join = [out(c.c_void_p, "cuEventCreate", 2) for _ in range(2)]

    # captured, with a fork into another stream
    call("cuStreamBeginCapture_v2", one, 0)
    launch_add(f, a, b, a, 64, one)
    call("cuEventRecord", fork, one)
    call("cuStreamWaitEvent", two, fork, 0)
    launch_add(f, a, b, a, 64, two)
    capturing = c.c_int()
    call("cuStreamIsCapturing", two, c.byref(capturing))
    assert capturing.value == 1
    call("cuStreamEndCapture", two, c.byref(c.c_void_p()), want=903)
    call("cuEventRecord", join, two)
    call("cuStreamWaitEvent", one, join, 0)
    call("cuStreamSynchronize", one, want=900)
    g = c.c_void_p()
    call("cuStreamEndCapture", one, c.byref(g))
    assert download(a, 64)[0] == 0  # nothing has run
    n = c.c_size_t()
    call("cuGraphGetNodes", g, None, c.byref(n))
    assert n.value == 2
    exec_ = c.c_void_p()
    call("cuGraphInstantiateWithFlags", c.byref(exec_), g, u64(0))
    call("cuGraphDestroy", g)
    for _ in range(3):
        call("cuGraphLaunch", exec_, one)
    call("cuStreamSynchronize", one)
    assert download(a, 64) == [k + 6 for k in range(64)]
    call("cuGraphExecDestroy", exec_)
    call("cuGraphLaunch", exec_, one, want=400)

    # made of nodes, the second of which is added first
    assert c.sizeof(KernelNode) == 56
    g = out(c.c_void_p, "cuGraphCreate", 0)

    def node(x, y, to, blocks=1):
        values = [u64(x), u64(y), u64(to), c.c_uint32(64)]
        args = pointers(*values)
        made = KernelNode(f.value, (blocks, 1, 1), (64, 1, 1), 0, c.cast(args, c.c_void_p), None)
        made.keeps = values, args
        return made

    fill = c.c_void_p()

    class Fill(c.Structure):
        _fields_ = [("dst", c.c_uint64), ("pitch", c.c_size_t), ("value", c.c_uint), ("element", c.c_uint), ("width", c.c_size_t), ("height", c.c_size_t)]

    call("cuGraphAddMemsetNode", c.byref(fill), g, None, c.c_size_t(0), c.byref(Fill(a, 0, 5, 4, 64, 1)), None)
    k = c.c_void_p()
    call("cuGraphAddKernelNode", c.byref(k), g, (c.c_void_p * 1)(fill.value), c.c_size_t(1), c.byref(node(a, b, a)))
    exec_ = c.c_void_p()
    call("cuGraphInstantiate_v2", c.byref(exec_), g, None, None, c.c_size_t(0))
    call("cuGraphLaunch", exec_, None)
    assert download(a, 64) == [6] * 64
    call("cuGraphExecKernelNodeSetParams", exec_, k, c.byref(node(a, a, a)))
    call("cuGraphExecKernelNodeSetParams", exec_, fill, c.byref(node(a, a, a)), want=1)
    call("cuGraphLaunch", exec_, None)
    assert download(a, 64) == [10] * 64

    # a node may be added without blocks, but not launched
    g = out(c.c_void_p, "cuGraphCreate", 0)
    call("cuGraphAddKernelNode", c.byref(k), g, None, c.c_size_t(0), c.byref(node(a, a, a, 0)))
    call("cuGraphInstantiate_v2", c.byref(exec_), g, None, None, c.c_size_t(0))
    call("cuGraphLaunch", exec_, None, want=1)
    call("cuGraphExecKernelNodeSetParams", exec_, k, c.byref(node(a, a, a)))
    call("cuGraphLaunch", exec_, None)
    assert download(a, 64) == [20] * 64


def diamond(g, ends, edges):
    """Four fills of one word each at ENDS, in the graph G, with EDGES between them; launched twice."""

    class Fill(c.Structure):
        _fields_ = [("dst", c.c_uint64), ("pitch", c.c_size_t), ("value", c.c_uint), ("element", c.c_uint), ("width", c.c_size_t), ("height", c.c_size_t)]

    nodes = []
    for k, at in enumerate(ends):
        node = c.c_void_p()
        call("cuGraphAddMemsetNode", c.byref(node), g, None, c.c_size_t(0), c.byref(Fill(at, 0, k, 4, 1, 1)), None)
        nodes.append(node.value)
    for a, b in edges:
        call("cuGraphAddDependencies", g, (c.c_void_p * 1)(nodes[a]), (c.c_void_p * 1)(nodes[b]), c.c_size_t(1))
    exec_ = c.c_void_p()
    call("cuGraphInstantiateWithFlags", c.byref(exec_), g, u64(0))
    for _ in range(2):
        call("cuGraphLaunch", exec_, None)
    call("cuCtxSynchronize")


@scenario(options="check=race")
def graph_order():
    begin()
    a = alloc(64)
    diamond(out(c.c_void_p, "cuGraphCreate", 0), [a, a + 4, a + 8, a], [(0, 1), (0, 2), (1, 3), (2, 3)])
    assert download(a, 3) == [3, 1, 2]
    diamond(out(c.c_void_p, "cuGraphCreate", 0), [a, a + 4, a + 8, a + 12], [])
    assert download(a, 4) == [0, 1, 2, 3]
    # captured: the two streams that a fork has do not follow each other
    f, b = function(load(), "add"), upload(range(64))
    x, y = alloc(256), alloc(256)
    one, two = [out(c.c_void_p, "cuStreamCreate", 0) for _ in range(2)]
    fork, join = [out(c.c_void_p, "cuEventCreate", 2) for _ in range(2)]
    call("cuStreamBeginCapture_v2", one, 0)
    launch_add(f, b, b, x, 64, one)
    call("cuEventRecord", fork, one)
    call("cuStreamWaitEvent", two, fork, 0)
    launch_add(f, x, b, y, 64, two)
    call("cuEventRecord", join, two)
    call("cuStreamWaitEvent", one, join, 0)
    launch_add(f, y, y, x, 64, one)
    g = c.c_void_p()
    call("cuStreamEndCapture", one, c.byref(g))
    exec_ = c.c_void_p()
    call("cuGraphInstantiateWithFlags", c.byref(exec_), g, u64(0))
    call("cuGraphLaunch", exec_, two)
    call("cuStreamSynchronize", two)
    assert download(x, 64) == [6 * k for k in range(64)]


@scenario(stderr=r"^error: data race on allocation 1\+4 .*the fill by cuGraphAddMemsetNode .*the fill by cuGraphAddMemsetNode.* \[R0101\].*\nptxi: 1 finding: 1 R0101\n$", options="check=race")
def graph_race():
    begin()
    a = alloc(64)
    diamond(out(c.c_void_p, "cuGraphCreate", 0), [a, a + 4, a + 4, a], [(0, 1), (0, 2), (1, 3), (2, 3)])


@scenario(stderr=r"^error: .*\[R0101\].*\nptxi: 1 finding: 1 R0101\n$|^module 1:.*\[R0101\].*\nptxi: 1 finding: 1 R0101\n$", options="check=race")
def captured_race():
    begin()
    f, b, x = function(load(), "add"), upload(range(64)), alloc(256)
    one, two = [out(c.c_void_p, "cuStreamCreate", 0) for _ in range(2)]
    fork, join = [out(c.c_void_p, "cuEventCreate", 2) for _ in range(2)]
    g, exec_ = c.c_void_p(), c.c_void_p()
    call("cuStreamBeginCapture_v2", one, 0)
    call("cuEventRecord", fork, one)
    call("cuStreamWaitEvent", two, fork, 0)
    launch_add(f, b, b, x, 64, one)
    launch_add(f, b, b, x, 64, two)
    call("cuEventRecord", join, two)
    call("cuStreamWaitEvent", one, join, 0)
    call("cuStreamEndCapture", one, c.byref(g))
    call("cuGraphInstantiateWithFlags", c.byref(exec_), g, u64(0))
    call("cuGraphLaunch", exec_, one)
    call("cuStreamSynchronize", one)


def from_two_threads(launcher):
    """Two threads launch into their default stream, one after the other, and read what both write."""
    context, f = begin(), function(load(), "add")
    a, b = upload(range(64)), alloc(256)

    def work():
        call("cuCtxSetCurrent", context)
        call(launcher, f, 1, 1, 1, 64, 1, 1, 0, None, pointers(u64(a), u64(a), u64(b), c.c_uint32(64)), None)

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    call("cuCtxSynchronize")
    assert download(b, 3) == [0, 2, 4]


@scenario(options="check=race")
def legacy_threads():
    from_two_threads("cuLaunchKernel")


@scenario(stderr=r"\[R0101\].*\nptxi: 1 finding: 1 R0101\n$", options="check=race")
def per_thread_streams():
    f = c.c_void_p()
    call("cuGetProcAddress_v2", b"cuLaunchKernel", c.byref(f), 12000, u64(2), None)
    assert f.value == c.cast(cu.cuLaunchKernel_ptsz, c.c_void_p).value != c.cast(cu.cuLaunchKernel, c.c_void_p).value
    from_two_threads("cuLaunchKernel_ptsz")


@scenario()
def pools():
    begin()
    pool = out(c.c_void_p, "cuDeviceGetDefaultMemPool", 0)
    assert out(c.c_void_p, "cuDeviceGetMemPool", 0).value == pool.value
    used = lambda which, of=pool: out_last(c.c_uint64, "cuMemPoolGetAttribute", of, which)
    a = out(c.c_uint64, "cuMemAllocAsync", c.c_size_t(100), None)
    assert (used(7), used(8)) == (100, 100)
    properties = (c.c_char * 96)()
    own = out(c.c_void_p, "cuMemPoolCreate", properties)
    call("cuMemPoolSetAttribute", own, 4, c.byref(c.c_uint64(1 << 20)))
    assert used(4, own) == 1 << 20
    call("cuDeviceSetMemPool", 0, own)
    b = out(c.c_uint64, "cuMemAllocAsync", c.c_size_t(50), None)
    d = out(c.c_uint64, "cuMemAllocFromPoolAsync", c.c_size_t(8), pool, None)
    assert (used(7), used(7, own)) == (108, 50)
    for x in (a, b, d):
        call("cuMemFreeAsync", x, None)
    assert (used(7), used(8), used(7, own)) == (0, 108, 0)
    call("cuMemPoolDestroy", own)
    call("cuMemPoolDestroy", own, want=1)
    call("cuMemPoolDestroy", pool, want=1)
    assert out(c.c_void_p, "cuDeviceGetMemPool", 0).value == pool.value


def out_last(kind, name, *args):
    value = kind()
    call(name, *args, c.byref(value))
    return value.value


class Array3D(c.Structure):
    _fields_ = [("width", c.c_size_t), ("height", c.c_size_t), ("depth", c.c_size_t), ("format", c.c_uint), ("channels", c.c_uint), ("flags", c.c_uint)]


class Array(c.Structure):
    _fields_ = [("width", c.c_size_t), ("height", c.c_size_t), ("format", c.c_uint), ("channels", c.c_uint)]


def resource(kind, *words, sizes=()):
    """A CUDA_RESOURCE_DESC: its kind, and what follows."""
    r = (c.c_uint64 * 18)()
    for k, word in enumerate((kind, *words)):
        r[k] = word
    assert c.sizeof(r) == 144
    return r


def sampler(flags=0, address=1, filters=0, border=0.0):
    return struct.pack("4iII i3f 4f 12i", address, address, address, filters, flags, 0, 0, 0, 0, 0, border, 0, 0, 0, *[0] * 12)


# a[i] = texture(i, 1); the second row of a surface = 7 + 3 * i
TEXELS = HEAD + """
.visible .entry get(.param .u64 t, .param .u64 a)
{
	.reg .b64 %d<3>; .reg .b32 %r<6>;
	ld.param.u64 %d0, [t]; ld.param.u64 %d1, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, 1;
	tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d0, {%r0, %r1}];
	mul.wide.u32 %d2, %r0, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r2; ret;
}
.visible .entry put(.param .u64 s)
{
	.reg .b64 %d; .reg .b32 %r<4>;
	ld.param.u64 %d, [s]; mov.u32 %r0, %tid.x; mad.lo.u32 %r1, %r0, 3, 7; shl.b32 %r2, %r0, 2; mov.u32 %r3, 1;
	sust.b.2d.b32.trap [%d, {%r2, %r3}], {%r1}; ret;
}
"""


@scenario()
def arrays_and_textures():
    begin()
    m = load(TEXELS)
    get, put = function(m, "get"), function(m, "put")
    array = out(c.c_void_p, "cuArrayCreate_v2", c.byref(Array(8, 2, 3, 1)))
    line = out(c.c_void_p, "cuArray3DCreate_v2", c.byref(Array3D(16, 0, 0, 3, 1, 0)))
    d = out(Array3D, "cuArray3DGetDescriptor_v2", array)
    assert (d.width, d.height, d.depth, d.format, d.channels, d.flags) == (8, 2, 0, 3, 1, 0)
    d = out(Array, "cuArrayGetDescriptor_v2", array)
    assert (d.width, d.height, d.format, d.channels) == (8, 2, 3, 1)
    # copies of lines: host, array, array, device
    a, sixteen, got = upload([100 + k for k in range(16)]), words(*range(50, 66)), words(*[0] * 16)
    call("cuMemcpyHtoA_v2", line, c.c_size_t(0), sixteen, c.c_size_t(64))
    call("cuMemcpyDtoA_v2", line, c.c_size_t(16), u64(a), c.c_size_t(16))
    call("cuMemcpyAtoA_v2", array, c.c_size_t(4), line, c.c_size_t(8), c.c_size_t(28))
    call("cuMemcpyAtoD_v2", u64(a), line, c.c_size_t(0), c.c_size_t(64))
    assert download(a, 16) == [50, 51, 52, 53, 100, 101, 102, 103, *range(58, 66)]
    call("cuMemcpyAtoHAsync_v2", got, array, c.c_size_t(4), c.c_size_t(28), None)
    call("cuCtxSynchronize")
    assert list(got)[:7] == [52, 53, 100, 101, 102, 103, 58]
    call("cuMemcpyHtoAAsync_v2", array, c.c_size_t(0), sixteen, c.c_size_t(32), None)
    # a plane: the second row
    plane = (c.c_uint64 * 16)(0, 0, 1, c.addressof(sixteen), 0, 0, 32, 0, 1, 3, 0, 0, array.value, 0, 32, 1)
    call("cuMemcpy2D_v2", plane)
    texture = out(c.c_uint64, "cuTexObjectCreate", resource(0, array.value), sampler(1), None)
    surface = out(c.c_uint64, "cuSurfObjectCreate", resource(0, array.value))
    launch(get, 1, 8, [texture, u64(a)])
    assert download(a, 8) == list(range(50, 58))
    launch(put, 1, 8, [surface])
    launch(get, 1, 8, [texture, u64(a)])
    assert download(a, 8) == [7 + 3 * k for k in range(8)]
    call("cuMemcpyAtoH_v2", got, array, c.c_size_t(0), c.c_size_t(32))
    assert list(got)[:8] == list(range(50, 58))
    # what they were made of
    r, s = resource(0), c.create_string_buffer(104)
    call("cuTexObjectGetResourceDesc", r, texture)
    assert (r[0], r[1]) == (0, array.value)
    call("cuTexObjectGetTextureDesc", s, texture)
    assert s.raw == sampler(1)
    call("cuSurfObjectGetResourceDesc", r, surface)
    call("cuTexObjectGetResourceDesc", r, surface, want=1)
    call("cuTexObjectGetResourceViewDesc", c.create_string_buffer(112), texture)
    width = c.c_size_t()
    call("cuDeviceGetTexture1DLinearMaxWidth", c.byref(width), 32, 4, 0)
    assert width.value == 1 << 28
    # many at once, which end in another order
    many = [out(c.c_void_p, "cuArrayCreate_v2", c.byref(Array(4, 4, 1, 1))) for _ in range(60)]
    views = [out(c.c_uint64, "cuTexObjectCreate", resource(0, of.value), sampler(1), None) for of in many]
    assert len({of.value for of in many} | {v.value for v in views}) == 120
    for k in [*range(0, 60, 3), *range(59, 0, -1)]:
        if many[k]:
            call("cuTexObjectDestroy", views[k])
            call("cuArrayDestroy", many[k])
            many[k] = None
    call("cuTexObjectGetResourceDesc", r, texture)
    # what there is not
    for wrong in (Array(0, 2, 3, 1), Array(8, 2, 4, 1), Array(8, 2, 3, 3), Array(1 << 40, 2, 3, 1)):
        call("cuArrayCreate_v2", c.byref(c.c_void_p()), c.byref(wrong), want=1)
    for garbage in (0, 8, 1 << 55, (1 << 55) + 77, a, 2**64 - 8):
        call("cuArrayGetDescriptor_v2", c.byref(Array()), c.c_void_p(garbage), want=400)
        call("cuTexObjectCreate", c.byref(c.c_uint64()), resource(0, garbage), sampler(), None, want=400)
        call("cuMemcpyHtoA_v2", c.c_void_p(garbage), c.c_size_t(0), sixteen, c.c_size_t(4), want=400)
        call("cuTexObjectGetTextureDesc", s, u64(garbage), want=1)
    call("cuTexObjectCreate", c.byref(c.c_uint64()), resource(7), sampler(), None, want=1)
    call("cuTexObjectCreate", c.byref(c.c_uint64()), resource(2, a, 1 << 32 | 32, 0), sampler(), None, want=1)
    call("cuTexObjectCreate", c.byref(c.c_uint64()), resource(2, a, 1 << 32 | 77, 64), sampler(), None, want=1)
    call("cuTexObjectCreate", c.byref(c.c_uint64()), resource(3, a, 1 << 32 | 32, 2**63, 2**63, 32), sampler(), None, want=1)
    call("cuTexObjectCreate", c.byref(c.c_uint64()), resource(0, array.value), sampler(1, filters=1), None, want=1)
    call("cuSurfObjectCreate", c.byref(c.c_uint64()), resource(2, a, 1 << 32 | 32, 64), want=1)
    call("cuTexObjectDestroy", texture)
    call("cuSurfObjectDestroy", surface)
    call("cuTexObjectDestroy", u64(0))
    call("cuArrayDestroy", array)
    call("cuArrayDestroy", line)


@scenario(stderr=r"^ptxi: cuTexObjectCreate: mipmapped arrays are not served .*\nptxi: cuTexObjectCreate: a border that is not 0 is not served .*"
          r"ptxi: cuArray3DCreate: cubes, sparse arrays and deferred mapping are not served .*array `allocation 1`, which has 2 rows of 32 bytes.*"
          r"this has been destroyed already.*this has been freed already: array `allocation 1`, which was freed by cuArrayDestroy.*"
          r"tex: 0x100000000000000 is a texture or surface that was destroyed \[F0214\]")
def mistakes_with_arrays():
    begin()
    array = out(c.c_void_p, "cuArrayCreate_v2", c.byref(Array(8, 2, 3, 1)))
    call("cuTexObjectCreate", c.byref(c.c_uint64()), resource(1, array.value), sampler(), None, want=801)
    call("cuTexObjectCreate", c.byref(c.c_uint64()), resource(0, array.value), sampler(address=3, border=1.0), None, want=801)
    call("cuArray3DCreate_v2", c.byref(c.c_void_p()), c.byref(Array3D(8, 8, 6, 3, 1, 4)), want=801)
    call("cuMemcpyHtoA_v2", array, c.c_size_t(2**64 - 4), words(1, 2), c.c_size_t(8), want=1)
    texture = out(c.c_uint64, "cuTexObjectCreate", resource(0, array.value), sampler(1), None)
    call("cuTexObjectDestroy", texture)
    call("cuTexObjectDestroy", texture)
    call("cuArrayDestroy", array)
    call("cuArrayDestroy", array, want=709)
    launch(function(load(TEXELS), "get"), 1, 1, [texture, u64(alloc(4))])
    call("cuCtxSynchronize", want=719)


@scenario(options="devices=3")
def devices():
    begin()
    assert out(c.c_int, "cuDeviceGetCount").value == 3
    names = set()
    for k in range(3):
        assert out(c.c_int, "cuDeviceGet", k).value == k
        name = c.create_string_buffer(20)
        call("cuDeviceGetPCIBusId", name, 20, k)
        assert out(c.c_int, "cuDeviceGetByPCIBusId", name).value == k
        names.add(name.value)
    assert len(names) == 3
    call("cuDeviceGet", c.byref(c.c_int()), 3, want=101)
    assert [out(c.c_int, "cuDeviceCanAccessPeer", 1, k).value for k in range(3)] == [1, 0, 1]
    first, second = [out(c.c_void_p, "cuDevicePrimaryCtxRetain", k) for k in range(2)]
    assert first.value != second.value
    call("cuCtxSetCurrent", second)
    assert out(c.c_int, "cuCtxGetDevice").value == 1
    a = upload(range(64))
    assert out(c.c_int, "cuPointerGetAttribute", 9, u64(a)).value == 1
    call("cuCtxSetCurrent", first)
    call("cuCtxEnablePeerAccess", second, 0)
    call("cuCtxEnablePeerAccess", second, 0, want=704)
    call("cuCtxEnablePeerAccess", first, 0, want=217)
    b = alloc(256)
    call("cuMemcpyPeer", u64(b), first, u64(a), second, c.c_size_t(256))
    launch_add(function(load(), "add"), a, b, b, 64)
    assert download(b, 64) == [2 * k for k in range(64)]
    call("cuCtxDisablePeerAccess", second)
    call("cuCtxDisablePeerAccess", second, want=705)


@scenario(stderr=r"^ptxi: PTXI_OPTIONS is wrong:\n.*'check=rice'", options="check=rice")
def wrong_options():
    call("cuInit", 0, want=802)
    call("cuInit", 0, want=802)
    call("cuDeviceGetCount", c.byref(c.c_int()), want=3)


@scenario(stderr=r"^warning: the launch of kernel 'add' was never waited for, and did not run \[H0151\]\n.*\nptxi: 1 finding: 1 H0151\n$")
def not_waited_for():
    begin()
    a = upload(range(64))
    launch_add(function(load(), "add"), a, a, a, 64)


def main(program="libcuda"):
    global cu
    cu = c.CDLL(sys.argv[1])
    if len(sys.argv) > 2:
        SCENARIOS[sys.argv[2]][0]()
        return
    bad = 0
    for name, (_, stderr, options) in SCENARIOS.items():
        env = dict(os.environ, PTXI_OPTIONS=options)
        p = subprocess.run([sys.executable, *sys.argv, name], env=env, capture_output=True, text=True, timeout=300)
        said = p.stderr
        if p.returncode or p.stdout or not (re.search(stderr, said, re.S) if stderr else said == ""):
            print(f"{program}: {name}: status {p.returncode}, and prints\n{p.stdout}{said}")
            bad = 1
    if not bad:
        print(f"{program}: {len(SCENARIOS)} programs of Python drive libcuda.so.1")
    sys.exit(bad)


if __name__ == "__main__":
    main()
