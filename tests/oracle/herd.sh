#!/bin/sh
# Compares herd7 with the axioms of model/ptx.cat and model/ptx.bell with the explorer: the sets of outcomes of random litmus tests, and of those in the folder LITMUS, must be
# equal. N random tests from SEED on; tests that LISA cannot express are counted. Skipped without herd7 (HERD7, HERD7_LIB give the paths of one that is not installed).
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
build=${BUILD:-build/release}
herd=${HERD7:-herd7}
command -v "$herd" >/dev/null 2>&1 || { echo "SKIP herd: herd7 is not installed"; exit 0; }
make -s --no-print-directory "$build/oracle/lisa" "$build/oracle/random_files" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
"$build/oracle/random_files" lisa "$work" "${N:-400}" "${SEED:-1}" || exit 2
{ ls "$work"/*.litmus; [ -z "${PTXI_LITMUS:-}" ] || find "$PTXI_LITMUS" -name '*.litmus' | sort; } >"$work/list"
while read -r file; do
	"$build/oracle/lisa" "$file" >"$work/lisa.litmus" || { sed "s|^|none $file |;q" "$work/lisa.litmus"; continue; }
	"$ptxi" explore --timeout=20 "$file" >"$work/ptxi.out" 2>/dev/null </dev/null
	[ $? = 7 ] && { echo "none $file SKIP the explorer did not finish"; continue; }
	timeout 10 "$herd" ${HERD7_LIB:+-set-libdir "$HERD7_LIB"} -bell model/ptx.bell -model model/ptx.cat "$work/lisa.litmus" >"$work/herd.out" 2>"$work/herd.err" ||
		{ echo "none $file SKIP herd7 did not finish: $(head -1 "$work/herd.err")"; continue; }
	# One state per line: P0:r1=2; x=3; in a fixed order.
	for side in ptxi herd; do
		awk -v side=$side '
			/^States/ { n = $2; next }
			n > 0 && (side == "herd" || /^[0-9]+ *[*:]>/) { # explore shows an execution below its state
				n--
				gsub(/[][]/, "")
				sub(/^[0-9]+ *[*:]> */, "")
				count = split($0, part, /; */)
				out = ""
				for (i = 1; i <= count; i++) {
					if (part[i] ~ /^[0-9]+:/)
						part[i] = "P" part[i]
					gsub(/ /, "", part[i])
				}
				for (i = 1; i <= count; i++) { # insertion sort: no sort function in POSIX awk
					for (k = i; k > 1 && part[k] < part[k - 1]; k--) {
						t = part[k]; part[k] = part[k - 1]; part[k - 1] = t
					}
				}
				for (i = 1; i <= count; i++)
					if (part[i] != "")
						out = out part[i] ";"
				print out
			}' "$work/$side.out" | sort -u >"$work/$side.states"
	done
	if cmp -s "$work/ptxi.states" "$work/herd.states"; then
		echo "same $file $(wc -l <"$work/ptxi.states")"
	else
		echo "DIFFERENT $file"
		diff "$work/ptxi.states" "$work/herd.states" | sed -n 's/^</  explore only: /p;s/^>/  herd7 only: /p'
		[ -z "${KEEP:-}" ] || cp "$file" "$KEEP/"
	fi
done <"$work/list" >"$work/result"
grep -A 20 -e DIFFERENT -e 'herd7 did not' "$work/result" | grep -v -e '^same' -e '^none.*LISA' | head -60
[ -z "${VERBOSE:-}" ] || grep '^none' "$work/result" | sed 's/.*SKIP//' | sort | uniq -c
awk '/^same/ { same++; states += $3 } /^none/ { none++ } /^DIFFERENT/ { bad++ }
	END { printf "herd: %d tests with the same outcomes in herd7 and explore (%d states), %d different, %d that LISA cannot express\n", same, states, bad, none; exit bad > 0 || !same }' "$work/result"
