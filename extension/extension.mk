# SPDX-License-Identifier: GPL-2.0-or-later
#
# The crash extension, for the crash of this machine and for a 32-bit one.
#
#	make extension			both; the 32-bit one where it can be
#	make build/i386/krel.so		the 32-bit one, or fail
#	make install, make uninstall	PREFIX, DESTDIR
#
# For another crash: CRASH_INCLUDE=<folder of its defs.h> and CRASH_VERSION=
# <what its `crash --version` says>; BUILD=<folder> to keep it apart.

CRASH_DEFAULT := /usr/include/crash
CRASH_INCLUDE ?= $(CRASH_DEFAULT)
CRASH ?= crash
ifneq ($(CRASH_INCLUDE)$(origin CRASH),$(CRASH_DEFAULT)file)
# The header does not tell its version, and another crash's must not stand in.
CRASH_VERSION ?= $(if $(filter file,$(origin CRASH)),,$(crash_says))
else
CRASH_VERSION ?= $(crash_says)
endif
crash_says = $(shell $(CRASH) --version 2>/dev/null | \
	sed -n 's/^crash \([0-9][^ ]*\).*/\1/p' | head -1)
# The header knows a macro for each gdb that crash was ever built with; the
# newest is that of its own version.
CRASH_GDB ?= $(shell grep -o 'GDB_[0-9]*_[0-9_]*' $(CRASH_INCLUDE)/defs.h \
	2>/dev/null | sort -uV | tail -1)

EXT_SRC := $(sort $(wildcard extension/*.c))
EXT_OBJ := $(EXT_SRC:%.c=$(BUILD)/%.o)
EXT32_OBJ := $(EXT_SRC:%.c=$(BUILD)/i386/%.o) $(LIB_SRC:%.c=$(BUILD)/i386/%.o)
# crash exports some 12,000 names: ours must not be found outside, nor theirs
# be taken for ours.
EXT_LDFLAGS := -shared -Wl,-Bsymbolic -Wl,--exclude-libs,ALL
CRASH_FLAGS := $(BUILD)/extension/crash.flags
SYSROOT_FLAGS := $(BUILD)/i386/sysroot.flags

ifeq ($(SAN),1)
extension:
	@echo "no crash extension with SAN=1: crash cannot load it" >&2
else
extension: $(BUILD)/krel.so
	@if $(MAKE) --no-print-directory -s $(SYSROOT_FLAGS); then \
		$(MAKE) --no-print-directory $(BUILD)/i386/krel.so; \
	else \
		echo "going on without $(BUILD)/i386/krel.so" >&2; \
	fi
endif

# Flags go to files, so that a change of them rebuilds what they made.
$(CRASH_FLAGS): FORCE
	@mkdir -p $(@D)
	@[ -e $(CRASH_INCLUDE)/defs.h ] || { \
		echo "$(CRASH_INCLUDE)/defs.h: no such file; install crash," \
		     "or set CRASH_INCLUDE" >&2; exit 1; }
	@v='$(CRASH_VERSION)'; [ -n "$$v" ] || { \
		echo "which crash is $(CRASH_INCLUDE)/defs.h of?" \
		     "set CRASH_VERSION, or CRASH" >&2; exit 1; }; \
	echo "-isystem $(CRASH_INCLUDE) -D$(CRASH_GDB)" \
	     "-DKREL_CRASH_VERSION=\\\"$$v\\\"" >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(SYSROOT_FLAGS): FORCE
	@mkdir -p $(@D)
	@echo '#include <stdio.h>' | $(CC) -m32 -x c -fsyntax-only - 2>/dev/null \
	|| { echo "no 32-bit build: $(CC) -m32 finds no C library;" \
		  "install gcc-multilib" >&2; exit 1; }
	@d=$$(scripts/sysroot32) && i=$$d/usr/include && l=lib/i386-linux-gnu && \
	echo "-m32 -isystem $$i -isystem $$i/i386-linux-gnu" >$@.new && \
	echo "-m32 -L$$d/usr/$$l -L$$d/$$l -Wl,-rpath-link,$$d/usr/$$l" \
	     "-Wl,-rpath-link,$$d/$$l" >$(BUILD)/i386/sysroot.ldflags
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/extension/crash_host.o: extension/crash_host.c $(CRASH_FLAGS) Makefile
	@mkdir -p $(@D)
	$(CC) $(KREL_CFLAGS) $(CFLAGS) @$(CRASH_FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/krel.so: $(EXT_OBJ) $(BUILD)/libkrel.a
	$(CC) $(KREL_LDFLAGS) $(LDFLAGS) $(EXT_LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/i386/extension/crash_host.o: extension/crash_host.c $(CRASH_FLAGS)
$(BUILD)/i386/extension/crash_host.o: CRASH_USE = @$(CRASH_FLAGS)
$(BUILD)/i386/%.o: %.c Makefile $(SYSROOT_FLAGS)
	@mkdir -p $(@D)
	$(CC) @$(SYSROOT_FLAGS) $(KREL_CFLAGS) $(CFLAGS) $(CRASH_USE) \
		-MMD -MP -c -o $@ $<

$(BUILD)/i386/krel.so: $(EXT32_OBJ)
	$(CC) @$(BUILD)/i386/sysroot.ldflags $(LDFLAGS) $(EXT_LDFLAGS) \
		-o $@ $^ $(LIBS)

# A bare `extend krel.so` looks in $CRASH_EXTENSIONS, then (64-bit only) in
# /usr/lib64/crash/extensions, then in /usr/lib/crash/extensions: fixed names,
# whatever PREFIX is. Where a distribution's crash has its own is ours too.
EXT_DIR ?= $(PREFIX)/$(if $(filter /usr,$(PREFIX)),$(if $(wildcard \
	/usr/lib64/crash/extensions),lib64,lib),lib)/crash/extensions
EXT32_DIR ?= $(PREFIX)/lib/krel/i386

install: all
	install -D -m 755 $(BUILD)/krel $(DESTDIR)$(PREFIX)/bin/krel
	install -D -m 644 $(BUILD)/krel.so $(DESTDIR)$(EXT_DIR)/krel.so
	[ ! -e $(BUILD)/i386/krel.so ] || install -D -m 644 \
		$(BUILD)/i386/krel.so $(DESTDIR)$(EXT32_DIR)/krel.so
ifneq ($(PREFIX),/usr)
	@echo "crash does not look below $(PREFIX): start it with" \
	      "CRASH_EXTENSIONS=$(EXT_DIR)" >&2
endif

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/krel $(DESTDIR)$(EXT_DIR)/krel.so \
		$(DESTDIR)$(EXT32_DIR)/krel.so \
		$(DESTDIR)$(PREFIX)/share/man/man1/krel.1
	-rmdir $(DESTDIR)$(EXT32_DIR) $(DESTDIR)$(dir $(EXT32_DIR)) 2>/dev/null

-include $(EXT_OBJ:.o=.d) $(EXT32_OBJ:.o=.d)

FORCE:
.PHONY: install uninstall extension FORCE
