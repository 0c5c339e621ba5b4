#!/bin/sh
# The layers of the program: the table below, lowest first, is the only list of which folder may use which. It is checked twice: by #include lines, and by the symbols of the
# compiled files (nm). The symbols also show that no folder has a circle of files, and that nothing below backend/, and nothing of script/verdict, has writable data, prints,
# reads the environment or ends the process; and that what the library calls takes memory from base/memory.h and fails as base/guard.h describes.
cd "$(dirname "$0")/.." || exit 2
: "${BUILD:=build/release}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0

# folder: what it may use in addition to itself
cat >"$dir/table" <<'END'
base:
diag: base
picture: base diag
isa: base diag
arith: base isa
texture: base isa arith
lexer: base diag isa
parser: base diag isa lexer
ir: base diag isa
assembler: base diag isa lexer parser ir
code: base diag isa arith ir
model: base isa
interp: base diag isa ir code
interp/state: base diag isa arith ir code interp
interp/memory: base diag isa arith ir code interp interp/state texture
interp/sync: base diag isa arith ir code interp interp/state interp/memory texture
interp/stuck: base diag isa arith ir code interp interp/state interp/memory interp/sync texture
interp/machine: base diag isa arith ir code interp interp/state interp/memory interp/sync interp/stuck texture
weak: base isa arith ir code model interp interp/state interp/memory interp/sync interp/stuck interp/machine texture
explore/search: base model interp/sync
explore/explain: base picture model explore/search
explore/litmus: base diag parser model explore/search
explore/ptx: base diag isa arith ir code model interp interp/state interp/memory interp/sync interp/machine explore/search texture
check: base diag isa ir code model interp interp/state interp/memory interp/sync interp/stuck interp/machine texture
trace: base diag picture isa ir code interp interp/state interp/memory interp/sync interp/stuck interp/machine texture
profile: base diag isa ir code interp interp/state interp/machine
native: base isa arith ir code interp
stencil: base isa arith ir code interp interp/memory native
backend: base diag isa arith ir code interp interp/state interp/memory interp/sync interp/stuck interp/machine weak check trace profile native stencil texture
gpu: base diag isa ir interp interp/state interp/memory interp/sync interp/stuck interp/machine backend texture
script/lang: base diag isa arith ir code assembler interp explore/search texture
script/verdict: base diag isa ir interp profile script/lang
script/host: base diag isa arith ir interp profile backend gpu script/lang script/verdict texture
script/litmus: base diag picture isa parser ir assembler model interp explore/search explore/explain explore/litmus explore/ptx backend gpu script/lang script/verdict script/host
script/files: base diag picture isa ir assembler interp trace backend script/lang script/verdict script/host script/litmus
device: base diag isa ir assembler interp interp/machine backend script/lang script/files texture
cuda: base diag arith interp device
cudart: cuda
cudart/major: cuda cudart
grade: base diag isa ir interp backend script/lang script/verdict script/host script/litmus
debug: base diag isa ir code interp interp/state interp/memory interp/sync interp/stuck backend script/lang script/verdict script/host texture
lessons: base
cli: base diag isa assembler script/lang script/verdict script/host script/litmus script/files grade debug lessons
END

# Exceptions, one per line: "circle FOLDER", "data FILE SYMBOL" or "calls FILE SYMBOL", each with its reason.
cat >"$dir/allowed" <<'END'
data base/guard guard_watches  as here
data base/memory least_aligned  how a thread's heap is laid out, which no other module sees
data base/guard here  each thread knows the call that it works for, so that a failure can end the call and not the process
END

# ---- the table itself ----
for folder in $(sed 's/:.*//' "$dir/table"); do
	[ -d "$folder" ] || { echo "layers: the folder $folder/ does not exist" && bad=1; }
done
listed=$(sed 's/:.*//' "$dir/table" | tr '\n' ' ')
made=$(sed -n 's/^LIBMODULES := //p' Makefile)
[ "$listed" = "$(echo "$made" | sed "s| interp/state| interp&|") cli " ] || { echo "layers: the Makefile has another list: $made" && bad=1; }
awk '{ sub(/:$/, "", $1); sub(/:/, "", $1); for (k = 2; k <= NF; k++) if (!($k in below)) { print "layers: " $1 "/ may use " $k "/, which does not stand below it"; bad = 1 } below[$1] }
	END { exit bad }' "$dir/table" || bad=1

# ---- #include lines ----
grep -n '^[ 	]*#[ 	]*include[ 	]*"[a-z_]*/' $(find $(echo "$listed" | tr ' ' '\n' | sed 's,/.*,,' | sort -u) -name '*.[chly]') /dev/null | awk -v table="$dir/table" '
	# The listed folder that contains PATH.
	function folder(path) { while (sub(/\/[^\/]*$/, "", path)) if (path in listed) return path; return path }
	BEGIN { while ((getline row < table) > 0) { n = split(row, w, /[: ]+/); listed[w[1]]; for (k = 1; k <= n; k++) may[w[1], w[k]] } }
	{ where = $0; sub(/:.*/, "", where); at = folder(where); of = $0; sub(/^[^"]*"/, "", of); sub(/".*/, "", of); of = folder(of) }
	of == "ptxi" && (at == "cli" || at == "cuda") { next } # include/ptxi: the library as its users see it
	!((at, of) in may) { print where " includes " of "/, which " at "/ may not use"; bad = 1 }
	END { exit bad }' || bad=1

# ---- module-private state ----
# After "State private to", each line is "struct NAME *FIELD; /* FILE ... */" with FILE below interp/ or of another module: that file defines the struct, and no other file has
# one of that name.
sources=$(find $(echo "$listed" | tr ' ' '\n' | sed 's,/.*,,' | sort -u) -name '*.[ch]')
awk '/State private to/ { inside = 1; next }
	/^}/ { inside = 0 }
	inside { print FILENAME, $1 == "struct" ? $2 : "?", $4 == "/*" ? $5 : "?" }' interp/state/state.h interp/state/cluster.h | sed 's/[:;]$//' >"$dir/kept"
[ "$(wc -l <"$dir/kept")" -gt 1 ] || { echo "layers: interp/state/ does not list module-private state" && bad=1; }
while read -r header name file; do
	[ -f "interp/$file" ] && file=interp/$file
	# shellcheck disable=SC2086
	at=$(grep -l "^struct $name {" $sources | tr '\n' ' ')
	[ "$at" = "$file " ] || { echo "layers: $header has struct $name kept by $file, but it is defined in: ${at:-no file}" && bad=1; }
done <"$dir/kept"
# shellcheck disable=SC2086
for keeper in $(sed -n 's/^extern const struct keeper \([a-z_]*\);$/\1/p' $sources); do
	grep -q "&$keeper\>" interp/machine/cta.c || { echo "layers: interp/machine/cta.c tells no $keeper when CTAs begin" && bad=1; }
done

# ---- symbols ----
if ! command -v nm >/dev/null; then
	[ $bad = 0 ] && echo "layers: every #include looks down; SKIP symbols: nm is not installed"
	exit $bad
fi
# Objects of existing files: FILE OBJECT, FILE as in the tree without its suffix.
for object in $(find "$BUILD/obj" "$BUILD/gen" -name '*.o' 2>/dev/null); do
	file=${object#"$BUILD"/*/}
	file=${file%.o}
	case $object in
	*/obj/tests/* | */obj/bench/*) continue ;;
	*/obj/arith/v[0-9]/*) [ -f "arith/kernel/${file##*/}.c" ] || continue ;;
	*/obj/isa/tables.o | */obj/arith/slots.o | */gen/*) ;;
	*) [ -f "$file.c" ] || continue ;;
	esac
	echo "$file $object"
done >"$dir/objects"
if ! [ -s "$dir/objects" ]; then
	[ $bad = 0 ] && echo "layers: every #include looks down; SKIP symbols: nothing is compiled in $BUILD"
	exit $bad
fi
sed 's/.* //' "$dir/objects" | xargs nm -A -f sysv >"$dir/symbols" 2>"$dir/said" || { cat "$dir/said" && exit 1; }
LC_ALL=C awk -F'|' -v objects="$dir/objects" -v table="$dir/table" -v allowed="$dir/allowed" -v earlier=$bad '
	function folder(path) { while (sub(/\/[^\/]*$/, "", path)) if (path in listed) return path; return path }
	function complain(key, text) {
		if (key in excused) { used[key]; return }
		print text
		bad = 1
	}
	# The circles: files that remain after repeatedly removing those that use none of the others or are used by none.
	function circles(of, n, file,    k, more, kept, a, b, out, into, list) {
		for (k = 1; k <= n; k++) kept[file[k]]
		do {
			more = 0
			split("", out); split("", into)
			for (k = 1; k <= arcs; k++)
				if (from[k] in kept && to[k] in kept) { out[from[k]]; into[to[k]] }
			for (k = 1; k <= n; k++)
				if (file[k] in kept && !(file[k] in out && file[k] in into)) { delete kept[file[k]]; more = 1 }
		} while (more)
		list = ""
		for (k = 1; k <= n; k++) if (file[k] in kept) list = list " " file[k]
		if (list == "") return
		complain("circle " of, of "/ has a circle of files, among" list ":")
		if ("circle " of in excused) return
		for (k = 1; k <= arcs; k++)
			if (from[k] in kept && to[k] in kept) print "    " from[k] " uses " to[k] ":" what[k]
	}
	BEGIN {
		while ((getline row < table) > 0) {
			n = split(row, w, /[: ]+/)
			order[++folders] = w[1]
			listed[w[1]]
			for (k = 1; k <= n; k++) may[w[1], w[k]]
		}
		while ((getline row < objects) > 0) { split(row, w, " "); name[w[2]] = w[1] }
		while ((getline row < allowed) > 0) { split(row, w, " "); excused[w[1] == "circle" ? w[1] " " w[2] : w[1] " " w[2] " " w[3]] }
		n = split("printf fprintf vprintf vfprintf dprintf puts fputs putchar putc fputc perror fopen fdopen freopen tmpfile open creat scanf fscanf fgets getc getchar fgetc fread read stderr exit _exit quick_exit atexit getenv secure_getenv setenv putenv system popen fork", w, " ")
		for (k = 1; k <= n; k++) { forbidden[w[k]]; forbidden["__" w[k] "_chk"]; forbidden["__isoc99_" w[k]] }
		# what a guard does not see, or what ends the process that uses the library
		n = split("malloc calloc realloc aligned_alloc free strdup strndup asprintf getline abort __assert_fail", w, " ")
		for (k = 1; k <= n; k++) unguarded[w[k]]
		loose["gpu"]; loose["cuda"]; loose["cudart"]; loose["grade"]; loose["debug"]; loose["cli"]; loose["script/litmus"]; loose["script/files"] # not part of a call of the library, except for api, launch and findings
		guarding["base/guard"]; guarding["base/memory"]
		high["backend"]; high["gpu"]; high["cuda"]; high["cudart"]; high["grade"]; high["debug"]; high["cli"] # these talk to the world
		high["script/lang"]; high["script/host"]; high["script/litmus"]; high["script/files"]
	}
	{
		colon = index($0, ".o:")
		file = name[substr($1, 1, colon + 1)]
		symbol = substr($1, colon + 3); gsub(/ /, "", symbol)
		class = $3; gsub(/ /, "", class)
		section = $7; gsub(/ /, "", section)
		if (class == "U" || class == "w") { uses[++nuses] = file " " symbol; next }
		if (class ~ /^[A-Z]$/) home[symbol] = file
		if (symbol == "yy_fatal_error") dropped[file] # flex: nobody calls it where YY_FATAL_ERROR is defined, and compilers that optimise leave it out
		if (symbol ~ /^yyloc_default/) next # bison: without a const, and never written
		if (symbol !~ /^[A-Za-z]/ || folder(file) in high) next # the names that a sanitizer makes begin otherwise
		if (class ~ /^[bBCsS]$/ || section ~ /^\.t?bss|^\.t?data($|\.[^r])|^\.data\.rel($|\.local$)/)
			complain("data " file " " symbol, file " has writable data: " symbol)
	}
	END {
		for (k = 1; k <= nuses; k++) {
			split(uses[k], w, " ")
			if (!(w[2] in home)) {
				if (w[1] in dropped && w[2] ~ /^(__)?(fprintf|exit|stderr)/) continue
				if (w[2] in unguarded && !(folder(w[1]) in loose && w[1] !~ /^script\/files\/(api|launch|findings)$/) && !(w[1] in guarding))
					complain("calls " w[1] " " w[2], w[1] " uses " w[2] ": memory_drop, memory_zeroed, never() and assert of base/assert.h let a call of the library fail instead")
				if (w[2] in forbidden && !(folder(w[1]) in high)) complain("calls " w[1] " " w[2], w[1] " uses " w[2] ", which is for backend/ and above")
				continue
			}
			a = w[1]; b = home[w[2]]
			if (a == b) continue
			if (folder(a) != folder(b)) {
				if (!((folder(a), folder(b)) in may)) complain("layer", a " uses " w[2] " of " b ", which " folder(a) "/ may not use")
			} else if ((a, b) in arc) {
				what[arc[a, b]] = what[arc[a, b]] " " w[2]
			} else {
				arc[a, b] = ++arcs; from[arcs] = a; to[arcs] = b; what[arcs] = " " w[2]
			}
		}
		for (o in name) { f = folder(name[o]); members[f] = members[f] " " name[o] }
		for (k = 1; k <= folders; k++) { n = split(members[order[k]], list, " "); circles(order[k], n, list); files += n }
		for (key in excused) if (!(key in used)) { print "layers: the exception \"" key "\" is not needed"; bad = 1 }
		if (!bad && !earlier) print "layers: " files " files in " folders " folders; every #include and every symbol looks down, no circle, no writable data below backend/"
		exit bad
	}' "$dir/symbols" || bad=1
exit $bad
