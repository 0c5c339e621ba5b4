#!/usr/bin/env python3
"""Writes one member of a scaling family of litmus tests: litmus_family.py FAMILY N.

ring    ring store buffering: thread i stores its own location, then loads the next one's; relaxed
ringsc  the same with weak accesses and fence.sc between
ringmem the same, with the final memory observed
addsc   n threads with fence.sc before and after an addition to one counter
idlesc  a ring of four threads whose last writes no order of their fence.sc allows together, and n threads with a fence.sc and nothing else
twice   each thread stores twice to one location
lastone each thread stores to one location, then loads it
iriw    n writers, n readers each of two neighbouring locations
chain   message passing through n CTAs
ticket  n threads count under a ticket lock
cas     n threads count under a compare-and-swap lock
rounds  n threads store their own location twice and load the next two's each time
reduce  a sum over n threads of a CTA in shared memory, with a barrier between the steps
"""
import sys


def column(name, body):
    return [f"{name}@cta {name[1:]},gpu 0"] + body


def family(kind, n):
    """The columns, the condition's terms; a condition of one term that begins with forall is the whole one."""
    cols, cond = [], []
    if kind in ("ring", "ringsc", "ringmem"):
        for i in range(n):
            sem = "relaxed.gpu" if kind == "ring" else "weak"
            fence = [] if kind == "ring" else ["fence.sc.gpu"]
            cols.append(column(f"P{i}", [f"st.{sem} x{i}, 1"] + fence + [f"ld.{sem} r0, x{(i + 1) % n}"]))
            cond.append(f"P{i}:r0 == 0")
        if kind == "ringmem":
            cond += [f"x{i} == 1" for i in range(n)]
    elif kind == "addsc":
        for i in range(n):
            cols.append(column(f"P{i}", [f"st.weak x{i}, 1", "fence.sc.gpu", "red.relaxed.gpu.add c, 1", "fence.sc.gpu", f"st.weak y, {i}"]))
        cond.append(f"forall (c == {n})")
    elif kind == "idlesc":
        for i in range(n):
            cols.append(column(f"P{i}", ["fence.sc.gpu"]))
        for i in range(4):
            cols.append(column(f"P{n + i}", [f"st.weak x{i}, 1", "fence.sc.gpu", f"st.weak x{(i + 1) % 4}, 2"]))
            cond.append(f"x{i} == 1")
    elif kind == "twice":
        for i in range(n):
            cols.append(column(f"P{i}", [f"st.relaxed.gpu x, {2 * i + 1}", f"st.relaxed.gpu x, {2 * i + 2}"]))
        cond.append("0 == 0")
    elif kind == "lastone":
        for i in range(n):
            cols.append(column(f"P{i}", [f"st.relaxed.gpu x, {i + 1}", "ld.relaxed.gpu r0, x"]))
            cond.append(f"P{i}:r0 == {(i + 1) % n + 1}")
    elif kind == "iriw":
        for i in range(n):
            cols.append(column(f"P{i}", [f"st.relaxed.gpu x{i}, 1"]))
        for i in range(n):
            cols.append(column(f"P{n + i}", [f"ld.relaxed.gpu r0, x{i}", f"ld.relaxed.gpu r1, x{(i + 1) % n}"]))
            cond += [f"P{n + i}:r0 == 1", f"P{n + i}:r1 == 0"]
    elif kind == "chain":
        for i in range(n):
            body = [] if i == 0 else [f"ld.acquire.gpu r0, f{i - 1}"]
            if i == 0:
                body.append("st.weak x, 1")
            if i < n - 1:
                body.append(f"st.release.gpu f{i}, 1")
            else:
                body.append("ld.weak r1, x")
            cols.append(column(f"P{i}", body))
            if i:
                cond.append(f"P{i}:r0 == 1")
        cond.append(f"P{n - 1}:r1 == 0")
    elif kind in ("ticket", "cas"):
        if kind == "ticket":
            take = ["atom.relaxed.gpu.add r1, in, 1", "L:", "ld.acquire.gpu r2, out", "bne r1, r2, L"]
            give = ["atom.release.gpu.add r5, out, 1"]
        else:
            take = ["L:", "atom.acquire.gpu.cas r1, l, 0, 1", "bne r1, 0, L"]
            give = ["st.release.gpu l, 0"]
        for i in range(n):
            cols.append(column(f"P{i}", take + ["ld.weak r3, x", "add r4, r3, 1", "st.weak x, r4"] + give))
        cond.append(f"forall (x == {n})")
    elif kind == "rounds":
        for i in range(n):
            body = []
            for k in (0, 1):
                body += [f"st.relaxed.gpu x{i}, {k + 1}"] + [f"ld.relaxed.gpu r{2 * k + j}, x{(i + 1 + j) % n}" for j in (0, 1)]
            cols.append(column(f"P{i}", body))
            cond.append(f"P{i}:r0 == 2")
    elif kind == "reduce":
        for i in range(n):
            body, half, barrier = [f"st.weak s{i}, {i + 1}", "bar.cta.sync 0"], n // 2, 1
            while half:
                if i < half:
                    body += [f"ld.weak r1, s{i}", f"ld.weak r2, s{i + half}", "add r3, r1, r2", f"st.weak s{i}, r3"]
                body.append(f"bar.cta.sync {barrier}")
                barrier, half = barrier + 1, half // 2
            cols.append([f"P{i}@cta 0,gpu 0"] + body)
        cond.append(f"forall (s0 == {n * (n + 1) // 2})")
    else:
        sys.exit(__doc__)
    return cols, cond


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    cols, cond = family(sys.argv[1], int(sys.argv[2]))
    rows = max(len(c) for c in cols)
    print(f"PTX {sys.argv[1]}-{sys.argv[2]}\n{{\n}}")
    for k in range(rows):
        print(" | ".join(c[k] if k < len(c) else "" for c in cols) + " ;")
    whole = len(cond) == 1 and cond[0].startswith("forall")
    print(cond[0] if whole else "exists (" + " /\\ ".join(cond) + ")")


main()
