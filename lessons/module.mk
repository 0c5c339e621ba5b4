# The pages of the lessons become strings of the program, so that `ptxi learn` needs no other file.
LESSON_PAGES := $(sort $(wildcard lessons/[0-9]*.md))
GENOBJ += $(BUILD)/gen/lessons/text.o

$(BUILD)/gen/lessons/text.c: $(LESSON_PAGES) lessons/embed.awk lessons/module.mk
	@mkdir -p $(@D)
	LC_ALL=C awk -f lessons/embed.awk $(LESSON_PAGES) >$@

$(BUILD)/gen/lessons/text.o: $(BUILD)/gen/lessons/text.c
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
