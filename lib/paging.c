// SPDX-License-Identifier: GPL-2.0-or-later
#include "paging.h"

#include <string.h>

#include "bytes.h"

#define PTE_PRESENT	(UINT64_C(1) << 0)
#define PTE_WRITE	(UINT64_C(1) << 1)
#define PTE_LEAF	(UINT64_C(1) << 7)	/* PSE; PAT in a 4 KiB leaf */
#define PTE_NX		(UINT64_C(1) << 63)

#define CR0_PG		(UINT64_C(1) << 31)
#define CR4_PAE		(UINT64_C(1) << 5)
#define CR4_LA57	(UINT64_C(1) << 12)

/*
 * Levels from the leaf (0) up: at which bit a level's index starts, how wide
 * it is, and whether an entry may be a leaf itself.
 */
struct form {
	unsigned int levels;
	unsigned int entry_bytes;
	unsigned int shift[KREL_PAGING_MAX_LEVELS];
	unsigned int bits[KREL_PAGING_MAX_LEVELS];
	bool leaf[KREL_PAGING_MAX_LEVELS];
	uint64_t root_mask;	/* of CR3 */
	uint64_t entry_mask;	/* of an entry: the physical address */
	bool has_rw_at_top;	/* PAE's four top entries have no R/W bit */
};

#define PHYS_MASK	UINT64_C(0x000ffffffffff000)

static const struct form forms[] = {
	[KREL_PAGING_2LEVEL] = {
		.levels = 2, .entry_bytes = 4,
		.shift = { 12, 22 }, .bits = { 10, 10 },
		.leaf = { true, true },
		.root_mask = 0xfffff000, .entry_mask = 0xfffff000,
		.has_rw_at_top = true,
	},
	[KREL_PAGING_PAE] = {
		.levels = 3, .entry_bytes = 8,
		.shift = { 12, 21, 30 }, .bits = { 9, 9, 2 },
		.leaf = { true, true, false },
		.root_mask = 0xffffffe0, .entry_mask = PHYS_MASK,
	},
	[KREL_PAGING_4LEVEL] = {
		.levels = 4, .entry_bytes = 8,
		.shift = { 12, 21, 30, 39 }, .bits = { 9, 9, 9, 9 },
		.leaf = { true, true, true, false },
		.root_mask = PHYS_MASK, .entry_mask = PHYS_MASK,
		.has_rw_at_top = true,
	},
	[KREL_PAGING_5LEVEL] = {
		.levels = 5, .entry_bytes = 8,
		.shift = { 12, 21, 30, 39, 48 }, .bits = { 9, 9, 9, 9, 9 },
		.leaf = { true, true, true, false, false },
		.root_mask = PHYS_MASK, .entry_mask = PHYS_MASK,
		.has_rw_at_top = true,
	},
};

enum krel_status krel_paging_mode_of(enum krel_arch arch,
				     const struct krel_cpu *cpu,
				     enum krel_paging_mode *mode)
{
	if (!(cpu->cr0 & CR0_PG))
		return KREL_ABSENT;
	if (arch == KREL_ARCH_X86_64) {
		/* Long mode needs PAE; without it the CPU is not in ours. */
		if (!(cpu->cr4 & CR4_PAE))
			return KREL_ABSENT;
		*mode = cpu->cr4 & CR4_LA57 ? KREL_PAGING_5LEVEL :
			KREL_PAGING_4LEVEL;
	} else {
		*mode = cpu->cr4 & CR4_PAE ? KREL_PAGING_PAE :
			KREL_PAGING_2LEVEL;
	}
	return KREL_OK;
}

unsigned int krel_paging_levels(enum krel_paging_mode mode)
{
	return forms[mode].levels;
}

void krel_walk_init(struct krel_walk *w, struct krel_image *img,
		    enum krel_paging_mode mode, uint64_t cr3)
{
	memset(w, 0, sizeof(*w));
	w->img = img;
	w->mode = mode;
	w->root = cr3 & forms[mode].root_mask;
	w->levels = forms[mode].levels;
}

void krel_walk_init_table(struct krel_walk *w, struct krel_image *img,
			  enum krel_paging_mode mode, unsigned int levels,
			  uint64_t table)
{
	krel_walk_init(w, img, mode, table);
	w->levels = levels;
}

/* The page that a table lies in, through a cache of one page a level. */
static enum krel_status table_page(struct krel_walk *w, unsigned int level,
				   uint64_t page, const uint8_t **out)
{
	if (!w->cached[level] || w->cached_pa[level] != page) {
		enum krel_status st;

		w->cached[level] = false;
		st = krel_image_read(w->img, page, w->table[level],
				     KREL_PAGE_SIZE, NULL);
		if (st != KREL_OK)
			return st;
		w->cached_pa[level] = page;
		w->cached[level] = true;
	}
	*out = w->table[level];
	return KREL_OK;
}

static enum krel_status read_entry(struct krel_walk *w, unsigned int level,
				   uint64_t table, uint64_t va,
				   uint64_t *entry)
{
	const struct form *f = &forms[w->mode];
	uint64_t index = va >> f->shift[level] &
		((UINT64_C(1) << f->bits[level]) - 1);
	uint64_t at = table + index * f->entry_bytes;
	const uint8_t *page;
	enum krel_status st;

	st = table_page(w, level, at & ~(uint64_t)(KREL_PAGE_SIZE - 1), &page);
	if (st != KREL_OK)
		return st;
	page += at % KREL_PAGE_SIZE;
	*entry = f->entry_bytes == 4 ? krel_le32(page) : krel_le64(page);
	return KREL_OK;
}

/* Physical start of a leaf of @size bytes. */
static uint64_t leaf_pa(const struct form *f, uint64_t entry, uint64_t size)
{
	uint64_t pa = entry & f->entry_mask & ~(size - 1);

	/* PSE-36: bits 13-20 of a 4 MiB entry are physical bits 32-39. */
	if (f->entry_bytes == 4 && size > KREL_PAGE_SIZE)
		pa |= (entry >> 13 & 0xff) << 32;
	return pa;
}

/*
 * One address, down to a leaf or a hole. out->size is that of the leaf, or
 * of the hole; out->va its aligned start.
 */
static enum krel_status step(struct krel_walk *w, uint64_t va,
			     struct krel_mapping *out)
{
	const struct form *f = &forms[w->mode];
	uint64_t table = w->root, entry = 0;
	bool writable = true, executable = true;
	unsigned int level = w->levels;

	while (level-- > 0) {
		uint64_t size = UINT64_C(1) << f->shift[level];
		enum krel_status st = read_entry(w, level, table, va, &entry);
		bool top = level == f->levels - 1;

		out->va = va & ~(size - 1);
		out->size = size;
		if (st != KREL_OK) {
			w->trouble = st;
			return st == KREL_NOMEM || st == KREL_INTERRUPTED ?
				st : KREL_ABSENT;
		}
		if (!(entry & PTE_PRESENT))
			return KREL_ABSENT;
		if (!top || f->has_rw_at_top)
			writable = writable && (entry & PTE_WRITE);
		if (f->entry_bytes == 8)
			executable = executable && !(entry & PTE_NX);
		if (level > 0 && !(f->leaf[level] && (entry & PTE_LEAF))) {
			table = entry & f->entry_mask;
			continue;
		}
		out->pa = leaf_pa(f, entry, size);
		out->writable = writable;
		out->executable = executable;
		return KREL_OK;
	}
	return KREL_ABSENT;
}

enum krel_status krel_walk_next(struct krel_walk *w, uint64_t va,
				uint64_t end, struct krel_mapping *out)
{
	while (va < end) {
		struct krel_mapping m = { 0 };
		enum krel_status st = step(w, va, &m);
		uint64_t next = m.va + m.size;

		if (st == KREL_OK) {
			m.pa += va - m.va;
			m.size -= va - m.va;
			m.va = va;
			*out = m;
			return KREL_OK;
		}
		if (st != KREL_ABSENT)
			return st;
		if (next <= va)		/* wrapped: the top of the space */
			break;
		va = next;
	}
	return KREL_ABSENT;
}

enum krel_status krel_walk_translate(struct krel_walk *w, uint64_t va,
				     uint64_t *pa)
{
	struct krel_mapping m = { 0 };
	enum krel_status st;

	w->trouble = KREL_OK;
	st = step(w, va, &m);
	if (st == KREL_OK)
		*pa = m.pa + (va - m.va);
	else if (st == KREL_ABSENT && w->trouble != KREL_OK)
		st = w->trouble;
	return st;
}

enum krel_status krel_walk_read(struct krel_walk *w, uint64_t va, void *buf,
				size_t len)
{
	uint8_t *to = buf;

	while (len > 0) {
		size_t room = KREL_PAGE_SIZE - (size_t)(va % KREL_PAGE_SIZE);
		size_t part = len < room ? len : room;
		enum krel_status st;
		uint64_t pa;

		st = krel_walk_translate(w, va, &pa);
		if (st == KREL_OK)
			st = krel_image_read(w->img, pa, to, part, NULL);
		if (st != KREL_OK)
			return st;
		va += part;
		to += part;
		len -= part;
	}
	return KREL_OK;
}
