#!/bin/sh
# Compares random programs (random_litmus.c, random_kernel.c, random_copies.c) with random_recorded.txt: every outcome that the explorer finds with one worker, how much it
# searched, and for litmus tests its output with --why and --graph; the findings of a run with all checks, under a random schedule and weak memory. Other tests show that the
# outcomes of such programs are right; this one shows that nothing else has changed, including the work. A line has the checksum of the output for ten programs.
# `random_recorded.sh show KIND NUMBER` prints it for the ten from NUMBER on, for a comparison with another ptxi (PTXI=...). After an intended change: random_recorded.sh write.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
build=${BUILD:-build/release}
known=tests/oracle/random_recorded.txt
make -s --no-print-directory "$build/oracle/random_files" || exit 2
case $ptxi in /*) ;; *) ptxi=$(pwd)/$ptxi ;; esac
case $build in /*) ;; *) build=$(pwd)/$build ;; esac
here=$(pwd)
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export NO_COLOR=1 LC_ALL=C
mkdir "$tmp/programs"
cd "$tmp/programs" || exit 2

# told KIND FILE SECONDS: prints the output; false if it takes longer
told() {
	timeout "$3" "$ptxi" explore -j1 -v --stats "$2" 2>&1
	status=$?
	echo "status $status"
	[ $status != 124 ] || return 1
	case $1 in
	litmus | fences)
		timeout 60 "$ptxi" explore -j1 --why= --graph=../graph "$2" 2>&1 && cat ../graph
		timeout 60 "$ptxi" explore -j1 --deps=semantic "$2" 2>&1
		;;
	*)
		timeout 60 "$ptxi" run -j1 --check=all --schedule=random --seed=3 --max-steps=100000 "$2" 2>&1
		timeout 60 "$ptxi" run -j1 --check=all --memory=weak --seed=5 --max-steps=100000 "$2" 2>&1
		;;
	esac
	true
}

# ten KIND SEED: the output for the programs of ten seeds; with `write` slow ones are replaced by a note
ten() {
	rm -f random*
	"$build/oracle/random_files" "$1" . 10 "$2" || exit 2
	for file in random*; do
		case $slow in *" $1:$2:$file "*) continue ;; esac
		told "$1" "$file" "${limit:-60}" >../told </dev/null || { [ -z "$limit" ] || echo "$1:$2:$file" >>../slow; continue; }
		cat ../told
	done
}

slow=" $(sed -n 's/^slow //p' "$here/$known" 2>/dev/null | tr '\n' ' ') "
if [ "$1" = show ]; then
	ten "$2" "$3"
	exit
fi
[ "$1" = write ] && slow= limit=0.3
: >../slow
for kind in litmus fences kernel protocol copies; do
	case $kind in
	litmus) most=600 ;;
	copies) most=60 ;;
	*) most=200 ;;
	esac
	seed=1
	while [ $seed -lt $most ]; do
		echo "$kind $seed $(ten $kind $seed | cksum | cut -d' ' -f1)"
		seed=$((seed + 10))
	done
done >../now
sed 's/^/slow /' ../slow >>../now
if [ "$1" = write ]; then
	cp ../now "$here/$known"
elif ! grep -v '^slow' "$here/$known" | cmp -s - ../now; then
	echo "random_recorded: the output differs ('$0 show KIND NUMBER' prints it):"
	grep -v '^slow' "$here/$known" | diff - ../now | head -n 20
	exit 1
fi
echo "random_recorded: $(grep -vc '^slow' ../now)0 random programs have the recorded output"
