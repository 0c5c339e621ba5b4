#!/bin/sh
# `ptxi explore --shard=K/N` and `ptxi merge`: the parts of a search, joined, give byte for byte what one run prints, on both outputs and with its status. In `make check` for
# every seventh of the quick golden files, each with one of N = 1, 2, 3, 7 in turn; with FULL=1 for all files of explore_work/counts.txt, with every N.
# And what merge says when parts are missing, changed or not parts.
cd "$(dirname "$0")/../.." || exit 2
case ${PTXI:?} in /*) ptxi=$PTXI ;; *) ptxi=$PWD/$PTXI ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export NO_COLOR=1 LC_ALL=C
bad=0
tests=0
fail() { echo "shards: $*"; bad=1; }

# joined N FILE OPTION...: explores FILE at once and in N parts
joined() {
	parts=$1
	shift
	"$ptxi" explore -j1 "$@" >"$dir/one" 2>"$dir/one.err"
	one=$?
	rm -f "$dir"/*.part
	k=0
	while [ $k -lt "$parts" ]; do
		k=$((k + 1))
		"$ptxi" explore -j1 --shard=$k/"$parts" "$@" >"$dir/$k.part" 2>"$dir/part.err" || fail "part $k/$parts of $1 ends with $?"
	done
	"$ptxi" merge "$dir"/*.part >"$dir/all" 2>"$dir/all.err"
	all=$?
	tests=$((tests + 1))
	[ $one = $all ] && cmp -s "$dir/one" "$dir/all" && cmp -s "$dir/one.err" "$dir/all.err" ||
		{ fail "$1 in $parts parts is not what one run gives (status $all, $one)"; diff "$dir/one" "$dir/all" | head -n 5; diff "$dir/one.err" "$dir/all.err" | head -n 5; }
}

# Warnings of single instructions (shuffle_source.ptx) are not in parts; the figures of work say which files are quick on every machine.
awk -F'[:,]' -v all="$FULL" '
	$1 ~ /\/shuffle_source\.ptx$/ { next }
	all { print 1, $1; print 2, $1; print 3, $1; print 7, $1; next }
	{
		quick = 0
		for (k = 2; k <= NF; k++) if ($k ~ / steps$/) quick = $k + 0 < 20000
		if (quick && ++n % 7 == 0) print substr("1237", n % 4 + 1, 1), $1
	}' tests/oracle/explore_work/counts.txt >"$dir/chosen"
while read -r parts file; do joined "$parts" "$file" -v; done <"$dir/chosen"
# other forms of output, and options that change the search
joined 3 tests/ptx/litmus/families.ptx --format=json
joined 2 tests/oracle/repair/mp.litmus --format=json
joined 3 tests/ptx/course/write_read_xy_fences.ptx -q -e 'forbid seen[0] == 1'
joined 2 tests/ptx/litmus/rounds.ptx --rounds=2 -w
# the parts of a search begin after the launch that has a race
cat >"$dir/launches.ptx" <<'F'
//@ launch first<<<2, 1>>>()
//@ launch second<<<4, 1>>>()
//@ observe x, y
.version 8.0
.target sm_90
.address_size 64
.visible .global .u32 x;
.visible .global .u32 y;
.visible .entry first()
{
	.reg .pred %p;
	.reg .b32 %r<3>;
	mov.u32 %r1, %ctaid.x;
	setp.eq.u32 %p, %r1, 0;
	@%p st.global.u32 [x], 1;
	@%p ret;
	ld.global.u32 %r2, [x];
	st.global.u32 [y], %r2;
	ret;
}
.visible .entry second()
{
	.reg .b32 %r<4>;
	mov.u32 %r1, %ctaid.x;
	st.relaxed.gpu.global.u32 [x], %r1;
	ld.relaxed.gpu.global.u32 %r2, [x];
	ld.relaxed.gpu.global.u32 %r3, [x];
	ret;
}
F
joined 3 "$dir/launches.ptx"
grep -q R0150 "$dir/one.err" || fail "no race is found in the first launch"

# ---- what cannot be joined ----
says() {
	want=$1
	shift
	tests=$((tests + 1))
	"$@" >"$dir/out" 2>"$dir/err"
	status=$?
	[ $status = 2 ] && [ ! -s "$dir/out" ] && grep -qF -e "$want" "$dir/err" || { fail "$*: status $status, not '$want':"; cat "$dir/err"; }
}
cp tests/oracle/repair/mp.litmus "$dir/mp.litmus"
cd "$dir" || exit 2
rm -f ./*.part
for k in 1 2 3; do "$ptxi" explore --shard=$k/3 mp.litmus >$k.part; done
says 'of 3 shards, 2 are given' "$ptxi" merge 1.part 2.part
says '1.part and 1.part are both shard 1/3' "$ptxi" merge 1.part 1.part 3.part
"$ptxi" explore --shard=3/3 --rounds=5 mp.litmus >other.part
says 'are not parts of the same exploration' "$ptxi" merge 1.part 2.part other.part
head -c 100 3.part >cut.part
says "cut.part is not the complete result of 'ptxi explore --shard'" "$ptxi" merge 1.part 2.part cut.part
sed 's/^stuck 0/stuck 9/' 3.part >wrong.part
says 'a part is not a result of this program' "$ptxi" merge 1.part 2.part wrong.part
sed 's/st.weak x, 1 /st.weak x, 2 /' mp.litmus >changed && cp changed mp.litmus
says 'mp.litmus has changed since its parts were explored' "$ptxi" merge 1.part 2.part 3.part
says '--shard and --why exclude each other' "$ptxi" explore --shard=1/2 --why= mp.litmus
[ $bad = 0 ] && echo "shards: $tests explorations in parts and at once, and refusals, as expected"
exit $bad
