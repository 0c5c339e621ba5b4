"""Drives the driver's functions for linking, and modules that consist of several parts. As libcuda.py; run by linking.sh, which passes the folder with its files."""
import libcuda
from libcuda import *

SCENARIOS.clear()  # those of libcuda.py
FOLDER = os.environ["LINKING"]
PTX, FATBIN, OBJECT, LIBRARY = 1, 2, 3, 4
MAIN, PART, BOUNDS, RACE, FIRST, SECOND = (open(f"tests/oracle/linking/{name}.ptx").read() for name in ("main", "part", "bounds", "race", "first", "second"))
SUM = sum(i * (2, 3, 5)[(i & 3) % 3] + (2 * i if i & 1 else i + 1) for i in range(64))

DECLARED = ".extern .func (.param .b32 r) f(.param .b32 n);"
CALLS = HEAD + DECLARED + """
.global .u32 own = 1;
.visible .entry k(.param .u64 a) {
	.reg .b64 %d;
	.reg .b32 %r<3>;
	.param .b32 n;
	.param .b32 result;
	ld.param.u64 %d, [a];
	st.param.b32 [n], 20;
	call (result), f, (n);
	ld.param.b32 %r0, [result];
	ld.global.u32 %r1, [own];
	add.u32 %r0, %r0, %r1;
	st.global.u32 [%d], %r0;
	ret;
}
"""
DEFINES = HEAD + """
.global .u32 own = 2;
.visible .func (.param .b32 r) f(.param .b32 n) {
	.reg .b32 %r<3>;
	ld.param.b32 %r0, [n];
	ld.global.u32 %r1, [own];
	mul.lo.u32 %r0, %r0, %r1;
	st.param.b32 [r], %r0;
	ret;
}
"""


def logs():
    log = c.create_string_buffer(2000)
    return log, (c.c_int * 2)(5, 6), (c.c_void_p * 2)(c.cast(log, c.c_void_p), 2000)


def create(options=None, values=None):
    return out_last("cuLinkCreate_v2", 2 if options else 0, options, values)


def out_last(name, *args):
    value = c.c_void_p()
    call(name, *args, c.byref(value))
    return value


def add(state, text, kind=PTX, name=None, want=0):
    data = text.encode() + b"\0" if isinstance(text, str) else text
    call("cuLinkAddData_v2", state, kind, data, c.c_size_t(len(data)), name, 0, None, None, want=want)


def complete(state, want=0):
    """A copy of the result, which ends with the state."""
    image, size = c.c_void_p(), c.c_size_t()
    call("cuLinkComplete", state, c.byref(image), c.byref(size), want=want)
    return c.string_at(image, size.value) if image else None


def runs(image):
    m = out(c.c_void_p, "cuModuleLoadData", image)
    a = alloc(4)
    launch(function(m, "k"), 1, 1, [u64(a)])
    return download(a, 1)[0]


def read(name):
    with open(os.path.join(FOLDER, name), "rb") as f:
        return f.read()


def write(name, data):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as f:
        f.write(data)
    return path.encode()


@scenario()
def link():
    begin()
    s = create()
    add(s, CALLS, name=b"calls.ptx")
    add(s, DEFINES)
    image = complete(s)
    assert complete(s, want=1) is None  # only once
    add(s, DEFINES, want=1)
    call("cuLinkDestroy", s)
    call("cuLinkDestroy", s, want=400)
    assert runs(image) == 41
    assert runs(image) == 41  # again: another module
    # from a file, and from objects and fat binaries
    m = out(c.c_void_p, "cuModuleLoad", write("linked", image))
    function(m, "k")
    for calls, kind, defines, other in ((CALLS, PTX, container((1, 75, 0, DEFINES.encode(), 0)), FATBIN), (read("calls.ptxo"), OBJECT, read("defines.ptxo"), OBJECT)):
        s = create()
        add(s, calls, kind)
        add(s, defines, other)
        assert runs(complete(s)) == 41
    s = create()
    call("cuLinkAddFile_v2", s, PTX, os.path.join(FOLDER, "calls.ptx").encode(), 0, None, None)
    call("cuLinkAddFile_v2", s, OBJECT, os.path.join(FOLDER, "defines.ptxo").encode(), 0, None, None)
    call("cuLinkAddFile_v2", s, PTX, b"/nonexistent.ptx", 0, None, None, want=301)
    call("cuLinkAddFile_v2", s, LIBRARY, write("libcudadevrt.a", b"!<arch>\n"), 0, None, None)
    assert runs(complete(s)) == 41
    assert runs(read("whole.ptxo")) == 41
    m = out(c.c_void_p, "cuModuleLoad", os.path.join(FOLDER, "whole.ptxo").encode())
    function(m, "k")


@scenario(stderr="^ptxi: the module has machine code only[^\n]*\n$")
def mistakes():
    begin()
    log, options, values = logs()

    def said(*parts):
        text = log.value.decode()
        assert all(part in text for part in parts), text
        assert values[1] == len(log.value)
        values[1] = 2000

    s = create(options, values)
    add(s, CALLS, name=b"calls.ptx")
    add(s, DEFINES.replace("ret;", "retain;"), name=b"defines.ptx", want=218)
    said("defines.ptx:", "error", "retain")
    complete(s, want=218)  # what was refused is not there
    said("calls.ptx:", "function 'f' is defined in none of the modules that are linked [E0460]", "declared here")
    add(s, DEFINES.replace("f(.param .b32 n)", "f(.param .b64 n)").replace("[n]", "[n]"), name=b"defines.ptx")
    complete(s, want=218)
    said("defines.ptx:", "'f' has other parameters or results in another module [E0462]", "calls.ptx:")
    call("cuLinkDestroy", s)
    values[1] = 2000
    s = create(options, values)
    for name in (b"calls.ptx", b"one.ptx", b"two.ptx"):
        add(s, CALLS if name == b"calls.ptx" else DEFINES, name=name)
    complete(s, want=218)
    said("two.ptx:", "'f' is defined in more than one module [E0461]", "one.ptx:")
    add(s, b"\x7fELF\2\1\1" + bytes(60), kind=OBJECT, want=209)
    add(s, CALLS, kind=17, want=1)
    call("cuLinkAddData_v2", s, PTX, None, c.c_size_t(4), None, 0, None, None, want=1)
    call("cuLinkAddData_v2", None, PTX, b"", c.c_size_t(4), None, 0, None, None, want=400)
    complete(create(), want=1)


@scenario(stderr=r"^(ptxi: the module cannot be loaded: it is damaged\n){10}(error: [^\n]* is not a usable object: [^\n]* \[E0450\]\n *help: [^\n]*\n){6}"
          r"error: [^\n]* is not text: it contains a NUL \[L0205\]\nptxi: the fat binary cannot be loaded: it is damaged\nptxi: 7 findings: 6 E0450, 1 L0205\n$")
def damaged():
    begin()
    s = create()
    add(s, CALLS)
    add(s, DEFINES)
    image = complete(s)

    def refused(data):
        """From a file, whose size is known."""
        assert libcuda.cu.cuModuleLoad(c.byref(c.c_void_p()), write("damaged", data)) in (200, 218)

    for n in (9, 20, 24, 30, 100, len(image) - 1):
        refused(image[:n])
    for at in (8, 15, 24, 31):  # its size, and that of the first name
        refused(image[:at] + b"\xff" + image[at + 1:])
    whole = read("whole.ptxo")
    for n in (8, 30, 48, 60, len(whole) - 1):
        refused(whole[:n])
    refused(whole[:24] + b"\xff" * 16 + whole[40:])
    refused(CALLS.encode()[:60] + b"\0" + CALLS.encode()[60:])
    # a file has no addresses
    assert libcuda.cu.cuModuleLoad(c.byref(c.c_void_p()), write("damaged", struct.pack("<IIQQ", 0x466243B1, 2, 8, 8))) == 209


def wrapper(*parts):
    """What the program of nvcc -rdc=true registers: a list of fat binaries, or of texts that become some."""
    keep = [c.create_string_buffer(part if isinstance(part, bytes) else container((1, 80, 0, part.encode() + b"\0", 0))) for part in parts]
    keep.append((c.c_void_p * (len(parts) + 1))(*[c.addressof(k) for k in keep], None))
    keep.append(struct.pack("<IIQQ", 0x466243B1, 2, 0, c.addressof(keep[-1])))
    return keep


def works(image):
    m = out(c.c_void_p, "cuModuleLoadData", image[-1])
    a = upload(range(64))
    launch(function(m, "_Z4workPi"), 1, 64, [u64(a)])
    assert sum(download(a, 64)) == SUM, (sum(download(a, 64)), SUM)
    launch(function(m, "_Z4showPi"), 1, 1, [u64(a)])
    assert download(a, 1) == [5]
    address, size = c.c_uint64(), c.c_size_t()
    call("cuModuleGetGlobal_v2", c.byref(address), c.byref(size), m, b"total")
    assert download(address.value, 1) == [64]


@scenario(options="check=all")
def separate_compilation():
    begin()
    works(wrapper(MAIN, PART))


@scenario(options="check=all")
def separate_compilation_compressed():
    """The toolkit's own fat binaries, compressed with zstd as nvcc's are."""
    begin()
    parts = [open(f"tests/oracle/linking/{name}.fatbin", "rb").read() for name in ("main", "part")]
    assert all(b"\x28\xb5\x2f\xfd" in part and b".version" not in part for part in parts)
    works(wrapper(*parts))


def two_modules(ordered):
    """What the host code of first.cu and second.cu does; PLANTED: without waiting for the event."""
    begin()
    first, second = load(FIRST), load(SECOND)
    a, b = (out(c.c_void_p, "cuStreamCreate", 1) for k in range(2))
    done = out(c.c_void_p, "cuEventCreate", 0)
    address, own, size = c.c_uint64(), c.c_uint64(), c.c_size_t()
    call("cuModuleGetGlobal_v2", c.byref(address), c.byref(size), first, b"counts")
    call("cuModuleGetGlobal_v2", c.byref(own), c.byref(size), second, b"counts")
    launch(function(first, "_Z3puti"), 1, 32, [c.c_uint32(100)], a)
    call("cuEventRecord", done, a)
    if ordered:
        call("cuStreamWaitEvent", b, done, 0)
    launch(function(second, "_Z3addPKi"), 1, 32, [address], b)
    call("cuStreamSynchronize", b)
    return sum(download(own.value, 32))


@scenario(options="check=all")
def modules_apart():
    assert two_modules(True) == 3696


@scenario(options="check=all", stderr=r"^second.cu:6:2: error: data race on counts .* of kernel 'add\(int const\*\)' \(launch 1, launched by cuLaunchKernel.* of kernel 'put\(int\)' \(launch 0, .*R0101.*\n$")
def planted_race_of_modules():
    two_modules(False)


@scenario(stderr=r"^part.cu:10:2: error: ld.const reads 4 bytes at 0x[0-9a-f]+, just past .const variable `scale`.*module 1\.2:\d+:.*was called at main.cu:14 .*1 F0201\n$")
def planted_bounds():
    begin()
    image = wrapper(MAIN, BOUNDS)
    a = upload(range(64))
    launch(function(out(c.c_void_p, "cuModuleLoadData", image[-1]), "_Z4workPi"), 1, 64, [u64(a)])
    call("cuCtxSynchronize", want=700)


@scenario(options="check=race", stderr=r"^main.cu:16:2: error: data race on total.*2 R0101\n$")
def planted_race():
    begin()
    image = wrapper(RACE, PART)
    a = upload(range(64))
    launch(function(out(c.c_void_p, "cuModuleLoadData", image[-1]), "_Z4workPi"), 1, 64, [u64(a)])
    call("cuCtxSynchronize")


@scenario(stderr=r"^main.cu:14:2: error: function 'scaled\(int, int\)' is defined in none of the modules that are linked \[E0460\]\nmodule 1\.1:.*variable 'total' is defined.*3 E0460\n$")
def incomplete():
    begin()
    image = wrapper(MAIN)
    call("cuModuleLoadData", c.byref(c.c_void_p()), image[-1], want=218)


if len(sys.argv) == 2:
    for name, text in (("calls", CALLS), ("defines", DEFINES), ("whole", CALLS.replace(DECLARED, DEFINES[len(HEAD):].replace("own", "other")))):
        path = write(name + ".ptx", text.encode()).decode()
        subprocess.run([os.environ["PTXI"], "as", "-o", path + "o", path], check=True)
libcuda.main("linking")
