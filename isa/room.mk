# Opcodes are the distinct first arguments of isa.def's rows.
GENERATED += $(BUILD)/gen/isa/opcode.def
$(BUILD)/gen/isa/opcode.def: isa/isa.def isa/opcodes.awk
	@mkdir -p $(@D)
	awk -f isa/opcodes.awk isa/isa.def >$@.new && mv $@.new $@
