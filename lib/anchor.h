/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An anchor: a place whose link-time and run-time values are both knowable.
 * Adding one is a file with one struct krel_anchor_ops, a row in anchor.c,
 * and a scene in tests/.
 */
#ifndef KREL_ANCHOR_H
#define KREL_ANCHOR_H

#include "evidence.h"
#include "scene.h"

struct krel_anchor_ops {
	const char *name;
	/** Reads much: run only while nothing is verified. */
	bool expensive;
	/**
	 * Add what is found to @out, also the reason when nothing is.
	 *
	 * @return KREL_OK; KREL_NOMEM or KREL_INTERRUPTED end the run. All
	 *         other trouble is evidence of that status.
	 */
	enum krel_status (*collect)(const struct krel_scene *s,
				    struct krel_evidence_list *out,
				    struct krel_error *err);
};

extern const struct krel_anchor_ops krel_anchor_vmcoreinfo;
extern const struct krel_anchor_ops krel_anchor_phdr;
extern const struct krel_anchor_ops krel_anchor_pgtable;
extern const struct krel_anchor_ops krel_anchor_idt;
extern const struct krel_anchor_ops krel_anchor_given;
extern const struct krel_anchor_ops krel_anchor_live;
extern const struct krel_anchor_ops krel_anchor_probe;
extern const struct krel_anchor_ops krel_anchor_memnote;
extern const struct krel_anchor_ops krel_anchor_shape;
extern const struct krel_anchor_ops krel_anchor_kallsyms;

/** Anchor of a claim that x86-32 does not trust alone. */
extern const char krel_anchor_dmesg_name[];

/** The table's rows in order, cheapest first; NULL behind the last. */
const struct krel_anchor_ops *krel_anchor_at(size_t index);

/**
 * Add what a VMCOREINFO text claims, wherever it was found.
 *
 * @param anchor  Name of the anchor that found it.
 * @param where   Where, for the report, e.g. "VMCOREINFO".
 */
void krel_anchor_claim_note(const struct krel_scene *s,
			    const struct krel_vmcoreinfo *vi,
			    const char *anchor, const char *where,
			    struct krel_evidence_list *out);

/**
 * Add what the page tables under a root say, wherever the root came from.
 *
 * @param anchor  Name of the anchor that has it.
 * @param who     Whose root, for the report, e.g. "CPU 0".
 * @return KREL_OK; KREL_NOMEM; KREL_INTERRUPTED.
 */
enum krel_status krel_anchor_claim_root(const struct krel_scene *s,
					const char *anchor, const char *who,
					uint64_t cr3,
					enum krel_paging_mode mode,
					struct krel_evidence_list *out);

#endif
