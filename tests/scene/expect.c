// SPDX-License-Identifier: GPL-2.0-or-later
/* What a scene expects of the answer, and what every answer must keep to. */
#include "scene.h"

#include <inttypes.h>
#include <string.h>

static bool same(struct world *w, const char *key, const char *want,
		 const char *found)
{
	if (strcmp(want, found) == 0)
		return true;
	return fail(w, "%s: expected %s, found %s", key, want, found);
}

static bool same_number(struct world *w, const char *key, const char *want,
			bool known, uint64_t v)
{
	uint64_t n;

	if (strcmp(want, "unknown") == 0)
		return !known || fail(w, "%s: expected unknown, found %" PRIx64,
				      key, v);
	if (!number(want, &n))
		return fail(w, "%s: expected a number, not %s", key, want);
	if (!known)
		return fail(w, "%s: expected %s, found unknown", key, want);
	return n == v ||
		fail(w, "%s: expected %s, found %" PRIx64, key, want, v);
}

static const char *yes_no(bool b)
{
	return b ? "yes" : "no";
}

static bool in_list(struct world *w, const char *what, const char *want,
		    const char (*list)[KREL_NOTE_LEN], unsigned int nr)
{
	if (strcmp(want, "none") == 0)
		return nr == 0 || fail(w, "%s: expected none, found \"%s\"",
				       what, list[0]);
	for (unsigned int i = 0; i < nr; i++)
		if (strstr(list[i], want))
			return true;
	return fail(w, "%s: expected \"%s\", found %s%s", what, want,
		    nr ? "\"" : "none", nr ? list[0] : "");
}

/* evidence ANCHOR STATUS [verified|unverified] [virt=] [phys_base=] [says=] */
static bool item_fits(struct world *w, struct line *l, int from,
		      const struct krel_evidence *ev)
{
	bool ok = strcmp(krel_status_name(ev->status), l->argv[from]) == 0;

	for (int i = from + 1; i < l->argc; i++) {
		const char *a = l->argv[i];
		const char *value = strchr(a, '=');
		struct world scratch = { .why = "" };

		if (strcmp(a, "verified") == 0)
			ok = ok && ev->verified;
		else if (strcmp(a, "unverified") == 0)
			ok = ok && !ev->verified;
		else if (strncmp(a, "virt=", 5) == 0)
			ok = ok && same_number(&scratch, "", value + 1,
				ev->virt_offset.known,
				(uint64_t)ev->virt_offset.v);
		else if (strncmp(a, "phys_base=", 10) == 0)
			ok = ok && same_number(&scratch, "", value + 1,
				ev->phys_base.known,
				(uint64_t)ev->phys_base.v);
		else if (strncmp(a, "says=", 5) == 0)
			ok = ok && strstr(ev->source, value + 1);
		else
			return fail(w, "evidence: what is %s?", a);
	}
	return ok;
}

static bool expect_evidence(struct world *w, struct line *l,
			    const struct krel_result *r)
{
	static const char *const names[][2] = {
		{ "vmcoreinfo", "vmcoreinfo" }, { "phdr", "program headers" },
		{ "pgtable", "page tables" }, { "idt", "IDT" },
		{ "probe", "probe" }, { "memnote", "note in memory" },
		{ "shape", "table shape" }, { "given-offset", "given: offset" },
		{ "given-note", "given: note" }, { "given-cr3", "given: CR3" },
		{ "given-kallsyms", "given: kallsyms" },
		{ "given-iomem", "given: iomem" },
		{ "given-dmesg", "given: dmesg" },
	};
	const char *name = NULL, *found = "nothing", *source = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (l->argc > 3 && strcmp(names[i][0], l->argv[2]) == 0)
			name = names[i][1];
	if (!name)
		return fail(w, "evidence: expected ANCHOR STATUS");
	for (unsigned int i = 0; i < r->nr_evidence; i++) {
		if (strcmp(r->evidence[i].anchor, name) != 0)
			continue;
		if (strcmp(l->argv[3], "none") != 0 &&
		    item_fits(w, l, 3, &r->evidence[i]))
			return true;
		found = krel_status_name(r->evidence[i].status);
		source = r->evidence[i].source;
	}
	if (strcmp(l->argv[3], "none") == 0 && strcmp(found, "nothing") == 0)
		return true;
	return fail(w, "evidence %s: expected \"%s\", found %s: %s", name,
		    strstr(l->rest, l->argv[3]), found, source);
}

static const char *status_word(enum krel_status st)
{
	return st == KREL_OK ? "ok" : st == KREL_INVALID ? "invalid" : "other";
}

static bool expect_value(struct world *w, const char *key, const char *want,
			 const struct krel_result *r, bool *known)
{
	const struct {
		const char *key;
		bool known;
		uint64_t v;
	} n[] = {
		{ "virt_offset", r->virt_offset.known,
		  (uint64_t)r->virt_offset.v },
		{ "phys_base", r->phys_base.known, (uint64_t)r->phys_base.v },
		{ "text_link", r->text_link.known, r->text_link.v },
		{ "text_run", r->text_run.known, r->text_run.v },
		{ "text_phys", r->text_phys.known, r->text_phys.v },
		{ "levels", true, r->paging.levels },
		{ "exit", true, (uint64_t)krel_report_exit(r) },
	};

	for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++)
		if (strcmp(n[i].key, key) == 0) {
			*known = true;
			return same_number(w, key, want, n[i].known, n[i].v);
		}
	return true;
}

static bool expect_word(struct world *w, const char *key, const char *want,
			const struct krel_result *r)
{
	const struct {
		const char *key, *found;
	} t[] = {
		{ "outcome", krel_outcome_name(r->outcome) },
		{ "virt_status", krel_report_status(&r->virt_offset,
						    r->virt_verified) },
		{ "phys_status", krel_report_status(&r->phys_base,
						    r->phys_verified) },
		{ "match", krel_match_name(r->match) },
		{ "mismatch", yes_no(r->mismatch) },
		{ "pae", yes_no(r->paging.pae) },
		{ "pti", r->paging.pti_known ? yes_no(r->paging.pti) :
			"unknown" },
		{ "state", r->state },
		{ "arch", krel_arch_name(r->arch) },
		{ "release", r->image.release },
		{ "banner", r->image.banner },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (strcmp(t[i].key, key) == 0)
			return same(w, key, want, t[i].found);
	return fail(w, "expect: unknown key %s", key);
}

bool expect_line(struct world *w, struct line *l, const struct answer *a)
{
	const char *key = l->argc > 2 ? l->argv[1] : "nothing";
	const char *want = l->argc > 2 ? strstr(l->rest + strlen(key),
						l->argv[2]) : "";
	bool known = false, ok;

	if (strcmp(key, "status") == 0)
		return same(w, key, want, status_word(a->status));
	if (a->status != KREL_OK)
		return fail(w, "solve: expected an answer, found status %d",
			    a->status);
	if (strcmp(key, "evidence") == 0)
		return expect_evidence(w, l, &a->r);
	if (strcmp(key, "warning") == 0)
		return in_list(w, key, want, a->r.warning, a->r.nr_warnings);
	if (strcmp(key, "missing") == 0)
		return in_list(w, key, want, a->r.missing, a->r.nr_missing);
	ok = expect_value(w, key, want, &a->r, &known);
	return known ? ok : expect_word(w, key, want, &a->r);
}

/*
 * Whatever a scene expects: nothing verified may differ from the truth, a
 * mismatch or a conflict gives no value, and exit 0 means all is verified.
 */
bool expect_rules(struct world *w, const struct answer *a)
{
	const struct krel_result *r = &a->r;
	bool is64 = r->arch == KREL_ARCH_X86_64;

	if (a->status != KREL_OK)
		return true;
	if (r->virt_offset.known && r->virt_verified &&
	    (!w->has_truth || r->virt_offset.v != w->truth.virt))
		return fail(w, "rule: a wrong offset is called verified");
	if (r->phys_base.known && r->phys_verified &&
	    (!w->has_truth || r->phys_base.v != w->truth.phys_base))
		return fail(w, "rule: a wrong phys_base is called verified");
	if ((r->mismatch || r->outcome == KREL_OUTCOME_CONFLICT) &&
	    (r->virt_offset.known || r->phys_base.known))
		return fail(w, "rule: a value in spite of %s",
			    r->mismatch ? "a mismatch" : "a conflict");
	if (krel_report_exit(r) == KREL_EXIT_OK &&
	    (!r->virt_offset.known || !r->virt_verified ||
	     (is64 && !(r->phys_base.known && r->phys_verified))))
		return fail(w, "rule: exit 0 without a verified answer");
	if (!is64 && r->phys_base.known)
		return fail(w, "rule: phys_base on x86-32");
	return true;
}
