// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of a world, and the image that libkrel reads it by. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "../../lib/error.h"

static struct page *find_page(const struct world *w, uint64_t pa)
{
	for (size_t i = 0; i < w->nr_pages; i++)
		if (w->page[i]->pa == pa)
			return w->page[i];
	return NULL;
}

static bool present(const struct world *w, uint64_t pa)
{
	for (size_t i = 0; i < w->nr_ranges; i++)
		if (pa >= w->range[i].pa &&
		    pa - w->range[i].pa < w->range[i].size)
			return true;
	return false;
}

static struct page *page_for_write(struct world *w, uint64_t pa)
{
	struct page *p = find_page(w, pa);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	w->page = realloc(w->page, (w->nr_pages + 1) * sizeof(*w->page));
	if (!p || !w->page)
		abort();
	p->pa = pa;
	w->page[w->nr_pages++] = p;
	return p;
}

/* Ranges are kept in the order given: scenes write them ascending. */
bool memory_add(struct world *w, uint64_t from, uint64_t to)
{
	if (from >= to || w->nr_ranges == WORLD_RANGES ||
	    (w->nr_ranges && from < w->range[w->nr_ranges - 1].pa +
	     w->range[w->nr_ranges - 1].size))
		return fail(w, "memory: must ascend");
	w->range[w->nr_ranges++] = (struct krel_range){ from, to - from };
	return true;
}

bool memory_cut(struct world *w, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < w->nr_ranges; i++) {
		struct krel_range *r = &w->range[i];
		uint64_t end = r->pa + r->size;

		if (from <= r->pa || to >= end)
			continue;
		if (w->nr_ranges == WORLD_RANGES)
			break;
		memmove(r + 2, r + 1,
			(w->nr_ranges - i - 1) * sizeof(*r));
		r[0].size = from - r->pa;
		r[1] = (struct krel_range){ to, end - to };
		w->nr_ranges++;
		return true;
	}
	return fail(w, "hole: must lie inside one memory range");
}

bool memory_fault(struct world *w, uint64_t from, uint64_t size,
		  enum krel_status status)
{
	if (w->nr_faults == WORLD_FAULTS)
		return fail(w, "too many faults");
	from &= ~(uint64_t)(KREL_PAGE_SIZE - 1);
	w->fault[w->nr_faults++] = (struct fault){ from, from + size, status };
	return true;
}

bool memory_write(struct world *w, uint64_t pa, const void *buf, size_t len)
{
	const uint8_t *from = buf;

	for (size_t i = 0; i < len; i++, pa++) {
		if (!present(w, pa))
			return fail(w, "write to %llx: no memory there",
				    (unsigned long long)pa);
		page_for_write(w, pa & ~(uint64_t)(KREL_PAGE_SIZE - 1))
			->data[pa % KREL_PAGE_SIZE] = from[i];
	}
	return true;
}

bool memory_put(struct world *w, uint64_t pa, uint64_t value, size_t bytes)
{
	uint8_t b[8];

	for (size_t i = 0; i < bytes; i++)
		b[i] = (uint8_t)(value >> 8 * i);
	return memory_write(w, pa, b, bytes);
}

uint64_t memory_get(struct world *w, uint64_t pa, size_t bytes)
{
	uint64_t v = 0;

	for (size_t i = bytes; i-- > 0;) {
		uint64_t at = pa + i;
		const struct page *p =
			find_page(w, at & ~(uint64_t)(KREL_PAGE_SIZE - 1));

		v = v << 8 | (p ? p->data[at % KREL_PAGE_SIZE] : 0);
	}
	return v;
}

/* Only pages that were written to need to be copied. */
bool memory_copy(struct world *w, uint64_t from, uint64_t to, uint64_t size)
{
	for (uint64_t at = 0; at < size; at += KREL_PAGE_SIZE) {
		const struct page *p = find_page(w, from + at);

		if (p && !memory_write(w, to + at, p->data, sizeof(p->data)))
			return false;
	}
	return true;
}

void memory_free(struct world *w)
{
	for (size_t i = 0; i < w->nr_pages; i++)
		free(w->page[i]);
	free(w->page);
}

static enum krel_status mem_read(struct krel_image *img, uint64_t pa,
				 void *buf, size_t len,
				 struct krel_error *err)
{
	const struct world *w = img->priv;
	const struct page *p =
		find_page(w, pa & ~(uint64_t)(KREL_PAGE_SIZE - 1));

	for (size_t i = 0; i < w->nr_faults; i++)
		if (pa >= w->fault[i].from && pa < w->fault[i].to)
			return krel_error_set(err, w->fault[i].status,
					      "fault at %llx",
					      (unsigned long long)pa);
	if (!present(w, pa) || !present(w, pa + len - 1))
		return krel_error_set(err, KREL_ABSENT, "no memory at %llx",
				      (unsigned long long)pa);
	if (p)
		memcpy(buf, p->data + pa % KREL_PAGE_SIZE, len);
	else
		memset(buf, 0, len);
	return KREL_OK;
}

static enum krel_status mem_next(struct krel_image *img, uint64_t pa,
				 struct krel_range *out)
{
	const struct world *w = img->priv;

	for (size_t i = 0; i < w->nr_ranges; i++) {
		const struct krel_range *r = &w->range[i];
		uint64_t from = pa > r->pa ? pa : r->pa;

		if (from - r->pa >= r->size)
			continue;
		*out = (struct krel_range){ from, r->size - (from - r->pa) };
		return KREL_OK;
	}
	return KREL_ABSENT;
}

const struct krel_image_ops memory_ops = {
	.name = "scene",
	.read = mem_read,
	.next = mem_next,
};
