// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page tables, as the CPU reads them: Intel SDM volume 3, chapter 4. Written
 * level by level, without the tables of the walker under test.
 */
#include "scene.h"

#include <string.h>

#define P	UINT64_C(1)
#define RW	UINT64_C(2)
#define PS	(UINT64_C(1) << 7)
#define NX	(UINT64_C(1) << 63)

/* Where a table's entry for @va is; sets its width. */
static uint64_t entry_at(const char *mode, unsigned int level, uint64_t table,
			 uint64_t va, size_t *bytes)
{
	if (strcmp(mode, "2level") == 0) {
		*bytes = 4;
		return table + (level == 1 ? va >> 12 & 0x3ff :
				va >> 22 & 0x3ff) * 4;
	}
	*bytes = 8;
	if (strcmp(mode, "pae") == 0 && level == 3)
		return table + (va >> 30 & 3) * 8;
	return table + (va >> (12 + 9 * (level - 1)) & 0x1ff) * 8;
}

static unsigned int top_of(const char *mode)
{
	static const char *const name[] = {
		"2level", "pae", "4level", "5level",
	};

	for (unsigned int i = 0; i < 4; i++)
		if (strcmp(mode, name[i]) == 0)
			return i + 2;
	return 0;
}

/* At which level a leaf of this size is; 0 when the mode has none such. */
static unsigned int leaf_level(const char *mode, uint64_t size)
{
	bool two = strcmp(mode, "2level") == 0;
	bool lng = mode[0] == '4' || mode[0] == '5';

	if (size == 0x1000)
		return 1;
	if (size == (two ? 0x400000u : 0x200000u))
		return 2;
	return lng && size == 0x40000000 ? 3 : 0;
}

static uint64_t leaf_entry(const struct mapping *m, uint64_t pa, size_t bytes)
{
	uint64_t e = P | (pa & ~(m->leaf - 1));

	/* PSE-36: physical bits 32-39 go to bits 13-20 of a 4 MiB entry. */
	if (bytes == 4 && m->leaf > 0x1000)
		e = P | (pa & 0xffc00000) | (pa >> 32 & 0xff) << 13;
	if (strchr(m->perm, 'w'))
		e |= RW;
	if (!strchr(m->perm, 'x') && bytes == 8)
		e |= NX;
	if (m->leaf > 0x1000)
		e |= PS;
	return e;
}

static bool map_one(struct world *w, const struct mapping *m, uint64_t va,
		    uint64_t pa)
{
	unsigned int level = top_of(m->mode);
	unsigned int last = leaf_level(m->mode, m->leaf);
	uint64_t table = m->root, at, e;
	size_t bytes;

	for (; level > last; level--) {
		at = entry_at(m->mode, level, table, va, &bytes);
		e = memory_get(w, at, bytes);
		if (!(e & P)) {
			/* PAE's four top entries have no R/W bit. */
			e = w->tables | P | (level == 3 && bytes == 8 &&
					     m->mode[0] == 'p' ? 0 : RW);
			w->tables += 0x1000;
			if (!memory_put(w, at, e, bytes))
				return false;
		}
		table = e & UINT64_C(0x000ffffffffff000);
	}
	at = entry_at(m->mode, level, table, va, &bytes);
	return memory_put(w, at, leaf_entry(m, pa, bytes), bytes);
}

bool tables_map(struct world *w, const struct mapping *m)
{
	if (!top_of(m->mode) || !leaf_level(m->mode, m->leaf))
		return fail(w, "map: mode %s has no leaf of %llx", m->mode,
			    (unsigned long long)m->leaf);
	for (uint64_t at = 0; at < m->len; at += m->leaf)
		if (!map_one(w, m, m->va + at, m->pa + at))
			return false;
	return true;
}
