// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a user's map, and as a raw file that may hold boot_params. */
#include "raw_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct krel_text text = { (const char *)data, size };
	struct krel_error err = { "" };
	struct krel_raw_map map;
	struct krel_image *img;
	struct krel_file *f;
	struct krel_range r;
	uint64_t pa = 0;

	if (krel_raw_map_parse(&text, &map, &err) == KREL_OK)
		krel_raw_map_deinit(&map);
	if (krel_file_mem(data, size, "fuzz", &f, &err) != KREL_OK ||
	    krel_image_open_file(f, "raw", &img, &err) != KREL_OK)
		return 0;
	for (int i = 0; i < 300 && krel_image_next(img, pa, &r) == KREL_OK;
	     i++) {
		uint8_t buf[16];

		krel_image_read(img, r.pa, buf, sizeof(buf), &err);
		if (r.pa + r.size <= pa)
			__builtin_trap();
		pa = r.pa + r.size;
	}
	krel_image_close(img);
	return 0;
}
