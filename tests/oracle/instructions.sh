#!/bin/sh
# Random instructions of every opcode, target and version, half of them invalid (instructions/): the assembler's verdict on each, and the results or findings of those that it
# accepts, in threads that first fill registers and memory and afterwards fold them into a number. forms.tsv and ptxas test whether a verdict is right, and the recorded GPU
# whether a value is; this test compares everything with expected.txt: one line per opcode, with checksums.
# `instructions.sh show OPCODE` prints the messages and values, for a comparison with another ptxi (PTXI=..., BUILD=...). After an intended change: instructions.sh write.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
build=${BUILD:-build/release}
known=tests/oracle/instructions/expected.txt
make -s --no-print-directory "$build/oracle/instructions" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export NO_COLOR=1 LC_ALL=C
mkdir "$tmp/said" "$tmp/run"
"$build/oracle/instructions" "${N:-10000}" 1 "$tmp" || exit 2

# executed OPCODE OPTION...: runs every case of it
executed() {
	opcode=$1
	shift
	for program in "$tmp/run/$opcode"-*.ptx; do
		[ ! -f "$program" ] || timeout 120 "$ptxi" run -j1 --max-steps=20000 "$@" "$program" 2>&1 | sed "s|$tmp/run/||"
	done
}
sum() { cksum | cut -d' ' -f1; }

if [ "$1" = show ]; then
	cat "$tmp/said/$2"
	executed "$2" --check=all
	executed "$2" --check=none
	executed "$2" --check=all --memory=weak --seed=1
	exit
fi
for said in "$tmp"/said/*; do
	opcode=${said##*/}
	echo "$opcode: said $(sum <"$said"), checked $(executed "$opcode" --check=all | sum), plain $(executed "$opcode" --check=none | sum)," \
		"weak $(executed "$opcode" --check=all --memory=weak --seed=1 | sum)"
done >"$tmp/now"
if [ "$1" = write ]; then
	cp "$tmp/now" $known
elif ! cmp -s $known "$tmp/now"; then
	echo "instructions: the messages or results are not those recorded in $known ('$0 show OPCODE' prints them):"
	diff $known "$tmp/now" | head -n 20
	exit 1
fi
echo "instructions: ${N:-10000} of $(wc -l <"$tmp/now") opcodes have the recorded messages, $(cat "$tmp"/run/*.ptx | grep -c '^//@ case') of them executed with the same results"
