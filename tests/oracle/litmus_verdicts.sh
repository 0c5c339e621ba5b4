#!/bin/sh
# Compares the public litmus tests with their recorded verdicts, both columns: whether the condition holds (safety), and whether every execution ends (liveness). The folder is
# PTXI_LITMUS; its expected.tsv has one line per test. Prints the number of verdicts, and every wrong one.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
folder=${PTXI_LITMUS:-}
[ -n "$folder" ] || { echo "SKIP litmus_verdicts: PTXI_LITMUS, the folder of public litmus tests, is not set"; exit 0; }
[ -f "$folder/expected.tsv" ] || { echo "SKIP litmus_verdicts: no $folder/expected.tsv"; exit 0; }
tail -n +2 "$folder/expected.tsv" | while IFS="$(printf '\t')" read -r file _ old new old_live new_live _; do
	out=$("$ptxi" explore "$folder/$file" 2>&1 </dev/null)
	case $out in
	*"
Ok
"*) holds=PASS ;;
	*"
No
"*) holds=FAIL ;;
	*) holds=undecided ;;
	esac
	case $out in
	*"
Deadlock:"* | *"
Does not terminate:"*) ends=FAIL ;;
	*) ends=PASS ;;
	esac
	printf '%s %s %s %s %s %s %s\n' "$file" "$holds" "$ends" "$old" "$new" "$old_live" "$new_live"
done | awk '
	function verdict(kind, got, want) {
		if (want == "-")
			return
		count[kind]++
		if (got != want) {
			wrong++
			print "litmus_verdicts: " $1 ": " kind ": " got ", not " want
		}
	}
	{
		tests++
		verdict("safety (6.0)", $2, $4)
		verdict("safety (7.5)", $2, $5)
		verdict("liveness (6.0)", $3, $6)
		verdict("liveness (7.5)", $3, $7)
	}
	END {
		printf "litmus_verdicts: %d tests; verdicts: safety %d (6.0) and %d (7.5), liveness %d and %d; wrong %d\n", tests, count["safety (6.0)"], count["safety (7.5)"],
			count["liveness (6.0)"], count["liveness (7.5)"], wrong
		exit wrong > 0 || !tests
	}'
