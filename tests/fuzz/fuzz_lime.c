// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a LiME file: open, walk the ranges, read some of each. */
#include <string.h>

#include "image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct krel_error err = { "" };
	struct krel_image *img;
	struct krel_range r;
	struct krel_file *f;
	uint64_t pa = 0;
	uint8_t buf[64];

	if (krel_file_mem(data, size, "fuzz", &f, &err) != KREL_OK ||
	    krel_image_open_file(f, "lime", &img, &err) != KREL_OK)
		return 0;
	for (int i = 0; i < 64 && krel_image_next(img, pa, &r) == KREL_OK;
	     i++) {
		krel_image_read(img, r.pa, buf, sizeof(buf), &err);
		if (r.pa + r.size <= pa)
			__builtin_trap();
		pa = r.pa + r.size;
	}
	krel_image_close(img);
	return 0;
}
