// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The way into kallsyms: its token table, 256 strings in one run, and behind
 * it the offset of each as u16. Digits occur in every kernel's symbols, and a
 * character that occurs stands for itself, so the tokens from '0' to '9' are
 * known bytes to search for.
 */
#include "kallsyms_priv.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"

static const char digits[20] = "0\0" "1\0" "2\0" "3\0" "4\0" "5\0" "6\0"
	"7\0" "8\0" "9";

#define CARRY	(sizeof(digits) - 1)	/* a hit may cross two pages */
#define AHEAD	8192u
#define INDEX_BYTES	512u

struct search {
	struct krel_image *img;
	krel_tokens_fn *fn;
	void *arg;
	uint8_t buf[CARRY + KREL_PAGE_SIZE];
	uint8_t ahead[AHEAD];
	struct krel_tokens tokens;
};

/* What can be read from @pa on, page by page. */
static size_t read_some(struct krel_image *img, uint64_t pa, uint8_t *buf,
			size_t size, enum krel_status *st)
{
	size_t have = 0;

	*st = KREL_OK;
	while (have < size && pa + have >= pa) {
		size_t room = KREL_PAGE_SIZE -
			(size_t)((pa + have) % KREL_PAGE_SIZE);
		size_t part = room < size - have ? room : size - have;

		*st = krel_image_read(img, pa + have, buf + have, part, NULL);
		if (*st != KREL_OK)
			break;
		have += part;
	}
	return have;
}

/* Is each index entry the offset of the token of its number? */
static bool index_fits(const struct krel_tokens *t)
{
	for (size_t i = 0; i < 256; i++) {
		size_t end = i < 255 ? t->at[i + 1] : t->len;

		if (end <= t->at[i] || end > t->len || t->text[end - 1])
			return false;
		for (size_t j = t->at[i]; j + 1 < end; j++)
			if (t->text[j] <= ' ' || t->text[j] > '~')
				return false;
	}
	return true;
}

/* The index at @raw, and the tokens of which '0' is at physical @zero. */
static enum krel_status try_index(struct search *s, uint64_t zero,
				  size_t to_end, size_t to_index,
				  const uint8_t *raw, bool *fits)
{
	struct krel_tokens *t = &s->tokens;
	enum krel_status st;

	*fits = false;
	for (size_t i = 0; i < 256; i++) {
		t->at[i] = krel_le16(raw + 2 * i);
		if (i > 0 ? t->at[i] <= t->at[i - 1] : t->at[i] != 0)
			return KREL_OK;
	}
	if (t->at['0'] > zero || t->at['0'] + to_end > sizeof(t->text))
		return KREL_OK;
	t->pa = zero - t->at['0'];
	t->index_pa = zero + to_index;
	t->len = t->at['0'] + to_end;
	st = krel_image_read(s->img, t->pa, t->text, t->len, NULL);
	if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
		return st;
	*fits = st == KREL_OK && index_fits(t);
	return KREL_OK;
}

static enum krel_status take(struct search *s, uint64_t zero)
{
	enum krel_status st;
	size_t have = read_some(s->img, zero, s->ahead, sizeof(s->ahead), &st);
	size_t end = 0, last = SIZE_MAX;

	if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
		return st;
	for (unsigned int i = '0'; i < 256 && end < have; i++) {
		const uint8_t *nul = memchr(s->ahead + end, 0, have - end);

		end = nul ? (size_t)(nul - s->ahead) + 1 : have;
	}
	for (uint64_t align = 4; align <= 8; align *= 2) {
		uint64_t at = krel_align_up(zero + end, align) - zero;
		bool fits;

		if (at == last || !krel_in_bounds(at, INDEX_BYTES, have))
			continue;
		last = (size_t)at;
		st = try_index(s, zero, end, last, s->ahead + at, &fits);
		if (st != KREL_OK)
			return st;
		if (fits)
			return s->fn(s->arg, &s->tokens);
	}
	return KREL_OK;
}

/* @have bytes of buf, which begin at physical @pa. */
static enum krel_status search_buf(struct search *s, uint64_t pa, size_t have)
{
	const uint8_t *p = s->buf, *end = s->buf + have;

	while ((p = memmem(p, (size_t)(end - p), digits, sizeof(digits)))) {
		enum krel_status st = take(s, pa + (uint64_t)(p - s->buf));

		if (st != KREL_OK)
			return st;
		p++;
	}
	return KREL_OK;
}

static enum krel_status search_range(struct search *s,
				     const struct krel_options *opts,
				     const struct krel_range *r)
{
	uint64_t pa = r->pa & ~(uint64_t)(KREL_PAGE_SIZE - 1);
	uint64_t end = r->pa + r->size;
	size_t carry = 0;

	for (; pa < end && end - pa >= KREL_PAGE_SIZE; pa += KREL_PAGE_SIZE) {
		enum krel_status st;

		if (pa % (1u << 22) == 0 && opts && opts->interrupted &&
		    opts->interrupted(opts->interrupted_arg))
			return KREL_INTERRUPTED;
		st = krel_image_read(s->img, pa, s->buf + carry,
				     KREL_PAGE_SIZE, NULL);
		if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
			return st;
		if (st != KREL_OK) {
			carry = 0;
			continue;
		}
		st = search_buf(s, pa - carry, carry + KREL_PAGE_SIZE);
		if (st != KREL_OK)
			return st;
		memmove(s->buf, s->buf + carry + KREL_PAGE_SIZE - CARRY,
			CARRY);
		carry = CARRY;
	}
	return KREL_OK;
}

enum krel_status krel_tokens_scan(struct krel_image *img,
				  const struct krel_options *opts,
				  krel_tokens_fn *fn, void *arg)
{
	struct search *s = malloc(sizeof(*s));
	enum krel_status st = KREL_OK;
	struct krel_range r;
	uint64_t pa = 0;

	if (!s)
		return KREL_NOMEM;
	s->img = img;
	s->fn = fn;
	s->arg = arg;
	while (st == KREL_OK && krel_image_next(img, pa, &r) == KREL_OK) {
		st = search_range(s, opts, &r);
		if (r.pa + r.size <= pa)
			break;
		pa = r.pa + r.size;
	}
	free(s);
	return st;
}
