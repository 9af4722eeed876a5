// SPDX-License-Identifier: GPL-2.0-or-later
#include "live.h"

#include <string.h>

#include "bytes.h"

/* A piece of text that is being read from its start. */
struct cursor {
	const char *p, *end;
};

static struct cursor next_line(const struct krel_text *t, size_t *pos)
{
	const char *start = t->text + *pos;
	const char *nl = memchr(start, '\n', t->len - *pos);
	struct cursor c = { start, nl ? nl : t->text + t->len };

	*pos = (size_t)(c.end - t->text) + (nl ? 1 : 0);
	return c;
}

static void skip_spaces(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
}

static bool take(struct cursor *c, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(c->end - c->p) < len || memcmp(c->p, word, len) != 0)
		return false;
	c->p += len;
	return true;
}

static int hex_digit(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	return ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

/* Hex digits, at most 16 of them; their number, or 0 when there is none. */
static unsigned int take_hex(struct cursor *c, uint64_t *v)
{
	unsigned int n = 0;

	for (*v = 0; c->p < c->end && hex_digit(*c->p) >= 0; c->p++) {
		if (++n > 16)
			return 0;
		*v = *v << 4 | (uint64_t)hex_digit(*c->p);
	}
	return n;
}

static bool take_0x(struct cursor *c, uint64_t *v)
{
	return take(c, "0x") && take_hex(c, v) > 0;
}

/* ------------------------------------------------------------- kallsyms */

/* ADDRESS TYPE NAME[\t[MODULE]] */
static bool symbol_line(struct cursor c, struct krel_live_symbol *out)
{
	struct krel_live_symbol s = { .digits = take_hex(&c, &s.run_va) };

	if ((s.digits != 8 && s.digits != 16) || !take(&c, " ") ||
	    c.end - c.p < 3)
		return false;
	s.type = *c.p++;
	if (!take(&c, " "))
		return false;
	s.name = c.p;
	while (c.p < c.end && *c.p > ' ')
		c.p++;
	s.name_len = (size_t)(c.p - s.name);
	skip_spaces(&c);
	s.module = c.p < c.end && *c.p == '[';
	if (s.name_len == 0)
		return false;
	*out = s;
	return true;
}

enum krel_status krel_live_kallsyms(const struct krel_text *t, size_t *pos,
				    struct krel_live_symbol *out)
{
	while (t->text && *pos < t->len)
		if (symbol_line(next_line(t, pos), out))
			return KREL_OK;
	return KREL_ABSENT;
}

enum krel_arch krel_live_kallsyms_arch(const struct krel_text *t)
{
	struct krel_live_symbol s;
	size_t pos = 0;

	if (krel_live_kallsyms(t, &pos, &s) != KREL_OK)
		return KREL_ARCH_UNKNOWN;
	return s.digits == 8 ? KREL_ARCH_I386 : KREL_ARCH_X86_64;
}

/* ---------------------------------------------------------------- iomem */

/* "  02a00000-02e000ff : Kernel code"; KREL_NOT_MINE: another line. */
static enum krel_status code_line(struct cursor c, uint64_t *start,
				  uint64_t *last)
{
	static const char label[] = " : Kernel code";
	const size_t len = sizeof(label) - 1;

	while (c.end > c.p && (c.end[-1] == ' ' || c.end[-1] == '\r'))
		c.end--;
	if ((size_t)(c.end - c.p) < len ||
	    memcmp(c.end - len, label, len) != 0)
		return KREL_NOT_MINE;
	skip_spaces(&c);
	if (!take_hex(&c, start) || !take(&c, "-") || !take_hex(&c, last) ||
	    c.p != c.end - len || *last < *start)
		return KREL_CORRUPT;
	return *last == 0 ? KREL_FILTERED : KREL_OK;
}

enum krel_status krel_live_iomem(const struct krel_text *t, uint64_t *pa)
{
	enum krel_status found = KREL_ABSENT;
	uint64_t first = 0;
	size_t pos = 0;

	while (t->text && pos < t->len) {
		uint64_t start = 0, last = 0;
		enum krel_status st;

		st = code_line(next_line(t, &pos), &start, &last);
		if (st == KREL_NOT_MINE)
			continue;
		if (st == KREL_CORRUPT ||
		    (found != KREL_ABSENT && (st != found || start != first)))
			return KREL_CORRUPT;
		found = st;
		first = start;
	}
	if (found == KREL_OK)
		*pa = first;
	return found;
}

/* ---------------------------------------------------------------- dmesg */

/* The line may begin with a time, a level, a host's name. */
static bool find(struct cursor *c, const char *word)
{
	size_t len = strlen(word);
	const char *at = c->p < c->end ?
		memmem(c->p, (size_t)(c->end - c->p), word, len) : NULL;

	if (at)
		c->p = at + len;
	return at != NULL;
}

static bool offset_line(struct cursor *c, struct krel_live_dmesg *out)
{
	struct krel_live_dmesg d = { 0 };

	if (take(c, "disabled"))
		d.disabled = true;
	else if (!take_0x(c, &d.offset) || !take(c, " from ") ||
		 !take_0x(c, &d.base))
		return false;
	*out = d;
	return true;
}

static bool same(const struct krel_live_dmesg *a,
		 const struct krel_live_dmesg *b)
{
	return a->disabled == b->disabled && a->offset == b->offset &&
		a->base == b->base;
}

enum krel_status krel_live_dmesg(const struct krel_text *t,
				 struct krel_live_dmesg *out)
{
	enum krel_status found = KREL_ABSENT;
	struct krel_live_dmesg first = { 0 };
	size_t pos = 0;

	while (t->text && pos < t->len) {
		struct cursor c = next_line(t, &pos);
		struct krel_live_dmesg d;

		if (!find(&c, "Kernel Offset: "))
			continue;
		if (!offset_line(&c, &d)) {
			found = found == KREL_OK ? KREL_OK : KREL_CORRUPT;
			continue;
		}
		if (found == KREL_OK && !same(&d, &first))
			return KREL_CONTRADICTS;
		found = KREL_OK;
		first = d;
	}
	if (found == KREL_OK)
		*out = first;
	return found;
}

/* ---------------------------------------------------------- boot_params */

#define BOOT_MAGIC	0x202
#define BOOT_VERSION	0x206
#define BOOT_LOADFLAGS	0x211
#define LOADFLAG_KASLR	0x02
#define BOOT_ALIGNMENT	0x230
#define BOOT_RELOC	0x234
#define BOOT_PREF	0x258
#define BOOT_INIT_SIZE	0x260
#define BOOT_END	0x264

enum krel_status krel_live_boot(const struct krel_text *t,
				struct krel_live_boot *out)
{
	const uint8_t *p = (const uint8_t *)t->text;
	struct krel_live_boot b = { 0 };

	if (!p || t->len < BOOT_END || memcmp(p + BOOT_MAGIC, "HdrS", 4) != 0)
		return KREL_CORRUPT;
	b.version = krel_le16(p + BOOT_VERSION);
	if (b.version < 0x205)
		return KREL_ABSENT;
	b.kernel_alignment = krel_le32(p + BOOT_ALIGNMENT);
	b.relocatable = p[BOOT_RELOC] != 0;
	b.kaslr = p[BOOT_LOADFLAGS] & LOADFLAG_KASLR;
	if (b.version >= 0x20a) {
		b.pref_address = krel_le64(p + BOOT_PREF);
		b.init_size = krel_le32(p + BOOT_INIT_SIZE);
	}
	*out = b;
	return KREL_OK;
}
