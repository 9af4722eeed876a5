// SPDX-License-Identifier: GPL-2.0-or-later
#include "answer.h"

#include <stdarg.h>
#include <string.h>

#include "error.h"
#include "verdict.h"

static void add_text(char text[][KREL_NOTE_LEN], unsigned int *nr,
		     const char *fmt, va_list ap)
{
	if (*nr == KREL_NOTE_MAX)
		return;
	vsnprintf(text[*nr], KREL_NOTE_LEN, fmt, ap);
	krel_text_sanitize(text[(*nr)++]);
}

__attribute__((format(printf, 2, 3)))
static void warn(struct krel_result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(r->warning, &r->nr_warnings, fmt, ap);
	va_end(ap);
}

void krel_answer_missing(struct krel_result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(r->missing, &r->nr_missing, fmt, ap);
	va_end(ap);
}

bool krel_any_verified(const struct krel_evidence_list *list)
{
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->item[i].verified)
			return true;
	return false;
}

/* ---------------------------------------------------------- the parts */

static void read_image_identity(struct krel_session *s, int64_t disp)
{
	const struct krel_identity *want = krel_kernel_identity(s->scene.kernel);
	struct krel_identity *id = &s->r->image;
	size_t len;
	uint64_t va;

	/* What was compared and found equal is known to be the image's. */
	if (s->r->match == KREL_MATCH_BUILD_ID)
		id->build_id = want->build_id;
	if (!krel_kernel_sym(s->scene.kernel, KREL_SYM_BANNER, &va))
		return;
	len = krel_image_read_some(s->scene.image,
				   krel_scene_phys(&s->scene, va, disp),
				   id->banner, sizeof(id->banner) - 1);
	id->banner[len] = '\0';
	krel_banner_take(id);
}

static void fill_text(struct krel_session *s)
{
	struct krel_result *r = s->r;
	struct krel_candidate c = { r->virt_offset.v, r->phys_base.v };
	uint64_t text;

	if (!s->scene.kernel ||
	    !krel_kernel_sym(s->scene.kernel, KREL_SYM_TEXT, &text))
		return;
	r->text_link = krel_u64(text);
	if (!r->virt_offset.known)
		return;
	r->text_run = krel_u64(krel_target_run_va(s->scene.target, text,
						  c.virt_offset));
	if (!s->scene.target->has_phys_base || r->phys_base.known)
		r->text_phys = krel_u64(krel_scene_phys(&s->scene, text,
							krel_displacement(&c)));
}

/* Is an entry of the root at @root the same in the page behind it? */
static bool root_entry_shared(struct krel_session *s, uint64_t root,
			      uint64_t va, bool *shared)
{
	uint64_t at = (va >> 39 & 511) * 8;
	uint8_t kernel[8], user[8];

	if (krel_image_read(s->scene.image, root + at, kernel, 8, NULL) !=
	    KREL_OK ||
	    krel_image_read(s->scene.image, root + KREL_PAGE_SIZE + at, user,
			    8, NULL) != KREL_OK)
		return false;
	*shared = (kernel[0] & 1) && memcmp(kernel, user, 8) == 0;
	return true;
}

/*
 * PTI keeps two roots side by side; the user one shares the entry for the
 * CPU entry area (0xfffffe0000000000, since 4.15) with the kernel one, but
 * not that of the kernel's map. Without PTI two roots that happen to be
 * neighbours share both.
 */
static void find_pti(struct krel_session *s, const struct krel_cpu *cpu)
{
	uint64_t root = cpu->cr3 & UINT64_C(0x000fffffffffe000);
	bool area, map;

	if (s->scene.target->arch != KREL_ARCH_X86_64 ||
	    s->r->paging.levels != 4 ||
	    !root_entry_shared(s, root, UINT64_C(0xfffffe0000000000), &area) ||
	    !root_entry_shared(s, root, s->scene.target->map_base, &map))
		return;
	s->r->paging.pti_known = true;
	s->r->paging.pti = area && !map;
}

static void fill_paging(struct krel_session *s)
{
	const struct krel_image_facts *facts = &s->scene.image->facts;
	const struct krel_vmcoreinfo *vi = &s->scene.vmcoreinfo;
	struct krel_paging_facts *p = &s->r->paging;
	enum krel_paging_mode mode;
	char text[8];
	int64_t l5;

	for (size_t i = 0; i < facts->nr_cpus; i++) {
		if (krel_paging_mode_of(s->scene.target->arch, &facts->cpu[i],
					&mode) != KREL_OK)
			continue;
		p->levels = krel_paging_levels(mode);
		p->pae = mode != KREL_PAGING_2LEVEL;
		find_pti(s, &facts->cpu[i]);
		return;
	}
	if (s->scene.target->arch == KREL_ARCH_X86_64) {
		p->pae = true;
		if (krel_vmcoreinfo_number(vi, "pgtable_l5_enabled", &l5) ==
		    KREL_OK)
			p->levels = l5 ? 5 : 4;
	} else if (vi->text) {
		/* Stated since 2.6.26 when it is so. */
		p->pae = krel_vmcoreinfo_get(vi, "CONFIG_X86_PAE", text,
					     sizeof(text)) == KREL_OK;
		p->levels = p->pae ? 3 : 2;
	}
}

static void fill_verdict(struct krel_session *s)
{
	struct krel_result *r = s->r;
	struct krel_verdict v = krel_verdict_from(s->list.item, s->list.nr);

	r->outcome = v.outcome;
	r->virt_offset = v.virt_offset;
	r->virt_verified = v.virt_verified;
	r->phys_base = v.phys_base;
	r->phys_verified = v.phys_verified;
	r->nr_evidence = s->list.nr;
	memcpy(r->evidence, s->list.item, sizeof(r->evidence));
	if (v.outcome == KREL_OUTCOME_CONFLICT)
		warn(r, "the anchors disagree: none of their offsets is given as the answer");
}

/* ------------------------------------------- another kernel than vmlinux */

static bool differs(const struct krel_identity *dump,
		    const struct krel_identity *given)
{
	if (dump->build_id.len && given->build_id.len)
		return dump->build_id.len != given->build_id.len ||
			memcmp(dump->build_id.byte, given->build_id.byte,
			       dump->build_id.len) != 0;
	if (dump->banner[0] && given->banner[0])
		return strcmp(dump->banner, given->banner) != 0;
	return dump->release[0] && given->release[0] &&
		strcmp(dump->release, given->release) != 0;
}

enum krel_status krel_answer_scan(struct krel_image *img,
				  const struct krel_options *opts,
				  struct krel_scan *scan,
				  struct krel_result *r)
{
	enum krel_status st = krel_scan_identity(img, opts, scan);

	if (st != KREL_OK)
		return st;
	if (scan->others[0]) {
		if (!scan->told)
			warn(r, "the image holds more than one kernel: %s",
			     scan->others);
		scan->told = true;
		return KREL_OK;
	}
	if (r->arch == KREL_ARCH_UNKNOWN)
		r->arch = scan->arch;
	if (scan->id.release[0])
		r->image = scan->id;
	return KREL_OK;
}

void krel_answer_stated(const struct krel_image_facts *facts,
			struct krel_result *r)
{
	struct krel_vmcoreinfo vi = {
		facts->vmcoreinfo, facts->vmcoreinfo_len,
	};

	if (facts->vmcoreinfo)
		krel_identity_from_note(&vi, &r->image);
	if (!r->image.release[0])
		snprintf(r->image.release, sizeof(r->image.release), "%s",
			 facts->release);
	krel_text_sanitize(r->image.release);
}

/* The claims of such a pair mean nothing, so no value is given. */
static void set_mismatch(struct krel_result *r)
{
	r->mismatch = true;
	r->match = KREL_MATCH_NONE;
	r->virt_offset.known = false;
	r->phys_base.known = false;
}

/*
 * The note is the word of the kernel that was dumped. What memory still holds
 * of an earlier one (before a kexec) may fit the vmlinux; it is not the dump.
 */
static bool states_another(const struct krel_session *s)
{
	struct krel_identity id = { 0 };

	if (!s->scene.vmcoreinfo.text || !s->scene.kernel)
		return false;
	krel_identity_from_note(&s->scene.vmcoreinfo, &id);
	return differs(&id, &s->r->kernel);
}

/* Nothing was verified: is the vmlinux of another kernel? */
static enum krel_status look_for_mismatch(struct krel_session *s)
{
	struct krel_result *r = s->r;
	enum krel_status st = KREL_OK;

	if (!differs(&r->image, &r->kernel) && !r->image.build_id.len)
		st = krel_answer_scan(s->scene.image, s->scene.opts, &s->scan,
				      r);
	if (st == KREL_OK && differs(&r->image, &r->kernel))
		set_mismatch(r);
	return st;
}

static void list_missing(struct krel_session *s)
{
	const struct krel_image_facts *facts = &s->scene.image->facts;
	struct krel_result *r = s->r;

	if (!facts->format[0]) {
		krel_answer_missing(r, "a dump: nothing can be verified without one");
		return;
	}
	if (!facts->vmcoreinfo)
		krel_answer_missing(r, "VMCOREINFO note");
	if (facts->nr_cpus == 0)
		krel_answer_missing(r, "CPU control registers (QEMU notes)");
	if (!s->scene.kernel)
		krel_answer_missing(r, "vmlinux: nothing can be verified without one");
}

/* Say why an answer could not be verified: the first claim's own words. */
static void warn_unverified(struct krel_session *s)
{
	const struct krel_result *r = s->r;

	if (!s->scene.kernel || r->mismatch || !r->virt_offset.known ||
	    r->virt_verified)
		return;
	for (unsigned int i = 0; i < s->list.nr; i++) {
		const struct krel_evidence *ev = &s->list.item[i];

		if (!krel_evidence_claims(ev) || !ev->virt_offset.known)
			continue;
		warn(s->r, "not verified: %s: %s", ev->anchor, ev->source);
		return;
	}
}

/* The caller is told what became of each thing that was of no use. */
static void warn_given(struct krel_session *s)
{
	for (unsigned int i = 0; i < s->list.nr; i++) {
		const struct krel_evidence *ev = &s->list.item[i];

		if (krel_evidence_given(ev) && ev->status != KREL_OK)
			warn(s->r, "%s: %s", ev->anchor, ev->source);
	}
}

enum krel_status krel_answer_fill(struct krel_session *s)
{
	struct krel_result *r = s->r;
	struct krel_candidate c;
	enum krel_status st = KREL_OK;

	fill_verdict(s);
	krel_answer_stated(&s->scene.image->facts, r);
	/* What an anchor scanned anyway also names the kernel. */
	if (!r->image.release[0] && s->scan.done)
		st = krel_answer_scan(s->scene.image, s->scene.opts, &s->scan,
				      r);
	if (st != KREL_OK)
		return st;
	c = (struct krel_candidate){ r->virt_offset.v, r->phys_base.v };
	if (states_another(s)) {
		if (krel_any_verified(&s->list))
			warn(r, "the kernel of the vmlinux is in this memory too, left from an earlier boot");
		set_mismatch(r);
	} else if (r->virt_verified) {
		read_image_identity(s, krel_displacement(&c));
	} else if (s->scene.kernel && !krel_any_verified(&s->list)) {
		st = look_for_mismatch(s);
	}
	warn_unverified(s);
	warn_given(s);
	fill_text(s);
	fill_paging(s);
	list_missing(s);
	return st;
}
