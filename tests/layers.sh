#!/bin/sh
# Proves that #include lines look only downwards: a module may include itself and the modules named for it below, nothing else.
cd "$(dirname "$0")/.." || exit 2

allowed() {
	case $1 in
	base) echo base ;;
	diag) echo base diag ;;
	isa) echo base diag isa ;;
	arith) echo base isa arith ;;
	model) echo base isa model ;;
	code) echo base diag isa arith ir code ;;
	lexer) echo base diag isa lexer parser ;;
	parser) echo base diag isa lexer parser ;;
	ir) echo base diag isa ir ;;
	assembler) echo base diag isa lexer parser ir assembler ;;
	interp) echo base diag isa arith ir code interp ;;
	weak) echo base isa arith ir code model interp weak ;;
	explore) echo base diag isa arith lexer parser ir assembler code model interp explore ;;
	check) echo base diag isa ir code model interp check ;;
	trace) echo base isa ir code interp trace ;;
	script) echo base diag isa lexer parser ir assembler interp weak explore check trace script ;;
	gpu) echo base diag isa ir script gpu ;;
	cli) echo base cli ptxi script ;;
	esac
}

bad=0
for module in base diag isa arith lexer parser ir assembler code model interp weak explore check trace script gpu cli; do
	may=" $(allowed $module) "
	for file in $(find "$module" -name '*.[chly]'); do
		for included in $(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([a-z]*\)\/.*/\1/p' "$file" | sort -u); do
			case $may in
			*" $included "*) ;;
			*) echo "$file includes $included/, which $module/ may not see" && bad=1 ;;
			esac
		done
	done
done
# stdio, exit and the environment belong to script/, gpu/ and cli/; base/ alone may end the process, when memory runs out.
for module in diag isa arith lexer parser ir assembler code model interp weak explore check trace; do
	hits=$(grep -nE '^[^*/]*\b(printf|fprintf|puts|putchar|fputs|fopen|exit|_exit|getenv)[ ]*\(' $(find "$module" -name '*.[ch]' -not -path 'isa/make/*') /dev/null | grep -v '^[^:]*:[0-9]*:[ \t]*\(//\|\*\|/\*\)' || true)
	if [ -n "$hits" ]; then
		echo "$hits" && bad=1
	fi
done
[ $bad = 0 ] && echo "layers: every #include looks downwards"
exit $bad
