// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes where kallsyms are expected: a valid token table and index stand
 * in the middle, the input lies before and behind them.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MEMORY	(1u << 17)

static size_t put_tokens(uint8_t *mem, size_t at)
{
	size_t start = at;
	uint8_t index[512];

	for (unsigned int i = 0; i < 256; i++) {
		index[2 * i] = (uint8_t)(at - start);
		index[2 * i + 1] = (uint8_t)((at - start) >> 8);
		mem[at++] = i > ' ' && i <= '~' ? (uint8_t)i : 'q';
		mem[at++] = 0;
	}
	memcpy(mem + at, index, sizeof(index));
	return at + sizeof(index);
}

static bool count(void *arg, const struct krel_symbol *sym)
{
	size_t *n = arg;

	if (!sym->name[0])
		abort();
	++*n;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *mem = calloc(1, MEMORY);
	struct krel_symbols *s;
	struct krel_image *img;
	struct krel_error err;
	struct krel_file *f;
	size_t split, end, n = 0;

	if (!mem || size < 2) {
		free(mem);
		return 0;
	}
	/* The first two bytes say how much of the rest lies before. */
	split = (size_t)(data[0] | data[1] << 8) % (size - 1);
	data += 2;
	size -= 2;
	split = split > size ? size : split;
	if (size <= MEMORY / 2) {
		memcpy(mem + MEMORY / 2 - split, data, split);
		end = put_tokens(mem, MEMORY / 2);
		memcpy(mem + end, data + split, size - split);
	}
	if (krel_file_mem(mem, MEMORY, "fuzz", &f, &err) == KREL_OK &&
	    krel_image_open_file(f, "raw", &img, &err) == KREL_OK) {
		if (krel_symbols_find(img, NULL, &s, &err) == KREL_OK) {
			krel_symbols_each(s, count, &n);
			if (n != krel_symbols_count(s))
				abort();
			krel_symbols_free(s);
		}
		krel_image_close(img);
	}
	free(mem);
	return 0;
}
