#!/usr/bin/env python3
# Runs a shell command on a terminal of 80 columns (a pseudo-terminal) and prints what a reader sees there once it has ended: carriage returns and "erase to the end of
# the line" are obeyed. Then checks the bytes: no other control sequences than colours, each colour ended on its line. Usage: terminal.py COLOURS-FILE COMMAND;
# the number of colours goes to COLOURS-FILE.
import fcntl
import os
import pty
import re
import struct
import sys
import termios

count, command = sys.argv[1:3]
pid, fd = pty.fork()
if not pid:
    os.environ.update(TERM="xterm-256color", COLUMNS="80", LINES="24")
    os.environ.pop("NO_COLOR", None)
    os.execvp("sh", ["sh", "-c", command])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
data = b""
while True:
    try:
        more = os.read(fd, 65536)
    except OSError:
        break
    if not more:
        break
    data += more
_, status = os.waitpid(pid, 0)

text = data.decode("utf-8").replace("\r\n", "\n")
colour = re.compile(r"\033\[[0-9;]*m")
colours = 0
for line in text.split("\n"):
    seen = ""
    for part in line.split("\r"):
        part = part.split("\033[K")[-1] if "\033[K" in part else part
        codes = colour.findall(part)
        colours += len(codes)
        plain = colour.sub("", part)
        if codes and codes[-1] not in ("\033[0m", "\033[m"):
            print("terminal: a colour is not ended: %r" % part)
            sys.exit(99)
        if "\033" in plain or re.search(r"[\x00-\x08\x0b-\x1f\x7f]", plain):
            print("terminal: a control character: %r" % part)
            sys.exit(99)
        seen = plain if part else seen
    print(seen)
with open(count, "a") as f:
    print(colours, file=f)
sys.exit(os.waitstatus_to_exitcode(status))
