// SPDX-License-Identifier: GPL-2.0-or-later
#include "segments.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

struct sort_key {
	uint64_t pa;
	size_t index;
};

static int by_pa(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;

	if (x->pa != y->pa)
		return x->pa < y->pa ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* End of a segment's memory; a size that overflows counts as none. */
static uint64_t mem_end(const struct krel_segment *seg)
{
	return seg->memsz > UINT64_MAX - seg->pa ? seg->pa :
		seg->pa + seg->memsz;
}

enum krel_status krel_segments_init(struct krel_segments *s,
				    const struct krel_segment *segment,
				    size_t nr, struct krel_error *err)
{
	struct sort_key *key = calloc(nr + 1, sizeof(*key));
	uint64_t highest = 0, highest_left_out = 0;

	memset(s, 0, sizeof(*s));
	s->by_pa = calloc(nr + 1, sizeof(*s->by_pa));
	s->max_end = calloc(nr + 1, sizeof(*s->max_end));
	s->max_mem_end = calloc(nr + 1, sizeof(*s->max_mem_end));
	if (!key || !s->by_pa || !s->max_end || !s->max_mem_end) {
		free(key);
		krel_segments_deinit(s);
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	}
	for (size_t i = 0; i < nr; i++)
		key[i] = (struct sort_key){ segment[i].pa, i };
	qsort(key, nr, sizeof(*key), by_pa);
	for (size_t i = 0; i < nr; i++) {
		const struct krel_segment *seg = &segment[key[i].index];

		if (seg->pa + seg->filesz > highest)
			highest = seg->pa + seg->filesz;
		if (mem_end(seg) > highest_left_out)
			highest_left_out = mem_end(seg);
		s->by_pa[i] = key[i].index;
		s->max_end[i] = highest;
		s->max_mem_end[i] = highest_left_out;
	}
	s->segment = segment;
	s->nr = nr;
	free(key);
	return KREL_OK;
}

void krel_segments_deinit(struct krel_segments *s)
{
	free(s->by_pa);
	free(s->max_end);
	free(s->max_mem_end);
	memset(s, 0, sizeof(*s));
}

/* Bytes of the segment from @pa on; 0 when it does not hold @pa. */
static uint64_t room_in(const struct krel_segment *seg, uint64_t pa)
{
	if (pa < seg->pa || pa - seg->pa >= seg->filesz)
		return 0;
	return seg->filesz - (pa - seg->pa);
}

/* Index in by_pa of the first segment that starts above @pa. */
static size_t first_above(const struct krel_segments *s, uint64_t pa)
{
	size_t lo = 0, hi = s->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->segment[s->by_pa[mid]].pa <= pa)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * They are sorted by start; an earlier, longer one may cover @pa too. The
 * last hit is tried first, which is what page-table walks and scans want.
 */
static const struct krel_segment *find(struct krel_segments *s, uint64_t pa)
{
	const struct krel_segment *seg = s->segment;

	if (s->last < s->nr && room_in(&seg[s->by_pa[s->last]], pa))
		return &seg[s->by_pa[s->last]];
	for (size_t i = first_above(s, pa); i > 0; i--) {
		if (s->max_end[i - 1] <= pa)
			break;
		if (room_in(&seg[s->by_pa[i - 1]], pa)) {
			s->last = i - 1;
			return &seg[s->by_pa[i - 1]];
		}
	}
	return NULL;
}

/*
 * p_memsz larger than p_filesz: memory that exists and was left out, as
 * makedumpfile -E does with the pages that it excludes.
 */
static bool left_out(const struct krel_segments *s, uint64_t pa)
{
	for (size_t i = first_above(s, pa); i > 0; i--) {
		const struct krel_segment *seg =
			&s->segment[s->by_pa[i - 1]];

		if (s->max_mem_end[i - 1] <= pa)
			return false;
		if (pa < mem_end(seg))
			return true;
	}
	return false;
}

enum krel_status krel_segments_read(struct krel_segments *s,
				    struct krel_file *f, uint64_t pa,
				    void *buf, size_t len,
				    struct krel_error *err)
{
	uint8_t *to = buf;

	while (len > 0) {
		const struct krel_segment *seg = find(s, pa);
		enum krel_status st;
		uint64_t room;
		size_t part;

		if (!seg && left_out(s, pa))
			return krel_error_set(err, KREL_FILTERED,
				"%s: page at physical 0x%llx was filtered out of the dump",
				f->path, (unsigned long long)pa);
		if (!seg)
			return krel_error_set(err, KREL_ABSENT,
				"%s: no memory at physical 0x%llx", f->path,
				(unsigned long long)pa);
		room = room_in(seg, pa);
		part = room < len ? (size_t)room : len;
		st = krel_file_read(f, seg->offset + (pa - seg->pa), to, part,
				    err);
		if (st != KREL_OK)
			return st;
		pa += part;
		to += part;
		len -= part;
	}
	return KREL_OK;
}

uint64_t krel_segments_offset(struct krel_segments *s, uint64_t pa)
{
	const struct krel_segment *seg = find(s, pa);

	return seg ? seg->offset + (pa - seg->pa) : UINT64_MAX;
}

enum krel_status krel_segments_next(struct krel_segments *s, uint64_t pa,
				    struct krel_range *out)
{
	const struct krel_segment *hit = find(s, pa);
	size_t i;

	if (hit) {
		*out = (struct krel_range){ pa, room_in(hit, pa) };
		return KREL_OK;
	}
	i = first_above(s, pa);
	if (i == s->nr)
		return KREL_ABSENT;
	hit = &s->segment[s->by_pa[i]];
	*out = (struct krel_range){ hit->pa, hit->filesz };
	return KREL_OK;
}
