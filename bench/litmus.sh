#!/bin/sh
# Speed of the explorer: scaling families of litmus tests, PTX kernels, and the public litmus tests in PTXI_LITMUS if it is set. A line a figure: name, seconds of one processor (the
# median of RUNS) and the aim; executions; memory.
ptxi=$1
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
runs=${RUNS:-3}

measure() { # command...: "seconds MB" of the median run; its output in $work/out
	python3 - "$work/out" "$runs" "$@" <<'P'
import os, sys
out, runs, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
rows = []
for _ in range(runs):
    pid = os.fork()
    if not pid:
        fd = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(fd, 1)
        os.dup2(fd, 2)
        os.execvp(command[0], command)
    _, _, use = os.wait4(pid, 0)
    rows.append((use.ru_utime + use.ru_stime, use.ru_maxrss / 1024))
print("%.3f %.0f" % sorted(rows)[len(rows) // 2])
P
}
line() { # name aim "seconds MB" rest
	set -- "$1" "$2" $3 "$4"
	printf '%-28s %10s s (%s)   %s, %s MB\n' "$1" "$3" "$2" "$5" "$4"
}
executions() { sed -n 's/.*"executions": \([0-9]*\).*/\1/p' "$work/out" | head -n 1; }

while read -r kind n aim; do
	python3 bench/litmus_family.py "$kind" "$n" >"$work/$kind-$n.litmus" || exit 2
	figures=$(measure "$ptxi" explore -q --format=json -j 1 "$work/$kind-$n.litmus")
	line "explore $kind n=$n" "$aim" "$figures" "$(executions) executions"
	case $kind in
	rounds)
		set -- $figures
		printf '%-28s %10s /s (at least 100000 a core)\n' "  executions a second" "$(executions | awk -v t="$1" '{ printf "%.0f", $1 / t }')"
		;;
	esac
done <<'F'
ring 10 0.1 s
ring 14 2 s
ringsc 10 0.2 s
ringmem 10 0.2 s
ringmem 14 1 s
ringmem 16 1 s
addsc 16 0.2 s
idlesc 16 0.2 s
twice 10 0.05 s
lastone 6 0.5 s
lastone 7 5 s
iriw 8 1 s
chain 8 10 s
ticket 3 10 s
cas 4 10 s
reduce 32 10 s
rounds 3 no aim
rounds 4 no aim
F
while read -r kind n aim; do
	python3 bench/explore_kernel.py "$kind" "$n" >"$work/$kind-$n.ptx" || exit 2
	line "explore kernel $kind n=$n" "$aim" "$(measure "$ptxi" explore -q --format=json -j 1 "$work/$kind-$n.ptx")" "$(executions) executions"
done <<'F'
membar 16 0.2 s
last 8 0.05 s
last 16 0.2 s
ticket 4 as ticket an execution
ticket 6 as ticket an execution
counted 8 as whole
whole 8 no aim
F
for name in chain ticket cas cas64 reduce arrivals; do
	# One case of the file, with the lines of the others left out.
	awk -v name="$name" '/^\/\/@ case/ { on = $3 == name; next } /^\/\/@/ && !on { next } { print }' bench/explore.ptx >"$work/$name.ptx"
	line "explore kernel $name" "10 s, 1 GB" "$(measure "$ptxi" explore -q --format=json -j 1 "$work/$name.ptx")" "$(executions) executions"
done
if [ -d "${PTXI_LITMUS:-}" ]; then
	line "explore public corpus" "0.5 s" "$(measure "$ptxi" check -j 1 "$PTXI_LITMUS")" "$(tail -n 1 "$work/out")"
fi
