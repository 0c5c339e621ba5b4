# isa.def -> OPCODE(name) once for each distinct first argument of a FORM row, in order of appearance.
/^[ \t]*FORM\(/ {
	name = $0
	sub(/^[ \t]*FORM\(/, "", name)
	sub(/[ \t,].*/, "", name)
	if (!(name in seen)) {
		seen[name] = 1
		print "OPCODE(" name ")"
	}
}
END { print "#undef OPCODE" }
