#!/bin/sh
# The line on a terminal that says how far the work is: it appears, fits, is erased before anything else, and leaves nothing behind, also after Control-C; none in a file. The note on
# work without a bound; a trace that is complete when a signal comes while a file is read. PTXI is the program.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
command -v python3 >/dev/null || { echo "progress: skipped: no python3"; exit 0; }
python3 -c 'import pty, termios' 2>/dev/null || { echo "progress: skipped: python3 has no pty"; exit 0; }
exec python3 -W ignore::DeprecationWarning - "$ptxi" <<'PYTHON'
import concurrent.futures, fcntl, json, os, pty, random, re, select, signal, struct, subprocess, sys, tempfile, termios, threading, time
ptxi = os.path.abspath(sys.argv[1])
dir = tempfile.TemporaryDirectory()
tests = bad = 0
WAIT = 100  # seconds: only against hanging
for name in "CI", "NO_COLOR":
    os.environ.pop(name, None)
os.environ["TERM"] = "xterm"

def expect(ok, what, out=b""):
    global tests, bad
    tests += 1
    if not ok:
        bad = 1
        print("progress:", what, "\n  got:", out[-1500:])

def write(name, text):
    path = os.path.join(dir.name, name)
    with open(path, "w") as f:
        f.write(text)
    return path

head = ".version 8.0\n.target sm_80\n.address_size 64\n"
# counts to N in each thread
work = head + """.visible .entry work(.param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %n, %i;
	ld.param.u32 %n, [n];
	mov.u32 %i, 0;
again:
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, %n;
	@%p bra again;
	ret;
}
"""
# prints LINES times "hi\n", after counting to N each time, and then "--"
talk = head + """.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 line[4] = {104, 105, 10, 0};
.global .align 1 .b8 part[3] = {45, 45, 0};
.visible .entry talk(.param .u32 lines, .param .u32 spins)
{
	.reg .pred %p;
	.reg .b32 %l, %i, %n;
	.reg .b64 %a, %b;
	.param .b64 f;
	.param .b64 z;
	.param .b32 r;
	mov.u64 %a, line;
	cvta.global.u64 %a, %a;
	mov.u64 %b, part;
	cvta.global.u64 %b, %b;
	st.param.b64 [z], 0;
	ld.param.u32 %l, [lines];
more:
	ld.param.u32 %n, [spins];
	mov.u32 %i, 0;
again:
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, %n;
	@%p bra again;
	st.param.b64 [f], %a;
	call (r), vprintf, (f, z);
	sub.u32 %l, %l, 1;
	setp.gt.u32 %p, %l, 0;
	@%p bra more;
	st.param.b64 [f], %b;
	call (r), vprintf, (f, z);
	ret;
}
"""
spin = head + """.global .u32 count;
.visible .entry spin()
{
again:
	red.global.add.u32 [count], 1;
	bra again;
}
"""
hang = write("hang.ptx", "//@ launch spin<<<1, 2>>>()\n//@ expect clean\n" + spin)
full = write("full.ptx", "//@ launch work<<<1000000, 128>>>(8000)\n" + work)
many = write("many.ptx", "//@ launch work<<<2, 33>>>(100)\n//@ print 1 + 1\n" + work)
orders = write("orders.ptx", head + """.global .u32 last;
.visible .entry orders()
{
	.reg .b32 %r<3>;
	mov.u32 %r2, %ctaid.x;
	add.u32 %r2, %r2, 1;
	atom.relaxed.gpu.global.exch.b32 %r1, [last], %r2;
	ret;
}
""")
def search(n):
    return ["explore", orders, "-e", "launch orders<<<%d, 1>>>()" % n, "-e", "observe last"]

# Programs that work until they are ended take turns, and are stopped in between: the clock, by which lines and notes are due, goes on, and others have the processors.
TURN, PAUSE = 0.005, 0.015
turns, lock = [], threading.Lock()  # process groups: check's workers are processes, too
def tell(group, sig, last=False):
    with lock:
        if group not in turns:
            return
        if last:
            turns.remove(group)
        try:
            os.killpg(group, sig)
        except ProcessLookupError:  # it is just beginning, or has ended
            pass

def take_turns():
    while True:
        for group in list(turns):
            tell(group, signal.SIGCONT)
            time.sleep(TURN)
            tell(group, signal.SIGSTOP)
            time.sleep(PAUSE)
        if not turns:
            time.sleep(PAUSE)
threading.Thread(target=take_turns, daemon=True).start()

def leave(group):
    """The program goes on without turns."""
    tell(group, signal.SIGCONT, last=True)

def start(args, **streams):
    p = subprocess.Popen([ptxi] + args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=streams.get("stderr", subprocess.PIPE), start_new_session=True)
    turns.append(p.pid)
    return p

def at_once(f, several):
    """The results of F for SEVERAL, four at a time: most of the time they wait."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda args: f(*args), several))

def run_file(args):
    p = start(args)
    out, err = p.communicate(timeout=WAIT)
    leave(p.pid)
    return p.returncode, out, err

def terminal(args, moments=(), signals=(signal.SIGINT,), columns=80, env={}, stdout=None):
    """Runs ptxi on a terminal, and sends it signals at MOMENTS after the first line of progress; returns its status and all that it wrote there."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(env)
        if stdout:
            os.dup2(os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        os.execv(ptxi, [ptxi] + args)
    turns.append(pid)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    out, begin, seen, todo = b"", time.time(), None, list(zip(moments, signals))
    while time.time() < begin + WAIT:
        ready = select.select([fd], [], [], 0.01)[0]
        if seen is None and b"\x1b[K" in out:
            seen = time.time()
        if todo and seen is not None and time.time() - seen >= todo[0][0]:
            leave(pid)
            os.kill(pid, todo.pop(0)[1])
        if ready:
            try:
                data = os.read(fd, 1 << 16)
            except OSError:  # what Linux says when the other end is closed
                data = b""
            if not data:
                break
            out += data
    else:
        os.kill(pid, signal.SIGKILL)
        expect(False, "hangs: " + " ".join(args), out)
    os.close(fd)
    leave(pid)
    status = os.waitpid(pid, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status), out

def screen(out):
    """The lines that a terminal shows in the end."""
    lines, column = [""], 0
    text = re.sub(r"\x1b\[[0-9;]*m", "", out.decode(errors="replace"))
    for one in re.findall(r"\x1b\[K|[^\x1b]", text):
        if one == "\n":
            lines.append("")
        elif one == "\r":
            column = 0
        elif one == "\x1b[K":
            lines[-1] = lines[-1][:column]
        else:
            lines[-1] = lines[-1][:column].ljust(column) + one + lines[-1][column + 1:]
            column += 1
    return lines

def drawn(out):
    """The lines of progress that were shown, without those that only erase."""
    return [s for s in re.findall(r"\r([^\r\n\x1b]+)\x1b\[K", out.decode(errors="replace"))]

def drawing(run, times=1):
    """RUN(size) until it takes so long that at least TIMES lines are due, on a machine of any speed: the first is after half a second."""
    size = 1
    while True:
        begin = time.time()
        result = run(size)
        seconds = time.time() - begin
        if len(drawn(result[-1])) >= times or seconds > 3 + times:
            return size, seconds, result
        size = max(size + 1, int(size * min(16, max(1.3, (0.6 + 0.4 * times) / seconds))))

def alike(what, args, pattern, times=1, columns=80):
    """On a terminal, ARGS(size) shows lines of PATTERN, and what is left is as without them; returns the size."""
    size, seconds, (got, out) = drawing(lambda size: terminal(args(size), columns=columns), times)
    lines = drawn(out)
    expect(len(lines) >= times and all(re.fullmatch(pattern, s) for s in lines), "%s: the lines" % what, out)
    expect(len(lines) <= 5 * seconds + 1, "%s: %d lines in %.1f s" % (what, len(lines), seconds), out)
    plain, without = terminal(args(size) + ["--progress=never"], columns=columns)
    expect(not drawn(without) and b"\x1b[K" not in without, "%s: --progress=never" % what, without)
    expect(got == plain and screen(out) == screen(without), "%s: what is left, status %d and %d" % (what, got, plain), out + b"\n" + without)
    return size

rate, left = r"(, [0-9.]+ ([kM] )?%s/s)?", r"(, \d+ (s|min) left)?"
def ctas(size):
    return write("ctas.ptx", "//@ launch work<<<1000, 128>>>(%d)\n" % (100 * size) + work)
def two(size):
    return write("two.ptx", "//@ case one\n//@ launch talk<<<1, 1>>>(7, %d)\n//@ case two\n//@ launch talk<<<1, 1>>>(2, %d)\n//@ launch work<<<1, 1>>>(%d)\n"
                 % (60000 * size, 30000 * size, 90000 * size) + talk + work.split("64\n", 1)[1])
def cases(size):
    return write("cases.ptx", "".join("//@ case c%d\n//@ launch work<<<2, 32>>>(%d)\n//@ expect clean\n" % (k, 30000 * size) for k in range(5)) + work)
def open_line():
    # a line without its end is not drawn over
    part = write("part.ptx", "//@ launch talk<<<1, 1>>>(1, 10)\n//@ sync\n//@ launch work<<<1, 1>>>(0xffffffff)\n" + talk + work.split("64\n", 1)[1])
    got, out = terminal(["run", "--timeout=1.5", part])
    expect(got == 7 and not drawn(out), "an open line: status %d" % got, out)
def runs(size):
    return ["run", "--runs=%d" % (300 * size), "-j2", many]
def explored():
    for limit in 2.5, 25:  # the second for slow machines
        got, out = terminal(search(10) + ["--timeout=%g" % limit])
        found = any(re.fullmatch(r"\d+( of about \S+)? executions, [1-9]\d* outcomes(, \S+ k/s)?, at most \d+ s left", s) for s in drawn(out))
        if found:
            break
    expect(found and not any("executions," in s or "left" in s for s in screen(out)), "explore", out)
enough = at_once(lambda f, *args: f(*args), (
    (alike, "--runs", runs, r"\d+ of \d+ runs" + rate % "runs" + left),
    (alike, "run", lambda size: ["run", ctas(size)], r"work: \d+ of 1000 CTAs" + rate % "steps" + left, 2),
    (alike, "prints", lambda size: ["run", two(size)], r"case (one|two): (talk|work)( \(launch [12] of 2\))?: 0 of 1 CTAs" + rate % "steps", 3),
    (alike, "check", lambda size: ["check", "--seeds=0", cases(size), many], r"\[[0-2]/2\]( \S+?/(cases|many)\.ptx(:c\d)?(, case \d of 5)?)?" + left, 2, 200),
    (open_line,), (explored,)))[0]

# It fits, and a name does not control the terminal.
got, out = terminal(["run", full], columns=20, moments=[0.7])
expect(drawn(out) and max(map(len, drawn(out))) <= 19, "20 columns", out)
odd = write("odd\x1b[2J\u00e9\u6f22.ptx", "//@ launch spin<<<1, 2>>>()\n//@ expect clean\n" + spin)
got, out = terminal(["check", odd], moments=[0.5])
expect(any("odd?[2J\u00e9\u6f22" in s for s in drawn(out)), "a name with an escape", out)

# Where there is no terminal, or no wish for it, there is no line.
def silent(what, out):
    expect(b"\r" not in out and b"\x1b" not in out, what + " draws", out)
ways = [], ["--progress=always"], ["--progress=always", "-q"]
long = ["run", "--timeout=1.5", hang], ["check", "--timeout=1.5", hang], search(10) + ["--timeout=1.5"], runs(2 * enough)
asked = [args + way for args in long for way in ways]
for args, (got, out, err) in zip(asked, at_once(run_file, [(args,) for args in asked])):
    if args[-1] == ways[1][0]:
        expect(drawn(err), "%s draws nothing" % args, err)
    else:
        silent("%s in a file" % args, err)
def unwished(what, args, env):
    got, out = terminal(["run", "--timeout=1.2", hang] + args, env=env)
    expect(bool(drawn(out)) == ("--progress=always" in args), what, out)
at_once(unwished, (("CI", [], {"CI": "true"}), ("TERM=dumb", [], {"TERM": "dumb"}), ("-q", ["-q"], {}),
                   ("--progress=always on a dumb terminal", ["--progress=always"], {"TERM": "dumb", "CI": "1"})))

# The notes take ten seconds, in which the next tests run.
waiting = []
def later(what, args, seconds=11.8, **streams):
    waiting.append((what, start(args, **streams), time.time() + seconds))
later("run", ["run", hang])
later("check", ["check", hang])
later("explore", search(12))
later("json", ["run", "--format=json", hang])
later("json in the same file", ["run", "--format=json", hang], stderr=subprocess.STDOUT)
later("quiet", ["run", "-q", hang])
later("bounded", ["run", "--timeout=11.5", hang])
chain = write("chain.ptx", "//@ launch work<<<1, 1>>>(1000000)\n" * 5000 + work)
later("launches that end", ["run", chain])

# A signal at any moment leaves a clean terminal, the second one, too.
random.seed(13)
LEFT = r"\d+ of \d+ (CTAs|runs)|executions,|\[\d+/\d+\]|\x1b"
endless = ["run", "--runs=10000000", many]
def stopped(args, moment, twice):
    got, out = terminal(args, moments=[moment, moment] if twice else [moment], signals=[signal.SIGINT, signal.SIGTERM])
    rows = screen(out)
    # of two at once, the system may deliver the second one first
    expect((got == 130 or (twice and got == 143)) and drawn(out), "status %d: %s" % (got, args), out)
    expect(not any(re.search(LEFT, s) for s in rows) and rows[-1] == "", "left after %s: %s" % ("two signals" if twice else "a signal", args), out)
    expect(twice or (any("interrupted" in s for s in rows) and not any("could not report" in s for s in rows)), "no report: %s" % args, out)
at_once(stopped, [(args, 0.5 * random.random(), k == 2) for k in range(3)
                  for args in (["run", hang], ["run", full, "-j2"], endless, endless + ["-j2"], search(12), ["check", hang, full, "-j2"])])
# JSON in a file, while the terminal has the line
def beside(k, args):
    path = os.path.join(dir.name, "out%d.json" % k)
    got, out = terminal(args + ["--format=json"], moments=[0.3], stdout=path)
    expect(drawn(out) and json.load(open(path)).get("interrupted") is True, "JSON beside a terminal: %s" % args, out)
at_once(beside, enumerate((["run", hang], ["check", hang], search(12), endless)))

# A signal, or the time limit, while a file is read: the trace is complete.
fifo = os.path.join(dir.name, "fifo.ptx")
os.mkfifo(fifo)
waits = write("waits.ptx", "//@ launch waits<<<1, 64>>>()\n" + head + ".visible .entry waits() { bar.sync 0; ret; }\n")
for args, events in (["run", fifo], 0), (["run", "--runs=2", waits, fifo], 1):
    for limit in False, True:
        for name in "trace.json", "trace.jsonl":
            path = os.path.join(dir.name, name)
            p = subprocess.Popen([ptxi] + args + ["--trace=" + path] + (["--timeout=0.6"] if limit else []), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(0.5)
            if not limit:
                p.send_signal(signal.SIGINT)
            err = p.communicate(timeout=WAIT)[1]
            text = open(path).read()
            what = "trace of %s, status %d" % (args, p.returncode)
            expect(p.returncode == (7 if limit else 130), what, err)
            try:
                if name.endswith("l"):
                    rows = [json.loads(s) for s in text.splitlines()]
                    expect(text[-1:] in ("", "\n") and bool(rows) == bool(events), what, text.encode())
                else:
                    rows = json.loads(text)["traceEvents"]
                    expect((len(rows) > 4) == bool(events), what, text.encode())
            except ValueError as e:
                expect(False, "%s: %s" % (what, e), text.encode())

# What the notes were.
for what, p, at in waiting:
    time.sleep(max(0, at - time.time()))
    leave(p.pid)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=WAIT)
    said = {"run": rb"no CTA of 'spin' has ended for 10 s; threads 0, 1 of CTA 0 are at line \d+\nptxi: --timeout=SECONDS or --max-steps=N",
            "json": rb"no CTA of 'spin' has ended for 10 s; threads 0, 1 of CTA 0 are at line \d+\n",
            "check": rb"hang.ptx has run for 10 s; threads 0, 1 of CTA 0 are at line \d+\nptxi: --timeout=SECONDS",
            "explore": rb"the search has gone on for 10 s, with \d+ executions so far\nptxi: --timeout=SECONDS ends it, --rounds=N"}.get(what)
    if said:
        expect(len(re.findall(said, err)) == 1 and err.count(b"for 10 s") == 1, "the note of " + what, err)
    elif err is None:
        expect(json.loads(out)["interrupted"], what, out)
    else:
        expect(b"10 s" not in err, "a note: " + what, err)
if not bad:
    print("progress: %d checks of lines on a terminal, notes and traces" % tests)
sys.exit(bad)
PYTHON
