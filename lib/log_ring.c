// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The log since Linux 5.10 (printk_ringbuffer): a ring of descriptors, a
 * ring of infos beside it, and a ring of bytes that the descriptors' texts
 * lie in. A position in the byte ring grows for ever; a block that would not
 * fit before the ring's end starts anew at offset 0.
 */
#include "log.h"

#include "bytes.h"
#include "error.h"

#define BITS_MAX	30	/* of either ring: no kernel goes further */
#define STRUCT_MAX	512

enum state { STATE_COMMITTED = 1, STATE_FINALIZED = 2 };

struct fields {
	uint64_t rb_size, rb_descs, rb_text;
	uint64_t ring_bits, ring_descs, ring_infos, ring_head, ring_tail;
	uint64_t desc_size, desc_state, desc_blk;
	uint64_t blk_begin, blk_next;
	uint64_t info_size, info_ns, info_len;
	uint64_t text_bits, text_data;
	uint64_t counter;
};

struct ring {
	uint64_t head, tail;		/* ids */
	unsigned int bits, text_bits;
	uint64_t descs, infos, text;	/* run-time addresses */
};

static bool find_fields(struct krel_log *log, struct fields *f)
{
	const struct {
		const char *kind, *name;
		uint64_t *to;
	} row[] = {
		{ "SIZE", "printk_ringbuffer", &f->rb_size },
		{ "OFFSET", "printk_ringbuffer.desc_ring", &f->rb_descs },
		{ "OFFSET", "printk_ringbuffer.text_data_ring", &f->rb_text },
		{ "OFFSET", "prb_desc_ring.count_bits", &f->ring_bits },
		{ "OFFSET", "prb_desc_ring.descs", &f->ring_descs },
		{ "OFFSET", "prb_desc_ring.infos", &f->ring_infos },
		{ "OFFSET", "prb_desc_ring.head_id", &f->ring_head },
		{ "OFFSET", "prb_desc_ring.tail_id", &f->ring_tail },
		{ "SIZE", "prb_desc", &f->desc_size },
		{ "OFFSET", "prb_desc.state_var", &f->desc_state },
		{ "OFFSET", "prb_desc.text_blk_lpos", &f->desc_blk },
		{ "OFFSET", "prb_data_blk_lpos.begin", &f->blk_begin },
		{ "OFFSET", "prb_data_blk_lpos.next", &f->blk_next },
		{ "SIZE", "printk_info", &f->info_size },
		{ "OFFSET", "printk_info.ts_nsec", &f->info_ns },
		{ "OFFSET", "printk_info.text_len", &f->info_len },
		{ "OFFSET", "prb_data_ring.size_bits", &f->text_bits },
		{ "OFFSET", "prb_data_ring.data", &f->text_data },
		{ "OFFSET", "atomic_long_t.counter", &f->counter },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (!krel_log_field(log, row[i].kind, row[i].name, row[i].to))
			return false;
	return f->desc_size > 0 && f->info_size > 0;
}

static enum krel_status read_ring(struct krel_view *v, uint64_t rb,
				  const struct fields *f, struct ring *r)
{
	uint64_t ring = rb + f->rb_descs, text = rb + f->rb_text;
	unsigned int word = krel_view_word(v);
	const struct {
		uint64_t va;
		unsigned int bytes;
		uint64_t *to;
	} row[] = {
		{ ring + f->ring_descs, word, &r->descs },
		{ ring + f->ring_infos, word, &r->infos },
		{ ring + f->ring_head + f->counter, word, &r->head },
		{ ring + f->ring_tail + f->counter, word, &r->tail },
		{ text + f->text_data, word, &r->text },
	};
	uint64_t bits, text_bits;
	enum krel_status st;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		st = krel_view_number(v, row[i].va, row[i].bytes, row[i].to);
		if (st != KREL_OK)
			return st;
	}
	st = krel_view_number(v, ring + f->ring_bits, 4, &bits);
	if (st == KREL_OK)
		st = krel_view_number(v, text + f->text_bits, 4, &text_bits);
	if (st != KREL_OK)
		return st;
	r->bits = (unsigned int)bits;
	r->text_bits = (unsigned int)text_bits;
	return bits > 0 && bits <= BITS_MAX && text_bits > 0 &&
		text_bits <= BITS_MAX ? KREL_OK : KREL_CORRUPT;
}

/* Where a block's bytes are, and how many; its first word is the id. */
static bool block(const struct ring *r, unsigned int word, uint64_t begin,
		  uint64_t next, uint64_t *at, uint64_t *len)
{
	uint64_t size = UINT64_C(1) << r->text_bits, mask = size - 1;
	uint64_t end = next & mask;

	*at = begin & mask;
	if (begin >> r->text_bits != next >> r->text_bits) {
		if (end == 0)
			end = size;	/* it fills the ring to its end */
		else
			*at = 0;	/* it did not fit before the end */
	}
	if (end < *at + word)
		return false;
	*at += word;
	*len = end - *at;
	return true;
}

/* One record; false ends the walk. */
static bool visit(struct krel_log *log, const struct fields *f,
		  const struct ring *r, uint64_t id, enum krel_status *st)
{
	unsigned int word = krel_view_word(log->view);
	uint64_t index = id & ((UINT64_C(1) << r->bits) - 1);
	uint64_t desc = r->descs + index * f->desc_size;
	uint64_t info = r->infos + index * f->info_size;
	uint64_t id_mask = (UINT64_C(1) << (8 * word - 2)) - 1;
	uint64_t state, ns, begin, next, text_len, at, len;

	*st = krel_view_pointer(log->view, desc + f->desc_state + f->counter,
				&state);
	if (*st != KREL_OK)
		return krel_log_emit_lost(log, 0, *st);
	/* The top two bits are the state, the rest is whose it is. */
	if ((state & id_mask) != id ||
	    (state >> (8 * word - 2) != STATE_COMMITTED &&
	     state >> (8 * word - 2) != STATE_FINALIZED))
		return true;
	*st = krel_view_number(log->view, info + f->info_ns, 8, &ns);
	if (*st == KREL_OK)
		*st = krel_view_number(log->view, info + f->info_len, 2,
				       &text_len);
	if (*st == KREL_OK)
		*st = krel_view_pointer(log->view, desc + f->desc_blk +
					f->blk_begin, &begin);
	if (*st == KREL_OK)
		*st = krel_view_pointer(log->view, desc + f->desc_blk +
					f->blk_next, &next);
	if (*st != KREL_OK)
		return krel_log_emit_lost(log, 0, *st);
	/* Odd positions mark a record without text, or one that got none. */
	if (text_len == 0 || (begin & 1))
		return krel_log_emit(log, ns, r->text, 0);
	if (!block(r, word, begin, next, &at, &len))
		return krel_log_emit_lost(log, ns, KREL_CORRUPT);
	return krel_log_emit(log, ns, r->text + at,
			     (size_t)(text_len < len ? text_len : len));
}

static enum krel_status walk(struct krel_log *log, const struct fields *f,
			     const struct ring *r)
{
	unsigned int word = krel_view_word(log->view);
	uint64_t id_mask = (UINT64_C(1) << (8 * word - 2)) - 1;
	uint64_t left = UINT64_C(1) << r->bits;
	uint64_t id = r->tail & id_mask, head = r->head & id_mask;

	for (; left > 0; left--, id = (id + 1) & id_mask) {
		enum krel_status st;
		bool on = visit(log, f, r, id, &st);

		if (st == KREL_INTERRUPTED || st == KREL_NOMEM)
			return st;
		if (!on || id == head)
			break;
	}
	return KREL_OK;
}

enum krel_status krel_log_ring(struct krel_log *log, struct krel_error *err)
{
	struct fields f = { 0 };
	struct ring r = { 0 };
	enum krel_status st;
	uint64_t prb;

	if (krel_log_variable(log, "prb", &prb) != KREL_OK ||
	    !find_fields(log, &f))
		return KREL_ABSENT;
	st = krel_view_pointer(log->view, prb, &prb);
	if (st == KREL_OK)
		st = read_ring(log->view, prb, &f, &r);
	/* ABSENT would mean that the kernel has no such log. */
	if (st == KREL_ABSENT)
		st = KREL_UNREADABLE;
	if (st != KREL_OK)
		return krel_error_set(err, st,
			"expected the printk ring at 0x%llx, found it %s",
			(unsigned long long)prb, krel_status_name(st));
	return walk(log, &f, &r);
}
