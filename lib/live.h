/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a running machine shows of itself: text to values, no I/O. What
 * kptr_restrict or a missing privilege replaced by zeros is told apart from
 * what is not there, and is never a value.
 */
#ifndef KREL_LIVE_H
#define KREL_LIVE_H

#include "krel.h"

/** One symbol of /proc/kallsyms; the name is borrowed from the text. */
struct krel_live_symbol {
	uint64_t run_va;	/* 0 also where it is hidden */
	char type;		/* as nm prints it */
	const char *name;	/* not NUL-terminated */
	size_t name_len;
	unsigned int digits;	/* of the address: 8 on x86-32, else 16 */
	bool module;		/* of a module */
};

/**
 * Step through /proc/kallsyms: *@pos starts at 0 and is advanced. Lines of
 * another form are passed over.
 *
 * @return KREL_OK; KREL_ABSENT at the end.
 */
enum krel_status krel_live_kallsyms(const struct krel_text *t, size_t *pos,
				    struct krel_live_symbol *out);

/** Arch of the machine, by the digits of the first symbol. */
enum krel_arch krel_live_kallsyms_arch(const struct krel_text *t);

/**
 * First byte of "Kernel code" in /proc/iomem: the physical place of _text.
 *
 * @return KREL_OK; KREL_ABSENT (no such line); KREL_FILTERED (zeros stand for
 *         it); KREL_CORRUPT (not one range, or several that differ).
 */
enum krel_status krel_live_iomem(const struct krel_text *t, uint64_t *pa);

/** "Kernel Offset: 0xOFFSET from 0xBASE", which an oops prints. */
struct krel_live_dmesg {
	bool disabled;		/* "Kernel Offset: disabled" instead */
	uint64_t offset;	/* from the link-time base, in a target word */
	uint64_t base;		/* link-time address of _text */
};

/**
 * Find it in a log.
 *
 * @return KREL_OK; KREL_ABSENT; KREL_CONTRADICTS (lines that differ, as of
 *         several boots); KREL_CORRUPT (only lines of another form).
 */
enum krel_status krel_live_dmesg(const struct krel_text *t,
				 struct krel_live_dmesg *out);

/** What the boot protocol's header says (Documentation/x86/boot). */
struct krel_live_boot {
	uint16_t version;
	uint32_t kernel_alignment;
	bool relocatable;
	bool kaslr;		/* the decompressor chose the place */
	uint64_t pref_address;	/* since 2.10, else 0 */
	uint32_t init_size;	/* since 2.10, else 0 */
};

/**
 * Read struct boot_params, as in /sys/kernel/boot_params/data.
 *
 * @return KREL_OK; KREL_CORRUPT (too short, no "HdrS"); KREL_ABSENT (a
 *         protocol before 2.05, which knows no alignment).
 */
enum krel_status krel_live_boot(const struct krel_text *t,
				struct krel_live_boot *out);

#endif
