// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The probe over physical memory: the build-id note (else the banner) is
 * looked for at each place where a relocatable kernel may have put it. Needs
 * neither note nor registers. Kernels are placed at multiples of their
 * alignment: 2 MiB on x86-64; a choice of the configuration on x86-32, so the
 * common ones are tried first and the smallest possible last.
 *
 * On x86-64 the place gives virtual offset + phys_base; the kernel's own
 * variable phys_base tells them apart.
 */
#include "anchor.h"

#include "bytes.h"
#include "error.h"

static const char name[] = "probe";

#define MAX_HITS	8	/* reported; a copy of the identity is no kernel */
#define COMMON_STRIDE	UINT64_C(0x200000)
#define POLL_EVERY	64	/* a place may be a slow read */

/* CONFIG_PHYSICAL_ALIGN is 16 MiB in Debian's i386, 2 MiB by default. */
static const uint64_t strides_32[] = { 0x1000000, 0x200000, 0x2000, 0 };
static const uint64_t strides_64[] = { 0x200000, 0 };

struct probe {
	const struct krel_scene *s;
	struct krel_evidence_list *out;
	uint64_t text;		/* link-time _text */
	uint64_t ahead;		/* from _text to what is looked for */
	uint64_t probed, hits;
	uint64_t borne_out;	/* hits that are kernels */
	bool filtered, unreadable;
};

/*
 * Copies of a kernel, in a page cache or left by an earlier boot, must not
 * end the search for the one that ran: is this hit it?
 */
static bool is_kernel(const struct krel_scene *s,
		      const struct krel_evidence *ev)
{
	struct krel_candidate c = { ev->virt_offset.v, ev->phys_base.v };
	char why[KREL_NOTE_LEN];
	enum krel_match match;

	return krel_evidence_claims(ev) &&
		krel_confirm(s, &c, &match, why) == KREL_OK;
}

static struct krel_evidence *add_hit(struct probe *p, uint64_t pa,
				     int64_t disp)
{
	const struct krel_scene *s = p->s;
	struct krel_evidence *ev;
	int64_t phys_base = 0;
	enum krel_status st = KREL_OK;

	if (s->target->has_phys_base)
		st = krel_place_phys_base(s, disp, &phys_base);
	ev = krel_evidence_add(p->out, name, st, st == KREL_OK ?
		"the kernel's identity found for _text at physical 0x%llx" :
		"the kernel's identity found for _text at physical 0x%llx, but its variable phys_base cannot be read",
		(unsigned long long)pa);
	ev->link = krel_u64(p->text);
	ev->phys = krel_u64(pa);
	if (st != KREL_OK)
		return ev;
	ev->virt_offset = krel_s64((int64_t)((uint64_t)disp -
					     (uint64_t)phys_base));
	if (s->target->has_phys_base)
		ev->phys_base = krel_s64(phys_base);
	ev->run = krel_u64(krel_target_run_va(s->target, p->text,
					      ev->virt_offset.v));
	if (!krel_target_plausible(s->target, ev->virt_offset.v))
		ev->status = KREL_CONTRADICTS;
	return ev;
}

/* The identity is at this place. Beyond MAX_HITS only a kernel is kept. */
static void take_hit(struct probe *p, uint64_t pa, int64_t disp)
{
	const struct krel_evidence *ev = add_hit(p, pa, disp);

	if (is_kernel(p->s, ev))
		p->borne_out++;
	else if (p->hits >= MAX_HITS)
		p->out->nr--;
	p->hits++;
}

/* One place for _text. */
static enum krel_status probe_at(struct probe *p, uint64_t pa)
{
	int64_t disp = (int64_t)(pa - (p->text -
				       krel_kernel_map_base(p->s->kernel)));
	enum krel_status st;

	if (p->probed++ % POLL_EVERY == 0 && krel_scene_interrupted(p->s))
		return KREL_INTERRUPTED;
	st = krel_place_check(p->s, disp, NULL);
	if (st == KREL_OK)
		take_hit(p, pa, disp);
	else if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
		return st;
	p->filtered = p->filtered || st == KREL_FILTERED;
	p->unreadable = p->unreadable || st == KREL_UNREADABLE ||
		st == KREL_CORRUPT;
	return KREL_OK;
}

/*
 * Each multiple of @stride whose identity would lie in the image, but for
 * those of @done, a multiple of it that was tried before; 0: none was.
 */
static enum krel_status probe_stride(struct probe *p, uint64_t stride,
				     uint64_t done)
{
	/* x86-32 runs from its direct map: no higher than that reaches. */
	uint64_t limit = p->s->target->word_bytes == 4 ?
		p->s->target->map_end - krel_kernel_map_base(p->s->kernel) :
		UINT64_MAX;
	uint64_t pa = 0;

	while (p->borne_out < MAX_HITS && pa < limit) {
		enum krel_status st = KREL_OK;
		struct krel_range r;

		/* Skip what the image lacks: holes cost nothing. */
		st = krel_image_next(p->s->image, pa + p->ahead, &r);
		if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
			return st;
		if (st != KREL_OK)
			return KREL_OK;
		if (r.pa > pa + p->ahead) {
			uint64_t up = krel_align_up(r.pa - p->ahead, stride);

			if (up > pa) {
				pa = up;
				continue;
			}
		}
		if (done == 0 || pa % done != 0)
			st = probe_at(p, pa);
		if (st != KREL_OK)
			return st;
		if (pa > UINT64_MAX - stride - p->ahead)
			return KREL_OK;
		pa += stride;
	}
	return KREL_OK;
}

static bool locate(struct probe *p)
{
	const struct krel_id_note *id = krel_kernel_id_note(p->s->kernel);
	uint64_t at = id->link_va;

	if (!krel_kernel_sym(p->s->kernel, KREL_SYM_TEXT, &p->text))
		return false;
	if (id->len == 0 &&
	    !krel_kernel_sym(p->s->kernel, KREL_SYM_BANNER, &at))
		return false;
	if (at < p->text)
		return false;
	p->ahead = at - p->text;
	return true;
}

static void report_none(const struct probe *p)
{
	enum krel_status st = p->filtered ? KREL_FILTERED :
		p->unreadable ? KREL_UNREADABLE : KREL_ABSENT;

	krel_evidence_add(p->out, name, st,
			  "the kernel's identity is at none of %llu places%s",
			  (unsigned long long)p->probed,
			  p->filtered ? "; some were filtered out" :
			  p->unreadable ? "; some could not be read" : "");
}

static enum krel_status collect(const struct krel_scene *s,
				struct krel_evidence_list *out,
				struct krel_error *err)
{
	const uint64_t *stride = s->target->word_bytes == 4 ? strides_32 :
		strides_64;
	struct probe p = { .s = s, .out = out };
	uint64_t done = 0;

	if (!s->kernel || !locate(&p)) {
		krel_evidence_add(out, name, KREL_ABSENT, s->kernel ?
			"the vmlinux has neither a build-id nor a banner" :
			"needs a vmlinux or System.map");
		return KREL_OK;
	}
	/*
	 * A kernel found on a coarse stride may be a leftover: the common
	 * strides are searched to their end. Only the finest, which costs,
	 * is for when there is none.
	 */
	for (; *stride && (*stride >= COMMON_STRIDE || p.borne_out == 0);
	     done = *stride++) {
		enum krel_status st = probe_stride(&p, *stride, done);

		if (st != KREL_OK)
			return krel_error_prepend(err, st, "probe");
	}
	if (p.hits == 0)
		report_none(&p);
	return KREL_OK;
}

const struct krel_anchor_ops krel_anchor_probe = {
	.name = name,
	.expensive = true,
	.collect = collect,
};
