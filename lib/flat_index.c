// SPDX-License-Identifier: GPL-2.0-or-later
#include "flat_index.h"

#include <stdlib.h>

void krel_flat_index_deinit(struct krel_flat_index *x)
{
	free(x->at);
	*x = (struct krel_flat_index){ 0 };
}

bool krel_flat_index_add(struct krel_flat_index *l, const struct krel_flat_piece *p)
{
	if (l->nr == l->room) {
		size_t room = l->room ? l->room + l->room / 2 : 64;
		struct krel_flat_piece *grown;

		if (room > SIZE_MAX / sizeof(*grown))
			return false;
		grown = realloc(l->at, room * sizeof(*grown));
		if (!grown)
			return false;
		l->at = grown;
		l->room = room;
	}
	l->at[l->nr++] = *p;
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct krel_flat_piece *x = a, *y = b;

	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return (x->pos > y->pos) - (x->pos < y->pos);
}

static int by_position_down(const void *a, const void *b)
{
	const struct krel_flat_piece *x = a, *y = b;

	return (x->pos < y->pos) - (x->pos > y->pos);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static size_t edge_index(const uint64_t *edge, size_t nr, uint64_t v)
{
	size_t lo = 0, hi = nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (edge[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The first cell at @i or above without an owner; shortens the way to it. */
static size_t next_free(size_t *next, size_t i)
{
	size_t root = i;

	while (next[root] != root)
		root = next[root];
	while (next[i] != root) {
		size_t up = next[i];

		next[i] = root;
		i = up;
	}
	return root;
}

static bool same_run(const struct krel_flat_piece *a, const struct krel_flat_piece *b)
{
	return a->off + a->size == b->off && a->pos + a->size == b->pos;
}

/*
 * Give each cell between two neighbouring edges to the latest record over
 * it: the records come latest first and take what is still free.
 */
static bool paint(struct krel_flat_piece *p, size_t nr, uint64_t *edge, size_t *next,
		  size_t *owner, struct krel_flat_index *out)
{
	const size_t nr_edges = 2 * nr;

	for (size_t i = 0; i < nr; i++) {
		edge[2 * i] = p[i].off;
		edge[2 * i + 1] = p[i].off + p[i].size;
	}
	qsort(edge, nr_edges, sizeof(*edge), by_value);
	qsort(p, nr, sizeof(*p), by_position_down);
	for (size_t i = 0; i < nr_edges; i++) {
		next[i] = i;
		owner[i] = SIZE_MAX;
	}
	for (size_t i = 0; i < nr; i++) {
		size_t c = edge_index(edge, nr_edges, p[i].off);
		size_t end = edge_index(edge, nr_edges, p[i].off + p[i].size);

		while ((c = next_free(next, c)) < end) {
			owner[c] = i;
			next[c] = c + 1;
		}
	}
	for (size_t c = 0; c + 1 < nr_edges; c++) {
		struct krel_flat_piece cell = { edge[c], edge[c + 1] - edge[c], 0 };

		if (cell.size == 0 || owner[c] == SIZE_MAX)
			continue;
		cell.pos = p[owner[c]].pos + (cell.off - p[owner[c]].off);
		if (out->nr > 0 && same_run(&out->at[out->nr - 1], &cell))
			out->at[out->nr - 1].size += cell.size;
		else if (!krel_flat_index_add(out, &cell))
			return false;
	}
	return true;
}

/* @p: records that overlap one another, directly or through others. */
static bool resolve(struct krel_flat_piece *p, size_t nr, struct krel_flat_index *out)
{
	uint64_t *edge;
	size_t *next, *owner;
	bool ok;

	if (nr == 1)
		return krel_flat_index_add(out, p);
	edge = calloc(nr, 2 * sizeof(*edge));
	next = calloc(nr, 2 * sizeof(*next));
	owner = calloc(nr, 2 * sizeof(*owner));
	ok = edge && next && owner && paint(p, nr, edge, next, owner, out);
	free(edge);
	free(next);
	free(owner);
	return ok;
}

static bool in_order(const struct krel_flat_index *l)
{
	for (size_t i = 1; i < l->nr; i++)
		if (by_offset(&l->at[i - 1], &l->at[i]) > 0)
			return false;
	return true;
}

static bool overlapping(const struct krel_flat_index *l)
{
	for (size_t i = 1; i < l->nr; i++)
		if (l->at[i - 1].off + l->at[i - 1].size > l->at[i].off)
			return true;
	return false;
}

bool krel_flat_index_arrange(struct krel_flat_index *l)
{
	struct krel_flat_index out = { 0 };
	size_t first = 0;

	if (!in_order(l))
		qsort(l->at, l->nr, sizeof(*l->at), by_offset);
	if (!overlapping(l))
		return true;
	while (first < l->nr) {
		uint64_t end = l->at[first].off + l->at[first].size;
		size_t i = first + 1;

		for (; i < l->nr && l->at[i].off < end; i++)
			if (l->at[i].off + l->at[i].size > end)
				end = l->at[i].off + l->at[i].size;
		if (!resolve(l->at + first, i - first, &out)) {
			free(out.at);
			return false;
		}
		first = i;
	}
	free(l->at);
	*l = out;
	return true;
}

size_t krel_flat_index_find(const struct krel_flat_index *x, uint64_t off,
			    size_t hint)
{
	const struct krel_flat_piece *at = x->at;
	size_t lo = 0, hi = x->nr;

	if (hint < hi && at[hint].off <= off &&
	    (hint + 1 == hi || at[hint + 1].off > off))
		return hint;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (at[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? lo - 1 : x->nr;
}
