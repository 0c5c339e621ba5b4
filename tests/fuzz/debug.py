#!/usr/bin/env python3
"""Random sessions of ptxi debug: debug.py PTXI SECONDS [SEED].

Each session makes random moves in a random file: no crash, no hang, status 0 or 2, no process left. Then it saves its trail and goes to a step, and a new session that begins with
this trail must show the same there: every way to a step leads to the same state."""
import glob, json, os, random, subprocess, sys, tempfile, time

ptxi, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
files = sorted(glob.glob("tests/ptx/course/*.ptx") + glob.glob("tests/ptx/sync/*.ptx") + glob.glob("tests/ptx/race/*.ptx"))
WAIT = 120  # seconds: only against hanging
LOOK = "warps all\ninfo registers\ninfo barriers\nwhy\nwhere\n"


def number(r):
    return str(r.choice([0, 1, 2, 3, 5, 17, 31, 32, 100, 4294967295, 99999999999999999999, -1]))


def place(r):
    return r.choice(["out", "in", "bar", "flag", "x", "n", "a", "tile", "box", "lock", "param.in", "param.out", "n", "%r1", "%p", "%tid.x", ""]) + r.choice(["", "", "[0]", "[3]", "[1..4]", "[..]", "[", "[9", "[5..2]"])


def move(r):
    kind = r.randrange(20)
    if kind < 6:
        return r.choice(["step", "next", "s 3", "n 2", "back", "rs", "rn", "back 7", "finish", "step 40", "step line", "next line 2", "rs line", "rn line", "rs line 3", "step line x"])
    if kind < 9:
        return r.choice(["warp", "cta", "lane", "cta 1 warp", "launch", "warp 1 lane", "lane all warp", "frame", "frame up", "frame down"]) + " " + number(r)
    if kind < 11:
        return r.choice(["break", "tbreak", "until"]) + " " + r.choice([str(r.randrange(120)), "barrier", "mbarrier", "finding", "barrier 0 warp 1", "loop", "mbarrier bar", ":7", "a.cu:3", "barrier x", "barrier 0 phase 1", "mbarrier phase 2 cta 0", "*" + number(r), "*%d" % r.randrange(60)])
    if kind < 13:
        return r.choice(["watch", "rwatch", "awatch", "who wrote", "print", "print/x", "views", "views", "protocol value", "protocol children", "protocol watches"]) + " " + place(r)
    if kind < 15:
        return r.choice(["continue", "rc", "run", "c 2", "goto " + str(r.randrange(200)), "goto 5000", "goto " + number(r)])
    if kind < 17:
        return r.choice(["delete", "delete 1", "info barriers", "info registers", "info stops", "info findings", "list", "list 3", "why", "warps", "where", "trail", "help", "trail clear", "protocol", "protocol stack", "protocol registers", "protocol special", "protocol local", "protocol shared", "protocol memory", "protocol code 0 99", "protocol code 20 999999999999", "protocol stop 1", "frame 0"])
    if kind < 18:
        return "".join(chr(r.choice([r.randrange(32, 127), r.randrange(1, 256)])) for _ in range(r.randrange(60))).replace("\n", "")
    if kind < 19:
        return r.choice(["x" * 3000, "print " + "out " * 300, "break " + "9" * 1500, "warp 1 " * 200])
    return r.choice(["", "#", " ", "step x", "print", "watch", "trail save", "info x"])


def session(arguments, commands):
    p = subprocess.run([ptxi, "debug", "-q", "-w", *arguments], input=commands.encode("latin-1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=WAIT)
    return p.returncode, p.stdout, p.stderr


def request(r, file):
    """A random request of an editor, mostly one that makes sense."""
    n = lambda: r.choice([0, 1, 1, 1, 2, 3, 33, 34, 5.5, -1, 2 ** 31, 1e300, "x", None])
    source = {"path": r.choice([file, "a.cu", "", 3])}
    some = lambda *k: [{x: r.choice([n(), place(r), str(r.randrange(99)), "0x10000030", "barrier", "0 0 0 box[3]"]) for x in k} for _ in range(r.randrange(4))]
    return r.choice([
        ("threads", {}), ("stackTrace", {"threadId": n(), "startFrame": n(), "levels": n()}), ("scopes", {"frameId": n()}),
        ("variables", {"variablesReference": r.randrange(40), "start": n(), "count": n(), "filter": r.choice(["indexed", "named", ""])}),
        ("evaluate", {"expression": move(r) if r.random() < 0.5 else place(r), "context": r.choice(["repl", "hover", "watch"]), "frameId": n()}),
        ("setBreakpoints", {"source": source, "breakpoints": [{"line": r.randrange(80), "condition": r.choice(["", "warp 1", "x"])} for _ in range(r.randrange(4))]}),
        ("setFunctionBreakpoints", {"breakpoints": some("name")}), ("setDataBreakpoints", {"breakpoints": some("dataId", "accessType")}),
        ("setInstructionBreakpoints", {"breakpoints": some("instructionReference", "offset")}), ("setExceptionBreakpoints", {"filters": r.choice([[], ["finding"], 3])}),
        ("dataBreakpointInfo", {"name": place(r), "variablesReference": n()}), ("exceptionInfo", {"threadId": n()}),
        ("disassemble", {"memoryReference": r.choice(["0x10000000", "0x100000a0", "0", "x", "-5"]), "offset": n(), "instructionOffset": n(), "instructionCount": n()}),
        *[(m, {"threadId": n(), "granularity": r.choice(["line", "instruction", ""])}) for m in ("continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "restart", "pause")],
        ("configurationDone", {}), ("initialize", {}), ("launch", {"program": file}), ("nothing", n())])


def talk(r, file):
    """A conversation in the Debug Adapter Protocol: each request is answered once, and the adapter ends when it is told."""
    asked = [("initialize", {"linesStartAt1": r.random() < 0.9}), ("launch", {"program": file, "stopOnEntry": r.random() < 0.8, "noDebug": r.random() < 0.1})]
    asked += [request(r, file) for _ in range(r.randrange(60))] + [("disconnect", {})]
    text = b""
    for k, (command, arguments) in enumerate(asked):
        body = json.dumps({"seq": k + 1, "type": "request", "command": command, "arguments": arguments}).encode()
        text += b"Content-Length: %d\r\n\r\n" % len(body) + body
    try:
        p = subprocess.run([ptxi, "debug", "--dap", "--max-steps=20000", "--check=all"], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=WAIT)
        got, out = p.stdout, []
        while got:
            head, _, rest = got.partition(b"\r\n\r\n")
            n = int(head.split(b":")[1])
            out.append(json.loads(rest[:n]))
            got = rest[n:]
        answered = sorted(m["request_seq"] for m in out if m["type"] == "response")
        wrong = p.returncode != 0 or p.stderr or answered != list(range(1, len(asked) + 1))
        said = "status %d, answers %s of %d\n%s" % (p.returncode, answered, len(asked), p.stderr.decode("latin-1")[-3000:])
    except (subprocess.TimeoutExpired, ValueError) as e:
        wrong, said = True, repr(e)
    if wrong:
        print("debug.py: a conversation about %s: %s" % (file, said))
        with open("/tmp/debug-fuzz.dap", "wb") as f:
            f.write(text)
        sys.exit(1)


# what a sanitizer says of merely reading a file is another matter
files = [f for f in files if session([f], "quit\n")[0] in (0, 2)]
end, done, compared, talks = time.time() + seconds, 0, 0, 0
with tempfile.TemporaryDirectory() as folder:
    while time.time() < end:
        r = random.Random(seed * 1000003 + done)
        file = r.choice(files)
        if r.random() < 0.25:
            done += 1
            talks += 1
            talk(r, file)
            continue
        options = ["--max-steps=20000", "--max-memory=256M", r.choice(["--check=all", "--check=none"]), r.choice(["--schedule=fair", "--schedule=fair", "--schedule=lockstep", "--schedule=random"]), r.choice(["--memory=fast", "--memory=fast", "--memory=weak"]), "--seed=%d" % r.randrange(9)]
        trail, step = os.path.join(folder, "trail"), r.randrange(150)
        commands = "\n".join(move(r) for _ in range(r.randrange(1, 40)))
        commands += "\ndelete\nlane all\ntrail save %s\ngoto %d\ncta 0\n%s" % (trail, step, LOOK)
        if os.path.exists(trail):
            os.remove(trail)
        try:
            status, out, err = session(options + [file], commands)
            bad = status not in (0, 2) or b"Sanitizer" in err or b"runtime error" in err
            if not bad and os.path.exists(trail):
                again, same, err2 = session(options + ["--trail=" + trail, file], "goto %d\ncta 0\n%s" % (step, LOOK))
                # both end with what LOOK shows
                a, b = out.rsplit(b"CTA 0 of", 1)[-1], same.rsplit(b"CTA 0 of", 1)[-1]
                compared += b"CTA 0 of" in same
                bad = b"Sanitizer" in err2 or (b"CTA 0 of" in same and a != b)
        except subprocess.TimeoutExpired:
            bad, status, err = True, "timeout", b""
        done += 1
        if bad:
            print("debug.py: seed %d, session %d: %s %s: status %s" % (seed, done - 1, " ".join(options), file, status))
            with open("/tmp/debug-fuzz.txt", "w", encoding="latin-1") as f:
                f.write(commands)
            print(err.decode("latin-1")[-3000:])
            sys.exit(1)
print("debug.py: %d sessions, of which %d were compared with a session along their trail, and %d in the Debug Adapter Protocol" % (done, compared, talks))
