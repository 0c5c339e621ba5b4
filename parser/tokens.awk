# Prints the grammar with its line %tokens replaced by declarations of the rows of lexer/token.def, all on one line so that line numbers stay correct: awk -f tokens.awk token.def x.y
FNR == NR {
	if (match($0, /^TOKEN\([A-Za-z0-9_]+, *[a-z]*, ".*"\)$/)) {
		row = substr($0, 7, length($0) - 7)
		name = substr(row, 1, index(row, ",") - 1)
		row = substr(row, index(row, ",") + 1)
		type = substr(row, 1, index(row, ",") - 1)
		gsub(/ /, "", type)
		text = substr(row, index(row, "\""))
		tokens = tokens " %token " (type ? "<" type "> " : "") name " " text
	}
	next
}
$0 == "%tokens" { print substr(tokens, 2); next }
{ print }
