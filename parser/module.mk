# The grammars: each parser/NAME.y, with the tokens of lexer/token.def, becomes $(BUILD)/gen/parser/NAME.tab.[ch] and is compiled there, without
# the warnings that bison's skeleton triggers.
GRAMMARS  := $(patsubst parser/%.y,%,$(wildcard parser/*.y))
GENERATED += $(GRAMMARS:%=$(BUILD)/gen/parser/%.tab.h)
GENOBJ    += $(GRAMMARS:%=$(BUILD)/gen/parser/%.tab.o)

$(BUILD)/gen/parser/%.y: parser/%.y lexer/token.def parser/tokens.awk
	@mkdir -p $(@D)
	awk -f parser/tokens.awk lexer/token.def $< >$@

.SECONDARY: $(GRAMMARS:%=$(BUILD)/gen/parser/%.y)
$(BUILD)/gen/parser/%.tab.c $(BUILD)/gen/parser/%.tab.h: $(BUILD)/gen/parser/%.y
	$(BISON) -Werror=conflicts-sr,conflicts-rr,other -Wno-yacc --header=$(BUILD)/gen/parser/$*.tab.h -o $(BUILD)/gen/parser/$*.tab.c $<

$(GRAMMARS:%=$(BUILD)/gen/parser/%.tab.o): %.o: %.c | $(GENERATED)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-conversion -Wno-sign-conversion -Wno-unused-but-set-variable -MMD -MP -c -o $@ $<
