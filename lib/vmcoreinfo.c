// SPDX-License-Identifier: GPL-2.0-or-later
#include "vmcoreinfo.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One line of the text; returns the position behind its newline. */
static size_t next_line(const struct krel_vmcoreinfo *vi, size_t pos,
			const char **line, size_t *len)
{
	const char *start = vi->text + pos;
	const char *nl = memchr(start, '\n', vi->len - pos);

	*line = start;
	*len = nl ? (size_t)(nl - start) : vi->len - pos;
	return pos + *len + (nl ? 1 : 0);
}

enum krel_status krel_vmcoreinfo_get(const struct krel_vmcoreinfo *vi,
				     const char *key, char *value,
				     size_t size)
{
	size_t klen = strlen(key), pos = 0;

	if (!vi->text)
		return KREL_ABSENT;
	while (pos < vi->len) {
		const char *line;
		size_t len;

		pos = next_line(vi, pos, &line, &len);
		if (len <= klen || line[klen] != '=' ||
		    memcmp(line, key, klen) != 0)
			continue;
		len -= klen + 1;
		if (len >= size || memchr(line + klen + 1, '\0', len))
			return KREL_CORRUPT;
		memcpy(value, line + klen + 1, len);
		value[len] = '\0';
		return KREL_OK;
	}
	return KREL_ABSENT;
}

static enum krel_status parse_hex(const char *text, uint64_t *value)
{
	unsigned long long v;
	char *end;

	if (!isxdigit((unsigned char)text[0]))
		return KREL_CORRUPT;
	errno = 0;
	v = strtoull(text, &end, 16);
	if (errno || *end)
		return KREL_CORRUPT;
	*value = v;
	return KREL_OK;
}

enum krel_status krel_vmcoreinfo_hex(const struct krel_vmcoreinfo *vi,
				     const char *key, uint64_t *value)
{
	char text[32];
	enum krel_status st = krel_vmcoreinfo_get(vi, key, text, sizeof(text));

	return st == KREL_OK ? parse_hex(text, value) : st;
}

enum krel_status krel_vmcoreinfo_symbol(const struct krel_vmcoreinfo *vi,
					const char *name, uint64_t *run_va)
{
	char key[80];

	snprintf(key, sizeof(key), "SYMBOL(%s)", name);
	return krel_vmcoreinfo_hex(vi, key, run_va);
}

enum krel_status krel_vmcoreinfo_number(const struct krel_vmcoreinfo *vi,
					const char *name, int64_t *value)
{
	char key[80], text[32], *end;
	enum krel_status st;
	long long v;

	snprintf(key, sizeof(key), "NUMBER(%s)", name);
	st = krel_vmcoreinfo_get(vi, key, text, sizeof(text));
	if (st != KREL_OK)
		return st;
	if (text[0] != '-' && !isdigit((unsigned char)text[0]))
		return KREL_CORRUPT;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end || end == text)
		return KREL_CORRUPT;
	*value = v;
	return KREL_OK;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool krel_build_id_parse(const char *hex, struct krel_build_id *id)
{
	size_t len = strlen(hex);
	struct krel_build_id got = { .len = (unsigned int)(len / 2) };

	if (len == 0 || len % 2 || len / 2 > KREL_BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < len / 2; i++) {
		int hi = hex_digit(hex[2 * i]), lo = hex_digit(hex[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return false;
		got.byte[i] = (uint8_t)(hi << 4 | lo);
	}
	*id = got;
	return true;
}

enum krel_status krel_vmcoreinfo_build_id(const struct krel_vmcoreinfo *vi,
					  struct krel_build_id *id)
{
	char text[2 * KREL_BUILD_ID_MAX + 1];
	enum krel_status st;

	st = krel_vmcoreinfo_get(vi, "BUILD-ID", text, sizeof(text));
	if (st != KREL_OK)
		return st;
	return krel_build_id_parse(text, id) ? KREL_OK : KREL_CORRUPT;
}

enum krel_arch krel_vmcoreinfo_arch(const struct krel_vmcoreinfo *vi)
{
	char text[16];

	if (krel_vmcoreinfo_get(vi, "SIZE(list_head)", text, sizeof(text)) !=
	    KREL_OK)
		return KREL_ARCH_UNKNOWN;
	if (strcmp(text, "16") == 0)
		return KREL_ARCH_X86_64;
	return strcmp(text, "8") == 0 ? KREL_ARCH_I386 : KREL_ARCH_UNKNOWN;
}
