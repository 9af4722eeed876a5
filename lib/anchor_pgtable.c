// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page tables, from the CR3 of each CPU that the dump has registers of.
 *
 * x86-64: the first page that the kernel's map has is _text. x86-32: the
 * kernel lies in the direct map, and the edges of protection tell:
 * mark_rodata_ro() makes text read-only and executable from _text on. Each
 * candidate is checked against the kernel's identity before it becomes a
 * claim.
 *
 * CR3 may be a user half (PTI, since 4.15): the kernel half is the page
 * below it. Both are tried.
 */
#include "anchor.h"

static const char name[] = "page tables";

#define MAX_EDGES	512
#define MAX_REPORTED	16

struct try {
	enum krel_status st;	/* KREL_OK: a claim */
	struct krel_candidate c;
	uint64_t link, run, phys;
};

/* Keep the better of two failures: the one that got further. */
static void keep(struct try *best, const struct try *t)
{
	if (best->st == KREL_OK)
		return;
	if (t->st == KREL_OK || t->st == KREL_CONTRADICTS ||
	    best->st == KREL_ABSENT)
		*best = *t;
}

static enum krel_status trouble_of(const struct krel_walk *w)
{
	return w->trouble != KREL_OK ? w->trouble : KREL_ABSENT;
}

static enum krel_status walk_x86_64(const struct krel_scene *s, struct try *t)
{
	struct krel_mapping m;
	enum krel_status st;

	st = krel_scene_first_page(s, &m, &t->c);
	if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
		return st;
	t->st = st;
	if (st != KREL_OK)
		return KREL_OK;
	t->run = m.va;
	t->phys = m.pa;
	if (!s->kernel)
		return KREL_OK;
	krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &t->link);
	t->st = krel_place_check(s, krel_displacement(&t->c), NULL);
	if (t->st == KREL_NOMEM || t->st == KREL_INTERRUPTED)
		return t->st;
	/* Whole tables say where _text is, also when it cannot be read. */
	if (t->st != KREL_CONTRADICTS && s->walk->trouble == KREL_OK &&
	    !(s->walk->root & KREL_CR3_PTI_HALF))
		t->st = KREL_OK;
	return KREL_OK;
}

/* One edge of protection: is _text there? */
static bool edge_x86_32(const struct krel_scene *s,
			const struct krel_mapping *m, struct try *t)
{
	struct try e = { .run = m->va, .phys = m->pa };

	krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &e.link);
	e.c.virt_offset = krel_target_offset(s->target, m->va, e.link);
	if (!krel_target_plausible(s->target, e.c.virt_offset))
		return false;
	/* _text's own physical place, whatever the map says elsewhere. */
	if (krel_scene_phys(s, e.link, e.c.virt_offset) != m->pa)
		return false;
	e.st = krel_place_check(s, e.c.virt_offset, NULL);
	keep(t, &e);
	return e.st == KREL_OK;
}

static enum krel_status walk_x86_32(const struct krel_scene *s, struct try *t)
{
	uint64_t va = krel_kernel_map_base(s->kernel);
	struct krel_mapping m, prev = { 0 };
	unsigned int edges = 0;
	enum krel_status st;

	while ((st = krel_walk_next(s->walk, va, s->target->map_end, &m)) ==
	       KREL_OK) {
		bool edge = m.va != prev.va + prev.size ||
			m.writable != prev.writable ||
			m.executable != prev.executable;

		if (edge && (m.executable || !m.writable)) {
			if (edge_x86_32(s, &m, t))
				return KREL_OK;
			if (++edges == MAX_EDGES)
				break;
		}
		if (m.va + m.size <= va || krel_scene_interrupted(s))
			break;
		prev = m;
		va = m.va + m.size;
	}
	if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
		return st;
	if (edges == 0)
		t->st = trouble_of(s->walk);
	return KREL_OK;
}

static enum krel_status try_root(const struct krel_scene *s,
				 enum krel_paging_mode mode, uint64_t root,
				 struct try *best)
{
	struct try t = { .st = KREL_ABSENT };
	enum krel_status st;

	krel_walk_init(s->walk, s->image, mode, root);
	st = s->target->has_phys_base ? walk_x86_64(s, &t) :
		walk_x86_32(s, &t);
	if (st == KREL_OK)
		keep(best, &t);
	return st;
}

static void report(const struct krel_scene *s, const char *anchor,
		   const char *who, uint64_t cr3, enum krel_paging_mode mode,
		   const struct try *t, struct krel_evidence_list *out)
{
	static const char *const form[] = {
		[KREL_PAGING_2LEVEL] = "2-level", [KREL_PAGING_PAE] = "PAE",
		[KREL_PAGING_4LEVEL] = "4-level",
		[KREL_PAGING_5LEVEL] = "5-level",
	};
	bool found = t->st == KREL_OK || t->st == KREL_CONTRADICTS;
	struct krel_evidence *ev;

	ev = krel_evidence_add(out, anchor, t->st, "%s, CR3 0x%llx, %s%s",
		who, (unsigned long long)cr3, form[mode],
		t->st == KREL_CONTRADICTS ?
		": the kernel of the vmlinux is not where they begin" :
		t->st == KREL_OK ? "" : ": no kernel found in them");
	if (!found)
		return;
	ev->run = krel_u64(t->run);
	ev->phys = krel_u64(t->phys);
	if (s->target->has_phys_base)
		ev->phys_base = krel_s64(t->c.phys_base);
	if (s->kernel) {
		ev->link = krel_u64(t->link);
		ev->virt_offset = krel_s64(t->c.virt_offset);
	}
}

enum krel_status krel_anchor_claim_root(const struct krel_scene *s,
					const char *anchor, const char *who,
					uint64_t cr3,
					enum krel_paging_mode mode,
					struct krel_evidence_list *out)
{
	struct try best = { .st = KREL_ABSENT };
	enum krel_status st;

	st = try_root(s, mode, cr3 & ~KREL_CR3_PTI_HALF, &best);
	if (st == KREL_OK && best.st != KREL_OK && (cr3 & KREL_CR3_PTI_HALF))
		st = try_root(s, mode, cr3, &best);
	if (st == KREL_OK)
		report(s, anchor, who, cr3, mode, &best, out);
	return st;
}

/* Was this root already walked for an earlier CPU? */
static bool seen(const struct krel_image_facts *facts, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (facts->cpu[j].cr3 == facts->cpu[i].cr3 &&
		    facts->cpu[j].cr4 == facts->cpu[i].cr4)
			return true;
	return false;
}

static enum krel_status collect(const struct krel_scene *s,
				struct krel_evidence_list *out,
				struct krel_error *err)
{
	const struct krel_image_facts *facts = &s->image->facts;
	unsigned int tried = 0;

	(void)err;
	if (!s->target->has_phys_base && !s->kernel && facts->nr_cpus > 0) {
		krel_evidence_add(out, name, KREL_ABSENT,
			"on x86-32 they need a vmlinux to compare with");
		return KREL_OK;
	}
	for (size_t i = 0; i < facts->nr_cpus && tried < MAX_REPORTED; i++) {
		enum krel_paging_mode mode;
		enum krel_status st;
		char who[24];

		if (seen(facts, i) ||
		    krel_paging_mode_of(s->target->arch, &facts->cpu[i],
					&mode) != KREL_OK)
			continue;
		tried++;
		snprintf(who, sizeof(who), "CPU %u", facts->cpu[i].index);
		st = krel_anchor_claim_root(s, name, who, facts->cpu[i].cr3,
					    mode, out);
		if (st != KREL_OK)
			return st;
	}
	if (tried == 0)
		krel_evidence_add(out, name, KREL_ABSENT, facts->nr_cpus ?
			"no CPU had paging on" :
			"the dump carries no CPU registers");
	return KREL_OK;
}

const struct krel_anchor_ops krel_anchor_pgtable = {
	.name = name,
	.collect = collect,
};
