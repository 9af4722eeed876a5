/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes kdump-compressed and flattened files into memory, for tests. What a
 * page holds follows from its number and kind alone, so a test knows every
 * byte without asking the library.
 */
#ifndef MKKDUMP_H
#define MKKDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MK_PAGE		4096u

/** What a page frame is in the dump. */
enum mk_kind {
	MK_ABSENT = 0,		/* no such memory */
	MK_FILTERED,		/* memory, left out of the dump */
	MK_ZERO,		/* all zeros; shares its data with the others */
	MK_TEXT,		/* compresses well */
	MK_NOISE,		/* does not compress: stored plain */
};

/** A growing buffer. */
struct mk_buf {
	uint8_t *at;
	size_t len, room;
};

void mk_buf_deinit(struct mk_buf *b);

/** Write @len bytes at @off, growing the buffer with zeros. */
void mk_buf_put(struct mk_buf *b, size_t off, const void *p, size_t len);

/** Write an integer of @len bytes, little-endian. */
void mk_buf_le(struct mk_buf *b, size_t off, uint64_t v, unsigned int len);

/** The bytes of a page. */
void mk_page(uint64_t pfn, enum mk_kind kind, uint8_t out[static MK_PAGE]);

/**
 * Compress with a method of pagecodec.h.
 *
 * @return Bytes in @out (of 3 * len + 1024 at least), or 0.
 */
size_t mk_compress(uint32_t method, const uint8_t *in, size_t len,
		   uint8_t *out, size_t room);

/** What to write. */
struct mkkdump {
	bool is_64;		/* layout of the headers */
	bool diskdump;		/* the older signature */
	bool one_bitmap;
	unsigned int version;
	uint32_t method;	/* of pagecodec.h; 0: all pages plain */
	uint32_t status;	/* more bits of the header's status */
	uint32_t nr_cpus;
	uint32_t split;
	const char *machine, *release;
	const char *vmcoreinfo;
	const uint8_t *notes;
	size_t notes_len;
	const uint8_t *kind;	/* an enum mk_kind for each page frame */
	uint64_t max_pfn;
};

/** The file, and where its parts are. */
struct mkkdump_file {
	struct mk_buf buf;
	size_t fields;		/* of the header: status and what follows */
	size_t sub;		/* sub header */
	size_t vmcoreinfo, notes;
	size_t bitmap1, bitmap2, desc, data;
	size_t nr_desc;
};

/* Offsets in the fields. */
#define MK_BLOCK_SIZE		4
#define MK_SUB_BLOCKS		8
#define MK_BITMAP_BLOCKS	12
#define MK_MAX_MAPNR		16

/** Write a file; free it with mk_buf_deinit(&out->buf). */
void mkkdump_write(const struct mkkdump *spec, struct mkkdump_file *out);

/** Offset in the file of a field of the sub header. */
size_t mkkdump_sub_vmcoreinfo(const struct mkkdump *spec);
size_t mkkdump_sub_notes(const struct mkkdump *spec);
size_t mkkdump_sub_max_mapnr(const struct mkkdump *spec);

/** Append an ELF note to @b. */
void mk_note(struct mk_buf *b, const char *name, uint32_t type,
	     const void *desc, size_t len);

/* Flattened files: start, records, end. */
void mkflat_start(struct mk_buf *b);
void mkflat_record(struct mk_buf *b, uint64_t off, const void *p, size_t len);
void mkflat_end(struct mk_buf *b);

/** The whole of @plain, in records of @chunk bytes, the last one first. */
void mkflat_reversed(struct mk_buf *b, const struct mk_buf *plain,
		     size_t chunk);

#endif
