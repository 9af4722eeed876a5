// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel_priv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "unpack.h"

static const char *const sym_names[KREL_SYM_NR] = {
	[KREL_SYM_TEXT] = "_text",
	[KREL_SYM_STEXT] = "_stext",
	[KREL_SYM_END] = "_end",
	[KREL_SYM_START_NOTES] = "__start_notes",
	[KREL_SYM_STOP_NOTES] = "__stop_notes",
	[KREL_SYM_BANNER] = "linux_banner",
	[KREL_SYM_PHYS_BASE] = "phys_base",
	[KREL_SYM_LEVEL3_PGT] = "level3_kernel_pgt",
	[KREL_SYM_LEVEL2_PGT] = "level2_kernel_pgt",
	[KREL_SYM_IDT_TABLE] = "idt_table",
	[KREL_SYM_ASM_EXC_DIVIDE_ERROR] = "asm_exc_divide_error",
	[KREL_SYM_DIVIDE_ERROR] = "divide_error",
	[KREL_SYM_ASM_EXC_PAGE_FAULT] = "asm_exc_page_fault",
	[KREL_SYM_PAGE_FAULT] = "page_fault",
	[KREL_SYM_SYS_CALL_TABLE] = "sys_call_table",
	[KREL_SYM_X64_SYS_READ] = "__x64_sys_read",
	[KREL_SYM_SYS_READ] = "sys_read",
	[KREL_SYM_START_PARAM] = "__start___param",
	[KREL_SYM_KALLSYMS_BASE] = "kallsyms_relative_base",
	[KREL_SYM_INIT_UTS_NS] = "init_uts_ns",
	[KREL_SYM_SWAPPER_PG_DIR] = "swapper_pg_dir",
};

const char *krel_sym_name(enum krel_sym sym)
{
	return sym_names[sym];
}

enum krel_status krel_kernel_new(const char *path, int fd,
				 const struct krel_kernel_ops *ops,
				 struct krel_kernel **out,
				 struct krel_error *err)
{
	struct krel_kernel *k = calloc(1, sizeof(*k));
	char *copy = strdup(path);

	if (!k || !copy) {
		free(k);
		free(copy);
		close(fd);
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      path);
	}
	k->ops = ops;
	k->path = copy;
	k->fd = fd;
	*out = k;
	return KREL_OK;
}

enum krel_status krel_kernel_open_by(const char *path,
				     const struct krel_kernel_ops *ops,
				     enum krel_status (*init)(
					     struct krel_kernel *k,
					     struct krel_error *err),
				     struct krel_kernel **out,
				     struct krel_error *err)
{
	struct krel_kernel *k = NULL;
	enum krel_status st;
	int fd;

	st = krel_unpack_open(path, &fd, err);
	if (st != KREL_OK)
		return st;
	st = krel_kernel_new(path, fd, ops, &k, err);
	if (st != KREL_OK)
		return st;
	st = init(k, err);
	if (st == KREL_OK)
		*out = k;
	else
		krel_kernel_close(k);
	return st;
}

void krel_kernel_close(struct krel_kernel *k)
{
	if (!k)
		return;
	if (k->ops->close)
		k->ops->close(k);
	close(k->fd);
	free(k->path);
	free(k);
}

static bool resolve_one(void *arg, const char *name, size_t len,
			uint64_t value)
{
	struct krel_kernel *k = arg;

	if (len < 2)
		return true;
	for (int i = 0; i < KREL_SYM_NR; i++) {
		const char *want = sym_names[i];

		/* Cheap tests first: this runs for each of 150,000. */
		if (want[0] != name[0] || want[1] != name[1] || k->known[i])
			continue;
		if (strlen(want) == len && memcmp(want, name, len) == 0) {
			k->known[i] = true;
			k->sym[i] = value;
			break;
		}
	}
	return true;
}

enum krel_status krel_kernel_resolve(struct krel_kernel *k,
				     struct krel_error *err)
{
	k->ops->each(k, resolve_one, k);
	/* Before 2.6.30 _text was not there, and _stext was the same. */
	if (!k->known[KREL_SYM_TEXT] && k->known[KREL_SYM_STEXT]) {
		k->known[KREL_SYM_TEXT] = true;
		k->sym[KREL_SYM_TEXT] = k->sym[KREL_SYM_STEXT];
	}
	if (!k->known[KREL_SYM_TEXT])
		return krel_error_set(err, KREL_ABSENT,
			"%s: expected the symbol _text, found none: this is not a kernel's symbol table",
			k->path);
	return KREL_OK;
}

struct wanted {
	const char *name;
	size_t len;
	uint64_t *value;
	bool found;
};

static bool lookup_one(void *arg, const char *name, size_t len,
		       uint64_t value)
{
	struct wanted *w = arg;

	if (len != w->len || memcmp(name, w->name, len) != 0)
		return true;
	*w->value = value;
	w->found = true;
	return false;
}

enum krel_status krel_kernel_lookup(const struct krel_kernel *k,
				    const char *name, uint64_t *link_va)
{
	struct wanted w = { name, strlen(name), link_va, false };

	k->ops->each(k, lookup_one, &w);
	return w.found ? KREL_OK : KREL_ABSENT;
}

void krel_kernel_each(const struct krel_kernel *k, krel_symbol_fn *fn,
		      void *arg)
{
	k->ops->each(k, fn, arg);
}

bool krel_kernel_sym(const struct krel_kernel *k, enum krel_sym sym,
		     uint64_t *link_va)
{
	if (!k->known[sym])
		return false;
	*link_va = k->sym[sym];
	return true;
}

enum krel_status krel_kernel_read(const struct krel_kernel *k,
				  uint64_t link_va, void *buf, size_t len)
{
	return k->ops->read ? k->ops->read(k, link_va, buf, len) : KREL_ABSENT;
}

enum krel_arch krel_kernel_arch(const struct krel_kernel *k)
{
	return k->target->arch;
}

const char *krel_kernel_path(const struct krel_kernel *k)
{
	return k->path;
}

bool krel_kernel_is_map(const struct krel_kernel *k)
{
	return k->is_map;
}

const struct krel_identity *
krel_kernel_identity(const struct krel_kernel *k)
{
	return &k->identity;
}

uint64_t krel_kernel_map_base(const struct krel_kernel *k)
{
	return k->map_base;
}

const struct krel_id_note *krel_kernel_id_note(const struct krel_kernel *k)
{
	return &k->id_note;
}

bool krel_banner_release(const char *banner, char *release, size_t size)
{
	static const char start[] = "Linux version ";
	const char *from = banner + sizeof(start) - 1;
	size_t len;

	if (strncmp(banner, start, sizeof(start) - 1) != 0)
		return false;
	len = strcspn(from, " \n");
	/* A "%s" is the format string in the kernel's text, not a banner. */
	if (len == 0 || len >= size || from[len] != ' ' ||
	    memchr(from, '%', len))
		return false;
	memcpy(release, from, len);
	release[len] = '\0';
	return true;
}

bool krel_banner_take(struct krel_identity *id)
{
	if (!krel_banner_release(id->banner, id->release,
				 sizeof(id->release))) {
		id->banner[0] = '\0';
		return false;
	}
	id->banner[strcspn(id->banner, "\n")] = '\0';
	krel_text_sanitize(id->banner);
	krel_text_sanitize(id->release);
	return true;
}
