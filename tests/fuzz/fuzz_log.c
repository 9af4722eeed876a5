// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as the memory of a kernel that is placed: its log. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image.h"
#include "krel_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Variables lie at the start of the bytes; the tables wherever they point. */
static const char map[] =
	"ffffffff80000000 T _text\n"
	"ffffffff80000000 D vmcoreinfo_size\n"
	"ffffffff80000008 D vmcoreinfo_data\n"
	"ffffffff80000010 D prb\n"
	"ffffffff80000018 d log_buf\n"
	"ffffffff80000020 d log_buf_len\n"
	"ffffffff80000024 d log_first_idx\n"
	"ffffffff80000028 d log_next_idx\n"
	"ffffffff80000030 D linux_banner\n"
	"ffffffff80100000 B _end\n";

static struct krel_kernel *open_map(void)
{
	char path[] = "/tmp/krel-fuzz-XXXXXX";
	struct krel_kernel *k = NULL;
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, map, sizeof(map) - 1) < 0 ||
	    krel_kernel_open_map(path, &k, NULL) != KREL_OK)
		abort();
	close(fd);
	unlink(path);
	return k;
}

static bool hear(void *arg, const struct krel_log_record *rec)
{
	unsigned int *sum = arg;

	for (size_t i = 0; rec->status == KREL_OK && i < rec->len; i++)
		*sum += (unsigned char)rec->text[i];
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct krel_kernel *kernel;	/* the same for every run */
	static struct krel_result solved = {
		.virt_offset = { true, 0 }, .phys_base = { true, 0 },
	};
	struct krel_view_of of = { .solved = &solved };
	struct krel_view *v = NULL;
	struct krel_file *f;
	unsigned int sum = 0;

	if (!kernel)
		kernel = open_map();
	of.kernel = kernel;
	if (krel_file_mem(data, size, "fuzz", &f, NULL) != KREL_OK ||
	    krel_image_open_file(f, "raw", &of.image, NULL) != KREL_OK)
		return 0;
	if (krel_view_open(&of, &v, NULL) == KREL_OK)
		krel_log_read(v, hear, &sum, NULL);
	krel_view_close(v);
	krel_image_close(of.image);
	return 0;
}
