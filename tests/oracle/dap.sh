#!/bin/sh
# ptxi debug --dap. Sessions of VS Code (tests/debug/*.dap: ">" is what VS Code 1.100 sent, "<" what ptxi answers; with "write" the answers are written anew), and the rest of the
# protocol: what every answer must have, steps by line and instruction, each kind of breakpoint, variables in pages, pauses. Then messages that are none. PTXI is the program.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
command -v python3 >/dev/null || { echo "SKIP dap: python3 is needed"; exit 0; }
exec python3 - "$ptxi" "$1" <<'PYTHON'
import glob, json, os, random, subprocess, sys, time
ptxi = os.path.abspath(sys.argv[1])
tests = bad = 0
WAIT = 60  # seconds: only against hanging

def expect(ok, what, got=""):
    global tests, bad
    tests += 1
    if not ok:
        bad = 1
        print("dap:", what, str(got)[:600])

# What the protocol requires: members and their types of a body, and of the elements of its lists.
BODY = {"stackTrace": ("stackFrames", {"id": int, "name": str, "line": int, "column": int, "source": dict, "instructionPointerReference": str}),
        "threads": ("threads", {"id": int, "name": str}),
        "scopes": ("scopes", {"name": str, "variablesReference": int, "expensive": bool}),
        "variables": ("variables", {"name": str, "value": str, "variablesReference": int}),
        "disassemble": ("instructions", {"address": str, "instruction": str}),
        **{"set%sBreakpoints" % k: ("breakpoints", {"verified": bool, "message": str}) for k in ("", "Function", "Data", "Instruction", "Exception")}}
EVENT = {"stopped": {"reason": str, "threadId": int, "allThreadsStopped": bool, "description": str}, "output": {"output": str, "category": str},
         "continued": {"threadId": int}, "initialized": None, "terminated": None}

def has(what, value, members):
    for name, kind in (members or {}).items():
        expect(isinstance(value, dict) and isinstance(value.get(name), kind) and (kind is bool or not isinstance(value.get(name), bool)), "%s lacks %s:" % (what, name), value)

def proper(m):
    """Whether a message has what the protocol requires."""
    has("a message", m, {"seq": int, "type": str})
    if m["type"] == "event":
        expect(m.get("event") in EVENT, "an unknown event", m)
        has(m["event"], m.get("body"), EVENT.get(m["event"]))
        return m
    has("a response", m, {"request_seq": int, "success": bool, "command": str})
    if not m["success"]:
        has("a failure", m, {"message": str})
    elif m["command"] in BODY:
        name, members = BODY[m["command"]]
        has(m["command"], m.get("body"), {name: list})
        for element in m.get("body", {}).get(name, []):
            has(m["command"], element, members)
            expect(element.get("variablesReference", 1) < 2 ** 31 and element.get("id", 1) > 0, "a number", element)
    elif m["command"] == "evaluate":
        has("evaluate", m.get("body"), {"result": str, "variablesReference": int})
    return m

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
        return proper(json.loads(self.p.stdout.read(int(header.split(b":")[1]))))

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
            if m["type"] == "event":
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

# ---- recorded sessions ----
MOVES = ("configurationDone", "continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "restart")
ROOT = os.getcwd()
for path in sorted(glob.glob("tests/debug/*.dap")):
    lines = open(path).read().splitlines()
    s = Session(*lines[0].split()[4:])
    played = [lines[0]]
    def heard():
        m = s.read()
        if m:
            played.append("< " + json.dumps(m).replace(ROOT, "$ROOT"))
        return m
    for line in lines[1:]:
        if not line.startswith("> "):
            continue
        played.append(line)
        q = json.loads(line[2:].replace("$ROOT", ROOT))
        body = json.dumps(q).encode()
        s.p.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        s.p.stdin.flush()
        wanted = {"response"} | ({"stopped"} if q["command"] in MOVES else {"initialized"} if q["command"] == "launch" else {"terminated"} if q["command"] == "terminate" else set())
        while wanted:
            m = heard()
            if not m:
                expect(False, path + ": the other side has ended")
                break
            wanted -= {m["type"] if m["type"] == "response" else m["event"]}
    s.p.stdin.close()
    while heard():
        pass
    expect(s.p.wait(WAIT) == 0, path + ": another status")
    if sys.argv[2] == "write":
        open(path, "w").write("\n".join(played) + "\n")
    differ = [(a, b) for a, b in zip(lines, played) if a != b]
    expect(lines == played, path + ": another conversation:", differ[:1] or "another length")

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
expect([x["name"] for x in scopes] == ["Registers", "Special registers", "Local memory and parameters", "Shared memory", "Global memory", "Barriers"], "scopes", scopes)
def variables(reference, **paging):
    return {v["name"]: v for v in s.body("variables", variablesReference=reference, **paging)["variables"]}
registers, special, local, shared, memory, barriers = (variables(x["variablesReference"]) for x in scopes)
lanes = registers["%r1"]
expect(lanes["value"] == "0 1 2 ... 31" and lanes["indexedVariables"] == 32 and "u32" not in registers["%p1"]["type"], "a register", lanes)
lanes = variables(lanes["variablesReference"])
expect(len(lanes) == 32 and lanes["lane 7"]["value"] == "7", "its lanes", lanes)
expect(list(variables(registers["%r2"]["variablesReference"], filter="indexed", start=30, count=1)) == ["lane 30"], "one lane of a register")
expect(special["%ctaid.x"]["value"] == "0" and special["%tid.x"]["value"] == "0 1 2 ... 31", "special registers", special)
expect(local["param.in"]["value"].startswith("0x"), "a parameter", local)
expect(shared["box"]["value"].endswith("16 ..."), "shared memory", shared)
whole = memory["in"]
expect(whole["value"] == "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 ..." and whole["type"] == "u32[64]" and whole["indexedVariables"] == 64, "memory", whole)
page = variables(whole["variablesReference"], filter="indexed", start=60, count=100)
expect([(v["name"], v["value"], v["evaluateName"]) for v in page.values()] == [("[%d]" % k, str(k + 1), "in[%d]" % k) for k in range(60, 64)], "a page of memory", page)
expect(variables(whole["variablesReference"], filter="named") == {} and variables(whole["variablesReference"], start=99, count=3) == {}, "no variables")
expect(not s.ask("variables", variablesReference=77777)["success"] and not s.ask("scopes", frameId=777)["success"], "variables and frames that are not there")
expect(s.body("stackTrace", threadId=thread, startFrame=1, levels=5)["stackFrames"] == [], "no second frame")
for start in -1, 0.5:
    expect(len(s.body("stackTrace", threadId=thread, startFrame=start)["stackFrames"]) == (start < 0), "a first frame that is none")
step = int(s.body("evaluate", expression="where", context="repl")["result"].split()[1].rstrip(":"))
expect(s.move("stepBack", "step", threadId=thread)[2] == "step %d" % (step - 1), "a step back")
expect(s.move("stepIn", "breakpoint", threadId=thread)[2] == "step %d" % step, "a step forwards, to a breakpoint")
expect(s.move("stepIn", "step", threadId=thread)[2] == "step %d" % (step + 1), "a step")
expect(barriers == {}, "no barrier yet", barriers)
expect(variables(s.body("scopes", frameId=s.body("stackTrace", threadId=thread)["stackFrames"][0]["id"])["scopes"][5]["variablesReference"])["barrier 0"]["value"].startswith("phase 0, 32 threads have arrived of 64"), "a barrier")
other = s.move("stepIn", "step", threadId=threads[1]["id"])
expect(other[0] == threads[1]["id"] and other[1] == 19, "a step of the other warp", other)
frames = [s.body("stackTrace", threadId=t["id"])["stackFrames"][0] for t in threads]
value = lambda expression, k=1, context="watch": s.body("evaluate", expression=expression, context=context, frameId=frames[k]["id"])
expect(value("%tid.x")["result"] == "32 33 34 ... 63" and value("%tid.x", 0)["result"] == "0 1 2 ... 31", "a watched expression")
expect(value("tid.x", context="hover")["result"] == "32 33 34 ... 63" and value("r1", 0, "hover")["result"] == "0 1 2 ... 31", "a hover without the %")
expect(value("in[3]")["result"] == "4" and len(variables(value("in[2..5]")["variablesReference"])) == 4, "elements of memory")
expect(value("%r1", 0, "repl")["result"] == "0 1 2 ... 31" and value("nonsense", 0, "repl")["result"].startswith("unknown command"), "the console")
value("warp 1", 0, "repl")
expect("thread" in value("where", 0, "repl")["result"] and "warp 1" in value("where", 0, "repl")["result"], "the console's own thread")
s.body("evaluate", expression="step 2", context="repl", frameId=frames[1]["id"])
s.event("continued")
expect(s.event("stopped")["reason"] == "step", "a step from the console")
s.move("stepBack", "step", threadId=threads[1]["id"], granularity="instruction")
s.move("stepBack", "step", threadId=threads[1]["id"], granularity="instruction")
expect(not s.ask("evaluate", expression="nothing", context="hover")["success"], "an expression that is none")
s.body("setBreakpoints", source={"name": "scan.ptx", "path": file}, breakpoints=[])
scopes = s.body("scopes", frameId=s.body("stackTrace", threadId=thread)["stackFrames"][0]["id"])["scopes"]
whole = variables(scopes[4]["variablesReference"])["out"]
info = s.body("dataBreakpointInfo", name="[3]", variablesReference=whole["variablesReference"])
expect(info["description"] == "out[3]" and info["accessTypes"] == ["read", "write", "readWrite"], "what can be watched", info)
for name in "%r1", "param.in", "nothing":
    expect(s.body("dataBreakpointInfo", name=name)["dataId"] is None, "cannot be watched: " + name)
expect(s.body("dataBreakpointInfo", name="box", variablesReference=scopes[3]["variablesReference"])["dataId"] is not None, "shared memory can be watched")
expect(s.body("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"][0]["verified"], "a data breakpoint")
wrote = s.move("continue", "data breakpoint", threadId=thread)
expect(wrote[1] == 44, "after the write", wrote)
expect("wrote out[3]: 0 -> 10" in "".join(m["body"]["output"] for m in s.events if m["event"] == "output"), "what the write says", s.events)
expect(s.move("reverseContinue", "data breakpoint", threadId=thread)[1] == 43, "back to the write")
s.move("continue", "data breakpoint", threadId=thread)
end = s.move("continue", "step", threadId=thread)
expect("the end of the run" in end[2], "the end", end)
expect(s.body("threads")["threads"][0]["name"] == "the run has ended", "threads at the end")
expect(s.move("stepBack", "step", threadId=thread)[1] == 44, "back from the end")
expect(s.move("restart", "entry")[2] == "step 0", "again")
for kind, said in ("read", "read"), ("readWrite", "wrote"):
    s.body("setDataBreakpoints", breakpoints=[{"dataId": s.body("dataBreakpointInfo", name="box[40]")["dataId"], "accessType": kind}])
    s.events = []
    stopped = s.move("continue", "data breakpoint", threadId=thread)
    expect("thread" in str(s.events) and said + " box[40]" in str(s.events), "a data breakpoint for " + kind, s.events)
    s.move("restart", "entry")
s.body("setDataBreakpoints", breakpoints=[])
# functions, labels, barriers; conditions
stops = s.body("setFunctionBreakpoints", breakpoints=[{"name": "step", "condition": "warp 1"}, {"name": "barrier"}, {"name": "scan", "condition": "warp 5"}, {"name": "nothing"}, {"name": "scan", "condition": "x"}])["breakpoints"]
expect([b["verified"] for b in stops] == [True, True, True, False, False] and stops[2]["line"] == 18, "function breakpoints", stops)
expect(s.move("continue", "function breakpoint", threadId=thread)[:2] == (threads[1]["id"], 28), "a label in warp 1")
stopped = s.move("continue", "function breakpoint", threadId=thread)
expect("barrier 0 of CTA 0 completed phase 0" in str(s.events), "a barrier's phase", s.events)
s.body("setFunctionBreakpoints", breakpoints=[])
s.move("restart", "entry")
# a condition on a line
stops = s.body("setBreakpoints", source={"path": file}, breakpoints=[{"line": 27, "condition": "warp 1"}])["breakpoints"]
expect(stops[0]["line"] == 28 and stops[0]["source"]["path"] == file, "a breakpoint moves to a line with code", stops)
expect(s.move("continue", "breakpoint", threadId=thread)[0] == threads[1]["id"], "a breakpoint of warp 1")
s.body("setBreakpoints", source={"path": file}, breakpoints=[])
# instructions
here = s.body("stackTrace", threadId=thread)["stackFrames"][0]["instructionPointerReference"]
code = s.body("disassemble", memoryReference=here, instructionOffset=-12, instructionCount=45)["instructions"]
expect(len(code) == 45 and [k for k, c in enumerate(code) if c.get("presentationHint") != "invalid"] == list(range(3, 28)), "as many instructions as were asked for", code)
expect(code[12]["address"] == here and code[12]["instruction"] == "bar.sync 0" and code[12]["symbol"] == "step" and code[3]["symbol"] == "scan" and code[12]["line"] == 28 and code[12]["location"]["path"] == file, "the instruction", code[12])
expect(s.body("disassemble", memoryReference=here, offset=16, instructionOffset=-1, instructionCount=1)["instructions"][0] == code[12], "offsets in bytes and in instructions")
expect(s.body("disassemble", memoryReference=here, instructionCount=0)["instructions"] == [], "no instructions")
for wrong in {"memoryReference": "x"}, {"memoryReference": here, "offset": 3}, {"memoryReference": here, "instructionOffset": -1e18}, {"memoryReference": "99999999999999999999"}, {"memoryReference": here, "instructionCount": 1e9}:
    expect(not s.ask("disassemble", **{"instructionCount": 5, **wrong})["success"], "instructions of", wrong)
stops = s.body("setInstructionBreakpoints", breakpoints=[{"instructionReference": here, "offset": 16}, {"instructionReference": here, "offset": 16000}, {"instructionReference": "x"}])["breakpoints"]
expect([b["verified"] for b in stops] == [True, False, False] and stops[0]["line"] == 29, "instruction breakpoints", stops)
expect(s.move("continue", "instruction breakpoint", threadId=thread)[1] == 29, "stops at an instruction")
s.body("setInstructionBreakpoints", breakpoints=[])
for request in "readMemory", "writeMemory", "setVariable", "gotoTargets", "source":
    expect(not s.ask(request, memoryReference=here, offset=0, count=16, data="AAAA")["success"], request + " is answered")
expect(not s.ask("exceptionInfo", threadId=thread)["success"], "no finding")
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
    for request in "next", "configurationDone":
        expect(not s.ask(request, threadId=1)["success"], request + " while it runs")
    expect(len(s.body("setBreakpoints", source={"path": path}, breakpoints=[])["breakpoints"]) == 0, "breakpoints while it runs")
    s.body("pause", threadId=1)
    expect(s.event("stopped")["reason"] == "pause", "a pause")
    both = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(m), m) for m in [json.dumps({"seq": 900 + k, "type": "request", "command": c, "arguments": {"threadId": 1}}).encode() for k, c in enumerate(["continue", "threads", "pause"])])
    s.p.stdin.write(both)
    s.p.stdin.flush()
    expect(s.answer(902)["success"] and s.event("stopped")["reason"] == "pause", "messages that come together")
    s.body("continue", threadId=1)
    s.body("setFunctionBreakpoints", breakpoints=[{"name": "again", "condition": "warp 1"}])
    expect(s.event("stopped")["reason"] == "function breakpoint", "a breakpoint that is set while it runs")
    s.body("setFunctionBreakpoints", breakpoints=[])
    s.body("evaluate", expression="continue", context="repl")
    s.event("continued")
    s.body("threads")
    s.end()
finally:
    os.remove(path)

# ---- the source's lines ----
s = Session("--check=all", "--script=tests/oracle/places/lost_update.cu")
s.body("initialize", adapterID="ptxi")
s.body("launch", program=os.path.abspath("tests/oracle/places/lost_update.lineinfo.ptx"))
s.event("initialized")
source = os.path.abspath("tests/oracle/places/lost_update.cu")
stops = s.body("setBreakpoints", source={"path": source}, breakpoints=[{"line": 10}])["breakpoints"]
expect(stops[0]["verified"] and stops[0]["line"] == 10 and os.path.realpath(stops[0]["source"]["path"]) == os.path.realpath(source), "a breakpoint in the source", stops)
s.body("setExceptionBreakpoints", filters=["finding"])
s.body("configurationDone")
s.event("stopped")
s.move("continue", "breakpoint", threadId=1)
frame = s.body("stackTrace", threadId=1)["stackFrames"][0]
expect(frame["line"] == 10 and os.path.realpath(frame["source"]["path"]) == os.path.realpath(source), "the frame's source", frame)
expect(s.move("stepBack", "step", threadId=1)[1] == 9 and s.move("stepIn", "breakpoint", threadId=1)[1] == 10, "a line back and forth")
step = lambda stopped: int(stopped[2].split()[1])
at = step(s.move("stepBack", "step", threadId=1, granularity="line"))
expect(step(s.move("stepIn", "step", threadId=1, granularity="instruction")) == at + 1, "one instruction")
expect(step(s.move("next", "breakpoint", threadId=1, granularity="statement")) > at + 2, "one statement")
s.body("setBreakpoints", source={"path": source}, breakpoints=[])
stopped = s.move("continue", "exception", threadId=1)
info = s.body("exceptionInfo", threadId=stopped[0])
expect(stopped[2] == "R0101" and info["description"].startswith("lost_update.cu:10 [line 44]: data race") and info["exceptionId"] == "R0101" and info["breakMode"] == "always" and "lost_update.cu:10" in info["details"]["message"], "a finding", info)
expect(s.move("reverseContinue", "exception", threadId=1)[2] == "R0101", "back to before the finding")
expect(s.move("reverseContinue", "step", threadId=1)[2] == "step 0", "back to the beginning")
s.end()

# ---- calls: the frames above, and their registers; lines that begin at 0 ----
s = Session()
s.body("initialize", adapterID="ptxi", linesStartAt1=False, columnsStartAt1=False)
file = os.path.abspath("tests/ptx/run/exit_in_function.ptx")
s.body("launch", program=file, stopOnEntry=False)
s.event("initialized")
s.body("setBreakpoints", source={"path": file}, breakpoints=[{"line": 20}])
s.body("configurationDone")
stopped = s.event("stopped")
expect(stopped["reason"] == "breakpoint" and stopped["hitBreakpointIds"] == [1], "no stop at the beginning", stopped)
frames = s.body("stackTrace", threadId=stopped["threadId"])["stackFrames"]
expect([(f["name"], f["line"], f["column"]) for f in frames] == [("leave_deeper", 20, 0), ("leaves", 36, 0)], "calls", frames)
expect(len({f["id"] for f in frames}) == 2 and s.body("stackTrace", threadId=stopped["threadId"], startFrame=1, levels=1)["stackFrames"] == frames[1:], "the second call")
names = [set(variables(s.body("scopes", frameId=f["id"])["scopes"][0]["variablesReference"])) for f in frames]
expect("%mine" in names[0] and "%after" in names[1] and "%after" not in names[0], "registers of each call", names)
expect(s.body("evaluate", expression="%t", context="watch", frameId=frames[1]["id"])["result"] == "0 1 2 ... 31", "a register of the caller")
expect(s.body("evaluate", expression="%high", context="watch", frameId=frames[1]["id"])["result"] == "lanes 16 to 31", "a predicate")
s.body("setBreakpoints", source={"path": file}, breakpoints=[])
expect(s.move("stepOut", "step", threadId=stopped["threadId"])[1] in (36, 37), "out of the call")
s.body("terminate")
s.event("terminated")
expect(not s.ask("threads")["success"], "threads after the end")
s.body("disconnect")
expect(s.p.wait(WAIT) == 0, "the end")

# ---- without debugging: runs to its end ----
s = Session()
s.body("initialize", adapterID="ptxi")
s.body("launch", program=os.path.abspath("tests/ptx/course/scan.ptx"), noDebug=True)
s.event("initialized")
s.body("configurationDone")
s.event("terminated")
expect(not any(m["event"] == "stopped" for m in s.events) and "out[0..15] = 1 3 6 10" in str(s.events), "a run without stops", s.events)
s.body("disconnect")
expect(s.p.wait(WAIT) == 0, "the end")

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
    print("dap: %d checks: sessions of VS Code, the protocol, messages that are none" % tests)
sys.exit(bad)
PYTHON
