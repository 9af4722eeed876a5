// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a vmlinux, plain or compressed. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(struct krel_kernel *k)
{
	uint8_t buf[16];
	uint64_t va;

	for (int sym = 0; sym < KREL_SYM_NR; sym++)
		if (krel_kernel_sym(k, (enum krel_sym)sym, &va))
			krel_kernel_read(k, va, buf, sizeof(buf));
	krel_kernel_lookup(k, "not_there", &va);
	if (krel_kernel_id_note(k)->len > KREL_ID_NOTE_MAX ||
	    krel_kernel_identity(k)->build_id.len > KREL_BUILD_ID_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);
	struct krel_kernel *k;
	struct krel_error err;
	char path[64];

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size &&
	    krel_kernel_open(path, &k, &err) == KREL_OK) {
		use(k);
		krel_kernel_close(k);
	}
	close(fd);
	return 0;
}
