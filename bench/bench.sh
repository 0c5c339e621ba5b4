#!/bin/sh
# Speed, as medians of five runs on one host thread: thread-instructions counted by the interpreter itself, parsing in bytes of source, start to end of a small program.
# What the race checker costs. Kernels: bench/*.ptx, each with its own //@ lines. A line a figure: name, median, unit, minimum, maximum.
ptxi=$1
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
runs=${RUNS:-5}

# stdin: one number a line -> "median minimum maximum"
spread() { sort -g | awk '{ v[NR] = $1 } END { printf "%.4g %.4g %.4g", v[int((NR + 1) / 2)], v[1], v[NR] }'; }
line() { printf '%-28s %10s %-28s (%s to %s)\n' "$1" "$3" "$2" "$4" "$5"; }

# Million thread-instructions a second of one file with -j $2.
speed() {
	for _ in $(seq "$runs"); do
		"$ptxi" run "$1" -j "$2" --stats 2>&1 | awk '/million thread-instructions per second/ { print $1 }'
	done | spread
}
for file in bench/k_*.ptx; do
	name=$(basename "$file" .ptx)
	line "$name" "M thread-instructions/s, -j1" $(speed "$file" 1)
done
# 8 products of 2048 multiply-adds in 11 instructions of 32 threads.
line "mma, f16" "M multiply-adds/s, -j1" $(for _ in $(seq "$runs"); do
	"$ptxi" run bench/mma_f16.ptx -j1 --stats 2>&1 | awk '/million thread-instructions per second/ { print $1 * 8 * 2048 / (11 * 32) }'
done | spread)
# 4 products of 131,072 multiply-adds in 4 x 9 instructions of 32 threads.
line "wgmma, f16" "M multiply-adds/s, -j1" $(for _ in $(seq "$runs"); do
	"$ptxi" run bench/wgmma_f16.ptx -j1 --stats 2>&1 | awk '/million thread-instructions per second/ { print $1 * 4 * 131072 / (4 * 9 * 32) }'
done | spread)
if [ "$(nproc)" -ge 2 ]; then
	for file in bench/k_*.ptx; do
		line "$(basename "$file" .ptx)" "M thread-instructions/s, -j2" $(speed "$file" 2)
	done
fi

# What translated code gains: CPU time with --engine=native, its code in the cache, against the interpreter.
if [ -x /usr/bin/time ]; then
	for file in bench/k_*.ptx bench/sgemm.ptx bench/stencil.ptx bench/bitonic.ptx bench/nbody.ptx bench/mandelbrot.ptx bench/sha256.ptx bench/bfs.ptx bench/lexer.ptx; do
		XDG_CACHE_HOME="$work" "$ptxi" run -j1 --engine=native "$file" >/dev/null 2>&1
		for _ in $(seq "$runs"); do
			for engine in interpreter native; do
				XDG_CACHE_HOME="$work" /usr/bin/time -f '%U %S' "$ptxi" run -j1 --engine=$engine "$file" 2>&1 >/dev/null | tail -n 1 | awk '{ print $1 + $2 }'
			done
		done >"$work/cost"
		line "native, $(basename "$file" .ptx)" "times faster" $(awk 'NR % 2 { t = $1; next } { print t / ($1 > 0 ? $1 : 0.01) }' "$work/cost" | spread)
	done
fi

# The time in kernels against that of the same work as C (bench/native.c) on one thread: scalar, and with the compiler's vectors.
cc=$(command -v cc || command -v gcc)
if [ -n "$cc" ] && "$cc" -O2 -march=native -fno-tree-vectorize -fno-tree-slp-vectorize -ffp-contract=off -o "$work/scalar" bench/native.c -lm 2>"$work/messages" &&
	"$cc" -O3 -march=native -ffp-contract=off -o "$work/vector" bench/native.c -lm 2>"$work/messages"; then
	for name in k_fma k_mm k_reduce sgemm stencil mandelbrot sha256; do
		for how in scalar vector; do
			c=$("$work/$how" $name | cut -d' ' -f1)
			for engine in interpreter native; do
				line "$name, $engine" "times $how C" $(for _ in $(seq "$runs"); do
					XDG_CACHE_HOME="$work" "$ptxi" run -j1 --engine=$engine --stats bench/$name.ptx 2>&1 | awk -v c="$c" '/ seconds in kernels/ { print $1 / c }'
				done | spread)
			done
		done
	done
fi

# What instructions of one class cost: each kernel of bench/classes.ptx executes 64 * 2000 * 8 of them and 3 others for every 8.
if [ -x /usr/bin/time ]; then
	for kernel in $(sed -n 's/^\/\/@ launch \([a-z0-9_]*\)<.*/\1/p' bench/classes.ptx); do
		sed -e "/^\/\/@ launch $kernel</!{/^\/\/@ launch/d}" bench/classes.ptx >"$work/class.ptx"
		line "class $kernel" "ns a warp instruction" $(for _ in $(seq "$runs"); do
			/usr/bin/time -f '%U' "$ptxi" run -j1 "$work/class.ptx" 2>&1 >/dev/null | tail -n 1
		done | awk '{ print $1 * 1e9 / (64 * 2000 * 8) }' | spread)
	done
fi

# Nanoseconds that a command takes.
nanoseconds() {
	begin=$(date +%s%N)
	"$@" >/dev/null 2>&1
	end=$(date +%s%N)
	echo $((end - begin))
}
# About 3 MB of nvcc's output: the same kernels under many names.
sh bench/large.sh 260 >"$work/large.ptx"
size=$(wc -c <"$work/large.ptx")
line "parse, $((size / 1000)) kB" "MB/s" $("$(dirname "$ptxi")/bench/parse" "$work/large.ptx" | spread)
line "assemble, $((size / 1000)) kB" "MB/s" $(for _ in $(seq "$runs"); do nanoseconds "$ptxi" as "$work/large.ptx"; done | awk -v n="$size" '{ print n / $1 * 1000 }' | spread)
line "assemble without warnings" "MB/s" $(for _ in $(seq "$runs"); do nanoseconds "$ptxi" as -w "$work/large.ptx"; done | awk -v n="$size" '{ print n / $1 * 1000 }' | spread)
# The same with 50 MB, in user and system time, and what it needs of memory.
if [ -x /usr/bin/time ]; then
	sh bench/large.sh 4450 >"$work/larger.ptx"
	larger=$(wc -c <"$work/larger.ptx")
	for _ in $(seq "$runs"); do
		/usr/bin/time -f '%U %S %M' "$ptxi" as -o "$work/object" "$work/larger.ptx" 2>&1 | tail -n 1
	done >"$work/cost"
	line "assemble and write, $((larger / 1000)) kB" "MB/s of CPU time" $(awk -v n="$larger" '{ print n / 1e6 / ($1 + $2) }' "$work/cost" | spread)
	line "assemble and write, $((larger / 1000)) kB" "times the source in memory" $(awk -v n="$larger" '{ print $3 * 1024 / n }' "$work/cost" | spread)
fi
line "start to end, scan.ptx" "ms" $(for _ in $(seq "$runs"); do nanoseconds "$ptxi" run tests/ptx/course/scan.ptx; done | awk '{ print $1 / 1e6 }' | spread)

# What --check=race costs: programs of 10^8 accesses, and barriers of many threads at one place, one host thread, with and without it. The aims: 30 times the time, 4 times the memory.
if [ -x /usr/bin/time ]; then
	for file in bench/race_*.ptx bench/k_reduce.ptx; do
		for _ in $(seq "$runs"); do
			for check in none race; do
				/usr/bin/time -f '%U %M' "$ptxi" run -j1 --check=$check "$file" 2>&1 >/dev/null | tail -n 1
			done
		done >"$work/cost"
		line "race checker, $(basename "$file" .ptx)" "times unchecked" $(awk 'NR % 2 { t = $1; next } { print $1 / (t > 0 ? t : 0.01) }' "$work/cost" | spread)
		line "race checker, $(basename "$file" .ptx)" "times its memory" $(awk 'NR % 2 { m = $2; next } { print $2 / m }' "$work/cost" | spread)
	done
fi
