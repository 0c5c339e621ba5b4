#!/bin/bash
# Records the outcomes of litmus tests on a GPU: litmus.sh PTXI OUT.tsv RUNS FILE|FOLDER...
# Needs bash, the CUDA driver and the program; one process runs all files. Lines: file (with :case), placement, outcome, count, allowed by explore.
# Placement "-": not run, followed by the reason. Files below PTXI_LITMUS, the folder of public litmus tests, are named public/..., wherever that folder is.
[ $# -ge 4 ] || { echo "usage: litmus.sh PTXI OUT.tsv RUNS FILE|FOLDER..." >&2; exit 2; }
ptxi=$1 out=$2 runs=$3
shift 3
shopt -s globstar nullglob
files=()
for path in "$@"; do
	if [ -d "$path" ]; then files+=("${path%/}"/**/*.litmus "${path%/}"/**/*.ptx); else files+=("$path"); fi
done
nvidia-smi -L >"$out.log" 2>/dev/null
echo "${#files[@]} files, $runs runs each" >&2
{
	printf 'file\tplacement\toutcome\tcount\tallowed\n'
	"$ptxi" run -v --on=gpu --runs="$runs" --seed="${SEED:-1}" --format=tsv "${files[@]}" 2>>"$out.log"
	echo "exit status $?" >>"$out.log"
} | while IFS= read -r line; do
	case $line in "${PTXI_LITMUS:-/dev/null}"/*) line=public/${line#"${PTXI_LITMUS%/}"/} ;; esac
	printf '%s\n' "$line"
done >"$out"
grep -c . "$out" >&2
grep $'\tno$' "$out" >&2
tail -1 "$out.log" >&2
! grep -q $'\tno$' "$out"
