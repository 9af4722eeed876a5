// SPDX-License-Identifier: GPL-2.0-or-later
#include "raw_map.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"

#define FOUR_GIB	(UINT64_C(1) << 32)
#define MIB		(UINT64_C(1) << 20)
/* Firmware keeps its tables between the RAM and the hole; never this much. */
#define MAX_FIRMWARE	(256 * MIB)

void krel_raw_map_deinit(struct krel_raw_map *map)
{
	free(map->range);
	memset(map, 0, sizeof(*map));
}

static enum krel_status add(struct krel_raw_map *map, uint64_t pa,
			    uint64_t size, uint64_t offset,
			    struct krel_error *err)
{
	struct krel_segment *grown;

	if (map->nr == KREL_RAW_RANGES_MAX)
		return krel_error_set(err, KREL_INVALID,
			"physical map: expected at most %u ranges, found more",
			KREL_RAW_RANGES_MAX);
	grown = realloc(map->range, (map->nr + 1) * sizeof(*grown));
	if (!grown)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	map->range = grown;
	grown[map->nr++] = (struct krel_segment){
		.pa = pa, .filesz = size, .memsz = size, .offset = offset,
	};
	return KREL_OK;
}

/* --------------------------------------------------------------- the fit */

/* The RAM below 4 GiB ends at *low, that above it at *high (0: none). */
static void ends(const struct krel_segment *ram, size_t nr, uint64_t *low,
		 uint64_t *high)
{
	*low = *high = 0;
	for (size_t i = 0; i < nr; i++) {
		uint64_t end = ram[i].pa + ram[i].filesz;

		if (ram[i].pa >= FOUR_GIB)
			*high = end > *high ? end : *high;
		else
			*low = end > *low ? end : *low;
	}
}

/* Where the hole begins, if the file leaves it out; 0: it does not. */
static uint64_t hole_start(uint64_t low, uint64_t high, uint64_t size)
{
	uint64_t start;

	if (high <= FOUR_GIB || size <= high - FOUR_GIB)
		return 0;
	start = size - (high - FOUR_GIB);
	/* The hole is one of a chip set: whole MiB, just above the RAM. */
	return start >= low && start - low <= MAX_FIRMWARE &&
		start < FOUR_GIB && start % MIB == 0 ? start : 0;
}

/*
 * The kernel takes the first page off its RAM (trim_bios_range(), since 3.9;
 * reserved in other ways before), so that /proc/iomem and LiME lack it.
 */
static uint64_t first_page(const struct krel_segment *ram)
{
	return ram->pa == 0 && ram->filesz > KREL_PAGE_SIZE ?
		KREL_PAGE_SIZE : 0;
}

static uint64_t total(const struct krel_segment *ram, size_t nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += ram[i].filesz;
	return sum;
}

static enum krel_status fill_hole(struct krel_raw_map *map, uint64_t start,
				  uint64_t size, struct krel_error *err)
{
	enum krel_status st = add(map, 0, start, 0, err);

	if (st == KREL_OK)
		st = add(map, FOUR_GIB, size - start, start, err);
	map->layout = KREL_RAW_PCI_HOLE;
	snprintf(map->detail, sizeof(map->detail),
		 "hole 0x%llx-0xffffffff left out", (unsigned long long)start);
	return st;
}

static enum krel_status fill_dropped(struct krel_raw_map *map,
				     const struct krel_segment *ram, size_t nr,
				     uint64_t skip, struct krel_error *err)
{
	enum krel_status st = KREL_OK;
	uint64_t at = 0;

	for (size_t i = 0; i < nr && st == KREL_OK; i++) {
		uint64_t cut = i == 0 ? skip : 0;

		st = add(map, ram[i].pa + cut, ram[i].filesz - cut, at, err);
		at += ram[i].filesz - cut;
	}
	map->layout = KREL_RAW_DROPPED;
	snprintf(map->detail, sizeof(map->detail),
		 "all but RAM left out, %zu ranges", nr);
	return st;
}

static enum krel_status fill_flat(struct krel_raw_map *map, uint64_t size,
				  struct krel_error *err)
{
	map->layout = KREL_RAW_FLAT;
	snprintf(map->detail, sizeof(map->detail), "no holes left out");
	return add(map, 0, size, 0, err);
}

enum krel_status krel_raw_map_fit(const struct krel_segment *ram, size_t nr,
				  uint64_t size, struct krel_raw_map *map,
				  struct krel_error *err)
{
	uint64_t low, high, top, hole, sum = total(ram, nr), skip;
	bool flat, dropped;

	memset(map, 0, sizeof(*map));
	if (nr == 0)
		return KREL_OK;
	ends(ram, nr, &low, &high);
	top = high ? high : low;
	skip = first_page(ram);
	hole = hole_start(low, high, size);
	dropped = size == sum || (skip && size == sum - skip);
	/* Behind the RAM there may be the firmware's; a padded file ends with
	 * the last RAM. */
	flat = size >= top && size - top <= MAX_FIRMWARE;
	/* One range from zero on: dropped or not is the same. */
	if (flat && dropped && ram[0].pa == 0 && nr == 1)
		dropped = false;
	if (flat + dropped + (hole != 0) != 1)
		return KREL_OK;
	if (flat)
		return fill_flat(map, size, err);
	if (hole)
		return fill_hole(map, hole, size, err);
	return fill_dropped(map, ram, nr, size == sum ? 0 : skip, err);
}

/* -------------------------------------------------------------- the text */

struct cursor {
	const char *at, *end;
};

static bool hex(struct cursor *c, uint64_t *v)
{
	const char *from;

	if (c->end - c->at > 2 && c->at[0] == '0' && (c->at[1] | 32) == 'x')
		c->at += 2;
	for (*v = 0, from = c->at; c->at < c->end; c->at++) {
		const char *digits = "0123456789abcdef", *d;
		int low = *c->at >= 'A' && *c->at <= 'F' ? *c->at | 32 :
			*c->at;

		d = low ? strchr(digits, low) : NULL;
		if (!d)
			break;
		if (*v >> 60)
			return false;
		*v = *v << 4 | (uint64_t)(d - digits);
	}
	return c->at > from;
}

static bool skip_char(struct cursor *c, char want)
{
	if (c->at == c->end || *c->at != want)
		return false;
	c->at++;
	return true;
}

static void skip_blanks(struct cursor *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' ||
				  *c->at == '\r'))
		c->at++;
}

static bool blank(struct cursor *c)
{
	skip_blanks(c);
	return c->at == c->end || *c->at == '#';
}

/* One item. *ram: it is a range to keep; *stated: with its offset. */
static bool item(struct cursor *c, struct krel_segment *seg, bool *ram,
		 bool *stated)
{
	static const char system_ram[] = "System RAM";
	uint64_t last;

	*stated = false;
	*ram = true;
	skip_blanks(c);
	memset(seg, 0, sizeof(*seg));
	if (!hex(c, &seg->pa) || !skip_char(c, '-') || !hex(c, &last))
		return false;
	if (last < seg->pa || last >= KREL_MAX_PA)
		return false;
	seg->filesz = last - seg->pa + 1;
	if (skip_char(c, '@')) {
		*stated = true;
		return hex(c, &seg->offset) && blank(c);
	}
	skip_blanks(c);
	if (!skip_char(c, ':'))
		return blank(c);
	skip_blanks(c);
	*ram = (size_t)(c->end - c->at) >= sizeof(system_ram) - 1 &&
		memcmp(c->at, system_ram, sizeof(system_ram) - 1) == 0;
	return true;
}

static enum krel_status take(struct krel_raw_map *ram, struct cursor *c,
			     struct krel_error *err)
{
	int shown = (int)(c->end - c->at < 60 ? c->end - c->at : 60);
	const char *line = c->at;
	struct krel_segment seg;
	bool is_ram, stated;

	if (blank(c))
		return KREL_OK;
	if (!item(c, &seg, &is_ram, &stated))
		return krel_error_set(err, KREL_INVALID,
			"physical map: expected START-END@OFFSET or START-END : System RAM, found \"%.*s\"",
			shown, line);
	if (!is_ram)
		return KREL_OK;
	if (ram->nr > 0 && stated != (ram->layout == KREL_RAW_STATED))
		return krel_error_set(err, KREL_INVALID,
			"physical map: expected an offset at each range or at none, found \"%.*s\"",
			shown, line);
	if (!stated && ram->nr > 0 &&
	    seg.pa < ram->range[ram->nr - 1].pa + ram->range[ram->nr - 1].filesz)
		return krel_error_set(err, KREL_INVALID,
			"physical map: expected ascending ranges, found \"%.*s\": the zeros of /proc/iomem mean that it was not read as root",
			shown, line);
	ram->layout = stated ? KREL_RAW_STATED : KREL_RAW_UNKNOWN;
	return add(ram, seg.pa, seg.filesz, seg.offset, err);
}

enum krel_status krel_raw_map_parse(const struct krel_text *text,
				    struct krel_raw_map *ram,
				    struct krel_error *err)
{
	const char *at = text->text, *end = at + text->len;
	enum krel_status st = KREL_OK;

	memset(ram, 0, sizeof(*ram));
	while (at < end && st == KREL_OK) {
		struct cursor c = { at, at };

		while (c.end < end && *c.end != '\n' && *c.end != ',')
			c.end++;
		at = c.end < end ? c.end + 1 : end;
		st = take(ram, &c, err);
	}
	if (st == KREL_OK && ram->nr == 0)
		st = krel_error_set(err, KREL_INVALID,
			"physical map: expected ranges of RAM, found none");
	if (st != KREL_OK)
		krel_raw_map_deinit(ram);
	return st;
}
