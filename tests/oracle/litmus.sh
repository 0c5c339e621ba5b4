#!/bin/sh
# Litmus tests on hardware. The outcomes of an H200 (h200/litmus.tsv, written by h200/litmus.sh) must be allowed by explore; ptxas must accept every harness; and ptxi must
# detect an outcome that explore does not allow (fake_cuda/ leaves all memory zero).
: "${PTXI:?}" "${BUILD:?}"
work=$BUILD/litmus_oracle
lib=$BUILD/fake_cuda
rm -rf "$work"
mkdir -p "$work/keep" "$lib" || exit 2
bad=0
tab=$(printf '\t')
public=${PTXI_LITMUS:-} # the folder of public litmus tests, named public/... in the record

# Outcomes as lines: file (with :case), state. Dependencies are those that the driver's compiler keeps: it folds x^x.
explored() {
	"$PTXI" explore -q --deps=semantic --format=json "$1" 2>/dev/null | awk -v file="$2" '
		/"outcomes": / {
			name = file
			if (match($0, /"case": "[^"]*"/))
				name = file ":" substr($0, RSTART + 9, RLENGTH - 10)
			n = split($0, part, /\{"state": /)
			for (i = 2; i <= n; i++) {
				sub(/, "count":.*/, "", part[i])
				print name "\t" part[i]
			}
		}'
}
record=tests/oracle/h200/litmus.tsv
if [ -f "$record" ]; then
	awk -F'\t' 'NR > 1 && $2 != "-" { print $1 "\t" $3 }' "$record" | sort -u >"$work/seen"
	awk -F'\t' 'NR > 1 && $2 != "-" { sub(/:[^:\/]*$/, "", $1); print $1 }' "$record" | sort -u >"$work/files"
	while read -r file; do
		case $file in public/*) path=${public:-/dev/null}/${file#public/} ;; *) path=$file ;; esac
		if [ -f "$path" ]; then
			explored "$path" "$file"
		else
			echo "$file" >>"$work/absent"
		fi
	done <"$work/files" | sort -u >"$work/allowed"
	touch "$work/absent"
	comm -23 "$work/seen" "$work/allowed" | awk -F"$tab" 'NR == FNR { absent[$1] = 1; next } { f = $1; sub(/:[^:\/]*$/, "", f); if (!(f in absent)) print }' "$work/absent" - >"$work/wrong"
	if [ -s "$work/wrong" ]; then
		sed 's/^/FAIL litmus.sh: explore does not allow what an H200 gave: /' "$work/wrong"
		bad=1
	fi
	echo "litmus: $(wc -l <"$work/seen") outcomes of an H200, $(wc -l <"$work/wrong") of them not allowed; $(wc -l <"$work/absent") files are not here$([ -n "$public" ] || echo " (PTXI_LITMUS is not set)")"
else
	echo "SKIP litmus.sh: no recording of hardware ($record)"
fi

case $BUILD in *asan* | *tsan*) echo "SKIP litmus.sh: a sanitizer must be first in every process, and the driver's process is forked" && exit $bad ;; esac
${CC:-gcc} -std=gnu11 -I. -shared -fPIC -o "$lib/libcuda.so.1" tests/oracle/fake_cuda/fake_cuda.c || exit 1
cat >"$work/one.litmus" <<'LITMUS'
PTX one
{
x=1;
}
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 ld.relaxed.gpu r0, x | st.relaxed.gpu x, 2 ;
exists (P0:r0 == 2)
LITMUS
out=$(FAKE_CUDA_KEEP=$work/keep LD_LIBRARY_PATH=$lib "$PTXI" run --on=gpu --runs=10 "$work/one.litmus" 2>&1)
status=$?
case $status:$out in
1:*"P0:r0=0; was seen "*"does not allow it [X0110]"*) ;;
*) echo "FAIL litmus.sh: an outcome that is not allowed: status $status: $out" && bad=1 ;;
esac
# The lanes of a warp are instances of one thread: a branch may make them diverge before a barrier, which is an illegal instruction on a GPU.
cat >"$work/parted.litmus" <<'LITMUS'
PTX parted
{
x=0;
}
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0 ;
 ld.relaxed.gpu r0, x | st.relaxed.gpu x, 2 ;
 bne r0, 0, L0        | ;
 bar.cta.sync 0       | ;
 L0:                  | ;
exists (P0:r0 == 2)
LITMUS
out=$("$PTXI" run --runs=10 "$work/parted.litmus" 2>&1)
status=$?
case $status:$out in
8:*"a barrier that a branch skips"*) ;;
*) echo "FAIL litmus.sh: a barrier under a branch: status $status: $out" && bad=1 ;;
esac
# Tests that spin use one lane, tests with a barrier all 32, others a varying number; with clusters half as many CTAs are resident on a GPU (here 8 CTAs at once) as without.
# shape NAME CTAS LANES: the greatest number of CTAs and the numbers of lanes of the harness's launches
shape() {
	rm -f "$work/shapes"
	FAKE_CUDA_SHAPES=$work/shapes LD_LIBRARY_PATH=$lib "$PTXI" run -q --seed=1 --on=gpu --runs=200000 "$work/$1.litmus" >/dev/null 2>&1
	got=$(awk '$1 < 512 { if ($1 > most) most = $1; lanes[$2] = 1 } END { printf "%u", most; for (k = 1; k <= 32; k++) if (k in lanes) printf " %u", k; print "" }' "$work/shapes")
	[ "$got" = "$2 $3" ] || { echo "FAIL litmus.sh: CTAs and lanes of $1 are $got, not $2 $3" && bad=1; }
}
cat >"$work/spin.litmus" <<'LITMUS'
PTX spin
{
in=0;
out=0;
}
 P0@cta 0,gpu 0                | P1@cta 1,gpu 0                ;
 atom.relaxed.gpu.add r1, in, 1 | atom.relaxed.gpu.add r1, in, 1 ;
 L0:                           | L0:                           ;
 ld.acquire.gpu r2, out        | ld.acquire.gpu r2, out        ;
 beq r1, r2, L1                | beq r1, r2, L1                ;
 goto L0                       | goto L0                       ;
 L1:                           | L1:                           ;
 atom.release.gpu.add r4, out, 1 | atom.release.gpu.add r4, out, 1 ;
exists (P0:r1 == 1)
LITMUS
cat >"$work/skip.litmus" <<'LITMUS'
PTX skip
{
x=0;
}
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0       ;
 ld.relaxed.gpu r0, x | st.relaxed.gpu x, 2 ;
 bne r0, 0, L0        | ;
 ld.relaxed.gpu r0, x | ;
 L0:                  | ;
exists (P0:r0 == 2)
LITMUS
cat >"$work/barrier.litmus" <<'LITMUS'
PTX barrier
{
x=0;
}
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0       ;
 ld.relaxed.gpu r0, x | st.relaxed.gpu x, 2 ;
 bar.cta.sync 0       | bar.cta.sync 0       ;
exists (P0:r0 == 2)
LITMUS
cat >"$work/cluster.litmus" <<'LITMUS'
PTX cluster
{
x=0;
}
 P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;
 ld.relaxed.gpu r0, x     | st.relaxed.gpu x, 2      ;
exists (P0:r0 == 2)
LITMUS
shape spin 8 "1"
shape skip 8 "1 8 32"
shape barrier 8 "32"
shape cluster 4 "1 8 32"
if command -v ptxas >/dev/null; then
	files="tests/ptx/litmus/larger.ptx"
	for file in Manual/MP-sys-fence Manual/Ticketlock-same-gpu Manual/SL-cas-minus Manual/barrier-logical-id-forall Manual/Atom-plus-register Memalloy/IRRWIW1; do
		[ -f "${public:-/dev/null}/$file.litmus" ] && files="$files $public/$file.litmus"
	done
	# shellcheck disable=SC2086
	FAKE_CUDA_KEEP=$work/keep LD_LIBRARY_PATH=$lib "$PTXI" run -q --on=gpu --runs=10 $files >/dev/null 2>&1
	n=0
	for module in "$work"/keep/*.ptx; do
		ptxas -arch=sm_90 -o /dev/null "$module" >"$work/log" 2>&1 || { echo "FAIL litmus.sh: ptxas does not accept $module:" && head -5 "$work/log" && bad=1; }
		n=$((n + 1))
	done
	echo "litmus: $n harnesses accepted by ptxas"
else
	echo "SKIP litmus.sh: ptxas, which checks the harnesses, is not installed"
fi
exit $bad
