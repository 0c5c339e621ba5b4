#!/bin/sh
# The compiler reports a missing case: when a value is added to a copy of each enum of decoded code, the files that must handle it no longer compile.
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=build/release}" "${CC:=gcc}"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
flags="-std=c11 -Wall -Wextra -Wswitch-enum -Werror -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE"
bad=0 n=0

# WHAT HEADER PATTERN REPLACEMENT FILE...: with PATTERN of HEADER replaced, none of the files compiles, and the error of each names the missing value.
try() {
	what=$1 header=$2 pattern=$3 replacement=$4
	shift 4
	rm -rf "$work/new"
	mkdir -p "$work/new/$(dirname "$header")"
	sed "s/$pattern/$replacement/" "$header" >"$work/new/$header"
	cmp -s "$header" "$work/new/$header" && echo "enums: '$pattern' is not in $header" && bad=1
	for file in "$@"; do
		n=$((n + 1))
		# shellcheck disable=SC2086
		$CC $flags -I. -Iinclude "-I$BUILD/gen" -fsyntax-only "$file" >"$work/log" 2>&1 || { echo "enums: $file does not compile as it is" && cat "$work/log" && bad=1; }
		# shellcheck disable=SC2086
		if $CC $flags "-I$work/new" -I. -Iinclude "-I$BUILD/gen" -fsyntax-only "$file" >"$work/log" 2>&1; then
			echo "enums: $file compiles with a new $what that it does not know" && bad=1
		elif ! grep -q "enumeration value .*FRESH" "$work/log"; then
			echo "enums: $file does not compile with a new $what, but not for a missing case:" && head -n 3 "$work/log" && bad=1
		fi
	done
}

try "kind of op" code/op_kind.def '^KIND(CALL, call, ON)' 'KIND(FRESH, call, ON)\n&' explore/ptx/code.c weak/weak_late.c
try "mbarrier operation" code/op.h 'enum mbarrier_what {' '& MBARRIER_FRESH,' code/decode_sync.c interp/sync/exec_mbarrier.c explore/ptx/sync.c
try "barrier kind" code/op.h 'enum barrier_kind {' '& BARRIER_FRESH,' interp/sync/barrier.c explore/ptx/thread.c
try "order" isa/order.h 'enum sem {' '& SEM_FRESH,' interp/memory/access.c
try "scope" isa/order.h 'enum scope {' '& SCOPE_FRESH,' explore/search/graph.c
try "atomic operation" isa/order.h '^	ATOMIC_COUNT,' '	ATOMIC_FRESH,\n&' interp/memory/exec_atom.c
[ $bad = 0 ] && echo "enums: a new value that a file does not handle stops it from compiling ($n files)"
exit $bad
