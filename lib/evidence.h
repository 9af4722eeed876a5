/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the anchors said: a bounded list that only grows. */
#ifndef KREL_EVIDENCE_H
#define KREL_EVIDENCE_H

#include "krel.h"

struct krel_evidence_list {
	unsigned int nr;
	struct krel_evidence item[KREL_EVIDENCE_MAX];
};

/**
 * Append what an anchor said.
 *
 * @param anchor  Constant name.
 * @param fmt     The source: what was read, or why there is nothing.
 * @return The new item, to be given its numbers; never NULL: when the list
 *         is full its last slot is used again.
 */
struct krel_evidence *krel_evidence_add(struct krel_evidence_list *list,
					const char *anchor,
					enum krel_status status,
					const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** True when the item claims something: status KREL_OK and a number. */
bool krel_evidence_claims(const struct krel_evidence *ev);

/** True when it comes from the caller: its anchor begins with "given: ". */
bool krel_evidence_given(const struct krel_evidence *ev);

static inline struct krel_u64 krel_u64(uint64_t v)
{
	return (struct krel_u64){ true, v };
}

static inline struct krel_s64 krel_s64(int64_t v)
{
	return (struct krel_s64){ true, v };
}

#endif
