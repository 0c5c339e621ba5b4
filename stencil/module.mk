# The pieces (pieces/) are compiled for one kind of processor, x86-64-v3, and taken out of the object files by a tool. Only gcc keeps registers for all functions of a file. Without
# pieces the tables are empty. Loops must be vectorised, and nothing may be contracted, as in arith/module.mk.
STENCIL_FILES := integer bits compare move float32 float64 convert
STENCIL_GEN   := $(BUILD)/gen/stencil
GENOBJ        += $(BUILD)/obj/stencil/table.o
STENCIL_HERE  := $(if $(filter x86_64-%linux-gnu,$(shell $(CC) -dumpmachine 2>/dev/null)),$(if $(filter release debug,$(VARIANT)),$(shell $(CC) --version 2>/dev/null | grep -q 'Free Software Foundation' && echo yes)))
STENCIL_FLAGS := -std=gnu11 -Wall -Wextra -O2 -ftree-vectorize -fvect-cost-model=dynamic -fpeel-loops -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing
STENCIL_FLAGS += -march=x86-64-v3 -mno-vzeroupper -fno-pic -fno-pie -mcmodel=small -fno-asynchronous-unwind-tables -fno-stack-protector -fcf-protection=none -fomit-frame-pointer
STENCIL_FLAGS += -ffunction-sections -fno-jump-tables -fno-ipa-icf -fno-reorder-blocks-and-partition -falign-functions=1 -falign-loops=1 -falign-jumps=1
STENCIL_FLAGS += -ffixed-rbx -ffixed-rbp -ffixed-r11 -ffixed-r12 -ffixed-r13 -ffixed-r14 -ffixed-r15

ifeq ($(STENCIL_HERE),yes)
STENCIL_OBJ := $(STENCIL_GEN)/flow.o $(STENCIL_GEN)/extra.o $(STENCIL_FILES:%=$(STENCIL_GEN)/%.o)
$(STENCIL_OBJ): stencil/module.mk  $(GENERATED)
$(STENCIL_GEN)/flow.o: stencil/pieces/flow.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(STENCIL_FLAGS) -MMD -MP -c -o $@ $<
# what scratch memory is found by
$(filter-out %/flow.o,$(STENCIL_OBJ)): stencil/pieces/alu.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(STENCIL_FLAGS) -ffixed-rdi -DALU_FILE='"$(if $(filter extra,$(ALU_NAME)),stencil/pieces,arith/kernel)/$(ALU_NAME).def"' -MMD -MP -c -o $@ $<
$(foreach f,extra $(STENCIL_FILES),$(eval $(STENCIL_GEN)/$(f).o: ALU_NAME := $(f)))

# The helpers are called by pieces alone.
$(BUILD)/obj/stencil/access.o: CFLAGS += -march=x86-64-v3 -Wno-unused-function -Wno-unused-parameter -Wno-missing-field-initializers -Wno-conversion -Wno-sign-conversion
$(BUILD)/obj/stencil/access.o: stencil/module.mk
endif

$(STENCIL_GEN)/makepieces: stencil/make/pieces.c stencil/piece.h stencil/hole.def stencil/flow.def arith/table.h
	@mkdir -p $(@D)
	$(HOSTCC) $(CPPFLAGS) $(WARN) -O1 -o $@ $<

$(STENCIL_GEN)/table.c: $(STENCIL_GEN)/makepieces $(STENCIL_OBJ)
	$< $(STENCIL_OBJ) >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/obj/stencil/table.o: $(STENCIL_GEN)/table.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
