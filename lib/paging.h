/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One page-table walker for all of x86's forms: 2-level, PAE, 4- and
 * 5-level. The forms are rows of a table, not code.
 */
#ifndef KREL_PAGING_H
#define KREL_PAGING_H

#include "image.h"

enum krel_paging_mode {
	KREL_PAGING_2LEVEL,
	KREL_PAGING_PAE,
	KREL_PAGING_4LEVEL,
	KREL_PAGING_5LEVEL,
};

#define KREL_PAGING_MAX_LEVELS	5

/** Bit of CR3 that names the user half of a PTI pair (since 4.15). */
#define KREL_CR3_PTI_HALF	(UINT64_C(1) << 12)

/** A leaf: @size bytes at @va lie at @pa. */
struct krel_mapping {
	uint64_t va, pa, size;
	bool writable;		/* at every level */
	bool executable;	/* no level forbids it */
};

/** A walk through one root; about 20 KiB, on the heap or in a struct. */
struct krel_walk {
	struct krel_image *img;
	enum krel_paging_mode mode;
	uint64_t root;		/* physical */
	unsigned int levels;	/* from the root down */
	/** Why the last table could not be read; KREL_OK when all could. */
	enum krel_status trouble;
	uint64_t cached_pa[KREL_PAGING_MAX_LEVELS];
	bool cached[KREL_PAGING_MAX_LEVELS];
	uint8_t table[KREL_PAGING_MAX_LEVELS][KREL_PAGE_SIZE];
};

/**
 * How a CPU pages, by its control registers.
 *
 * @param arch  The kernel's: an x86-32 kernel is 2-level or PAE by CR4.PAE.
 * @return KREL_OK; KREL_ABSENT when paging is off (a CPU not yet started, or
 *         reset).
 */
enum krel_status krel_paging_mode_of(enum krel_arch arch,
				     const struct krel_cpu *cpu,
				     enum krel_paging_mode *mode);

/** Levels of a mode: 2, 3, 4 or 5. */
unsigned int krel_paging_levels(enum krel_paging_mode mode);

/** Begin a walk; @cr3 is masked as the mode wants (PCID, flags). */
void krel_walk_init(struct krel_walk *w, struct krel_image *img,
		    enum krel_paging_mode mode, uint64_t cr3);

/** Begin at a lower table: @levels from there down, at physical @table. */
void krel_walk_init_table(struct krel_walk *w, struct krel_image *img,
			  enum krel_paging_mode mode, unsigned int levels,
			  uint64_t table);

/**
 * The next leaf at or above @va and below @end. A table that cannot be read
 * counts as a hole, and is remembered in w->trouble.
 *
 * @param out  out->va is @va or more: a leaf that @va lies in is cut.
 * @return KREL_OK; KREL_ABSENT when nothing more is mapped below @end;
 *         KREL_NOMEM or KREL_INTERRUPTED from the image.
 */
enum krel_status krel_walk_next(struct krel_walk *w, uint64_t va,
				uint64_t end, struct krel_mapping *out);

/** Physical address of @va. KREL_ABSENT: not mapped. */
enum krel_status krel_walk_translate(struct krel_walk *w, uint64_t va,
				     uint64_t *pa);

/** Read run-time memory through the walk; all or nothing. */
enum krel_status krel_walk_read(struct krel_walk *w, uint64_t va, void *buf,
				size_t len);

#endif
