# The scanners: each lexer/NAME.l becomes $(BUILD)/gen/lexer/NAME.lex.c and is compiled there, without the warnings that flex's skeleton triggers.
# Full tables (-Cf): as fast here as -CF, with which flex 2.6.4 reads past the end of its table for a non-ASCII byte in the last state.
SCANNERS := $(patsubst lexer/%.l,%,$(wildcard lexer/*.l))
GENOBJ   += $(SCANNERS:%=$(BUILD)/gen/lexer/%.lex.o)

$(BUILD)/gen/lexer/%.lex.c: lexer/%.l
	@mkdir -p $(@D)
	$(FLEX) -Cf -o $@ $<
	@$(if $(filter ptx,$*),! grep -q 'last_accepting_cpos = yy_cp' $@ || { rm $@; echo 'lexer/ptx.l: a rule has to back up (flex -b says which)'; exit 1; })

$(SCANNERS:%=$(BUILD)/gen/lexer/%.lex.o): %.o: %.c | $(GENERATED)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-conversion -Wno-sign-compare -Wno-unused-function -Wno-unused-parameter -Wno-missing-prototypes -MMD -MP -c -o $@ $<
