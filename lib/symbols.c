// SPDX-License-Identifier: GPL-2.0-or-later
/* Run-time symbols without a vmlinux: the public face of kallsyms. */
#include "kallsyms_priv.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

/* What a table is worth: one that runs where it lies is preferred. */
static int worth(const struct krel_symbols *s)
{
	return s->place == KREL_KALLSYMS_RUNS ? 2 :
		s->place == KREL_KALLSYMS_UNPLACED ? 1 : 0;
}

static bool same(const struct krel_symbols *a, const struct krel_symbols *b)
{
	return a->count == b->count && a->names_len == b->names_len &&
		memcmp(a->names, b->names, a->names_len) == 0 &&
		memcmp(a->address, b->address,
		       a->count * sizeof(*a->address)) == 0;
}

/* The one to answer with; NULL when two different ones are as good. */
static struct krel_symbols **best(struct krel_kallsyms_list *list)
{
	struct krel_symbols **found = NULL;
	bool rival = false;

	for (unsigned int i = 0; i < list->nr; i++) {
		struct krel_symbols **s = &list->item[i];

		if (!found || worth(*s) > worth(*found)) {
			found = s;
			rival = false;
		} else if (worth(*s) == worth(*found)) {
			rival = rival || !same(*s, *found);
		}
	}
	return rival ? NULL : found;
}

enum krel_status krel_symbols_find(struct krel_image *img,
				   const struct krel_options *opts,
				   struct krel_symbols **out,
				   struct krel_error *err)
{
	struct krel_kallsyms_list list;
	struct krel_symbols **s;
	enum krel_status st = krel_kallsyms_scan(img, opts, &list);

	if (st != KREL_OK)
		return krel_error_set(err, st, st == KREL_NOMEM ?
				      "out of memory" : "interrupted");
	s = best(&list);
	if (s) {
		*out = *s;
		*s = list.item[--list.nr];
	} else if (list.nr > 0) {
		st = krel_error_set(err, KREL_CONTRADICTS,
			"expected the kallsyms of one kernel, found those of %u",
			list.nr);
	} else if (list.token_tables > 0) {
		st = krel_error_set(err, list.trouble,
			"expected whole kallsyms, found %s", list.why);
	} else {
		st = krel_error_set(err, KREL_ABSENT,
			"expected kallsyms in this memory, found none: was its kernel built with CONFIG_KALLSYMS?");
	}
	krel_kallsyms_free(&list);
	return st;
}

void krel_symbols_free(struct krel_symbols *s)
{
	struct krel_kallsyms_list list = { .nr = s ? 1 : 0, .item = { s } };

	krel_kallsyms_free(&list);
}

enum krel_arch krel_symbols_arch(const struct krel_symbols *s)
{
	return s->target->arch;
}

size_t krel_symbols_count(const struct krel_symbols *s)
{
	return s->count;
}

bool krel_symbols_placed(const struct krel_symbols *s)
{
	return s->place == KREL_KALLSYMS_RUNS;
}

void krel_symbols_each(const struct krel_symbols *s,
		       krel_symbols_visit *visit, void *arg)
{
	char text[KREL_SYMBOL_NAME_MAX + 2];
	struct krel_symbol sym = { .name = text + 1 };
	size_t off = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		if (!krel_symbols_expand(s, &off, text))
			return;
		sym.address = s->address[i];
		sym.type = text[0];
		if (!visit(arg, &sym))
			return;
	}
}

struct wanted {
	const char *name;
	uint64_t *address;
	bool found;
};

static bool is_wanted(void *arg, const struct krel_symbol *sym)
{
	struct wanted *w = arg;

	if (strcmp(sym->name, w->name) != 0)
		return true;
	*w->address = sym->address;
	w->found = true;
	return false;
}

enum krel_status krel_symbols_address(const struct krel_symbols *s,
				      const char *name, uint64_t *address)
{
	struct wanted w = { name, address, false };

	krel_symbols_each(s, is_wanted, &w);
	return w.found ? KREL_OK : KREL_ABSENT;
}

struct nearest {
	uint64_t address, found;
	char *name;
	size_t size;
	bool any;
};

static bool is_nearest(void *arg, const struct krel_symbol *sym)
{
	struct nearest *n = arg;

	if (sym->address > n->address)
		return false;
	/* Of several at one address the first is taken, as the kernel does. */
	if (n->any && sym->address == n->found)
		return true;
	n->any = true;
	n->found = sym->address;
	snprintf(n->name, n->size, "%s", sym->name);
	return true;
}

enum krel_status krel_symbols_name(const struct krel_symbols *s,
				   uint64_t address, char *name, size_t size,
				   uint64_t *offset)
{
	struct nearest n = { address, 0, name, size, false };

	if (s->count == 0 || address < s->address[0])
		return KREL_ABSENT;
	krel_symbols_each(s, is_nearest, &n);
	*offset = address - n.found;
	return KREL_OK;
}
