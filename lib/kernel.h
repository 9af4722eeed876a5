/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The link-time side: a vmlinux (symbols, notes, bytes) or a System.map
 * (symbols only).
 */
#ifndef KREL_KERNEL_H
#define KREL_KERNEL_H

#include "krel.h"

/**
 * Symbols that the anchors ask for. They are looked up together, in the one
 * pass over the symbol table that opening costs. Names are in kernel.c.
 */
enum krel_sym {
	KREL_SYM_TEXT,			/* _text */
	KREL_SYM_STEXT,			/* _stext */
	KREL_SYM_END,			/* _end */
	KREL_SYM_START_NOTES,
	KREL_SYM_STOP_NOTES,
	KREL_SYM_BANNER,		/* linux_banner */
	KREL_SYM_PHYS_BASE,		/* x86-64, since 2.6.22 */
	KREL_SYM_LEVEL3_PGT,		/* level3_kernel_pgt, x86-64 */
	KREL_SYM_LEVEL2_PGT,		/* level2_kernel_pgt, x86-64 */
	KREL_SYM_IDT_TABLE,
	KREL_SYM_ASM_EXC_DIVIDE_ERROR,	/* since 5.8 */
	KREL_SYM_DIVIDE_ERROR,		/* before 5.8 */
	KREL_SYM_ASM_EXC_PAGE_FAULT,
	KREL_SYM_PAGE_FAULT,
	KREL_SYM_SYS_CALL_TABLE,
	KREL_SYM_X64_SYS_READ,		/* since 4.17 */
	KREL_SYM_SYS_READ,
	KREL_SYM_START_PARAM,		/* __start___param */
	KREL_SYM_KALLSYMS_BASE,		/* kallsyms_relative_base, 4.6-6.x */
	KREL_SYM_INIT_UTS_NS,
	KREL_SYM_SWAPPER_PG_DIR,
	KREL_SYM_NR
};

/** Link-time address of a well-known symbol; false when it has none. */
bool krel_kernel_sym(const struct krel_kernel *k, enum krel_sym sym,
		     uint64_t *link_va);

/** Name of a well-known symbol; a constant string. */
const char *krel_sym_name(enum krel_sym sym);

/** Any symbol by name: one pass over the table. KREL_OK or KREL_ABSENT. */
enum krel_status krel_kernel_lookup(const struct krel_kernel *k,
				    const char *name, uint64_t *link_va);

/** Called for each symbol; false ends the walk. @name has no NUL. */
typedef bool krel_symbol_fn(void *arg, const char *name, size_t len,
			    uint64_t value);

/** All symbols, in the order of the table. */
void krel_kernel_each(const struct krel_kernel *k, krel_symbol_fn *fn,
		      void *arg);

/**
 * Bytes of the kernel as linked.
 *
 * @return KREL_OK; KREL_ABSENT (a System.map, or no such bytes in the file);
 *         KREL_UNREADABLE.
 */
enum krel_status krel_kernel_read(const struct krel_kernel *k,
				  uint64_t link_va, void *buf, size_t len);

enum krel_arch krel_kernel_arch(const struct krel_kernel *k);
const char *krel_kernel_path(const struct krel_kernel *k);
bool krel_kernel_is_map(const struct krel_kernel *k);

/** Borrowed until close. */
const struct krel_identity *
krel_kernel_identity(const struct krel_kernel *k);

/**
 * Start of the kernel's map: __START_KERNEL_map on x86-64, PAGE_OFFSET on
 * x86-32 (from the program headers; with a System.map, from _text).
 */
uint64_t krel_kernel_map_base(const struct krel_kernel *k);

#define KREL_ID_NOTE_MAX	(16 + KREL_BUILD_ID_MAX)

/** The build-id note as bytes, and where it is linked. */
struct krel_id_note {
	uint64_t link_va;	/* of the note's header */
	uint8_t bytes[KREL_ID_NOTE_MAX];
	size_t len;		/* 0: the kernel has none */
};

/** Borrowed until close. */
const struct krel_id_note *krel_kernel_id_note(const struct krel_kernel *k);

/** Take the release out of "Linux version RELEASE (..."; false if not one. */
bool krel_banner_release(const char *banner, char *release, size_t size);

/**
 * Make an identity of raw text in id->banner (NUL-terminated): cut it at its
 * newline, take the release out, make both fit for print. What is no banner
 * is emptied, and false returned.
 */
bool krel_banner_take(struct krel_identity *id);

#endif
