#!/bin/sh
# Compares which mutants of correct programs ptxi reports, and which the tools of compute-sanitizer report over `ptxi check --on=gpu`. The mutants are those of mutants.sh and
# race_mutants.sh; the original programs are tested, too, since any report of one is false. A line of the table is a file: ptxi's codes, how it ends on the GPU without a tool,
# what each tool reports.
#   MUTANTS=250 of them, evenly spaced (0: all)   JOBS=processors   SECONDS_MOST=540: the next call continues with the rest   TABLE=FILE.tsv, appended to; files already listed
#   there are skipped
cd "$(dirname "$0")/../../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
work=${BUILD:-build/release}/sanitizer
table=${TABLE:-$work/table.tsv}
tools="memcheck racecheck synccheck initcheck"
sanitizer=${SANITIZER:-$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer /usr/local/cuda/compute-sanitizer/compute-sanitizer 2>/dev/null | head -n 1)}

# ---- one file ----
codes() { grep -oE '\[[BDEFLRSUX][0-9]{4}\]' | tr -d '[]' | sort -u | tr '\n' ' ' | sed 's/ $//'; }
# The interpreter's findings, under the default schedule and two random ones; nothing if there are none. An exhausted budget is not a report; if activemask or a seed determines
# the result, neither is a different result under another schedule.
by_ptxi() {
	for options in "" "--schedule=random --seed=1" "--schedule=random --seed=2"; do
		# shellcheck disable=SC2086
		found=$(timeout -k 2 60 "$ptxi" check $options --max-steps=10000000 "$1" 2>&1 | codes)
		case $found in
		*[RSD][0-9]*) ;;
		*B[0-9]*) continue ;;
		*) [ -z "$options" ] || ! grep -qE 'activemask|^[ \t]*//@ set (seed|schedule)' "$1" || continue ;;
		esac
		[ -z "$found" ] || { echo "$found" && return; }
	done
}
# Cases with conditions on outcomes are explored there, too: the explorer's findings are not the GPU's.
by_gpu() {
	out=$(timeout -k 2 60 "$ptxi" check --on=gpu --timeout=5 "$1" 2>&1)
	case $? in
	0) case $out in *PASS*) echo passes ;; *) echo skipped ;; esac ;;
	124 | 137) echo hangs ;;
	*)
		found=$(echo "$out" | codes | sed 's/R0150//; s/X0106//; s/^ *//; s/ *$//')
		case $found:$out in *B0901*) echo hangs ;; [A-Z]*FAIL*) echo "fails $found" ;; *FAIL*) echo passes ;; *) echo skipped ;; esac
		;;
	esac
}
# The errors of a tool: their number and the text of the first; `none`, or `late` if it did not end.
by_tool() {
	log=$work/log/$(basename "$2").$1
	timeout -k 2 60 "$sanitizer" --tool "$1" --target-processes all --report-api-errors no --print-limit 100 "$ptxi" check --on=gpu --timeout=15 "$2" >"$log" 2>&1
	status=$?
	awk -v status=$status '
		/^=+ *(ERROR SUMMARY|RACECHECK SUMMARY):/ { ended = 1; for (k = 1; k < NF; k++) if ($k == "SUMMARY:") n += $(k + 1) }
		/^=+ *(Error|Warning|Invalid|Barrier error|Uninitialized|Misaligned|Race reported|Potential|Program hit|Target application)/ && !first { first = $0; sub(/^=+ */, "", first) }
		/B0901/ { hangs = 1 }
		END {
			gsub(/\t/, " ", first)
			print (n ? n ": " substr(first, 1, 100) : hangs || status == 124 || status == 137 || !ended ? "late" : "none")
		}' "$log"
}
if [ "$1" = one ]; then
	file=$2 name=$(basename "$2")
	[ "$(date +%s)" -lt "$END" ] || exit 0
	what=$(sed -n '1s,^// ,,p' "$file" | tr '\t' ' ')
	case $file in */programs/*) what=original ;; esac
	# A change at a place that no thread reaches does not count.
	if [ -f "$work/traps/$name" ] && [ -z "$(by_ptxi "$work/traps/$name")" ]; then
		printf '%s\t%s\tidle\t\t\t\t\t\n' "$name" "$what" >>"$table"
		exit 0
	fi
	row=$(printf '%s\t%s\t%s\t%s' "$name" "$what" "$(by_ptxi "$file")" "$(by_gpu "$file")")
	for tool in $tools; do
		case $row in
		*"	skipped"*) row="$row	" ;;
		*) row="$row	$(by_tool "$tool" "$file")" ;;
		esac
	done
	[ "$(date +%s)" -lt $((END + 60)) ] && printf '%s\n' "$row" >>"$table"
	exit 0
fi

# ---- all ----
[ -n "$sanitizer" ] || { echo "SKIP sanitizer: compute-sanitizer is not installed" && exit 0; }
"$ptxi" check --on=gpu tests/ptx/nvcc/k1.ptx 2>&1 | grep -qE '^(PASS|FAIL)' || { echo "SKIP sanitizer: no usable GPU" && exit 0; }
mkdir -p "$work/programs" "$work/m" "$work/traps" "$work/log" "$(dirname "$table")" || exit 2
if [ ! -f "$work/made" ]; then
	while read -r program; do
		name=barriers.$(basename "$program")
		cp "tests/ptx/$program.ptx" "$work/programs/$name.ptx"
		awk -v out="$work/m" -v name="$name" -f tests/oracle/mutants/mutate.awk "tests/ptx/$program.ptx"
	done <tests/oracle/mutants/programs
	while read -r program; do
		name=$(echo "$program" | tr / .)
		awk -v out="$work/m" -v traps="$work/traps" -v name="$name" -v original="$work/programs/$name.ptx" -f tests/oracle/race_mutants/mutate.awk "tests/ptx/$program.ptx" >/dev/null
	done <tests/oracle/race_mutants/programs
	for folder in programs m traps; do cp tests/ptx/run/*.bytes "$work/$folder" 2>/dev/null; done
	touch "$work/made"
fi
[ -f "$table" ] || printf 'file\tchange\tptxi\tGPU\t%s\n' "$(echo "$tools" | tr ' ' '\t')" >"$table"
# Every k-th mutant, preceded by every program from which one of them was made.
find "$work/m" -name '*.ptx' | sort | awk -v most="${MUTANTS:-250}" '{ f[NR] = $0 } END { if (most == 0 || most > NR) most = NR; for (k = 0; k < most; k++) print f[int(k * NR / most) + 1] }' >"$work/chosen"
sed 's,/m/,/programs/,; s/-[0-9]*\.ptx$/.ptx/' "$work/chosen" | sort -u | cat - "$work/chosen" | awk -F / -v table="$table" '
	BEGIN { while ((getline line < table) > 0) { sub(/\t.*/, "", line); done[line] = 1 } }
	!($NF in done)' >"$work/left"
END=$(($(date +%s) + ${SECONDS_MOST:-540}))
export END PTXI="$ptxi" BUILD="${BUILD:-build/release}" TABLE="$table" SANITIZER="$sanitizer"
xargs -r -P "${JOBS:-$(nproc)}" -n 1 sh tests/oracle/sanitizer/check.sh one <"$work/left"
awk -F '\t' -v tools="$tools" -f tests/oracle/sanitizer/summary.awk "$table"
left=$(awk -F / -v table="$table" 'BEGIN { while ((getline line < table) > 0) { sub(/\t.*/, "", line); done[line] = 1 } } !($NF in done)' "$work/left" | wc -l)
[ "$left" = 0 ] || echo "sanitizer: $left files are left: run it again"
exit 0
