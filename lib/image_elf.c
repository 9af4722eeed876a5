// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ELF cores, 32- and 64-bit: /proc/vmcore copies and QEMU's
 * dump-guest-memory, which writes ELFCLASS64 with EM_386 for a 32-bit guest
 * above 4 GiB or when told so, and may leave e_ehsize at 8.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "elf_header.h"
#include "error.h"
#include "image.h"
#include "notes.h"

/* A bound for all notes together; QEMU writes about 1 KiB for each CPU. */
#define MAX_NOTES	(16u << 20)
/* No x86 has more physical address bits. */
#define MAX_PA		(UINT64_C(1) << 52)

struct elf {
	size_t *by_pa;		/* indices of segments, sorted by pa */
	uint64_t *max_end;	/* highest end among by_pa[0..i] */
	size_t nr;
	size_t last;		/* where the last read was */
	uint64_t notes;		/* bytes of notes read so far */
	bool cut;		/* the file ends inside a segment */
};

static enum krel_status bad(const struct krel_image *img,
			    struct krel_error *err, const char *what)
{
	return krel_error_set(err, KREL_CORRUPT, "%s: ELF core: %s",
			      img->file->path, what);
}

static enum krel_status read_notes(struct krel_image *img,
				   const struct krel_segment *s,
				   struct krel_error *err)
{
	struct elf *e = img->priv;
	enum krel_status st;
	uint8_t *buf;

	if (s->filesz == 0)
		return KREL_OK;
	/* Notes that are cut off or absurd are absent, not fatal: memory may
	 * still be readable. */
	if (s->filesz > MAX_NOTES - e->notes ||
	    !krel_in_bounds(s->offset, s->filesz, img->file->size))
		return KREL_OK;
	e->notes += s->filesz;
	buf = malloc((size_t)s->filesz);
	if (!buf)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      img->file->path);
	st = krel_file_read(img->file, s->offset, buf, (size_t)s->filesz, err);
	if (st == KREL_OK)
		st = krel_notes_collect(buf, (size_t)s->filesz, &img->facts,
					err);
	free(buf);
	return st;
}

/*
 * A segment whose file bytes run past the end is kept as far as it goes: a
 * dump that was cut off still answers from what is there, and is not searched
 * where nothing can be.
 */
static bool keep_segment(struct krel_image *img, struct krel_segment *s)
{
	uint64_t size = img->file->size;
	struct elf *e = img->priv;

	if (s->filesz == 0 || s->pa >= MAX_PA)
		return false;
	if (!krel_in_bounds(s->offset, s->filesz, size)) {
		e->cut = true;
		if (s->offset >= size)
			return false;
		s->filesz = size - s->offset;
	}
	if (s->filesz > MAX_PA - s->pa)
		s->filesz = MAX_PA - s->pa;
	return true;
}

static enum krel_status read_phdrs(struct krel_image *img,
				   const struct krel_elf_header *h,
				   struct krel_error *err)
{
	size_t size = krel_elf_phdr_size(h);
	struct krel_image_facts *facts = &img->facts;
	enum krel_status st;
	uint8_t *buf;

	buf = malloc(h->phnum * size);
	facts->segment = calloc(h->phnum, sizeof(*facts->segment));
	if (!buf || !facts->segment) {
		free(buf);
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      img->file->path);
	}
	st = krel_file_read(img->file, h->phoff, buf, h->phnum * size, err);
	for (uint32_t i = 0; st == KREL_OK && i < h->phnum; i++) {
		struct krel_segment s;
		uint32_t type;

		krel_elf_phdr(buf + i * size, h->is64, &type, &s);
		if (type == PT_NOTE)
			st = read_notes(img, &s, err);
		else if (type == PT_LOAD && keep_segment(img, &s))
			facts->segment[facts->nr_segments++] = s;
	}
	free(buf);
	return st;
}

struct sort_key {
	uint64_t pa;
	size_t index;
};

static int by_pa(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;

	if (x->pa != y->pa)
		return x->pa < y->pa ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/*
 * Sort by physical address. In /proc/vmcore the kernel's text segment lies
 * inside the RAM segment as well; with QEMU's paging mode one page may be
 * mapped many times. Overlaps are normal: any of them serves.
 */
static enum krel_status index_segments(struct krel_image *img, struct elf *e,
				       struct krel_error *err)
{
	size_t nr = img->facts.nr_segments;
	struct sort_key *key = calloc(nr + 1, sizeof(*key));

	e->by_pa = calloc(nr + 1, sizeof(*e->by_pa));
	e->max_end = calloc(nr + 1, sizeof(*e->max_end));
	if (!key || !e->by_pa || !e->max_end) {
		free(key);
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      img->file->path);
	}
	for (size_t i = 0; i < nr; i++)
		key[i] = (struct sort_key){ img->facts.segment[i].pa, i };
	qsort(key, nr, sizeof(*key), by_pa);
	for (size_t i = 0; i < nr; i++) {
		const struct krel_segment *s = &img->facts.segment[key[i].index];
		uint64_t before = i > 0 ? e->max_end[i - 1] : 0;

		e->by_pa[i] = key[i].index;
		e->max_end[i] = s->pa + s->filesz > before ?
			s->pa + s->filesz : before;
	}
	e->nr = nr;
	free(key);
	return KREL_OK;
}

static enum krel_status elf_open(struct krel_image *img,
				 struct krel_error *err)
{
	struct krel_elf_header h;
	enum krel_status st;
	struct elf *e;

	st = krel_elf_header_read(img->file, &h, &img->facts.arch, err);
	if (st != KREL_OK)
		return st;
	e = calloc(1, sizeof(*e));
	if (!e)
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      img->file->path);
	img->priv = e;
	snprintf(img->facts.format, sizeof(img->facts.format), "ELF%s",
		 h.is64 ? "64" : "32");
	if (img->file->flattened)
		snprintf(img->facts.detail, sizeof(img->facts.detail),
			 "flattened");
	st = read_phdrs(img, &h, err);
	if (st == KREL_OK && img->facts.nr_segments == 0)
		return bad(img, err,
			"expected memory in PT_LOAD segments, found none inside the file: it is cut off or empty");
	return st == KREL_OK ? index_segments(img, e, err) : st;
}

/* Bytes of the segment from @pa on; 0 when it does not hold @pa. */
static uint64_t segment_room(const struct krel_segment *s, uint64_t pa)
{
	if (pa < s->pa || pa - s->pa >= s->filesz)
		return 0;
	return s->filesz - (pa - s->pa);
}

/* Index in by_pa of the first segment that starts above @pa. */
static size_t first_above(const struct krel_image *img, const struct elf *e,
			  uint64_t pa)
{
	size_t lo = 0, hi = e->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (img->facts.segment[e->by_pa[mid]].pa <= pa)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Segments are sorted by start; an earlier, longer one may cover @pa too. The
 * last hit is tried first, which is what page-table walks and scans want.
 */
static const struct krel_segment *find_segment(const struct krel_image *img,
					       struct elf *e, uint64_t pa)
{
	const struct krel_segment *seg = img->facts.segment;
	size_t i;

	if (e->last < e->nr && segment_room(&seg[e->by_pa[e->last]], pa))
		return &seg[e->by_pa[e->last]];
	for (i = first_above(img, e, pa); i > 0; i--) {
		if (e->max_end[i - 1] <= pa)
			break;
		if (segment_room(&seg[e->by_pa[i - 1]], pa)) {
			e->last = i - 1;
			return &seg[e->by_pa[i - 1]];
		}
	}
	return NULL;
}

static enum krel_status elf_read(struct krel_image *img, uint64_t pa,
				 void *buf, size_t len,
				 struct krel_error *err)
{
	struct elf *e = img->priv;
	uint8_t *to = buf;

	while (len > 0) {
		const struct krel_segment *s = find_segment(img, e, pa);
		enum krel_status st;
		uint64_t room;
		size_t part;

		if (!s)
			return krel_error_set(err,
				e->cut ? KREL_UNREADABLE : KREL_ABSENT,
				"%s: no memory at physical 0x%llx%s",
				img->file->path, (unsigned long long)pa,
				e->cut ? ": the file is cut off" : "");
		room = segment_room(s, pa);
		part = room < len ? (size_t)room : len;
		st = krel_file_read(img->file, s->offset + (pa - s->pa), to,
				    part, err);
		if (st != KREL_OK)
			return st;
		pa += part;
		to += part;
		len -= part;
	}
	return KREL_OK;
}

static enum krel_status elf_next(struct krel_image *img, uint64_t pa,
				 struct krel_range *out)
{
	const struct krel_segment *seg = img->facts.segment;
	struct elf *e = img->priv;
	const struct krel_segment *hit = find_segment(img, e, pa);
	size_t i;

	if (hit) {
		*out = (struct krel_range){ pa, segment_room(hit, pa) };
		return KREL_OK;
	}
	i = first_above(img, e, pa);
	if (i == e->nr)
		return KREL_ABSENT;
	hit = &seg[e->by_pa[i]];
	*out = (struct krel_range){ hit->pa, hit->filesz };
	return KREL_OK;
}

static void elf_close(struct krel_image *img)
{
	struct elf *e = img->priv;

	if (!e)
		return;
	free(e->by_pa);
	free(e->max_end);
	free(e);
}

const struct krel_image_ops krel_image_elf = {
	.name = "elf",
	.open = elf_open,
	.read = elf_read,
	.next = elf_next,
	.close = elf_close,
};
