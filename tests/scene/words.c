// SPDX-License-Identifier: GPL-2.0-or-later
/* Words of a scene: numbers, sizes, key=value. */
#include "scene.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool fail(struct world *w, const char *fmt, ...)
{
	va_list ap;

	if (w->why[0])
		return false;
	va_start(ap, fmt);
	vsnprintf(w->why, sizeof(w->why), fmt, ap);
	va_end(ap);
	return false;
}

/* Hexadecimal, with or without 0x; "-" negates. 4K, 2M, 1G are decimal. */
bool number(const char *text, uint64_t *value)
{
	bool negative = *text == '-';
	size_t len = strlen(text);
	unsigned int shift = 0;
	unsigned long long v;
	char *end;

	if (negative)
		text++, len--;
	if (!len)
		return false;
	switch (text[len - 1]) {
	case 'K':
		shift = 10;
		break;
	case 'M':
		shift = 20;
		break;
	case 'G':
		shift = 30;
		break;
	}
	errno = 0;
	v = strtoull(text, &end, shift ? 10 : 16);
	if (errno || end == text || (shift ? end[1] : *end) != '\0')
		return false;
	v <<= shift;
	*value = negative ? -v : v;
	return true;
}

/* A number, or @SYMBOL[+N]: its physical place in the kernel that runs. */
static bool place_or_number(const struct world *w, const char *text,
			    uint64_t *value)
{
	uint64_t plus = 0, va;
	const char *sign;
	char name[48];

	if (*text != '@')
		return number(text, value);
	sign = strchr(text, '+');
	snprintf(name, sizeof(name), "%.*s",
		 sign ? (int)(sign - text - 1) : 47, text + 1);
	if ((sign && !number(sign + 1, &plus)) || !kernel_find(w, name, &va))
		return false;
	*value = kernel_phys(w, va, &w->truth) + plus;
	return true;
}

const char *arg(struct line *l, const char *key)
{
	size_t len = strlen(key);

	for (int i = 1; i < l->argc; i++)
		if (strncmp(l->argv[i], key, len) == 0 &&
		    l->argv[i][len] == '=') {
			l->used[i] = true;
			return l->argv[i] + len + 1;
		}
	return NULL;
}

uint64_t arg_number(struct world *w, struct line *l, const char *key,
		    uint64_t otherwise)
{
	const char *text = arg(l, key);
	uint64_t v = otherwise;

	if (text && !place_or_number(w, text, &v))
		fail(w, "%s: expected a number, found %s", key, text);
	return v;
}

uint64_t word_number(struct world *w, struct line *l, int i)
{
	uint64_t v = 0;

	if (i >= l->argc)
		fail(w, "%s: word %d is missing", l->argv[0], i);
	else if (!place_or_number(w, l->argv[i], &v))
		fail(w, "%s: expected a number, found %s", l->argv[0],
		     l->argv[i]);
	else
		l->used[i] = true;
	return v;
}
