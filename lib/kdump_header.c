// SPDX-License-Identifier: GPL-2.0-or-later
#include "kdump_header.h"

#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "error.h"
#include "image.h"

#define VERSION_MAX	6u

/* The head of the header is the same for every writer. */
#define SIGNATURE_LEN	8u
#define AT_VERSION	8u
#define AT_UTSNAME	12u
#define UTS_LEN		65u
#define UTS_RELEASE	2u	/* index of the string in utsname */
#define UTS_MACHINE	4u

/* x86 stops at 52 bits of physical address. */
#define MAX_PFN		(UINT64_C(1) << 40)

/* They are read whole. A CPU's notes take about 1 KiB. */
#define VMCOREINFO_MAX	(UINT64_C(1) << 20)
#define NOTES_MAX	(UINT64_C(16) << 20)

/*
 * Behind utsname a timeval follows, whose size and alignment depend on the
 * writer's word; then come ten 32-bit fields. In the sub header `unsigned
 * long` depends on it, and i386 aligns 64-bit fields to 4 bytes only.
 */
struct layout {
	bool is_64;
	uint32_t fields;	/* offset of the status field */
	uint32_t word;		/* size of unsigned long */
	/* In the sub header, each since the version named: */
	uint32_t split;			/* 2 */
	uint32_t vmcoreinfo;		/* 3: offset, then size */
	uint32_t notes;			/* 4: offset, then size */
	uint32_t max_mapnr_64;		/* 6 */
	uint32_t sub_size;
};

static const struct layout layouts[] = {
	{ false, 412, 4, 8, 20, 32, 72, 80 },
	{ true, 424, 8, 12, 32, 48, 96, 104 },
};

#define LAYOUT_32	(&layouts[0])
#define LAYOUT_64	(&layouts[1])

#define HEADER_SIZE	464u	/* of the larger layout */
#define SUB_SIZE_MAX	104u

/** The ten fields behind the timeval; those that are of use. */
struct fields {
	uint32_t status, block_size, sub_blocks, bitmap_blocks, max_mapnr;
	uint32_t nr_cpus;
};

static struct fields load_fields(const uint8_t *head, const struct layout *l)
{
	const uint8_t *p = head + l->fields;

	return (struct fields){
		.status = krel_le32(p),
		.block_size = krel_le32(p + 4),
		.sub_blocks = krel_le32(p + 8),
		.bitmap_blocks = krel_le32(p + 12),
		.max_mapnr = krel_le32(p + 16),
		.nr_cpus = krel_le32(p + 36),
	};
}

static void load_uts(const uint8_t *head, unsigned int index,
		     char out[static UTS_LEN])
{
	const uint8_t *p = head + AT_UTSNAME + index * UTS_LEN;

	memcpy(out, p, UTS_LEN);
	out[UTS_LEN - 1] = '\0';
	krel_text_sanitize(out);
}

enum krel_arch krel_kdump_arch(const char *machine)
{
	if (strcmp(machine, "x86_64") == 0)
		return KREL_ARCH_X86_64;
	if (machine[0] == 'i' && machine[1] >= '3' && machine[1] <= '6' &&
	    strcmp(machine + 2, "86") == 0)
		return KREL_ARCH_I386;
	return KREL_ARCH_UNKNOWN;
}

static bool power_of_two(uint32_t v)
{
	return v != 0 && (v & (v - 1)) == 0;
}

/* Could these be the fields? Read at the wrong place they are mostly 0. */
static bool plausible(const struct fields *v, bool is_diskdump)
{
	return v->block_size >= 512 && v->block_size <= 1u << 20 &&
	       power_of_two(v->block_size) && v->bitmap_blocks > 0 &&
	       (v->sub_blocks > 0 || is_diskdump);
}

/*
 * The layout is the writer's, not the guest's: QEMU writes the 64-bit one for
 * a 32-bit guest with much memory. So the fields decide, and the machine
 * only when both readings make sense.
 */
static enum krel_status choose_layout(const struct krel_file *f,
				      const uint8_t *head,
				      const struct krel_kdump_header *h,
				      const struct layout **out,
				      struct krel_error *err)
{
	const struct fields v32 = load_fields(head, LAYOUT_32);
	const struct fields v64 = load_fields(head, LAYOUT_64);
	const bool is_32 = plausible(&v32, h->is_diskdump);
	const bool is_64 = plausible(&v64, h->is_diskdump);

	if (!is_32 && !is_64)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: kdump header: expected a block size of %u, found %" PRIu32 " (read as a 64-bit header) and %" PRIu32 " (as a 32-bit one): the header is damaged",
			f->path, KREL_PAGE_SIZE, v64.block_size,
			v32.block_size);
	if (is_32 && is_64)
		*out = krel_kdump_arch(h->machine) == KREL_ARCH_I386 ?
		       LAYOUT_32 : LAYOUT_64;
	else
		*out = is_64 ? LAYOUT_64 : LAYOUT_32;
	return KREL_OK;
}

/* What lies at the same place in each layout: signature, utsname, version. */
static enum krel_status read_start(struct krel_file *f, const uint8_t *head,
				   struct krel_kdump_header *h,
				   struct krel_error *err)
{
	load_uts(head, UTS_MACHINE, h->machine);
	load_uts(head, UTS_RELEASE, h->release);
	/* Before the version: on a big-endian machine that is swapped. */
	if (h->machine[0] != '\0' &&
	    krel_kdump_arch(h->machine) == KREL_ARCH_UNKNOWN)
		return krel_error_set(err, KREL_UNSUPPORTED,
			"%s: kdump header: expected machine x86_64 or i386 to i686, found \"%s\": this tool knows x86 only",
			f->path, h->machine);
	h->version = krel_le32(head + AT_VERSION);
	if (h->version > VERSION_MAX)
		return krel_error_set(err, KREL_UNSUPPORTED,
			"%s: kdump header: expected version 0 to %u, found %" PRIu32,
			f->path, VERSION_MAX, h->version);
	return KREL_OK;
}

/** What the sub header adds. */
struct sub_fields {
	uint32_t split;
	struct krel_kdump_part vmcoreinfo, notes;
	uint64_t max_mapnr_64;
};

static struct krel_kdump_part load_part(const uint8_t *p,
					const struct layout *l)
{
	return (struct krel_kdump_part){
		.off = krel_le64(p),
		.size = l->word == 8 ? krel_le64(p + 8) : krel_le32(p + 8),
	};
}

/* Fields that a version does not have are whatever was in the buffer. */
static enum krel_status read_sub(struct krel_file *f, uint64_t off,
				 const struct layout *l, uint32_t version,
				 struct sub_fields *out,
				 struct krel_error *err)
{
	uint8_t sub[SUB_SIZE_MAX];
	enum krel_status st;

	memset(out, 0, sizeof(*out));
	st = krel_file_read(f, off, sub, l->sub_size, err);
	if (st != KREL_OK)
		return krel_error_prepend(err, st, "kdump sub header");
	if (version >= 2)
		out->split = krel_le32(sub + l->split);
	if (version >= 3)
		out->vmcoreinfo = load_part(sub + l->vmcoreinfo, l);
	if (version >= 4)
		out->notes = load_part(sub + l->notes, l);
	if (version >= 6)
		out->max_mapnr_64 = krel_le64(sub + l->max_mapnr_64);
	return KREL_OK;
}

/* A part that the sub header names lies behind the header, in the file. */
static enum krel_status check_part(const struct krel_file *f,
				   struct krel_kdump_part *p, uint64_t max,
				   const char *name, struct krel_error *err)
{
	if (p->off == 0 || p->size == 0) {
		*p = (struct krel_kdump_part){ 0 };
		return KREL_OK;
	}
	if (p->off < KREL_PAGE_SIZE || p->off > INT64_MAX)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: kdump sub header: expected %s behind the header, found offset 0x%" PRIx64,
			f->path, name, p->off);
	if (p->size > max)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: kdump sub header: expected at most %" PRIu64 " bytes of %s, found %" PRIu64,
			f->path, max, name, p->size);
	if (krel_in_bounds(p->off, p->size, f->size))
		return KREL_OK;
	return krel_error_set(err, KREL_UNREADABLE,
		"%s: file ends at 0x%" PRIx64 ", %s at 0x%" PRIx64 ", %" PRIu64 " bytes: it is cut off",
		f->path, f->size, name, p->off, p->size);
}

/* Where bitmaps and descriptors lie; do they hold max_pfn pages? */
static enum krel_status place_bitmaps(const struct krel_file *f,
				      const struct fields *v,
				      struct krel_kdump_header *h,
				      struct krel_error *err)
{
	const uint64_t start = (1 + (uint64_t)v->sub_blocks) * KREL_PAGE_SIZE;
	const uint64_t bytes = (uint64_t)v->bitmap_blocks * KREL_PAGE_SIZE;
	const uint64_t need = (h->max_pfn + 7) / 8;
	const bool two = krel_align_up(need, KREL_PAGE_SIZE) <= bytes / 2;

	if (need > bytes)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: kdump header: expected bitmaps for 0x%" PRIx64 " pages, found %" PRIu32 " blocks, which hold 0x%" PRIx64,
			f->path, h->max_pfn, v->bitmap_blocks, bytes * 8);
	/* Dumps that leave nothing out may have just one. */
	h->bitmap1 = start;
	h->bitmap2 = two ? start + bytes / 2 : start;
	h->desc = start + bytes;
	if (h->desc > f->size)
		return krel_error_set(err, KREL_UNREADABLE,
			"%s: file ends at 0x%" PRIx64 ", expected the page bitmaps up to 0x%" PRIx64 ": it is cut off",
			f->path, f->size, h->desc);
	return KREL_OK;
}

static enum krel_status check_sub(const struct krel_file *f,
				  struct sub_fields *sub,
				  struct krel_kdump_header *h,
				  struct krel_error *err)
{
	enum krel_status st;

	if (sub->split != 0)
		return krel_error_set(err, KREL_UNSUPPORTED,
			"%s: is one part of a split kdump file, which this version does not read: join the parts with makedumpfile --reassemble",
			f->path);
	st = check_part(f, &sub->vmcoreinfo, VMCOREINFO_MAX, "VMCOREINFO",
			err);
	if (st == KREL_OK)
		st = check_part(f, &sub->notes, NOTES_MAX, "ELF notes",
				err);
	if (st != KREL_OK)
		return st;
	h->vmcoreinfo = sub->vmcoreinfo;
	h->notes = sub->notes;
	return KREL_OK;
}

static enum krel_status read_rest(struct krel_file *f, const uint8_t *head,
				  struct krel_kdump_header *h,
				  struct krel_error *err)
{
	struct sub_fields sub = { 0 };
	const struct layout *l = NULL;
	struct fields v;
	enum krel_status st;

	st = choose_layout(f, head, h, &l, err);
	if (st != KREL_OK)
		return st;
	v = load_fields(head, l);
	if (v.block_size != KREL_PAGE_SIZE)
		return krel_error_set(err, KREL_UNSUPPORTED,
			"%s: kdump header: expected a block size of %u, found %" PRIu32 ": x86 has no such pages",
			f->path, KREL_PAGE_SIZE, v.block_size);
	if (!h->is_diskdump)
		st = read_sub(f, KREL_PAGE_SIZE, l, h->version, &sub, err);
	if (st == KREL_OK)
		st = check_sub(f, &sub, h, err);
	if (st != KREL_OK)
		return st;

	h->is_64 = l->is_64;
	h->status = v.status;
	h->nr_cpus = v.nr_cpus;
	/* Since version 6 the 32-bit field is only kept for old readers. */
	h->max_pfn = sub.max_mapnr_64 ? sub.max_mapnr_64 : v.max_mapnr;
	if (h->max_pfn == 0 || h->max_pfn > MAX_PFN)
		return krel_error_set(err, KREL_CORRUPT,
			"%s: kdump header: expected 1 to 2^40 page frames, found 0x%" PRIx64,
			f->path, h->max_pfn);
	return place_bitmaps(f, &v, h, err);
}

static enum krel_status read_head(struct krel_file *f, uint8_t *head,
				  struct krel_kdump_header *h,
				  struct krel_error *err)
{
	enum krel_status st;

	if (f->size < SIGNATURE_LEN)
		return KREL_NOT_MINE;
	st = krel_file_read(f, 0, head, SIGNATURE_LEN, err);
	if (st != KREL_OK)
		return st;
	if (memcmp(head, "KDUMP   ", SIGNATURE_LEN) != 0) {
		if (memcmp(head, "DISKDUMP", SIGNATURE_LEN) != 0)
			return KREL_NOT_MINE;
		h->is_diskdump = true;
	}
	st = krel_file_read(f, 0, head, HEADER_SIZE, err);
	if (st != KREL_OK)
		return krel_error_prepend(err, st, "kdump header");
	return KREL_OK;
}

enum krel_status krel_kdump_header_read(struct krel_file *f,
					struct krel_kdump_header *out,
					struct krel_error *err)
{
	struct krel_kdump_header h = { 0 };
	uint8_t head[HEADER_SIZE];
	enum krel_status st;

	st = read_head(f, head, &h, err);
	if (st == KREL_OK)
		st = read_start(f, head, &h, err);
	if (st == KREL_OK)
		st = read_rest(f, head, &h, err);
	if (st == KREL_OK)
		*out = h;
	return st;
}
