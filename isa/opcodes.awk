# isa.def -> OPCODE(name) once for each distinct first argument of a FORM row, in order of appearance.
/^FORM\(/ {
	name = substr($0, 6)
	sub(/[ ,].*/, "", name)
	if (!(name in seen)) {
		seen[name] = 1
		print "OPCODE(" name ")"
	}
}
END { print "#undef OPCODE" }
