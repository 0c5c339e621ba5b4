# The kernels (arith/kernel/*.c) are compiled once for each x86-64 level that arith_find chooses among, and once on other machines. The loops must be vectorised,
# nothing may be contracted, and no source may assume that the processor traps. Level 1 has the kernels that round, with integer arithmetic, and takes the others from the lowest level.
ARITH_KERNELS := $(notdir $(basename $(wildcard arith/kernel/*.c)))
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
ARITH_LEVELS := 2 3 4
else
ARITH_LEVELS := 0
endif
ARITH_SOFT := float32 float64 directed general
ARITH_MARCH_2 := -march=x86-64-v2
ARITH_MARCH_3 := -march=x86-64-v3
ARITH_MARCH_4 := -march=x86-64-v4 -mprefer-vector-width=512
ARITH_FLAGS := -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing
# For clang: a few loops call libm and stay scalar; conditions are joined by & and | on purpose, to avoid branches.
ARITH_FLAGS += -Wno-pass-failed -Wno-bitwise-instead-of-logical
ifeq ($(VARIANT),release)
# Vectorised and unrolled: the same code as -O3 for these loops in two thirds of the time. clang has no such options, but vectorises and unrolls at -O2. Without
# -fexpensive-optimizations a function ends without vzeroupper, and the scalar code after it waits for the upper halves of the vector registers.
ARITH_OPT := -O1 -ftree-vectorize -fvect-cost-model=dynamic -fpeel-loops -fexpensive-optimizations
ifeq ($(shell $(CC) -Werror $(ARITH_OPT) -x c -fsyntax-only /dev/null 2>&1; :),)
ARITH_FLAGS += $(ARITH_OPT)
# Processors without AVX2 are old: their loops stay loops, in half of the bytes.
ARITH_MARCH_2 += -fno-peel-loops
endif
endif
# clang has no such option for machines whose mode cannot be set; there level 1 rounds.
ARITH_FLAGS_directed := -frounding-math
ifneq ($(shell $(CC) -Werror -frounding-math -x c -fsyntax-only /dev/null 2>&1; :),)
ARITH_FLAGS_directed :=
endif

# with integer arithmetic: for machines whose mode cannot be set, where speed does not matter
ARITH_MARCH_1 := -O1 -fno-tree-vectorize -DARITH_SOFT -DARITH_PLAIN=$(firstword $(ARITH_LEVELS))
ARITH_OBJ := $(foreach l,$(ARITH_LEVELS),$(ARITH_KERNELS:%=$(BUILD)/obj/arith/v$(l)/%.o)) $(ARITH_SOFT:%=$(BUILD)/obj/arith/v1/%.o)
GENOBJ += $(ARITH_OBJ)
$(ARITH_OBJ): ARITH_LEVEL = $(patsubst v%,%,$(notdir $(patsubst %/,%,$(dir $@))))
$(ARITH_OBJ): $(BUILD)/obj/arith/v%.o: arith/module.mk | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(ARITH_FLAGS) $(ARITH_FLAGS_$(*F)) $(ARITH_MARCH_$(ARITH_LEVEL)) -DARITH_LEVEL=$(ARITH_LEVEL) -MMD -MP -c -o $@ arith/kernel/$(*F).c
# the source of each object; the .d files have the other dependencies
$(foreach l,1 $(ARITH_LEVELS),$(foreach k,$(ARITH_KERNELS),$(eval $(BUILD)/obj/arith/v$(l)/$(k).o: arith/kernel/$(k).c)))

# The hash table from the keys of instructions to rows is constant: a tool generates it from the .def files.
GENOBJ += $(BUILD)/obj/arith/slots.o
ARITH_DEF := $(wildcard arith/kernel/*.def) arith/kernel/rows.h arith/table.h arith/slots.h arith/arith.h

$(BUILD)/gen/arith/makeslots: arith/make/slots.c arith/rows.c $(ARITH_DEF) $(ISA_DEF) $(BUILD)/gen/isa/opcode.def
	@mkdir -p $(@D)
	$(HOSTCC) $(CPPFLAGS) $(WARN) -O1 -o $@ arith/make/slots.c arith/rows.c

$(BUILD)/gen/arith/slots.c: $(BUILD)/gen/arith/makeslots
	$< >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/obj/arith/slots.o: $(BUILD)/gen/arith/slots.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Sums of matrices: written for the vector units, but not to be changed by what the compiler knows of floats.
$(BUILD)/obj/arith/matrix_sum.o: CFLAGS += -ffp-contract=off -fno-trapping-math -Wno-psabi
