#!/bin/sh
# Compares every message, note, help line and label of `ptxi run --check=all` for the golden files with messages/run.txt, since no other test covers them all. (Without lines of
# the source, and without litmus tests, whose output is outcomes.) After an intended change: messages.sh write, and read the difference.
cd "$(dirname "$0")/../.." || exit 2
known=tests/oracle/messages/run.txt
said=$(mktemp -d) || exit 2
trap 'rm -rf "$said"' EXIT
out=$said/text
many=${BUILD:-build/release}/oracle/many
${MAKE_PARTS:-make} -s --no-print-directory "$many" || exit 2
export NO_COLOR=1
n=10000
for file in tests/ptx/course/*.ptx tests/ptx/error/*.ptx tests/ptx/race/*.ptx tests/ptx/run/*.ptx tests/ptx/sync/*.ptx; do
	n=$((n + 1))
	echo "== $file" >"$said/$n"
	printf '%s\t%s.out\trun\t-j1\t--check=all\t%s\n' "$PWD" "$said/$n" "$file"
done >"$said/commands"
"$many" 60 <"$said/commands" || exit 2
cat "$said"/1* | sed '/^ *[0-9][0-9]* | /d; /^ *|[ ^~|]*$/d; s/^ *| *[|^~][ ^~|]*/ | /' >"$out"
if [ "$1" = write ]; then
	cp "$out" "$known"
elif ! cmp -s "$known" "$out"; then
	echo "messages: the output is not that recorded in $known:"
	diff "$known" "$out" | head -n 40
	exit 1
fi
echo "messages: $(grep -c ': \(error\|warning\|note\|help\)\|^ *\(note\|help\):\|^ | ' "$out") messages, notes and labels of $(grep -c '^==' "$out") golden files"
