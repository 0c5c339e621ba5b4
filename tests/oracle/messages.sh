#!/bin/sh
# Compares every message, note, help line and label of `ptxi run --check=all` for the golden files with messages/run.txt, since no other test covers them all. (Without lines of
# the source, and without litmus tests, whose output is outcomes.) After an intended change: messages.sh write, and read the difference.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
known=tests/oracle/messages/run.txt
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
for file in tests/ptx/course/*.ptx tests/ptx/error/*.ptx tests/ptx/race/*.ptx tests/ptx/run/*.ptx tests/ptx/sync/*.ptx; do
	echo "== $file"
	NO_COLOR=1 timeout 60 "$ptxi" run -j1 --check=all "$file" 2>&1
	echo "status $?"
done | sed '/^ *[0-9][0-9]* | /d; /^ *|[ ^~|]*$/d; s/^ *| *[|^~][ ^~|]*/ | /' >"$out"
if [ "$1" = write ]; then
	cp "$out" "$known"
elif ! cmp -s "$known" "$out"; then
	echo "messages: the output is not that recorded in $known:"
	diff "$known" "$out" | head -n 40
	exit 1
fi
echo "messages: $(grep -c ': \(error\|warning\|note\|help\)\|^ *\(note\|help\):\|^ | ' "$out") messages, notes and labels of $(grep -c '^==' "$out") golden files"
