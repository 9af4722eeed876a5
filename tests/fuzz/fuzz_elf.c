// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as an ELF core. */
#include <stdlib.h>
#include <string.h>

#include "image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * A flattened file that lacks records says so only when what they held is
 * read: there a byte of a range may be unreadable, and nothing else.
 */
static void must_read(struct krel_image *img, uint64_t pa)
{
	uint8_t byte;
	enum krel_status st = krel_image_read(img, pa, &byte, 1, NULL);

	if (st == KREL_OK)
		return;
	if (st != KREL_UNREADABLE || !img->file->flattened)
		abort();
}

/* Ranges must ascend, be inside what can be, and their ends be readable. */
static void walk(struct krel_image *img)
{
	struct krel_range r;
	uint64_t pa = 0;
	uint8_t buf[64];

	for (int n = 0; n < 256; n++) {
		if (krel_image_next(img, pa, &r) != KREL_OK)
			return;
		if (r.pa < pa || r.size == 0 || r.pa + r.size <= pa)
			abort();
		must_read(img, r.pa);
		must_read(img, r.pa + r.size - 1);
		krel_image_read(img, r.pa - 16, buf, sizeof(buf), NULL);
		krel_image_read(img, r.pa + r.size - 16, buf, sizeof(buf),
				NULL);
		pa = r.pa + r.size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct krel_image *img;
	struct krel_error err;
	struct krel_file *f;

	if (krel_file_mem(data, size, "fuzz", &f, &err) != KREL_OK)
		return 0;
	if (krel_image_open_file(f, "elf", &img, &err) != KREL_OK)
		return 0;
	walk(img);
	krel_image_close(img);
	return 0;
}
