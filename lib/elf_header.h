/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The headers of an ELF core, by hand: the file may be sparse and of any
 * size, and nothing but its headers may be read to open it.
 */
#ifndef KREL_ELF_HEADER_H
#define KREL_ELF_HEADER_H

#include "image.h"

struct krel_elf_header {
	bool is64;		/* the container's class, not the target's */
	uint64_t phoff, shoff;
	uint32_t phnum;		/* with PN_XNUM resolved */
	uint16_t phentsize, machine;
};

/**
 * Read and check the headers of @f.
 *
 * @param arch  Set to the target that e_machine states.
 * @return KREL_OK; KREL_NOT_MINE (no ELF magic); KREL_UNSUPPORTED (not a
 *         core, or not of x86); KREL_CORRUPT; KREL_UNREADABLE (cut off).
 */
enum krel_status krel_elf_header_read(struct krel_file *f,
				      struct krel_elf_header *out,
				      enum krel_arch *arch,
				      struct krel_error *err);

/** Bytes of one program header. */
size_t krel_elf_phdr_size(const struct krel_elf_header *h);

/** Decode one program header. */
void krel_elf_phdr(const uint8_t *p, bool is64, uint32_t *type,
		   struct krel_segment *s);

#endif
