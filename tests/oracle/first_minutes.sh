#!/bin/sh
# What a newcomer types: each mistake is answered with what is wrong and with what to type instead, and the help fits a terminal of 80 columns. What `make demo` and `make check`
# install is said first, and SETUP=no installs nothing.
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
ptxi=${PTXI:?}
case $ptxi in /*) ;; *) ptxi=$root/$ptxi ;; esac
dir=$(mktemp -d) || exit 2
trap 'chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT
bad=0
tests=0
export NO_COLOR=1

fail() {
	echo "first_minutes: $*"
	bad=1
}
# answer STATUS TEXT ARG...: the status of ptxi ARG..., and a line of what it prints
answer() {
	want=$1 text=$2
	shift 2
	tests=$((tests + 1))
	"$ptxi" "$@" >"$dir/said" 2>&1 </dev/null
	got=$?
	[ $got = "$want" ] || fail "ptxi $*: status $got, not $want: $(head -n 2 "$dir/said")"
	grep -qF -e "$text" "$dir/said" || fail "ptxi $*: does not say '$text': $(head -n 3 "$dir/said")"
}
mkdir "$dir/at"
cp tests/ptx/course/scan.ptx "$dir/at/scan.ptx"
cp tests/fuzz/litmus/mp.litmus "$dir/at/mp.litmus"
cd "$dir/at" || exit 2
mkdir folder nothing
cp scan.ptx folder/sum.ptx
printf '__global__ void k(int *p) { *p = 1; }\n' >k.cpp
cp k.cpp k.cu
: >empty.ptx
printf '.version 9.0\n\0' >binary.ptx
printf '\177ELF\2\1\1\0' >k.cubin
printf '\120\355\125\272\1\0\20\0' >k.fatbin
printf '\120\355\125\272\1\0\20\0' >named.ptx
printf '!<arch>\n' >libk.a
printf 'BC\300\336' >k.bc

# Nothing, or a word
answer 2 "ptxi FILE               the same as 'ptxi run FILE'"
answer 0 "explore FILE" help
answer 0 "usage: ptxi run" help run
answer 0 "Two threads access" help race
answer 0 "Two threads access" explain race
answer 0 "out[0..15] = 1 3 6" scan.ptx
answer 2 "type 'ptxi run FILE'; '-' is standard input" run
answer 2 "type 'ptxi check FILE' or 'ptxi check DIR'" check
answer 2 "type 'ptxi explain race'" explain
answer 2 "did you mean D0101?" explain D101
answer 2 "did you mean --coverage?" explain coverage
answer 2 "did you mean 'ptxi --version'?" version
answer 2 "did you mean --version?" -V

# Commands
answer 2 "did you mean 'ptxi run scan.ptx'?" rnu scan.ptx
answer 2 "did you mean 'ptxi check --seed=3 scan.ptx'?" chekc --seed=3 scan.ptx
answer 2 "did you mean 'ptxi check scan.ptx'?" test scan.ptx
answer 2 "did you mean 'ptxi as scan.ptx'?" assemble scan.ptx
answer 2 "did you mean scan.ptx?" scan
answer 2 "did you mean 'ptxi learn'?" tutorial
answer 2 "did you mean 'ptxi learn 3'?" lesson 3
answer 2 "the commands are run, check" frobnicate
answer 2 "did you mean 'ptxi run scan.ptx -e 'print out''?" rnu scan.ptx -e 'print out'
answer 2 "did you mean 'ptxi explore scan.ptx'?" run scan.ptx explore
answer 2 "two of the files that are linked have //@ lines" run scan.ptx folder/sum.ptx
answer 2 "'ptxi check' takes several files" as scan.ptx folder/sum.ptx

# Options
answer 2 "did you mean --seed=3?" run --sede=3 scan.ptx
answer 2 "did you mean --seed?" run -seed 3 scan.ptx
answer 2 "did you mean --seed=3?" run -seed=3 scan.ptx
answer 2 "did you mean --seed=3?" run seed=3 scan.ptx
answer 2 "did you mean --seed=3?" run scan.ptx seed 3
answer 2 "did you mean --max-steps=10?" check scan.ptx max-steps 10
answer 2 "did you mean --arch=sm_90?" as -arch=sm_90 scan.ptx
answer 2 "'ptxi help as' lists its options" as -O2 scan.ptx
answer 2 "write --seed=N" run --seed scan.ptx
answer 2 "write --jobs=N" run -j scan.ptx
answer 2 "--output is an option of as, dis, grade, merge, exec and cc" run -o out scan.ptx
answer 2 "--runs is an option of run and check" explore --runs=3 scan.ptx
answer 2 "did you mean weak?" run --memory=week scan.ptx
answer 2 "-e 'print out[0..3]'" run scan.ptx -e print 'out[0..3]'

# Settings in //@ lines
answer 2 "options are set by a directive: //@ set seed=3" run scan.ptx -e 'seed=3'
answer 2 "options are set by a directive: //@ set seed=3" run scan.ptx -e '--seed=3'
answer 2 "options are set by a directive: //@ set timeout=3" run scan.ptx -e 'timout=3'
answer 2 "options are set by a directive: //@ set schedule=fair" run scan.ptx -e 'shedule=fair'
answer 2 "write set seed=VALUE" run scan.ptx -e 'set seed 3'
answer 2 "as in CUDA: launch scan<<<1, 64>>>(...)" run scan.ptx -e 'launch scan<<1, 64>>(in, out)'
answer 2 "as in CUDA: launch scan<<<1, 64>>>(...)" run scan.ptx -e 'launch scan(in, out)'
answer 2 "did you mean 'set'?" run scan.ptx -e 'sett seed=3'
sed '1i //@ set sede=3' scan.ptx >../set.ptx
answer 2 "did you mean seed?" run ../set.ptx

# Files
answer 2 "nvcc -ptx -lineinfo -arch=sm_90 -o k.ptx k.cpp; clang++ can, too" as k.cpp
answer 2 "nvcc -ptx -lineinfo" explore k.cpp
answer 2 "k.cu has no //@ lines, which say what is launched" explore k.cu
answer 2 "ptxi cc k.cu && ptxi exec ./a.out" k.cu
answer 2 "ptxi cc -o PROGRAM k.cu && ptxi exec ./PROGRAM" exec k.cu
answer 0 "--cuda-device-only" explain L0209
for command in run as explore dis; do
	answer 2 "'ptxi check folder' checks all its files; one of them is folder/sum.ptx" $command folder
done
answer 2 "one of them is folder/sum.ptx" folder/
answer 2 "none lies directly in this one" run nothing
answer 2 "contains no .ptx or .litmus file" check nothing
answer 2 "did you mean scan.ptx?" run scna.ptx
answer 2 "did you mean scan.ptx?" run SCAN.PTX
answer 2 "did you mean scan.ptx?" run scan.ptxo
answer 2 "did you mean folder/sum.ptx?" run folder/sum.pxt
answer 2 "did you mean scan.ptx?" check scann.ptx
answer 2 "there is no folder 'fodler'" run fodler/sum.ptx
answer 2 "'': No such file" run ''
answer 2 "No such file" run other.ptx
! grep -q 'did you mean' "$dir/said" || fail "another name is suggested for other.ptx"
answer 3 "empty.ptx: the file is empty" run empty.ptx
answer 3 "standard input: the file is empty" run -
answer 3 "binary.ptx: this is not text: byte 13 is NUL" run binary.ptx
answer 2 "a .cubin contains no PTX" run k.cubin
answer 2 "cuobjdump -ptx k.fatbin" run k.fatbin
answer 2 "cuobjdump -ptx named.ptx" run named.ptx
answer 2 "cuobjdump -ptx libk.a" as libk.a
answer 2 "llc -march=nvptx64" as k.bc
answer 2 "'ptxi explore mp.litmus' lists its outcomes" as mp.litmus
answer 2 "'ptxi explore mp.litmus' lists its outcomes" dis mp.litmus
answer 2 "name the file, too: folder/NAME" as -o folder scan.ptx
answer 2 "name the file, too: folder/NAME" run --trace=folder scan.ptx
answer 2 "create it: mkdir -p no/such" as -o no/such/x.ptxo scan.ptx
answer 2 "create it: mkdir -p no" run --trace=no/x.json scan.ptx
# The labels that clang writes for -gline-tables-only are nobody's mistake; a label of one's own that is not used is.
printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nLfunc_begin0:\n\tbar.sync 0;\nLtmp0:\nagain:\n\tret;\nLfunc_end0:\n}\n' >labels.ptx
answer 0 "label 'again' is never used" as labels.ptx
[ "$(grep -c 'is never used' "$dir/said")" = 1 ] || fail "labels of clang are reported: $(cat "$dir/said")"
# No permission: as a user without privileges
chmod 000 folder/sum.ptx
if [ "$(id -u)" != 0 ]; then
	answer 2 "folder/sum.ptx: Permission denied" run folder/sum.ptx
elif command -v setpriv >/dev/null 2>&1 && chmod 755 "$dir" "$dir/at" "$dir/at/folder" && cp "$ptxi" "$dir/ptxi" &&
	setpriv --reuid=65534 --clear-groups "$dir/ptxi" --version >/dev/null 2>&1; then
	tests=$((tests + 2))
	setpriv --reuid=65534 --clear-groups "$dir/ptxi" run folder/sum.ptx 2>&1 | grep -qF 'folder/sum.ptx: Permission denied' || fail "an unreadable file"
	setpriv --reuid=65534 --clear-groups "$dir/ptxi" as -o folder/x.ptxo scan.ptx 2>&1 | grep -qF 'folder/x.ptxo: Permission denied' || fail "a folder that cannot be written"
else
	echo "SKIP first_minutes: files without permission: root reads every file, and setpriv is not installed"
fi

# A reader that stops early, where SIGPIPE is ignored: no message
tests=$((tests + 1))
(
	trap '' PIPE
	{ "$ptxi" help run 2>"$dir/said"; echo $? >"$dir/status"; } | true
)
[ "$(cat "$dir/status")" = 0 ] || [ "$(cat "$dir/status")" = 141 ] && [ ! -s "$dir/said" ] || fail "a closed pipe: status $(cat "$dir/status"), $(cat "$dir/said")"

# Help fits 80 columns, except a line that is one word.
for command in '' run check explore as dis explain grade merge learn debug exec; do
	tests=$((tests + 1))
	# shellcheck disable=SC2086 # no word for the first
	"$ptxi" help $command | awk -v c="$command" 'length($0) > 80 { print "first_minutes: help " c ": more than 80 columns: " $0; bad = 1 } END { exit bad }' || bad=1
done

# The setup: a PATH without compilers. SETUP=no says what is missing and how to install it, and runs nothing.
mkdir "$dir/bin"
for tool in sh cat head id mktemp rm tail env; do
	ln -s "$(command -v $tool)" "$dir/bin/$tool"
done
printf '#!/bin/sh\necho "$*" >>%s/apt\n' "$dir" >"$dir/bin/apt-get"
printf '#!/bin/sh\n[ "$1" != -n ] || shift\n[ "$1" = true ] || "$@"\n' >"$dir/bin/sudo"
chmod +x "$dir/bin/apt-get" "$dir/bin/sudo"
setup() { PATH=$dir/bin CC=gcc SETUP=$1 "$dir/bin/sh" "$root/tests/setup.sh" $2 >"$dir/said" 2>&1; }
tests=$((tests + 6))
setup no test && fail "SETUP=no succeeds without a compiler"
grep -q 'apt-get install -y --no-install-recommends gcc libc6-dev flex bison pkg-config libcriterion-dev$' "$dir/said" || fail "SETUP=no does not say what to type: $(cat "$dir/said")"
[ ! -e "$dir/apt" ] || fail "SETUP=no runs apt-get $(cat "$dir/apt")"
setup yes "" || fail "the setup fails: $(cat "$dir/said")"
[ "$(cat "$dir/apt")" = "install -y --no-install-recommends gcc libc6-dev flex bison" ] || fail "apt-get got '$(cat "$dir/apt")'"
head -n 1 "$dir/said" | grep -q 'these packages are missing.*gcc libc6-dev flex bison$' || fail "what is installed is not said first: $(cat "$dir/said")"
rm "$dir/bin/apt-get"
setup yes "" && fail "the setup succeeds without apt-get"

# The build says which module it compiles, once, and passes on a failure and its message.
mkdir "$dir/build"
cat >"$dir/build/Makefile" <<'END'
all: one/a.o one/b.o two/c.o
%.o: %.c
	gcc -c -o $@ $<
END
for file in one/a one/b two/c; do
	mkdir -p "$dir/build/${file%/*}"
	echo 'int x;' >"$dir/build/$file.c"
done
build() { (cd "$dir/build" && MAKEFLAGS='' MAKE=make BUILD=. sh "$root/tests/build.sh" all) >"$dir/said" 2>&1; }
tests=$((tests + 3))
if build; then
	sed -i 's/in [0-9]* s/in N s/; s/, [0-9]* at a time//' "$dir/said"
	printf 'building: 3 files to compile\n  1 of 3: one\n  3 of 3: two\nbuilt in N s\n' >"$dir/want"
	diff "$dir/want" "$dir/said" || fail "the build prints something else"
else
	fail "the build fails: $(cat "$dir/said")"
fi
build && [ ! -s "$dir/said" ] || fail "a build with nothing to do prints $(cat "$dir/said")"
# The variables of the outer make reach the inner one; its other flags do not.
printf 'kind:\n\t@test "$(VARIANT)" = "as an" && touch kind\nouter: ; @MAKE="$(MAKE)" BUILD=. sh %s/tests/build.sh kind\n' "$root" >"$dir/build/Outer"
cat "$dir/build/Outer" >>"$dir/build/Makefile"
tests=$((tests + 1))
(cd "$dir/build" && make -s -j2 -C . outer VARIANT="as an" >"$dir/said" 2>&1) && [ -e "$dir/build/kind" ] || fail "a variable is lost: $(cat "$dir/said")"
echo 'int x = ;' >"$dir/build/two/c.c"
rm -f "$dir/build/two/c.o"
build && fail "a build with an error succeeds"
grep -q 'two/c.c:1:9: error' "$dir/said" || fail "the compiler's message is lost"

[ $bad = 0 ] && echo "first_minutes: $tests answers as expected"
exit $bad
