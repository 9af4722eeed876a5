/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of a flattened file: which bytes of the plain file lie where in
 * the flattened one.
 */
#ifndef KREL_FLAT_INDEX_H
#define KREL_FLAT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A piece of the plain file, and where the flattened one has it. */
struct krel_flat_piece {
	uint64_t off;		/* in the plain file; off + size < 2^63 */
	uint64_t size;		/* bytes, not 0 */
	uint64_t pos;		/* in the flattened file */
};

/** A growing array of pieces; all zero is an empty one. */
struct krel_flat_index {
	struct krel_flat_piece *at;
	size_t nr, room;
};

/** Free what the index holds. */
void krel_flat_index_deinit(struct krel_flat_index *x);

/** Append a piece. False when there is no memory; nothing changes then. */
bool krel_flat_index_add(struct krel_flat_index *x,
			 const struct krel_flat_piece *p);

/**
 * Sort the pieces by offset and cut away what was overwritten: where two
 * overlap, the one with the higher position was written later and wins.
 * Afterwards no two overlap.
 *
 * @return False when there is no memory; the index is only good for
 *         krel_flat_index_deinit() then.
 */
bool krel_flat_index_arrange(struct krel_flat_index *x);

/**
 * Index of the last piece that starts at or below @off, or nr if there is
 * none. The index must be arranged. @hint is tried first.
 */
size_t krel_flat_index_find(const struct krel_flat_index *x, uint64_t off,
			    size_t hint);

#endif
