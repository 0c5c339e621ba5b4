# like.awk WANT GOT: whether the lines are the same, where "..." of WANT is any number of lines; tabs and spaces are equal. Prints the first difference.
{ gsub(/[ \t]*\t[ \t]*/, " ") }
NR == FNR { want[++w] = $0; next }
{ got[++g] = $0 }
END {
	at = 1; loose = 0
	for (k = 1; k <= w; k++) {
		if (want[k] == "...") { loose = 1; continue }
		if (loose) while (at <= g && got[at] != want[k]) at++
		if (at > g || got[at] != want[k]) {
			print "    shown:   " want[k]
			print "    printed: " (at > g ? "(nothing)" : got[at])
			exit 1
		}
		at++; loose = 0
	}
	if (!loose && at <= g) { print "    printed, not shown: " got[at]; exit 1 }
}
