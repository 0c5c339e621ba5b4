#!/bin/sh
# run --stats=lines: profile/profile.ptx (nvcc -lineinfo of profile.cu) against profile/profile.txt, whose costs of memory and branches were worked out by hand:
#   line 15: 32 lanes read a column of tile[32][32], all in one bank: 31 more passes, in 32 warps: 992. Line 24: a row of 33 words shifts each lane by a bank: none.
#   line 29: 64 lanes read every eighth word: 64 sectors, the bytes of which fill 8; they write 256 bytes in a row: 8.
#   line 35: a double for each lane takes 2 passes, as it must; all read in[0], a sector for each of 2 warps. Line 36: odd lanes of both warps go another way than even ones.
#   line 37: every other double, in each half of a warp 8 of them in 16 banks. Line 38: lanes 32 and up are a whole warp, and no lane of it takes the branch. Line 39: 128 bytes from byte 132 on lie in 5 sectors.
cd "$(dirname "$0")/../.." || exit 2
ptxi=${PTXI:?}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export NO_COLOR=1
at=tests/oracle/profile
bad=0
run() { "$ptxi" run --check=none --quiet --script=$at/profile.cu "$@" 2>&1; }

run --stats=lines $at/profile.ptx >"$dir/out"
[ "$1" = write ] && cp "$dir/out" $at/profile.txt && exit
diff $at/profile.txt "$dir/out" || { echo "profile: another profile of profile.cu" && bad=1; }
# the lines' instructions are all instructions, with any number of host threads, and the same in JSON
all=$(run --stats $at/profile.ptx | sed -n 's/ *\([0-9]*\) warp instructions/\1/p')
sum=$(awk '/^[* ] *[0-9]+ /{ sub(/^\*/, ""); n += $2 } END { print n }' "$dir/out")
[ "$all" = "$sum" ] || { echo "profile: the lines have $sum instructions, the run $all" && bad=1; }
run --stats=lines -j 2 $at/profile.ptx | cmp -s - "$dir/out" || { echo "profile: two threads count something else" && bad=1; }
run --stats=lines --format=json $at/profile.ptx >"$dir/json"
grep -qF '"line": 15, "instructions": 224, "lanes": 7168, "divergent_branches": 0, "bank_conflicts": 992, "shared_passes": 1024, "sectors": 128, "sectors_best": 128, "text": "\tout[y * 32 + x] = tile[x][y];"}' "$dir/json" ||
	{ echo "profile: no line 15 in JSON" && bad=1; }
run --format=json $at/profile.ptx | grep -q '"lines"' && { echo "profile: lines without --stats=lines" && bad=1; }
# without .loc: lines of the PTX
grep -v '\.loc' $at/profile.ptx >"$dir/plain.ptx"
run --stats=lines "$dir/plain.ptx" >"$dir/out"
awk '/^[* ] *[0-9]+ /{ sub(/^\*/, ""); n += $2; s += $5 } END { exit !(n == '"$all"' && s == 992) }' "$dir/out" ||
	{ echo "profile: the lines of the PTX have other sums" && cat "$dir/out" && bad=1; }
# a name of a file that would move the cursor
awk '{ sub(/"profile.cu"/, "\"a\033[2Jb.cu\""); print }' $at/profile.ptx >"$dir/name.ptx"
run --stats=lines "$dir/name.ptx" >"$dir/out"
grep -q '^a?\[2Jb.cu$' "$dir/out" || { echo "profile: the name of a file is printed as it is" && bad=1; }
"$ptxi" run --stats=line $at/profile.ptx 2>&1 | grep -q "invalid value 'line' of --stats" || { echo "profile: --stats=line is accepted" && bad=1; }
[ $bad = 0 ] && echo "profile: $(wc -l <$at/profile.txt) lines of a profile, $all instructions"
exit $bad
