/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's log, out of its memory: what dmesg would print. */
#ifndef KREL_LOG_H
#define KREL_LOG_H

#include "krel_view.h"

/** One record. What it points to is valid during the visit. */
struct krel_log_record {
	uint64_t ns;		/* since boot */
	/** KREL_OK; else why its text could not be read. A record whose text
	 * the kernel itself had already overwritten is KREL_ABSENT. */
	enum krel_status status;
	const char *text;	/* raw bytes, may hold newlines and anything */
	size_t len;
};

/** Called for each record, oldest first; false ends the walk. */
typedef bool krel_log_visit(void *arg, const struct krel_log_record *rec);

/**
 * Read the log: the ring of descriptors of Linux 5.10 and later, or the
 * buffer of records of 3.5 to 5.9. Where its fields are is told by the
 * VMCOREINFO of the kernel, from its own memory or else from the dump.
 *
 * @return KREL_OK, also when the visit ended it or single records could not
 *         be read; KREL_ABSENT (no such log, or no VMCOREINFO that tells its
 *         fields); KREL_FILTERED, KREL_UNREADABLE (its head is not there);
 *         KREL_CORRUPT (its sizes make no sense); KREL_INTERRUPTED;
 *         KREL_NOMEM.
 */
enum krel_status krel_log_read(struct krel_view *v, krel_log_visit *visit,
			       void *arg, struct krel_error *err);

#endif
