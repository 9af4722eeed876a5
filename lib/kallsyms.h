/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms: the kernel's own table of its symbols, found in physical memory
 * without any vmlinux. Addresses in it are run-time addresses: the kernel
 * relocated what they are relative to.
 */
#ifndef KREL_KALLSYMS_H
#define KREL_KALLSYMS_H

#include "image.h"
#include "target.h"

#define KREL_KALLSYMS_MAX	4	/* tables that a scan keeps */
#define KREL_SYMBOL_NAME_MAX	511	/* KSYM_NAME_LEN is 128, later 512 */

/** Do the tables lie where the kernel that they describe runs? */
enum krel_kallsyms_place {
	KREL_KALLSYMS_UNPLACED = 0,	/* it could not be told */
	KREL_KALLSYMS_RUNS,
	KREL_KALLSYMS_COPY,		/* no: this kernel did not run here */
};

/** One kernel's symbols; owns what it points to. */
struct krel_symbols {
	const struct krel_target *target;
	const char *layout;		/* for people; a constant string */
	uint64_t pa;			/* of kallsyms_token_table */
	enum krel_kallsyms_place place;
	/** physical = run-time - map base + this, unless it is unplaced; the
	 * map base of x86-32 being 0 here, this is -PAGE_OFFSET there. */
	int64_t displacement;
	uint32_t count;
	bool long_names;		/* lengths of two bytes, since 6.1 */
	uint8_t *names;
	size_t names_len;
	uint64_t *address;
	uint16_t token[256];
	char *tokens;			/* each ends with NUL */
};

/** What a scan found. */
struct krel_kallsyms_list {
	unsigned int nr;
	struct krel_symbols *item[KREL_KALLSYMS_MAX];
	unsigned int token_tables;	/* found, whatever became of them */
	/** Why the last token table led to nothing; KREL_OK: none such. */
	enum krel_status trouble;
	char why[KREL_NOTE_LEN];
};

/**
 * Look through all memory for kallsyms.
 *
 * @param list  Written in full; free with krel_kallsyms_free().
 * @return KREL_OK, also when there are none; KREL_INTERRUPTED; KREL_NOMEM.
 */
enum krel_status krel_kallsyms_scan(struct krel_image *img,
				    const struct krel_options *opts,
				    struct krel_kallsyms_list *list);

void krel_kallsyms_free(struct krel_kallsyms_list *list);

#endif
