/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole-file decompression of a vmlinux or System.map. */
#ifndef KREL_UNPACK_H
#define KREL_UNPACK_H

#include "krel.h"

/**
 * Open @path; if it is compressed (.xz, .gz, .zst, found by content), unpack
 * it into an unlinked temporary file in $TMPDIR, else /var/tmp or /tmp.
 *
 * @param fd  Set to a descriptor of the plain bytes, owned by the caller.
 * @return KREL_OK; KREL_UNREADABLE; KREL_CORRUPT; KREL_NOMEM.
 */
enum krel_status krel_unpack_open(const char *path, int *fd,
				  struct krel_error *err);

#endif
