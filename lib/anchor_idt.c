// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interrupt descriptor table that a CPU's IDTR points to: its gates hold
 * run-time addresses of handlers whose link-time ones the vmlinux knows. The
 * entry code is mapped in a PTI user half too, so any CR3 serves.
 */
#include "anchor.h"

static const char name[] = "IDT";

struct gate {
	uint64_t link, run, phys;
	bool has_phys;
	int64_t virt_offset;
};

static enum krel_status read_gate(const struct krel_scene *s,
				  const struct krel_cpu *cpu,
				  unsigned int vector, struct gate *g)
{
	unsigned int size = krel_gate_size(s->target);
	enum krel_status st;
	uint8_t raw[16];

	if (!krel_gate_symbol(s->kernel, vector, &g->link))
		return KREL_ABSENT;
	st = krel_walk_read(s->walk, cpu->idt_base + vector * size, raw, size);
	if (st != KREL_OK)
		return st;
	if (!krel_gate_handler(s->target, raw, &g->run))
		return KREL_ABSENT;
	g->virt_offset = krel_target_offset(s->target, g->run, g->link);
	g->has_phys = krel_walk_translate(s->walk, g->run, &g->phys) ==
		KREL_OK;
	return KREL_OK;
}

static void report(const struct krel_scene *s, const struct krel_cpu *cpu,
		   const struct gate *g, struct krel_evidence_list *out)
{
	struct krel_evidence *ev;

	ev = krel_evidence_add(out, name, KREL_OK,
			       "CPU %u, IDT 0x%llx, gates 0 and 14",
			       cpu->index,
			       (unsigned long long)cpu->idt_base);
	ev->virt_offset = krel_s64(g->virt_offset);
	ev->link = krel_u64(g->link);
	ev->run = krel_u64(g->run);
	if (!g->has_phys)
		return;
	ev->phys = krel_u64(g->phys);
	if (s->target->has_phys_base)
		ev->phys_base = krel_s64((int64_t)(g->phys - (g->run -
						s->target->map_base)));
}

/* KREL_OK when this CPU's table made a claim. */
static enum krel_status try_cpu(const struct krel_scene *s,
				const struct krel_cpu *cpu,
				struct krel_evidence_list *out)
{
	struct gate divide, fault;
	enum krel_paging_mode mode;
	enum krel_status st;

	st = krel_paging_mode_of(s->target->arch, cpu, &mode);
	if (st != KREL_OK)
		return st;
	krel_walk_init(s->walk, s->image, mode, cpu->cr3);
	st = read_gate(s, cpu, 0, &divide);
	if (st == KREL_OK)
		st = read_gate(s, cpu, 14, &fault);
	if (st != KREL_OK)
		return st;
	if (divide.virt_offset != fault.virt_offset ||
	    !krel_target_plausible(s->target, divide.virt_offset))
		return KREL_CONTRADICTS;
	report(s, cpu, &divide, out);
	return KREL_OK;
}

static enum krel_status collect(const struct krel_scene *s,
				struct krel_evidence_list *out,
				struct krel_error *err)
{
	const struct krel_image_facts *facts = &s->image->facts;
	enum krel_status st = KREL_ABSENT, last = KREL_ABSENT;

	(void)err;
	if (facts->nr_cpus == 0 || !s->kernel) {
		krel_evidence_add(out, name, KREL_ABSENT, facts->nr_cpus ?
			"needs a vmlinux to compare with" :
			"the dump carries no CPU registers");
		return KREL_OK;
	}
	/* All CPUs share one table, but not each could be read. */
	for (size_t i = 0; i < facts->nr_cpus && st != KREL_OK; i++) {
		st = try_cpu(s, &facts->cpu[i], out);
		if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
			return st;
		if (st != KREL_OK && last != KREL_CONTRADICTS)
			last = st;
	}
	if (st != KREL_OK)
		krel_evidence_add(out, name, last, last == KREL_CONTRADICTS ?
			"its gates do not point to the handlers of the vmlinux" :
			"no CPU's table could be read");
	return KREL_OK;
}

const struct krel_anchor_ops krel_anchor_idt = {
	.name = name,
	.collect = collect,
};
