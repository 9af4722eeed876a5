// SPDX-License-Identifier: GPL-2.0-or-later
#include "verdict.h"

#include <string.h>

/* Fold one claim into the answer so far; false when they differ. */
static bool fold(struct krel_s64 *answer, bool *verified,
		 const struct krel_s64 *claim, bool claim_verified)
{
	if (!claim->known)
		return true;
	if (answer->known && answer->v != claim->v)
		return false;
	*answer = *claim;
	*verified = *verified || claim_verified;
	return true;
}

/* An anchor that claimed the offset before is no second vote. */
static bool first_of_anchor(const struct krel_evidence *ev, unsigned int i)
{
	for (unsigned int j = 0; j < i; j++)
		if (krel_evidence_claims(&ev[j]) && ev[j].virt_offset.known &&
		    strcmp(ev[j].anchor, ev[i].anchor) == 0)
			return false;
	return true;
}

struct krel_verdict krel_verdict_from(const struct krel_evidence *ev,
				      unsigned int nr)
{
	struct krel_verdict v = { .outcome = KREL_OUTCOME_NONE };
	unsigned int votes = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (!krel_evidence_claims(&ev[i]))
			continue;
		if (!fold(&v.virt_offset, &v.virt_verified,
			  &ev[i].virt_offset, ev[i].verified) ||
		    !fold(&v.phys_base, &v.phys_verified,
			  &ev[i].phys_base, ev[i].verified))
			return (struct krel_verdict){
				.outcome = KREL_OUTCOME_CONFLICT,
			};
		if (ev[i].virt_offset.known && first_of_anchor(ev, i))
			votes++;
	}
	if (votes > 0)
		v.outcome = votes == 1 ? KREL_OUTCOME_SINGLE :
			KREL_OUTCOME_AGREED;
	return v;
}
