// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * krel_solve() and krel_identify(): collect evidence, confirm it through the
 * image, and have the answer put together.
 */
#include <stdlib.h>
#include <string.h>

#include "anchor.h"
#include "answer.h"
#include "error.h"
#include "live.h"

/* ---------------------------------------------------- confirm the claims */

/*
 * A note is a statement, and so is the caller's word: it stays a claim even
 * when memory contradicts.
 */
static bool is_statement(const struct krel_evidence *ev)
{
	return strcmp(ev->anchor, krel_anchor_vmcoreinfo.name) == 0 ||
		krel_evidence_given(ev);
}

static void confirm_one(struct krel_session *s, struct krel_evidence *ev,
			const struct krel_candidate *c, bool pair_is_own)
{
	char why[KREL_NOTE_LEN];
	enum krel_match match;
	enum krel_status st = krel_confirm(&s->scene, c, &match, why);
	size_t used = strlen(ev->source);

	if (st == KREL_OK) {
		ev->verified = true;
		s->r->match = match;
		return;
	}
	if (!pair_is_own)
		return;
	snprintf(ev->source + used, sizeof(ev->source) - used, ": %s", why);
	if (st == KREL_CONTRADICTS && !is_statement(ev))
		ev->status = KREL_CONTRADICTS;
}

/* A claim without phys_base borrows it from each that has one. */
static void confirm_borrowed(struct krel_session *s, struct krel_evidence *ev)
{
	for (unsigned int j = 0; j < s->list.nr && !ev->verified; j++) {
		struct krel_evidence *other = &s->list.item[j];
		struct krel_candidate c = {
			ev->virt_offset.v, other->phys_base.v,
		};

		if (!krel_evidence_claims(other) || !other->phys_base.known)
			continue;
		confirm_one(s, ev, &c, false);
		/* The pair was borne out: so is the lender's half of it. */
		if (ev->verified && !other->virt_offset.known)
			other->verified = true;
	}
}

/* Each claim once; one that borrows again, as there may be more to borrow. */
static void confirm_claims(struct krel_session *s)
{
	for (unsigned int i = 0; i < s->list.nr; i++) {
		struct krel_evidence *ev = &s->list.item[i];
		struct krel_candidate c = {
			ev->virt_offset.v, ev->phys_base.v,
		};

		if (!krel_evidence_claims(ev) || !ev->virt_offset.known ||
		    ev->verified)
			continue;
		if (s->scene.target->has_phys_base && !ev->phys_base.known)
			confirm_borrowed(s, ev);
		else if (!s->judged[i])
			confirm_one(s, ev, &c, true);
		s->judged[i] = true;
	}
}

/*
 * A dump without a vmlinux is solved as far as it goes by any claim of its
 * own; what the caller said is to be compared with one.
 */
static bool enough(const struct krel_session *s)
{
	if (s->scene.kernel)
		return krel_any_verified(&s->list);
	for (unsigned int i = 0; i < s->list.nr; i++)
		if (krel_evidence_claims(&s->list.item[i]) &&
		    !krel_evidence_given(&s->list.item[i]) &&
		    s->list.item[i].virt_offset.known)
			return true;
	return false;
}

/*
 * An x86-32 kernel prints how far KASLR moved it, which is not all that may
 * have: without memory or another claim beside it, it is no claim.
 */
static void distrust_dmesg(struct krel_session *s)
{
	struct krel_evidence *own = NULL;
	size_t used;

	for (unsigned int i = 0; i < s->list.nr; i++)
		if (strcmp(s->list.item[i].anchor,
			   krel_anchor_dmesg_name) == 0)
			own = &s->list.item[i];
	if (!own || s->scene.target->has_phys_base || own->verified ||
	    !krel_evidence_claims(own))
		return;
	for (unsigned int i = 0; i < s->list.nr; i++) {
		const struct krel_evidence *ev = &s->list.item[i];

		if (ev != own && krel_evidence_claims(ev) &&
		    ev->virt_offset.known &&
		    ev->virt_offset.v == own->virt_offset.v)
			return;
	}
	own->status = KREL_ABSENT;
	used = strlen(own->source);
	snprintf(own->source + used, sizeof(own->source) - used,
		 ": not trusted alone on x86-32");
}

static enum krel_status collect(struct krel_session *s, struct krel_error *err)
{
	const struct krel_options *opts = s->scene.opts;
	bool all = opts && opts->all_anchors;
	const struct krel_anchor_ops *anchor;

	for (size_t i = 0; (anchor = krel_anchor_at(i)); i++) {
		enum krel_status st;

		if (anchor->expensive && enough(s) && !all)
			continue;
		st = anchor->collect(&s->scene, &s->list, err);
		if (st != KREL_OK)
			return st;
		/* Without a dump (no format) nothing can bear a claim out. */
		if (s->scene.kernel && s->scene.image->facts.format[0])
			confirm_claims(s);
		/* A read that was broken off looks like an unreadable one. */
		if (krel_scene_interrupted(&s->scene))
			return krel_error_set(err, KREL_INTERRUPTED,
					      "interrupted");
	}
	return KREL_OK;
}

/* --------------------------------------------------------------- entry */

/* The panicking kernel adds CRASHTIME to its note (since 2.6.29). */
static const char *state_of(const struct krel_image_facts *facts,
			    const struct krel_vmcoreinfo *vi)
{
	char text[32];

	if (krel_vmcoreinfo_get(vi, "CRASHTIME", text, sizeof(text)) ==
	    KREL_OK)
		return "crashed";
	return facts->nr_cpus > 0 ? "running" : "unknown";
}

static void base_facts(const struct krel_image *img, struct krel_result *r)
{
	const struct krel_image_facts *facts = &img->facts;
	struct krel_vmcoreinfo vi = {
		facts->vmcoreinfo, facts->vmcoreinfo_len,
	};

	memset(r, 0, sizeof(*r));
	r->arch = facts->arch;
	memcpy(r->format, facts->format, sizeof(r->format));
	memcpy(r->format_detail, facts->detail, sizeof(r->format_detail));
	r->cpus = facts->ncpus;
	r->has_vmcoreinfo = facts->vmcoreinfo != NULL;
	r->state = state_of(facts, &vi);
	if (r->arch == KREL_ARCH_UNKNOWN && facts->vmcoreinfo)
		r->arch = krel_vmcoreinfo_arch(&vi);
}

static enum krel_status set_arch(struct krel_result *r,
				 const struct krel_kernel *kernel,
				 struct krel_error *err)
{
	enum krel_arch arch;

	if (!kernel)
		return KREL_OK;
	arch = krel_kernel_arch(kernel);
	if (r->arch == KREL_ARCH_UNKNOWN)
		r->arch = arch;
	if (r->arch != arch)
		return krel_error_set(err, KREL_INVALID,
			"%s: expected a kernel of %s like the dump, found one of %s",
			krel_kernel_path(kernel), krel_arch_name(r->arch),
			krel_arch_name(arch));
	r->kernel_given = true;
	r->kernel_is_map = krel_kernel_is_map(kernel);
	r->kernel = *krel_kernel_identity(kernel);
	return KREL_OK;
}

/* The arch, when neither the image nor a kernel tells it. */
static enum krel_arch arch_of_given(const struct krel_given *g)
{
	const struct krel_vmcoreinfo vi = {
		g->vmcoreinfo.text, g->vmcoreinfo.len,
	};

	enum krel_arch arch = krel_vmcoreinfo_arch(&vi);

	return arch != KREL_ARCH_UNKNOWN ? arch :
		krel_live_kallsyms_arch(&g->kallsyms);
}

static enum krel_status run(struct krel_session *s, struct krel_error *err)
{
	const struct krel_image_facts *facts = &s->scene.image->facts;
	enum krel_status st;

	s->scene.target = krel_target_of(s->r->arch);
	s->scene.vmcoreinfo.text = facts->vmcoreinfo;
	s->scene.vmcoreinfo.len = facts->vmcoreinfo_len;
	s->scene.walk = &s->walk;
	s->scene.scan = &s->scan;
	st = collect(s, err);
	distrust_dmesg(s);
	return st == KREL_OK ? krel_answer_fill(s) : st;
}

enum krel_status krel_solve(struct krel_image *img,
			    const struct krel_kernel *kernel,
			    const struct krel_options *opts,
			    struct krel_result *out, struct krel_error *err)
{
	struct krel_result *r = malloc(sizeof(*r));
	struct krel_session *s = calloc(1, sizeof(*s));
	enum krel_status st = KREL_NOMEM;

	if (!r || !s) {
		krel_error_set(err, st, "out of memory");
		goto out;
	}
	base_facts(img, r);
	st = set_arch(r, kernel, err);
	if (r->arch == KREL_ARCH_UNKNOWN && opts && opts->given)
		r->arch = arch_of_given(opts->given);
	if (st == KREL_OK && r->arch == KREL_ARCH_UNKNOWN)
		st = krel_answer_scan(img, opts, &s->scan, r);
	if (st != KREL_OK)
		goto out;
	s->scene.image = img;
	s->scene.kernel = kernel;
	s->scene.opts = opts;
	s->r = r;
	if (r->arch != KREL_ARCH_UNKNOWN)
		st = run(s, err);
	else
		krel_answer_missing(r, "anything that tells a kernel");
	r->bytes_read = krel_image_bytes_read(img);
	if (st == KREL_OK)
		*out = *r;
out:
	free(s);
	free(r);
	return st;
}

enum krel_status krel_identify(struct krel_image *img,
			       const struct krel_options *opts,
			       struct krel_result *out,
			       struct krel_error *err)
{
	struct krel_result *r = malloc(sizeof(*r));
	struct krel_scan scan = { 0 };
	enum krel_status st = KREL_OK;

	if (!r)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	base_facts(img, r);
	krel_answer_stated(&img->facts, r);
	if (!r->image.release[0] || r->arch == KREL_ARCH_UNKNOWN)
		st = krel_answer_scan(img, opts, &scan, r);
	r->bytes_read = krel_image_bytes_read(img);
	if (st == KREL_OK)
		*out = *r;
	free(r);
	return st;
}
