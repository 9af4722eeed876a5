// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The VMCOREINFO note. x86-64 states KERNELOFFSET (since 3.14) and
 * NUMBER(phys_base) (since 4.10). x86-32 never has KERNELOFFSET, but states
 * run-time symbols, which minus the link-time ones are the offset.
 */
#include "anchor.h"

static const char name[] = "vmcoreinfo";

struct symbol_offset {
	bool known;
	int64_t virt_offset;
	uint64_t link, run;
	char of[32];
};

static const struct {
	const char *name;
	enum krel_sym sym;
} stated[] = {
	{ "_stext", KREL_SYM_STEXT },
	{ "init_uts_ns", KREL_SYM_INIT_UTS_NS },
	{ "swapper_pg_dir", KREL_SYM_SWAPPER_PG_DIR },
};

/*
 * The offset by the symbols that both sides know. They must all say the same,
 * or the note is of another kernel than the vmlinux.
 */
static enum krel_status by_symbols(const struct krel_scene *s,
				   struct symbol_offset *out)
{
	for (size_t i = 0; i < sizeof(stated) / sizeof(stated[0]); i++) {
		uint64_t run, link;
		int64_t off;

		if (krel_vmcoreinfo_symbol(&s->vmcoreinfo, stated[i].name,
					   &run) != KREL_OK ||
		    !krel_kernel_sym(s->kernel, stated[i].sym, &link))
			continue;
		off = krel_target_offset(s->target, run, link);
		if (out->known && off != out->virt_offset)
			return KREL_CONTRADICTS;
		if (out->known)
			continue;
		*out = (struct symbol_offset){ true, off, link, run, "" };
		snprintf(out->of, sizeof(out->of), "SYMBOL(%s)",
			 stated[i].name);
	}
	return out->known ? KREL_OK : KREL_ABSENT;
}

static void add_claim(const struct krel_scene *s,
		      struct krel_evidence_list *out,
		      const struct symbol_offset *sym, const char *how,
		      int64_t virt_offset)
{
	struct krel_evidence *ev;
	int64_t phys_base;
	uint64_t run;

	ev = krel_evidence_add(out, name, KREL_OK, "VMCOREINFO %s", how);
	ev->virt_offset.known = true;
	ev->virt_offset.v = virt_offset;
	if (sym->known) {
		ev->link = krel_u64(sym->link);
		ev->run = krel_u64(sym->run);
	} else if (krel_vmcoreinfo_symbol(&s->vmcoreinfo, "_stext", &run) ==
		   KREL_OK) {
		ev->run = krel_u64(run);
		ev->link = krel_u64(run - (uint64_t)virt_offset);
	}
	if (!s->target->has_phys_base && s->kernel && ev->run.known)
		ev->phys = krel_u64(ev->run.v -
				    krel_kernel_map_base(s->kernel));
	if (s->target->has_phys_base &&
	    krel_vmcoreinfo_number(&s->vmcoreinfo, "phys_base", &phys_base) ==
	    KREL_OK) {
		ev->phys_base = krel_s64(phys_base);
		if (ev->run.known)
			ev->phys = krel_u64(ev->run.v - s->target->map_base +
					    (uint64_t)phys_base);
	}
}

static enum krel_status collect(const struct krel_scene *s,
				struct krel_evidence_list *out,
				struct krel_error *err)
{
	struct symbol_offset sym = { 0 };
	enum krel_status st = KREL_ABSENT;
	uint64_t koffset;
	bool has_koffset;

	(void)err;
	if (!s->vmcoreinfo.text) {
		krel_evidence_add(out, name, KREL_ABSENT,
				  "the dump carries no VMCOREINFO note");
		return KREL_OK;
	}
	if (s->kernel)
		st = by_symbols(s, &sym);
	if (st == KREL_CONTRADICTS) {
		krel_evidence_add(out, name, KREL_CONTRADICTS,
			"its symbols minus those of the vmlinux do not give one offset: another kernel");
		return KREL_OK;
	}
	has_koffset = s->target->has_phys_base &&
		krel_vmcoreinfo_hex(&s->vmcoreinfo, "KERNELOFFSET",
				    &koffset) == KREL_OK;
	if (has_koffset && sym.known && sym.virt_offset != (int64_t)koffset)
		krel_evidence_add(out, name, KREL_CONTRADICTS,
			"KERNELOFFSET is 0x%llx, but %s minus that of the vmlinux is 0x%llx: another kernel",
			(unsigned long long)koffset, sym.of,
			(unsigned long long)sym.virt_offset);
	else if (has_koffset)
		add_claim(s, out, &sym, "KERNELOFFSET", (int64_t)koffset);
	else if (sym.known)
		add_claim(s, out, &sym, sym.of, sym.virt_offset);
	else
		krel_evidence_add(out, name, KREL_ABSENT, s->kernel ?
			"the note has neither KERNELOFFSET nor a symbol that the vmlinux has" :
			"the note has no KERNELOFFSET: its symbols need a vmlinux to compare with");
	return KREL_OK;
}

const struct krel_anchor_ops krel_anchor_vmcoreinfo = {
	.name = name,
	.collect = collect,
};
