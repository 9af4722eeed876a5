// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ELF program headers. /proc/vmcore, /proc/kcore and QEMU's paging mode
 * state virtual addresses: a segment inside the kernel's map gives phys_base
 * at once, and where it starts at _text also the virtual offset. On x86-32
 * they state the direct map only, which every offset shares.
 */
#include "anchor.h"

static const char name[] = "program headers";

static const struct krel_segment *lowest_in_map(const struct krel_scene *s)
{
	const struct krel_image_facts *facts = &s->image->facts;
	const struct krel_segment *low = NULL;

	for (size_t i = 0; i < facts->nr_segments; i++) {
		const struct krel_segment *seg = &facts->segment[i];

		/* Older /proc/kcore leaves p_paddr 0; no kernel runs there. */
		if (seg->pa != 0 && seg->va >= s->target->map_base &&
		    seg->va < s->target->map_end &&
		    (!low || seg->va < low->va))
			low = seg;
	}
	return low;
}

static void add_claim(const struct krel_scene *s,
		      const struct krel_segment *seg,
		      struct krel_evidence_list *out)
{
	struct krel_candidate c = {
		.phys_base = (int64_t)(seg->pa -
				       (seg->va - s->target->map_base)),
	};
	struct krel_evidence *ev;
	uint64_t text;

	ev = krel_evidence_add(out, name, KREL_OK,
			       "PT_LOAD at 0x%llx in the kernel's map",
			       (unsigned long long)seg->va);
	ev->phys_base = krel_s64(c.phys_base);
	ev->run = krel_u64(seg->va);
	ev->phys = krel_u64(seg->pa);
	if (!s->kernel || !krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &text))
		return;
	c.virt_offset = krel_target_offset(s->target, seg->va, text);
	/* The segment may start elsewhere: then it gives phys_base only. */
	if (krel_place_check(s, krel_displacement(&c), NULL) != KREL_OK)
		return;
	ev->virt_offset = krel_s64(c.virt_offset);
	ev->link = krel_u64(text);
}

static enum krel_status collect(const struct krel_scene *s,
				struct krel_evidence_list *out,
				struct krel_error *err)
{
	const struct krel_segment *seg;

	(void)err;
	if (!s->target->has_phys_base) {
		krel_evidence_add(out, name, KREL_ABSENT,
			"on x86-32 they state the direct map only");
		return KREL_OK;
	}
	seg = lowest_in_map(s);
	if (seg)
		add_claim(s, seg, out);
	else
		krel_evidence_add(out, name, KREL_ABSENT,
			s->image->facts.nr_segments ?
			"no PT_LOAD lies in the kernel's map" :
			"the dump has no program headers");
	return KREL_OK;
}

const struct krel_anchor_ops krel_anchor_phdr = {
	.name = name,
	.collect = collect,
};
