#!/bin/sh
# Runs the golden files with other settings than their own, and compares with recorded/expected.txt: how often each outcome occurs in sampled runs, the findings of random
# schedules and of warps in lockstep, the statistics. All of it follows from the seed, so a difference means that the machine behaves differently: it chooses otherwise, waits
# longer, or finds something else. A line has the settings, the number of lines printed for a file, and their checksum; `recorded.sh show SETTINGS FILE` prints the lines, for a
# comparison with another ptxi (PTXI=...). After an intended change: recorded.sh write.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
known=tests/oracle/recorded/expected.txt
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export NO_COLOR=1

# show SETTINGS FILE
show() {
	case $1 in
	sampled)
		case $2 in
		*/litmus/* | */recorded/*) runs=100 ;;
		*/race/*) runs=20 ;;
		*) runs=2 ;;
		esac
		set -- --memory=weak --runs=$runs --seed=1 --format=tsv "$2"
		;;
	random) set -- --schedule=random --seed=5 --check=all --stats "$2" ;;
	lockstep) set -- --schedule=lockstep --check=all --stats "$2" ;;
	weak) set -- --memory=weak --seed=3 --check=all --stats "$2" ;;
	statistics) set -- --stats --check=none "$2" ;;
	esac
	timeout 60 "$ptxi" run -j1 "$@" 2>&1 | sed '/^engine: /d; / seconds in kernels$/d; / million thread-instructions per second$/d'
}

if [ "$1" = show ]; then
	show "$2" "$3"
	exit
fi
for settings in ${ONLY:-sampled weak random lockstep statistics}; do
	for file in tests/oracle/recorded/*.ptx tests/ptx/*/*.ptx; do
		case $file in
		tests/ptx/error/* | tests/ptx/run/weak_memory.ptx | tests/ptx/sync/stuck.ptx | tests/ptx/sync/lost_releases.ptx | tests/ptx/nvcc/waiting.ptx) continue ;; # slow, most
		esac
		case $settings:$file in lockstep:*/litmus/* | sampled:*/nvcc/* | statistics:*/litmus/*) continue ;; esac
		show $settings "$file" >"$tmp/lines"
		echo "$settings $file $(cksum <"$tmp/lines" | cut -d' ' -f1) $(wc -l <"$tmp/lines")"
	done >"$tmp/now"
	cat "$tmp/now" >>"$tmp/out"
	[ "$1" = write ] || grep "^$settings " "$known" | diff - "$tmp/now" >"$tmp/differences" || break
done
if [ "$1" = write ]; then
	cp "$tmp/out" "$known"
elif [ -s "$tmp/differences" ]; then
	echo "recorded: the lines are not those recorded in $known ('$0 show SETTINGS FILE' prints them):"
	head -n 20 "$tmp/differences"
	exit 1
fi
echo "recorded: $(wc -l <"$tmp/out") runs of golden files have the recorded output"
