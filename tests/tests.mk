# SPDX-License-Identifier: GPL-2.0-or-later
# Tests. A unit test is tests/unit/test_*.c, a fuzz harness tests/fuzz/fuzz_*.c;
# adding one is adding the file. The other files in tests/unit help the tests.

TEST_SRC := $(sort $(wildcard tests/unit/test_*.c))
TEST_HELP_SRC := $(filter-out $(TEST_SRC),$(sort $(wildcard tests/unit/*.c)))
TEST_HELP_OBJ := $(TEST_HELP_SRC:%.c=$(BUILD)/%.o)
TEST_BIN := $(TEST_SRC:tests/unit/%.c=$(BUILD)/tests/%)
SCENE_SRC := $(sort $(wildcard tests/scene/*.c))
# Not in $(BUILD)/tests/scene/: that is the program's name.
SCENE_OBJ := $(SCENE_SRC:tests/scene/%.c=$(BUILD)/tests/scene_obj/%.o)
SCENE_BIN := $(if $(SCENE_SRC),$(BUILD)/tests/scene)
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/fuzz/%)

$(BUILD)/tests/unit/%.o: KREL_CFLAGS += -Itests/unit
$(BUILD)/tests/test_%: $(BUILD)/tests/unit/test_%.o $(TEST_HELP_OBJ) \
		$(BUILD)/libkrel.a
	@mkdir -p $(@D)
	$(CC) $(KREL_LDFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka $(LIBS)

$(BUILD)/tests/scene_obj/%.o: tests/scene/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(KREL_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/scene: $(SCENE_OBJ) $(BUILD)/libkrel.a
	@mkdir -p $(@D)
	$(CC) $(KREL_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

tests: $(TEST_BIN) $(SCENE_BIN)

# libFuzzer comes with clang only; the library is compiled for it once.
FUZZ_SAN := address,undefined -fno-sanitize-recover=all
FUZZ_OBJ := $(LIB_SRC:%.c=$(BUILD)/fuzz/obj/%.o)
$(BUILD)/fuzz/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	clang $(KREL_CFLAGS) -g -O1 -fsanitize=fuzzer-no-link,$(FUZZ_SAN) \
		-MMD -MP -c -o $@ $<

$(BUILD)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_OBJ)
	@mkdir -p $(@D)
	clang $(KREL_CFLAGS) -g -O1 -fsanitize=fuzzer,$(FUZZ_SAN) -o $@ $^ \
		$(LIBS)

fuzzers: $(FUZZ_BIN)

check-layers:
	@tests/check-layers

-include $(TEST_BIN:$(BUILD)/tests/%=$(BUILD)/tests/unit/%.d) \
	$(TEST_HELP_OBJ:.o=.d) $(SCENE_OBJ:.o=.d) $(FUZZ_OBJ:.o=.d)

.PHONY: tests fuzzers check-layers

# Small programs that tests use.
TOOL_BIN := $(patsubst tests/tools/%.c,$(BUILD)/tests/%,$(sort $(wildcard \
	tests/tools/*.c)))
$(TOOL_BIN): $(BUILD)/tests/%: $(BUILD)/tests/tools/%.o $(BUILD)/libkrel.a
	@mkdir -p $(@D)
	$(CC) $(KREL_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

tests: $(TOOL_BIN)
