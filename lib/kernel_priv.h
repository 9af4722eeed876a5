/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between kernel.c, kernel_elf.c and kernel_map.c; nobody else. */
#ifndef KREL_KERNEL_PRIV_H
#define KREL_KERNEL_PRIV_H

#include "kernel.h"
#include "target.h"

struct krel_kernel_ops {
	void (*each)(const struct krel_kernel *k, krel_symbol_fn *fn,
		     void *arg);
	enum krel_status (*read)(const struct krel_kernel *k, uint64_t link_va,
				 void *buf, size_t len);
	void (*close)(struct krel_kernel *k);
};

struct krel_kernel {
	const struct krel_kernel_ops *ops;
	const struct krel_target *target;
	char *path;
	int fd;
	bool is_map;
	uint64_t map_base;
	bool known[KREL_SYM_NR];
	uint64_t sym[KREL_SYM_NR];
	struct krel_identity identity;
	struct krel_id_note id_note;
	void *priv;
};

/** Make the common part; owns @fd from here, also on failure. */
enum krel_status krel_kernel_new(const char *path, int fd,
				 const struct krel_kernel_ops *ops,
				 struct krel_kernel **out,
				 struct krel_error *err);

/**
 * Open @path (packed or not) as a kernel: the common part is made, then @init
 * fills in its own. Closed again when that fails.
 */
enum krel_status krel_kernel_open_by(const char *path,
				     const struct krel_kernel_ops *ops,
				     enum krel_status (*init)(
					     struct krel_kernel *k,
					     struct krel_error *err),
				     struct krel_kernel **out,
				     struct krel_error *err);

/** Look up the well-known symbols; fails when _text is not among them. */
enum krel_status krel_kernel_resolve(struct krel_kernel *k,
				     struct krel_error *err);

#endif
