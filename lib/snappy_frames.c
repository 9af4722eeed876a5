// SPDX-License-Identifier: GPL-2.0-or-later
#include "snappy_frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"
#include "pagecodec.h"
#include "snappy_chunk.h"

#define CACHE_CHUNKS	16u	/* 1 MiB */
#define NO_PIECE	SIZE_MAX

enum kind { PACKED, STORED, PLAIN };

/** What makes the bytes from @start to the next piece's. */
struct piece {
	uint64_t start;
	uint64_t at;		/* in the file; of a chunk's CRC */
	uint32_t len;		/* in the file with the CRC; 0 if plain */
	enum kind kind;
};

struct cached_chunk {
	size_t piece;		/* NO_PIECE: empty */
	uint64_t used;		/* time of the last use */
	uint8_t data[KREL_SNAPPY_MAX_UNPACKED];
};

struct krel_snappy_frames {
	struct krel_file *f;
	struct krel_file out;
	struct krel_snappy_heads heads;
	struct krel_pagecodec *codec;
	struct piece *piece;
	size_t nr, room;
	size_t last;		/* where the last read was */

	uint64_t clock;
	struct cached_chunk cache[CACHE_CHUNKS];
	uint8_t body[KREL_SNAPPY_CRC_SIZE + KREL_SNAPPY_MAX_PACKED];
};

/* Each piece stands for bytes of the file, so that its size is the bound. */
static enum krel_status append(struct krel_snappy_frames *s,
			       const struct piece *p, uint64_t size,
			       struct krel_error *err)
{
	if (size > UINT64_MAX - s->out.size)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: expected less than 2^64 bytes of memory, found more",
			s->f->path);
	if (s->nr == s->room) {
		size_t room = s->room ? 2 * s->room : 256;
		struct piece *grown = NULL;

		if (room <= SIZE_MAX / sizeof(*grown))
			grown = realloc(s->piece, room * sizeof(*grown));
		if (!grown)
			return krel_error_set(err, KREL_NOMEM,
				"%s: out of memory for the index of its chunks",
				s->f->path);
		s->piece = grown;
		s->room = room;
	}
	s->piece[s->nr] = *p;
	s->piece[s->nr++].start = s->out.size;
	s->out.size += size;
	return KREL_OK;
}

static enum krel_status append_chunk(struct krel_snappy_frames *s,
				     const struct krel_snappy_chunk *c,
				     uint64_t left, struct krel_error *err)
{
	struct piece p = {
		.at = c->at, .len = c->len,
		.kind = c->type == KREL_SNAPPY_PACKED ? PACKED : STORED,
	};

	if (c->size > left)
		return krel_snappy_chunk_bad(&s->heads, c,
			"no more data than its block has left", "bytes ",
			c->size, err);
	return c->size ? append(s, &p, c->size, err) : KREL_OK;
}

enum krel_status krel_snappy_frames_add(struct krel_snappy_frames *s,
					uint64_t at, uint64_t want,
					uint64_t *got, uint64_t *end,
					struct krel_error *err)
{
	uint64_t begin = at, have = 0;

	while (have < want) {
		struct krel_snappy_chunk c;
		enum krel_status st;

		st = krel_snappy_heads_read(&s->heads, at, &c, err);
		if (st == KREL_ABSENT)
			break;
		if (st == KREL_OK && at == begin &&
		    c.type != KREL_SNAPPY_STREAM)
			st = krel_snappy_chunk_bad(&s->heads, &c,
				"a stream identifier first", "type ", c.type,
				err);
		if (st == KREL_OK)
			st = append_chunk(s, &c, want - have, err);
		if (st != KREL_OK)
			return st;
		have += c.size;
		at = c.at + c.len;
	}
	*got = have;
	*end = at;
	return KREL_OK;
}

enum krel_status krel_snappy_frames_add_plain(struct krel_snappy_frames *s,
					      uint64_t at, uint64_t len,
					      struct krel_error *err)
{
	struct piece p = { .at = at, .kind = PLAIN };

	return len ? append(s, &p, len, err) : KREL_OK;
}

/* -------------------------------------------------------------- reading */

static uint64_t end_of(const struct krel_snappy_frames *s, size_t i)
{
	return i + 1 < s->nr ? s->piece[i + 1].start : s->out.size;
}

/* The piece that holds @pos, which is inside of the whole. */
static size_t find(struct krel_snappy_frames *s, uint64_t pos)
{
	size_t lo = 0, hi = s->nr;

	if (s->piece[s->last].start <= pos && pos < end_of(s, s->last))
		return s->last;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->piece[mid].start <= pos)
			lo = mid;
		else
			hi = mid;
	}
	s->last = lo;
	return lo;
}

static enum krel_status load(struct krel_snappy_frames *s, size_t i,
			     uint8_t *data, struct krel_error *err)
{
	const struct piece *p = &s->piece[i];
	size_t size = (size_t)(end_of(s, i) - p->start);
	const uint8_t *in = s->body + KREL_SNAPPY_CRC_SIZE;
	uint32_t found, stated;
	enum krel_status st;

	st = krel_file_read(s->f, p->at, s->body, p->len, err);
	if (st != KREL_OK)
		return st;
	if (p->kind == STORED)
		memcpy(data, in, size);
	else
		st = krel_pagecodec_expand(s->codec, KREL_PAGE_SNAPPY, in,
					   p->len - KREL_SNAPPY_CRC_SIZE, data,
					   size, err);
	if (st != KREL_OK)
		return krel_error_prepend(err, st,
			"%s: snappy chunk at 0x%" PRIx64 " of the file",
			s->f->path, p->at - KREL_SNAPPY_HEADER);
	stated = krel_le32(s->body);
	found = krel_snappy_crc(&s->heads, data, size);
	if (found != stated)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: snappy chunk at 0x%" PRIx64 " of the file: expected CRC-32C 0x%08" PRIx32 " (masked), found 0x%08" PRIx32 ": the dump is damaged, copy it again",
			s->f->path, p->at - KREL_SNAPPY_HEADER, stated, found);
	return KREL_OK;
}

static enum krel_status get_chunk(struct krel_snappy_frames *s, size_t i,
				  struct cached_chunk **out,
				  struct krel_error *err)
{
	struct cached_chunk *c = &s->cache[0];
	enum krel_status st;

	for (size_t k = 0; k < CACHE_CHUNKS; k++) {
		if (s->cache[k].piece == i) {
			*out = &s->cache[k];
			return KREL_OK;
		}
		if (s->cache[k].used < c->used)
			c = &s->cache[k];
	}
	c->piece = NO_PIECE;
	c->used = 0;
	st = load(s, i, c->data, err);
	if (st != KREL_OK)
		return st;
	c->piece = i;
	*out = c;
	return KREL_OK;
}

/* At most up to the end of the piece that holds @pos; adds to *done. */
static enum krel_status read_piece(struct krel_snappy_frames *s, uint64_t pos,
				   uint8_t *to, size_t len, size_t *done,
				   struct krel_error *err)
{
	size_t i = find(s, pos);
	const struct piece *p = &s->piece[i];
	uint64_t room = end_of(s, i) - pos;
	size_t n = room < len ? (size_t)room : len;
	struct cached_chunk *c;
	enum krel_status st;

	if (p->kind == PLAIN) {
		st = krel_file_read(s->f, p->at + (pos - p->start), to, n,
				    err);
	} else {
		st = get_chunk(s, i, &c, err);
		if (st == KREL_OK) {
			c->used = ++s->clock;
			memcpy(to, c->data + (pos - p->start), n);
		}
	}
	if (st == KREL_OK)
		*done += n;
	return st;
}

static enum krel_status frames_read(struct krel_file *f, uint64_t off,
				    void *buf, size_t len,
				    struct krel_error *err)
{
	enum krel_status st = KREL_OK;
	size_t done = 0;

	while (st == KREL_OK && done < len)
		st = read_piece(f->priv, off + done, (uint8_t *)buf + done,
				len - done, &done, err);
	return st;
}

static const struct krel_file_ops frames_ops = { .read = frames_read };

enum krel_status krel_snappy_frames_open(struct krel_file *f,
					 struct krel_snappy_frames **out,
					 struct krel_error *err)
{
	struct krel_snappy_frames *s = calloc(1, sizeof(*s));
	enum krel_status st;

	if (!s)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      f->path);
	st = krel_pagecodec_open(&s->codec, err);
	if (st != KREL_OK) {
		free(s);
		return st;
	}
	s->f = f;
	s->out = (struct krel_file){
		.ops = &frames_ops, .path = f->path, .priv = s,
	};
	for (size_t i = 0; i < CACHE_CHUNKS; i++)
		s->cache[i].piece = NO_PIECE;
	krel_snappy_heads_init(&s->heads, f);
	*out = s;
	return KREL_OK;
}

void krel_snappy_frames_close(struct krel_snappy_frames *s)
{
	if (!s)
		return;
	krel_pagecodec_close(s->codec);
	free(s->piece);
	free(s);
}

struct krel_file *krel_snappy_frames_file(struct krel_snappy_frames *s)
{
	return &s->out;
}
