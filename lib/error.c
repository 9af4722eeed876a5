// SPDX-License-Identifier: GPL-2.0-or-later
#include "error.h"

#include <stdarg.h>
#include <string.h>

void krel_text_sanitize(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7f)
			*s = '?';
}

/* An error names files, whose names may be UTF-8: only controls go. */
static void drop_controls(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

enum krel_status krel_error_set(struct krel_error *err, enum krel_status st,
				const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return st;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	drop_controls(err->text);
	return st;
}

enum krel_status krel_error_prepend(struct krel_error *err,
				    enum krel_status st, const char *fmt, ...)
{
	char tail[sizeof(err->text)];
	size_t used;
	va_list ap;
	int n;

	if (!err)
		return st;
	memcpy(tail, err->text, sizeof(tail));
	va_start(ap, fmt);
	n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	used = (size_t)n < sizeof(err->text) ? (size_t)n : sizeof(err->text) - 1;
	n = snprintf(err->text + used, sizeof(err->text) - used, ": %s", tail);
	(void)n; /* what does not fit is cut off: it is one line for a person */
	drop_controls(err->text);
	return st;
}
