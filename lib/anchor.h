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
	/** Reads much: run only when the others gave nothing verified. */
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
extern const struct krel_anchor_ops krel_anchor_probe;

/** Run all anchors that are expensive, or all that are not. */
enum krel_status krel_anchors_run(const struct krel_scene *s, bool expensive,
				  struct krel_evidence_list *out,
				  struct krel_error *err);

#endif
