// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules of the verdict, and the lists it judges: target, evidence. */
#include "bytes_out.h"
#include "target.h"
#include "verdict.h"

static struct krel_evidence says(const char *anchor, int64_t virt,
				 bool verified)
{
	return (struct krel_evidence){
		.anchor = anchor, .status = KREL_OK, .verified = verified,
		.virt_offset = { true, virt },
	};
}

static struct krel_evidence with_phys(struct krel_evidence ev, int64_t base)
{
	ev.phys_base = krel_s64(base);
	return ev;
}

static void nothing_is_none(void **state)
{
	struct krel_evidence ev = { .anchor = "a", .status = KREL_ABSENT };
	struct krel_verdict v = krel_verdict_from(NULL, 0);

	(void)state;
	assert_int_equal(v.outcome, KREL_OUTCOME_NONE);
	assert_false(v.virt_offset.known);
	/* Numbers of an anchor that failed are not claims. */
	ev.virt_offset = krel_s64(5);
	v = krel_verdict_from(&ev, 1);
	assert_int_equal(v.outcome, KREL_OUTCOME_NONE);
	assert_false(v.virt_offset.known);
}

/* Zero is a value, never "unknown". */
static void zero_is_a_value(void **state)
{
	struct krel_evidence ev[] = {
		with_phys(says("a", 0, true), 0), says("b", 0, false),
	};
	struct krel_verdict v = krel_verdict_from(ev, 1);

	(void)state;
	assert_int_equal(v.outcome, KREL_OUTCOME_SINGLE);
	assert_true(v.virt_offset.known);
	assert_int_equal(v.virt_offset.v, 0);
	assert_true(v.phys_base.known);
	v = krel_verdict_from(ev, 2);
	assert_int_equal(v.outcome, KREL_OUTCOME_AGREED);
	ev[1] = says("b", 0x200000, false);
	assert_int_equal(krel_verdict_from(ev, 2).outcome,
			 KREL_OUTCOME_CONFLICT);
}

/* A dissenting anchor is reported, never outvoted. */
static void dissent_is_conflict(void **state)
{
	const struct krel_evidence ev[] = {
		says("idt", 0x1e000000, true),
		says("pgtable", 0x1e000000, true),
		says("banner", 0x1e200000, false),
	};
	struct krel_verdict v = krel_verdict_from(ev, 3);

	(void)state;
	assert_int_equal(v.outcome, KREL_OUTCOME_CONFLICT);
	assert_false(v.virt_offset.known);
	assert_false(v.virt_verified);
	assert_int_equal(krel_verdict_from(ev, 2).outcome,
			 KREL_OUTCOME_AGREED);
}

static void dissent_about_phys_base_is_conflict(void **state)
{
	const struct krel_evidence ev[] = {
		with_phys(says("a", 0x1000000, true), 0x200000),
		with_phys(says("b", 0x1000000, true), 0),
	};
	struct krel_verdict v = krel_verdict_from(ev, 2);

	(void)state;
	assert_int_equal(v.outcome, KREL_OUTCOME_CONFLICT);
	assert_false(v.phys_base.known);
	assert_false(v.virt_offset.known);
}

/* Two items of one anchor are one vote: two CPUs share their tables. */
static void one_anchor_is_one_vote(void **state)
{
	const struct krel_evidence ev[] = {
		says("pgtable", 1, false), says("pgtable", 1, false),
		says("idt", 1, false),
	};

	(void)state;
	assert_int_equal(krel_verdict_from(ev, 2).outcome,
			 KREL_OUTCOME_SINGLE);
	assert_int_equal(krel_verdict_from(ev, 3).outcome,
			 KREL_OUTCOME_AGREED);
}

static void one_anchor_against_itself_is_conflict(void **state)
{
	const struct krel_evidence ev[] = {
		says("probe", 1, true), says("probe", 2, true),
	};

	(void)state;
	assert_int_equal(krel_verdict_from(ev, 2).outcome,
			 KREL_OUTCOME_CONFLICT);
}

/* phys_base alone is an answer to one question, not a vote on the other. */
static void phys_base_alone_is_no_vote(void **state)
{
	struct krel_evidence ev[2] = {
		{ .anchor = "phdr", .status = KREL_OK }, says("a", 4, false),
	};
	struct krel_verdict v;

	(void)state;
	ev[0].phys_base = krel_s64(0);
	v = krel_verdict_from(ev, 1);
	assert_int_equal(v.outcome, KREL_OUTCOME_NONE);
	assert_true(v.phys_base.known);
	assert_false(v.virt_offset.known);
	v = krel_verdict_from(ev, 2);
	assert_int_equal(v.outcome, KREL_OUTCOME_SINGLE);
	assert_int_equal(v.virt_offset.v, 4);
}

/* A verified claim vouches for its own numbers only. */
static void verified_by_what_it_said(void **state)
{
	struct krel_evidence ev[2] = {
		{ .anchor = "phdr", .status = KREL_OK }, says("a", 4, true),
	};
	struct krel_verdict v;

	(void)state;
	ev[0].phys_base = krel_s64(0x100000);
	v = krel_verdict_from(ev, 2);
	assert_true(v.virt_verified);
	assert_false(v.phys_verified);
	ev[0].verified = true;
	assert_true(krel_verdict_from(ev, 2).phys_verified);
}

/* ------------------------------------------------------------- evidence */

static void list_is_bounded(void **state)
{
	struct krel_evidence_list *l = calloc(1, sizeof(*l));
	char longer[2 * KREL_NOTE_LEN];
	struct krel_evidence *ev;

	(void)state;
	assert_non_null(l);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	for (unsigned int i = 0; i < 3 * KREL_EVIDENCE_MAX; i++) {
		ev = krel_evidence_add(l, "a", KREL_OK, "%u\n", i);
		assert_non_null(ev);
		assert_false(ev->virt_offset.known);
		ev->virt_offset = krel_s64(i);
	}
	assert_int_equal(l->nr, KREL_EVIDENCE_MAX);
	assert_string_equal(l->item[0].source, "0?");
	assert_int_equal(l->item[0].virt_offset.v, 0);
	ev = krel_evidence_add(l, "b", KREL_ABSENT, "%s", longer);
	assert_int_equal(strlen(ev->source), KREL_NOTE_LEN - 1);
	assert_false(krel_evidence_claims(ev));
	free(l);
}

/* --------------------------------------------------------------- target */

static void offsets_are_of_the_targets_word(void **state)
{
	const struct krel_target *i386 = krel_target_of(KREL_ARCH_I386);
	const struct krel_target *x64 = krel_target_of(KREL_ARCH_X86_64);

	(void)state;
	assert_int_equal(krel_target_offset(i386, 0xc4000000, 0xc1000000),
			 0x3000000);
	assert_int_equal(krel_target_offset(i386, 0xc0800000, 0xc1000000),
			 -0x800000);
	/* 32 bits wrap: what lies 2 GiB up and more is below. */
	assert_int_equal(krel_target_offset(i386, 0x10, 0xfffffff0), 0x20);
	assert_int_equal(krel_target_offset(i386, 0x80000000, 0),
			 -INT64_C(0x80000000));
	assert_int_equal(krel_target_offset(x64, 0x10, UINT64_MAX - 0xf),
			 0x20);
	assert_int_equal(krel_target_offset(x64, UINT64_C(0xffffffff80000000),
					    UINT64_C(0xffffffff81000000)),
			 -0x1000000);
}

static void run_addresses_wrap(void **state)
{
	const struct krel_target *i386 = krel_target_of(KREL_ARCH_I386);
	const struct krel_target *x64 = krel_target_of(KREL_ARCH_X86_64);

	(void)state;
	assert_int_equal(krel_target_run_va(i386, 0xfffff000, 0x2000), 0x1000);
	assert_int_equal(krel_target_run_va(i386, 0x1000, -0x2000),
			 0xfffff000);
	assert_int_equal(krel_target_run_va(i386, 0xc1000000, 0), 0xc1000000);
	assert_true(krel_target_run_va(x64, UINT64_C(0xffffffff81000000),
				       -0x1000000) ==
		    UINT64_C(0xffffffff80000000));
	assert_int_equal(krel_target_run_va(x64, UINT64_MAX, 2), 1);
}

static void plausible_offsets(void **state)
{
	const struct krel_target *i386 = krel_target_of(KREL_ARCH_I386);
	const struct krel_target *x64 = krel_target_of(KREL_ARCH_X86_64);

	(void)state;
	assert_true(krel_target_plausible(x64, 0));
	assert_true(krel_target_plausible(x64, -0x200000));
	assert_true(krel_target_plausible(x64, 0x3fe00000));
	assert_false(krel_target_plausible(x64, 0x100000));
	assert_false(krel_target_plausible(x64, 0x40000000));
	assert_false(krel_target_plausible(x64, INT64_MIN));
	assert_true(krel_target_plausible(i386, 0x2000));
	assert_true(krel_target_plausible(i386, -0x2000));
	assert_false(krel_target_plausible(i386, 0x1000));
}

static void names_of_arches(void **state)
{
	(void)state;
	assert_null(krel_target_of(KREL_ARCH_UNKNOWN));
	assert_string_equal(krel_arch_name(KREL_ARCH_UNKNOWN), "unknown");
	assert_string_equal(krel_arch_name(KREL_ARCH_I386), "x86-32");
	assert_string_equal(krel_arch_name(KREL_ARCH_X86_64), "x86-64");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_none),
		cmocka_unit_test(zero_is_a_value),
		cmocka_unit_test(dissent_is_conflict),
		cmocka_unit_test(dissent_about_phys_base_is_conflict),
		cmocka_unit_test(one_anchor_is_one_vote),
		cmocka_unit_test(one_anchor_against_itself_is_conflict),
		cmocka_unit_test(phys_base_alone_is_no_vote),
		cmocka_unit_test(verified_by_what_it_said),
		cmocka_unit_test(list_is_bounded),
		cmocka_unit_test(offsets_are_of_the_targets_word),
		cmocka_unit_test(run_addresses_wrap),
		cmocka_unit_test(plausible_offsets),
		cmocka_unit_test(names_of_arches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
