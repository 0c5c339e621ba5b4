#!/bin/sh
# seeds.sh PTXI FOLDER: writes the first inputs of every libFuzzer target, made from the project's own test files: FOLDER/ptx, FOLDER/litmus, FOLDER/object, FOLDER/names,
# FOLDER/suite, FOLDER/result.
ptxi=$1
out=$2
cd "$(dirname "$0")/../.." || exit 2
mkdir -p "$out/ptx" "$out/litmus" "$out/object" "$out/names" "$out/suite" "$out/result"
cp tests/grade/week3.suite "$out/suite"
sed -n '/class.suite" <<.END/,/^END/p' tests/oracle/grade.sh | sed '1d;$d' >"$out/suite/class.suite"
sed '/^exercise reduce/,/^$/d; s/uses mbarrier/uses .add points 2.5\n\tld.global != 3\n\tset seed=3/' "$out/suite/class.suite" >"$out/suite/more.suite"
for reader in teacher students; do
	"$ptxi" grade --for=$reader --format=json -o "$out/result/$reader" tests/grade/week3.suite tests/grade/class
	"$ptxi" grade --shard=2/3 --for=$reader --format=json -o "$out/result/$reader-2" tests/grade/week3.suite tests/grade/class
done
for file in tests/ptx/*/*.ptx tests/ptx/*/*/*.ptx; do
	[ -f "$file" ] && [ "$(wc -c <"$file")" -le 16384 ] || continue
	name=$(echo "$file" | tr / _)
	cp "$file" "$out/ptx/$name"
	"$ptxi" as -q -o "$out/object/$name.ptxo" "$file" >/dev/null 2>&1 || rm -f "$out/object/$name.ptxo"
done
for file in tests/fuzz/litmus/*.litmus tests/ptx/*/*.litmus; do
	[ -f "$file" ] && cp "$file" "$out/litmus/$(echo "$file" | tr / _)"
done
# The snippets with recorded verdicts, one file each, which cover everything that the assembler supports.
awk -v out="$out/ptx/snippet_" '
/^~@A$/ { template = ""; inside = 1; next }
/^~@end$/ { inside = 0; next }
inside { template = template $0 "\n"; next }
/^~= / { if (file) close(file); n++; file = n % 4 == 0 ? out $2 ".ptx" : ""; next }
!file { next }
/^~A$/ { printf "%s", template > file; next }
/^~no newline$/ { next }
{ print > file }' tests/oracle/ptxas/snippets.txt
# Symbols, without _Z.
awk -F'\t' -v out="$out/names/" 'sub(/^_Z/, "", $1) { printf "%s", $1 > out NR; close(out NR) }' tests/oracle/demangle/names.tsv
