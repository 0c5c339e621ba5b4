# ptxi: `make demo` shows it, `make check` tests it, `make bench` measures it.
#   VARIANT=release (default), asan (address and undefined), tsan (thread), debug;  CC=gcc or clang;  BUILD=folder of all that is generated

VARIANT ?= release
CC      ?= gcc
ifeq ($(origin CC),default)
CC      := gcc
endif
BUILD   ?= build/$(VARIANT)
PREFIX  ?= /usr/local
FLEX    ?= flex
BISON   ?= bison

# Rooms, lowest first; tests/rooms.sh proves that #include lines only look down.
LIBROOMS := base diag isa arith lexer parser ir assembler model interp explore check script gpu
ROOMS    := $(LIBROOMS) cli

WARN := -std=c11 -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
OPT_release := -O2 -g
OPT_debug   := -O0 -g
OPT_asan    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT_tsan    := -O1 -g -fsanitize=thread
ifeq ($(OPT_$(VARIANT)),)
$(error VARIANT is one of release, debug, asan, tsan)
endif
CPPFLAGS += -I. -Iinclude -I$(BUILD)/gen -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE
CFLAGS   += $(WARN) $(OPT_$(VARIANT))
LDFLAGS  += $(filter -fsanitize=%,$(OPT_$(VARIANT)))
LDLIBS   := -lm -lpthread -ldl

SRC := $(wildcard $(ROOMS:%=%/*.c))
include $(wildcard $(ROOMS:%=%/room.mk))

OBJ    := $(SRC:%.c=$(BUILD)/obj/%.o) $(GENOBJ)
LIBOBJ := $(filter-out $(BUILD)/obj/cli/%,$(OBJ))
UNIT   := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))

.PHONY: all clean
all: $(BUILD)/ptxi

$(BUILD)/libptxi.a: $(LIBOBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/ptxi: $(filter $(BUILD)/obj/cli/%,$(OBJ)) $(BUILD)/libptxi.a
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/obj/%.o: %.c | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(CFLAGS_$(*F)) -MMD -MP -c -o $@ $<

$(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libptxi.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(BUILD)/libptxi.a -lcriterion $(LDLIBS)

# One room alone: `make room-arith` compiles its objects.
room-%: ; @$(MAKE) --no-print-directory $(filter $(BUILD)/obj/$*/%,$(OBJ))
.PHONY: $(ROOMS:%=room-%)

clean:
	rm -rf build

-include $(OBJ:.o=.d) $(UNIT:=.d)
