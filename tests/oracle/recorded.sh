#!/bin/sh
# Runs the golden files with other settings than their own, and compares with recorded/expected.txt: how often each outcome occurs in sampled runs, the findings of random
# schedules and of warps in lockstep, the statistics. All of it follows from the seed, so a difference means that the machine behaves differently: it chooses otherwise, waits
# longer, or finds something else. A line has the settings, the number of lines printed for a file, and their checksum; `recorded.sh show SETTINGS FILE` prints the lines, for a
# comparison with another ptxi (PTXI=...). In `make check` half of the files for each setting; FULL=1 takes all. After an intended change: recorded.sh write.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
build=${BUILD:-build/release}
known=tests/oracle/recorded/expected.txt
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export NO_COLOR=1

# options SETTINGS FILE
options() {
	case $1 in
	sampled)
		case $2 in
		*/litmus/* | */recorded/*) runs=100 ;;
		*/race/*) runs=20 ;;
		*) runs=2 ;;
		esac
		options="--memory=weak --runs=$runs --seed=1 --format=tsv"
		;;
	random) options="--schedule=random --seed=5 --check=all --stats" ;;
	lockstep) options="--schedule=lockstep --check=all --stats" ;;
	weak) options="--memory=weak --seed=3 --check=all --stats" ;;
	statistics) options="--stats --check=none" ;;
	esac
}

if [ "$1" = show ]; then
	options "$2" "$3"
	# shellcheck disable=SC2086
	timeout 60 "$ptxi" run -j1 $options "$3" 2>&1 | sed '/^engine: /d; / seconds in kernels$/d; / million thread-instructions per second$/d'
	exit
fi
${MAKE_PARTS:-make} -s --no-print-directory "$build/oracle/many" || exit 2
mkdir "$tmp/said" "$tmp/lines"
[ "$1" != write ] || FULL=1
n=0
for settings in ${ONLY:-sampled weak random lockstep statistics}; do
	# random and lockstep, weak and statistics take turns
	case $settings in lockstep | statistics) turn=1 ;; *) turn=0 ;; esac
	for file in tests/oracle/recorded/*.ptx tests/ptx/*/*.ptx; do
		case $file in
		tests/ptx/error/* | tests/ptx/run/weak_memory.ptx | tests/ptx/sync/stuck.ptx | tests/ptx/sync/lost_releases.ptx | tests/ptx/nvcc/waiting.ptx) continue ;; # slow, most
		esac
		case $settings:$file in lockstep:*/litmus/* | sampled:*/nvcc/* | statistics:*/litmus/*) continue ;; esac
		turn=$((1 - turn))
		[ $turn != 0 ] || [ -n "$FULL$ONLY" ] || continue
		n=$((n + 1))
		options $settings "$file"
		echo "$n $settings $file run -j1 $options $file"
	done
done >"$tmp/runs"
awk -v here="$PWD" -v said="$tmp/said/" '{ to = said $1; sub(/^[^ ]* [^ ]* [^ ]* /, ""); gsub(/ /, "\t"); print here "\t" to "\t" $0 }' "$tmp/runs" | "$build/oracle/many" 60 || exit 2
# their lines, without the status and what depends on the time
awk -v tmp="$tmp" '
	FNR == 1 { if (to) close(to); to = FILENAME; sub(/.*\//, tmp "/lines/", to); printf "" >to }
	/^engine: / || / seconds in kernels$/ || / million thread-instructions per second$/ || /^status [0-9]+$/ { next }
	{ print >to }' "$tmp"/said/*
(cd "$tmp/lines" && cksum -- *) >"$tmp/sums"
(cd "$tmp/lines" && wc -l -- *) >"$tmp/counts"
awk '
	FILENAME ~ /sums$/ { sum[$3] = $1; next }
	FILENAME ~ /counts$/ { count[$2] = $1; next }
	{ print $2, $3, sum[$1], count[$1] }' "$tmp/sums" "$tmp/counts" "$tmp/runs" >"$tmp/now"
if [ "$1" = write ]; then
	cp "$tmp/now" "$known"
elif ! awk -v all="$FULL" 'NR == FNR { now[$1, $2]; only[$1]; next } ($1, $2) in now || (all && $1 in only)' "$tmp/now" $known | diff - "$tmp/now" >"$tmp/differences"; then
	echo "recorded: the lines are not those recorded in $known ('$0 show SETTINGS FILE' prints them):"
	head -n 20 "$tmp/differences"
	exit 1
fi
echo "recorded: $(wc -l <"$tmp/now") runs of golden files have the recorded output"
