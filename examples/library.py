# Uses ptxi from Python: runs the cases of scale.ptx, launches its kernel on arrays, and once more with one element too many.
#     python3 library.py scale.ptx
import array
import sys

import ptxi

program = ptxi.Program.open(sys.argv[1] if len(sys.argv) > 1 else "scale.ptx")
for k, result in enumerate(program.run_all()):
    print(f"case {k}: {result.verdict}")

a = array.array("f", [1, 2, 3, 4, 5, 6, 7, 8])
c = array.array("f", bytes(4 * 8))
result = program.launch("scale", 1, 32, ptxi.In(a), ptxi.Buffer(c), ptxi.f32(10), ptxi.u32(8))
print(f"launch: {result.verdict}, c[7] = {c[7]:g}")

result = program.launch("scale", 1, 32, ptxi.In(a), ptxi.Buffer(c), ptxi.f32(10), ptxi.u32(9))
print(f"launch: {result.verdict}")
for finding in result.findings:
    print(f"  {finding.code} {finding.name}: {finding.message}")
    for place in finding.places:
        print(f"    {place} {place.text}")
