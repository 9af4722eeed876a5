// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a System.map. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);
	struct krel_kernel *k;
	struct krel_error err;
	char path[64];
	uint64_t va;

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size &&
	    krel_kernel_open_map(path, &k, &err) == KREL_OK) {
		if (!krel_kernel_sym(k, KREL_SYM_TEXT, &va))
			abort();
		krel_kernel_lookup(k, "not_there", &va);
		krel_kernel_close(k);
	}
	close(fd);
	return 0;
}
