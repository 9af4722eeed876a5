/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data in the snappy framing format, read at random: the streams of a file
 * (and pieces of it that are not packed) laid end to end, as one file. Only
 * where each chunk lies is kept, about 24 bytes a chunk of 64 KiB; a few
 * unpacked chunks are cached.
 */
#ifndef KREL_SNAPPY_FRAMES_H
#define KREL_SNAPPY_FRAMES_H

#include "file.h"

struct krel_snappy_frames;

/** Nothing yet, of @f, which is borrowed. KREL_OK or KREL_NOMEM. */
enum krel_status krel_snappy_frames_open(struct krel_file *f,
					 struct krel_snappy_frames **out,
					 struct krel_error *err);

/** Free; NULL is accepted. */
void krel_snappy_frames_close(struct krel_snappy_frames *s);

/**
 * Lay a stream behind what is there. Reads the heads of its chunks only.
 *
 * @param at    Its offset in the file, in bytes.
 * @param want  Bytes that come out of it.
 * @param got   Those that can be read: less than @want when the file ends
 *              before. A chunk counts when all of it is there.
 * @param end   Offset in the file behind the last chunk.
 * @return KREL_OK; KREL_CORRUPT (not such a stream, or another length);
 *         KREL_UNREADABLE (I/O); KREL_NOMEM.
 */
enum krel_status krel_snappy_frames_add(struct krel_snappy_frames *s,
					uint64_t at, uint64_t want,
					uint64_t *got, uint64_t *end,
					struct krel_error *err);

/** Lay [at, at + len) of the file, as it is, behind what is there. */
enum krel_status krel_snappy_frames_add_plain(struct krel_snappy_frames *s,
					      uint64_t at, uint64_t len,
					      struct krel_error *err);

/**
 * What was laid so far, as a file. Reading from it checks each chunk's
 * CRC-32C: KREL_CORRUPT when it is another.
 *
 * @return Borrowed until krel_snappy_frames_close(); not to be closed.
 */
struct krel_file *krel_snappy_frames_file(struct krel_snappy_frames *s);

#endif
