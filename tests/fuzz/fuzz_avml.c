// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as an AVML file: open, walk the ranges, read some of each. By the
 * first byte they are the whole file, or the chunks of a block that is begun
 * for them, so that the fuzzer need not find out how one begins.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"

static const uint8_t begun[] = "AVML\2\0\0\0\0\x10\0\0\0\0\0\0"
	"\xff\x4f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\6\0\0sNaPpY";

static void read_all(struct krel_image *img)
{
	struct krel_error err = { "" };
	struct krel_range r;
	uint64_t pa = 0;
	uint8_t buf[64];

	for (int i = 0; i < 64 && krel_image_next(img, pa, &r) == KREL_OK;
	     i++) {
		for (uint64_t off = 0; off < r.size && off < 1u << 20;
		     off += 4000)
			krel_image_read(img, r.pa + off, buf, sizeof(buf),
					&err);
		krel_image_read(img, r.pa + r.size - 1, buf, 1, &err);
		if (r.pa + r.size <= pa)
			__builtin_trap();
		pa = r.pa + r.size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t head = size && data[0] & 1 ? sizeof(begun) - 1 : 0;
	struct krel_error err = { "" };
	struct krel_image *img;
	struct krel_file *f;
	uint8_t *file;

	if (size == 0)
		return 0;
	file = malloc(head + size);
	if (!file)
		return 0;
	memcpy(file, begun, head);
	memcpy(file + head, data + 1, size - 1);
	if (krel_file_mem(file, head + size - 1, "fuzz", &f, &err) ==
	    KREL_OK && krel_image_open_file(f, "avml", &img, &err) ==
	    KREL_OK) {
		read_all(img);
		krel_image_close(img);
	}
	free(file);
	return 0;
}
