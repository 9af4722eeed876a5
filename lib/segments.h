/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces of memory in a file, found by physical address. For containers that
 * list them (ELF, LiME). Pieces may overlap: in /proc/vmcore the kernel's text
 * lies inside the RAM segment as well, and with QEMU's paging mode one page
 * may be mapped many times. Any of them serves.
 */
#ifndef KREL_SEGMENTS_H
#define KREL_SEGMENTS_H

#include "image.h"

struct krel_segments {
	const struct krel_segment *segment;	/* borrowed */
	size_t nr;
	size_t *by_pa;		/* indices of segment, sorted by pa */
	uint64_t *max_end;	/* highest end among by_pa[0..i] */
	uint64_t *max_mem_end;	/* the same with what was left out */
	size_t last;		/* where the last read was */
};

/**
 * Index segments; @segment is borrowed until deinit. No pa + filesz may
 * overflow. KREL_OK or KREL_NOMEM.
 */
enum krel_status krel_segments_init(struct krel_segments *s,
				    const struct krel_segment *segment,
				    size_t nr, struct krel_error *err);
void krel_segments_deinit(struct krel_segments *s);

/** Read from @f; may cross segments. KREL_ABSENT where none is,
 * KREL_FILTERED where a segment states more memory than the file has. */
enum krel_status krel_segments_read(struct krel_segments *s,
				    struct krel_file *f, uint64_t pa,
				    void *buf, size_t len,
				    struct krel_error *err);

/** Where in the file @pa is; it lies in a range that next gave. */
uint64_t krel_segments_offset(struct krel_segments *s, uint64_t pa);

/** As struct krel_image_ops' next. */
enum krel_status krel_segments_next(struct krel_segments *s, uint64_t pa,
				    struct krel_range *out);

#endif
