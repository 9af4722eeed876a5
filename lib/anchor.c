// SPDX-License-Identifier: GPL-2.0-or-later
#include "anchor.h"

/* Cheapest first. */
static const struct krel_anchor_ops *const anchors[] = {
	&krel_anchor_vmcoreinfo,
	&krel_anchor_phdr,
	&krel_anchor_pgtable,
	&krel_anchor_idt,
	&krel_anchor_probe,
};

enum krel_status krel_anchors_run(const struct krel_scene *s, bool expensive,
				  struct krel_evidence_list *out,
				  struct krel_error *err)
{
	for (size_t i = 0; i < sizeof(anchors) / sizeof(anchors[0]); i++) {
		enum krel_status st;

		if (anchors[i]->expensive != expensive)
			continue;
		st = anchors[i]->collect(s, out, err);
		if (st != KREL_OK)
			return st;
	}
	return KREL_OK;
}
