/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the kallsyms*.c files; nobody else. */
#ifndef KREL_KALLSYMS_PRIV_H
#define KREL_KALLSYMS_PRIV_H

#include "kallsyms.h"

#define KREL_TOKENS_MAX		16384u	/* bytes; real ones have about 1000 */
#define KREL_KALLSYMS_COUNT_MIN	1000u
#define KREL_KALLSYMS_COUNT_MAX	1000000u

/** kallsyms_token_table and kallsyms_token_index, checked. */
struct krel_tokens {
	uint64_t pa, index_pa;
	uint16_t at[256];
	size_t len;
	char text[KREL_TOKENS_MAX];
};

/** Called for each pair of token table and index; not KREL_OK ends it. */
typedef enum krel_status krel_tokens_fn(void *arg,
					const struct krel_tokens *tokens);

/** Scan all memory for them. KREL_OK, KREL_NOMEM, KREL_INTERRUPTED. */
enum krel_status krel_tokens_scan(struct krel_image *img,
				  const struct krel_options *opts,
				  krel_tokens_fn *fn, void *arg);

/** Contiguous physical memory around the tokens. */
struct krel_window {
	uint64_t pa;
	const uint8_t *data;
	size_t len;
	size_t tokens, index_end;	/* offsets in data */
};

/** Offsets in a window of the tables whose order no version changed. */
struct krel_name_tables {
	uint32_t count;
	size_t num;			/* kallsyms_num_syms */
	size_t names, names_len;	/* kallsyms_names */
	bool long_names;
};

/** Find kallsyms_num_syms, names and markers before the tokens. */
bool krel_kallsyms_names(const struct krel_window *w,
			 const struct krel_target *t,
			 struct krel_name_tables *out);

/**
 * Decode the addresses, wherever this version keeps them.
 *
 * @param address  n->count of them.
 * @param layout   Set on KREL_OK.
 * @return KREL_OK: run-time addresses. KREL_UNSUPPORTED: self-relative ones,
 *         @address holds physical addresses. KREL_CORRUPT: none fits.
 */
enum krel_status krel_kallsyms_addresses(const struct krel_window *w,
					 const struct krel_target *t,
					 const struct krel_name_tables *n,
					 uint64_t *address,
					 const char **layout);

/**
 * Expand the name at *@off and move on to the next.
 *
 * @param text  Its type letter and its name; KREL_SYMBOL_NAME_MAX + 2 bytes.
 * @return false: the bytes are no name.
 */
bool krel_symbols_expand(const struct krel_symbols *s, size_t *off,
			 char *text);

/**
 * Find out whether the kernel runs where its tables lie. Self-relative
 * addresses, given as physical ones, become run-time ones.
 *
 * @return KREL_OK; KREL_UNSUPPORTED: they could not; KREL_NOMEM;
 *         KREL_INTERRUPTED.
 */
enum krel_status krel_kallsyms_put(struct krel_image *img,
				   struct krel_symbols *s,
				   bool self_relative);

#endif
