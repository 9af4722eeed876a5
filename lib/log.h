/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between log.c and the readers of the two forms that the log has had. */
#ifndef LOG_H
#define LOG_H

#include "krel_log.h"

#include "view.h"
#include "vmcoreinfo.h"

#define KREL_LOG_TEXT_MAX	65536	/* a record's text_len is 16 bits */

struct krel_log {
	struct krel_view *view;
	struct krel_vmcoreinfo vi;
	krel_log_visit *visit;
	void *arg;
	uint8_t text[KREL_LOG_TEXT_MAX];
	char missing[96];	/* the field that the note lacks */
};

/** A field of the note, KIND(NAME), into @value. False notes it missing. */
bool krel_log_field(struct krel_log *log, const char *kind, const char *name,
		    uint64_t *value);

/** Address of a variable: by the note, else by the kernel's symbols. */
enum krel_status krel_log_variable(const struct krel_log *log,
				   const char *name, uint64_t *va);

/** Hand a record out: its text is @len bytes at @va. False: stop. */
bool krel_log_emit(struct krel_log *log, uint64_t ns, uint64_t va,
		   size_t len);

/** Hand a record out whose text is not there. False: stop. */
bool krel_log_emit_lost(struct krel_log *log, uint64_t ns,
			enum krel_status why);

/**
 * Walk a log of one form. KREL_ABSENT: the kernel has none of this form, or
 * the note lacks log->missing.
 */
enum krel_status krel_log_ring(struct krel_log *log, struct krel_error *err);
enum krel_status krel_log_records(struct krel_log *log,
				  struct krel_error *err);

#endif
