#!/bin/sh
# Builds the goals and says what it is compiling: on a terminal one line that changes, in a log one line for each module. Messages of the compiler appear as they come.
# MAKE and BUILD come from the Makefile.
jobs=$(nproc)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
flags="--no-print-directory --no-builtin-rules"
terminal=0
[ -t 1 ] && [ "$TERM" != dumb ] && terminal=1
# Of the outer make's flags only its variables, such as VARIANT=asan, are passed on.
case ${MAKEFLAGS:-} in
*"-- "*) MAKEFLAGS="-- ${MAKEFLAGS#*-- }" ;;
*) MAKEFLAGS= ;;
esac
export MAKEFLAGS
unset MFLAGS MAKELEVEL

# The commands that make would run tell how many files there are to compile.
# shellcheck disable=SC2086 # several words
all=$(${MAKE:-make} -n $flags "$@" 2>/dev/null | grep -cE -- ' -c -o [^ ]+\.o ')
[ "$all" = 0 ] || echo "building: $all file$([ "$all" = 1 ] || echo s) to compile, $jobs at a time"
begin=$(date +%s)
# shellcheck disable=SC2086
{ ${MAKE:-make} -j"$jobs" $flags "$@"; echo $? >"$work/status"; } | awk -v all="$all" -v terminal=$terminal '
	function show(what) {
		if (terminal)
			printf "\r\033[K  %d of %d: %s", n, all, what
		else if (what != last)
			printf "  %d of %d: %s\n", n, all, what
		last = what
		fflush()
	}
	match($0, / -c -o [^ ]+\.o [^ ]+/) {
		n++
		source = substr($0, RSTART, RLENGTH)
		sub(/.* /, "", source)
		sub(/^.*\/gen\//, "", source)
		sub(/\/[^\/]*$/, "", source)
		if (terminal || !(source in seen))
			show(source)
		seen[source] = 1
		next
	}
	/ -o [^ ]+ .*\.a( |$)/ { show("linking"); next }
	/^make.*: (\*\*\*|Nothing to be done)/ { next }
	{ next }
	END { if (terminal && n) printf "\r\033[K" }'
status=$(cat "$work/status")
[ "$status" = 0 ] || { echo "building failed (make's status is $status); the first error is above" >&2; exit "$status"; }
[ "$all" = 0 ] || echo "built in $(($(date +%s) - begin)) s"
