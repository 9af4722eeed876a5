/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run-time memory of a kernel whose place is known: reads by run-time
 * address, and its own symbols by name. For what wants to look at a kernel's
 * data (log, modules, tasks) after krel_solve() found where it is.
 */
#ifndef KREL_VIEW_H
#define KREL_VIEW_H

#include "krel.h"

struct krel_view;

/** What a view is made of; all borrowed until krel_view_close(). */
struct krel_view_of {
	struct krel_image *image;
	/** The vmlinux or System.map, or NULL. Then @solved must have a
	 * virtual offset, and on x86-64 a phys_base. */
	const struct krel_kernel *kernel;
	const struct krel_result *solved;
	/** The image's own symbols; needed when there is no @kernel. */
	const struct krel_symbols *symbols;
};

/**
 * Open the memory of a kernel.
 *
 * Its page tables are looked for at its own root (init_top_pgt, in older
 * kernels init_level4_pgt; swapper_pg_dir on x86-32), then at the CPUs'
 * CR3; those are taken that map _text to where it was found. Where none can
 * be read the view knows the kernel's own image only, and krel_view_walks()
 * is false.
 *
 * @return KREL_OK; KREL_ABSENT (the offsets are not known); KREL_INTERRUPTED;
 *         KREL_NOMEM.
 */
enum krel_status krel_view_open(const struct krel_view_of *of,
				struct krel_view **out,
				struct krel_error *err);

/** Close it; NULL is accepted. */
void krel_view_close(struct krel_view *v);

enum krel_arch krel_view_arch(const struct krel_view *v);

/** Bytes of a pointer and of an unsigned long: 4 or 8. */
unsigned int krel_view_word(const struct krel_view *v);

/** True when page tables were found: all that is mapped can be read. */
bool krel_view_walks(const struct krel_view *v);

/**
 * Read run-time memory: all of it, or nothing.
 *
 * @return KREL_OK; KREL_ABSENT (not mapped, or no such memory);
 *         KREL_FILTERED; KREL_UNREADABLE; KREL_CORRUPT; KREL_INTERRUPTED;
 *         KREL_NOMEM.
 */
enum krel_status krel_view_read(struct krel_view *v, uint64_t va, void *buf,
				size_t len);

/** Physical address of a run-time one. KREL_ABSENT: not mapped. */
enum krel_status krel_view_phys(struct krel_view *v, uint64_t va,
				uint64_t *pa);

/** Read one little-endian number of @bytes 1, 2, 4 or 8 bytes. */
enum krel_status krel_view_number(struct krel_view *v, uint64_t va,
				  unsigned int bytes, uint64_t *value);

/** Read one pointer or unsigned long. */
enum krel_status krel_view_pointer(struct krel_view *v, uint64_t va,
				   uint64_t *value);

/** Run-time address of a symbol of the kernel. KREL_OK or KREL_ABSENT. */
enum krel_status krel_view_symbol(const struct krel_view *v, const char *name,
				  uint64_t *va);

#endif
