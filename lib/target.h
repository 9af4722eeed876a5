/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between the targets, as data. A new one is a row in target.c.
 */
#ifndef KREL_TARGET_H
#define KREL_TARGET_H

#include "krel.h"

struct krel_target {
	enum krel_arch arch;
	const char *name;
	unsigned int word_bytes;
	bool has_phys_base;
	/**
	 * Start of the kernel's own mapping: __START_KERNEL_map on x86-64; 0
	 * on x86-32, where it is PAGE_OFFSET, a choice of the configuration.
	 */
	uint64_t map_base;
	uint64_t map_end;	/* end of that mapping, exclusive */
	uint64_t min_align;	/* every kernel is placed at a multiple */
};

/** The row of an arch, or NULL for KREL_ARCH_UNKNOWN. Constant. */
const struct krel_target *krel_target_of(enum krel_arch arch);

/**
 * Move a link-time address to run time.
 *
 * @param virt_offset  Run-time minus link-time, in bytes; may be negative.
 * @return Run-time address, wrapped to the target's word.
 */
uint64_t krel_target_run_va(const struct krel_target *t, uint64_t link_va,
			    int64_t virt_offset);

/**
 * The virtual offset between two addresses, as a signed number of the
 * target's word: on x86-32 it lies in [-2 GiB, 2 GiB).
 */
int64_t krel_target_offset(const struct krel_target *t, uint64_t run_va,
			   uint64_t link_va);

/**
 * True when an offset is one that a kernel can have: a multiple of the
 * smallest alignment, and no further than the kernel's map is long.
 */
bool krel_target_plausible(const struct krel_target *t, int64_t virt_offset);

#endif
