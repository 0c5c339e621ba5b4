"""ptxi for Python: runs, checks and assembles PTX without a GPU.

    import ptxi
    program = ptxi.Program.open("scale.ptx")
    for result in program.run_all():            # the cases of its //@ lines
        print(result.verdict, result.reason)

    a = array.array("f", range(64))             # or a numpy array, a bytearray, a ctypes array
    c = array.array("f", bytes(4 * 64))
    result = program.launch("scale", 2, 32, ptxi.In(a), ptxi.Buffer(c), ptxi.f32(3), ptxi.u32(60))
    print(c[5], [f.message for f in result.findings])

Buffers are whatever gives writable, contiguous memory (the buffer protocol); the kernel works on a
copy, which is copied back when it has ended. bytes are copied in only. Numbers need a size: u8 to
u64, s8 to s64, f32, f64, a numpy scalar or a ctypes value. This module needs only ctypes and libptxi.
"""

import ctypes as _c
import os as _os

__all__ = ["Program", "Result", "Finding", "Place", "Buffer", "In", "Error", "version", "u8", "u16", "u32",
           "u64", "s8", "s16", "s32", "s64", "f32", "f64", "PASS", "FAIL", "SKIP"]

PASS, FAIL, SKIP = "pass", "fail", "skip"
OK, USAGE, REJECTED, UNSUPPORTED, BUG, NO_MEMORY = 0, 2, 3, 8, 70, 71
_VERDICTS = (PASS, FAIL, SKIP)
_VALUE, _INPUT, _BUFFER = 0, 1, 2


class Error(Exception):
    """A call failed: `status` is 70 (a bug in ptxi), 71 (out of memory), 3 (rejected PTX) or 2."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class _Options(_c.Structure):
    _fields_ = [("lines", _c.POINTER(_c.c_char_p)), ("settings", _c.POINTER(_c.c_char_p)),
                ("target", _c.c_char_p), ("jobs", _c.c_uint)]


class _Place(_c.Structure):
    _fields_ = [("file", _c.c_char_p), ("line", _c.c_uint), ("column", _c.c_uint), ("length", _c.c_uint),
                ("text", _c.c_char_p)]


class _Finding(_c.Structure):
    _fields_ = [("code", _c.c_char_p), ("name", _c.c_char_p), ("is_warning", _c.c_int), ("message", _c.c_char_p),
                ("places", _c.POINTER(_Place)), ("nplaces", _c.c_size_t),
                ("notes", _c.POINTER(_c.c_char_p)), ("nnotes", _c.c_size_t),
                ("help", _c.c_char_p), ("count", _c.c_uint), ("cta", _c.c_longlong), ("thread", _c.c_longlong)]


class _Arg(_c.Structure):
    _fields_ = [("kind", _c.c_int), ("data", _c.c_void_p), ("size", _c.c_size_t), ("element", _c.c_uint),
                ("name", _c.c_char_p)]


class _Launch(_c.Structure):
    _fields_ = [("kernel", _c.c_char_p), ("grid", _c.c_uint * 3), ("block", _c.c_uint * 3),
                ("cluster", _c.c_uint * 3), ("shared_bytes", _c.c_uint), ("args", _c.POINTER(_Arg)),
                ("nargs", _c.c_size_t)]


def _open_library():
    path = _os.environ.get("PTXI_LIBRARY", "libptxi.so.0")
    try:
        return _c.CDLL(path)
    except OSError:
        # installed with a prefix of its own: PREFIX/lib/python3/dist-packages/ptxi.py, PREFIX/lib/libptxi.so.0
        near = _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "..", "..", "libptxi.so.0")
        if "PTXI_LIBRARY" in _os.environ or not _os.path.exists(near):
            raise
        return _c.CDLL(near)


_lib = _open_library()
_p, _n, _s = _c.c_void_p, _c.c_size_t, _c.c_char_p
for _name, _result, _arguments in (
    ("version", _s, []),
    ("load", _p, [_s, _s, _n, _c.POINTER(_Options)]), ("free", None, [_p]), ("status", _c.c_int, [_p]),
    ("error", _s, [_p]), ("diagnostics", _s, [_p]), ("diagnostics_json", _s, [_p]), ("disassemble", _s, [_p]),
    ("findings", _n, [_p]), ("finding", _c.POINTER(_Finding), [_p, _n]), ("cases", _n, [_p]),
    ("set_buffer", _c.c_int, [_p, _s, _p, _n]), ("run", _p, [_p, _n]),
    ("launch", _p, [_p, _c.POINTER(_Launch)]), ("result_free", None, [_p]), ("result_status", _c.c_int, [_p]),
    ("result_verdict", _c.c_int, [_p]), ("result_reason", _s, [_p]),
    ("result_output", _p, [_p, _c.POINTER(_n)]), ("result_json", _s, [_p]),
    ("result_buffer", _p, [_p, _s, _c.POINTER(_n)]), ("result_findings", _n, [_p]),
    ("result_finding", _c.POINTER(_Finding), [_p, _n]),
):
    _function = getattr(_lib, "ptxi_" + _name)
    _function.restype, _function.argtypes = _result, _arguments


def _text(b):
    return None if b is None else b.decode("utf-8", "replace")


def _list(words):
    return (_c.c_char_p * (len(words) + 1))(*[w.encode() for w in words], None)


version = _text(_lib.ptxi_version())

u8, u16, u32, u64 = _c.c_uint8, _c.c_uint16, _c.c_uint32, _c.c_uint64
s8, s16, s32, s64 = _c.c_int8, _c.c_int16, _c.c_int32, _c.c_int64
f32, f64 = _c.c_float, _c.c_double


class Place:
    """file (None: only text), line, column, length and text of a place in the program."""

    def __init__(self, p):
        self.file, self.text = _text(p.file), _text(p.text)
        self.line, self.column, self.length = p.line, p.column, p.length

    def __repr__(self):
        return f"{self.file}:{self.line}:{self.column}" if self.file else self.text


class Finding:
    """An error, a warning, a race, a fault ...: code, name, message, places, notes, help, count, cta, thread."""

    def __init__(self, f):
        self.code, self.name, self.message, self.help = _text(f.code), _text(f.name), _text(f.message), _text(f.help)
        self.is_warning = bool(f.is_warning)
        self.places = [Place(f.places[k]) for k in range(f.nplaces)]
        self.notes = [_text(f.notes[k]) for k in range(f.nnotes)]
        self.count, self.cta, self.thread = f.count, f.cta, f.thread

    def __repr__(self):
        return f"<{self.code} {self.name}: {self.message}>"


class Buffer:
    """An argument whose bytes the kernel may change; `array` has the new ones after the launch."""

    kind = _BUFFER

    def __init__(self, array, name=None):
        self.array, self.name = array, name


class In(Buffer):
    """An argument whose bytes are copied to the device and not back."""

    kind = _INPUT


def _argument(value):
    """The struct for one argument, and what must live as long as it."""
    if isinstance(value, (_c._SimpleCData, _c.Structure)):
        return _Arg(_VALUE, _c.addressof(value), _c.sizeof(value), 0, None), value
    if getattr(value, "shape", None) == () and hasattr(value, "tobytes"):  # numpy.float32(3)
        data = (_c.c_char * value.nbytes).from_buffer_copy(value.tobytes())
        return _Arg(_VALUE, _c.addressof(data), value.nbytes, 0, None), data
    if not isinstance(value, Buffer):
        value = (In if isinstance(value, bytes) else Buffer)(value)
    try:
        view = memoryview(value.array)
    except TypeError:
        raise TypeError(f"{value.array!r} is neither a buffer nor a number with a size, such as ptxi.u32(7)") from None
    if not view.c_contiguous:
        raise ValueError("a buffer must be contiguous in memory")
    if value.kind == _BUFFER and view.readonly:
        raise ValueError("a buffer that the kernel may change must be writable; ptxi.In(...) only copies it in")
    if view.readonly:
        data = (_c.c_char * view.nbytes).from_buffer_copy(view.tobytes())
    else:
        data = (_c.c_char * view.nbytes).from_buffer(view if view.nbytes else bytearray(1))
    return _Arg(value.kind, _c.addressof(data), view.nbytes, view.itemsize,
                value.name.encode() if value.name else None), data


def _three(shape):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if len(shape) > 3 or any(not 0 <= n < 1 << 32 for n in shape):
        raise ValueError("a shape has one to three dimensions below 2**32")
    return (_c.c_uint * 3)(*shape)


class Result:
    """What a run found: status, verdict ("pass", "fail", "skip"), reason, output, json, findings."""

    def __init__(self, handle):
        self.status = _lib.ptxi_result_status(handle)
        self.verdict = _VERDICTS[_lib.ptxi_result_verdict(handle)]
        self.reason = _text(_lib.ptxi_result_reason(handle))
        n = _n()
        text = _lib.ptxi_result_output(handle, _c.byref(n))
        self.output = _c.string_at(text, n.value)
        self.json = _text(_lib.ptxi_result_json(handle))
        self.findings = [Finding(_lib.ptxi_result_finding(handle, k).contents)
                         for k in range(_lib.ptxi_result_findings(handle))]
        self._handle = handle

    def __del__(self):
        if getattr(self, "_handle", None):
            _lib.ptxi_result_free(self._handle)

    def buffer(self, name):
        """The final bytes of a buffer or variable of the case; KeyError if there is none.
        numpy.frombuffer(result.buffer("c"), "f4") makes an array of them."""
        n = _n()
        data = _lib.ptxi_result_buffer(self._handle, name.encode(), _c.byref(n))
        if not data:
            raise KeyError(name)
        return _c.string_at(data, n.value)

    def __repr__(self):
        return f"<{self.verdict}{': ' + self.reason if self.reason else ''}>"


class Program:
    """A PTX program. Raises Error if it is rejected; `findings` has its warnings."""

    def __init__(self, text, name="program.ptx", lines=(), settings=(), target=None, jobs=0):
        text = text.encode() if isinstance(text, str) else bytes(text)
        options = _Options(_list(lines), _list(settings), target.encode() if target else None, jobs)
        self._handle = _lib.ptxi_load(name.encode(), text, len(text), _c.byref(options))
        if not self._handle:
            raise Error(NO_MEMORY, "out of memory")
        self.findings = [Finding(_lib.ptxi_finding(self._handle, k).contents)
                         for k in range(_lib.ptxi_findings(self._handle))]
        status = _lib.ptxi_status(self._handle)
        if status != OK:
            raise Error(status, _text(_lib.ptxi_error(self._handle)) or self.diagnostics)

    @classmethod
    def open(cls, path, **options):
        with open(path, "rb") as f:
            return cls(f.read(), name=str(path), **options)

    def __del__(self):
        if getattr(self, "_handle", None):
            _lib.ptxi_free(self._handle)

    @property
    def diagnostics(self):
        return _text(_lib.ptxi_diagnostics(self._handle)) or ""

    @property
    def ptx(self):
        """Canonical PTX."""
        return _text(_lib.ptxi_disassemble(self._handle))

    @property
    def cases(self):
        return _lib.ptxi_cases(self._handle)

    def _result(self, handle):
        if not handle:
            raise Error(_lib.ptxi_status(self._handle), _text(_lib.ptxi_error(self._handle)) or "there is no such case")
        result = Result(handle)
        if result.status in (BUG, NO_MEMORY):
            raise Error(result.status, result.reason)
        return result

    def run(self, case=0, **buffers):
        """Runs a case. BUFFERS: bytes or arrays with which buffers of the case begin, by name."""
        try:
            for name, data in buffers.items():
                data = memoryview(data).tobytes()
                if _lib.ptxi_set_buffer(self._handle, name.encode(), data, len(data)) != OK:
                    raise Error(NO_MEMORY, "out of memory")
            return self._result(_lib.ptxi_run(self._handle, case))
        finally:
            for name in buffers:
                _lib.ptxi_set_buffer(self._handle, name.encode(), None, 0)

    def run_all(self):
        return [self.run(k) for k in range(self.cases)]

    def launch(self, kernel, grid, block, *args, shared=0, cluster=(0, 0, 0)):
        """Launches a kernel; GRID, BLOCK and CLUSTER are numbers or up to three of them."""
        made = [_argument(a) for a in args]
        array = (_Arg * max(1, len(made)))(*[m[0] for m in made])
        launch = _Launch(kernel.encode(), _three(grid), _three(block), _three(cluster), shared, array, len(made))
        return self._result(_lib.ptxi_launch(self._handle, _c.byref(launch)))
