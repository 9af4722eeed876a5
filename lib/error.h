/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KREL_ERROR_H
#define KREL_ERROR_H

#include "krel.h"

/**
 * Set the text and return @st, so that a failure is one statement:
 * `return krel_error_set(err, KREL_CORRUPT, "...")`. @err may be NULL.
 * Control characters, which may come from a dump, become '?'.
 */
enum krel_status krel_error_set(struct krel_error *err, enum krel_status st,
				const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Put "text: " before what is there, and return @st. */
enum krel_status krel_error_prepend(struct krel_error *err,
				    enum krel_status st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Make a string from a dump fit for a terminal and for JSON: what is not
 * printable ASCII becomes '?'. */
void krel_text_sanitize(char *s);

#endif
