#!/bin/bash
# all.sh FOLDER SECONDS [JOBS]: runs every fuzz_TARGET of FOLDER at the same time, with JOBS processes each, from the seeds in FOLDER/seeds; needs only bash. Prints a summary
# of each target and every finding; the exit status is the number of targets with a finding.
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:?folder with fuzz_* and seeds/}" && pwd) || exit 2
seconds=${2:-570}
jobs=${3:-1}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
while read -r target seeds longest; do
	case $target in '#'* | '') continue ;; esac
	[ -x "$folder/fuzz_$target" ] || { echo "SKIP $target: no fuzz_$target in $folder" && continue; }
	for ((k = 1; k <= jobs; k++)); do
		mkdir -p "$folder/corpus/$target" "$folder/findings"
		"$folder/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3072 -malloc_limit_mb=16384 -max_len="$longest" -reload=5 -print_final_stats=1 \
			-artifact_prefix="$folder/findings/$target-" "$folder/corpus/$target" "$folder/seeds/$seeds" >"$folder/log-$target-$k" 2>&1 &
	done
done <"$here/targets"
wait
bad=0
while read -r target seeds longest; do
	case $target in '#'* | '') continue ;; esac
	found=
	for log in "$folder"/log-"$target"-*; do
		[ -f "$log" ] || continue
		line=$(grep -a '^Done' "$log" | tail -1)
		echo "$target: ${line:-did not reach its end}, $(grep -ac NEW "$log") new inputs, $(grep -a ' cov: ' "$log" | tail -1 | sed 's/.*\(cov: [0-9]*\).*/\1/')"
		[ -n "$line" ] || found=1
		grep -aE 'ERROR: |runtime error|SUMMARY|deadly signal|ALARM' "$log" | head -5
	done
	[ -n "$found" ] && bad=$((bad + 1))
done <"$here/targets"
ls -l "$folder/findings" 2>/dev/null | sed 1d
echo "$bad targets with a finding"
exit $bad
