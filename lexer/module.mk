# The scanners: each lexer/NAME.l becomes $(BUILD)/gen/lexer/NAME.lex.c and is compiled there, with the warnings off that flex's skeleton does not meet.
# Full tables (-Cf): as fast here as -CF, whose last state of flex 2.6.4 is read past the end of its table by a byte that is not ASCII.
SCANNERS := $(patsubst lexer/%.l,%,$(wildcard lexer/*.l))
GENOBJ   += $(SCANNERS:%=$(BUILD)/gen/lexer/%.lex.o)

$(BUILD)/gen/lexer/%.lex.c: lexer/%.l
	@mkdir -p $(@D)
	$(FLEX) -Cf -o $@ $<

$(SCANNERS:%=$(BUILD)/gen/lexer/%.lex.o): %.o: %.c | $(GENERATED)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-conversion -Wno-sign-compare -Wno-unused-function -Wno-unused-parameter -Wno-missing-prototypes -MMD -MP -c -o $@ $<
