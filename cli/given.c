// SPDX-License-Identifier: GPL-2.0-or-later
#include "given.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The largest: /proc/kallsyms of a kernel with many modules is 20 MiB. */
#define MAX_FILE	((size_t)64 << 20)
#define CHUNK		((size_t)1 << 20)

/* Digits, hexadecimal behind 0x; nothing else before or behind them. */
static bool parse_u64(const char *text, uint64_t *v)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	unsigned long long n;
	char *end;

	if (!digits[0] || strspn(digits, hex ? "0123456789abcdefABCDEF" :
				 "0123456789") != strlen(digits))
		return false;
	errno = 0;
	n = strtoull(digits, &end, hex ? 16 : 10);
	*v = n;
	return errno == 0;
}

/* With a sign, or as a 64-bit word in hexadecimal. */
static bool parse_s64(const char *text, int64_t *v)
{
	bool negative = text[0] == '-';
	bool sign = negative || text[0] == '+';
	const uint64_t limit = (uint64_t)INT64_MAX + negative;
	uint64_t n;

	if (!parse_u64(text + sign, &n))
		return false;
	if (n > limit && (sign || strncmp(text, "0x", 2) != 0))
		return false;
	*v = (int64_t)(negative ? 0 - n : n);
	return true;
}

static bool take_number(struct krel_given *g, int c, const char *arg)
{
	struct krel_s64 s = { .known = true };
	struct krel_u64 u = { .known = true };
	bool ok = false;

	switch (c) {
	case KREL_CLI_VIRT_OFFSET:
		ok = parse_s64(arg, &s.v);
		g->virt_offset = s;
		break;
	case KREL_CLI_PHYS_BASE:
		ok = parse_s64(arg, &s.v);
		g->phys_base = s;
		break;
	case KREL_CLI_CR3:
		ok = parse_u64(arg, &u.v);
		g->cr3 = u;
		break;
	case KREL_CLI_LEVELS:
		ok = arg[0] >= '2' && arg[0] <= '5' && !arg[1];
		g->levels = (unsigned int)(arg[0] - '0');
		break;
	}
	if (!ok)
		fprintf(stderr, "krel: \"%s\": expected %s\n", arg,
			c == KREL_CLI_LEVELS ? "2, 3, 4 or 5 levels" :
			c == KREL_CLI_CR3 ? "a physical address, such as 0x2a10000" :
			"a signed number of bytes, such as -0x18c00000");
	return ok;
}

/* To the end: files of /proc state no size. */
static char *read_all(FILE *in, size_t *len)
{
	char *buf = NULL;

	for (*len = 0; ; ) {
		char *more = realloc(buf, *len + CHUNK);
		size_t n;

		if (!more)
			break;
		buf = more;
		n = fread(buf + *len, 1, CHUNK, in);
		*len += n;
		if (n < CHUNK && !ferror(in))
			return buf;
		if (ferror(in))
			break;
		errno = EFBIG;
		if (*len > MAX_FILE)
			break;
	}
	free(buf);
	return NULL;
}

static char *read_file(const char *path, size_t *len)
{
	FILE *in = fopen(path, "rb");
	char *buf = in ? read_all(in, len) : NULL;

	if (!buf)
		fprintf(stderr, "krel: %s: cannot read: %s\n", path,
			strerror(errno));
	if (in)
		fclose(in);
	if (buf && *len == 0) {
		fprintf(stderr, "krel: %s: expected text, found an empty file\n",
			path);
		free(buf);
		buf = NULL;
	}
	return buf;
}

static bool take_file(struct krel_cli_given *g, int c, const char *path)
{
	struct krel_text *const place[] = {
		&g->given.vmcoreinfo, &g->given.kallsyms, &g->given.iomem,
		&g->given.dmesg, &g->given.boot_params,
	};
	int i = c - KREL_CLI_TEXT;
	size_t len = 0;

	free(g->text[i]);
	g->text[i] = read_file(path, &len);
	*place[i] = (struct krel_text){ g->text[i], len };
	return g->text[i] != NULL;
}

int krel_cli_given_take(struct krel_cli_given *g, int c, const char *arg)
{
	if (c < KREL_CLI_GIVEN_FIRST || c >= KREL_CLI_GIVEN_END)
		return 0;
	g->any = true;
	if (!(c < KREL_CLI_TEXT ? take_number(&g->given, c, arg) :
	      take_file(g, c, arg)))
		return -1;
	return 1;
}

void krel_cli_given_free(struct krel_cli_given *g)
{
	for (size_t i = 0; i < sizeof(g->text) / sizeof(g->text[0]); i++)
		free(g->text[i]);
}

static enum krel_status nothing_to_read(void *arg, uint64_t pa, void *buf,
					size_t len, struct krel_error *err)
{
	(void)arg, (void)pa, (void)buf, (void)len, (void)err;
	return KREL_ABSENT;
}

static enum krel_status no_range(void *arg, uint64_t pa,
				 struct krel_range *out)
{
	(void)arg, (void)pa, (void)out;
	return KREL_ABSENT;
}

enum krel_status krel_cli_no_image(struct krel_image **out,
				   struct krel_error *err)
{
	static const struct krel_host_ops ops = { nothing_to_read, no_range };
	/* Without a format: there is no dump. */
	const struct krel_host_facts facts = { .format = "" };

	return krel_image_host(&ops, NULL, &facts, out, err);
}
