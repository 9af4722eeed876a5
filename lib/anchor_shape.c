// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page tables found by their shape, when no CR3 is known. On x86-64 the
 * kernel's level3_kernel_pgt has nothing in it but its last two entries, the
 * tables of the kernel's map and of the fixmap (in this form since 2.6.18, with
 * 4 and 5 levels alike). Every page of memory is looked at; the map of each
 * hit is walked like that of a CPU.
 *
 * x86-32 roots have no such shape.
 */
#include "anchor.h"

#include "bytes.h"

static const char name[] = "table shape";

#define KERNEL_ENTRY	510u
#define FIXMAP_ENTRY	511u
#define PTE_PRESENT	1u
#define PTE_LEAF	0x80u
#define MAX_HITS	8
/* From level3_kernel_pgt down there are three levels. */
#define LEVELS_BELOW	3

static bool is_table(const uint8_t *page, unsigned int entry)
{
	uint64_t e = krel_le64(page + 8 * entry);

	return (e & PTE_PRESENT) && !(e & PTE_LEAF) &&
		(e & UINT64_C(0x000ffffffffff000));
}

static bool has_shape(struct krel_image *img, uint64_t pa,
		      enum krel_status *st)
{
	uint8_t page[KREL_PAGE_SIZE], tail[16];

	/* The tail tells for all but a few pages; it is all that is read. */
	*st = krel_image_read(img, pa + 8 * KERNEL_ENTRY, tail, sizeof(tail),
			      NULL);
	if (*st != KREL_OK || !(tail[0] & PTE_PRESENT) ||
	    !(tail[8] & PTE_PRESENT))
		return false;
	*st = krel_image_read(img, pa, page, sizeof(page), NULL);
	if (*st != KREL_OK)
		return false;
	for (size_t i = 0; i < 8 * KERNEL_ENTRY; i++)
		if (page[i])
			return false;
	return is_table(page, KERNEL_ENTRY) && is_table(page, FIXMAP_ENTRY);
}

/*
 * A hit is a guess by shape: it must lead to memory that the image has, and
 * with a vmlinux to its kernel, as far as that can be read.
 */
static enum krel_status check_place(const struct krel_scene *s,
				    const struct krel_mapping *m,
				    const struct krel_candidate *c)
{
	enum krel_status st;
	uint8_t byte;

	st = s->kernel ? krel_place_check(s, krel_displacement(c), NULL) :
		krel_image_read(s->image, m->pa, &byte, 1, NULL);
	return st == KREL_ABSENT || st == KREL_CONTRADICTS ?
		KREL_CONTRADICTS : KREL_OK;
}

static enum krel_status add_hit(const struct krel_scene *s, uint64_t pa,
				struct krel_evidence_list *out)
{
	struct krel_candidate c;
	struct krel_evidence *ev;
	struct krel_mapping m;
	enum krel_status st;
	uint64_t text;

	krel_walk_init_table(s->walk, s->image, KREL_PAGING_4LEVEL,
			     LEVELS_BELOW, pa);
	st = krel_scene_first_page(s, &m, &c);
	if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
		return st;
	if (st == KREL_OK)
		st = check_place(s, &m, &c);
	ev = krel_evidence_add(out, name, st,
			       "level3_kernel_pgt at physical 0x%llx",
			       (unsigned long long)pa);
	if (st != KREL_OK && st != KREL_CONTRADICTS)
		return KREL_OK;
	ev->run = krel_u64(m.va);
	ev->phys = krel_u64(m.pa);
	ev->phys_base = krel_s64(c.phys_base);
	if (s->kernel && krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &text)) {
		ev->link = krel_u64(text);
		ev->virt_offset = krel_s64(c.virt_offset);
	}
	return KREL_OK;
}

static enum krel_status search(const struct krel_scene *s,
			       const struct krel_range *r,
			       unsigned int *hits,
			       struct krel_evidence_list *out)
{
	uint64_t pa = krel_align_up(r->pa, KREL_PAGE_SIZE);
	uint64_t end = r->pa + r->size;

	for (; pa < end && end - pa >= KREL_PAGE_SIZE && *hits < MAX_HITS;
	     pa += KREL_PAGE_SIZE) {
		enum krel_status st;
		bool hit;

		if (pa % (1u << 22) == 0 && krel_scene_interrupted(s))
			return KREL_INTERRUPTED;
		hit = has_shape(s->image, pa, &st);
		if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
			return st;
		if (!hit)
			continue;
		++*hits;
		st = add_hit(s, pa, out);
		if (st != KREL_OK)
			return st;
	}
	return KREL_OK;
}

static enum krel_status collect(const struct krel_scene *s,
				struct krel_evidence_list *out,
				struct krel_error *err)
{
	enum krel_status st = KREL_OK;
	unsigned int hits = 0;
	struct krel_range r;
	uint64_t pa = 0;

	(void)err;
	if (!s->target->has_phys_base) {
		krel_evidence_add(out, name, KREL_ABSENT,
				  "x86-32 roots have no shape to find");
		return KREL_OK;
	}
	while (st == KREL_OK && krel_image_next(s->image, pa, &r) == KREL_OK) {
		st = search(s, &r, &hits, out);
		if (r.pa + r.size <= pa)
			break;
		pa = r.pa + r.size;
	}
	if (st == KREL_OK && hits == 0)
		krel_evidence_add(out, name, KREL_ABSENT,
				  "no page has the shape of level3_kernel_pgt");
	return st;
}

const struct krel_anchor_ops krel_anchor_shape = {
	.name = name,
	.expensive = true,
	.collect = collect,
};
