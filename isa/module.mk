# Opcodes are the distinct first arguments of isa.def's rows. The tool in isa/make/ turns the rows into constant tables, so that a malformed row, or one
# that names a word or rule that does not exist, stops the build. A generated file whose content is unchanged keeps its time stamp, so that editing a row
# only recompiles what it changes.
ISA_DEF := isa/isa.def isa/word.def isa/type.def isa/sreg.def isa/handler.def isa/group.def isa/rule.def isa/arch.def isa/need.def
ISA_TABLES := $(BUILD)/gen/isa/tables.c
GENERATED += $(BUILD)/gen/isa/opcode.def
GENOBJ += $(BUILD)/obj/isa/tables.o

$(BUILD)/gen/isa/opcode.def: isa/isa.def isa/opcodes.awk
	@mkdir -p $(@D)
	awk -f isa/opcodes.awk isa/isa.def >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/gen/isa/maketables: $(wildcard isa/make/*.c) isa/vocab.h isa/isa.h isa/table.h $(ISA_DEF) $(BUILD)/gen/isa/opcode.def
	@mkdir -p $(@D)
	$(HOSTCC) $(CPPFLAGS) $(WARN) -O1 -o $@ $(wildcard isa/make/*.c)

$(ISA_TABLES): $(BUILD)/gen/isa/maketables
	$< >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/obj/isa/tables.o: $(ISA_TABLES)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
