#!/usr/bin/env python3
"""What the debugger costs: bench/debug.py PTXI [STEP [OPTION...]]; BENCH_FILE=FILE.ptx: another program.

Runs bench/k_mm.ptx to STEP (10^6), then goes back: by one step (the median and the longest of 20 in a row), and to earlier steps; and says how much memory all its processes
have together (proportional set size, Linux)."""
import os, subprocess, sys, time

ptxi, step, options = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10 ** 6, sys.argv[3:]
file = os.environ.get("BENCH_FILE") or os.path.join(os.path.dirname(__file__), "k_mm.ptx")
p = subprocess.Popen([ptxi, "debug", "-q", *options, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ask(command=""):
    """Seconds until the command has shown its step, and the step."""
    begin = time.time()
    if command:
        p.stdin.write((command + "\n").encode())
        p.stdin.flush()
    while True:
        line = p.stdout.readline()
        if not line:
            sys.exit("the debugger has ended")
        if line.startswith(b"step "):
            p.stdout.readline()
            return time.time() - begin, int(line.split()[1].rstrip(b":"))
        if line.startswith(b"the run has ended"):
            sys.exit("the run is shorter than %d steps" % step)


def memory():
    """MB of the front and of all that it has started."""
    total, found = 0, {p.pid}
    for _ in range(2):
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and int(open("/proc/%s/stat" % name).read().rsplit(")", 1)[1].split()[1]) in found:
                    found.add(int(name))
            except OSError:
                pass
    for pid in found:
        try:
            total += int(open("/proc/%d/smaps_rollup" % pid).read().split("\nPss:")[1].split()[0])
        except (OSError, IndexError):
            pass
    return total / 1024, len(found)


ask()
print("to step %d: %.2f s" % (step, ask("goto %d" % step)[0]))
times = []
for k in range(20):
    seconds, at = ask("back")
    times.append(seconds * 1000)
    assert at == step - k - 1
times.sort()
print("a step back: median %.1f ms, longest %.1f ms" % (times[10], times[-1]))
print("back to the middle: %.1f ms, to step 1: %.1f ms" % (ask("goto %d" % (step // 2))[0] * 1000, ask("goto 1")[0] * 1000))
print("memory: %.0f MB in %d processes" % memory())
p.stdin.close()
p.wait()
