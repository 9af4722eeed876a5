// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as VMCOREINFO text. */
#include <stdlib.h>
#include <string.h>

#include "identify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct krel_identity id = { 0 };
	struct krel_vmcoreinfo vi;
	char *text = malloc(size + 1), value[16];
	int64_t number;
	uint64_t hex;

	if (!text)
		return 0;
	/* Exactly so long: not a byte more may be read. */
	if (size)
		memcpy(text, data, size);
	vi.text = text;
	vi.len = size;
	text = realloc(text, size ? size : 1);
	vi.text = text;
	if (krel_vmcoreinfo_get(&vi, "OSRELEASE", value, sizeof(value)) ==
	    KREL_OK && strlen(value) >= sizeof(value))
		abort();
	krel_vmcoreinfo_symbol(&vi, "_stext", &hex);
	krel_vmcoreinfo_hex(&vi, "KERNELOFFSET", &hex);
	krel_vmcoreinfo_number(&vi, "phys_base", &number);
	krel_vmcoreinfo_arch(&vi);
	krel_identity_from_note(&vi, &id);
	if (id.build_id.len > KREL_BUILD_ID_MAX)
		abort();
	free(text);
	return 0;
}
