// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the caller says: an offset, phys_base, a root of page tables, the text
 * of a VMCOREINFO note. It is a claim like any other, and is verified.
 */
#include "anchor.h"

static const char offset_name[] = "given: offset";
static const char note_name[] = "given: note";
static const char cr3_name[] = "given: CR3";

static void fill_places(const struct krel_scene *s, struct krel_evidence *ev)
{
	uint64_t text;

	if (!s->kernel || !ev->virt_offset.known)
		return;
	krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &text);
	ev->link = krel_u64(text);
	ev->run = krel_u64(krel_target_run_va(s->target, text,
					      ev->virt_offset.v));
}

static void claim_offset(const struct krel_scene *s,
			 const struct krel_given *g,
			 struct krel_evidence_list *out)
{
	bool phys = g->phys_base.known && s->target->has_phys_base;
	struct krel_evidence *ev;

	if (g->phys_base.known && !phys)
		krel_evidence_add(out, offset_name, KREL_ABSENT,
				  "phys_base is of no use: x86-32 has none");
	if (!g->virt_offset.known && !phys)
		return;
	ev = krel_evidence_add(out, offset_name, KREL_OK, "%s, as told",
			       !phys ? "virtual offset" :
			       g->virt_offset.known ?
			       "virtual offset and phys_base" : "phys_base");
	if (phys)
		ev->phys_base = g->phys_base;
	/* On x86-32 0xff000000 and -0x1000000 are the same. */
	if (g->virt_offset.known)
		ev->virt_offset = krel_s64(krel_target_offset(s->target,
			(uint64_t)g->virt_offset.v, 0));
	fill_places(s, ev);
}

/* Does the arch page with so many levels, where the caller said any? */
static bool mode_fits(const struct krel_scene *s, enum krel_paging_mode mode,
		      unsigned int levels)
{
	unsigned int own = krel_paging_levels(mode);

	if (levels && levels != own)
		return false;
	return s->target->word_bytes == 8 ? own >= 4 : own < 4;
}

/* Of several forms the one that fits makes a claim; else all are told. */
static enum krel_status claim_cr3(const struct krel_scene *s,
				  const struct krel_given *g,
				  struct krel_evidence_list *out)
{
	static const enum krel_paging_mode modes[] = {
		KREL_PAGING_4LEVEL, KREL_PAGING_5LEVEL, KREL_PAGING_PAE,
		KREL_PAGING_2LEVEL,
	};
	unsigned int before = out->nr;

	if (!s->target->has_phys_base && !s->kernel) {
		krel_evidence_add(out, cr3_name, KREL_ABSENT,
			"on x86-32 page tables need a vmlinux to compare with");
		return KREL_OK;
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		enum krel_status st;

		if (!mode_fits(s, modes[i], g->levels))
			continue;
		st = krel_anchor_claim_root(s, cr3_name, "as told",
					    g->cr3.v, modes[i], out);
		if (st != KREL_OK)
			return st;
		if (out->item[out->nr - 1].status == KREL_OK) {
			/* What the other form failed at is of no interest. */
			out->item[before] = out->item[out->nr - 1];
			out->nr = before + 1;
			break;
		}
	}
	if (out->nr == before)
		krel_evidence_add(out, cr3_name, KREL_ABSENT,
				  "%s has no page tables of %u levels",
				  s->target->name, g->levels);
	return KREL_OK;
}

static enum krel_status collect(const struct krel_scene *s,
				struct krel_evidence_list *out,
				struct krel_error *err)
{
	const struct krel_given *g = s->opts ? s->opts->given : NULL;
	const struct krel_vmcoreinfo vi = {
		g ? g->vmcoreinfo.text : NULL, g ? g->vmcoreinfo.len : 0,
	};

	(void)err;
	if (!g)
		return KREL_OK;
	if (vi.text)
		krel_anchor_claim_note(s, &vi, note_name, "VMCOREINFO as told",
				       out);
	claim_offset(s, g, out);
	return g->cr3.known ? claim_cr3(s, g, out) : KREL_OK;
}

const struct krel_anchor_ops krel_anchor_given = {
	.name = "given",
	.collect = collect,
};
