"""Which calls of libcu++'s cuda::ptx execute. Each asm statement of the toolkit's headers becomes a kernel of four warps, if ptxas accepts it for one of the targets below;
`ptxi run` then ends with status 8 (the instruction is not executed), 2 (rejected), or with anything else: a finding is what zeros as operands deserve.
usage: cuda_ptx.py PTXI PTXAS HEADERS FOLDER JOBS; prints the calls that are rejected or not executed, and the counts."""
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ptxi, ptxas, headers, folder, jobs = sys.argv[1:]
TARGETS = ["sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_110a"]
TYPES = {"r": ("b32", "%x"), "l": ("b64", "%y"), "h": ("b16", "%h"), "f": ("f32", "%f"), "d": ("f64", "%d"), "q": ("b128", "%q"), "n": (None, None)}
OPERAND = re.compile(r'(?:\[\w+\]\s*)?"[=+]?([a-z])"\s*\(')


def statements(text):
    """(template, constraints) of every asm statement."""
    for found in re.finditer(r"\basm\s*(?:volatile)?\s*\(", text):
        depth, at, quoted = 1, found.end(), False
        while depth:
            if text[at] == "\\" and quoted:
                at += 1
            elif text[at] == '"':
                quoted = not quoted
            elif not quoted:
                depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        body = text[found.end():at - 1]
        literals = re.match(r'(?:\s*"(?:[^"\\]|\\.)*")*', body).group()
        template = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)).replace("\\n", "\n").replace("\\t", "\t")
        yield template, OPERAND.findall(body[len(literals):])


def kernel(template, constraints, target, constant):
    names, lines = [], []
    for k, c in enumerate(constraints):
        kind, stem = TYPES[c]
        names.append(str(constant) if kind is None else f"{stem}{k}")
        if kind:
            lines.append(f"\t.reg .{kind} {stem}{k};")
            zero = {"f32": "0f00000000", "f64": "0d0000000000000000"}.get(kind, "0")
            lines.append(f"\tmov.b128 {stem}{k}, {{%zero, %zero}};" if kind == "b128" else f"\tmov.{kind} {stem}{k}, {zero};")
    text = re.sub(r"%(\d+)", lambda m: names[int(m.group(1))], template.replace("%%", "\0")).replace("\0", "%")
    return (f".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k()\n{{\n\t.reg .b64 %zero;\n\tmov.b64 %zero, 0;\n" + "\n".join(lines) + f"\n\t{text}\n\tret;\n}}\n//@ launch k<<<1, 128>>>()\n")


def judge(job):
    number, template, constraints = job
    file = pathlib.Path(folder) / f"{number}.ptx"
    for target in TARGETS:
        for constant in [0, 1, 16] if "n" in constraints else [0]:
            file.write_text(kernel(template, constraints, target, constant))
            if subprocess.run([ptxas, "-arch", target, "-o", "/dev/null", file], capture_output=True).returncode == 0:
                done = subprocess.run([ptxi, "run", "--timeout=10", file], capture_output=True, text=True, errors="replace")
                reason = done.stderr.split("\n", 1)[0] if done.returncode in (2, 8) else ""
                file.unlink()
                return template, done.returncode, reason
    file.unlink()
    return template, None, ""


def main():
    work, seen = [], set()
    for header in sorted(pathlib.Path(headers).glob("*.h")):
        for template, constraints in statements(header.read_text()):
            work.append((len(work), template, constraints))
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        for template, status, reason in pool.map(judge, work):
            counts["no verdict" if status is None else "rejected" if status == 2 else "not executed" if status == 8 else "executed"] += 1
            if status in (2, 8):
                if (template, reason) not in seen:
                    seen.add((template, reason))
                    print(f"{status}\t{' '.join(template.split())}\t{reason}")
    accepted = counts["executed"] + counts["not executed"] + counts["rejected"]
    print(f"cuda_ptx: {counts['executed']} of {accepted} calls that ptxas accepts execute; ptxi rejects {counts['rejected']}; {len(work) - accepted} of {len(work)} are for other targets or versions")
    return counts["rejected"] > 0


sys.exit(main())
