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
				   const struct krel_vmcoreinfo *vi,
				   struct symbol_offset *out)
{
	for (size_t i = 0; i < sizeof(stated) / sizeof(stated[0]); i++) {
		uint64_t run, link;
		int64_t off;

		if (krel_vmcoreinfo_symbol(vi, stated[i].name, &run) !=
		    KREL_OK ||
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

/* What is being claimed, and how. */
struct claim {
	const struct krel_vmcoreinfo *vi;
	const char *anchor, *where, *how;
	struct symbol_offset sym;
	int64_t virt_offset;
};

static void add_claim(const struct krel_scene *s, const struct claim *c,
		      struct krel_evidence_list *out)
{
	struct krel_evidence *ev;
	int64_t phys_base;
	uint64_t run;

	ev = krel_evidence_add(out, c->anchor, KREL_OK, "%s %s", c->where,
			       c->how);
	ev->virt_offset = krel_s64(c->virt_offset);
	if (c->sym.known) {
		ev->link = krel_u64(c->sym.link);
		ev->run = krel_u64(c->sym.run);
	} else if (krel_vmcoreinfo_symbol(c->vi, "_stext", &run) == KREL_OK) {
		ev->run = krel_u64(run);
		ev->link = krel_u64(run - (uint64_t)c->virt_offset);
	}
	if (!s->target->has_phys_base && s->kernel && ev->run.known)
		ev->phys = krel_u64(ev->run.v -
				    krel_kernel_map_base(s->kernel));
	if (s->target->has_phys_base &&
	    krel_vmcoreinfo_number(c->vi, "phys_base", &phys_base) ==
	    KREL_OK) {
		ev->phys_base = krel_s64(phys_base);
		if (ev->run.known)
			ev->phys = krel_u64(ev->run.v - s->target->map_base +
					    (uint64_t)phys_base);
	}
}

static void add_kerneloffset(const struct krel_scene *s, struct claim *c,
			     uint64_t koffset, struct krel_evidence_list *out)
{
	if (c->sym.known && c->sym.virt_offset != (int64_t)koffset) {
		krel_evidence_add(out, c->anchor, KREL_CONTRADICTS,
			"%s KERNELOFFSET is 0x%llx, but %s minus that of the vmlinux is 0x%llx: another kernel",
			c->where, (unsigned long long)koffset, c->sym.of,
			(unsigned long long)c->sym.virt_offset);
		return;
	}
	c->virt_offset = (int64_t)koffset;
	c->how = "KERNELOFFSET";
	add_claim(s, c, out);
}

void krel_anchor_claim_note(const struct krel_scene *s,
			    const struct krel_vmcoreinfo *vi,
			    const char *anchor, const char *where,
			    struct krel_evidence_list *out)
{
	struct claim c = { .vi = vi, .anchor = anchor, .where = where };
	uint64_t koffset;

	if (s->kernel && by_symbols(s, vi, &c.sym) == KREL_CONTRADICTS) {
		krel_evidence_add(out, anchor, KREL_CONTRADICTS,
			"%s: its symbols minus those of the vmlinux do not give one offset: another kernel",
			where);
	} else if (s->target->has_phys_base &&
		   krel_vmcoreinfo_hex(vi, "KERNELOFFSET", &koffset) ==
		   KREL_OK) {
		add_kerneloffset(s, &c, koffset, out);
	} else if (c.sym.known) {
		c.virt_offset = c.sym.virt_offset;
		c.how = c.sym.of;
		add_claim(s, &c, out);
	} else {
		krel_evidence_add(out, anchor, KREL_ABSENT, s->kernel ?
			"%s has neither KERNELOFFSET nor a symbol that the vmlinux has" :
			"%s has no KERNELOFFSET: its symbols need a vmlinux to compare with",
			where);
	}
}

static enum krel_status collect(const struct krel_scene *s,
				struct krel_evidence_list *out,
				struct krel_error *err)
{
	(void)err;
	if (s->vmcoreinfo.text)
		krel_anchor_claim_note(s, &s->vmcoreinfo, name, "VMCOREINFO",
				       out);
	else
		krel_evidence_add(out, name, KREL_ABSENT,
				  "the dump carries no VMCOREINFO note");
	return KREL_OK;
}

const struct krel_anchor_ops krel_anchor_vmcoreinfo = {
	.name = name,
	.collect = collect,
};
