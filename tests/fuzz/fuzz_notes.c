// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as ELF notes. */
#include <stdlib.h>
#include <string.h>

#include "notes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct krel_image_facts facts = { 0 };
	size_t pos = 0, before = 0;
	struct krel_note n;

	while (krel_note_next(data, size, &pos, &n) == KREL_OK) {
		if (pos <= before || pos > size || n.offset != before)
			abort();
		if (n.desc < data || n.desc + n.desc_len > data + size ||
		    (const uint8_t *)n.name + n.name_len > data + size)
			abort();
		before = pos;
	}
	if (krel_notes_collect(data, size, &facts, NULL) == KREL_OK &&
	    facts.vmcoreinfo &&
	    strlen(facts.vmcoreinfo) != facts.vmcoreinfo_len)
		abort();
	free(facts.vmcoreinfo);
	free(facts.cpu);
	return 0;
}
