// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as memory, with page tables somewhere in it. */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "paging.h"

#define HEAD	25	/* mode, CR3, start, length */
/* Hostile tables can make every hole as small as a page: a bound on those. */
#define MAX_SPAN	(UINT64_C(1) << 28)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Leaves ascend, do not overlap, and are what translate() says. */
static void walk(struct krel_walk *w, uint64_t va, uint64_t end)
{
	struct krel_mapping m;
	uint8_t buf[16];
	uint64_t pa;

	for (int n = 0; n < 512; n++) {
		if (krel_walk_next(w, va, end, &m) != KREL_OK)
			return;
		if (m.va < va || m.va >= end || m.size == 0)
			abort();
		if (krel_walk_translate(w, m.va, &pa) != KREL_OK ||
		    pa != m.pa)
			abort();
		if (krel_walk_translate(w, m.va + m.size - 1, &pa) !=
		    KREL_OK || pa != m.pa + m.size - 1)
			abort();
		krel_walk_read(w, m.va, buf, sizeof(buf));
		if (m.va + m.size <= va)	/* the top of the space */
			return;
		va = m.va + m.size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct krel_walk w;	/* 20 KiB, begun anew each time */
	enum krel_paging_mode mode;
	struct krel_image *img;
	struct krel_error err;
	struct krel_file *f;
	uint64_t va, end;

	if (size <= HEAD)
		return 0;
	mode = (enum krel_paging_mode)(data[0] & 3);
	va = krel_le64(data + 9);
	end = krel_le64(data + 17);
	end = va + (end < MAX_SPAN ? end : MAX_SPAN);
	if (mode == KREL_PAGING_2LEVEL || mode == KREL_PAGING_PAE) {
		va &= UINT32_MAX;
		end &= UINT32_MAX;
	}
	if (krel_file_mem(data + HEAD, size - HEAD, "fuzz", &f, &err) !=
	    KREL_OK ||
	    krel_image_open_file(f, "raw", &img, &err) != KREL_OK)
		return 0;
	krel_walk_init(&w, img, mode, krel_le64(data + 1));
	walk(&w, va, end);
	krel_image_close(img);
	return 0;
}
