#!/bin/sh
# Several modules, and linking: programs of Python that use the driver (linking.py); where nvcc 13 is installed, CUDA programs of two files, linked (-rdc=true) and not, each with
# planted mistakes (of the five two, and with FULL=1 all, as in make check-cuda). The .ptx files are what nvcc 13.0 makes of the .cu files beside them, with paths removed, main.fatbin and part.fatbin what the toolkit's fatbinary makes of those:
# with them Python does the same without nvcc. `linking.sh write` makes them again.
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=build/release}"
case $BUILD in
*asan* | *tsan* | *fuzz*) echo "SKIP linking: sanitizers are not for a library that Python or nvcc's programs load" && exit 0 ;;
esac
${MAKE_PARTS:-make} -s --no-print-directory BUILD="$BUILD" "$BUILD/ptxi" "$BUILD/libcuda.so.1" "$BUILD/libcudart.so.13" || exit 1
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
tests=0
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
# write OUT SOURCE OPTION...
write() {
	out=tests/oracle/linking/$1
	shift
	(cd tests/oracle/linking && "$nvcc" -rdc=true -lineinfo -arch=sm_80 -w -ptx -o "$dir/ptx" "$@") && sed 's,^\(	\.file	[0-9]* \)".*/\([a-z]*\.cu\)",\1"\2",; s,^\(	\.file	[0-9]* \)".*/include/,\1"include/,' "$dir/ptx" >"$out"
}
if [ "$1" = write ]; then
	write main.ptx main.cu && write race.ptx -DRACE main.cu && write part.ptx part.cu && write bounds.ptx -DBOUNDS part.cu && write first.ptx first.cu && write second.ptx second.cu || exit 1
	for k in main part; do
		"$(dirname "$nvcc")/fatbinary" --create="tests/oracle/linking/$k.fatbin" -64 --image3="kind=ptx,sm=80,file=tests/oracle/linking/$k.ptx" --compress=true || exit 1
	done
	exit 0
fi
fail() {
	echo "linking: $*"
	bad=1
}

# ---- Python ----
if ! python3 -c 'import ctypes' 2>/dev/null; then
	echo "linking: SKIP Python: python3 with ctypes is not installed"
else
	PTXI=$BUILD/ptxi LINKING=$dir PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/oracle python3 tests/oracle/linking.py "$BUILD/libcuda.so.1" || bad=1
fi

# ---- nvcc ----
if ! "$nvcc" --version 2>/dev/null | grep -q 'release 13\.'; then
	[ $bad = 0 ] && echo "linking: SKIP nvcc: nvcc 13 is not installed"
	exit $bad
fi
# runs NAME STATUS PART OPTION... FILE...: the program prints PART
runs() {
	name=$1 wanted=$2 part=$3
	shift 3
	tests=$((tests + 1))
	(cd tests/oracle/linking && "$nvcc" -cudart shared -lineinfo -o "$dir/program" "$@") >/dev/null 2>"$dir/said" || { fail "$name: nvcc fails" && cat "$dir/said"; }
	"$BUILD/ptxi" exec --check=all "$dir/program" >"$dir/said" 2>&1
	status=$?
	[ $status = "$wanted" ] && grep -q -e "$part" "$dir/said" || { fail "$name: status $status; does not say '$part':" && cat "$dir/said"; }
}
[ -z "$FULL" ] || runs "linked files" 0 '^9136 64 5 no error$' -rdc=true main.cu part.cu
runs "linked files with a planted race" 5 'main\.cu:16:2: error: data race on total.*R0101' -rdc=true -DRACE main.cu part.cu
[ -z "$FULL" ] || runs "linked files with a planted access out of bounds" 4 'part\.cu:10:2: error: ld\.const reads 4 bytes .* just past \.const variable `scale`.*F0201' -rdc=true -DBOUNDS main.cu part.cu
[ -z "$FULL" ] || runs "two modules" 0 '^3696$' first.cu second.cu
runs "two modules with a planted race" 5 "second\.cu:6:2: error: data race on counts .* of kernel 'add(int const\*)'.* of kernel 'put(int)'.*R0101" -DPLANTED first.cu second.cu
[ $bad = 0 ] && echo "linking: $tests programs of nvcc"
exit $bad
