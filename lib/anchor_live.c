// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of a running machine: /proc/kallsyms has run-time symbols, /proc/iomem
 * the physical place of _text, the log of an oops the offset, boot_params how
 * the kernel was to be placed. They may be of another boot than the dump, so
 * that memory has to bear them out.
 */
#include "anchor.h"

#include <string.h>

#include "live.h"

static const char kallsyms_name[] = "given: kallsyms";
static const char iomem_name[] = "given: iomem";
static const char boot_name[] = "given: boot_params";
const char krel_anchor_dmesg_name[] = "given: dmesg";

/* Each costs a pass over the vmlinux; only when no known symbol is there. */
#define MAX_LOOKUPS	8

/* What a pass over /proc/kallsyms gathered. */
struct symbols {
	unsigned int lines, shown;	/* all, and those not hidden */
	unsigned int agreed, lookups;
	bool differ;
	int64_t virt_offset;
	uint64_t link, run;
	char first[64];
	struct krel_u64 text_run;
};

static bool is_name(const struct krel_live_symbol *sym, const char *name)
{
	return strlen(name) == sym->name_len &&
		memcmp(sym->name, name, sym->name_len) == 0;
}

/* Link-time address of a symbol; static names may not be unique. */
static bool link_of(const struct krel_scene *s, bool any, struct symbols *got,
		    const struct krel_live_symbol *sym, uint64_t *link)
{
	char text[64];

	if (sym->type < 'A' || sym->type > 'Z')
		return false;
	for (int i = 0; !any && i < KREL_SYM_NR; i++)
		if (is_name(sym, krel_sym_name((enum krel_sym)i)))
			return krel_kernel_sym(s->kernel, (enum krel_sym)i,
					       link);
	if (!any || sym->type == 'A' || sym->name_len >= sizeof(text) ||
	    got->lookups == MAX_LOOKUPS)
		return false;
	got->lookups++;
	snprintf(text, sizeof(text), "%.*s", (int)sym->name_len, sym->name);
	return krel_kernel_lookup(s->kernel, text, link) == KREL_OK;
}

static void compare(const struct krel_scene *s, struct symbols *got,
		    const struct krel_live_symbol *sym, uint64_t link)
{
	int64_t off = krel_target_offset(s->target, sym->run_va, link);

	if (got->agreed > 0 && off != got->virt_offset)
		got->differ = true;
	if (got->agreed++ > 0)
		return;
	got->virt_offset = off;
	got->link = link;
	got->run = sym->run_va;
	snprintf(got->first, sizeof(got->first), "%.*s",
		 (int)(sym->name_len < 48 ? sym->name_len : 48), sym->name);
}

/* @any: look every symbol up, not only the known ones. */
static void gather(const struct krel_scene *s, const struct krel_text *t,
		   bool any, struct symbols *got)
{
	struct krel_live_symbol sym;
	size_t pos = 0;
	uint64_t link;

	got->lines = got->shown = 0;
	while (krel_live_kallsyms(t, &pos, &sym) == KREL_OK) {
		got->lines++;
		if (!sym.run_va)
			continue;
		got->shown++;
		/* Per-CPU offsets are below the kernel's map. */
		if (sym.module || sym.run_va < s->target->map_base)
			continue;
		if (!got->text_run.known && is_name(&sym, "_text"))
			got->text_run = krel_u64(sym.run_va);
		if (s->kernel && link_of(s, any, got, &sym, &link))
			compare(s, got, &sym, link);
	}
}

static void add_kallsyms(const struct krel_scene *s, const struct symbols *got,
			 struct krel_evidence_list *out)
{
	struct krel_evidence *ev;

	if (got->agreed == 0) {
		ev = krel_evidence_add(out, kallsyms_name, KREL_ABSENT,
			s->kernel ?
			"none of its %u symbols is one of the vmlinux" :
			"its %u symbols need a vmlinux to compare with",
			got->lines);
		ev->run = got->text_run;
		return;
	}
	ev = krel_evidence_add(out, kallsyms_name,
		got->differ ? KREL_CONTRADICTS : KREL_OK,
		got->differ ?
		"%s and %u more of its symbols do not give one offset: of another kernel than the vmlinux" :
		"%s and %u more symbols", got->first, got->agreed - 1);
	ev->link = krel_u64(got->link);
	ev->run = krel_u64(got->run);
	if (!got->differ)
		ev->virt_offset = krel_s64(got->virt_offset);
}

/* Returns where _text runs, as it states. */
static struct krel_u64 from_kallsyms(const struct krel_scene *s,
				     const struct krel_text *t,
				     struct krel_evidence_list *out)
{
	enum krel_arch arch = krel_live_kallsyms_arch(t);
	struct symbols got = { 0 };

	if (arch != KREL_ARCH_UNKNOWN && arch != s->target->arch) {
		krel_evidence_add(out, kallsyms_name, KREL_CONTRADICTS,
				  "expected addresses of %s, found those of %s",
				  s->target->name, krel_arch_name(arch));
		return got.text_run;
	}
	gather(s, t, false, &got);
	if (s->kernel && got.shown > 0 && got.agreed == 0)
		gather(s, t, true, &got);
	if (got.lines == 0)
		krel_evidence_add(out, kallsyms_name, KREL_CORRUPT,
			"expected lines as in /proc/kallsyms, found none");
	else if (got.shown == 0)
		krel_evidence_add(out, kallsyms_name, KREL_ABSENT,
			"all its addresses are hidden (zero): copy it as root, with kptr_restrict below 2");
	else
		add_kallsyms(s, &got, out);
	if (got.differ)
		got.text_run.known = false;
	return got.text_run;
}

/* ---------------------------------------------------------------- iomem */

/*
 * x86-64: the place alone is the sum of both offsets. What tells them apart
 * is _text's run-time address, the variable phys_base in the image, or a
 * virtual offset that was given otherwise.
 */
static bool split_place(const struct krel_scene *s, uint64_t pa,
			struct krel_u64 text_run, struct krel_evidence *ev,
			const struct krel_evidence_list *list)
{
	int64_t disp, own;
	uint64_t text;

	if (text_run.known) {
		ev->run = text_run;
		ev->phys_base = krel_s64((int64_t)(pa - (text_run.v -
						   s->target->map_base)));
		return true;
	}
	if (!s->kernel || !krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &text))
		return false;
	ev->link = krel_u64(text);
	disp = (int64_t)(pa - (text - s->target->map_base));
	if (krel_place_check(s, disp, NULL) == KREL_OK &&
	    krel_place_phys_base(s, disp, &own) == KREL_OK) {
		ev->phys_base = krel_s64(own);
		ev->virt_offset = krel_s64((int64_t)((uint64_t)disp -
						     (uint64_t)own));
		return true;
	}
	for (unsigned int i = 0; i < list->nr; i++) {
		const struct krel_evidence *o = &list->item[i];

		if (!krel_evidence_given(o) || !krel_evidence_claims(o) ||
		    !o->virt_offset.known)
			continue;
		ev->phys_base = krel_s64((int64_t)((uint64_t)disp -
						   (uint64_t)o->virt_offset.v));
		return true;
	}
	return false;
}

/* x86-32: the direct map gives the run-time address. */
static bool direct_place(const struct krel_scene *s, uint64_t pa,
			 struct krel_evidence *ev)
{
	uint64_t text;

	if (!s->kernel || !krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &text))
		return false;
	ev->link = krel_u64(text);
	ev->run = krel_u64(krel_target_run_va(s->target,
		pa + krel_kernel_map_base(s->kernel), 0));
	ev->virt_offset = krel_s64(krel_target_offset(s->target, ev->run.v,
						      text));
	return true;
}

static void from_iomem(const struct krel_scene *s, const struct krel_text *t,
		       struct krel_u64 text_run,
		       struct krel_evidence_list *out)
{
	struct krel_evidence ev = { 0 }, *added;
	enum krel_status st;
	uint64_t pa;

	st = krel_live_iomem(t, &pa);
	if (st != KREL_OK) {
		krel_evidence_add(out, iomem_name,
			st == KREL_FILTERED ? KREL_ABSENT : st,
			st == KREL_FILTERED ?
			"the place of \"Kernel code\" is hidden (zeros): copy it as root" :
			st == KREL_ABSENT ?
			"expected a line \"Kernel code\", found none" :
			"expected one range of \"Kernel code\", found another form, or several");
		return;
	}
	st = (s->target->has_phys_base ?
	      split_place(s, pa, text_run, &ev, out) :
	      direct_place(s, pa, &ev)) ? KREL_OK : KREL_ABSENT;
	added = krel_evidence_add(out, iomem_name, st,
		"Kernel code at physical 0x%llx%s", (unsigned long long)pa,
		st == KREL_OK ? "" : s->kernel ?
		": needs a virtual offset, such as /proc/kallsyms gives" :
		": needs a vmlinux, or on x86-64 /proc/kallsyms");
	added->phys = krel_u64(pa);
	added->link = ev.link;
	added->run = ev.run;
	added->virt_offset = ev.virt_offset;
	added->phys_base = ev.phys_base;
}

/* ---------------------------------------------------------------- dmesg */

static void add_dmesg(const struct krel_scene *s,
		      const struct krel_live_dmesg *d,
		      struct krel_evidence_list *out)
{
	struct krel_evidence *ev;
	uint64_t text;

	if (d->disabled && !s->target->has_phys_base) {
		krel_evidence_add(out, krel_anchor_dmesg_name, KREL_ABSENT,
			"\"Kernel Offset: disabled\" tells nothing on x86-32, where a boot loader may move the kernel as well");
		return;
	}
	if (!d->disabled && s->kernel &&
	    krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &text) &&
	    text != d->base) {
		krel_evidence_add(out, krel_anchor_dmesg_name,
			KREL_CONTRADICTS,
			"its offset counts from 0x%llx, but the vmlinux begins at 0x%llx: another kernel",
			(unsigned long long)d->base,
			(unsigned long long)text);
		return;
	}
	ev = krel_evidence_add(out, krel_anchor_dmesg_name, KREL_OK,
			       d->disabled ? "\"Kernel Offset: disabled\"" :
			       "\"Kernel Offset: 0x%llx from 0x%llx\"",
			       (unsigned long long)d->offset,
			       (unsigned long long)d->base);
	ev->virt_offset = krel_s64(d->disabled ? 0 :
		krel_target_offset(s->target, d->offset, 0));
	if (d->disabled)
		return;
	ev->link = krel_u64(d->base);
	ev->run = krel_u64(krel_target_run_va(s->target, d->base,
					      ev->virt_offset.v));
}

static void from_dmesg(const struct krel_scene *s, const struct krel_text *t,
		       struct krel_evidence_list *out)
{
	struct krel_live_dmesg d;
	enum krel_status st = krel_live_dmesg(t, &d);

	if (st == KREL_OK)
		add_dmesg(s, &d, out);
	else
		krel_evidence_add(out, krel_anchor_dmesg_name, st,
			st == KREL_CONTRADICTS ?
			"its lines \"Kernel Offset\" differ: it is of several boots" :
			"expected a line \"Kernel Offset: 0x... from 0x...\", found %s",
			st == KREL_ABSENT ? "none" : "another form");
}

/* ---------------------------------------------------------- boot_params */

/* No claim: how the kernel was to be placed is not where it runs. */
static void from_boot(const struct krel_scene *s, const struct krel_text *t,
		      struct krel_evidence_list *out)
{
	struct krel_live_boot b;
	enum krel_status st = krel_live_boot(t, &b);

	if (st != KREL_OK) {
		krel_evidence_add(out, boot_name, st, st == KREL_ABSENT ?
			"a boot protocol before 2.05 tells no alignment" :
			"expected struct boot_params with \"HdrS\" at 0x202, found none");
		return;
	}
	krel_evidence_add(out, boot_name, KREL_OK,
		"protocol %u.%02u, kernel_alignment 0x%x, pref_address 0x%llx, init_size 0x%x, %srelocatable, %s",
		b.version >> 8, b.version & 255, b.kernel_alignment,
		(unsigned long long)b.pref_address, b.init_size,
		b.relocatable ? "" : "not ",
		b.kaslr ? "KASLR flag set" : !b.relocatable ?
		"no KASLR flag: a hint that it runs as linked" :
		s->target->has_phys_base ?
		"no KASLR flag: a hint at virtual offset 0" :
		"no KASLR flag: a hint at the boot loader's place");
}

static enum krel_status collect(const struct krel_scene *s,
				struct krel_evidence_list *out,
				struct krel_error *err)
{
	const struct krel_given *g = s->opts ? s->opts->given : NULL;
	struct krel_u64 text_run = { 0 };

	(void)err;
	if (!g)
		return KREL_OK;
	if (g->kallsyms.text)
		text_run = from_kallsyms(s, &g->kallsyms, out);
	if (g->dmesg.text)
		from_dmesg(s, &g->dmesg, out);
	if (g->iomem.text)
		from_iomem(s, &g->iomem, text_run, out);
	if (g->boot_params.text)
		from_boot(s, &g->boot_params, out);
	return KREL_OK;
}

const struct krel_anchor_ops krel_anchor_live = {
	.name = "live machine",
	.collect = collect,
};
