# The Python module beyond its example; runs in the folder of the examples.
import array, ctypes, struct
import ptxi

text = open("scale.ptx").read()
p = ptxi.Program(text, settings=["check=all"], jobs=2)
assert p.cases == 1 and p.findings == [] and ".entry scale" in p.ptx

# buffers of a case, in and out
r = p.run(a=struct.pack("<64f", *[2.0] * 64))
assert r.verdict == ptxi.PASS and struct.unpack("<64f", r.buffer("c"))[:60] == (6.0,) * 60
r = p.run(c=array.array("f", [1.0] * 64))
assert r.verdict == ptxi.FAIL and r.status == 1, r
assert r.findings[0].code == "X0101" and r.findings[0].places[0].line == 6
assert p.run().verdict == ptxi.PASS  # what was given is forgotten
for wrong in ("b", "scale"):
    try:
        r.buffer(wrong)
        assert False
    except KeyError:
        pass

# everything with the buffer protocol
c = bytearray(32)
a = (ctypes.c_float * 8)(*range(8))
assert p.launch("scale", (1, 1), (32,), ptxi.In(a), c, ptxi.f32(2), ptxi.u32(8)).verdict == ptxi.PASS
assert struct.unpack("<8f", c) == tuple(2.0 * k for k in range(8))
assert p.launch("scale", 1, 32, struct.pack("<8f", *range(8)), memoryview(c), ptxi.f32(3), ptxi.u32(8)).status == 0
assert struct.unpack("<8f", c) == tuple(3.0 * k for k in range(8))
try:
    import numpy
    x, y = numpy.arange(64, dtype="f4"), numpy.zeros(64, dtype="f4")
    assert p.launch("scale", 2, 32, ptxi.In(x), y, numpy.float32(3), numpy.uint32(64)).status == 0
    assert (y == 3 * x).all() and (numpy.frombuffer(p.run().buffer("a"), "f4") == x).all()
except ImportError:
    pass

# mistakes
r = p.launch("sum", 1, 32)
assert r.status == 2 and "no kernel 'sum'" in r.reason
names = ptxi.Program(".version 8.0\n.target sm_90\n.address_size 64\n" + "".join(
    ".visible .entry %s() { ret; }\n" % s for s in ("_Z4fillPi", "_Z4sortIiEvPT_", "_Z4sortIfEvPT_")))
assert names.launch("fill", 1, 1).status == 0 and names.launch("fill(int*)", 1, 1).status == 0
assert names.launch("sort<float>", 1, 1).status == 0 and names.launch("_Z4sortIiEvPT_", 1, 1).status == 0
r = names.launch("sort", 1, 1)
assert r.status == 2 and r.findings[0].code == "L0130" and "several kernels" in r.reason, r.reason
r = names.launch("fil", 1, 1)
assert r.status == 2 and r.findings[0].code == "L0107"
for wrong, error in ((7, TypeError), (memoryview(bytearray(8))[::2], ValueError), (ptxi.Buffer(b"abc"), ValueError)):
    try:
        p.launch("scale", 1, 32, wrong)
        assert False, wrong
    except error:
        pass
try:
    ptxi.Program(".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { bad; }\n", name="k.ptx")
    assert False
except ptxi.Error as e:
    assert e.status == 3 and "k.ptx:4" in str(e)
try:
    p.run(1)
    assert False
except ptxi.Error:
    pass

# a result outlives its program
del p
assert r.status == 2 and r.findings[0].name == "script_unknown_kernel"
