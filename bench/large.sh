#!/bin/sh
# large.sh COUNT: PTX as nvcc writes it, the same five files under COUNT names (260: 3 MB, 4450: 50 MB).
cd "$(dirname "$0")/.." || exit 2
for name in transpose stencil histogram scan sssp; do
	echo "@$name"
	sed '/^\.version/d; /^\.target/d; /^\.address_size/d; /^\/\//d' "tests/ptx/nvcc/$name.ptx"
done | awk -v count="$1" '
	/^@/ { name[++n] = substr($0, 2); next }
	{ text[n] = text[n] $0 "\n" }
	END {
		printf ".version 9.0\n.target sm_90\n.address_size 64\n"
		for (k = 1; k <= count; k++)
			for (i = 1; i <= n; i++) {
				body = text[i]
				gsub(name[i], name[i] "_" k, body)
				printf "%s", body
			}
	}'
