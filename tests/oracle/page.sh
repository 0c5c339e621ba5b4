#!/bin/sh
# The page, without the tools that build it: its packages are pinned with their hashes, the debugger that it uses says what the debugger with processes says (tests/debug), and what
# docs/PAGE.md says of sizes and numbers is what the sources say. `make check-page` tests the rest. BUILD is the folder of the build.
: "${BUILD:?}"
bad=0
fail() {
	echo "page: $*"
	bad=1
}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# ---- packages ----
if grep -nE '"[@a-z/-]+": "[~^*<>]' page/package.json; then fail "page/package.json has a package without an exact version"; fi
awk '/^\t\t"node_modules\// { name = $1; packages++ } /"integrity": "sha512-/ { hashes++ } END { exit !(packages > 10 && hashes == packages) }' page/package-lock.json ||
	fail "page/package-lock.json has packages without a hash"
sed -n 's/^\t\t"\([^"]*\)": "\([0-9][^"]*\)",*$/\1 \2/p' page/package.json >"$work/wanted"
while read -r name version; do
	awk -v name="node_modules/$name" -v version="$version" 'index($0, "\"" name "\": {") { inside = 1 } inside && /"version":/ { found = index($0, "\"" version "\""); exit } END { exit !found }' page/package-lock.json ||
		fail "page/package-lock.json does not have $name $version: run npm install in page/"
done <"$work/wanted"
[ "$(wc -l <"$work/wanted")" -gt 5 ] || fail "page/package.json lists no packages"

# ---- the debugger without processes ----
sessions=0
alone=$BUILD/oracle/debug_alone
if [ -x "$alone" ]; then
	export ASAN_OPTIONS=detect_leaks=0 # it gives up replays without freeing them (debug/alone/processes.c)
	for session in tests/debug/*.txt; do
		sed -n 's/^(ptxi) //p' "$session" >"$work/commands"
		arguments=$(sed -n '1s/^\$ ptxi debug //p' "$session")
		# shellcheck disable=SC2086 # several words
		{ sed -n 1p "$session"; "$alone" debug -v $arguments <"$work/commands" 2>&1; } >"$work/got"
		cmp -s "$session" "$work/got" || { fail "$session differs without processes:"; diff "$session" "$work/got" | head -n 10; }
		sessions=$((sessions + 1))
	done
	[ $sessions -gt 5 ] || fail "there are no sessions"
else
	fail "$alone is not built"
fi

# ---- the documentation ----
actions=$(grep -c '^await act(' page/test/actions.mjs)
grep -q "and $actions actions in a real Chromium" docs/PAGE.md || fail "docs/PAGE.md does not say that there are $actions actions"
grep -q 'MOST_STEPS = 1000000' page/src/debugger.js || fail "docs/PAGE.md has another end of the slider"
grep -q 'MOST_SHOWN = 300000' page/src/main.js || fail "docs/PAGE.md has another limit of the output"

[ $bad = 0 ] && echo "page: packages pinned, $sessions sessions without processes"
exit $bad
