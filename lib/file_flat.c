// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * makedumpfile's flattened form: a file as a stream of records "put these
 * bytes at that offset", for writers that cannot seek. The records are
 * indexed, not their bytes: 24 bytes of memory for each, twice that for a
 * moment if they must be sorted. QEMU writes about 16 KiB in a record,
 * makedumpfile 64 KiB, so a dump of 10 GiB costs the index 8 to 16 MiB.
 */
#include "file.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"
#include "flat_index.h"

#define FLAT_HEADER	4096u	/* signature, type, version, padding */
#define FLAT_TYPE	1u
#define FLAT_VERSION	1u
#define RECORD_HEADER	16u
#define END_MARK	UINT64_MAX	/* -1 in both fields */

/*
 * Between records lies padding that the writer seeks over: it reads as zeros.
 * A hole larger than this was never written, because the stream was cut off,
 * and zeros would be a lie.
 */
#define HOLE_MAX	(64u << 10)

/*
 * Rows of small records are read ahead. Single small ones lie between large
 * ones, which reading ahead would only drag in.
 */
#define AHEAD		(16u << 10)
#define SMALL_RECORD	(2u << 10)
#define SMALL_ROW	4u

static const uint8_t flat_magic[16] = "makedumpfile";

struct flat_priv {
	struct krel_file *bottom;
	struct krel_flat_index index;	/* by off, no overlaps */
	size_t last;		/* piece of the last read */
};

/* ------------------------------------------------------ reading the index */

/** A window over the bottom file for record headers. */
struct window {
	struct krel_file *f;
	uint64_t pos;
	size_t len;
	uint8_t buf[AHEAD];
};

static enum krel_status window_get(struct window *w, uint64_t pos,
				   bool ahead, const uint8_t **out,
				   struct krel_error *err)
{
	size_t want = ahead ? AHEAD : RECORD_HEADER;
	enum krel_status st;

	if (pos < w->pos ||
	    !krel_in_bounds(pos - w->pos, RECORD_HEADER, w->len)) {
		if (want > w->f->size - pos)
			want = (size_t)(w->f->size - pos);
		w->len = 0;
		st = krel_file_read(w->f, pos, w->buf, want, err);
		if (st != KREL_OK)
			return st;
		w->pos = pos;
		w->len = want;
	}
	*out = w->buf + (pos - w->pos);
	return KREL_OK;
}

static enum krel_status bad_record(const struct krel_file *f, uint64_t pos,
				   const struct krel_flat_piece *p,
				   struct krel_error *err)
{
	return krel_error_set(err, KREL_CORRUPT,
		"%s: flattened record at 0x%llx: expected an offset and a size below 2^63, found 0x%llx and 0x%llx: rearrange it with makedumpfile -R from a good copy",
		f->path, (unsigned long long)pos, (unsigned long long)p->off,
		(unsigned long long)p->size);
}

/*
 * Collect the records up to the end mark. A stream without one was cut off;
 * what is there of it is still good, so that is no error here.
 */
static enum krel_status collect(struct window *w, struct krel_flat_index *index,
				struct krel_error *err)
{
	const uint64_t size = w->f->size;
	uint64_t pos = FLAT_HEADER;
	unsigned int small = 0;

	while (krel_in_bounds(pos, RECORD_HEADER, size)) {
		const uint8_t *h;
		struct krel_flat_piece p;
		enum krel_status st = window_get(w, pos, small >= SMALL_ROW,
						 &h, err);

		if (st != KREL_OK)
			return st;
		p.off = krel_be64(h);
		p.size = krel_be64(h + 8);
		if (p.off == END_MARK && p.size == END_MARK)
			return KREL_OK;
		if (p.off > INT64_MAX || p.size > INT64_MAX - p.off)
			return bad_record(w->f, pos, &p, err);
		pos += RECORD_HEADER;
		p.pos = pos;
		if (p.size > size - pos)
			p.size = size - pos;
		if (p.size > 0 && !krel_flat_index_add(index, &p))
			return krel_error_set(err, KREL_NOMEM,
				"%s: out of memory for the index of a flattened file",
				w->f->path);
		pos += p.size;
		small = p.size < SMALL_RECORD ? small + 1 : 0;
	}
	return KREL_OK;
}

/* ---------------------------------------------------------- the file */

/* Bytes at @off, at most @len, from one piece or one hole. */
static enum krel_status read_part(struct krel_file *f, uint64_t off,
				  void *buf, size_t *len,
				  struct krel_error *err)
{
	struct flat_priv *p = f->priv;
	const struct krel_flat_piece *at = p->index.at;
	size_t i = krel_flat_index_find(&p->index, off, p->last);
	uint64_t start = 0, end;	/* of the hole */
	uint64_t into;

	if (i < p->index.nr && off - at[i].off < at[i].size) {
		into = off - at[i].off;
		if (*len > at[i].size - into)
			*len = (size_t)(at[i].size - into);
		p->last = i;
		return krel_file_read(p->bottom, at[i].pos + into, buf, *len,
				      err);
	}
	if (i < p->index.nr)
		start = at[i].off + at[i].size;
	/* There is a next piece: the file ends with the last one. */
	end = at[i < p->index.nr ? i + 1 : 0].off;
	if (end - start > HOLE_MAX)
		return krel_error_set(err, KREL_UNREADABLE,
			"%s: flattened file has nothing for 0x%llx to 0x%llx, expected data at 0x%llx: it is cut off",
			f->path, (unsigned long long)start,
			(unsigned long long)end, (unsigned long long)off);
	if (*len > end - off)
		*len = (size_t)(end - off);
	memset(buf, 0, *len);
	return KREL_OK;
}

static enum krel_status flat_read(struct krel_file *f, uint64_t off,
				  void *buf, size_t len,
				  struct krel_error *err)
{
	const struct flat_priv *p = f->priv;
	enum krel_status st = KREL_OK;
	uint8_t *to = buf;

	while (len > 0 && st == KREL_OK) {
		size_t part = len;

		st = read_part(f, off, to, &part, err);
		off += part;
		to += part;
		len -= part;
	}
	f->bytes_read = p->bottom->bytes_read;
	return st;
}

static void flat_close(struct krel_file *f)
{
	struct flat_priv *p = f->priv;

	krel_file_close(p->bottom);
	krel_flat_index_deinit(&p->index);
	free(p);
}

static const struct krel_file_ops flat_ops = {
	.read = flat_read,
	.close = flat_close,
};

static enum krel_status check_header(struct krel_file *f,
				     struct krel_error *err)
{
	uint8_t head[sizeof(flat_magic) + 16];
	enum krel_status st;
	uint64_t type, version;

	if (f->size < sizeof(flat_magic))
		return KREL_NOT_MINE;
	st = krel_file_read(f, 0, head, sizeof(flat_magic), err);
	if (st != KREL_OK)
		return st;
	if (memcmp(head, flat_magic, sizeof(flat_magic)) != 0)
		return KREL_NOT_MINE;
	if (f->size < FLAT_HEADER + RECORD_HEADER)
		return krel_error_set(err, KREL_UNREADABLE,
			"%s: flattened file ends at 0x%llx, expected its first record at 0x%x: it is cut off",
			f->path, (unsigned long long)f->size, FLAT_HEADER);
	st = krel_file_read(f, 0, head, sizeof(head), err);
	if (st != KREL_OK)
		return st;
	type = krel_be64(head + 16);
	version = krel_be64(head + 24);
	if (type == FLAT_TYPE && version == FLAT_VERSION)
		return KREL_OK;
	return krel_error_set(err, KREL_CORRUPT,
		"%s: expected a flattened file of type %u version %u, found type %llu version %llu",
		f->path, FLAT_TYPE, FLAT_VERSION, (unsigned long long)type,
		(unsigned long long)version);
}

static enum krel_status build_index(struct krel_file *f,
				    struct krel_flat_index *index,
				    struct krel_error *err)
{
	struct window *w = calloc(1, sizeof(*w));
	enum krel_status st;

	if (!w)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      f->path);
	w->f = f;
	st = collect(w, index, err);
	free(w);
	if (st != KREL_OK)
		return st;
	if (index->nr == 0)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: expected records in a flattened file, found none",
			f->path);
	if (!krel_flat_index_arrange(index))
		return krel_error_set(err, KREL_NOMEM,
			"%s: out of memory for the index of a flattened file",
			f->path);
	return KREL_OK;
}

enum krel_status krel_file_unflatten(struct krel_file *f,
				     struct krel_file **out,
				     struct krel_error *err)
{
	struct krel_flat_index index = { 0 };
	struct flat_priv *p;
	struct krel_file *plain;
	enum krel_status st = check_header(f, err);

	if (st != KREL_OK)
		return st;
	st = build_index(f, &index, err);
	if (st != KREL_OK) {
		krel_flat_index_deinit(&index);
		return st;
	}
	p = calloc(1, sizeof(*p));
	plain = calloc(1, sizeof(*plain));
	if (plain)
		plain->path = strdup(f->path);
	if (!p || !plain || !plain->path) {
		krel_flat_index_deinit(&index);
		free(p);
		free(plain);
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      f->path);
	}
	*p = (struct flat_priv){ .bottom = f, .index = index };
	plain->ops = &flat_ops;
	plain->priv = p;
	plain->size = index.at[index.nr - 1].off + index.at[index.nr - 1].size;
	plain->bytes_read = f->bytes_read;
	plain->flattened = true;
	*out = plain;
	return KREL_OK;
}
