#!/bin/sh
# The tools that the build (and, with "test", the tests) needs: gcc, flex, bison; pkg-config, Criterion. Says which are missing and the command that installs them, and runs
# it. SETUP=no, no apt or no permission: says the same, and stops.
need=
${CC:-gcc} --version >/dev/null 2>&1 || need="$need gcc libc6-dev"
command -v flex >/dev/null 2>&1 || need="$need flex"
command -v bison >/dev/null 2>&1 || need="$need bison"
if [ "$1" = test ]; then
	command -v pkg-config >/dev/null 2>&1 || need="$need pkg-config"
	pkg-config --exists criterion 2>/dev/null || need="$need libcriterion-dev"
fi
# tests/cuda is skipped without clang: it is installed if that is possible, and nothing stops if it is not.
add_clang() {
	[ "$1" = test ] && [ "$SETUP" != no ] && ! command -v clang >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 || return 0
	[ "$(id -u)" = 0 ] && with= || with="sudo -n"
	echo "setup: ${with:+$with }apt-get install -y --no-install-recommends clang"
	DEBIAN_FRONTEND=noninteractive $with apt-get install -y --no-install-recommends clang >/dev/null 2>&1 || echo "setup: clang was not installed: tests/cuda will be skipped"
}
[ -z "$need" ] && { add_clang "$1"; exit 0; }
[ "$1" = test ] && goal="make check" || goal="make demo"

echo "setup: these packages are missing (Debian's names):$need"
command="apt-get install -y --no-install-recommends$need"
if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: there is no apt-get here: install them with this system's package manager, then type '$goal' again" >&2
	exit 1
fi
if [ "$(id -u)" = 0 ]; then
	sudo=
else
	sudo="sudo "
fi
why=
if [ "$SETUP" = no ]; then
	why="SETUP=no: nothing is installed"
elif [ -n "$sudo" ] && ! sudo -n true 2>/dev/null; then
	why="installing them needs a password"
fi
if [ -n "$why" ]; then
	echo "setup: $why. Type:" >&2
	echo "    $sudo$command" >&2
	echo "and then '$goal' again." >&2
	exit 1
fi
echo "setup: $sudo$command"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if { $sudo $command || { echo "setup: refreshing apt's lists" && $sudo apt-get update && $sudo $command; }; } >"$log" 2>&1; then
	rm -f "$log"
	echo "setup: done"
	add_clang "$1"
	exit 0
fi
tail -n 5 "$log" >&2
rm -f "$log"
echo "setup: that failed. Type '${sudo}apt-get update', then '$sudo$command', then '$goal' again." >&2
exit 1
