#!/bin/sh
# What a user sees while a program runs, and after Control-C at any moment: printed lines at once and whole, a report, a status, valid JSON, and no process left. PTXI is the program.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
command -v python3 >/dev/null || { echo "live: skipped: no python3"; exit 0; }
exec python3 - "$ptxi" <<'PYTHON'
import json, os, random, re, signal, subprocess, sys, tempfile, time
import xml.dom.minidom
ptxi = os.path.abspath(sys.argv[1])
dir = tempfile.TemporaryDirectory()
tests = bad = 0
WAIT = 60  # seconds: only against hanging

def expect(ok, what, out=b"", err=b""):
    global tests, bad
    tests += 1
    if not ok:
        bad = 1
        print("live:", what, "\n  out:", out[-300:], "\n  err:", err[-300:])

def write(name, text):
    path = os.path.join(dir.name, name)
    with open(path, "w") as f:
        f.write(text)
    return path

head = ".version 8.0\n.target sm_80\n.address_size 64\n"
talk = head + """.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 line[4] = {104, 105, 10, 0};
.global .u32 count;
.global .align 1 .b8 part[3] = {45, 45, 0};
.visible .entry talk(.param .u32 spins)
{
	.reg .pred %p;
	.reg .b32 %n;
	.reg .b64 %a, %b;
	.param .b64 f;
	.param .b64 z;
	.param .b32 r;
	ld.param.u32 %n, [spins];
	mov.u64 %a, line;
	cvta.global.u64 %a, %a;
	mov.u64 %b, part;
	cvta.global.u64 %b, %b;
	st.param.b64 [f], %a;
	st.param.b64 [z], 0;
	call (r), vprintf, (f, z);
	st.param.b64 [f], %b;
	call (r), vprintf, (f, z);
	setp.eq.u32 %p, %n, 0;
	@%p ret;
again:
	red.global.add.u32 [count], 1;
	bra again;
}
"""
hang = write("hang.ptx", "//@ launch talk<<<1, 2>>>(1)\n//@ expect clean\n" + talk)
short = write("short.ptx", "//@ launch talk<<<2, 33>>>(0)\n//@ print 1 + 1\n//@ expect clean\n" + talk)
many = write("many.ptx", "//@ launch talk<<<2, 33>>>(0)\n" + talk)
litmus = write("orders.ptx", head + """.global .u32 last;
.visible .entry orders()
{
	.reg .b32 %r<3>;
	mov.u32 %r2, %ctaid.x;
	add.u32 %r2, %r2, 1;
	atom.relaxed.gpu.global.exch.b32 %r1, [last], %r2;
	ret;
}
""")
search = ["explore", litmus, "-e", "launch orders<<<9, 1>>>()", "-e", "observe last"]

def children(pid):
    """The live processes that PID started, directly or not."""
    of = {}
    for p in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        try:
            if p.isdigit():
                stat = open("/proc/%s/stat" % p).read().rsplit(")", 1)[1].split()
                if stat[0] != "Z":
                    of.setdefault(int(stat[1]), []).append(int(p))
        except OSError:
            pass
    out, todo = [], [pid]
    while todo:
        new = of.get(todo.pop(), [])
        out += new
        todo += new
    return out

def alive(pid):
    try:
        return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False

def run(args, moments, signals=(signal.SIGINT,), group=False):
    """Runs ptxi and sends it each signal after a moment; returns status, out, err."""
    p = subprocess.Popen([ptxi] + args, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         stdin=subprocess.DEVNULL, start_new_session=True)
    helpers = []
    for moment, sig in zip(moments, signals):
        time.sleep(moment)
        helpers += children(p.pid)
        try:
            os.killpg(p.pid, sig) if group else p.send_signal(sig)
        except ProcessLookupError:
            pass
    try:
        out, err = p.communicate(timeout=WAIT)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        expect(False, "hangs after a signal: " + " ".join(args), out, err)
    end = time.time() + WAIT
    while any(map(alive, helpers)) and time.time() < end:
        time.sleep(0.05)
    expect(not any(map(alive, helpers)), "a process is left: " + " ".join(args))
    return p.returncode, out, err

# A warp's print of one call stays together, and a line without its newline is held until the end.
for jobs in "1", "2":
    got, out, err = run(["run", "-j", jobs, short], [])
    expect(got == 0 and out.endswith(b"\n1 + 1 = 2\n"), "short.ptx", out, err)
    warps = re.findall(rb"(?:hi\n)+|(?:--)+", out)
    # warps of 32 lanes and of 1: their calls may meet, but none is cut
    lanes = [len(s) // (3 if s[:1] == b"h" else 2) for s in warps]
    expect(sum(lanes) == 132 and all(n % 32 <= 2 for n in lanes), "prints, -j%s: %s" % (jobs, lanes), out, err)

# What was printed is there while the kernel spins; the rest of the line comes with the report.
p = subprocess.Popen([ptxi, "run", hang], bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
line = p.stdout.readline()
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=WAIT)
expect(line == b"hi\n", "the first line while the kernel runs", line)
# the signal may come before the second call
expect(out == b"hi\n----\n" or (out == b"hi\n" and b"threads 0, 1 at line 18" in err), "the rest after Control-C", out, err)
expect(p.returncode == 130 and b"interrupted before the kernels ended [B0005]" in err, "Control-C", out, err)

# Control-C at any moment: one of these endings, each complete
random.seed(13)
ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143}
def at_any_moment(args, times, longest, check=lambda out, err: True):
    for k in range(times):
        sig = random.choice(list(ENDS))
        # a signal before main() has installed its handlers ends the process as usual
        got, out, err = run(args, [0.03 + longest * random.random()], [sig], group=k % 2 == 1)
        before = got == -sig and not out
        expect(before or got in (0, 1, 7, ENDS[sig]), "status %d: %s" % (got, args), out, err)
        try:
            expect(before or check(out, err) is not False, "text after a signal: %s" % args, out, err)
        except Exception as e:
            expect(False, "%s: %s" % (args, e), out, err)

def marked(out, err):
    return json.loads(out).get("interrupted") is True
at_any_moment(["run", hang], 5, 0.15, lambda out, err: b"interrupted" in err)
at_any_moment(["run", "--format=json", hang], 5, 0.15, marked)
at_any_moment(["check", "-j", "2", hang, short, hang], 5, 0.15, lambda out, err: out.endswith(b"skipped; interrupted\n"))
at_any_moment(["check", "--format=json", hang, short], 5, 0.15, marked)
at_any_moment(["check", "--format=junit", hang], 3, 0.15, lambda out, err: xml.dom.minidom.parseString(out) and b"interrupted" in out)
at_any_moment(["check", "--format=tap", hang], 2, 0.15, lambda out, err: b"1..1\nBail out!" in out)
at_any_moment(search, 5, 0.5, lambda out, err: b"B0005" in err)
at_any_moment(search + ["--format=json"], 5, 0.5, marked)
runs = ["run", "--runs=10000000", many]
def histogram(out, err):
    lines = out.decode().splitlines()
    total = sum(int(s.split()[0]) for s in lines[1:] if ":> " in s)
    return b"interrupted" in err and (not lines or " in %d run" % total in lines[0])
for jobs in "1", "2":
    at_any_moment(runs + ["-j", jobs], 3, 0.15, histogram)
at_any_moment(runs + ["--format=json"], 4, 0.15, marked)

# 1,500 printed lines are one short entry of the histogram, with the first line that differs.
lines = write("lines.ptx", """//@ launch lines<<<2, 1>>>()
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 line[8] = {99, 32, 37, 117, 10, 0, 0, 0};
.visible .entry lines()
{
	.local .align 8 .b32 args[2];
	.reg .pred %p;
	.reg .b32 %n, %c;
	.reg .b64 %a, %b;
	.param .b64 f;
	.param .b64 z;
	.param .b32 r;
	mov.u64 %a, line;
	cvta.global.u64 %a, %a;
	mov.u64 %b, args;
	cvta.local.u64 %b, %b;
	mov.u32 %n, 0;
	mov.u32 %c, %ctaid.x;
again:
	st.local.u32 [args], %c;
	st.param.b64 [f], %a;
	st.param.b64 [z], %b;
	call (r), vprintf, (f, z);
	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, 750;
	@%p bra again;
	ret;
}
""")
for jobs in "1", "2":
    got, out, err = run(["run", "--runs=40", "-j", jobs, lines], [])
    rows = out.decode().splitlines()
    expect(got == 0 and max(map(len, rows)) < 200 and any(re.match(r" +printed line \d+: \"c [01]\"$", s) for s in rows), "histogram of prints", out, err)
for command in ["run"], ["check", "-e", "expect clean"]:
    got, out, err = run(command + ["--runs=40", "--format=json", lines], [])
    it = json.loads(out)
    it = it["cases"][0] if "cases" in it else it
    expect(got == 0 and len(it["outcomes"]) > 1 and all("... 1500 lines, 6000 bytes, " in o["state"]["printed"] and o["first_difference"]["line"] >= 1
           for o in it["outcomes"]), "outcomes of prints in JSON", out, err)

# A second signal ends it at once, also the workers of check.
for args in ["run", hang], ["check", "-j", "2", hang, hang]:
    got, out, err = run(args, [0.2, 0.01], [signal.SIGINT, signal.SIGTERM])
    expect(got == 130, "two signals: status %d" % got, out, err)
# A file that never ends is left, too.
if hasattr(os, "mkfifo"):
    os.mkfifo(os.path.join(dir.name, "fifo.ptx"))
    fifo = os.path.join(dir.name, "fifo.ptx")
    got, out, err = run(["run", "--format=json", fifo], [0.2])
    expect(got == 130 and json.loads(out)["interrupted"], "a signal while a file is read", out, err)
    got, out, err = run(["check", "--format=json", fifo, short], [0.2])
    expect(got == 130 and json.loads(out)["interrupted"], "check: a signal while a file is read", out, err)
if not bad:
    print("live: %d checks of output while running and of signals" % tests)
sys.exit(bad)
PYTHON
