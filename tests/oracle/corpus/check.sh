#!/bin/sh
# Whole programs compiled by nvcc: every .cu in this folder for several architectures. Each assembles without an error or a warning, its object is smaller than the text, the
# output of `dis` assembles to the same object (except locations), and ptxas makes the same cubin from both; of large files, for one architecture only. Takes minutes; `make
# check-corpus`. Results are kept in $BUILD/corpus. CORPUS_JOBS: number of parallel jobs. Last, which calls of libcu++'s cuda::ptx
# execute (cuda_ptx.py; a list in calls.txt), and what of the PTX in the toolkit's own libraries does (a list in libraries.txt).
cd "$(dirname "$0")/../../.." || exit 2
: "${PTXI:?}" "${BUILD:?}"
case $PTXI in /*) ;; *) PTXI=$PWD/$PTXI ;; esac
command -v nvcc >/dev/null 2>&1 || { echo "SKIP corpus: nvcc is not installed" && exit 0; }
out=$BUILD/corpus
mkdir -p "$out" || exit 2
export PTXI out
jobs=${CORPUS_JOBS:-$(nproc)}
archs=${CORPUS_ARCHS:-75 80 90 100}

# compile NAME.ARCH
cat >"$out/compile" <<'END'
name=${1%.*}
arch=${1#*.}
[ "$out/$1.ptx" -nt "tests/oracle/corpus/$name.cu" ] && exit 0
nvcc -std=c++17 --extended-lambda -w -arch=compute_"$arch" -ptx -o "$out/$1.tmp" "tests/oracle/corpus/$name.cu" && mv "$out/$1.tmp" "$out/$1.ptx"
END
# The part between the header of an object and the locations of the source.
cat >"$out/content" <<'END'
n=$(od -An -t u8 -j 24 -N 8 "$1" | tr -d ' ')
tail -c +49 "$1" | head -c "$n"
END
cat >"$out/judge" <<'END'
f=$out/$1
name=${1%.*}
arch=${1#*.}
say() { echo "FAIL $1.ptx: $2"; exit 0; }
[ -s "$f.ptx" ] || say "$1" "nvcc did not compile it"
"$PTXI" as "$f.ptx" -o "$f.ptxo" 2>"$f.said" || say "$1" "rejected: $(grep -m1 error "$f.said")"
[ -s "$f.said" ] && say "$1" "warned of: $(grep -c warning: "$f.said") times, $(grep -m1 warning: "$f.said")"
size=$(wc -c <"$f.ptx")
[ "$(wc -c <"$f.ptxo")" -lt "$size" ] || say "$1" "its object is larger than the text"
"$PTXI" dis "$f.ptxo" -o "$f.dis.ptx" || say "$1" "dis fails"
"$PTXI" as -w "$f.dis.ptx" -o "$f.dis.ptxo" || say "$1" "what dis prints is rejected"
sh "$out/content" "$f.ptxo" >"$f.a"
sh "$out/content" "$f.dis.ptxo" >"$f.b"
cmp -s "$f.a" "$f.b" || say "$1" "the object of what dis prints is another"
rm -f "$f.a" "$f.b"
cubin=
if [ "$size" -lt 1500000 ] || [ "$arch" = 90 ]; then
	level=3
	[ "$size" -lt 1500000 ] || level=0
	ptxas -O$level -arch=sm_"$arch" "$f.ptx" -o "$f.cubin" 2>"$f.said" || say "$1" "ptxas rejects it: $(head -n 1 "$f.said")"
	ptxas -O$level -arch=sm_"$arch" "$f.dis.ptx" -o "$f.dis.cubin" 2>"$f.said" || say "$1" "ptxas rejects what dis prints: $(head -n 1 "$f.said")"
	cmp -s "$f.cubin" "$f.dis.cubin" || say "$1" "the cubins differ"
	rm -f "$f.cubin" "$f.dis.cubin"
	cubin=" cubin"
fi
rm -f "$f.dis.ptx" "$f.dis.ptxo"
echo "PASS $1.ptx $size bytes$cubin"
END
names=
for file in tests/oracle/corpus/*.cu; do
	for arch in $archs; do names="$names $(basename "$file" .cu).$arch"; done
done
# shellcheck disable=SC2086
printf '%s\n' $names | xargs -P "$jobs" -I{} sh "$out/compile" {}
# shellcheck disable=SC2086
printf '%s\n' $names | xargs -P "$jobs" -I{} sh "$out/judge" {} >"$out/result"
grep '^FAIL' "$out/result"
headers=$(dirname "$(command -v nvcc)")/../include/cccl/cuda/__ptx/instructions/generated
if [ -d "$headers" ] && command -v python3 >/dev/null; then
	mkdir -p "$out/calls"
	python3 tests/oracle/corpus/cuda_ptx.py "$PTXI" "$(command -v ptxas)" "$headers" "$out/calls" "$jobs" >"$out/calls.txt" || echo "FAIL cuda_ptx rejected" >>"$out/result"
	tail -n 1 "$out/calls.txt"
fi
libraries=$(for file in "$(dirname "$(command -v nvcc)")"/../lib64/*.so.*; do [ -e "$file" ] && readlink -f "$file"; done | sort -u)
if [ -n "$libraries" ]; then
	# shellcheck disable=SC2086
	"$BUILD/oracle/modules" $libraries >"$out/libraries.txt"
	tail -n 1 "$out/libraries.txt"
fi
awk '/^PASS/ { n++; bytes += $3; cubins += $5 == "cubin" } /^FAIL/ { bad++ } END { printf "corpus: %d files of %.1f MB assembled without a warning and round-tripped, %d with identical cubins; %d failed\n", n, bytes / 1e6, cubins, bad; exit bad > 0 }' "$out/result"
