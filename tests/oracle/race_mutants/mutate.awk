# Writes the mutants of one program, one file each, into the folder `out` (and into `traps`, with a trap at the changed place): a barrier, fence, wait or arrive omitted, a
# scope one or more steps narrower, an order weakened. Prints one line: the number of narrower scopes that would have included all the same threads. Only instructions of
# kernels that its correct cases launch are changed, and only those cases are kept; cases that expect a race, a deadlock, a fault or misuse, or that select the checks
# themselves, are not. The program itself, with the cases that are kept, is written to the file `original`. The first line of each file describes the change: "// KIND
# NAME:FUNCTION:N: INSTRUCTION (line L)", where N counts the instructions with this text in the function, without label and guard: this key stays valid when the file is edited
# elsewhere. Line numbers are preserved.
function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }

# ---- cases ----
# The lines up to the next `case` form a case; lines before the first one belong to all cases if they launch nothing.
function close_case(    k) {
	for (k = first; k < n; k++) {
		if (bad && line[k] ~ /^[ \t]*\/\/@/)
			line[k] = ""
		else if (line[k] ~ /\/\/@[ \t]*launch[ \t]/)
			launch(line[k])
	}
	bad = 0
	first = n
}
# What is known of a kernel's launches: whether each is of one CTA and concurrent with no other launch.
function launch(s,    name, shape) {
	name = launched_name(s)
	launched[name] = 1
	shape = s
	sub(/^[^<]*<<</, "", shape)
	sub(/>>>.*/, "", shape)
	gsub(/\([^)]*\)/, "2", shape)
	if (shape !~ /^[ \t]*1[ \t]*,/ || shape ~ /,.*,.*,/)
		wide[name] = 1
	if (s ~ /cluster=/)
		clusters = 1
	if (s ~ /gpu=/)
		devices = 1
}
function launched_name(s) { sub(/^.*\/\/@[ \t]*launch[ \t]+/, "", s); sub(/[^A-Za-z0-9_$].*/, "", s); return s }
{ n++; line[n] = $0 }
/^[ \t]*\/\/@[ \t]*case/ { close_case() }
/^[ \t]*\/\/@[ \t]*set[ \t].*check=/ { bad = 1 }
/^[ \t]*\/\/@[ \t]*expect[ \t]+(race|deadlock|fault|uninitialised|misuse)/ { bad = 1 }
BEGIN { first = 1 }

# ---- mutants ----
# Compilers repeat a poll: loads that differ only in their destination are one place of the source, and are changed together.
function poll(s) {
	if (s !~ /ld\.(acquire|relaxed|volatile)\./)
		return ""
	sub(/%[A-Za-z0-9]+[ \t]*,/, "%,", s)
	return trim(s)
}
function destination(s) { return match(s, /%[A-Za-z0-9]+[ \t]*,/) ? substr(s, RSTART, RLENGTH) : "" }
function copy(text, to) {
	sub(/%[A-Za-z0-9]+[ \t]*,/, to, text)
	return text
}
function is_copy(k, many) { return many && k != at && kernel[k] == entry && poll(line[k]) == poll(statement ";") }
function write(kind, text,    file, k, many) {
	many = poll(statement) != "" && copies[entry, poll(statement ";")] > 3
	if (many && first_copy[entry, poll(statement ";")] != at)
		return
	made++
	file = sprintf("%s/%s-%03d.ptx", out, name, made)
	print "// " kind " " name ":" entry ":" ordinal[entry, bare(statement)] ": " bare(statement) " (line " at ")" > file
	for (k = 2; k <= n; k++)
		print (k == at ? before text after : is_copy(k, many) ? copy(text, destination(line[k])) : line[k]) > file
	close(file)
	# The same with a trap there: if it runs to its end, no thread reaches the changed place.
	file = sprintf("%s/%s-%03d.ptx", traps, name, made)
	for (k = 1; k <= n; k++)
		print (k == at ? before trapped(statement) after : line[k]) > file
	close(file)
}
# A narrower scope, unless it includes all threads that access the location: then it is not a mutant.
function scope(to, text) {
	if ((to == "gpu" || to == "gl") && !devices)
		same++
	else if (to == "cta" && !clusters && statement ~ /\.shared[^:]/)
		same++
	else if (!(entry in wide) && !is_func)
		same++
	else
		write("scope " to, text)
}
# The statement with FROM (a modifier with its dot) replaced.
function replaced(from, to,    s, p) {
	s = statement
	p = index(s, from)
	return substr(s, 1, p - 1) to substr(s, p + length(from))
}
function has(word) { return statement ~ ("\\" word "([^A-Za-z0-9_]|$)") }
function label(s) { return match(s, /^[ \t{]*[A-Za-z0-9_$]+:/) ? substr(s, 1, RLENGTH) " " : "" }
# The name of the function that begins at a line: after its return values.
function function_name(s) {
	sub(/.*\.(entry|func)[ \t]+/, "", s)
	sub(/^\([^)]*\)[ \t]*/, "", s)
	sub(/[^A-Za-z0-9_$].*/, "", s)
	return s
}
# The instruction without label and guard.
function bare(s) {
	sub(/^[ \t{]*([A-Za-z0-9_$]+:)?[ \t]*(@[^ \t]+[ \t]+)?/, "", s)
	gsub(/[ \t]+/, " ", s)
	return trim(s)
}
# A trap with the statement's label and guard.
function trapped(s,    start, guard) {
	start = label(s)
	sub(/^[ \t{]*[A-Za-z0-9_$]+:/, "", s)
	guard = match(s, /@[^ \t]+/) ? substr(s, RSTART, RLENGTH) " " : ""
	return start guard "trap;"
}
function mutate() {
	if (statement ~ /(^|[ \t:])((bar|barrier)(\.cta)?\.(sync|arrive)|bar\.warp|membar|fence|barrier\.cluster|mbarrier\.(arrive|expect_tx|complete_tx)|cp\.async\.(wait|bulk\.wait|mbarrier))/ && !(statement ~ /mbarrier\.arrive[^ \t]*[ \t]+%/))
		write("without", label(statement))
	if (statement ~ /[^.]bra[ \t.]/ && waited && at - waited <= 3 && statement ~ /@/)
		write("without the wait", label(statement))
	if (statement ~ /(test_wait|try_wait)/)
		waited = at
	if (statement !~ /(^|[ \t:}])(ld|st|atom|red|membar|fence|mbarrier|barrier)\./ && statement !~ /(^|[ \t])(ld|st|atom|red|membar|fence|mbarrier)\./)
		return
	if (statement ~ /\.proxy|\.async/)
		return
	# scopes
	if (statement ~ /membar\.sys/) {
		scope("gl", replaced(".sys", ".gl") ";")
		scope("cta", replaced(".sys", ".cta") ";")
	} else if (statement ~ /membar\.gl/) {
		scope("cta", replaced(".gl", ".cta") ";")
	} else if (has(".sys")) {
		scope("gpu", replaced(".sys", ".gpu") ";")
		scope("cta", replaced(".sys", ".cta") ";")
	} else if (has(".gpu")) {
		if (sm >= 90)
			scope("cluster", replaced(".gpu", ".cluster") ";")
		scope("cta", replaced(".gpu", ".cta") ";")
	} else if (statement ~ /\.cluster[^:A-Za-z_]/ && statement !~ /barrier\.cluster/ && statement !~ /shared::cluster/) {
		scope("cta", replaced(".cluster", ".cta") ";")
	} else if (sm >= 70 && statement ~ /(atom|red)\.(global|shared|add|exch|cas|min|max|inc|dec|and|or|xor)/) {
		scope("cta", (statement ~ /atom\./ ? replaced("atom.", "atom.relaxed.cta.") : replaced("red.", "red.relaxed.cta.")) ";")
	}
	# orders
	if (statement ~ /fence\.sc/)
		write("order acq_rel", replaced(".sc", ".acq_rel") ";")
	else if (statement ~ /membar\./ && sm >= 70)
		write("order acq_rel", (statement ~ /\.gl/ ? replaced("membar.gl", "fence.acq_rel.gpu") : statement ~ /\.sys/ ? replaced("membar.sys", "fence.acq_rel.sys") : replaced("membar.cta", "fence.acq_rel.cta")) ";")
	if (statement ~ /fence\.mbarrier_init/)
		return
	if (has(".acq_rel") && statement !~ /fence/)
		write("order relaxed", replaced(".acq_rel", ".relaxed") ";")
	if (has(".acquire") && statement !~ /fence|wait/)
		write("order relaxed", replaced(".acquire", ".relaxed") ";")
	if (has(".release") && statement !~ /fence|barrier/)
		write("order relaxed", replaced(".release", ".relaxed") ";")
	if (has(".release") && statement ~ /mbarrier\.arrive/ && ptx >= 80)
		write("order relaxed", replaced(".release", ".relaxed") ";")
	if (statement ~ /(^|[ \t:])(ld|st)\.(acquire|release|relaxed)\./) {
		text = statement
		sub(/\.(acquire|release|relaxed)/, "", text)
		sub(/\.(cta|cluster|gpu|sys)/, "", text)
		write("order weak", text ";")
	}
	if (statement ~ /(ld|st)\.volatile/) {
		write("order weak", replaced(".volatile", "") ";")
		if (sm >= 70)
			scope("cta", replaced(".volatile", ".relaxed.cta") ";")
	}
}
END {
	n++
	close_case()
	n--
	if (original) {
		for (k = 1; k <= n; k++)
			print line[k] > original
		close(original)
	}
	for (k in launched)
		some = 1
	if (!some) {
		print 0
		exit
	}
	for (at = 1; at <= n; at++) {
		if (match(line[at], /\.(entry|func)[ \t]/)) {
			entry = function_name(line[at])
		}
		kernel[at] = entry
		if ((p = poll(line[at])) != "" && !copies[entry, p]++)
			first_copy[entry, p] = at
	}
	for (at = 1; at <= n; at++) {
		if (match(line[at], /^[ \t]*\.target[ \t]+sm_[0-9]+/)) {
			sm = line[at]
			sub(/.*sm_/, "", sm)
			sm = sm + 0
		}
		if (match(line[at], /\.(entry|func)[ \t]/)) {
			entry = function_name(line[at])
			is_func = line[at] ~ /\.func/
			used = line[at] ~ /\.func/ || entry in launched
		}
		if (!used)
			continue
		code = line[at]
		comment = ""
		if ((p = index(code, "//"))) {
			comment = substr(code, p)
			code = substr(code, 1, p - 1)
		}
		before = ""
		while ((p = index(code, ";"))) {
			statement = substr(code, 1, p - 1)
			after = substr(code, p + 1) comment
			ordinal[entry, bare(statement)]++
			mutate()
			before = before statement ";"
			code = substr(code, p + 1)
		}
	}
	print same + 0
}
