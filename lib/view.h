/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of a view; for the rooms that are built on it. */
#ifndef VIEW_H
#define VIEW_H

#include "krel_view.h"

#include "kallsyms.h"
#include "kernel.h"
#include "paging.h"

struct krel_view {
	struct krel_image *image;
	const struct krel_kernel *kernel;	/* NULL: by symbols */
	const struct krel_symbols *symbols;	/* NULL: by kernel */
	const struct krel_target *target;
	int64_t virt_offset;	/* with a kernel */
	uint64_t map_base;
	int64_t displacement;	/* physical = run-time - map_base + this */
	uint64_t text, end;	/* run-time _text and _end */
	bool walks;
	struct krel_walk walk;
};

#endif
