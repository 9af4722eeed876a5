// SPDX-License-Identifier: GPL-2.0-or-later
#include "evidence.h"

#include <stdarg.h>
#include <string.h>

#include "error.h"

struct krel_evidence *krel_evidence_add(struct krel_evidence_list *list,
					const char *anchor,
					enum krel_status status,
					const char *fmt, ...)
{
	struct krel_evidence *ev;
	va_list ap;

	/* A full list keeps its first items: the last slot is reused. */
	if (list->nr < KREL_EVIDENCE_MAX)
		list->nr++;
	ev = &list->item[list->nr - 1];
	memset(ev, 0, sizeof(*ev));
	ev->anchor = anchor;
	ev->status = status;
	va_start(ap, fmt);
	vsnprintf(ev->source, sizeof(ev->source), fmt, ap);
	va_end(ap);
	krel_text_sanitize(ev->source);
	return ev;
}

bool krel_evidence_claims(const struct krel_evidence *ev)
{
	return ev->status == KREL_OK &&
		(ev->virt_offset.known || ev->phys_base.known);
}

bool krel_evidence_given(const struct krel_evidence *ev)
{
	return strncmp(ev->anchor, "given: ", 7) == 0;
}
