// SPDX-License-Identifier: GPL-2.0-or-later
/* The answer for a person, and its words. */
#include <inttypes.h>
#include <string.h>

#include "krel.h"

enum krel_exit krel_report_exit(const struct krel_result *r)
{
	bool phys = r->arch != KREL_ARCH_X86_64 || r->phys_base.known;

	if (r->mismatch)
		return KREL_EXIT_MISMATCH;
	if (r->outcome == KREL_OUTCOME_CONFLICT)
		return KREL_EXIT_AMBIGUOUS;
	if (!r->virt_offset.known || !phys)
		return r->virt_offset.known ? KREL_EXIT_UNVERIFIED :
			KREL_EXIT_UNSOLVED;
	if (!r->virt_verified ||
	    (r->arch == KREL_ARCH_X86_64 && !r->phys_verified))
		return KREL_EXIT_UNVERIFIED;
	return KREL_EXIT_OK;
}

const char *krel_report_status(const struct krel_s64 *v, bool verified)
{
	if (!v->known)
		return "unknown";
	return verified ? "verified" : "unverified";
}

const char *krel_outcome_name(enum krel_outcome outcome)
{
	switch (outcome) {
	case KREL_OUTCOME_SINGLE:
		return "single";
	case KREL_OUTCOME_AGREED:
		return "agreed";
	case KREL_OUTCOME_CONFLICT:
		return "conflict";
	default:
		return "none";
	}
}

const char *krel_match_name(enum krel_match match)
{
	switch (match) {
	case KREL_MATCH_BUILD_ID:
		return "build-id";
	case KREL_MATCH_BANNER:
		return "banner";
	case KREL_MATCH_CONTENT:
		return "content";
	default:
		return "none";
	}
}

const char *krel_status_name(enum krel_status st)
{
	switch (st) {
	case KREL_OK:
		return "found";
	case KREL_ABSENT:
		return "absent";
	case KREL_FILTERED:
		return "filtered";
	case KREL_CORRUPT:
		return "corrupt";
	case KREL_CONTRADICTS:
		return "contradicts";
	default:
		return "unreadable";
	}
}

char *krel_offset_text(int64_t v, bool plus, char buf[static 24])
{
	/* Negate as unsigned: the smallest int64_t has no positive twin. */
	uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;

	snprintf(buf, 24, "%s0x%" PRIx64, v < 0 ? "-" : plus ? "+" : "", size);
	return buf;
}

char *krel_build_id_text(const struct krel_build_id *id,
			 char buf[static 2 * KREL_BUILD_ID_MAX + 1])
{
	buf[0] = '\0';
	for (unsigned int i = 0; i < id->len && i < KREL_BUILD_ID_MAX; i++)
		snprintf(buf + 2 * i, 3, "%02x", id->byte[i]);
	return buf;
}

static void put_dump(const struct krel_result *r, const char *name, FILE *out)
{
	fprintf(out, "DUMP     %s%s%s", name, r->format[0] ? ": " : "",
		r->format);
	if (r->format_detail[0])
		fprintf(out, " (%s)", r->format_detail);
	fprintf(out, ", %s", krel_arch_name(r->arch));
	if (r->arch == KREL_ARCH_I386 && r->paging.levels)
		fputs(r->paging.pae ? " PAE" : " 2-level", out);
	else if (r->paging.levels)
		fprintf(out, " %u-level", r->paging.levels);
	if (r->cpus)
		fprintf(out, ", %u CPU%s", r->cpus, r->cpus == 1 ? "" : "s");
	fputc('\n', out);
}

static void put_identity(const struct krel_identity *id, FILE *out)
{
	char hex[2 * KREL_BUILD_ID_MAX + 1];

	fputs(id->release[0] ? id->release : "release unknown", out);
	if (id->build_id.len)
		fprintf(out, ", build-id %s",
			krel_build_id_text(&id->build_id, hex));
}

static void put_kernel(const struct krel_result *r, FILE *out)
{
	const char *what = r->kernel_is_map ? "System.map" : "vmlinux";

	fputs("KERNEL   ", out);
	put_identity(&r->image, out);
	if (r->mismatch) {
		fprintf(out, "\n%-8s is another kernel: ", what);
		put_identity(&r->kernel, out);
	} else if (r->match != KREL_MATCH_NONE) {
		fprintf(out, ", %s matches (%s)", what,
			krel_match_name(r->match));
	} else if (r->kernel_given) {
		fprintf(out, ", %s not verified", what);
	}
	fputc('\n', out);
}

static void put_size(int64_t v, FILE *out)
{
	uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;

	if (size >= 1u << 20 && size % (1u << 20) == 0)
		fprintf(out, " (%s%" PRIu64 " MiB)", v < 0 ? "-" : "",
			size >> 20);
}

static void put_value(const char *label, const struct krel_s64 *v,
		      bool verified, FILE *out)
{
	char buf[24];

	fprintf(out, "%-8s ", label);
	if (!v->known) {
		fputs("unknown\n", out);
		return;
	}
	fputs(krel_offset_text(v->v, true, buf), out);
	put_size(v->v, out);
	fputs(verified ? ", verified\n" : ", UNVERIFIED\n", out);
}

static void put_address(const char *label, const struct krel_u64 *a,
			enum krel_arch arch, FILE *out)
{
	int digits = arch == KREL_ARCH_I386 ? 8 : 16;

	if (a->known)
		fprintf(out, "%s %0*" PRIx64, label, digits, a->v);
	else
		fprintf(out, "%s unknown", label);
}

static void put_text(const struct krel_result *r, FILE *out)
{
	if (!r->text_link.known)
		return;
	put_address("_text    link", &r->text_link, r->arch, out);
	put_address("  run", &r->text_run, r->arch, out);
	put_address("  physical", &r->text_phys, r->arch, out);
	fputc('\n', out);
}

/* The anchors that claimed something, each once. */
static void put_anchor_names(const struct krel_result *r, FILE *out)
{
	const char *last = NULL;
	bool first = true;

	for (unsigned int i = 0; i < r->nr_evidence; i++) {
		const struct krel_evidence *ev = &r->evidence[i];

		if (ev->status != KREL_OK ||
		    (!ev->virt_offset.known && !ev->phys_base.known) ||
		    (last && strcmp(last, ev->anchor) == 0))
			continue;
		last = ev->anchor;
		fprintf(out, "%s%s", first ? ": " : ", ", ev->anchor);
		if (!ev->virt_offset.known)
			fputs(" (phys_base only)", out);
		first = false;
	}
}

/* The numbers of one item on a line of their own; none when it has none. */
static void put_arithmetic(const struct krel_result *r,
			   const struct krel_evidence *ev, FILE *out)
{
	const struct krel_s64 *offset[] = { &ev->virt_offset, &ev->phys_base };
	const struct krel_u64 *place[] = { &ev->link, &ev->run, &ev->phys };
	static const char *const offset_name[] = { "offset", "phys_base" };
	static const char *const place_name[] = { "link", "run", "physical" };
	const char *before = "                 ";
	char buf[24];

	for (size_t i = 0; i < 2; i++) {
		if (!offset[i]->known)
			continue;
		fprintf(out, "%s%s %s", before, offset_name[i],
			krel_offset_text(offset[i]->v, true, buf));
		before = "  ";
	}
	for (size_t i = 0; i < 3; i++) {
		if (!place[i]->known)
			continue;
		fputs(before, out);
		put_address(place_name[i], place[i], r->arch, out);
		before = "  ";
	}
	if (before[2] == '\0')
		fputc('\n', out);
}

void krel_report_anchors(const struct krel_result *r, FILE *out)
{
	for (unsigned int i = 0; i < r->nr_evidence; i++) {
		const struct krel_evidence *ev = &r->evidence[i];

		fprintf(out, "  %-15s %s%s: %s\n", ev->anchor,
			krel_status_name(ev->status),
			ev->verified ? ", verified" : "", ev->source);
		put_arithmetic(r, ev, out);
	}
}

/* What to type next, where the answer is not the end. */
static void put_next(const struct krel_result *r, FILE *out)
{
	char hex[2 * KREL_BUILD_ID_MAX + 1];

	if (r->outcome == KREL_OUTCOME_CONFLICT) {
		fputs("NEXT     krel show --anchors tells who says what\n", out);
	} else if (r->mismatch || !r->kernel_given) {
		fputs("NEXT     give the vmlinux of this build with -s: ", out);
		if (r->image.build_id.len)
			fprintf(out, "debuginfod-find debuginfo %s, or ",
				krel_build_id_text(&r->image.build_id, hex));
		fprintf(out, "the debug package of %s\n",
			r->image.release[0] ? r->image.release : "its kernel");
	} else if (!r->virt_offset.known && r->format[0]) {
		fputs("NEXT     krel show --anchors tells what was tried; krel ident what the dump is\n",
		      out);
	}
}

void krel_report_text(const struct krel_result *r, const char *name,
		      FILE *out)
{
	put_dump(r, name, out);
	put_kernel(r, out);
	put_value("OFFSET", &r->virt_offset, r->virt_verified, out);
	if (r->arch == KREL_ARCH_X86_64)
		put_value("PHYSBASE", &r->phys_base, r->phys_verified, out);
	put_text(r, out);
	fprintf(out, "ANCHORS  %s", krel_outcome_name(r->outcome));
	put_anchor_names(r, out);
	fputc('\n', out);
	for (unsigned int i = 0; i < r->nr_warnings; i++)
		fprintf(out, "WARNING  %s\n", r->warning[i]);
	/* What would have helped is of no interest once it is solved. */
	for (unsigned int i = 0; i < r->nr_missing &&
	     krel_report_exit(r) != KREL_EXIT_OK; i++)
		fprintf(out, "MISSING  %s\n", r->missing[i]);
	put_next(r, out);
}
