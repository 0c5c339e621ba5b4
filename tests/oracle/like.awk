# like.awk WANT GOT...: whether the lines of each pair of files are the same, where "..." of WANT is any number of lines; tabs and spaces are equal. Prints the first difference of
# each, under the first line of WANT.
function lines(file, to, line, n, status) {
	n = 0
	while ((status = (getline line <file)) > 0) {
		gsub(/[ \t]*\t[ \t]*/, " ", line)
		to[++n] = line
	}
	close(file)
	if (status < 0) differ("there is no " file)
	return n
}
function differ(what) {
	print "    " want[1] "\n" what
	bad = 1
}
function compare(w, g, at, k, loose) {
	at = 1
	for (k = 1; k <= w; k++) {
		if (want[k] == "...") { loose = 1; continue }
		if (loose) while (at <= g && got[at] != want[k]) at++
		if (at > g || got[at] != want[k])
			return differ("    shown:   " want[k] "\n    printed: " (at > g ? "(nothing)" : got[at]))
		at++; loose = 0
	}
	if (!loose && at <= g) differ("    printed, not shown: " got[at])
}
BEGIN {
	for (pair = 1; pair < ARGC; pair += 2) compare(lines(ARGV[pair], want), lines(ARGV[pair + 1], got))
	exit bad
}
