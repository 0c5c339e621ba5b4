#!/bin/sh
# Every diagnostic code has a rule, a section, a wrong example that yields the code and a right one that yields neither the code nor any error; and the examples of concepts
# pass. Examples are made into files as described by `ptxi explain examples`. Those that begin with "#" need a GPU or a user: these codes each have a test elsewhere.
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
ptxi=${PTXI:?}
case $ptxi in /*) ;; *) ptxi=$root/$ptxi ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
elsewhere=' F0104 E0901 U0901 F0901 F0902 F0903 B0901 B0005 L0401 L0402 X0110 E0460 E0461 E0462 E0470 H0101 H0102 H0103 H0104 H0105 H0106 H0107 H0108 H0151 H0152 H0153 '
bad=0
tests=0
mkdir "$dir/bin"
ln -s "$ptxi" "$dir/bin/ptxi"
PATH=$dir/bin:$PATH
export PATH NO_COLOR=1

fail() {
	echo "codes: $*"
	[ ! -s "$dir/out" ] || head -n 3 "$dir/out"
	bad=1
}
${MAKE_PARTS:-make} -s --no-print-directory "${BUILD:=build/release}/oracle/many" || exit 2
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
# many: runs the commands on standard input (tests/oracle/many/many.c)
many() { "$BUILD/oracle/many" 60 || exit 2; }

# ---- what ptxi explains ----
mkdir "$dir/explained" "$dir/at" "$dir/said"
codes=${CODES:-$(ptxi explain codes | sed 's/ .*//')}
concepts="race phase parity token scope proxy release divergence"
for name in examples $codes $concepts; do printf '%s\t%s\texplain\t%s\n' "$root" "$dir/explained/$name" "$name"; done | many
# the codes that tests name
grep -ohE '(DIAG_|\b)[A-Z][0-9]{4}\b' tests/unit/*.c tests/oracle/cli.sh tests/oracle/gpu.sh tests/oracle/litmus.sh tests/oracle/host.sh tests/oracle/doors.sh | sed 's/DIAG_//' | sort -u >"$dir/tested"
for code in $codes; do echo "$dir/at/$code.wrong"; echo "$dir/at/$code.right"; done | xargs mkdir

# Writes the file of each example into its folder. "commands" receives what `many` runs, "shell" the folders whose examples have commands of their own (in a file beside it).
# shellcheck disable=SC2086
(cd "$dir/explained" && awk -v dir="$dir" -v root="$root" -v elsewhere="$elsewhere" '
	function fail(text) { print "codes: " text; bad = 1 }
	# the lines of TEXT that begin with BEGINNING, or the others
	function lines(text, beginning, others, n, k, line, out) {
		n = split(text, line, "\n")
		for (k = 1; k < n; k++) if ((index(line[k], beginning) == 1) != others) out = out line[k] "\n"
		return out
	}
	# EXAMPLE as a complete file
	function complete(example, rest, n, k, line, out) {
		if (("\n" example) ~ /\n\.version|\n\.target|\nPTX /) return example
		out = lines(example, "//@", 0)
		rest = lines(example, "//@", 1)
		n = split(frame, line, "\n")
		if (("\n" rest) ~ /\n\.(entry|func|global|common|tex|file|section|extern)/) {
			out = out line[1] "\n" line[2] "\n" line[3] "\n" rest
			return ("\n" rest) ~ /\n\.(entry|func)/ ? out : out ".entry k() { ret; }\n"
		}
		for (k = 1; k < n; k++)
			if (line[k] ~ /^[ \t]*\.\.\.$/) { gsub(/\n/, "\n\t\t", rest); out = out "\t\t" substr(rest, 1, length(rest) - 2) }
			else out = out line[k] "\n"
		return out
	}
	function example(code, which, at, text, commands, file, program) {
		at = dir "/at/" code "." which
		commands = lines(part[code, which], "$ ", 0)
		text = lines(part[code, which], "$ ", 1)
		file = ("\n" text) ~ /\nPTX / ? "k.litmus" : "k.ptx"
		program = complete(text)
		if (text == "") program = "//@ launch k<<<1, 1>>>()\n" program
		printf "%s", program >(at "/" file)
		close(at "/" file)
		if (commands != "") {
			print code "." which >(dir "/shell")
			gsub(/\n\$ /, "\n", commands)
			printf "%s", substr(commands, 3) >(at ".commands")
			close(at ".commands")
			return
		}
		if (file == "k.litmus") { run(code, which, "explore\t" file); return }
		run(code, which, "as\t" file)
		if (("\n" program) ~ /\n\/\/@/) run(code, which, "run\t--check=all\t" file)
		else if (program ~ /\.entry k\(\)/) run(code, which, "run\t--check=all\t-e\tlaunch k<<<1, 1>>>()\t" file)
	}
	function run(code, which, what) { print dir "/at/" code "." which "\t" dir "/said/" code "." which "." ++runs "\t" what >(dir "/commands") }
	function heading(page, title, line, found) {
		while ((getline line < (root "/" page)) > 0) if (line ~ ("^##* " title)) found = 1
		close(root "/" page)
		return found
	}
	BEGIN { while ((getline line < (dir "/tested")) > 0) tested[line] }
	FNR == 1 { name = FILENAME; field = ""; if (name != "examples") order[++codes] = name }
	/^[^ ]/ { field = $0 }
	/^(PTX manual|see): / { section[name] = $0; sub(/^[^:]*: /, "", section[name]) }
	/^    / { part[name, field] = part[name, field] substr($0, 5) "\n" }
	END {
		frame = part["examples", "example"]
		for (c = 1; c <= codes; c++) {
			code = order[c]
			if (part[code, "rule"] == "") fail(code " has no rule")
			if (part[code, "wrong"] == "") fail(code " has no wrong")
			if (part[code, "right"] == "") fail(code " has no right")
			at = section[code]
			page = title = at
			sub(/, .*/, "", page)
			if (at ~ /^docs\//) {
				sub(/^[^,]*, /, "", title)
				if ((getline line < (root "/" page)) <= 0) fail(code ": there is no " page)
				else if (close(root "/" page) || (page != at && !heading(page, title))) fail(code ": " page " has no heading \047" title "\047")
			} else if (at ~ /^[0-9][^ ]* /) {
				n = title = at
				sub(/ .*/, "", n)
				sub(/^[^ ]* /, "", title)
				if (n in manual && manual[n] != title) fail("section " n " is " manual[n] " and " title)
				manual[n] = title
			} else fail(code " has no section: \047" at "\047")
			if (("\n" part[code, "wrong"]) ~ /\n#/) {
				if (!index(elsewhere, " " code " ")) fail(code ": this example can be tried here")
				else if (!(code in tested)) fail(code ": no test")
				continue
			}
			print code >(dir "/tried")
			example(code, "wrong")
			example(code, "right")
		}
		exit bad
	}' examples $codes) || bad=1
many <"$dir/commands"

# Commands of an example: up to the first that fails, in a wrong one all of them; like `many`, with their output and status in said/.
[ ! -e "$dir/shell" ] || while read -r example; do
	k=0
	(cd "$dir/at/$example" && while read -r command; do
		k=$((k + 1))
		sh -c "$command" </dev/null >"$dir/said/$example.$k" 2>&1
		status=$?
		echo "status $status" >>"$dir/said/$example.$k"
		case $status:$example in 0:* | *.wrong) ;; *) break ;; esac
	done <"$dir/at/$example.commands")
done <"$dir/shell"

(cd "$dir/said" && awk '
	function fail(code, text, which) {
		print "codes: " code ": " text
		printf "%s", first[code, which]
		bad = 1
	}
	FNR == 1 { split(FILENAME, at, "."); code = at[1]; which = at[2]; tag = "[" code "]" }
	/^status 124$/ { endless[code] }
	/^status [0-9]*$/ { if ($2 != 0) failed[code, which]; next }
	index($0, tag) { yields[code, which] }
	match($0, /[^ ]:[0-9]+:[0-9]+: /) && index(substr($0, RSTART), tag) { located[code, which] }
	n[code, which]++ < 3 { first[code, which] = first[code, which] $0 "\n" }
	END {
		while ((getline code < "../tried") > 0) {
			if (!((code, "wrong") in yields)) fail(code, "the wrong example does not yield it", "wrong")
			# those of a whole file, a command line or a test are not of a place
			if (code !~ /^(B015.|E0450|L0128|L0[234]..|U0151)$/ && !((code, "wrong") in located)) fail(code, "the message has no location", "wrong")
			if ((code, "right") in failed) fail(code, "the right example fails", "right")
			if ((code, "right") in yields) fail(code, "the right example yields it", "right")
			if (code in endless) fail(code, "it does not end", "wrong")
		}
		exit bad
	}' [A-Z]*) || bad=1
tests=$((2 * $(wc -l <"$dir/tried")))
: >"$dir/out"

# ---- concepts ----
for concept in $concepts; do
	tests=$((tests + 1))
	sed -n '/^example$/,/^[^ ]/s/^    //p' "$dir/explained/$concept" >"$dir/k.ptx"
	ptxi check "$dir/k.ptx" >"$dir/out" 2>&1 || fail "explain $concept: its example fails"
	lines=$(grep -c . "$dir/k.ptx")
	[ "$lines" -gt 0 ] && [ "$lines" -le 25 ] || fail "explain $concept: its example has $lines lines"
done
: >"$dir/out"

# ---- each warning can be disabled by its name and by its code, and docs/ has the right names ----
echo '.version 9.0 .target sm_90 .address_size 64 .entry k() { ret; }' >"$dir/good.ptx"
ptxi explain codes | sed -n 's/^\(W[0-9]*\)  \([a-z_]*\) .*/\1 \2/p' >"$dir/warnings"
tests=$((tests + $(wc -l <"$dir/warnings")))
awk -v dir="$dir" '{ print dir "\t" dir "/off." $1 "\tas\t-Wno-" $1 "\tgood.ptx"; print dir "\t" dir "/off." $2 "\tas\t-Wno-" $2 "\tgood.ptx" }' "$dir/warnings" | many
while read -r w name; do
	for off in "$w" "$name"; do
		read -r said <"$dir/off.$off"
		[ "$said" = "status 0" ] || fail "-Wno-$off is not known"
	done
done <"$dir/warnings"
awk 'NR == FNR { listed["| " $2 " | " $4 " |"]; next } !("| " $1 " | " $2 " |" in listed) { print "codes: docs/DIAGNOSTICS.md does not list " $1 ", " $2; bad = 1 } END { exit bad }' docs/DIAGNOSTICS.md "$dir/warnings" || bad=1
printf '.version 6.0\n.target sm_60\n.address_size 64\n.entry k()\n{\n\t.reg .pred %%p;\n\tsetp.eq.u32 %%p, 1, 1;\n\tvote.all.pred %%p, %%p;\n\tret;\n}\n' >"$dir/old.ptx"
for off in W0512 deprecated; do
	ptxi as -Wno-$off "$dir/old.ptx" >"$dir/out" 2>&1 </dev/null
	! grep -q W0512 "$dir/out" || fail "-Wno-$off does not turn W0512 off"
done

[ $bad = 0 ] && echo "codes: $tests examples and warnings of $(ptxi explain codes | grep -c .) codes are as 'ptxi explain' says"
exit $bad
