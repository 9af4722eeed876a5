// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdump-compressed files with anything wrong with them. The input is not the
 * file, which would be mostly padding: its first byte chooses a good file, or
 * none, and the rest are patches to that: offset, length, bytes. A patch of
 * length 0 cuts the file there.
 */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "image.h"
#include "pagecodec.h"

/* A harness is one source file, so it takes the test's writer in whole. */
#include "../unit/mkkdump.c"

#define READS_MAX	64u
#define NR_METHODS	5u
#define NR_FILES	(7u * 2u * NR_METHODS * 2u)
#define FROM_NOTHING	255u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Good file number @i: each version, layout and method, flattened or not. */
static void write_good(unsigned int i, struct mk_buf *out)
{
	static const uint32_t method[NR_METHODS] = {
		0, KREL_PAGE_ZLIB, KREL_PAGE_LZO, KREL_PAGE_SNAPPY,
		KREL_PAGE_ZSTD,
	};
	static const uint8_t kind[24] = {
		MK_TEXT, MK_TEXT, MK_FILTERED, MK_ZERO, MK_NOISE, [23] = MK_ZERO,
	};
	struct mkkdump spec = {
		.version = i % 7,
		.is_64 = i / 7 % 2,
		.method = method[i / 14 % NR_METHODS],
		.machine = i / 7 % 2 ? "x86_64" : "i686",
		.release = "",
		.vmcoreinfo = "PAGESIZE=4096\n",
		.kind = kind,
		.max_pfn = sizeof(kind),
	};
	struct mk_buf notes = { 0 };
	struct mkkdump_file file;

	mk_note(&notes, "CORE", 1, kind, sizeof(kind));
	spec.notes = notes.at;
	spec.notes_len = notes.len;
	mkkdump_write(&spec, &file);
	mk_buf_deinit(&notes);
	if (i / 14 / NR_METHODS) {
		mkflat_reversed(out, &file.buf, 4096);
		mk_buf_deinit(&file.buf);
	} else {
		*out = file.buf;
	}
}

/* A copy of exactly its size: a sanitizer guards the end. */
static uint8_t *patched(const uint8_t *data, size_t size, size_t *len)
{
	static struct mk_buf good[NR_FILES];
	struct mk_buf b = { 0 };
	uint8_t *exact;

	if (size > 0 && data[0] != FROM_NOTHING) {
		unsigned int i = data[0] % NR_FILES;

		if (good[i].len == 0)
			write_good(i, &good[i]);
		mk_buf_put(&b, 0, good[i].at, good[i].len);
	}
	for (size_t pos = 1; pos + 3 <= size;) {
		size_t off = krel_le16(data + pos), n = data[pos + 2];

		pos += 3;
		n = n < size - pos ? n : size - pos;
		if (n > 0)
			mk_buf_put(&b, off, data + pos, n);
		else if (off < b.len)
			b.len = off;
		pos += n;
	}
	exact = must(malloc(b.len ? b.len : 1));
	if (b.len > 0)
		memcpy(exact, b.at, b.len);
	*len = b.len;
	mk_buf_deinit(&b);
	return exact;
}

static void read_some(struct krel_image *img)
{
	uint8_t page[KREL_PAGE_SIZE];
	struct krel_error err;
	struct krel_range r;
	uint64_t pa = 0;

	for (unsigned int i = 0; i < READS_MAX; i++) {
		if (krel_image_next(img, pa, &r) != KREL_OK)
			break;
		if (r.pa < pa || r.size == 0 || r.size > UINT64_MAX - r.pa)
			abort();
		krel_image_read(img, r.pa, page, sizeof(page), &err);
		krel_image_read(img, r.pa + r.size - 1, page, 2, &err);
		/* A page on in the range, or the next range. */
		pa = i % 2 ? r.pa + KREL_PAGE_SIZE : r.pa + r.size;
	}
	for (uint64_t at = 1; at < UINT64_C(1) << 52; at = at * 7 + 4000)
		krel_image_read(img, at, page, 100, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct krel_image *img;
	struct krel_error err;
	struct krel_file *f;
	size_t len;
	uint8_t *bytes = patched(data, size, &len);

	if (krel_file_mem(bytes, len, "fuzz", &f, &err) == KREL_OK &&
	    krel_image_open_file(f, "kdump", &img, &err) == KREL_OK) {
		read_some(img);
		krel_image_close(img);
	}
	free(bytes);
	return 0;
}
