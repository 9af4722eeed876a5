// SPDX-License-Identifier: GPL-2.0-or-later
/* The report's last line: crash's own numbers beside krel's. */
#include "session_line.h"

static bool judged(const struct krel_s64 *v, bool verified)
{
	return v->known && verified;
}

/*
 * x86-32 has no phys_base; what stands in its place is the start of the
 * kernel's map, which crash derives from symbols, and thus gets wrong with
 * them.
 */
static bool page_offset_wrong(const struct krel_crash_state *s,
			      const struct krel_result *r)
{
	return s->arch == KREL_ARCH_I386 && r->text_run.known &&
		r->text_phys.known &&
		r->text_run.v - r->text_phys.v != s->page_offset;
}

static const char *judge(const struct krel_crash_state *s,
			 const struct krel_result *r)
{
	if (r->mismatch)
		return "not compared, vmlinux is of another kernel";
	if (!r->virt_offset.known)
		return "not compared, krel found no offset";
	if (!judged(&r->virt_offset, r->virt_verified))
		return "not compared, krel's own answer is not verified";
	if (r->virt_offset.v != s->virt_offset)
		return "its symbols are wrong";
	if (page_offset_wrong(s, r))
		return "its page_offset is wrong";
	if (s->arch != KREL_ARCH_X86_64)
		return "agrees";
	if (!judged(&r->phys_base, r->phys_verified))
		return "offset agrees, phys_base not compared";
	return r->phys_base.v == s->phys_base ? "agrees" :
		"its phys_base is wrong";
}

char *krel_session_line(const struct krel_crash_state *s,
			const struct krel_result *r,
			char buf[static KREL_SESSION_LINE])
{
	char offset[24], place[48], base[24];

	if (s->arch == KREL_ARCH_X86_64)
		snprintf(place, sizeof(place), "phys_base %s",
			 krel_offset_text(s->phys_base, false, base));
	else
		snprintf(place, sizeof(place), "page_offset 0x%llx",
			 (unsigned long long)s->page_offset);
	snprintf(buf, KREL_SESSION_LINE, "SESSION  crash uses offset %s, %s: "
		 "%s", krel_offset_text(s->virt_offset, false, offset), place,
		 judge(s, r));
	return buf;
}
