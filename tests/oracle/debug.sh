#!/bin/sh
# Sessions of ptxi debug: each file of tests/debug is "$ ptxi debug ARGUMENTS", then what the session prints with its commands in it, "(ptxi) COMMAND". With "write", the files are
# written anew. Then trails: what a session saves, run repeats, and the program is where the session left it; and debugging changes no run. PTXI is the program.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
case $ptxi in /*) ;; *) ptxi=$PWD/$ptxi ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0

fail() {
	echo "debug: $*"
	bad=1
}

at_the_end() { awk '/^the run has ended/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }'; }

# ---- sessions ----
for session in tests/debug/*.txt; do
	tests=$((tests + 1))
	arguments=$(sed -n '1s/^\$ ptxi debug //p' "$session")
	[ -n "$arguments" ] || { fail "$session: the first line is no command"; continue; }
	sed -n 's/^(ptxi) //p' "$session" >"$dir/commands"
	{
		sed -n 1p "$session"
		# shellcheck disable=SC2086
		timeout 60 "$ptxi" debug -v $arguments <"$dir/commands" 2>&1
	} >"$dir/got"
	[ "$1" = write ] && cp "$dir/got" "$session"
	cmp -s "$dir/got" "$session" || { fail "$session: another session"; diff "$session" "$dir/got" | head -n 20; }
done

# ---- a schedule made by hand: saved, repeated by run and by debug ----
cp tests/debug/lost_update.ptx "$dir/lost.ptx"
cat >"$dir/commands" <<END
step
warp 1
step 3
trail save $dir/lost.trail
continue
END
tests=$((tests + 1))
"$ptxi" run -q "$dir/lost.ptx" >"$dir/plain"
"$ptxi" debug "$dir/lost.ptx" -x "$dir/commands" >"$dir/session" || fail "the session of the lost update fails"
"$ptxi" run -q --trail="$dir/lost.trail" "$dir/lost.ptx" >"$dir/trailed" || fail "run --trail fails"
grep -qx 'n = 2' "$dir/plain" || fail "without a trail: $(cat "$dir/plain")"
grep -qx 'n = 1' "$dir/session" || fail "the session loses no update: $(cat "$dir/session")"
grep -qx 'n = 1' "$dir/trailed" || fail "the trail loses no update: $(cat "$dir/trailed")"
printf 'continue\n' | "$ptxi" debug --trail="$dir/lost.trail" "$dir/lost.ptx" | grep -qx 'n = 1' || fail "debug --trail loses no update"
"$ptxi" run -q --check=all --trail="$dir/lost.trail" "$dir/lost.ptx" 2>&1 | grep -q R0101 || fail "the trail's race is not found"

# ---- trails with mistakes ----
for line in 'x' '3 warp' '3 warp 99' '3 lane 1' '3 warp 1 lane 40' 'seed' 'seed x' 'schedule slow' 'case' '9 warp 1
3 warp 0'; do
	tests=$((tests + 1))
	printf '%s\n' "$line" >"$dir/bad.trail"
	"$ptxi" run --trail="$dir/bad.trail" "$dir/lost.ptx" >"$dir/got" 2>&1
	[ $? = 2 ] || fail "the trail '$line' is taken"
	grep -q 'bad.trail:[12]' "$dir/got" || fail "the trail '$line': no place: $(cat "$dir/got")"
done
tests=$((tests + 1))
printf '1 warp 5\n' >"$dir/bad.trail"
"$ptxi" run -q --trail="$dir/bad.trail" "$dir/lost.ptx" 2>&1 | grep -q 'warp 5 cannot run: it does not exist' || fail "a trail that cannot be followed"

# ---- debugging is the same run, and going back and forth changes nothing ----
for file in tests/ptx/course/*.ptx; do
	tests=$((tests + 1))
	"$ptxi" run -q -j1 -w "$file" 2>/dev/null | grep -v '^case ' >"$dir/plain"
	grep -q '^//@ case' "$file" && continue
	printf 'continue\n' | "$ptxi" debug -q -w "$file" 2>/dev/null >"$dir/straight"
	grep -vE '^(step|the run|no findings| *[0-9]+  |stop |interrupted)' "$dir/straight" >"$dir/printed"
	head -n "$(wc -l <"$dir/plain")" "$dir/printed" | cmp -s - "$dir/plain" || { fail "$file prints something else than with run"; diff "$dir/plain" "$dir/printed" | head -n 5; }
	printf 'goto 50\nback 20\nreverse-step\ncontinue\n' | "$ptxi" debug -q -w "$file" 2>/dev/null | at_the_end >"$dir/wound"
	at_the_end <"$dir/straight" | cmp -s - "$dir/wound" || fail "$file ends differently after going back"
done

# ---- back into the check for a livelock, which runs while the schedule is locked, and out of it ----
for case in in_local_memory callers_local; do
	tests=$((tests + 1))
	printf 'continue\nback 300\ncontinue\nback 3000\ncontinue\n' | "$ptxi" debug -q -w --case=$case tests/ptx/sync/spins_that_end.ptx >"$dir/got" 2>&1
	[ $? = 0 ] && [ "$(grep -c '^the run has ended after' "$dir/got")" = 3 ] || fail "$case: $(tail -n 1 "$dir/got")"
done

# ---- on a terminal: prompts, an empty line, Control-C while the program runs and at the prompt; a session that is killed leaves no process ----
if python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
	tests=$((tests + 1))
	sed 's/exit;/bra again;/; s/^{/{\nagain:/' tests/debug/lost_update.ptx | sed '/^again:/d; s/^\tld.global/again:\tld.global/' >"$dir/forever.ptx"
	python3 - "$ptxi" "$dir/forever.ptx" <<'PYTHON' || fail "a session on a terminal"
import os, pty, select, signal, sys, time
WAIT = 60  # seconds: only against hanging

def begin():
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(sys.argv[1], ["ptxi", "debug", sys.argv[2]])
    return pid, fd

def until(fd, mark):
    out, end = b"", time.time() + WAIT
    while mark not in out and time.time() < end:
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            out += os.read(fd, 4096)
        except OSError:
            break
    return out

def ask(fd, line, *marks):
    os.write(fd, line)
    out = until(fd, b"(ptxi) ")
    for mark in marks + (b"(ptxi) ",):
        if mark not in out:
            sys.exit("debug: after %r: %r" % (line, out))

def processes(name):
    found = []
    for p in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        try:
            if p.isdigit() and name.encode() in open("/proc/%s/cmdline" % p, "rb").read():
                found.append(int(p))
        except OSError:
            pass
    return [p for p in found if p != os.getpid()]

pid, fd = begin()
until(fd, b"(ptxi) ")
os.write(fd, b"continue\n")
time.sleep(0.3)
ask(fd, b"\x03", b"interrupted", b"step ")
for k in range(50):  # also just after the prompt, before it waits for a line
    ask(fd, b"\x03")
ask(fd, b"goto 7\n", b"step 7:")
ask(fd, b"back\n", b"step 6:")
ask(fd, b"\n", b"step 5:")
os.write(fd, b"\x04")
if os.waitpid(pid, 0)[1] != 0:
    sys.exit("debug: the end of the input is no normal end")
pid, fd = begin()
until(fd, b"(ptxi) ")
ask(fd, b"step 100\n", b"step 100:")
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
end = time.time() + WAIT
while processes(sys.argv[2]) and time.time() < end:
    time.sleep(0.05)
left = [p for p in processes(sys.argv[2]) if p != os.getppid()]
if left:
    sys.exit("debug: processes are left: %s" % left)
PYTHON
else
	echo "SKIP debug: a session on a terminal: python3 with a pseudo-terminal is needed"
fi

[ $bad = 0 ] && echo "debug: $tests sessions and trails are as recorded"
exit $bad
