// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a token table to a kernel's symbols. All that the tables say is
 * checked here, once; later reads cannot leave them.
 */
#include "kallsyms_priv.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"

/* How far the tables can reach. Most kernels need the first step only. */
static const size_t reach[] = { 6u << 20, 48u << 20 };

struct scan {
	struct krel_image *img;
	struct krel_kallsyms_list *list;
};

static void symbols_free(struct krel_symbols *s)
{
	if (!s)
		return;
	free(s->names);
	free(s->address);
	free(s->tokens);
	free(s);
}

void krel_kallsyms_free(struct krel_kallsyms_list *list)
{
	for (unsigned int i = 0; i < list->nr; i++)
		symbols_free(list->item[i]);
	memset(list, 0, sizeof(*list));
}

/* -------------------------------------------------------------- windows */

/* One page; false where there is none, or when *@st ends the scan. */
static bool read_page(struct krel_image *img, uint64_t pa, uint8_t *to,
		      enum krel_status *st)
{
	enum krel_status got = krel_image_read(img, pa, to, KREL_PAGE_SIZE,
					       NULL);

	if (got == KREL_NOMEM || got == KREL_INTERRUPTED)
		*st = got;
	return got == KREL_OK;
}

/*
 * What can be read without a gap around the tokens, @far bytes each way. The
 * kernel's image is contiguous in physical memory. @more: a larger @far would
 * have given more.
 */
static enum krel_status window_read(struct krel_image *img,
				    const struct krel_tokens *t, size_t far,
				    uint8_t **buf, struct krel_window *w,
				    bool *more)
{
	const uint64_t mask = ~(uint64_t)(KREL_PAGE_SIZE - 1);
	uint64_t mid = t->pa & mask, index_end = t->index_pa + 512;
	uint64_t bottom = mid > far ? mid - far : 0;
	uint64_t top = krel_align_up(index_end, KREL_PAGE_SIZE) + far;
	uint64_t low = mid, high = mid;
	enum krel_status st = KREL_OK;
	uint8_t *to = malloc((size_t)(top - bottom));

	if (!to)
		return KREL_NOMEM;
	while (low > bottom && read_page(img, low - KREL_PAGE_SIZE,
					 to + (low - KREL_PAGE_SIZE - bottom),
					 &st))
		low -= KREL_PAGE_SIZE;
	while (st == KREL_OK && high < top &&
	       read_page(img, high, to + (high - bottom), &st))
		high += KREL_PAGE_SIZE;
	if (st == KREL_OK && high < index_end)
		st = KREL_UNREADABLE;
	if (st != KREL_OK) {
		free(to);
		return st;
	}
	*buf = to;
	*more = (low == bottom && low > 0) || high == top;
	*w = (struct krel_window){
		.pa = low, .data = to + (low - bottom),
		.len = (size_t)(high - low), .tokens = (size_t)(t->pa - low),
		.index_end = (size_t)(index_end - low),
	};
	return KREL_OK;
}

/* -------------------------------------------------------------- symbols */

bool krel_symbols_expand(const struct krel_symbols *s, size_t *off,
			 char *text)
{
	size_t at = *off, used = 0, len;

	if (s->names_len - at < 2)
		return false;
	len = s->names[at++];
	if (s->long_names && (len & 0x80))
		len = (len & 0x7f) | (size_t)s->names[at++] << 7;
	if (len > s->names_len - at)
		return false;
	for (; len > 0; len--) {
		const char *token = s->tokens + s->token[s->names[at++]];
		size_t n = strlen(token);

		if (n > KREL_SYMBOL_NAME_MAX + 1 - used)
			return false;
		memcpy(text + used, token, n);
		used += n;
	}
	text[used] = '\0';
	*off = at;
	return used >= 2;
}

/* As nm prints it: a letter, or '?' for one that it does not know. */
static bool is_type(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '?';
}

static bool names_are_sound(const struct krel_symbols *s)
{
	char text[KREL_SYMBOL_NAME_MAX + 2];
	size_t off = 0;

	for (uint32_t i = 0; i < s->count; i++)
		if (!krel_symbols_expand(s, &off, text) || !is_type(text[0]))
			return false;
	return true;
}

static enum krel_status copy_tables(const struct krel_window *w,
				    const struct krel_tokens *t,
				    const struct krel_name_tables *n,
				    struct krel_symbols *s)
{
	s->count = n->count;
	s->long_names = n->long_names;
	s->names_len = n->names_len;
	s->names = malloc(n->names_len);
	s->address = calloc(n->count, sizeof(*s->address));
	s->tokens = malloc(t->len);
	if (!s->names || !s->address || !s->tokens)
		return KREL_NOMEM;
	memcpy(s->names, w->data + n->names, n->names_len);
	memcpy(s->tokens, t->text, t->len);
	memcpy(s->token, t->at, sizeof(s->token));
	s->pa = t->pa;
	return names_are_sound(s) ? KREL_OK : KREL_CORRUPT;
}

/* The tables around @t, taken as those of one target. */
static enum krel_status build(struct krel_image *img,
			      const struct krel_window *w,
			      const struct krel_tokens *t,
			      const struct krel_target *target,
			      struct krel_symbols **out)
{
	struct krel_name_tables n;
	struct krel_symbols *s;
	enum krel_status st;

	if (!krel_kallsyms_names(w, target, &n))
		return KREL_ABSENT;
	s = calloc(1, sizeof(*s));
	if (!s)
		return KREL_NOMEM;
	s->target = target;
	st = copy_tables(w, t, &n, s);
	if (st == KREL_OK)
		st = krel_kallsyms_addresses(w, target, &n, s->address,
					     &s->layout);
	if (st == KREL_OK || st == KREL_UNSUPPORTED)
		st = krel_kallsyms_put(img, s, st == KREL_UNSUPPORTED);
	if (st == KREL_OK)
		*out = s;
	else
		symbols_free(s);
	return st;
}

/* For the image's arch, or for each in turn when it is not known. */
static enum krel_status build_any(struct krel_image *img,
				  const struct krel_window *w,
				  const struct krel_tokens *t,
				  struct krel_symbols **out)
{
	static const enum krel_arch arch[] = {
		KREL_ARCH_X86_64, KREL_ARCH_I386,
	};
	enum krel_status st = KREL_ABSENT;

	for (size_t i = 0; i < 2; i++) {
		enum krel_status got;

		if (img->facts.arch != KREL_ARCH_UNKNOWN &&
		    img->facts.arch != arch[i])
			continue;
		got = build(img, w, t, krel_target_of(arch[i]), out);
		if (got == KREL_OK || got == KREL_NOMEM ||
		    got == KREL_INTERRUPTED)
			return got;
		if (got != KREL_ABSENT)
			st = got;
	}
	return st;
}

/* ----------------------------------------------------------------- scan */

static void note_trouble(struct krel_kallsyms_list *list,
			 enum krel_status st, uint64_t pa)
{
	list->trouble = st == KREL_ABSENT ? KREL_CORRUPT : st;
	snprintf(list->why, sizeof(list->why),
		 "token table at physical 0x%llx: %s",
		 (unsigned long long)pa,
		 st == KREL_UNSUPPORTED ?
		 "self-relative addresses (Linux 7.0), which only an x86-64 kernel with CONFIG_KALLSYMS_ALL makes readable" :
		 st == KREL_ABSENT ? "no names and markers before it" :
		 st == KREL_UNREADABLE ? "its pages cannot be read" :
		 "the tables around it do not agree");
}

static enum krel_status take(void *arg, const struct krel_tokens *t)
{
	struct scan *sc = arg;
	struct krel_kallsyms_list *list = sc->list;
	enum krel_status st = KREL_ABSENT;
	struct krel_symbols *s = NULL;
	bool more = true;

	list->token_tables++;
	if (list->nr == KREL_KALLSYMS_MAX ||
	    list->token_tables > 4 * KREL_KALLSYMS_MAX)
		return KREL_OK;
	for (size_t i = 0; i < sizeof(reach) / sizeof(reach[0]) && !s && more;
	     i++) {
		struct krel_window w;
		uint8_t *buf;

		st = window_read(sc->img, t, reach[i], &buf, &w, &more);
		if (st == KREL_OK) {
			st = build_any(sc->img, &w, t, &s);
			free(buf);
		}
		if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
			return st;
	}
	if (s)
		list->item[list->nr++] = s;
	else
		note_trouble(list, st, t->pa);
	return KREL_OK;
}

enum krel_status krel_kallsyms_scan(struct krel_image *img,
				    const struct krel_options *opts,
				    struct krel_kallsyms_list *list)
{
	struct scan sc = { img, list };
	enum krel_status st;

	memset(list, 0, sizeof(*list));
	st = krel_tokens_scan(img, opts, take, &sc);
	if (st != KREL_OK)
		krel_kallsyms_free(list);
	return st;
}
