// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables before the tokens, in this order in every version:
 *
 *	kallsyms_num_syms	u32
 *	kallsyms_names		length and tokens of each symbol
 *	kallsyms_markers	offset in names of every 256th symbol
 *	kallsyms_seqs_of_names	3 bytes a symbol; here in 6.2, 6.3 and late 6.1
 *	kallsyms_token_table
 *
 * They are found backwards: markers fall until the first, which is zero; the
 * number of symbols must fit them, and the names must meet each of them.
 */
#include "kallsyms_priv.h"

#include "bytes.h"

#define BLOCK		256u	/* symbols from marker to marker */
#define NAME_BYTES_MIN	2u	/* length, one token */
#define NAME_BYTES_MAX	514u
#define SEQ_BYTES	3u
#define PAD_MAX		8u
#define GAP_PAD_MAX	16u	/* behind the markers, and behind seqs */

struct markers {
	size_t start;		/* offset in the window */
	unsigned int width;	/* 4; 8 on x86-64 before 4.20 */
	uint32_t nr;
	uint32_t last;
};

static uint64_t marker_at(const struct krel_window *w, size_t at,
			  unsigned int width)
{
	return width == 8 ? krel_le64(w->data + at) : krel_le32(w->data + at);
}

/* A run of markers whose last one ends at @end. */
static bool markers_before(const struct krel_window *w, size_t end,
			   unsigned int width, struct markers *m)
{
	uint64_t above = 0;

	m->nr = 0;
	m->width = width;
	for (size_t at = end; at >= width;) {
		uint64_t v;

		at -= width;
		v = marker_at(w, at, width);
		if (m->nr > 0 && (v >= above ||
				  above - v < NAME_BYTES_MIN * BLOCK ||
				  above - v > NAME_BYTES_MAX * BLOCK))
			return false;
		if (m->nr == 0)
			m->last = (uint32_t)v;
		if ((m->nr == 0 && (v == 0 || v > UINT32_MAX)) ||
		    ++m->nr > KREL_KALLSYMS_COUNT_MAX / BLOCK + 1)
			return false;
		if (v == 0) {
			m->start = at;
			return m->nr >= KREL_KALLSYMS_COUNT_MIN / BLOCK;
		}
		above = v;
	}
	return false;
}

/* Walk all names; true when they meet every marker and end before them. */
static bool names_fit(const struct krel_window *w, const struct markers *m,
		      struct krel_name_tables *n)
{
	size_t at = n->names, end = m->start;

	for (uint32_t i = 0; i < n->count; i++) {
		size_t len;

		if (i % BLOCK == 0 && at - n->names !=
		    marker_at(w, m->start + i / BLOCK * m->width, m->width))
			return false;
		if (at + 2 > end)
			return false;
		len = w->data[at++];
		if (n->long_names && (len & 0x80))
			len = (len & 0x7f) | (size_t)w->data[at++] << 7;
		if (len == 0 || len > end - at)
			return false;
		at += len;
	}
	n->names_len = at - n->names;
	return end - at < PAD_MAX;
}

/* kallsyms_num_syms is one word before the names; its padding is zero. */
static bool count_before(const struct krel_window *w, size_t names,
			 unsigned int word, const struct markers *m,
			 struct krel_name_tables *n)
{
	if (names < word ||
	    (word == 8 && krel_le32(w->data + names - 4) != 0))
		return false;
	n->num = names - word;
	n->names = names;
	n->count = krel_le32(w->data + n->num);
	return n->count > (m->nr - 1) * BLOCK && n->count <= m->nr * BLOCK &&
		n->count >= KREL_KALLSYMS_COUNT_MIN &&
		n->count <= KREL_KALLSYMS_COUNT_MAX;
}

/* @gap bytes lie between the markers and the tokens. */
static bool find_names(const struct krel_window *w, const struct markers *m,
		       size_t gap, unsigned int word,
		       struct krel_name_tables *n)
{
	size_t most = (size_t)m->last + BLOCK * NAME_BYTES_MAX + PAD_MAX;
	size_t least = (size_t)m->last + NAME_BYTES_MIN;
	size_t low = m->start > most ? m->start - most : 0;

	if (m->start < least)
		return false;
	for (size_t at = (m->start - least) & ~(size_t)3; at >= low + 4;
	     at -= 4) {
		for (unsigned int step = 4; step <= word; step += 4) {
			if (!count_before(w, at, step, m, n) ||
			    (gap >= PAD_MAX &&
			     gap - SEQ_BYTES * (size_t)n->count >= GAP_PAD_MAX))
				continue;
			n->long_names = false;
			if (names_fit(w, m, n))
				return true;
			n->long_names = true;
			if (names_fit(w, m, n))
				return true;
		}
	}
	return false;
}

/* Could @gap bytes be kallsyms_seqs_of_names for so many markers? */
static bool gap_fits(size_t gap, const struct markers *m)
{
	return gap < PAD_MAX ||
		(gap > SEQ_BYTES * (size_t)((m->nr - 1) * BLOCK) &&
		 gap < SEQ_BYTES * (size_t)(m->nr * BLOCK) + GAP_PAD_MAX);
}

bool krel_kallsyms_names(const struct krel_window *w,
			 const struct krel_target *t,
			 struct krel_name_tables *out)
{
	size_t most = SEQ_BYTES * KREL_KALLSYMS_COUNT_MAX + PAD_MAX;
	size_t limit = w->tokens < most ? w->tokens : most;

	for (size_t gap = 0; gap <= limit; gap += 4) {
		for (unsigned int width = 4; width <= t->word_bytes;
		     width += 4) {
			struct markers m;

			if (markers_before(w, w->tokens - gap, width, &m) &&
			    gap_fits(gap, &m) &&
			    find_names(w, &m, gap, t->word_bytes, out))
				return true;
		}
	}
	return false;
}
