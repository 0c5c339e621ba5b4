#!/bin/sh
# A session as VS Code has it with ptxi debug --dap: requests as it sends them, in its order; every answer is checked. Then messages that are none. PTXI is the program.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
command -v python3 >/dev/null || { echo "SKIP dap: python3 is needed"; exit 0; }
exec python3 - "$ptxi" <<'PYTHON'
import json, os, random, subprocess, sys, time
ptxi = os.path.abspath(sys.argv[1])
tests = bad = 0
WAIT = 60  # seconds: only against hanging

def expect(ok, what, got=""):
    global tests, bad
    tests += 1
    if not ok:
        bad = 1
        print("dap:", what, str(got)[:600])

class Session:
    def __init__(self, *options):
        self.p = subprocess.Popen([ptxi, "debug", "--dap", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.seq, self.events = 0, []

    def read(self):
        header = b""
        while not header.endswith(b"\r\n\r\n"):
            byte = self.p.stdout.read(1)
            if not byte:
                return None
            header += byte
        return json.loads(self.p.stdout.read(int(header.split(b":")[1])))

    def send(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.p.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.p.stdin.flush()
        return self.seq

    def answer(self, seq):
        while True:
            m = self.read()
            if m is None:
                return {"success": False, "message": "the other side has ended"}
            if m["type"] == "response" and m["request_seq"] == seq:
                return m
            self.events.append(m)

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def body(self, command, **arguments):
        m = self.ask(command, **arguments)
        expect(m["success"], command + " fails:", m)
        return m.get("body", {})

    def event(self, name):
        while True:
            for k, m in enumerate(self.events):
                if m["event"] == name:
                    return self.events.pop(k)["body"]
            m = self.read()
            if m is None:
                expect(False, "no event " + name)
                return {}
            self.events.append(m)

    def move(self, command, reason, **arguments):
        """A request that runs: where it stops, as (thread, line, description)."""
        self.body(command, **arguments)
        stopped = self.event("stopped")
        expect(stopped["reason"] == reason, "%s stops for %s, not for %s" % (command, stopped["reason"], reason))
        frames = self.body("stackTrace", threadId=stopped["threadId"], startFrame=0, levels=20)["stackFrames"]
        return stopped["threadId"], frames[0]["line"] if frames else 0, stopped["description"]

    def end(self):
        self.body("disconnect", restart=False)
        self.event("terminated")
        self.p.stdin.close()
        expect(self.p.wait(WAIT) == 0, "another status at the end")

# ---- scan.ptx: two warps ----
file = os.path.abspath("tests/ptx/course/scan.ptx")
s = Session("--check=all")
can = s.body("initialize", clientID="vscode", adapterID="ptxi", pathFormat="path", linesStartAt1=True, columnsStartAt1=True, supportsVariableType=True, locale="en")
for what in "supportsConfigurationDoneRequest", "supportsStepBack", "supportsDataBreakpoints":
    expect(can.get(what) is True, what)
expect(not s.ask("threads")["success"], "threads before a launch")
s.body("launch", name="Debug", type="ptxi", request="launch", program=file)
s.event("initialized")
stops = s.body("setBreakpoints", source={"name": "scan.ptx", "path": file}, lines=[28, 9999], breakpoints=[{"line": 28}, {"line": 9999}], sourceModified=False)["breakpoints"]
expect([b["verified"] for b in stops] == [True, False], "breakpoints", stops)
s.body("setFunctionBreakpoints", breakpoints=[])
s.body("setExceptionBreakpoints", filters=["finding"])
s.body("configurationDone")
expect(s.event("stopped")["reason"] == "entry", "the entry")
threads = s.body("threads")["threads"]
expect([t["name"] for t in threads] == ["CTA 0, warp 0", "CTA 0, warp 1"], "threads", threads)
thread, line, _ = s.move("continue", "breakpoint", threadId=threads[0]["id"])
expect((thread, line) == (threads[0]["id"], 28), "the first stop", (thread, line))
frame = s.body("stackTrace", threadId=thread)["stackFrames"][0]
expect(frame["name"] == "scan" and frame["source"]["path"] == file, "the frame", frame)
scopes = s.body("scopes", frameId=frame["id"])["scopes"]
expect([x["name"] for x in scopes] == ["Registers", "Memory"], "scopes", scopes)
registers = {v["name"]: v["value"] for v in s.body("variables", variablesReference=scopes[0]["variablesReference"])["variables"]}
expect(registers.get("%r1") == " ".join(map(str, range(32))), "a register", registers.get("%r1"))
memory = {v["name"]: v["value"] for v in s.body("variables", variablesReference=scopes[1]["variablesReference"])["variables"]}
expect(memory.get("in", "").split() == [str(k) for k in range(1, 65)], "memory", memory.get("in"))
step = int(s.body("evaluate", expression="where", context="repl")["result"].split()[1].rstrip(":"))
expect(s.move("stepBack", "step", threadId=thread)[2] == "step %d" % (step - 1), "a step back")
expect(s.move("stepIn", "breakpoint", threadId=thread)[2] == "step %d" % step, "a step forwards, to a breakpoint")
expect(s.move("stepIn", "step", threadId=thread)[2] == "step %d" % (step + 1), "a step")
other = s.move("stepIn", "step", threadId=threads[1]["id"])
expect(other[0] == threads[1]["id"] and other[1] == 19, "a step of the other warp", other)
expect(s.body("evaluate", expression="%tid.x", context="watch", frameId=threads[1]["id"] * 64)["result"].startswith("%tid.x[0..31] = 32 33"), "a watched expression")
expect(not s.ask("evaluate", expression="nothing", context="hover")["success"], "an expression that is none")
s.body("setBreakpoints", source={"name": "scan.ptx", "path": file}, breakpoints=[])
info = s.body("dataBreakpointInfo", name="out[3]", variablesReference=2)
expect(info["dataId"] == "out[3]" and s.body("dataBreakpointInfo", name="%r1")["dataId"] is None, "what can be watched", info)
expect(s.body("setDataBreakpoints", breakpoints=[{"dataId": "out[3]", "accessType": "write"}])["breakpoints"][0]["verified"], "a data breakpoint")
wrote = s.move("continue", "breakpoint", threadId=thread)
expect(wrote[1] == 44, "after the write", wrote)
expect("wrote out[3]: 0 -> 10" in "".join(m["body"]["output"] for m in s.events if m["event"] == "output"), "what the write says", s.events)
expect(s.move("reverseContinue", "breakpoint", threadId=thread)[1] == 43, "back to the write")
s.move("continue", "breakpoint", threadId=thread)
end = s.move("continue", "step", threadId=thread)
expect("the end of the run" in end[2], "the end", end)
expect(s.body("threads")["threads"][0]["name"] == "the run has ended", "threads at the end")
expect(s.move("stepBack", "step", threadId=thread)[1] == 44, "back from the end")
expect(s.move("restart", "step")[2] == "step 0", "again")
expect(not s.ask("unknown")["success"], "a request that is none")
s.end()

# ---- a program that does not end: pause, and requests while it runs ----
s = Session("-e", "launch count<<<1, 64>>>()")
s.body("initialize", adapterID="ptxi")
expect(not s.ask("launch", program="/nowhere.ptx")["success"], "a file that is not there")
text = open("tests/debug/lost_update.ptx").read().replace("\texit;", "\tbra again;").replace("\tld.global", "again:\tld.global")
path = "/tmp/dap-%d.ptx" % os.getpid()
with open(path, "w") as f:
    f.write(text)
try:
    s.body("launch", program=path)
    s.event("initialized")
    s.body("configurationDone")
    s.event("stopped")
    s.body("continue", threadId=1)
    expect(len(s.body("threads")["threads"]) == 2, "threads while it runs")
    time.sleep(0.2)
    expect(not any(m["event"] == "stopped" for m in s.events), "it stopped to answer")
    s.body("pause", threadId=1)
    expect(s.event("stopped")["reason"] == "pause", "a pause")
    s.end()
finally:
    os.remove(path)

# ---- the source's lines ----
s = Session("--script=tests/oracle/places/lost_update.cu")
s.body("initialize", adapterID="ptxi")
s.body("launch", program=os.path.abspath("tests/oracle/places/lost_update.lineinfo.ptx"))
s.event("initialized")
source = os.path.abspath("tests/oracle/places/lost_update.cu")
expect(s.body("setBreakpoints", source={"path": source}, breakpoints=[{"line": 10}])["breakpoints"][0]["verified"], "a breakpoint in the source")
s.body("configurationDone")
s.event("stopped")
s.move("continue", "breakpoint", threadId=1)
frame = s.body("stackTrace", threadId=1)["stackFrames"][0]
expect(frame["line"] == 10 and os.path.realpath(frame["source"]["path"]) == os.path.realpath(source), "the frame's source", frame)
s.end()

# ---- messages that are none ----
r = random.Random(1)
good = b'{"seq": 1, "type": "request", "command": "initialize", "arguments": {"a": [1, "\\u00e9", null, true]}}'
for k in range(60):
    body = bytearray(good)
    for _ in range(r.randrange(4)):
        body[r.randrange(len(body))] = r.randrange(256)
    message = r.choice([b"Content-Length: %d\r\n\r\n" % (len(body) + r.randrange(-3, 4)) + bytes(body), bytes(body), b"Content-Length: 99999999999\r\n\r\n", b"Content-Length: -1\r\n\r\n{}", b"[" * 5000, b"Content-Length: 5000\r\n\r\n" + b"[" * 5000])
    p = subprocess.run([ptxi, "debug", "--dap"], input=message, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=WAIT)
    expect(p.returncode == 0 and not p.stderr, "message %d: %r: status %d" % (k, message[:80], p.returncode), p.stderr)

if not bad:
    print("dap: %d checks of sessions as VS Code has them" % tests)
sys.exit(bad)
PYTHON
