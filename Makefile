# ptxi: `make demo` builds it and runs a demo, `make check` runs all tests, `make bench` the benchmarks.
#   VARIANT=release (default), asan (address and undefined), tsan (thread), debug, fuzz;  CC=gcc or clang;  BUILD=folder for everything that is generated
#   SETUP=no: `make demo` and `make check` install nothing; they say what is missing, and stop
#   PTXI_LITMUS=folder: public litmus tests, which are not in this repository (check, bench, check-sampler, check-explore-timeouts); without it those parts are skipped,
#   with the reason. expected.tsv in that folder has their verdicts (tests/oracle/litmus_verdicts.sh).

VARIANT ?= release
CC      ?= gcc
ifeq ($(origin CC),default)
CC      := gcc
endif
ifeq ($(VARIANT),wasm)
HOSTCC  := $(CC)
CC      := emcc
AR      := emar
# where Debian's emcc finds the packages of node that it uses
export NODE_PATH := $(NODE_PATH):/usr/share/nodejs
endif
BUILD   ?= build/$(VARIANT)
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
FLEX    ?= flex
BISON   ?= bison

# Modules, lowest first; tests/layers.sh checks that #include lines and symbols refer only to lower ones.
LIBMODULES := base diag picture isa arith texture lexer parser ir assembler code model interp/state interp/memory interp/sync interp/stuck interp/machine weak explore/search explore/explain explore/litmus explore/ptx check trace profile native stencil backend gpu script/lang script/verdict script/host script/litmus script/files device cuda cudart cudart/major grade debug lessons
MODULES    := $(LIBMODULES) cli

WARN := -std=c11 -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wswitch-enum -Wmissing-prototypes -Wvla
# other compilers than gcc 12 may warn of more
WARN += $(if $(filter 12,$(shell $(CC) -dumpversion 2>/dev/null)),-Werror)
# clang, unlike gcc, counts an enumeration that becomes an int as a change of sign; gcc warns of those of integers.
WARN += $(if $(findstring clang,$(CC)),-Wno-sign-conversion)
OPT_release := -O2
OPT_debug   := -O0 -g
OPT_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT_fuzz    := -O1 -gline-tables-only -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
OPT_tsan    := -O1 -g -fsanitize=thread
OPT_wasm    := -O2
ifeq ($(OPT_$(VARIANT)),)
$(error VARIANT is one of release, debug, asan, tsan, fuzz, wasm)
endif
# The compiler of the tools that generate files: they run here, whatever machine ptxi is compiled for.
HOSTCC  ?= $(CC)
CPPFLAGS += -I. -Iinclude -I$(BUILD)/gen -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE
# The library is also a shared one, which shows only the names that include/ptxi/ptxi.h marks.
CFLAGS   += $(WARN) $(if $(filter wasm,$(VARIANT)),,-fPIC) -fvisibility=hidden $(OPT_$(VARIANT))
# What runs once a command or a finding, not once an instruction, an element of a buffer or an execution: -O1 takes two thirds of the time of -O2.
OPT_ONCE  := $(if $(filter release,$(VARIANT)),-O1)
OPT_TESTS := $(if $(filter release,$(VARIANT)),-O0)
ONCE     := base/demangle% interp/stuck/% diag/% picture/% trace/% profile/lines.c native/% stencil/unit backend/% gpu/% assembler/print% isa/explain isa/message isa/rule_says script/lang/% script/verdict/% script/litmus/% script/files/% script/host/backends script/host/machine script/host/many script/host/seeds explore/explain/% explore/ptx/code explore/ptx/any_% debug/% device/% cuda/% cudart/% grade/% lessons/% cli/% %_tensor_core %/tensor_core %/tensor_memory
# Programs that draw tests, or run ptxi on them.
ONCE     += $(addprefix tests/oracle/,random% many/% changed/% instructions/% ptxas/%)
# What takes longer to compile than to run: the tests themselves. What they compare with, the rest of tests/oracle, is compiled as ptxi is.
TESTS    := tests/unit/%
# Messages name the function of CUDA that was called, which they find on the stack.
FRAMES   := cuda/% cudart/%
LDFLAGS  += $(filter -fsanitize=%,$(OPT_$(VARIANT)))
# ptxi has 5,600 pointers in tables: their relocations take a bit each instead of 24 bytes, where libc reads that (2.36).
RELR     := $(if $(filter release,$(VARIANT)),$(shell grep -qs GLIBC_ABI_DT_RELR "$$($(CC) -print-file-name=libc.so.6)" && echo -Wl,-z,pack-relative-relocs))
LDFLAGS  += $(RELR)
# A number of its own for each ptxi: translated code in the cache belongs to it (backend/compiled.c).
LDFLAGS  += $(if $(filter wasm,$(VARIANT)),,-Wl,--build-id)
LDLIBS   := -lm -lpthread -ldl
ifeq ($(VARIANT),wasm)
# A module that is run once for each command, by a page or by node.
LDFLAGS  += -O2 -sMODULARIZE -sEXPORT_NAME=program -sENVIRONMENT=worker,node -sINVOKE_RUN=0 -sEXIT_RUNTIME -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0 -sFORCE_FILESYSTEM -sEXPORTED_RUNTIME_METHODS=FS,NODEFS,callMain -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=8MB
LDLIBS   := -lm -lnodefs.js
SUFFIX   := .js
endif

# make's built-in rules would overwrite parser/litmus.c from parser/litmus.y if that is newer.
MAKEFLAGS += --no-builtin-rules

.DEFAULT_GOAL := all

SRC := $(wildcard $(MODULES:%=%/*.c))
ifeq ($(VARIANT),wasm)
# A host without processes, threads and libraries to load: these files have twins.
SRC := $(filter-out gpu/%.c cuda/%.c cudart/%.c debug/processes.c,$(SRC)) $(wildcard gpu/absent/*.c debug/alone/*.c)
endif
include $(wildcard $(MODULES:%=%/module.mk))

OBJ    := $(SRC:%.c=$(BUILD)/obj/%.o) $(GENOBJ)
LIBOBJ := $(filter-out $(BUILD)/obj/cli/%,$(OBJ))
# What others link: without the texts of the lessons, and without the driver and the runtime, which are libraries of their own.
DRIVEROBJ := $(filter-out $(BUILD)/obj/lessons/% $(BUILD)/gen/lessons/% $(BUILD)/obj/cudart/%,$(LIBOBJ))
PUBLICOBJ := $(filter-out $(BUILD)/obj/cuda/%,$(DRIVEROBJ))
UNITSRC := $(wildcard tests/unit/*.c)
# What CUDA programs include (ptxi cc), found beside ptxi.
CUDADIRS    := cuda/ptxi cuda/cuda cuda/cooperative_groups cuda
CUDAHEADERS := $(patsubst include/ptxi/%,%,$(wildcard include/ptxi/cuda/* include/ptxi/cuda/*/*))
CUDAHEADERS := $(filter-out $(CUDADIRS),$(CUDAHEADERS)) cuda/ptxi/runtime.def cuda/ptxi/runtime_errors.def cuda/ptxi/driver.def cuda/ptxi/driver_errors.def cuda/ptxi/driver_names.h

# CUDA's runtime, by major version (cudart/).
RUNTIMES := libcudart.so.11.0 libcudart.so.12 libcudart.so.13

.PHONY: all clean
all: $(BUILD)/ptxi$(SUFFIX) $(if $(filter fuzz wasm,$(VARIANT)),,$(BUILD)/libcuda.so.1 $(RUNTIMES:%=$(BUILD)/%) $(CUDAHEADERS:%=$(BUILD)/%))

$(BUILD)/libptxi.a: $(LIBOBJ)
	@rm -f $@
	$(AR) rcs $@ $^

# The library for others, of which only the functions of include/ptxi/ptxi.h are visible: the same objects, linked into one. ($(BUILD)/libptxi.a shows every function, for the tests.)
LIBVERSION := $(shell sed -n 's/^.define PTXI_VERSION "\(.*\)"/\1/p' include/ptxi/ptxi.h)
SONAME     := libptxi.so.$(firstword $(subst ., ,$(LIBVERSION)))
OBJCOPY    ?= objcopy
PUBLIC     := $(BUILD)/lib/libptxi.a $(BUILD)/lib/$(SONAME) $(BUILD)/lib/ptxi.pc
.PHONY: libs
libs: $(PUBLIC)
$(BUILD)/lib/ptxi.o: $(PUBLICOBJ)
	@mkdir -p $(@D)
	$(CC) -r -nostdlib -o $@ $^
	$(OBJCOPY) -w --keep-global-symbol='ptxi_*' $@
$(BUILD)/lib/libptxi.a: $(BUILD)/lib/ptxi.o
	@rm -f $@
	$(AR) rcs $@ $^
$(BUILD)/lib/$(SONAME): $(PUBLICOBJ) script/files/ptxi.map
	@mkdir -p $(@D)
	$(CC) -shared $(LDFLAGS) -Wl,-soname,$(SONAME) -Wl,--version-script=script/files/ptxi.map -Wl,-z,defs -o $@ $(PUBLICOBJ) $(LDLIBS)
$(BUILD)/lib/ptxi.pc: include/ptxi/ptxi.h Makefile force
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' 'libdir=$(if $(filter $(PREFIX)/%,$(LIBDIR)),$${prefix}$(LIBDIR:$(PREFIX)%=%),$(LIBDIR))' '' 'Name: ptxi' 'Description: Runs, checks and assembles PTX' 'Version: $(LIBVERSION)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lptxi' 'Libs.private: $(LDLIBS)' >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# What programs load as the driver of a GPU (cuda/).
$(BUILD)/libcuda.so.1: $(DRIVEROBJ) cuda/cuda.map
	$(CC) -shared $(LDFLAGS) -Wl,-soname,libcuda.so.1 -Wl,--version-script=cuda/cuda.map -Wl,-z,defs -Wl,-Bsymbolic -o $@ $(DRIVEROBJ) $(LDLIBS)

# The runtimes, on top of the driver beside them (cudart/): one for each major version, of which cudart/major/ has what differs.
$(RUNTIMES:%=$(BUILD)/%): $(filter $(BUILD)/obj/cudart/%,$(OBJ)) $(BUILD)/libcuda.so.1 cudart/cudart.map
	@sed 's/^SONAME/$(@F)/' cudart/cudart.map >$@.map
	$(CC) -shared $(LDFLAGS) -Wl,-soname,$(@F) -Wl,--version-script=$@.map -Wl,-z,defs -Wl,-Bsymbolic -Wl,-rpath,'$$ORIGIN' -o $@ $(filter-out $(BUILD)/obj/cudart/major/%,$(filter %.o,$^)) $(BUILD)/obj/cudart/major/$(word 3,$(subst ., ,$(@F))).o $(BUILD)/libcuda.so.1 -lpthread

$(BUILD)/ptxi$(SUFFIX): $(filter $(BUILD)/obj/cli/%,$(OBJ)) $(BUILD)/libptxi.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Their folders are made at once, since a process for each file takes a twentieth of the time of a build.
OBJDIRS := $(patsubst %/,$(BUILD)/obj/%,$(sort $(dir $(SRC) $(wildcard tests/unit/*.c tests/oracle/*.c tests/oracle/*/*.c tests/fuzz/*.c bench/*.c gpu/absent/*.c debug/alone/*.c))))
$(OBJDIRS) &: ; @mkdir -p $(OBJDIRS)
$(BUILD)/obj/%.o: %.c | $(GENERATED) $(OBJDIRS)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(if $(filter $(ONCE),$*),$(OPT_ONCE)) $(if $(filter $(TESTS),$*),$(OPT_TESTS)) $(if $(filter $(FRAMES),$*),-fno-optimize-sibling-calls) -MMD -MP -c -o $@ $<

# All Criterion tests form one program; `make $(BUILD)/unit/test_x` builds tests/unit/test_x.c as a program of its own.
# (asked once, and only if it is needed)
CRITERION = $(eval CRITERION := $(shell pkg-config --cflags criterion 2>/dev/null))$(CRITERION)
$(BUILD)/obj/tests/%.o: CPPFLAGS += $(CRITERION)
UNITHELP := $(patsubst %,$(BUILD)/obj/tests/oracle/%.o,random_kernel random_copies random_litmus) $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/oracle/bruteforce/*.c))
$(BUILD)/unit/all: $(UNITSRC:%.c=$(BUILD)/obj/%.o) $(UNITHELP) $(BUILD)/libptxi.a | $(BUILD)/unit/criterion
	$(CC) $(LDFLAGS) -o $@ $^ @$(BUILD)/unit/criterion $(LDLIBS)
$(BUILD)/unit/test_%: $(BUILD)/obj/tests/unit/test_%.o $(UNITHELP) $(BUILD)/libptxi.a | $(BUILD)/unit/criterion
	$(CC) $(LDFLAGS) -o $@ $^ @$(BUILD)/unit/criterion $(LDLIBS)
# How to link with Criterion: where it needs libgit2, that stands for it which does nothing.
$(BUILD)/unit/criterion: tests/criterion/libgit2.c
	@mkdir -p $(@D)
	@git2=$$(objdump -p "$$($(CC) -print-file-name=libcriterion.so)" 2>/dev/null | sed -n 's/^ *NEEDED *\(libgit2\.so.*\)/\1/p'); \
	[ -z "$$git2" ] || $(CC) -shared -fPIC -Wl,-soname,$$git2 -o $(@D)/$$git2 $< || exit 1; \
	echo "$${git2:+-Wl,--no-as-needed,-rpath,\$$ORIGIN $(@D)/$$git2} -lcriterion" >$@

# Tools of the oracle tests, each in its folder of tests/oracle/.
$(BUILD)/oracle/vectors$(SUFFIX): $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/oracle/vectors/*.c)) $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# The same, with rounding in integer arithmetic, as on machines whose rounding mode cannot be set. (CPPFLAGS=-DARITH_SOFT_ROUNDING in the environment builds everything that way.)
$(BUILD)/oracle/vectors_soft: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/oracle/vectors/*.c)) $(BUILD)/obj/arith/find_soft.o $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/obj/arith/find_soft.o: arith/find.c | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -DARITH_SOFT_ROUNDING -MMD -MP -c -o $@ $<

# The debugger without processes, as a host that has none runs it: this twin of debug/processes.c stands before the library.
$(BUILD)/oracle/debug_alone: $(filter $(BUILD)/obj/cli/%,$(OBJ)) $(BUILD)/obj/debug/alone/processes.o $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# ptxi itself, which runs a list of commands without being loaded for each.
$(BUILD)/oracle/many: $(BUILD)/obj/tests/oracle/many/many.o $(filter-out %/main.o,$(filter $(BUILD)/obj/cli/%,$(OBJ))) $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Matrix instructions on hardware and on the interpreter.
$(BUILD)/oracle/matrix: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/oracle/matrix/*.c)) $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Texture fetches, as recorded.
$(BUILD)/oracle/texture: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/oracle/texture/*.c)) $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/oracle/tensor: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/oracle/tensor/*.c))
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# What of the PTX in compiled libraries is executed.
$(BUILD)/oracle/modules: $(BUILD)/obj/tests/oracle/modules/modules.o $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/oracle/fresh: $(BUILD)/obj/tests/oracle/ptxas/fresh.o $(BUILD)/obj/tests/oracle/ptxas/instruction.o $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/oracle/instructions: $(BUILD)/obj/tests/oracle/instructions/instructions.o $(BUILD)/obj/tests/oracle/ptxas/instruction.o $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/oracle/changed: $(BUILD)/obj/tests/oracle/changed/changed.o $(BUILD)/obj/tests/fuzz/tokens.o $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/oracle/random_files: $(BUILD)/obj/tests/oracle/random_files/random_files.o $(patsubst %,$(BUILD)/obj/tests/oracle/%.o,random_litmus random_kernel random_copies) $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/oracle/demangle: $(BUILD)/obj/tests/oracle/demangle/demangle.o $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/oracle/lisa: $(BUILD)/obj/tests/oracle/herd/lisa.o $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/bench/parse: $(BUILD)/obj/bench/parse.o $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# libFuzzer targets (clang, VARIANT=fuzz); tests/fuzz/run.sh TARGET SECONDS builds and runs one.
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/obj/tests/fuzz/tokens.o $(BUILD)/libptxi.a
	$(CC) -fsanitize=fuzzer,address,undefined -no-pie -Wl,--compress-debug-sections=zlib -static-libstdc++ -static-libgcc -o $@ $^ $(LDLIBS)

$(BUILD)/cuda/%: include/ptxi/cuda/%
	@mkdir -p $(@D)
	cp $< $@

# The lists of functions and errors are those from which the libraries are compiled.
$(BUILD)/cuda/ptxi/runtime.def: cudart/functions.def
	@mkdir -p $(@D)
	cp $< $@
$(BUILD)/cuda/ptxi/runtime_errors.def: cudart/errors.def
	@mkdir -p $(@D)
	cp $< $@
$(BUILD)/cuda/ptxi/driver.def: cuda/functions.def
	@mkdir -p $(@D)
	cp $< $@
$(BUILD)/cuda/ptxi/driver_errors.def: cuda/errors.def
	@mkdir -p $(@D)
	cp $< $@
# A name that stands for the newest version of a function.
$(BUILD)/cuda/ptxi/driver_names.h: cuda/functions.def
	@mkdir -p $(@D)
	sed -n 's/^C[US](\([A-Za-z0-9]*\), \([A-Za-z0-9_]*\),.*/\1 \2/p' $< | awk '{ of[$$1] = $$2 } END { for (n in of) if (of[n] != n) print "#define " n " " of[n] }' | sort >$@

# One module: `make module-arith` compiles its objects.
module-%: force ; @$(MAKE) --no-print-directory $(filter $(BUILD)/obj/$*/%,$(OBJ))
.PHONY: force
force:

clean:
	rm -rf build

-include $(shell find $(BUILD)/obj $(BUILD)/gen -name "*.d" 2>/dev/null)

# Missing tools are installed first (flex and bison to build; pkg-config and Criterion to test), after saying which; with SETUP=no nothing is installed.
# The generated prerequisites need flex and bison, so the setup runs first, and everything else in a make of its own.
.PHONY: setup setup-test demo check bench unit golden layers
SETUP ?= yes
export SETUP PTXI_LITMUS
setup: ; @sh tests/setup.sh
setup-test: ; @sh tests/setup.sh test

demo: setup
	@MAKE="$(MAKE)" BUILD=$(BUILD) sh tests/build.sh all
	@sh tests/demo.sh $(BUILD)/ptxi

check: setup-test
	@MAKE="$(MAKE)" BUILD=$(BUILD) sh tests/build.sh all $(BUILD)/unit/all $(patsubst %,$(BUILD)/oracle/%,vectors vectors_soft debug_alone many instructions changed random_files demangle matrix texture tensor) libs
	@sh tests/check.sh $(BUILD)

# Long campaigns, not part of check: make fuzz TARGET=parse SECONDS=600
.PHONY: fuzz
TARGET  ?= parse
SECONDS ?= 600
fuzz: ; @sh tests/fuzz/run.sh $(TARGET) $(SECONDS)

# N random changes to ptxi itself, from SEED, on JOBS processors: reports which of them the tests detect (tests/mutate/run.sh).
.PHONY: mutate
JOBS ?= $(shell nproc)
mutate: N = 300
mutate:
	@$(MAKE) -s --no-print-directory $(SCANNERS:%=$(BUILD)/gen/lexer/%.lex.c) $(GRAMMARS:%=$(BUILD)/gen/parser/%.tab.c)
	@BUILD=$(BUILD) CC=$(CC) sh tests/mutate/run.sh $(N) $(SEED) $(JOBS)

# Compares the explorer with the brute-force implementation, on N random programs from SEED; and with axioms and decisions removed.
.PHONY: check-explore
N ?= 10000
SEED ?= 1
check-explore:
	@$(MAKE) -s -j$$(nproc) --no-print-directory $(BUILD)/unit/all
	PTXI_RANDOM_PROGRAMS=$(N) PTXI_RANDOM_LARGEST=100000 PTXI_SEED=$(SEED) $(BUILD)/unit/all --filter '@(oracle|explore_axioms|explore_barriers|explore_orders|explore_reductions|explore_sizes|explore_stages)/*'

# Random kernels with packed atoms, mbarriers, copies, accesses of several sizes and barriers against brute force: N of each of three kinds, N / 8 with bulk copies.
.PHONY: check-kinds
check-kinds: N = 6400
check-kinds:
	@$(MAKE) -s -j$$(nproc) --no-print-directory $(BUILD)/unit/test_explore_kinds
	PTXI_RANDOM_PROGRAMS=$(N) PTXI_SEED=$(SEED) $(BUILD)/unit/test_explore_kinds

# Random kernels of loads, stores, guards and barriers: where explore --any-grid proves that there is no data race, check finds none in four grids.
.PHONY: check-any-grid
check-any-grid: N = 3000
check-any-grid:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	python3 tests/any_grid_random.py $(BUILD)/ptxi $(N) $(SEED)

# explore --repair finds what was made weaker, in REPAIRS generated programs and half as many golden files, from SEED.
.PHONY: check-repair
REPAIRS ?= 200
check-repair:
	@$(MAKE) -s -j$$(nproc) --no-print-directory $(BUILD)/unit/test_repair
	PTXI_REPAIRS=$(REPAIRS) PTXI_RANDOM_PROGRAMS=10000 PTXI_SEED=$(SEED) $(BUILD)/unit/test_repair

# The kernels of tests/explore, those that take long too, with the time of each.
.PHONY: check-kernels
check-kernels:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	FULL=1 PTXI=$(BUILD)/ptxi sh tests/oracle/explore_kernels.sh

# How explore ends on every course file, with times: the list in tests/explore/course.txt.
.PHONY: course-list
course-list:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	PTXI=$(BUILD)/ptxi sh tests/explore_course.sh | tee tests/explore/course.txt

# All of tests/ptx, bench and examples, and N random kernels from SEED, in every engine: the same memory, findings, counts and messages.
.PHONY: check-engines
check-engines: N = 1000
check-engines:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	PTXI=$(BUILD)/ptxi BUILD=$(BUILD) sh tests/oracle/engines.sh all $(N) $(SEED)

# What tests/oracle compares with recordings, all of it: of these runs, make check has a quarter to a half, of the tiles of matrices a quarter, and of the vectors of each form an eighth.
.PHONY: check-recorded
check-recorded:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all $(BUILD)/unit/test_recorded $(patsubst %,$(BUILD)/oracle/%,many instructions random_files vectors vectors_soft matrix changed)
	@FULL=1 $(BUILD)/unit/test_recorded
	@for test in recorded instructions random_recorded vectors matrix changed explore_work; do FULL=1 PTXI=$(BUILD)/ptxi BUILD=$(BUILD) sh tests/oracle/$$test.sh || exit 1; done

# Every file that can be explored must end within its --timeout plus one second.
.PHONY: check-explore-timeouts
check-explore-timeouts:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	PTXI=$(BUILD)/ptxi sh tests/explore_timeouts.sh

# N generated instructions of all opcodes, targets and versions: compares the assembler's verdict with that of ptxas 13.0.
.PHONY: check-ptxas
PTXAS ?= $(firstword $(shell command -v ptxas 2>/dev/null) /usr/local/cuda/bin/ptxas)
check-ptxas: N = 6000
check-ptxas:
	@$(MAKE) -s -j$$(nproc) --no-print-directory $(BUILD)/oracle/fresh
	@if "$(PTXAS)" --version 2>/dev/null | grep -q 'release 13\.0'; then $(BUILD)/oracle/fresh $(N) $(SEED) $(PTXAS); else echo "SKIP check-ptxas: ptxas 13.0 is not installed"; fi

# All mutants for the race detector, including those of long programs.
.PHONY: check-mutants
check-mutants:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	FULL=1 PTXI=$(BUILD)/ptxi sh tests/oracle/race_mutants.sh

# Every file under FOLDERS, run and checked with --timeout=2: each command must end within 3 seconds, and report why if its status is not 0.
.PHONY: check-timeouts
FOLDERS ?= tests
check-timeouts:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	FOLDERS="$(FOLDERS)" PTXI=$(BUILD)/ptxi sh tests/timeouts.sh

# The golden files under many schedules, seeds, numbers of host threads, and weak memory: verdicts that change must be listed with a reason. SEEDS=20 takes some ten minutes.
.PHONY: check-verdicts
check-verdicts: SEEDS = 20
check-verdicts:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	PTXI=$(BUILD)/ptxi SEEDS=$(SEEDS) sh tests/oracle/verdicts/run.sh

# Compares the race checker with the explorer on many kernels.
.PHONY: check-races
check-races: KERNELS = 3000
check-races:
	@$(MAKE) -s -j$$(nproc) --no-print-directory $(BUILD)/unit/test_race_oracle
	PTXI_RACE_KERNELS=$(KERNELS) PTXI_RACE_RUNS=40 PTXI_RACE_MS=1000 $(BUILD)/unit/test_race_oracle

# Compares the sampler with the explorer: on KERNELS random programs it must sample only allowed outcomes; for MEASURED of them, for tests/ptx/litmus and for the
# public litmus tests (PTXI_LITMUS) it reports which part of the allowed outcomes occurs in 20,000 runs. Also runs every golden file with --memory=weak under many seeds.
.PHONY: check-sampler
KERNELS  ?= 20000
MEASURED ?= 300
check-sampler:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all $(BUILD)/unit/test_sampler
	PTXI_SAMPLED_KERNELS=$(KERNELS) PTXI_SAMPLED_MEASURED=$(MEASURED) PTXI_SAMPLED_RUNS=400 PTXI_SAMPLED_MOST=20000 PTXI_SAMPLED_LITMUS=$(PTXI_LITMUS) $(BUILD)/unit/test_sampler --verbose
	PTXI=$(BUILD)/ptxi SEEDS=100 sh tests/oracle/weak.sh

# On a machine with a GPU: runs every test file on it, and compares the results of every vector with the interpreter, and the outcomes of random litmus tests with the explorer.
.PHONY: check-gpu
LITMUS_TESTS ?= 1000
LITMUS_RUNS ?= 200000
check-gpu:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all $(BUILD)/oracle/vectors $(BUILD)/oracle/random_files $(BUILD)/oracle/matrix
	$(BUILD)/ptxi check --on=gpu -q tests/ptx tests/oracle/questions
	$(BUILD)/oracle/vectors side-by-side tests/oracle/h200
	$(BUILD)/oracle/matrix side-by-side
	@rm -rf $(BUILD)/random_litmus && mkdir -p $(BUILD)/random_litmus
	$(BUILD)/oracle/random_files gpu $(BUILD)/random_litmus $(LITMUS_TESTS)
	$(BUILD)/ptxi run -q --on=gpu --runs=$(LITMUS_RUNS) $(BUILD)/random_litmus/*.litmus || [ $$? = 8 ] # 8: some cannot run on a GPU

# On a machine with a GPU and compute-sanitizer: mutants of the test files, and whether ptxi or a tool of compute-sanitizer reports each (a table, $(BUILD)/sanitizer/table.tsv).
# It ends after SECONDS_MOST seconds, and the next call continues. MUTANTS=0 takes all.
.PHONY: check-sanitizer
check-sanitizer: MUTANTS = 250
check-sanitizer: SECONDS_MOST = 540
check-sanitizer:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	@PTXI=$(BUILD)/ptxi BUILD=$(BUILD) MUTANTS=$(MUTANTS) SECONDS_MOST=$(SECONDS_MOST) sh tests/oracle/sanitizer/check.sh

# Programs compiled by nvcc (Thrust, CUB, cooperative groups, libcu++): minutes, and skipped without nvcc.
.PHONY: check-corpus
check-corpus:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all $(BUILD)/oracle/modules
	@PTXI="$(BUILD)/ptxi" BUILD="$(BUILD)" sh tests/oracle/corpus/check.sh

# All programs of tests/cuda, of which check has four: with clang, and with nvcc 13 if it is installed; and all linked ones.
.PHONY: check-cuda
NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
check-cuda:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	@for test in cc linking; do FULL=1 PTXI=$(BUILD)/ptxi BUILD=$(BUILD) sh tests/oracle/$$test.sh || exit 1; done
	@if "$(NVCC)" --version 2>/dev/null | grep -q 'release 13\.'; then WITH_NVCC="$(NVCC)" PTXI=$(BUILD)/ptxi BUILD=$(BUILD) sh tests/oracle/cc.sh; else echo "SKIP check-cuda: nvcc 13 is not installed"; fi

include page/page.mk

bench:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all $(BUILD)/bench/parse
	@sh bench/bench.sh $(BUILD)/ptxi
	@sh bench/litmus.sh $(BUILD)/ptxi

# How the kernels of bench scale with host threads: minutes, on a machine on which nothing else runs.
.PHONY: bench-threads
bench-threads:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	PTXI=$(BUILD)/ptxi sh bench/threads.sh

# What a missing lane costs, by class of instruction and engine: some ten minutes.
.PHONY: bench-partial
bench-partial:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all
	PTXI=$(BUILD)/ptxi sh bench/partial.sh

# The figures of README.md and docs/ (docs/figures.tsv), computed again and written there, except those that need a GPU or many minutes.
.PHONY: figures
figures:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all $(patsubst %,$(BUILD)/oracle/%,vectors vectors_soft)
	@PTXI=$(BUILD)/ptxi BUILD=$(BUILD) sh tests/figures.sh

# The program with its manual pages, completions and syntax files; the driver and the runtime, in a folder of their own, so that they are used only where they are asked for; the library with its header, for C and for Python. (Folders of the last two are Debian's.)
.DEFAULT_GOAL := all
.PHONY: install uninstall deb
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
SHARE     := $(PREFIX)/share
ZSHDIR    ?= $(SHARE)/zsh/site-functions
VSCODE    := $(wildcard editors/vscode/*)
INSTALLED := $(PREFIX)/bin/ptxi $(LIBDIR)/ptxi/libcuda.so.1 $(RUNTIMES:%=$(LIBDIR)/ptxi/%) $(LIBDIR)/libptxi.a $(LIBDIR)/$(SONAME) $(LIBDIR)/libptxi.so $(LIBDIR)/pkgconfig/ptxi.pc \
	$(PREFIX)/include/ptxi/ptxi.h $(PREFIX)/include/ptxi/device.h $(PREFIX)/include/ptxi/status.h $(PYTHONDIR)/ptxi.py $(SHARE)/man/man1/ptxi.1 \
	$(SHARE)/bash-completion/completions/ptxi $(ZSHDIR)/_ptxi \
	$(SHARE)/vim/vimfiles/syntax/ptx.vim $(SHARE)/vim/vimfiles/ftdetect/ptx.vim $(VSCODE:editors/%=$(SHARE)/ptxi/%) \
	$(CUDAHEADERS:%=$(SHARE)/ptxi/%) \
	$(SHARE)/ptxi/examples/library.c $(SHARE)/ptxi/examples/library.py $(SHARE)/ptxi/examples/device.c $(SHARE)/ptxi/examples/scale.ptx
install:
	@$(MAKE) -s -j$$(nproc) --no-print-directory all libs
	install -d $(sort $(dir $(INSTALLED:%=$(DESTDIR)%)))
	install -m 755 $(BUILD)/ptxi $(DESTDIR)$(PREFIX)/bin/ptxi
	install -m 644 $(BUILD)/libcuda.so.1 $(RUNTIMES:%=$(BUILD)/%) $(DESTDIR)$(LIBDIR)/ptxi/
	install -m 644 $(BUILD)/lib/libptxi.a $(BUILD)/lib/$(SONAME) $(DESTDIR)$(LIBDIR)/
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libptxi.so
	install -m 644 $(BUILD)/lib/ptxi.pc $(DESTDIR)$(LIBDIR)/pkgconfig/ptxi.pc
	install -m 644 include/ptxi/ptxi.h include/ptxi/device.h include/ptxi/status.h $(DESTDIR)$(PREFIX)/include/ptxi/
	install -m 644 python/ptxi.py $(DESTDIR)$(PYTHONDIR)/ptxi.py
	install -m 644 examples/library.c examples/library.py examples/device.c examples/scale.ptx $(DESTDIR)$(SHARE)/ptxi/examples/
	install -m 644 docs/ptxi.1 $(DESTDIR)$(SHARE)/man/man1/ptxi.1
	for c in $$($(BUILD)/ptxi --generate commands); do $(BUILD)/ptxi --generate man $$c >$(DESTDIR)$(SHARE)/man/man1/ptxi-$$c.1 || exit 1; done
	$(BUILD)/ptxi --generate bash >$(DESTDIR)$(SHARE)/bash-completion/completions/ptxi
	$(BUILD)/ptxi --generate zsh >$(DESTDIR)$(ZSHDIR)/_ptxi
	$(BUILD)/ptxi --generate vim >$(DESTDIR)$(SHARE)/vim/vimfiles/syntax/ptx.vim
	echo 'au BufRead,BufNewFile *.ptx setfiletype ptx' >$(DESTDIR)$(SHARE)/vim/vimfiles/ftdetect/ptx.vim
	install -m 644 $(VSCODE) $(DESTDIR)$(SHARE)/ptxi/vscode/
	for h in $(CUDAHEADERS); do install -m 644 $(BUILD)/$$h $(DESTDIR)$(SHARE)/ptxi/$$h || exit 1; done
uninstall:
	rm -f $(INSTALLED:%=$(DESTDIR)%) $(DESTDIR)$(SHARE)/man/man1/ptxi-*.1
	-rmdir $(DESTDIR)$(LIBDIR)/ptxi $(DESTDIR)$(PREFIX)/include/ptxi $(DESTDIR)$(SHARE)/ptxi/examples $(DESTDIR)$(SHARE)/ptxi/vscode $(CUDADIRS:%=$(DESTDIR)$(SHARE)/ptxi/%) $(DESTDIR)$(SHARE)/ptxi 2>/dev/null
deb:
	@BUILD=$(BUILD) sh packaging/deb.sh $(BUILD)/deb
