// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kallsyms: the run-time addresses that the kernel has of its own symbols.
 * With a vmlinux many of them are compared: the kernel moves as one, so all
 * must have moved alike. Where they lie tells the physical place.
 */
#include "anchor.h"

#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"

static const char name[] = "kallsyms";

#define SAMPLES		512	/* symbols compared */
#define ENOUGH		16	/* of them in both, and only once */
#define NAME_MAX_BYTES	64

struct sample {
	char name[NAME_MAX_BYTES];
	size_t len;
	uint64_t run, link;
	unsigned int in_image, in_kernel;	/* times that they have it */
};

struct comparison {
	const struct krel_target *target;
	size_t step, seen, nr;
	struct sample *sample;
	unsigned int common, moved_otherwise;
	uint64_t text_run;
	int64_t virt_offset;
};

static int compare_names(const char *a, size_t a_len, const char *b,
			 size_t b_len)
{
	int diff = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return diff ? diff : (a_len > b_len) - (a_len < b_len);
}

static int by_name(const void *a, const void *b)
{
	const struct sample *l = a, *r = b;

	return compare_names(l->name, l->len, r->name, r->len);
}

static struct sample *find(struct comparison *c, const char *sym, size_t len)
{
	size_t low = 0, high = c->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		struct sample *s = &c->sample[mid];
		int diff = compare_names(sym, len, s->name, s->len);

		if (diff == 0)
			return s;
		if (diff < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

/* Evenly over the table; absolute and per-CPU symbols do not move. */
static bool pick(void *arg, const struct krel_symbol *sym)
{
	struct comparison *c = arg;
	size_t len = strlen(sym->name);
	struct sample *s;

	if (c->seen++ % c->step != 0 || len >= NAME_MAX_BYTES ||
	    (sym->type | 0x20) == 'a' || sym->address < c->target->map_base)
		return true;
	s = &c->sample[c->nr++];
	memcpy(s->name, sym->name, len);
	s->len = len;
	s->run = sym->address;
	return c->nr < SAMPLES;
}

static bool count_in_image(void *arg, const struct krel_symbol *sym)
{
	struct sample *s = find(arg, sym->name, strlen(sym->name));

	if (s)
		s->in_image++;
	return true;
}

static bool count_in_kernel(void *arg, const char *sym, size_t len,
			    uint64_t link_va)
{
	struct sample *s = find(arg, sym, len);

	if (s && s->in_kernel++ == 0)
		s->link = link_va;
	return true;
}

/* Static names occur many times: only those that both have once count. */
static void tally(struct comparison *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		const struct sample *s = &c->sample[i];

		if (s->in_image != 1 || s->in_kernel != 1)
			continue;
		c->common++;
		if (krel_target_offset(c->target, s->run, s->link) !=
		    c->virt_offset)
			c->moved_otherwise++;
	}
}

static enum krel_status compare(const struct krel_kernel *kernel,
				const struct krel_symbols *syms,
				struct comparison *c)
{
	uint64_t text;

	c->target = syms->target;
	if (!krel_kernel_sym(kernel, KREL_SYM_TEXT, &text))
		return KREL_ABSENT;
	c->virt_offset = krel_target_offset(c->target, c->text_run, text);
	c->sample = calloc(SAMPLES, sizeof(*c->sample));
	if (!c->sample)
		return KREL_NOMEM;
	c->step = krel_symbols_count(syms) / SAMPLES + 1;
	krel_symbols_each(syms, pick, c);
	qsort(c->sample, c->nr, sizeof(*c->sample), by_name);
	krel_symbols_each(syms, count_in_image, c);
	krel_kernel_each(kernel, count_in_kernel, c);
	tally(c);
	free(c->sample);
	if (c->common < ENOUGH || c->moved_otherwise > 0 ||
	    !krel_target_plausible(c->target, c->virt_offset))
		return KREL_CONTRADICTS;
	return KREL_OK;
}

static bool text_of(const struct krel_symbols *syms, uint64_t *run)
{
	return krel_symbols_address(syms, "_text", run) == KREL_OK ||
		krel_symbols_address(syms, "_stext", run) == KREL_OK;
}

/* By a vmlinux that has the table's own symbol, else by what memory told. */
static bool displacement(const struct krel_scene *s,
			 const struct krel_symbols *syms, int64_t virt_offset,
			 int64_t *disp)
{
	uint64_t link;

	if (krel_kernel_lookup(s->kernel, "kallsyms_token_table", &link) ==
	    KREL_OK) {
		*disp = (int64_t)(syms->pa -
				  (link - krel_kernel_map_base(s->kernel)));
		return true;
	}
	*disp = (int64_t)((uint64_t)virt_offset +
			  (uint64_t)syms->displacement);
	return s->target->has_phys_base && syms->place == KREL_KALLSYMS_RUNS;
}

static void place(const struct krel_scene *s, const struct krel_symbols *syms,
		  uint64_t text, struct krel_evidence *ev)
{
	int64_t virt = ev->virt_offset.v, disp;

	if (!displacement(s, syms, virt, &disp))
		return;
	ev->phys = krel_u64(krel_scene_phys(s, text, disp));
	if (s->target->has_phys_base)
		ev->phys_base = krel_s64((int64_t)((uint64_t)disp -
						   (uint64_t)virt));
	else if (disp != virt)
		ev->status = KREL_CONTRADICTS;
}

static enum krel_status judge(const struct krel_scene *s,
			      const struct krel_symbols *syms,
			      uint64_t run, struct krel_evidence_list *out)
{
	struct comparison c = { .text_run = run };
	enum krel_status st = compare(s->kernel, syms, &c);
	unsigned long long pa = syms->pa;
	struct krel_evidence *ev;
	uint64_t text = 0;

	if (st == KREL_NOMEM)
		return st;
	if (c.common < ENOUGH)
		ev = krel_evidence_add(out, name, st,
			"%u symbols, tokens at physical 0x%llx: of %zu looked up only %u are in the vmlinux: it is of another build",
			syms->count, pa, c.nr, c.common);
	else if (c.moved_otherwise > 0)
		ev = krel_evidence_add(out, name, st,
			"%u symbols, tokens at physical 0x%llx: %u of %u moved otherwise than _text: function-granular KASLR, or a vmlinux of another build",
			syms->count, pa, c.moved_otherwise, c.common);
	else
		ev = krel_evidence_add(out, name, st,
			"%u symbols (%s), tokens at physical 0x%llx: %u compared, all moved alike",
			syms->count, syms->layout, pa, c.common);
	ev->run = krel_u64(run);
	if (st != KREL_OK)
		return KREL_OK;
	krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &text);
	ev->link = krel_u64(text);
	ev->virt_offset = krel_s64(c.virt_offset);
	place(s, syms, text, ev);
	if (syms->place == KREL_KALLSYMS_COPY)
		ev->status = KREL_CONTRADICTS;
	return KREL_OK;
}

/* Without a vmlinux: where _text runs, and phys_base where memory tells. */
static void state(const struct krel_symbols *syms, uint64_t run,
		  struct krel_evidence_list *out)
{
	bool copy = syms->place == KREL_KALLSYMS_COPY;
	struct krel_evidence *ev;

	ev = krel_evidence_add(out, name, copy ? KREL_CONTRADICTS : KREL_OK,
		"%u symbols (%s), tokens at physical 0x%llx%s", syms->count,
		syms->layout, (unsigned long long)syms->pa,
		copy ? ": its kernel did not run there" : "");
	ev->run = krel_u64(run);
	if (syms->place != KREL_KALLSYMS_RUNS)
		return;
	ev->phys = krel_u64(run - syms->target->map_base +
			    (uint64_t)syms->displacement);
	if (syms->target->has_phys_base)
		ev->phys_base = krel_s64(syms->displacement);
}

static enum krel_status add_tables(const struct krel_scene *s,
				   const struct krel_symbols *syms,
				   struct krel_evidence_list *out)
{
	uint64_t run;

	if (syms->target != s->target || !text_of(syms, &run)) {
		krel_evidence_add(out, name, KREL_CONTRADICTS,
			"tokens at physical 0x%llx: %s",
			(unsigned long long)syms->pa,
			syms->target != s->target ?
			"a kernel of the other arch" : "no _text among them");
		return KREL_OK;
	}
	if (s->kernel)
		return judge(s, syms, run, out);
	state(syms, run, out);
	return KREL_OK;
}

static enum krel_status collect(const struct krel_scene *s,
				struct krel_evidence_list *out,
				struct krel_error *err)
{
	struct krel_kallsyms_list list;
	enum krel_status st = krel_kallsyms_scan(s->image, s->opts, &list);

	(void)err;
	if (st != KREL_OK)
		return st;
	for (unsigned int i = 0; i < list.nr && st == KREL_OK; i++)
		st = add_tables(s, list.item[i], out);
	if (list.nr == 0)
		krel_evidence_add(out, name, list.token_tables ?
				  list.trouble : KREL_ABSENT, "%s",
				  list.token_tables ? list.why :
				  "no token table in memory");
	krel_kallsyms_free(&list);
	return st;
}

const struct krel_anchor_ops krel_anchor_kallsyms = {
	.name = name,
	.expensive = true,
	.collect = collect,
};
