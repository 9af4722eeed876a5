/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One chunk of the snappy framing format: a type, a length in three bytes,
 * and for data a masked CRC-32C of what comes out, then that, packed or not.
 */
#ifndef KREL_SNAPPY_CHUNK_H
#define KREL_SNAPPY_CHUNK_H

#include "file.h"

#define KREL_SNAPPY_HEADER	4u	/* type, length in three bytes */
#define KREL_SNAPPY_CRC_SIZE	4u
#define KREL_SNAPPY_MAX_UNPACKED	65536u
/* The worst case of the method for so many bytes; no writer makes more. */
#define KREL_SNAPPY_MAX_PACKED	(32u + KREL_SNAPPY_MAX_UNPACKED + \
				 KREL_SNAPPY_MAX_UNPACKED / 6u)
#define KREL_SNAPPY_CRC_SLICES	8u

/* Types of chunks. 0x02 to 0x7f must not be skipped, others may. */
#define KREL_SNAPPY_PACKED	0x00u
#define KREL_SNAPPY_STORED	0x01u
#define KREL_SNAPPY_SKIPPABLE	0x80u
#define KREL_SNAPPY_STREAM	0xffu

struct krel_snappy_chunk {
	uint64_t at;		/* in the file, behind the chunk's header */
	uint32_t len;		/* behind its header */
	uint32_t size;		/* bytes that come out of it */
	uint8_t type;
};

/** Heads of chunks, read ahead; nothing to free. */
struct krel_snappy_heads {
	struct krel_file *f;	/* borrowed */
	uint64_t window_at;
	size_t window_len;
	uint8_t window[256];
	uint32_t crc[KREL_SNAPPY_CRC_SLICES][256];
};

void krel_snappy_heads_init(struct krel_snappy_heads *s, struct krel_file *f);

/**
 * The chunk at @at, its head and length checked, its data not.
 *
 * @return KREL_OK; KREL_ABSENT (the file ends before all of it, no error is
 *         set); KREL_CORRUPT; KREL_UNREADABLE.
 */
enum krel_status krel_snappy_heads_read(struct krel_snappy_heads *s,
					uint64_t at,
					struct krel_snappy_chunk *c,
					struct krel_error *err);

/** Say what is wrong with a chunk: "found", @what, @found as a number. */
enum krel_status krel_snappy_chunk_bad(const struct krel_snappy_heads *s,
				       const struct krel_snappy_chunk *c,
				       const char *want, const char *what,
				       uint64_t found, struct krel_error *err);

/** CRC-32C of unpacked data, masked as the format stores it. */
uint32_t krel_snappy_crc(const struct krel_snappy_heads *s, const uint8_t *p,
			 size_t len);

#endif
