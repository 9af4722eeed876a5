// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The addresses of kallsyms, in all the forms that x86 had:
 *
 * - kallsyms_addresses: a word each, before num_syms (to 4.5; x86-32 later);
 * - kallsyms_offsets and kallsyms_relative_base, before num_syms (4.6 to 6.3)
 *   or behind the tokens (since 6.4); u32 above the base, or, on SMP x86-64 up
 *   to 6.14 ("absolute percpu"), s32: what is not negative is the address
 *   itself, else it is base - 1 - offset;
 * - since 7.0 kallsyms_offsets alone, each relative to its own place, or the
 *   address itself on an x86-32 kernel that is not relocatable.
 *
 * A form is believed when its addresses ascend and lie in the kernel's map.
 */
#include "kallsyms_priv.h"

#include "bytes.h"

#define SPAN_MAX	UINT64_C(0x40000000)	/* a kernel's image, at most */
/*
 * x86-32's direct map, from the PAGE_OFFSET of VMSPLIT_1G on. The top is never
 * in it: small negative numbers are no addresses.
 */
#define LOWEST_32	UINT64_C(0x40000000)
#define HIGHEST_32	UINT64_C(0xf8000000)

enum form { WORDS, ABOVE_BASE, PERCPU, VALUES, SELF };

static const char *const names[] = {
	[WORDS] = "absolute", [ABOVE_BASE] = "base-relative",
	[PERCPU] = "base-relative, absolute percpu",
	[VALUES] = "32-bit values", [SELF] = "self-relative",
};

struct table {
	enum form form;
	size_t at;		/* of the addresses or offsets */
	size_t base;		/* of kallsyms_relative_base */
};

static bool in_map(const struct krel_target *t, uint64_t va)
{
	if (t->word_bytes == 4)
		return va >= LOWEST_32 && va < HIGHEST_32;
	return va >= t->map_base && va < t->map_end;
}

/* All in ascending order, and nearly all in the kernel's map. */
static bool plausible(const struct krel_target *t, const uint64_t *address,
		      uint32_t count)
{
	uint64_t first = 0, last = 0;
	uint32_t inside = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (i > 0 && address[i] < address[i - 1])
			return false;
		if (!in_map(t, address[i]))
			continue;
		if (inside++ == 0)
			first = address[i];
		last = address[i];
	}
	return inside >= count - count / 8 && last - first < SPAN_MAX &&
		last > first;
}

static uint64_t word_at(const struct krel_window *w,
			const struct krel_target *t, size_t at)
{
	return t->word_bytes == 8 ? krel_le64(w->data + at) :
		krel_le32(w->data + at);
}

static uint64_t decode(const struct krel_window *w,
		       const struct krel_target *t, const struct table *from,
		       uint64_t base, uint32_t i)
{
	size_t at = from->at + 4 * (size_t)i;
	uint32_t raw;

	if (from->form == WORDS)
		return word_at(w, t, from->at + t->word_bytes * (size_t)i);
	raw = krel_le32(w->data + at);
	if (from->form == SELF)
		return w->pa + at + (uint64_t)(int64_t)(int32_t)raw;
	if (from->form == VALUES || (from->form == PERCPU && raw <= INT32_MAX))
		return raw;
	if (from->form == PERCPU)
		return base - 1 - (uint64_t)(int64_t)(int32_t)raw;
	return base + raw;
}

static bool self_plausible(const uint64_t *address, uint32_t count)
{
	/* Steps of four alone are a table of zeros. */
	if (address[count - 1] - address[0] == 4 * (uint64_t)(count - 1))
		return false;
	for (uint32_t i = 1; i < count; i++)
		if (address[i] < address[i - 1])
			return false;
	return address[count - 1] > address[0] &&
		address[count - 1] - address[0] < SPAN_MAX;
}

static bool try_table(const struct krel_window *w,
		      const struct krel_target *t,
		      const struct krel_name_tables *n,
		      const struct table *from, uint64_t *address)
{
	size_t size = from->form == WORDS ? t->word_bytes : 4;
	uint64_t base = 0;

	if (!krel_in_bounds(from->at, size * n->count, w->len))
		return false;
	if (from->form == ABOVE_BASE || from->form == PERCPU) {
		if (!krel_in_bounds(from->base, t->word_bytes, w->len))
			return false;
		base = word_at(w, t, from->base);
	}
	for (uint32_t i = 0; i < n->count; i++)
		address[i] = decode(w, t, from, base, i);
	return from->form == SELF ? self_plausible(address, n->count) :
		plausible(t, address, n->count);
}

enum krel_status krel_kallsyms_addresses(const struct krel_window *w,
					 const struct krel_target *t,
					 const struct krel_name_tables *n,
					 uint64_t *address,
					 const char **layout)
{
	size_t word = t->word_bytes, behind = w->index_end;
	size_t offsets = (4 * (size_t)n->count + word - 1) & ~(word - 1);
	/* What would lie before the window wraps, and fails its bounds. */
	const struct table table[] = {
		{ PERCPU, behind, behind + offsets },
		{ ABOVE_BASE, behind, behind + offsets },
		{ PERCPU, n->num - word - offsets, n->num - word },
		{ ABOVE_BASE, n->num - word - offsets, n->num - word },
		{ WORDS, n->num - word * n->count, 0 },
		{ VALUES, behind, 0 },
		{ SELF, behind, 0 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		enum form form = table[i].form;

		if ((form == PERCPU && word == 4) ||
		    (form == VALUES && word == 8) ||
		    !try_table(w, t, n, &table[i], address))
			continue;
		*layout = names[form];
		return form == SELF ? KREL_UNSUPPORTED : KREL_OK;
	}
	return KREL_CORRUPT;
}
