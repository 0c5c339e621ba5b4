#!/usr/bin/env python3
"""Random kernels of loads, stores, guards and barriers: where `ptxi explore --any-grid` proves that there is no data race, `ptxi check --check=race` finds none in several grids.

usage: any_grid_random.py PTXI N SEED

Each kernel accesses a global array and an array in shared memory at linear expressions of %tid and %ctaid, some of them guarded, with barriers between some of them. Prints how many were proved, and
how many of the others check finds without a race in these grids: there the proof says "not known" for nothing, or a larger grid has one."""
import os
import random
import subprocess
import sys
import tempfile

BLOCKS = [(32, 1), (64, 1), (16, 4), (8, 8), (33, 1), (4, 3)]
GRIDS = [(1, 1), (2, 1), (3, 1), (7, 1)]
FLAT = [(1, 1), (2, 2), (3, 1), (2, 3)]


def kernel(rng):
    """The text of a kernel and its grids."""
    block = rng.choice(BLOCKS)
    threads = block[0] * block[1]
    two = block[1] > 1 and rng.random() < 0.5
    grids = FLAT if two else GRIDS
    width = 3 * block[0] if rng.random() < 0.5 else 4 * block[0] + 1
    code = []

    def index(shared):
        """Puts an index into %r10."""
        step = rng.choice([1, 1, 1, 1, 2, 3])
        if rng.random() < 0.08:
            step = 0
        if two and not shared:
            # row * width + column
            code.append(f"mad.lo.u32 %r11, %r4, {block[1]}, %r2;")
            code.append(f"mad.lo.u32 %r12, %r3, {block[0]}, %r1;")
            if rng.random() < 0.6:
                code.append(f"setp.ge.u32 %p1, %r12, {width if rng.random() < 0.8 else width + 2};")
                code.append(f"@%p1 bra L{len(code)};")
                label = f"L{len(code) - 1}:"
            else:
                label = None
            code.append(f"mad.lo.u32 %r10, %r11, {width}, %r12;")
            return label
        row = block[0] if rng.random() < 0.85 else block[0] - 1
        code.append(f"mad.lo.u32 %r10, %r2, {row * step}, 0;" if block[1] > 1 else "mov.u32 %r10, 0;")
        code.append(f"mad.lo.u32 %r10, %r1, {step}, %r10;")
        if not shared:
            each = threads * max(step, 1)
            each = rng.choice([each, each, each, each, each - 1, each + 1, each // 2, 0])
            code.append(f"mad.lo.u32 %r10, %r3, {each}, %r10;")
            if two:
                code.append(f"mad.lo.u32 %r10, %r4, {each * 40}, %r10;")
        if rng.random() < 0.3:
            code.append(f"add.u32 %r10, %r10, {rng.choice([1, 2, threads // 2, threads])};")
        return None

    def guard():
        """A branch around what follows, or None."""
        kind = rng.randrange(6)
        label = f"L{len(code)}"
        if kind == 0:
            code.append(f"setp.{rng.choice(['ge', 'gt', 'lt'])}.u32 %p1, %r1, {rng.choice([1, block[0] // 2, block[0] - 1])};")
        elif kind == 1:
            code.append("setp.ne.u32 %p1, %r1, 0;")
        elif kind == 2:
            code.append(f"setp.ge.s32 %p1, %r10, {rng.choice([threads, 2 * threads, 5])};")
        elif kind == 3:
            code.append("setp.ne.u32 %p1, %r3, 0;")
        elif kind == 4:
            code.append("setp.eq.u32 %p1, %r5, 77;")  # what was read
        else:
            return None
        code.append(f"@%p1 bra {label};")
        return label + ":"

    for _ in range(rng.randrange(2, 6)):
        shared = rng.random() < 0.5
        labels = [index(shared)]
        if rng.random() < 0.4:
            labels.append(guard())
        wide = rng.random() < 0.15
        space = "shared" if shared else "global"
        if shared:
            code.append(f"shl.b32 %r13, %r10, {3 if wide else 2};")
            code.append("mov.u32 %r14, s;")
            code.append("add.u32 %r13, %r13, %r14;")
            at = "%r13"
        else:
            code.append(f"mul.wide.{rng.choice('us')}32 %rd2, %r10, {8 if wide else 4};")
            code.append(f"add.s64 %rd2, %rd2, %{rng.choice(['rd1', 'rd1', 'rd3'])};")
            at = "%rd2"
        if rng.random() < (0.5 if shared else 0.6):
            code.append(f"st.{space}.v2.u32 [{at}], {{%r1, %r2}};" if wide else f"st.{space}.u32 [{at}], %r1;")
        else:
            code.append(f"ld.{space}.u32 %r5, [{at}];")
        code.extend(label for label in reversed(labels) if label and label.endswith(":"))
        code.extend(label for label in labels if label and not label.endswith(":"))
        if rng.random() < 0.45:
            code.append("bar.sync 0;")
    head = []
    for k, grid in enumerate(grids):
        head.append(f"//@ case g{k}\n//@ buffer a : u32[120000] = 0\n//@ buffer b : u32[120000] = 0\n//@ launch k<<<({grid[0]}, {grid[1]}), ({block[0]}, {block[1]})>>>(a, b)\n//@ expect clean")
    # two dimensions are proved only where the launch has two
    if two:
        head = [head[1]] + [head[0]] + head[2:]
    body = "\n".join("\t" + line for line in code)
    return "\n".join(head) + f"""
.version 8.0
.target sm_90
.address_size 64
.shared .align 16 .b8 s[8192];
.visible .entry k(.param .u64 a, .param .u64 b)
{{
	.reg .pred %p<4>;
	.reg .b32 %r<16>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd3, [b];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %ctaid.y;
	mov.u32 %r5, 0;
{body}
	ret;
}}
"""


def run(*command):
    """Status and output."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def main():
    ptxi, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    proved = racy = clean = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "k.ptx")
        for k in range(n):
            rng = random.Random(seed * 1000003 + k)
            text = kernel(rng)
            with open(file, "w", encoding="ascii") as out:
                out.write(text)
            lines = os.path.join(folder, "lines")
            with open(lines, "w", encoding="ascii") as out:
                out.write("\n".join(text.split("\n")[:5]) + "\n")
            known, said = run(ptxi, "explore", "--any-grid", "--script=" + lines, file)
            found, report = run(ptxi, "check", "--check=race", file)
            if known not in (0, 7) or found not in (0, 1):
                print(f"seed {seed}, kernel {k}: status {known} and {found}\n{said}{report}{text}")
                bad += 1
                continue
            proved += known == 0
            racy += known != 0 and found != 0
            clean += known != 0 and found == 0
            if known == 0 and found != 0:
                print(f"seed {seed}, kernel {k}: proved, but\n{report}{text}")
                bad += 1
    print(f"any grid: {n} random kernels, {proved} proved to have no data race in any grid, {bad} of them wrongly; of the others check finds {racy} racy and {clean} clean")
    return 1 if bad or not proved else 0


sys.exit(main())
