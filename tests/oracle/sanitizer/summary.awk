# Summarises the table: how many mutants each reports, of all and of those that fail or hang on the GPU; false reports of the original programs; what only the other reports. A
# tool reports a file if its column begins with a number; ptxi if it names a code.
function reports(column) { return column == 3 ? $3 != "" : $column ~ /^[1-9]/ }
NR == 1 || $4 == "skipped" { skipped += NR > 1; next }
$3 == "idle" { idle++; next }
$2 == "original" {
	originals++
	for (c = 3; c <= 8; c++)
		if (c != 4 && reports(c)) {
			false_reports[c]++
			false_names[c] = false_names[c] " " $1
		}
	wrong += $4 != "passes"
	next
}
{
	all++
	harmful = $4 != "passes"
	failing += harmful
	any = 0
	for (c = 3; c <= 8; c++) {
		if (c == 4 || !reports(c))
			continue
		n[c]++
		of_failing[c] += harmful
		any += c > 4
		late[c] += 0
	}
	for (c = 5; c <= 8; c++)
		late[c] += $c == "late"
	some += any > 0
	some_failing += any > 0 && harmful
	both += any > 0 && reports(3)
	if (any && !reports(3))
		others[++nothers] = $0
	if (harmful && !any && !reports(3))
		nobody[++nnobody] = $0
}
END {
	split(tools, tool, " ")
	printf "sanitizer: %d mutants (%d more at places that no thread reaches, %d files skipped), of which %d fail or hang on this GPU; %d programs, %d do not pass on it\n", all, idle, skipped, failing, originals, wrong
	printf "%-20s %9s %9s %9s %9s\n", "", "reports", "of those", "false", "timeout"
	printf "%-20s %9d %9d %9d %9s\n", "ptxi", n[3], of_failing[3], false_reports[3], "-"
	for (c = 5; c <= 8; c++)
		printf "%-20s %9d %9d %9d %9d\n", tool[c - 4], n[c], of_failing[c], false_reports[c], late[c]
	printf "%-20s %9d %9d\n", "any of the tools", some, some_failing
	printf "both ptxi and a tool: %d; ptxi alone: %d; a tool alone: %d\n", both, n[3] - both, nothers
	for (k = 1; k <= nothers; k++)
		print "a tool alone: " others[k]
	for (k = 1; k <= nnobody; k++)
		print "nobody, and it fails or hangs: " nobody[k]
	for (c = 3; c <= 8; c++)
		if (false_reports[c])
			print "false, " (c == 3 ? "ptxi" : tool[c - 4]) ":" false_names[c]
}
