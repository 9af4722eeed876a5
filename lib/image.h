/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A memory image: physical pages, and the facts that its container states.
 * One format is one file with one struct krel_image_ops, and a row in
 * image.c's table.
 */
#ifndef KREL_IMAGE_H
#define KREL_IMAGE_H

#include "krel.h"
#include "file.h"

/** A PT_LOAD as the container states it. */
struct krel_segment {
	uint64_t va;		/* p_vaddr; 0 also means "not stated" */
	uint64_t pa;
	uint64_t filesz;	/* bytes present */
	uint64_t memsz;
	uint64_t offset;	/* in the file */
};

/** Control state of one CPU, from a QEMU note. */
struct krel_cpu {
	unsigned int index;	/* order in the container */
	uint64_t cr0, cr3, cr4;
	uint64_t idt_base;	/* run-time address */
	uint64_t rip, rsp;
	uint64_t cs;
};

/** What the container states besides memory. All owned by the image. */
struct krel_image_facts {
	enum krel_arch arch;
	char format[32];	/* for people: "ELF64", "kdump-compressed" */
	char detail[64];	/* "zlib, flattened" */
	unsigned int ncpus;	/* 0 unknown */
	char *vmcoreinfo;	/* NUL-terminated text, or NULL */
	size_t vmcoreinfo_len;
	struct krel_segment *segment;
	size_t nr_segments;
	struct krel_cpu *cpu;	/* those with registers */
	size_t nr_cpus;
	char release[96];	/* utsname in a kdump header; may be "" */
};

struct krel_image;

struct krel_image_ops {
	const char *name;	/* as in --format */
	/**
	 * Look at img->file; on KREL_OK fill img->facts and img->priv.
	 * KREL_NOT_MINE: another format, nothing kept. On any other failure
	 * what was put into facts and priv is freed by krel_image_close().
	 */
	enum krel_status (*open)(struct krel_image *img,
				 struct krel_error *err);
	/**
	 * Read inside one page: [pa, pa + len) does not cross a 4 KiB
	 * boundary. Statuses as krel_image_read().
	 */
	enum krel_status (*read)(struct krel_image *img, uint64_t pa,
				 void *buf, size_t len,
				 struct krel_error *err);
	/**
	 * First range of present memory that ends above @pa: out->pa is
	 * @pa or more. KREL_ABSENT at the end.
	 */
	enum krel_status (*next)(struct krel_image *img, uint64_t pa,
				 struct krel_range *out);
	void (*close)(struct krel_image *img);
};

struct krel_image {
	const struct krel_image_ops *ops;
	struct krel_file *file;		/* NULL for a host image */
	/* The user's word on a raw file; borrowed, for open only. */
	const struct krel_text *phys_map;
	struct krel_image_facts facts;
	void *priv;
};

#define KREL_PAGE_SIZE	4096u
/** No x86 has more physical address bits. */
#define KREL_MAX_PA	(UINT64_C(1) << 52)

extern const struct krel_image_ops krel_image_avml;
extern const struct krel_image_ops krel_image_elf;
extern const struct krel_image_ops krel_image_kdump;
extern const struct krel_image_ops krel_image_lime;
extern const struct krel_image_ops krel_image_raw;

/** Open from a file; takes ownership of @f, also on failure. */
enum krel_status krel_image_open_file(struct krel_file *f, const char *format,
				      struct krel_image **out,
				      struct krel_error *err);

/** As much of [pa, pa + len) as can be read from its start; returns bytes. */
size_t krel_image_read_some(struct krel_image *img, uint64_t pa, void *buf,
			    size_t len);

/** First range of present memory that ends above @pa; KREL_ABSENT at end. */
enum krel_status krel_image_next(struct krel_image *img, uint64_t pa,
				 struct krel_range *out);

#endif
