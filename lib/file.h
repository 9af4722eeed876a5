/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file as its readers see it: a size and bytes at an offset. Behind it may
 * be a descriptor, memory (tests, fuzzing), or makedumpfile's flattened form
 * of another file.
 */
#ifndef KREL_FILE_H
#define KREL_FILE_H

#include "krel.h"

struct krel_file;

struct krel_file_ops {
	/** All of [off, off + len), which lies inside the file's size. */
	enum krel_status (*read)(struct krel_file *f, uint64_t off, void *buf,
				 size_t len, struct krel_error *err);
	/** As krel_file_next_data(); NULL: all of the file is data. */
	void (*next_data)(struct krel_file *f, uint64_t off, uint64_t *start,
			  uint64_t *end);
	void (*close)(struct krel_file *f);
};

struct krel_file {
	const struct krel_file_ops *ops;
	char *path;		/* for messages */
	uint64_t size;		/* bytes */
	uint64_t bytes_read;	/* from the bottom file */
	bool flattened;
	void *priv;
};

/**
 * Open a regular file or a block device for reading. Anything else (a
 * directory, a FIFO, a character device) is KREL_UNREADABLE, said by kind.
 */
enum krel_status krel_file_open(const char *path, struct krel_file **out,
				struct krel_error *err);

/** A file made of @len bytes at @buf, borrowed until close. */
enum krel_status krel_file_mem(const void *buf, size_t len,
			       const char *name, struct krel_file **out,
			       struct krel_error *err);

/** Take over an open descriptor of a regular file. */
enum krel_status krel_file_fd(int fd, const char *name,
			      struct krel_file **out, struct krel_error *err);

/**
 * If @f is in makedumpfile's flattened form, make the plain file that it
 * stands for. Reads the block headers only.
 *
 * @param out  Takes ownership of @f on KREL_OK; @f stays the caller's else.
 * @return KREL_OK; KREL_NOT_MINE (not flattened); KREL_CORRUPT;
 *         KREL_UNREADABLE; KREL_NOMEM.
 */
enum krel_status krel_file_unflatten(struct krel_file *f,
				     struct krel_file **out,
				     struct krel_error *err);

/**
 * Read exactly @len bytes. Past the end is KREL_UNREADABLE: the file is
 * shorter than its own headers say.
 */
enum krel_status krel_file_read(struct krel_file *f, uint64_t off, void *buf,
				size_t len, struct krel_error *err);

/**
 * The first data at or above @off: a hole of a sparse file reads as zeros and
 * need not be read.
 *
 * @return KREL_OK with start >= off and end > start; KREL_ABSENT: only a hole
 *         up to the end.
 */
enum krel_status krel_file_next_data(struct krel_file *f, uint64_t off,
				     uint64_t *start, uint64_t *end);

/** Close; NULL is accepted. */
void krel_file_close(struct krel_file *f);

#endif
