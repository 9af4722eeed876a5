// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the kernel of a kallsyms lies. The tables have no symbols of their
 * own, so linux_banner is looked for near them: its address is known but for
 * a multiple of what every placement is aligned to. A kernel that runs there
 * says so: on x86-64 its variable phys_base equals what follows, on x86-32
 * physical and run-time addresses differ by a PAGE_OFFSET.
 */
#include "kallsyms_priv.h"

#include <string.h>

#include "bytes.h"

#define NEAR	UINT64_C(0x4000000)	/* a kernel's rodata is no longer */
#define ALIGN_64	UINT64_C(0x200000)
#define ALIGN_32	UINT64_C(0x8000000)	/* PAGE_OFFSETs are multiples */

static const char banner[] = "Linux version ";

static enum krel_status has_banner(struct krel_image *img, uint64_t pa,
				   bool *has)
{
	char got[sizeof(banner) - 1];
	enum krel_status st = krel_image_read(img, pa, got, sizeof(got), NULL);

	*has = st == KREL_OK && memcmp(got, banner, sizeof(got)) == 0;
	return st == KREL_NOMEM || st == KREL_INTERRUPTED ? st : KREL_OK;
}

static bool read_phys_base(struct krel_image *img, uint64_t pa, uint64_t *v)
{
	uint8_t word[8];

	if (krel_image_read(img, pa, word, sizeof(word), NULL) != KREL_OK)
		return false;
	*v = krel_le64(word);
	return true;
}

/* A banner is at @pa, where @s says that run-time @va is. */
static void judge(struct krel_image *img, struct krel_symbols *s, uint64_t pa,
		  uint64_t va)
{
	uint64_t disp = pa - (va - s->target->map_base);
	uint64_t var, own;

	if (s->target->has_phys_base) {
		if (krel_symbols_address(s, "phys_base", &var) != KREL_OK ||
		    !read_phys_base(img, var - s->target->map_base + disp,
				    &own))
			return;
		s->place = own == disp ? KREL_KALLSYMS_RUNS :
			KREL_KALLSYMS_COPY;
	} else {
		s->place = KREL_KALLSYMS_RUNS;
	}
	s->displacement = (int64_t)disp;
}

static enum krel_status put(struct krel_image *img, struct krel_symbols *s)
{
	uint64_t align = s->target->has_phys_base ? ALIGN_64 : ALIGN_32;
	uint64_t low = s->pa > NEAR ? s->pa - NEAR : 0;
	uint64_t va, pa;

	if (krel_symbols_address(s, "linux_banner", &va) != KREL_OK)
		return KREL_OK;
	pa = (low & ~(align - 1)) + (va & (align - 1));
	for (; pa < s->pa + NEAR; pa += align) {
		enum krel_status st;
		bool has;

		st = has_banner(img, pa, &has);
		if (st != KREL_OK)
			return st;
		if (has)
			judge(img, s, pa, va);
		if (s->place == KREL_KALLSYMS_RUNS)
			break;
	}
	return KREL_OK;
}

/*
 * Self-relative addresses tell the physical place, and the variable phys_base
 * at its own leads to the run-time one.
 */
static enum krel_status put_self(struct krel_image *img,
				 struct krel_symbols *s)
{
	const struct krel_target *t = s->target;
	uint64_t pa, phys_base;
	enum krel_status st;
	bool has;

	if (!t->has_phys_base ||
	    krel_symbols_address(s, "linux_banner", &pa) != KREL_OK)
		return KREL_UNSUPPORTED;
	st = has_banner(img, pa, &has);
	if (st != KREL_OK)
		return st;
	if (!has || krel_symbols_address(s, "phys_base", &pa) != KREL_OK ||
	    !read_phys_base(img, pa, &phys_base) || phys_base % ALIGN_64)
		return KREL_UNSUPPORTED;
	for (uint32_t i = 0; i < s->count; i++) {
		uint64_t va = s->address[i] - phys_base + t->map_base;

		if (va < t->map_base || va > t->map_end)
			return KREL_UNSUPPORTED;
	}
	for (uint32_t i = 0; i < s->count; i++)
		s->address[i] += t->map_base - phys_base;
	s->displacement = (int64_t)phys_base;
	s->place = KREL_KALLSYMS_RUNS;
	return KREL_OK;
}

enum krel_status krel_kallsyms_put(struct krel_image *img,
				   struct krel_symbols *s, bool self_relative)
{
	return self_relative ? put_self(img, s) : put(img, s);
}
