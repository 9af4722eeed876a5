/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the unit tests write: growing bytes, ELF cores, vmlinux files. All
 * byte by byte, so that nothing of the readers under test is used.
 */
#ifndef BYTES_OUT_H
#define BYTES_OUT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image.h"

struct bytes {
	uint8_t *p;
	size_t len, room;
};

void bytes_put(struct bytes *b, const void *data, size_t len);
void bytes_text(struct bytes *b, const char *text);	/* without its NUL */
void bytes_le(struct bytes *b, uint64_t v, size_t width);
void bytes_pad(struct bytes *b, size_t len);		/* zeros, to @len */
void bytes_align(struct bytes *b, size_t align);
void bytes_patch(struct bytes *b, size_t at, uint64_t v, size_t width);
void bytes_free(struct bytes *b);

/* A note: header, name with its NUL, desc, both padded to four bytes. */
void bytes_note(struct bytes *b, const char *name, uint32_t type,
		const void *desc, size_t len);

/* QEMU's CPU note with these registers. */
void bytes_qemu_cpu(struct bytes *b, uint64_t cr0, uint64_t cr3, uint64_t cr4,
		    uint64_t idt);

/* Write to a new file; returns its path, to be freed after unlink(). */
char *bytes_to_file(const struct bytes *b);

/* An ELF core: the header, and @nr program headers still zero. */
void core_begin(struct bytes *b, bool is64, uint16_t machine, uint16_t nr);

struct core_segment {
	uint32_t type;
	uint64_t offset, va, pa, filesz;
};

void core_segment(struct bytes *b, bool is64, unsigned int index,
		  const struct core_segment *s);

/* Open bytes as an image. They must outlive it. */
enum krel_status open_bytes(const struct bytes *b, const char *format,
			    struct krel_image **out, struct krel_error *err);

/* A vmlinux: one loaded section, and symbols. */
struct elf_symbol {
	const char *name;
	uint64_t value;
};

struct elf_kernel {
	bool is64;
	uint16_t type, machine;
	uint64_t va, pa;		/* of the section */
	const struct bytes *section;
	const struct elf_symbol *symbol;
	size_t nr_symbols;
	bool stripped;
};

/* Where the parts of the file came to lie. */
struct elf_layout {
	size_t section, symtab, strtab, shdrs, symtab_shdr, strtab_shdr;
};

void elf_kernel_write(struct bytes *b, const struct elf_kernel *k,
		      struct elf_layout *at);

#endif
