# The headers that every translated unit begins with become strings of the program: so translated code computes and checks by the same text as the interpreter.
# Comments of whole lines are left out, and #include lines except those of the first file.
NATIVE_TEXT := native/begin.h arith/lane.h arith/fp.h interp/memory/combine_table.h interp/native.h interp/memory/shape.h native/prelude.h native/rare.h
GENOBJ += $(BUILD)/gen/native/text.o

$(BUILD)/gen/native/text.c: $(NATIVE_TEXT) native/embed.awk native/module.mk
	@mkdir -p $(@D)
	LC_ALL=C awk -f native/embed.awk $(NATIVE_TEXT) >$@

$(BUILD)/gen/native/text.o: $(BUILD)/gen/native/text.c
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
