# Writes the pages of the lessons as C strings, one line of a page on each line.
BEGIN { print "/* Generated from lessons/ by lessons/embed.awk. */\n#include \"lessons/text.h\"\nconst struct lesson_page lesson_pages[] = {" }
FNR == 1 { print (NR > 1 ? "},\n" : "") "{\"" FILENAME "\"," }
{
	gsub(/\\/, "\\\\\\\\")
	gsub(/"/, "\\\"")
	gsub(/\t/, "\\t")
	print "\"" $0 "\\n\""
}
END { print "}};\nconst unsigned lesson_page_count = sizeof lesson_pages / sizeof lesson_pages[0];" }
