// SPDX-License-Identifier: GPL-2.0-or-later
/* Run-time memory: a root that maps _text to where it was found. */
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"

/* The kernel's own root, newest name first: 4.13 renamed init_level4_pgt. */
static const char *const roots_64[] = {
	"init_top_pgt", "init_level4_pgt", "swapper_pg_dir", NULL,
};
static const char *const roots_32[] = { "swapper_pg_dir", NULL };

/* ------------------------------------------------------------- the place */

static uint64_t linear(const struct krel_view *v, uint64_t va)
{
	uint64_t pa = va - v->map_base + (uint64_t)v->displacement;

	return v->target->word_bytes == 4 ? pa & UINT32_MAX : pa;
}

static bool in_kernel(const struct krel_view *v, uint64_t va)
{
	return va >= v->text && va < v->end;
}

static enum krel_status place_by_kernel(struct krel_view *v,
					const struct krel_result *r)
{
	if (!r || !r->virt_offset.known)
		return KREL_ABSENT;
	if (v->target->has_phys_base && !r->phys_base.known)
		return KREL_ABSENT;
	v->virt_offset = r->virt_offset.v;
	v->map_base = krel_kernel_map_base(v->kernel);
	v->displacement = v->target->has_phys_base ? r->phys_base.v : 0;
	return KREL_OK;
}

static enum krel_status place_by_symbols(struct krel_view *v)
{
	if (!v->symbols || !krel_symbols_placed(v->symbols))
		return KREL_ABSENT;
	v->map_base = v->target->map_base;
	v->displacement = v->symbols->displacement;
	return KREL_OK;
}

static enum krel_status place(struct krel_view *v,
			      const struct krel_view_of *of)
{
	enum krel_arch arch = of->kernel ? krel_kernel_arch(of->kernel) :
		of->symbols ? krel_symbols_arch(of->symbols) :
		KREL_ARCH_UNKNOWN;
	enum krel_status st;

	v->image = of->image;
	v->kernel = of->kernel;
	v->symbols = of->symbols;
	v->target = krel_target_of(arch);
	if (!v->target)
		return KREL_ABSENT;
	st = v->kernel ? place_by_kernel(v, of->solved) : place_by_symbols(v);
	if (st != KREL_OK)
		return st;
	st = krel_view_symbol(v, "_text", &v->text);
	if (st != KREL_OK)
		return st;
	/* kallsyms without CONFIG_KALLSYMS_ALL end with the text. */
	if (krel_view_symbol(v, "_end", &v->end) != KREL_OK &&
	    krel_view_symbol(v, "_etext", &v->end) != KREL_OK)
		v->end = v->text;
	return KREL_OK;
}

/* ------------------------------------------------------------- the tables */

static bool maps_text(struct krel_view *v, enum krel_paging_mode mode,
		      uint64_t root)
{
	uint64_t pa;

	krel_walk_init(&v->walk, v->image, mode, root);
	v->walks = krel_walk_translate(&v->walk, v->text, &pa) == KREL_OK &&
		pa == linear(v, v->text);
	return v->walks;
}

/* Tables of another form than the kernel's own do not map _text there. */
static bool try_root(struct krel_view *v, uint64_t root)
{
	if (v->target->word_bytes == 8)
		return maps_text(v, KREL_PAGING_4LEVEL, root) ||
			maps_text(v, KREL_PAGING_5LEVEL, root);
	return maps_text(v, KREL_PAGING_PAE, root) ||
		maps_text(v, KREL_PAGING_2LEVEL, root);
}

static void find_root(struct krel_view *v)
{
	const char *const *name = v->target->word_bytes == 8 ? roots_64 :
		roots_32;
	const struct krel_image_facts *facts = &v->image->facts;
	uint64_t va;

	for (; *name; name++)
		if (krel_view_symbol(v, *name, &va) == KREL_OK &&
		    try_root(v, linear(v, va)))
			return;
	for (size_t i = 0; i < facts->nr_cpus; i++) {
		enum krel_paging_mode mode;

		if (krel_paging_mode_of(v->target->arch, &facts->cpu[i],
					&mode) == KREL_OK &&
		    (maps_text(v, mode, facts->cpu[i].cr3 &
			       ~KREL_CR3_PTI_HALF) ||
		     maps_text(v, mode, facts->cpu[i].cr3)))
			return;
	}
}

/* -------------------------------------------------------------- public */

enum krel_status krel_view_open(const struct krel_view_of *of,
				struct krel_view **out,
				struct krel_error *err)
{
	struct krel_view *v = calloc(1, sizeof(*v));
	enum krel_status st;

	if (!v)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	st = place(v, of);
	if (st != KREL_OK) {
		free(v);
		return krel_error_set(err, st,
			"expected to know where the kernel is, but %s: see krel show --anchors",
			of->kernel ? "its offsets were not found" :
			"no kallsyms tell it");
	}
	find_root(v);
	*out = v;
	return KREL_OK;
}

void krel_view_close(struct krel_view *v)
{
	free(v);
}

enum krel_arch krel_view_arch(const struct krel_view *v)
{
	return v->target->arch;
}

unsigned int krel_view_word(const struct krel_view *v)
{
	return v->target->word_bytes;
}

bool krel_view_walks(const struct krel_view *v)
{
	return v->walks;
}

enum krel_status krel_view_phys(struct krel_view *v, uint64_t va,
				uint64_t *pa)
{
	if (v->target->word_bytes == 4 && va > UINT32_MAX)
		return KREL_ABSENT;
	/* A kernel is contiguous, and its map needs no tables. */
	if (in_kernel(v, va)) {
		*pa = linear(v, va);
		return KREL_OK;
	}
	return v->walks ? krel_walk_translate(&v->walk, va, pa) : KREL_ABSENT;
}

enum krel_status krel_view_read(struct krel_view *v, uint64_t va, void *buf,
				size_t len)
{
	uint8_t *to = buf;

	while (len > 0) {
		size_t room = KREL_PAGE_SIZE - (size_t)(va % KREL_PAGE_SIZE);
		size_t part = len < room ? len : room;
		enum krel_status st;
		uint64_t pa;

		st = krel_view_phys(v, va, &pa);
		if (st == KREL_OK)
			st = krel_image_read(v->image, pa, to, part, NULL);
		if (st != KREL_OK)
			return st;
		va += part;
		to += part;
		len -= part;
	}
	return KREL_OK;
}

enum krel_status krel_view_number(struct krel_view *v, uint64_t va,
				  unsigned int bytes, uint64_t *value)
{
	uint8_t b[8] = { 0 };
	enum krel_status st;

	if (bytes > sizeof(b))
		return KREL_INVALID;
	st = krel_view_read(v, va, b, bytes);
	if (st == KREL_OK)
		*value = krel_le64(b);
	return st;
}

enum krel_status krel_view_pointer(struct krel_view *v, uint64_t va,
				   uint64_t *value)
{
	return krel_view_number(v, va, v->target->word_bytes, value);
}

enum krel_status krel_view_symbol(const struct krel_view *v, const char *name,
				  uint64_t *va)
{
	enum krel_status st;
	uint64_t link_va;

	if (!v->kernel)
		return v->symbols ?
			krel_symbols_address(v->symbols, name, va) :
			KREL_ABSENT;
	st = krel_kernel_lookup(v->kernel, name, &link_va);
	if (st == KREL_OK)
		*va = krel_target_run_va(v->target, link_va, v->virt_offset);
	return st;
}
