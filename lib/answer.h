/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From collected evidence to the result that the caller gets. */
#ifndef KREL_ANSWER_H
#define KREL_ANSWER_H

#include "evidence.h"
#include "identify.h"
#include "scene.h"

/** One krel_solve() under way; on the heap. */
struct krel_session {
	struct krel_scene scene;
	struct krel_evidence_list list;
	bool judged[KREL_EVIDENCE_MAX];
	struct krel_walk walk;
	struct krel_scan scan;
	struct krel_result *r;
};

/** Judge the evidence and fill s->r. KREL_OK, KREL_NOMEM, KREL_INTERRUPTED. */
enum krel_status krel_answer_fill(struct krel_session *s);

/** Identity from what the container states, without a look at memory. */
void krel_answer_stated(const struct krel_image_facts *facts,
			struct krel_result *r);

/** Identity, and arch where unknown, by a scan of all memory. */
enum krel_status krel_answer_scan(struct krel_image *img,
				  const struct krel_options *opts,
				  struct krel_scan *scan,
				  struct krel_result *r);

/** Note something that the dump or the caller lacks. */
void krel_answer_missing(struct krel_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** True when the image bore out at least one claim. */
bool krel_any_verified(const struct krel_evidence_list *list);

#endif
