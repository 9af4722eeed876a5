// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as each file of a running machine. */
#include <stdlib.h>
#include <string.h>

#include "live.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly so long: not a byte more may be read. */
	char *copy = malloc(size ? size : 1);
	const struct krel_text t = { copy, size };
	struct krel_live_symbol sym;
	struct krel_live_dmesg log;
	struct krel_live_boot boot;
	size_t pos = 0, before = 0;
	uint64_t pa;

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	while (krel_live_kallsyms(&t, &pos, &sym) == KREL_OK) {
		if (pos <= before || pos > size || !sym.name_len ||
		    sym.name < copy || sym.name + sym.name_len > copy + size)
			abort();
		before = pos;
	}
	krel_live_kallsyms_arch(&t);
	krel_live_iomem(&t, &pa);
	krel_live_dmesg(&t, &log);
	krel_live_boot(&t, &boot);
	free(copy);
	return 0;
}
