// SPDX-License-Identifier: GPL-2.0-or-later
#include "anchor.h"

/* Cheapest first. */
static const struct krel_anchor_ops *const anchors[] = {
	&krel_anchor_vmcoreinfo,
	&krel_anchor_phdr,
	&krel_anchor_pgtable,
	&krel_anchor_idt,
	&krel_anchor_given,
	&krel_anchor_live,
	&krel_anchor_probe,
	&krel_anchor_memnote,
	&krel_anchor_shape,
	&krel_anchor_kallsyms,
};

const struct krel_anchor_ops *krel_anchor_at(size_t index)
{
	return index < sizeof(anchors) / sizeof(anchors[0]) ? anchors[index] :
		NULL;
}
