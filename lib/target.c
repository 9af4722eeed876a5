// SPDX-License-Identifier: GPL-2.0-or-later
#include "target.h"

static const struct krel_target targets[] = {
	{
		.arch = KREL_ARCH_I386,
		.name = "x86-32",
		.word_bytes = 4,
		.map_base = 0,
		.map_end = UINT64_C(0x100000000),
		/* MIN_KERNEL_ALIGN of x86-32: two pages. */
		.min_align = 0x2000,
	},
	{
		.arch = KREL_ARCH_X86_64,
		.name = "x86-64",
		.word_bytes = 8,
		.has_phys_base = true,
		.map_base = UINT64_C(0xffffffff80000000),
		/* KERNEL_IMAGE_SIZE is 512 MiB, or 1 GiB with KASLR. */
		.map_end = UINT64_C(0xffffffffc0000000),
		.min_align = 0x200000,
	},
};

const struct krel_target *krel_target_of(enum krel_arch arch)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (targets[i].arch == arch)
			return &targets[i];
	return NULL;
}

const char *krel_arch_name(enum krel_arch arch)
{
	const struct krel_target *t = krel_target_of(arch);

	return t ? t->name : "unknown";
}

uint64_t krel_target_run_va(const struct krel_target *t, uint64_t link_va,
			    int64_t virt_offset)
{
	uint64_t run_va = link_va + (uint64_t)virt_offset;

	return t->word_bytes == 4 ? run_va & UINT32_MAX : run_va;
}

int64_t krel_target_offset(const struct krel_target *t, uint64_t run_va,
			   uint64_t link_va)
{
	uint64_t diff = run_va - link_va;

	if (t->word_bytes == 4)
		return (int32_t)(uint32_t)diff;
	return (int64_t)diff;
}

bool krel_target_plausible(const struct krel_target *t, int64_t virt_offset)
{
	/* x86-64 moves inside its map, x86-32 in its direct map. */
	const int64_t limit = t->word_bytes == 4 ? INT64_C(0x80000000) :
		INT64_C(0x40000000);

	if ((uint64_t)virt_offset & (t->min_align - 1))
		return false;
	return virt_offset > -limit && virt_offset < limit;
}
