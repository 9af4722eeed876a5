/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounded loads: the only place where bytes become integers. Assembled by
 * shifts, so that any host reads any target.
 */
#ifndef KREL_BYTES_H
#define KREL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint16_t krel_le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t krel_le32(const uint8_t *p)
{
	return (uint32_t)krel_le16(p) | (uint32_t)krel_le16(p + 2) << 16;
}

static inline uint64_t krel_le64(const uint8_t *p)
{
	return (uint64_t)krel_le32(p) | (uint64_t)krel_le32(p + 4) << 32;
}

/* makedumpfile's flattened form is big-endian on every host. */
static inline uint64_t krel_be64(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

/** True when [off, off + len) lies inside [0, size); no overflow. */
static inline bool krel_in_bounds(uint64_t off, uint64_t len, uint64_t size)
{
	return off <= size && len <= size - off;
}

/** Round @v up to a multiple of @align, a power of two; may wrap to 0. */
static inline uint64_t krel_align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) & ~(align - 1);
}

#endif
