#!/bin/sh
# Installs the tools that the build (and, with "test", the tests) needs and that are missing: flex, bison, pkg-config, Criterion. If apt and the permission to use it are
# available, installs them; otherwise prints the command to type, and fails.
need=
${CC:-gcc} --version >/dev/null 2>&1 || need="$need gcc libc6-dev"
command -v flex >/dev/null 2>&1 || need="$need flex"
command -v bison >/dev/null 2>&1 || need="$need bison"
if [ "$1" = test ]; then
	command -v pkg-config >/dev/null 2>&1 || need="$need pkg-config"
	pkg-config --exists criterion 2>/dev/null || need="$need libcriterion-dev"
fi
[ -z "$need" ] && exit 0

command="apt-get install -y --no-install-recommends$need"
if ! command -v apt-get >/dev/null 2>&1; then
	echo "ptxi needs these packages (Debian's names):$need" >&2
	echo "Install them with your system's package manager, then run make again." >&2
	exit 1
fi
if [ "$(id -u)" = 0 ]; then
	sudo=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	sudo="sudo -n"
else
	echo "ptxi needs packages that are not installed. Type:" >&2
	echo "    sudo $command" >&2
	exit 1
fi
echo "installing:$need"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if { $sudo $command || { $sudo apt-get update && $sudo $command; }; } >"$log" 2>&1; then
	rm -f "$log"
	exit 0
fi
tail -n 5 "$log" >&2
rm -f "$log"
echo "could not install; type: $command" >&2
exit 1
