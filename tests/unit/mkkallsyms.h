/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory with a kernel's kallsyms in it, in any form that x86 had. */
#ifndef MKKALLSYMS_H
#define MKKALLSYMS_H

#include "bytes_out.h"

enum mk_form { MK_WORDS, MK_ABOVE_BASE, MK_PERCPU, MK_VALUES, MK_SELF };

struct mk_kallsyms {
	bool is64;
	enum mk_form form;
	bool behind;		/* addresses behind the tokens, since 6.4 */
	bool seqs;		/* kallsyms_seqs_of_names before the tokens */
	bool long_names;
	unsigned int marker;	/* bytes of one */
	unsigned int align;	/* of each table */
	uint64_t pa, run;	/* of _text */
	bool text_only;		/* no linux_banner, no phys_base */
	int64_t phys_base;	/* what the variable says */
};

/* Where the tables came to lie; offsets in the bytes. */
struct mk_layout {
	size_t num, names, markers, tokens, index, addresses;
};

#define MK_COUNT	1503u	/* symbols; 2 less with text_only */
#define MK_LONG		200	/* letters 'x' of the longest name */

/* The kernel at its place in memory of @size bytes from zero on. */
void mk_kallsyms(struct bytes *b, const struct mk_kallsyms *k, size_t size,
		 struct mk_layout *at);

/* Run-time address of f_NUMBER, below 1500. */
uint64_t mk_function(const struct mk_kallsyms *k, unsigned int number);

#endif
