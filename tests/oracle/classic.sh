#!/bin/sh
# docs/DIAGNOSTICS.md shows common errors as reported by ptxi and ptxas: compares with the output of ptxi, and of ptxas if it is installed (SKIP otherwise).
cd "$(dirname "$0")/../.." || exit 2
case ${PTXI:?} in /*) ptxi=$PTXI ;; *) ptxi=$PWD/$PTXI ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
ptxas=$(command -v ptxas)
[ -n "$ptxas" ] && "$ptxas" --version | grep -q 'release 13.0' || ptxas=
# Each section becomes N.statements, N.ptxas and N.ptxi.
awk -v dir="$dir" '
/^## / { inside = /common errors/ }
!inside { next }
/^### / { n++; block = 0; next }
/^```/ { open = !open; if (open) { block++; file = dir "/" n (block == 1 ? ".statements" : block == 2 ? ".ptxas" : ".ptxi"); printf "" > file } else close(file); next }
open { print > file }
END { print n > (dir "/count") }' docs/DIAGNOSTICS.md
count=$(cat "$dir/count")
bad=0
n=0
while [ $n -lt "$count" ]; do
	n=$((n + 1))
	{
		printf '.version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\t.reg .pred %%p<4>;\n\t.reg .b32 %%r<4>;\n\t.reg .b64 %%rd<4>;\n\t.reg .f32 %%f<4>;\n\tld.param.u64 %%rd1, [p];\n'
		sed 's/^    /\t/' "$dir/$n.statements"
		printf '\tret;\n}\n'
	} >"$dir/k.ptx"
	(cd "$dir" && NO_COLOR=1 "$ptxi" as -w k.ptx 2>"$dir/said")
	diff "$dir/$n.ptxi" "$dir/said" >"$dir/diff" || { echo "classic: section $n of docs/DIAGNOSTICS.md: ptxi says something else:" && cat "$dir/diff" && bad=1; }
	[ -n "$ptxas" ] || continue
	(cd "$dir" && "$ptxas" -arch=sm_90 k.ptx -o /dev/null 2>&1 | grep -v 'aborted due to errors' >"$dir/said")
	diff "$dir/$n.ptxas" "$dir/said" >"$dir/diff" || { echo "classic: section $n of docs/DIAGNOSTICS.md: ptxas says something else:" && cat "$dir/diff" && bad=1; }
done
[ "$count" -ge 8 ] || bad=1
[ -n "$ptxas" ] && echo "classic: $count common errors, as ptxi and ptxas 13.0 report them" || echo "classic: $count common errors, as ptxi reports them; SKIP ptxas: ptxas 13.0 is not installed"
exit $bad
