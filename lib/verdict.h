/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From evidence to an answer. A pure function: it never sees memory. */
#ifndef KREL_VERDICT_H
#define KREL_VERDICT_H

#include "evidence.h"

struct krel_verdict {
	enum krel_outcome outcome;
	struct krel_s64 virt_offset;	/* unknown on conflict */
	struct krel_s64 phys_base;
	bool virt_verified, phys_verified;
};

/**
 * Judge. A dissenting claim is a conflict, never outvoted, whatever else is
 * verified. Two items of one anchor are one vote. Zero is a value.
 */
struct krel_verdict krel_verdict_from(const struct krel_evidence *ev,
				      unsigned int nr);

#endif
