# SPDX-License-Identifier: GPL-2.0-or-later
#
#	make demo	install what is missing, build, show the main job
#	make check	install what is missing, build, run the tests
#	make		build only
#
# Variables: CC, BUILD (output folder), SAN=1 (ASan and UBSan), M32=1 (32-bit
# programs), CROSS (s390x-linux-gnu and the like), PREFIX, DESTDIR, NO_SETUP=1
# (do not look for missing packages).

BUILD ?= build
CC ?= cc
PREFIX ?= /usr
DESTDIR ?=

WARN := -Wall -Wextra -Wconversion -Wshadow -Werror -Wstrict-prototypes \
	-Wmissing-prototypes
CFLAGS ?= -O2 -g
KREL_CFLAGS := -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
	-fvisibility=hidden -fPIC $(WARN) -Ilib
ifeq ($(SAN),1)
KREL_CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
KREL_LDFLAGS += -fsanitize=address,undefined
endif
# M32=1, CROSS=: everything but the extension for another machine, to test it.
ifeq ($(M32),1)
HOST := i386-linux-gnu
HOST_FLAGS := -m32
SYSROOT := $(shell scripts/sysroot i386)
else ifdef CROSS
HOST := $(CROSS)
HOST_FLAGS := --target=$(CROSS)
CC := clang
AR := $(CROSS)-ar
# Debian's own name of the one architecture that it calls otherwise than GNU
SYSROOT := $(shell scripts/sysroot $(patsubst aarch64%,arm64,$(CROSS:%-linux-gnu=%)))
endif
ifdef HOST
KREL_CFLAGS += $(HOST_FLAGS) -isystem $(SYSROOT)/usr/include \
	-isystem $(SYSROOT)/usr/include/$(HOST)
KREL_LDFLAGS += $(HOST_FLAGS) -L$(SYSROOT)/usr/lib/$(HOST) \
	-L$(SYSROOT)/lib/$(HOST) -Wl,--disable-new-dtags \
	-Wl,-rpath,$(SYSROOT)/usr/lib/$(HOST):$(SYSROOT)/lib/$(HOST)
endif
LIBS := -lelf -lz -llzo2 -lsnappy -lzstd -llzma

LIB_SRC := $(sort $(wildcard lib/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_SRC := $(sort $(wildcard cli/*.c))
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)

all: $(BUILD)/krel extension

# A packager or a build farm sets NO_SETUP=1 and brings the packages itself.
SETUP := $(if $(NO_SETUP),true,scripts/setup)

demo:
	@$(SETUP) build demo
	@$(MAKE) --no-print-directory -s $(BUILD)/krel $(BUILD)/krel.so
	@tests/demo $(BUILD)

check:
	@$(SETUP) build build32 check demo
	@$(MAKE) --no-print-directory -s all tests
	@tests/check $(BUILD)

check-lab:
	@$(SETUP) build build32 check demo lab
	@$(MAKE) --no-print-directory -s all
	@tests/check-lab $(BUILD)

bench:
	@$(SETUP) build demo lab bench
	@$(MAKE) --no-print-directory -s $(BUILD)/krel
	@tests/bench $(BUILD)

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(KREL_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/libkrel.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/krel: $(CLI_OBJ) $(BUILD)/libkrel.a
	$(CC) $(KREL_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -ljson-c

-include extension/extension.mk
-include tests/tests.mk

install: install-doc

install-doc:
	install -D -m 644 doc/krel.1 $(DESTDIR)$(PREFIX)/share/man/man1/krel.1

clean:
	rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d)

.PHONY: all demo check check-lab bench clean install-doc extension
