// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * redump IN OUT raw|elf|elf-nonote|lime|avml [SIZE]: write the memory of a
 * dump in another form, for tests. What IN lacks becomes a hole; SIZE (bytes)
 * makes the memory larger, sparsely.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <snappy-c.h>

#include "image.h"

#define DATA_AT	0x10000u	/* memory starts here in an ELF core */
#define AVML_CHUNK	0x10000u
#define AVML_BLOCK	0x1000000u

static int die(const char *what)
{
	fprintf(stderr, "redump: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void put(int fd, const void *buf, size_t len, uint64_t at)
{
	if (pwrite(fd, buf, len, (off_t)at) != (ssize_t)len)
		die("write");
}

static uint64_t copy_pages(struct krel_image *img, int fd, uint64_t at)
{
	uint64_t pa = 0, end = 0;
	uint8_t page[KREL_PAGE_SIZE];
	struct krel_range r;

	while (krel_image_next(img, pa, &r) == KREL_OK) {
		for (pa = r.pa; pa < r.pa + r.size; pa += sizeof(page))
			if (krel_image_read(img, pa, page, sizeof(page),
					    NULL) == KREL_OK) {
				put(fd, page, sizeof(page), at + pa);
				end = pa + sizeof(page);
			}
	}
	return end;
}

/* One LiME range for each run of pages that are there. */
static void copy_lime(struct krel_image *img, int fd)
{
	uint64_t pa = 0, at = 0, header = 0, end = UINT64_MAX;
	uint8_t page[KREL_PAGE_SIZE];
	struct krel_range r;

	while (krel_image_next(img, pa, &r) == KREL_OK) {
		for (pa = r.pa; pa < r.pa + r.size; pa += sizeof(page)) {
			uint64_t h[4] = { UINT64_C(0x14c694d45), pa, 0, 0 };

			if (krel_image_read(img, pa, page, sizeof(page),
					    NULL) != KREL_OK)
				continue;
			if (pa != end) {
				header = at;
				put(fd, h, sizeof(h), at);
				at += sizeof(h);
			}
			end = pa + sizeof(page);
			h[2] = end - 1;
			put(fd, &h[2], sizeof(h[2]), header + 16);
			put(fd, page, sizeof(page), at);
			at += sizeof(page);
		}
	}
}

/* An AVML file while it is written: one block is open, or none. */
struct avml_out {
	int fd;
	uint64_t at;		/* end of the file */
	uint64_t header;	/* of the open block */
	uint64_t pa, end;	/* of the open block; equal: none is open */
	size_t have;
	uint8_t chunk[AVML_CHUNK], packed[2 * AVML_CHUNK];
};

/* CRC-32C bit by bit, masked as the framing format asks. */
static uint32_t masked_crc(const uint8_t *p, size_t len)
{
	uint32_t v = UINT32_MAX;

	for (size_t i = 0; i < len; i++) {
		v ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			v = v >> 1 ^ (v & 1 ? 0x82f63b78u : 0);
	}
	v = ~v;
	return (v >> 15 | v << 17) + 0xa282ead8u;
}

/* What does not get smaller by an eighth is stored, as AVML does. */
static void avml_chunk(struct avml_out *o)
{
	size_t len = sizeof(o->packed);
	const uint8_t *data = o->packed;
	uint32_t h[2] = { 0, masked_crc(o->chunk, o->have) };

	if (o->have == 0)
		return;
	if (snappy_compress((char *)o->chunk, o->have, (char *)o->packed,
			    &len) != SNAPPY_OK)
		die("snappy");
	if (len >= o->have - o->have / 8) {
		len = o->have;
		data = o->chunk;
		h[0] = 1;
	}
	h[0] |= (uint32_t)(len + 4) << 8;
	put(o->fd, h, sizeof(h), o->at);
	put(o->fd, data, len, o->at + sizeof(h));
	o->at += sizeof(h) + len;
	o->have = 0;
}

static void avml_end(struct avml_out *o)
{
	uint64_t h[4] = { UINT64_C(0x24c4d5641), o->pa, o->end - 1, 0 };
	uint64_t length;

	if (o->pa == o->end)
		return;
	avml_chunk(o);
	put(o->fd, h, sizeof(h), o->header);
	length = o->at - o->header - sizeof(h);
	put(o->fd, &length, sizeof(length), o->at);
	o->at += sizeof(length);
	o->pa = o->end = 0;
}

static void avml_page(struct avml_out *o, uint64_t pa, const uint8_t *page)
{
	if (pa != o->end || o->end - o->pa == AVML_BLOCK)
		avml_end(o);
	if (o->pa == o->end) {
		o->pa = o->end = pa;
		o->header = o->at;
		put(o->fd, "\xff\6\0\0sNaPpY", 10, o->at + 32);
		o->at += 32 + 10;
	}
	memcpy(o->chunk + o->have, page, KREL_PAGE_SIZE);
	o->have += KREL_PAGE_SIZE;
	o->end += KREL_PAGE_SIZE;
	if (o->have == sizeof(o->chunk))
		avml_chunk(o);
}

static void copy_avml(struct krel_image *img, int fd)
{
	struct avml_out *o = calloc(1, sizeof(*o));
	uint8_t page[KREL_PAGE_SIZE];
	struct krel_range r;
	uint64_t pa = 0;

	if (!o)
		die("memory");
	o->fd = fd;
	while (krel_image_next(img, pa, &r) == KREL_OK)
		for (pa = r.pa; pa < r.pa + r.size; pa += sizeof(page))
			if (krel_image_read(img, pa, page, sizeof(page),
					    NULL) == KREL_OK)
				avml_page(o, pa, page);
	avml_end(o);
	free(o);
}

static void put_note(int fd, const struct krel_image *img, uint64_t at)
{
	Elf64_Nhdr n = {
		.n_namesz = sizeof("VMCOREINFO"),
		.n_descsz = (uint32_t)img->facts.vmcoreinfo_len,
	};

	put(fd, &n, sizeof(n), at);
	put(fd, "VMCOREINFO\0", 12, at + sizeof(n));
	put(fd, img->facts.vmcoreinfo, n.n_descsz, at + sizeof(n) + 12);
}

static void put_headers(int fd, const struct krel_image *img, uint64_t size,
			bool note)
{
	bool is64 = img->facts.arch == KREL_ARCH_X86_64;
	Elf64_Ehdr eh = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE,
		.e_machine = is64 ? EM_X86_64 : EM_386,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(eh),
		.e_ehsize = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
	};
	Elf64_Phdr ph[2] = {
		{ .p_type = PT_NOTE, .p_offset = 0x1000 },
		{ .p_type = PT_LOAD, .p_offset = DATA_AT, .p_filesz = size,
		  .p_memsz = size },
	};

	if (note && img->facts.vmcoreinfo) {
		put_note(fd, img, 0x1000);
		ph[0].p_filesz = sizeof(Elf64_Nhdr) + 12 +
			img->facts.vmcoreinfo_len;
	}
	put(fd, &eh, sizeof(eh), 0);
	put(fd, ph, sizeof(ph), sizeof(eh));
}

int main(int argc, char **argv)
{
	struct krel_error err = { "" };
	struct krel_image *img;
	uint64_t size = 0, end, at;
	bool raw;
	int fd;

	if (argc < 4) {
		fputs("usage: redump IN OUT raw|elf|elf-nonote|lime|avml [SIZE]\n",
		      stderr);
		return 2;
	}
	raw = strcmp(argv[3], "raw") == 0;
	if (argc > 4)
		size = strtoull(argv[4], NULL, 0);
	if (krel_image_open(argv[1], NULL, &img, &err) != KREL_OK) {
		fprintf(stderr, "redump: %s\n", err.text);
		return 1;
	}
	fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		die(argv[2]);
	if (strcmp(argv[3], "lime") == 0) {
		copy_lime(img, fd);
		goto done;
	}
	if (strcmp(argv[3], "avml") == 0) {
		copy_avml(img, fd);
		goto done;
	}
	at = raw ? 0 : DATA_AT;
	end = copy_pages(img, fd, at);
	if (size < end)
		size = end;
	if (ftruncate(fd, (off_t)(at + size)) != 0)
		die("truncate");
	if (!raw)
		put_headers(fd, img, size, strcmp(argv[3], "elf") == 0);
done:
	close(fd);
	krel_image_close(img);
	return 0;
}
