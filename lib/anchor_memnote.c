// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The VMCOREINFO note as the kernel keeps it in its own memory: a page-aligned
 * ELF note, made at boot (CONFIG_CRASH_CORE). It needs neither the dump's
 * headers nor a vmlinux, but notes of an earlier boot survive a warm reboot
 * or kexec: each is a claim of its own, and only what memory bears out stays.
 */
#include "anchor.h"

static const char name[] = "note in memory";

static void claim_at(const struct krel_scene *s, uint64_t pa,
		     struct krel_evidence_list *out)
{
	uint8_t buf[KREL_NOTE_PAGES * KREL_PAGE_SIZE];
	struct krel_vmcoreinfo vi;
	char where[64];

	if (krel_note_at(s->image, pa, buf, &vi) != KREL_OK)
		return;
	snprintf(where, sizeof(where), "VMCOREINFO at physical 0x%llx",
		 (unsigned long long)pa);
	krel_anchor_claim_note(s, &vi, name, where, out);
}

static enum krel_status collect(const struct krel_scene *s,
				struct krel_evidence_list *out,
				struct krel_error *err)
{
	const struct krel_scan *scan = s->scan;
	enum krel_status st;

	(void)err;
	st = krel_scan_identity(s->image, s->opts, s->scan);
	if (st != KREL_OK)
		return st;
	for (unsigned int i = 0; i < scan->places; i++)
		claim_at(s, scan->note_pa[i], out);
	if (scan->notes == 0)
		krel_evidence_add(out, name, KREL_ABSENT,
				  "no page of the image begins with a VMCOREINFO note");
	return KREL_OK;
}

const struct krel_anchor_ops krel_anchor_memnote = {
	.name = name,
	.expensive = true,
	.collect = collect,
};
