#!/bin/sh
# Compares random programs (random_litmus.c, random_kernel.c, random_copies.c) with random_recorded.txt: every outcome that the explorer finds with one worker, how much it
# searched, and for litmus tests its output with --why and --graph; the findings of a run with all checks, under a random schedule and weak memory. Other tests show that the
# outcomes of such programs are right; this one shows that nothing else has changed, including the work. A line has the checksum of the output for ten programs.
# In `make check` every fourth ten of a kind; FULL=1 takes all.
# `random_recorded.sh show KIND NUMBER` prints it for the ten from NUMBER on, for a comparison with another ptxi (PTXI=...). After an intended change: random_recorded.sh write.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
build=${BUILD:-build/release}
known=tests/oracle/random_recorded.txt
${MAKE_PARTS:-make} -s --no-print-directory "$build/oracle/random_files" "$build/oracle/many" || exit 2
case $ptxi in /*) ;; *) ptxi=$(pwd)/$ptxi ;; esac
case $build in /*) ;; *) build=$(pwd)/$build ;; esac
here=$(pwd)
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export NO_COLOR=1 LC_ALL=C
if [ "$1" = write ]; then
	FULL=1 limit=0.3
else
	sed -n 's/^slow //p' "$here/$known" >"$tmp/slow"
fi
: >>"$tmp/slow"
mkdir "$tmp/programs" "$tmp/out" "$tmp/all"
cd "$tmp" || exit 2

# ten KIND SEED: makes the programs of ten seeds, and adds them to the list, except those that were slow when they were recorded
ten() {
	mkdir "programs/$1:$2" && "$build/oracle/random_files" "$1" "programs/$1:$2" 10 "$2" || exit 2
	for file in "programs/$1:$2"/random*; do
		echo "$1:$2:${file##*/}"
	done >>programs.txt
}
# commands WHICH: the explorations of the programs on standard input, or their other runs
commands() {
	awk -v tmp="$tmp" -v which="$1" '
		function run(n, arguments) { gsub(/ /, "\t", arguments); print tmp "/programs/" kind ":" seed "\t" tmp "/out/" $0 "." n "\t" arguments "\t" file }
		{
			split($0, part, ":")
			kind = part[1]; seed = part[2]; file = part[3]
			if (which == "first") run(1, "explore -j1 -v --stats")
			else if (kind == "litmus" || kind == "fences") {
				run(2, "explore -j1 --why= --graph=graph." file)
				run(3, "explore -j1 --deps=semantic")
			} else {
				run(2, "run -j1 --check=all --schedule=random --seed=3 --max-steps=100000")
				run(3, "run -j1 --check=all --memory=weak --seed=5 --max-steps=100000")
			}
		}'
}
# told: runs the programs of the list, and puts the output for ten into one file of all/
told() {
	grep -vxFf slow programs.txt >now.txt
	commands first <now.txt | "$build/oracle/many" "${limit:-60}" || exit 2
	if [ "$limit" ]; then
		(cd out && grep -l '^status 124$' -- *) | sed 's/\.1$//' >slow
		grep -vxFf slow programs.txt >now.txt
	fi
	commands others <now.txt | "$build/oracle/many" 60 || exit 2
	# the status of the first command is a part of the output; the graph follows if the second one did not fail
	awk '
		function lines(file, status, line, last) {
			while ((getline line < file) > 0) {
				if (line ~ /^status [0-9]+$/ && !status) last = line
				else print line >to
			}
			close(file)
			return last
		}
		{
			split($0, part, ":")
			to = "all/" part[1] ":" part[2]
			if (to != before && before) close(before)
			before = to
			lines("out/" $0 ".1", 1)
			if (lines("out/" $0 ".2") == "status 0" && part[1] ~ /litmus|fences/) lines("programs/" part[1] ":" part[2] "/graph." part[3], 1)
			lines("out/" $0 ".3")
		}' now.txt
}

if [ "$1" = show ]; then
	ten "$2" "$3"
	told
	cat all/*
	exit
fi
step=40
[ -z "$FULL" ] || step=10
for kind in litmus fences kernel protocol copies; do
	case $kind in
	litmus) most=600 ;;
	copies) most=60 ;;
	*) most=200 ;;
	esac
	seed=1
	while [ $seed -lt $most ]; do
		ten $kind $seed
		echo "$kind:$seed" >>tens
		: >"all/$kind:$seed"
		seed=$((seed + step))
	done
done
told
(cd all && cksum -- *) >sums
awk 'FILENAME == "sums" { sum[$3] = $1; next } { line = $1 " " sum[$1]; sub(/:/, " ", line); print line }' sums tens >now
if [ "$1" = write ]; then
	sed 's/^/slow /' slow >>now
	cp now "$here/$known"
	exit
fi
awk '!/^slow/ && NR == FNR { was[$1, $2] = $0; next } FILENAME == "now" { print was[$1, $2] }' "$here/$known" now >expected
if ! cmp -s expected now; then
	echo "random_recorded: the output differs ('$0 show KIND NUMBER' prints it):"
	diff expected now | head -n 20
	exit 1
fi
echo "random_recorded: $(wc -l <now)0 random programs have the recorded output"
