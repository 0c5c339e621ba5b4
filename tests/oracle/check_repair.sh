#!/bin/sh
# `ptxi check --repair` on cases of tests/ptx/race that expect a data race, asked to be clean instead: what it names, and that the file with the first diff passes. FULL=1: every such case, with
# how many have a repair.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:-build/release/ptxi}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
asked=0
patched=0
fail() {
	echo "check_repair: $*"
	bad=1
}
# case_of FILE CASE: writes the case alone, which is to be clean
case_of() {
	{
		grep -v '^//@' "$1"
		sed -n "\|^//@ case $2\$|,\|^//@ case |p" "$1" | sed '1!{/^\/\/@ case/d;}' | grep '^//@' | sed 's/^\/\/@ expect race.*/\/\/@ expect clean/'
	} >"$dir/one.ptx"
}
repair() {
	asked=$((asked + 1))
	NO_COLOR=1 "$ptxi" check --repair "$@" "$dir/one.ptx" >"$dir/out" 2>&1
}
# of FILE CASE WORDS: the first repair, explored; patched with it, the file passes
of() {
	case_of "tests/ptx/race/$1.ptx" "$2"
	repair
	status=$?
	[ $status = 1 ] || fail "$1:$2: status $status"
	first=$(sed -n '/^1\. /,/^---/{/^---/d;p;}' "$dir/out")
	printf '%s\n' "$first" | grep -qF -- "$3" || fail "$1:$2: '$first' does not name '$3'"
	printf '%s\n' "$first" | grep -q "explored: right" || fail "$1:$2: '$first' was not explored"
	command -v patch >/dev/null || return
	sed -n '/^---/,$p' "$dir/out" | sed '/^2\. /,$d' >"$dir/diff"
	patch -s "$dir/one.ptx" "$dir/diff" || fail "$1:$2: patch does not accept the diff"
	"$ptxi" check "$dir/one.ptx" >"$dir/out" 2>&1 || fail "$1:$2: the patched file does not pass: $(head -n 1 "$dir/out")"
	patched=$((patched + 1))
}
of missing_bar no_barrier 'bar.sync 0 before ld.shared.u32'
of scope_cta too_narrow 'st.release.cta.global.u32 becomes st.release.gpu.global.u32'
of cluster_barrier relaxed 'fence.release.cluster before barrier.cluster.arrive.relaxed'
# with .cta the schedules that are run show no race, but the memory model allows one
of weak_then_strong write_then_atomic 'st.global.u32 becomes st.relaxed.gpu.global.u32'

# What no order, scope or fence mends; nothing to mend; options that do not fit.
case_of tests/ptx/race/mixed_sizes.ptx half
repair
grep -q '^Repair: none found' "$dir/out" || fail "a race of sizes: $(grep '^Repair' "$dir/out")"
NO_COLOR=1 "$ptxi" check --repair tests/ptx/race/missing_bar.ptx >"$dir/out" 2>&1 || fail "a file that passes: status $?"
grep -q '^Repair' "$dir/out" && fail "a file that passes is repaired"
repair --format=json
[ $? = 2 ] || fail "--format=json is accepted"
"$ptxi" check '--repair=x == 1' "$dir/one.ptx" >"$dir/out" 2>&1
[ $? = 2 ] || fail "a condition is accepted"

if [ -n "$FULL" ]; then
	cases=0
	some=0
	right=0
	for file in tests/ptx/race/*.ptx; do
		for case in $(sed -n 's/^\/\/@ case //p' "$file"); do
			case_of "$file" "$case"
			grep -q '^//@ expect clean' "$dir/one.ptx" || continue
			repair --timeout=10
			grep -q '^FAIL' "$dir/out" || continue
			cases=$((cases + 1))
			! grep -q '^1\. ' "$dir/out" || some=$((some + 1))
			! grep -q 'explored: right' "$dir/out" || right=$((right + 1))
		done
	done
	echo "check_repair: of $cases racy cases, $some have a repair, explored for $right"
fi
echo "check_repair: $asked files, $patched of them patched and passed"
exit $bad
