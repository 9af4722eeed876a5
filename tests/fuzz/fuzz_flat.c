// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a flattened file. */
#include <stdlib.h>
#include <string.h>

#include "file.h"

#define FLAT_HEADER	4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_some(struct krel_file *f)
{
	uint8_t buf[512];
	struct krel_error err;

	krel_file_read(f, 0, buf, f->size < 512 ? (size_t)f->size : 512, &err);
	for (uint64_t step = 1; step < f->size; step = step * 5 + 3) {
		uint64_t at = f->size - step;
		size_t len = step < sizeof(buf) ? (size_t)step : sizeof(buf);

		krel_file_read(f, at, buf, len, &err);
		krel_file_read(f, step, buf, 1, &err);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t head[32] = {
		'm', 'a', 'k', 'e', 'd', 'u', 'm', 'p', 'f', 'i', 'l', 'e',
		[23] = 1, [31] = 1,
	};
	struct krel_file *f, *plain;
	struct krel_error err;
	uint8_t *flat;

	/* The input is the records; the fixed header would only cost time. */
	flat = calloc(1, FLAT_HEADER + size);
	if (!flat)
		return 0;
	memcpy(flat, head, sizeof(head));
	if (size > 0)
		memcpy(flat + FLAT_HEADER, data, size);
	if (krel_file_mem(flat, FLAT_HEADER + size, "fuzz", &f, &err) == KREL_OK) {
		if (krel_file_unflatten(f, &plain, &err) == KREL_OK) {
			read_some(plain);
			f = plain;
		}
		krel_file_close(f);
	}
	free(flat);
	return 0;
}
