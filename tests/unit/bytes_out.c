// SPDX-License-Identifier: GPL-2.0-or-later
#include "bytes_out.h"

#include <unistd.h>

/* Room for @len more; doubled, as some tests write many pages. */
static uint8_t *bytes_grow(struct bytes *b, size_t len)
{
	uint8_t *at;

	if (b->room < b->len + len + 1) {
		b->room = 2 * (b->len + len + 1);
		b->p = realloc(b->p, b->room);
		assert_non_null(b->p);
	}
	at = b->p + b->len;
	b->len += len;
	return at;
}

void bytes_put(struct bytes *b, const void *data, size_t len)
{
	uint8_t *at = bytes_grow(b, len);

	if (len)
		memcpy(at, data, len);
}

void bytes_text(struct bytes *b, const char *text)
{
	bytes_put(b, text, strlen(text));
}

void bytes_le(struct bytes *b, uint64_t v, size_t width)
{
	uint8_t le[8];

	for (size_t i = 0; i < width; i++)
		le[i] = (uint8_t)(v >> 8 * i);
	bytes_put(b, le, width);
}

void bytes_pad(struct bytes *b, size_t len)
{
	size_t more = len > b->len ? len - b->len : 0;

	memset(bytes_grow(b, more), 0, more);
}

void bytes_align(struct bytes *b, size_t align)
{
	bytes_pad(b, (b->len + align - 1) / align * align);
}

void bytes_patch(struct bytes *b, size_t at, uint64_t v, size_t width)
{
	assert_true(at + width <= b->len);
	for (size_t i = 0; i < width; i++)
		b->p[at + i] = (uint8_t)(v >> 8 * i);
}

void bytes_free(struct bytes *b)
{
	free(b->p);
	*b = (struct bytes){ 0 };
}

void bytes_note(struct bytes *b, const char *name, uint32_t type,
		const void *desc, size_t len)
{
	bytes_le(b, strlen(name) + 1, 4);
	bytes_le(b, len, 4);
	bytes_le(b, type, 4);
	bytes_put(b, name, strlen(name) + 1);
	bytes_align(b, 4);
	bytes_put(b, desc, len);
	bytes_align(b, 4);
}

/* 8 + 18 registers of 8 + 10 segments of 24 + 5 control registers of 8. */
void bytes_qemu_cpu(struct bytes *b, uint64_t cr0, uint64_t cr3, uint64_t cr4,
		    uint64_t idt)
{
	const size_t segments = 8 + 18 * 8, cr = segments + 10 * 24;
	struct bytes d = { 0 };

	bytes_le(&d, 1, 4);
	bytes_le(&d, cr + 40, 4);
	bytes_pad(&d, cr + 40 + 8);
	bytes_patch(&d, segments + 9 * 24 + 16, idt, 8);
	bytes_patch(&d, cr, cr0, 8);
	bytes_patch(&d, cr + 24, cr3, 8);
	bytes_patch(&d, cr + 32, cr4, 8);
	bytes_note(b, "QEMU", 0, d.p, d.len);
	bytes_free(&d);
}

char *bytes_to_file(const struct bytes *b)
{
	const char *dir = getenv("TMPDIR");
	char *path = malloc(4096);
	FILE *out;
	int fd;

	assert_non_null(path);
	snprintf(path, 4096, "%s/krel-test-XXXXXX", dir ? dir : "/tmp");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	out = fdopen(fd, "wb");
	assert_non_null(out);
	if (b->len)
		assert_int_equal(fwrite(b->p, 1, b->len, out), b->len);
	assert_int_equal(fclose(out), 0);
	return path;
}

enum krel_status open_bytes(const struct bytes *b, const char *format,
			    struct krel_image **out, struct krel_error *err)
{
	struct krel_file *f;

	assert_int_equal(krel_file_mem(b->p, b->len, "test", &f, err),
			 KREL_OK);
	return krel_image_open_file(f, format, out, err);
}

static void ident(struct bytes *b, bool is64)
{
	bytes_put(b, "\177ELF", 4);
	bytes_le(b, is64 ? 2 : 1, 1);
	bytes_le(b, 1, 1);	/* little-endian */
	bytes_le(b, 1, 1);
	bytes_pad(b, 16);
}

void core_begin(struct bytes *b, bool is64, uint16_t machine, uint16_t nr)
{
	size_t w = is64 ? 8 : 4, eh = is64 ? 64 : 52, ph = is64 ? 56 : 32;

	ident(b, is64);
	bytes_le(b, 4, 2);		/* ET_CORE */
	bytes_le(b, machine, 2);
	bytes_le(b, 1, 4);
	bytes_le(b, 0, w);		/* entry */
	bytes_le(b, eh, w);		/* phoff */
	bytes_le(b, 0, w);		/* shoff */
	bytes_le(b, 0, 4);
	bytes_le(b, eh, 2);
	bytes_le(b, ph, 2);
	bytes_le(b, nr, 2);
	bytes_pad(b, eh + nr * ph);
}

void core_segment(struct bytes *b, bool is64, unsigned int index,
		  const struct core_segment *s)
{
	size_t at = is64 ? 64 + 56 * index : 52 + 32 * index;
	size_t w = is64 ? 8 : 4, f = at + (is64 ? 8 : 4);

	bytes_patch(b, at, s->type, 4);
	bytes_patch(b, f, s->offset, w);
	bytes_patch(b, f + w, s->va, w);
	bytes_patch(b, f + 2 * w, s->pa, w);
	bytes_patch(b, f + 3 * w, s->filesz, w);
	bytes_patch(b, f + 4 * w, s->filesz, w);
}

/* ------------------------------------------------------------- vmlinux */

static void put_symtab(struct bytes *b, struct bytes *names,
		       const struct elf_kernel *k)
{
	bytes_put(names, "", 1);
	bytes_pad(b, b->len + (k->is64 ? 24 : 16));
	for (size_t i = 0; i < k->nr_symbols; i++) {
		bytes_le(b, names->len, 4);
		if (k->is64) {
			bytes_le(b, 0x10, 2);	/* global */
			bytes_le(b, 1, 2);
			bytes_le(b, k->symbol[i].value, 8);
			bytes_le(b, 0, 8);
		} else {
			bytes_le(b, k->symbol[i].value, 4);
			bytes_le(b, 0, 4);
			bytes_le(b, 0x10, 2);
			bytes_le(b, 1, 2);
		}
		bytes_put(names, k->symbol[i].name,
			  strlen(k->symbol[i].name) + 1);
	}
}

static void put_shdr(struct bytes *b, bool is64, uint32_t type, uint64_t flags,
		     uint64_t va, size_t offset, size_t size, uint32_t link,
		     size_t entsize)
{
	size_t w = is64 ? 8 : 4;

	bytes_le(b, 0, 4);
	bytes_le(b, type, 4);
	bytes_le(b, flags, w);
	bytes_le(b, va, w);
	bytes_le(b, offset, w);
	bytes_le(b, size, w);
	bytes_le(b, link, 4);
	bytes_le(b, 1, 4);
	bytes_le(b, 8, w);
	bytes_le(b, entsize, w);
}

static void put_header(struct bytes *b, const struct elf_kernel *k,
		       size_t shoff)
{
	size_t w = k->is64 ? 8 : 4, eh = k->is64 ? 64 : 52;
	struct bytes h = { 0 };

	ident(&h, k->is64);
	bytes_le(&h, k->type, 2);
	bytes_le(&h, k->machine, 2);
	bytes_le(&h, 1, 4);
	bytes_le(&h, 0, w);
	bytes_le(&h, eh, w);
	bytes_le(&h, shoff, w);
	bytes_le(&h, 0, 4);
	bytes_le(&h, eh, 2);
	bytes_le(&h, k->is64 ? 56 : 32, 2);
	bytes_le(&h, 1, 2);
	bytes_le(&h, k->is64 ? 64 : 40, 2);
	bytes_le(&h, k->stripped ? 2 : 4, 2);
	bytes_le(&h, 0, 2);
	memcpy(b->p, h.p, h.len);
	bytes_free(&h);
}

void elf_kernel_write(struct bytes *b, const struct elf_kernel *k,
		      struct elf_layout *at)
{
	size_t eh = k->is64 ? 64 : 52, ph = k->is64 ? 56 : 32;
	size_t sh = k->is64 ? 64 : 40;
	struct bytes names = { 0 };
	size_t symlen;

	bytes_pad(b, eh + ph);
	bytes_align(b, 16);
	at->section = b->len;
	core_segment(b, k->is64, 0, &(struct core_segment){
		1, at->section, k->va, k->pa, k->section->len });
	if (k->is64)	/* flags stand before the offset */
		bytes_patch(b, eh + 4, 5, 4);
	bytes_put(b, k->section->p, k->section->len);
	bytes_align(b, 8);
	at->symtab = b->len;
	put_symtab(b, &names, k);
	symlen = b->len - at->symtab;
	at->strtab = b->len;
	bytes_put(b, names.p, names.len);
	bytes_align(b, 8);
	at->shdrs = b->len;
	at->symtab_shdr = at->shdrs + 2 * sh;
	at->strtab_shdr = at->shdrs + 3 * sh;
	put_shdr(b, k->is64, 0, 0, 0, 0, 0, 0, 0);
	put_shdr(b, k->is64, 1, 2, k->va, at->section, k->section->len, 0, 0);
	if (!k->stripped) {
		put_shdr(b, k->is64, 2, 0, 0, at->symtab, symlen, 3,
			 k->is64 ? 24 : 16);
		put_shdr(b, k->is64, 3, 0, 0, at->strtab, names.len, 0, 0);
	}
	put_header(b, k, at->shdrs);
	bytes_free(&names);
}
