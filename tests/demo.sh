#!/bin/sh
# A short demo on real files, with results that a newcomer understands.
ptxi=$1
cd "$(dirname "$0")/.." || exit 2
bad=0

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }
show() {
	printf '$ ptxi %s\n' "$*"
	"$ptxi" "$@"
	status=$?
}

say "1. Run a kernel on 64 simulated threads and print what it computed"
show run tests/ptx/course/scan.ptx
[ $status = 0 ] || bad=1

say "2. Check every worked example of the course against its expected results"
show check tests/ptx/course
[ $status = 0 ] || bad=1

say "3. A program that hangs: two warps wait at two barriers in opposite order (exit status 6 is expected here)"
show run tests/ptx/sync/crossed_barriers.ptx
[ $status = 6 ] || bad=1

say "4. A mistake in the text: every error at once, with its location and a correction (exit status 3 is expected here)"
show as tests/ptx/error/classic_mistakes.ptx
[ $status = 3 ] || bad=1

[ $bad = 0 ] && say "Everything came out as expected. Next: README.md, and 'make check'."
exit $bad
