// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory map of a raw file, from the file itself: boot_params, which the
 * kernel keeps for as long as it runs. Its place moves with the kernel, so
 * that its signature is searched; where it stands in the file does not matter.
 */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"
#include "raw_map.h"

/* Offsets in struct boot_params: Documentation/arch/x86/zero-page.rst. */
#define E820_ENTRIES	0x1e8u
#define BOOT_FLAG	0x1feu
#define HEADER		0x202u
#define E820_TABLE	0x2d0u
#define E820_MAX	128u
#define ENTRY_SIZE	20u
#define BOOT_PARAMS	(E820_TABLE + E820_MAX * ENTRY_SIZE)
#define TYPE_RAM	1u

#define CHUNK		((size_t)4 << 20)

static int by_pa(const void *a, const void *b)
{
	const struct krel_segment *x = a, *y = b;

	return x->pa < y->pa ? -1 : x->pa > y->pa;
}

/* RAM in ascending order; ranges that touch are one. 0: it is no map. */
static size_t read_table(const uint8_t *bp, struct krel_segment *ram)
{
	size_t n = bp[E820_ENTRIES], nr = 0, out = 0;

	if (n == 0 || n > E820_MAX)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *e = bp + E820_TABLE + i * ENTRY_SIZE;
		uint64_t pa = krel_le64(e), size = krel_le64(e + 8);

		if (size == 0 || pa >= KREL_MAX_PA || size > KREL_MAX_PA - pa)
			return 0;
		if (krel_le32(e + 16) == TYPE_RAM)
			ram[nr++] = (struct krel_segment){
				.pa = pa, .filesz = size, .memsz = size,
			};
	}
	qsort(ram, nr, sizeof(*ram), by_pa);
	for (size_t i = 0; i < nr; i++) {
		if (out > 0) {
			struct krel_segment *p = &ram[out - 1];

			if (ram[i].pa < p->pa + p->filesz)
				return 0;
			if (ram[i].pa == p->pa + p->filesz) {
				p->filesz += ram[i].filesz;
				p->memsz = p->filesz;
				continue;
			}
		}
		ram[out++] = ram[i];
	}
	return out;
}

static bool same(const struct krel_raw_map *a, const struct krel_raw_map *b)
{
	if (a->layout != b->layout || a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++)
		if (a->range[i].pa != b->range[i].pa ||
		    a->range[i].filesz != b->range[i].filesz)
			return false;
	return true;
}

/* boot_params at @bp? *clash: its map fits in another way than one before. */
static enum krel_status judge(const uint8_t *bp, uint64_t size,
			      struct krel_raw_map *map, bool *clash,
			      struct krel_error *err)
{
	struct krel_segment ram[E820_MAX];
	struct krel_raw_map got;
	enum krel_status st;
	size_t nr;

	if (krel_le16(bp + BOOT_FLAG) != 0xaa55)
		return KREL_OK;
	nr = read_table(bp, ram);
	st = krel_raw_map_fit(ram, nr, size, &got, err);
	if (st != KREL_OK || got.layout == KREL_RAW_UNKNOWN) {
		krel_raw_map_deinit(&got);
		return st;
	}
	if (map->layout == KREL_RAW_UNKNOWN) {
		*map = got;
		return KREL_OK;
	}
	*clash = *clash || !same(map, &got);
	krel_raw_map_deinit(&got);
	return KREL_OK;
}

static enum krel_status search(const uint8_t *buf, size_t len, uint64_t size,
			       struct krel_raw_map *map, bool *clash,
			       struct krel_error *err)
{
	const uint8_t *p = buf + HEADER, *end = buf + len;
	enum krel_status st = KREL_OK;

	if (len < BOOT_PARAMS)
		return KREL_OK;
	while (st == KREL_OK &&
	       (p = memmem(p, (size_t)(end - p), "HdrS", 4))) {
		if ((size_t)(end - p) < BOOT_PARAMS - HEADER)
			break;
		st = judge(p - HEADER, size, map, clash, err);
		p++;
	}
	return st;
}

enum krel_status krel_raw_map_find(struct krel_file *f,
				   struct krel_raw_map *map,
				   struct krel_error *err)
{
	uint8_t *buf = malloc(CHUNK);
	enum krel_status st = KREL_OK;
	bool clash = false;
	uint64_t at = 0;

	memset(map, 0, sizeof(*map));
	if (!buf)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	/* Chunks overlap by one boot_params, so that none is cut. */
	while (at < f->size && st == KREL_OK) {
		uint64_t start, end;
		size_t len;

		if (krel_file_next_data(f, at, &start, &end) != KREL_OK)
			break;
		len = end - start < CHUNK ? (size_t)(end - start) : CHUNK;
		st = krel_file_read(f, start, buf, len, err);
		if (st == KREL_OK)
			st = search(buf, len, f->size, map, &clash, err);
		at = start + len;
		if (at < end && len > BOOT_PARAMS)
			at -= BOOT_PARAMS;
	}
	free(buf);
	if (st != KREL_OK || clash)
		krel_raw_map_deinit(map);
	return st;
}
