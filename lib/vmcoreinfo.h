/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VMCOREINFO: lines of KEY=VALUE that the kernel writes about itself. Text
 * to values, no I/O.
 */
#ifndef KREL_VMCOREINFO_H
#define KREL_VMCOREINFO_H

#include "krel.h"

/** Text of @len bytes, borrowed; need not be NUL-terminated. */
struct krel_vmcoreinfo {
	const char *text;
	size_t len;
};

/**
 * Find a key and copy its value.
 *
 * @param key  As in the note, e.g. "OSRELEASE" or "SYMBOL(_stext)".
 * @return KREL_OK; KREL_ABSENT; KREL_CORRUPT (does not fit).
 */
enum krel_status krel_vmcoreinfo_get(const struct krel_vmcoreinfo *vi,
				     const char *key, char *value,
				     size_t size);

/** SYMBOL(name): a run-time address, hexadecimal. */
enum krel_status krel_vmcoreinfo_symbol(const struct krel_vmcoreinfo *vi,
					const char *name, uint64_t *run_va);

/** NUMBER(name): signed decimal. */
enum krel_status krel_vmcoreinfo_number(const struct krel_vmcoreinfo *vi,
					const char *name, int64_t *value);

/** A key with a bare hexadecimal value, such as KERNELOFFSET. */
enum krel_status krel_vmcoreinfo_hex(const struct krel_vmcoreinfo *vi,
				     const char *key, uint64_t *value);

/** BUILD-ID, which is there since Linux 5.9. */
enum krel_status krel_vmcoreinfo_build_id(const struct krel_vmcoreinfo *vi,
					  struct krel_build_id *id);

/** Arch by SIZE(list_head), which is two words; unknown when absent. */
enum krel_arch krel_vmcoreinfo_arch(const struct krel_vmcoreinfo *vi);

/** Parse hex digits to a build-id; false when they are not. */
bool krel_build_id_parse(const char *hex, struct krel_build_id *id);

#endif
