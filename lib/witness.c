// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * krel_confirm(): the kernel's identity at the place, and witnesses whose
 * values depend on the offsets. The identity alone would be borne out by any
 * stray copy of one page; the witnesses lie in other pages.
 */
#include "scene.h"

#include <string.h>

#include "bytes.h"

struct votes {
	unsigned int for_it, against;
	unsigned int for_place;		/* of those for it: the physical place */
	bool ran;			/* something only a run leaves behind */
	bool elsewhere;			/* a CPU runs another kernel */
	char names[128];	/* of those for it */
	char dissent[64];	/* the first one against */
};

static void vote(struct votes *v, const char *name, bool agrees)
{
	size_t used = strlen(v->names);

	if (agrees) {
		v->for_it++;
		snprintf(v->names + used, sizeof(v->names) - used, "%s%s",
			 used ? ", " : "", name);
	} else if (v->against++ == 0) {
		snprintf(v->dissent, sizeof(v->dissent), "%s", name);
	}
}

static enum krel_status read_word(const struct krel_scene *s, uint64_t link_va,
				  int64_t disp, uint64_t *word)
{
	uint8_t b[8];
	enum krel_status st;

	st = krel_image_read(s->image, krel_scene_phys(s, link_va, disp), b,
			     s->target->word_bytes, NULL);
	if (st == KREL_OK)
		*word = s->target->word_bytes == 8 ? krel_le64(b) :
			krel_le32(b);
	return st;
}

/* The same word as linked: from the file, else by its known meaning. */
static bool linked_word(const struct krel_scene *s, enum krel_sym sym,
			uint64_t link_va, uint64_t *word)
{
	uint64_t low = 0, high = 0;
	uint8_t b[8];

	if (krel_kernel_read(s->kernel, link_va, b, s->target->word_bytes) ==
	    KREL_OK) {
		*word = s->target->word_bytes == 8 ? krel_le64(b) :
			krel_le32(b);
		krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &low);
		return krel_kernel_sym(s->kernel, KREL_SYM_END, &high) &&
			*word >= low && *word < high;
	}
	/* x86-64's system call 0 is read(). */
	return sym == KREL_SYM_SYS_CALL_TABLE &&
		s->target->arch == KREL_ARCH_X86_64 &&
		(krel_kernel_sym(s->kernel, KREL_SYM_X64_SYS_READ, word) ||
		 krel_kernel_sym(s->kernel, KREL_SYM_SYS_READ, word));
}

/* A word that the kernel relocated: at run time it is larger by the offset. */
static void vote_pointer(const struct krel_scene *s, enum krel_sym sym,
			 const struct krel_candidate *c, struct votes *v)
{
	uint64_t va, linked, now;

	if (!krel_kernel_sym(s->kernel, sym, &va) ||
	    !linked_word(s, sym, va, &linked) ||
	    read_word(s, va, krel_displacement(c), &now) != KREL_OK)
		return;
	vote(v, krel_sym_name(sym),
	     krel_target_offset(s->target, now, linked) == c->virt_offset);
}

/* A gate of the kernel's own idt_table, as the candidate places it. */
static enum krel_status read_gate(const struct krel_scene *s,
				  const struct krel_candidate *c,
				  unsigned int vector, uint8_t gate[static 16])
{
	unsigned int size = krel_gate_size(s->target);
	uint64_t table;

	if (!krel_kernel_sym(s->kernel, KREL_SYM_IDT_TABLE, &table))
		return KREL_ABSENT;
	return krel_image_read(s->image,
			       krel_scene_phys(s, table + vector * size,
					       krel_displacement(c)),
			       gate, size, NULL);
}

static void vote_gate(const struct krel_scene *s, unsigned int vector,
		      const struct krel_candidate *c, struct votes *v)
{
	uint64_t link_va, handler;
	uint8_t gate[16];

	if (!krel_gate_symbol(s->kernel, vector, &link_va) ||
	    read_gate(s, c, vector, gate) != KREL_OK ||
	    !krel_gate_handler(s->target, gate, &handler))
		return;
	vote(v, vector ? "IDT gate 14" : "IDT gate 0",
	     krel_target_offset(s->target, handler, link_va) ==
	     c->virt_offset);
}

/* True when the handler lies in the candidate's kernel. */
static bool handler_inside(const struct krel_scene *s,
			   const struct krel_candidate *c, uint64_t handler)
{
	uint64_t low, high;

	if (!krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &low) ||
	    !krel_kernel_sym(s->kernel, KREL_SYM_END, &high))
		return false;
	low = krel_target_run_va(s->target, low, c->virt_offset);
	high = krel_target_run_va(s->target, high, c->virt_offset);
	return handler >= low && handler < high;
}

/*
 * A copy of vmlinux that never ran (in the page cache, or left by a boot
 * loader) looks like a kernel at its link-time place in all that is linked;
 * its IDT, which is filled at boot, is empty. Vectors 1 and 3 are set first,
 * also with FRED (since 6.9), which leaves out the others.
 */
static void vote_ran(const struct krel_scene *s,
		     const struct krel_candidate *c, struct votes *v)
{
	static const unsigned int vectors[] = { 0, 1, 3, 14 };
	bool readable = false;
	uint64_t handler;
	uint8_t gate[16];

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		if (read_gate(s, c, vectors[i], gate) != KREL_OK)
			continue;
		readable = true;
		if (krel_gate_handler(s->target, gate, &handler) &&
		    handler_inside(s, c, handler))
			v->ran = true;
	}
	if (readable && !v->ran)
		vote(v, "an IDT that no boot has filled", false);
}

/* A witness that a copy of the kernel elsewhere would not bear. */
static void vote_place(struct votes *v, const char *name, bool agrees)
{
	vote(v, name, agrees);
	if (agrees)
		v->for_place++;
}

static void vote_phys_base(const struct krel_scene *s,
			   const struct krel_candidate *c, struct votes *v)
{
	int64_t own;

	if (krel_place_phys_base(s, krel_displacement(c), &own) == KREL_OK)
		vote_place(v, "phys_base", own == c->phys_base);
}

/*
 * level3_kernel_pgt's entry for the kernel's map is the physical address of
 * level2_kernel_pgt: __startup_64() moved it by the displacement. Bits 46 and
 * up are left out: SME's encryption bit is one of them.
 */
static void vote_tables(const struct krel_scene *s,
			const struct krel_candidate *c, struct votes *v)
{
	const uint64_t mask = UINT64_C(0x00003ffffffff000);
	int64_t disp = krel_displacement(c);
	uint64_t level3, level2, entry;

	if (!s->target->has_phys_base ||
	    !krel_kernel_sym(s->kernel, KREL_SYM_LEVEL3_PGT, &level3) ||
	    !krel_kernel_sym(s->kernel, KREL_SYM_LEVEL2_PGT, &level2) ||
	    read_word(s, level3 + 510 * 8, disp, &entry) != KREL_OK)
		return;
	vote_place(v, "level3_kernel_pgt", (entry & mask) ==
		   krel_scene_phys(s, level2, disp));
}

/* Does this root map a kernel, at a place that the image has? */
static bool maps_a_kernel(const struct krel_scene *s)
{
	struct krel_candidate c;
	struct krel_mapping m;
	uint8_t byte;

	return krel_scene_first_page(s, &m, &c) == KREL_OK &&
		s->walk->trouble == KREL_OK &&
		m.va % s->target->min_align == 0 &&
		m.pa % s->target->min_align == 0 &&
		krel_image_read(s->image, m.pa, &byte, 1, NULL) == KREL_OK;
}

/*
 * Page tables tell the offsets apart on x86-64 only: the direct map of x86-32
 * maps every candidate alike. One CPU is enough here; the anchor tries all.
 * The kernel half of a PTI pair is looked at, whatever half CR3 names. A root
 * that maps a kernel, but not this one, is of another: this one may be the
 * crashed one beside its capture kernel, or a leftover.
 */
static void vote_walk(const struct krel_scene *s,
		      const struct krel_candidate *c, struct votes *v)
{
	const struct krel_image_facts *facts = &s->image->facts;
	uint64_t text, run, pa, here;

	if (!s->target->has_phys_base)
		return;
	krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &text);
	run = krel_target_run_va(s->target, text, c->virt_offset);
	here = krel_scene_phys(s, text, krel_displacement(c));
	for (size_t i = 0; i < facts->nr_cpus; i++) {
		enum krel_paging_mode mode;
		enum krel_status st;

		if (krel_paging_mode_of(s->target->arch, &facts->cpu[i],
					&mode) != KREL_OK)
			continue;
		krel_walk_init(s->walk, s->image, mode,
			       facts->cpu[i].cr3 & ~KREL_CR3_PTI_HALF);
		st = krel_walk_translate(s->walk, run, &pa);
		if (st == KREL_OK) {
			v->ran = v->ran || pa == here;
			vote_place(v, "page tables", pa == here);
			v->elsewhere = false;
			return;
		}
		if (st == KREL_ABSENT && maps_a_kernel(s))
			v->elsewhere = true;
	}
}

static void gather_votes(const struct krel_scene *s,
			 const struct krel_candidate *c, struct votes *v)
{
	vote_pointer(s, KREL_SYM_SYS_CALL_TABLE, c, v);
	vote_pointer(s, KREL_SYM_START_PARAM, c, v);
	vote_gate(s, 0, c, v);
	vote_gate(s, 14, c, v);
	vote_ran(s, c, v);
	vote_phys_base(s, c, v);
	vote_tables(s, c, v);
	vote_walk(s, c, v);
}

static const char *place_text(enum krel_status st)
{
	switch (st) {
	case KREL_ABSENT:
		return "is not in the dump";
	case KREL_FILTERED:
		return "was filtered out of the dump";
	case KREL_CONTRADICTS:
		return "holds something else";
	default:
		return "cannot be read";
	}
}

enum krel_status krel_confirm(const struct krel_scene *s,
			      const struct krel_candidate *c,
			      enum krel_match *match,
			      char why[static KREL_NOTE_LEN])
{
	unsigned int needed = s->target->has_phys_base ? 2 : 1;
	int64_t disp = krel_displacement(c);
	struct votes v = { 0 };
	enum krel_match how;
	enum krel_status st;

	st = krel_place_check(s, disp, &how);
	if (st != KREL_OK) {
		snprintf(why, KREL_NOTE_LEN,
			 "the kernel's identity, expected near physical 0x%llx, %s",
			 (unsigned long long)krel_scene_phys(s,
				krel_kernel_map_base(s->kernel), disp),
			 place_text(st));
		return st;
	}
	/* Without a build-id or banner to compare, more has to agree. */
	if (how == KREL_MATCH_CONTENT)
		needed++;
	gather_votes(s, c, &v);
	if (v.against > 0) {
		snprintf(why, KREL_NOTE_LEN, "%s speaks against it",
			 v.dissent);
		return KREL_CONTRADICTS;
	}
	if (v.for_it < needed) {
		snprintf(why, KREL_NOTE_LEN,
			 "the identity is there, but only %u of %u witnesses could be read%s%s",
			 v.for_it, needed, v.for_it ? ": " : "", v.names);
		return KREL_UNREADABLE;
	}
	/*
	 * A copy of the kernel's constant pages bears the identity and the
	 * pointers too: on x86-64, where these do not depend on the place,
	 * something else has to.
	 */
	if (s->target->has_phys_base && v.for_place == 0) {
		snprintf(why, KREL_NOTE_LEN,
			 "the identity is there and %s agree, but nothing tells it from a copy",
			 v.names);
		return KREL_UNREADABLE;
	}
	if (v.elsewhere) {
		snprintf(why, KREL_NOTE_LEN,
			 "the identity is there and %s agree, but the page tables of a CPU are of another kernel",
			 v.names);
		return KREL_UNREADABLE;
	}
	if (!v.ran) {
		snprintf(why, KREL_NOTE_LEN,
			 "the identity is there and %s agree, but nothing tells that this kernel ran",
			 v.names);
		return KREL_UNREADABLE;
	}
	snprintf(why, KREL_NOTE_LEN, "%s at its place; %s agree",
		 krel_match_name(how), v.names);
	*match = how;
	return KREL_OK;
}
