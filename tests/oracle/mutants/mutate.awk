# Writes the mutants of one program, one file each, into the folder `out`: a barrier, wait, arrive, fence or copy omitted, or a count or parity changed. The first line of each
# describes the change: "// KIND LINE: INSTRUCTION".
function write(kind, at, text,    file, k) {
	made++
	file = sprintf("%s/%s-%03d.ptx", out, name, made)
	line1 = kind " " name ":" at ": " trim(line[at])
	print "// " line1 > file
	for (k = 1; k <= n; k++)
		print (k == at ? text : line[k]) > file
	close(file)
}
function trim(s) { sub(/\/\/.*/, "", s); gsub(/^[ \t]+|[ \t]+$/, "", s); sub(/^[A-Za-z0-9_]+:[ \t]*/, "", s); return s }
# The line without its instruction; a label is kept.
function empty(s) { return match(s, /^[A-Za-z0-9_]+:/) ? substr(s, 1, RLENGTH) : "" }
{ line[++n] = $0 }
END {
	for (at = 1; at <= n; at++) {
		s = line[at]
		if (s ~ /^[ \t]*\/\//)
			continue
		code = s
		sub(/\/\/.*/, "", code)
		if (code ~ /(bar\.sync|barrier\.cluster|mbarrier\.(init|inval|arrive|arrive_drop|expect_tx|complete_tx)|fence\.|cp\.async|cp\.reduce|st\.async|red\.async)/)
			write("without", at, empty(s))
		if (code ~ /bra[ \t]/ && waited && at - waited <= 2)
			write("without the wait", at, empty(s))
		if (code ~ /(test_wait|try_wait)/)
			waited = at
		if (match(code, /mbarrier\.init[^;]*, [0-9]+;/)) {
			match(code, /, [0-9]+;/)
			count = substr(code, RSTART + 2, RLENGTH - 3)
			write("count + 1", at, substr(code, 1, RSTART + 1) (count + 1) ";")
			if (count > 1)
				write("count - 1", at, substr(code, 1, RSTART + 1) (count - 1) ";")
		}
		if (match(code, /expect_tx[^;]*, [0-9]+;/)) {
			match(code, /, [0-9]+;/)
			count = substr(code, RSTART + 2, RLENGTH - 3)
			write("bytes / 2", at, substr(code, 1, RSTART + 1) count / 2 ";")
			write("bytes * 2", at, substr(code, 1, RSTART + 1) count * 2 ";")
		}
		if (match(code, /wait\.parity[^;]*, [01];/)) {
			match(code, /, [01];/)
			write("other parity", at, substr(code, 1, RSTART + 1) (1 - substr(code, RSTART + 2, 1)) ";")
		}
		if (code ~ /wait_group(\.read)? 0/) {
			t = code
			sub(/wait_group 0/, "wait_group 1", t)
			sub(/wait_group\.read 0/, "wait_group.read 1", t)
			write("one group later", at, t)
		}
		if (code ~ /arrive_drop/) {
			t = code
			sub(/arrive_drop/, "arrive", t)
			write("arrive for arrive_drop", at, t)
		}
		if (code ~ /\.noinc/) {
			t = code
			sub(/\.noinc/, "", t)
			write("without .noinc", at, t)
		} else if (code ~ /cp\.async\.mbarrier\.arrive/) {
			t = code
			sub(/arrive/, "arrive.noinc", t)
			write("with .noinc", at, t)
		}
	}
}
