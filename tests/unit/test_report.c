// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of the report, line by line, and the exit codes. */
#include "bytes_out.h"

static char *rendered(void (*put)(const struct krel_result *r, FILE *out),
		      const struct krel_result *r)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	put(r, out);
	fclose(out);
	return text;
}

static void put_text(const struct krel_result *r, FILE *out)
{
	krel_report_text(r, "vmcore", out);
}

static void text_is(const struct krel_result *r, const char *want)
{
	char *text = rendered(put_text, r);

	assert_string_equal(text, want);
	free(text);
}

/* One whole line of the report, by how it begins. */
static void line_is(const struct krel_result *r, const char *want)
{
	char *text = rendered(put_text, r);
	size_t len = strlen(want);
	const char *at = text;

	while (at && (strncmp(at, want, len) != 0 || at[len] != '\n')) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		fail_msg("no line \"%s\" in:\n%s", want, text);
	free(text);
}

static struct krel_result *solved_64(void)
{
	struct krel_result *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->arch = KREL_ARCH_X86_64;
	strcpy(r->format, "kdump-compressed");
	strcpy(r->format_detail, "zlib, flattened");
	r->cpus = 2;
	r->state = "crashed";
	strcpy(r->image.release, "6.1.0-a");
	r->image.build_id = (struct krel_build_id){ { 0xa0, 0x01 }, 2 };
	r->kernel_given = true;
	r->match = KREL_MATCH_BUILD_ID;
	r->virt_offset = (struct krel_s64){ true, 0x1e000000 };
	r->phys_base = (struct krel_s64){ true, -0x18c00000 };
	r->virt_verified = r->phys_verified = true;
	r->text_link = (struct krel_u64){ true, UINT64_C(0xffffffff81000000) };
	r->text_run = (struct krel_u64){ true, UINT64_C(0xffffffff9f000000) };
	r->text_phys = (struct krel_u64){ true, 0x6400000 };
	r->paging.levels = 4;
	r->outcome = KREL_OUTCOME_AGREED;
	r->nr_evidence = 3;
	r->evidence[0] = (struct krel_evidence){
		.anchor = "vmcoreinfo", .status = KREL_OK, .verified = true,
		.virt_offset = r->virt_offset, .phys_base = r->phys_base,
		.source = "VMCOREINFO KERNELOFFSET",
	};
	r->evidence[1] = (struct krel_evidence){
		.anchor = "program headers", .status = KREL_OK,
		.phys_base = r->phys_base, .source = "a PT_LOAD",
	};
	r->evidence[2] = (struct krel_evidence){
		.anchor = "IDT", .status = KREL_ABSENT, .source = "none",
	};
	return r;
}

static void solved(void **state)
{
	struct krel_result *r = solved_64();

	(void)state;
	text_is(r,
		"DUMP     vmcore: kdump-compressed (zlib, flattened), x86-64 4-level, 2 CPUs\n"
		"KERNEL   6.1.0-a, build-id a001, vmlinux matches (build-id)\n"
		"OFFSET   +0x1e000000 (480 MiB), verified\n"
		"PHYSBASE -0x18c00000 (-396 MiB), verified\n"
		"_text    link ffffffff81000000  run ffffffff9f000000  physical 0000000006400000\n"
		"ANCHORS  agreed: vmcoreinfo, program headers (phys_base only)\n");
	assert_int_equal(krel_report_exit(r), KREL_EXIT_OK);
	free(r);
}

/* Zero is printed as the value that it is. */
static void zero_is_an_answer(void **state)
{
	struct krel_result *r = solved_64();

	(void)state;
	r->virt_offset.v = r->phys_base.v = 0;
	line_is(r, "OFFSET   +0x0, verified");
	line_is(r, "PHYSBASE +0x0, verified");
	assert_int_equal(krel_report_exit(r), KREL_EXIT_OK);
	free(r);
}

static void solved_32(void **state)
{
	struct krel_result *r = solved_64();

	(void)state;
	r->arch = KREL_ARCH_I386;
	r->phys_base.known = r->phys_verified = false;
	r->cpus = 1;
	r->format_detail[0] = '\0';
	strcpy(r->format, "ELF32");
	r->paging = (struct krel_paging_facts){ .levels = 3, .pae = true };
	r->virt_offset.v = 0x3000000;
	r->text_link.v = 0xc1000000;
	r->text_run.v = 0xc4000000;
	r->text_phys.v = 0x4000000;
	r->nr_evidence = 1;
	r->kernel_is_map = true;
	r->match = KREL_MATCH_CONTENT;
	text_is(r,
		"DUMP     vmcore: ELF32, x86-32 PAE, 1 CPU\n"
		"KERNEL   6.1.0-a, build-id a001, System.map matches (content)\n"
		"OFFSET   +0x3000000 (48 MiB), verified\n"
		"_text    link c1000000  run c4000000  physical 04000000\n"
		"ANCHORS  agreed: vmcoreinfo\n");
	assert_int_equal(krel_report_exit(r), KREL_EXIT_OK);
	r->paging = (struct krel_paging_facts){ .levels = 2 };
	line_is(r, "DUMP     vmcore: ELF32, x86-32 2-level, 1 CPU");
	free(r);
}

static void unverified_is_marked(void **state)
{
	struct krel_result *r = solved_64();

	(void)state;
	r->virt_verified = false;
	r->match = KREL_MATCH_NONE;
	line_is(r, "OFFSET   +0x1e000000 (480 MiB), UNVERIFIED");
	line_is(r, "PHYSBASE -0x18c00000 (-396 MiB), verified");
	line_is(r, "KERNEL   6.1.0-a, build-id a001, vmlinux not verified");
	assert_int_equal(krel_report_exit(r), KREL_EXIT_UNVERIFIED);
	r->virt_verified = true;
	r->phys_verified = false;
	assert_int_equal(krel_report_exit(r), KREL_EXIT_UNVERIFIED);
	r->phys_base.known = false;
	assert_int_equal(krel_report_exit(r), KREL_EXIT_UNVERIFIED);
	line_is(r, "PHYSBASE unknown");
	free(r);
}

static void unsolved(void **state)
{
	struct krel_result *r = calloc(1, sizeof(*r));

	(void)state;
	assert_non_null(r);
	strcpy(r->format, "raw");
	r->state = "unknown";
	line_is(r, "DUMP     vmcore: raw, unknown");
	line_is(r, "KERNEL   release unknown");
	line_is(r, "OFFSET   unknown");
	line_is(r, "ANCHORS  none");
	assert_int_equal(krel_report_exit(r), KREL_EXIT_UNSOLVED);
	r->nr_warnings = r->nr_missing = 1;
	strcpy(r->warning[0], "beware");
	strcpy(r->missing[0], "a note");
	line_is(r, "WARNING  beware");
	line_is(r, "MISSING  a note");
	/* phys_base alone does not solve it. */
	r->arch = KREL_ARCH_X86_64;
	r->phys_base.known = true;
	assert_int_equal(krel_report_exit(r), KREL_EXIT_UNSOLVED);
	free(r);
}

static void mismatch(void **state)
{
	struct krel_result *r = solved_64();

	(void)state;
	r->mismatch = true;
	r->match = KREL_MATCH_NONE;
	r->virt_offset.known = r->phys_base.known = false;
	strcpy(r->kernel.release, "5.10.0-b");
	r->kernel.build_id = (struct krel_build_id){ { 0xbb }, 1 };
	line_is(r, "KERNEL   6.1.0-a, build-id a001");
	line_is(r, "vmlinux  is another kernel: 5.10.0-b, build-id bb");
	line_is(r, "OFFSET   unknown");
	line_is(r, "PHYSBASE unknown");
	assert_int_equal(krel_report_exit(r), KREL_EXIT_MISMATCH);
	free(r);
}

static void conflict(void **state)
{
	struct krel_result *r = solved_64();

	(void)state;
	r->outcome = KREL_OUTCOME_CONFLICT;
	r->virt_offset.known = r->phys_base.known = false;
	r->text_run.known = r->text_phys.known = false;
	line_is(r, "OFFSET   unknown");
	line_is(r, "_text    link ffffffff81000000  run unknown  physical unknown");
	line_is(r, "ANCHORS  conflict: vmcoreinfo, program headers (phys_base only)");
	assert_int_equal(krel_report_exit(r), KREL_EXIT_AMBIGUOUS);
	/* A mismatch explains a conflict. */
	r->mismatch = true;
	assert_int_equal(krel_report_exit(r), KREL_EXIT_MISMATCH);
	free(r);
}

static void anchors_with_their_arithmetic(void **state)
{
	struct krel_result *r = solved_64();
	char *text;

	(void)state;
	r->evidence[0].link = r->text_link;
	r->evidence[0].run = r->text_run;
	r->evidence[0].phys = r->text_phys;
	text = rendered(krel_report_anchors, r);
	assert_string_equal(text,
		"  vmcoreinfo      found, verified: VMCOREINFO KERNELOFFSET\n"
		"                 offset +0x1e000000  phys_base -0x18c00000  link ffffffff81000000  run ffffffff9f000000  physical 0000000006400000\n"
		"  program headers found: a PT_LOAD\n"
		"                 phys_base -0x18c00000\n"
		"  IDT             absent: none\n");
	free(text);
	free(r);
}

static void words(void **state)
{
	char buf[24], hex[2 * KREL_BUILD_ID_MAX + 1];
	struct krel_build_id id = { .len = 200 };
	struct krel_s64 v = { true, 0 };

	(void)state;
	assert_string_equal(krel_offset_text(0, false, buf), "0x0");
	assert_string_equal(krel_offset_text(0, true, buf), "+0x0");
	assert_string_equal(krel_offset_text(-0x28200000, false, buf),
			    "-0x28200000");
	assert_string_equal(krel_offset_text(INT64_MIN, true, buf),
			    "-0x8000000000000000");
	assert_string_equal(krel_offset_text(INT64_MAX, true, buf),
			    "+0x7fffffffffffffff");
	assert_string_equal(krel_report_status(&v, true), "verified");
	assert_string_equal(krel_report_status(&v, false), "unverified");
	v.known = false;
	assert_string_equal(krel_report_status(&v, true), "unknown");
	/* A length out of bounds prints no more than there is. */
	assert_int_equal(strlen(krel_build_id_text(&id, hex)),
			 2 * KREL_BUILD_ID_MAX);
	id.len = 0;
	assert_string_equal(krel_build_id_text(&id, hex), "");
	assert_string_equal(krel_outcome_name(KREL_OUTCOME_NONE), "none");
	assert_string_equal(krel_outcome_name(KREL_OUTCOME_SINGLE), "single");
	assert_string_equal(krel_match_name(KREL_MATCH_BANNER), "banner");
	assert_string_equal(krel_match_name(KREL_MATCH_NONE), "none");
	assert_string_equal(krel_status_name(KREL_OK), "found");
	assert_string_equal(krel_status_name(KREL_FILTERED), "filtered");
	assert_string_equal(krel_status_name(KREL_CORRUPT), "corrupt");
	assert_string_equal(krel_status_name(KREL_UNREADABLE), "unreadable");
	assert_string_equal(krel_status_name(KREL_CONTRADICTS), "contradicts");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(solved),
		cmocka_unit_test(zero_is_an_answer),
		cmocka_unit_test(solved_32),
		cmocka_unit_test(unverified_is_marked),
		cmocka_unit_test(unsolved),
		cmocka_unit_test(mismatch),
		cmocka_unit_test(conflict),
		cmocka_unit_test(anchors_with_their_arithmetic),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
