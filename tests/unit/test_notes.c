// SPDX-License-Identifier: GPL-2.0-or-later
#include "bytes_out.h"
#include "notes.h"

static void facts_free(struct krel_image_facts *f)
{
	free(f->vmcoreinfo);
	free(f->cpu);
	free(f->segment);
}

static void walks_notes_in_order(void **state)
{
	struct bytes b = { 0 };
	struct krel_note n;
	size_t pos = 0;

	(void)state;
	bytes_note(&b, "GNU", 3, "abcde", 5);
	bytes_note(&b, "Linux", 7, "", 0);
	assert_int_equal(krel_note_next(b.p, b.len, &pos, &n), KREL_OK);
	assert_true(krel_note_is(&n, "GNU"));
	assert_false(krel_note_is(&n, "GN"));
	assert_false(krel_note_is(&n, "GNUX"));
	assert_int_equal(n.type, 3);
	assert_int_equal(n.desc_len, 5);
	assert_memory_equal(n.desc, "abcde", 5);
	assert_int_equal(n.offset, 0);
	assert_int_equal(krel_note_next(b.p, b.len, &pos, &n), KREL_OK);
	assert_true(krel_note_is(&n, "Linux"));
	assert_int_equal(n.desc_len, 0);
	assert_int_equal(n.offset, 24);
	assert_int_equal(krel_note_next(b.p, b.len, &pos, &n), KREL_ABSENT);
	bytes_free(&b);
}

/* Cut at every length: a whole note, corruption or the end, never more. */
static void cut_at_every_byte(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	bytes_note(&b, "VMCOREINFO", 0, "OSRELEASE=6\n", 12);
	for (size_t len = 0; len < b.len; len++) {
		uint8_t *exact = malloc(len + 1);
		enum krel_status st;
		struct krel_note n;
		size_t pos = 0;

		assert_non_null(exact);
		memcpy(exact, b.p, len);
		st = krel_note_next(exact, len, &pos, &n);
		assert_int_equal(st, len < 12 ? KREL_ABSENT : KREL_CORRUPT);
		free(exact);
	}
	bytes_free(&b);
}

static void huge_sizes_are_corrupt(void **state)
{
	static const uint32_t size[] = {
		0xffffffff, 0xfffffffc, 0x80000000, 0x7fffffff, 0x10000,
	};

	(void)state;
	for (size_t i = 0; i < 5; i++)
		for (int field = 0; field < 2; field++) {
			struct bytes b = { 0 };
			struct krel_note n;
			size_t pos = 0;

			bytes_note(&b, "CORE", 1, "xxxx", 4);
			bytes_patch(&b, field ? 4 : 0, size[i], 4);
			assert_int_equal(krel_note_next(b.p, b.len, &pos, &n),
					 KREL_CORRUPT);
			bytes_free(&b);
		}
}

/* The last note's padding may be missing from the file. */
static void last_padding_may_lack(void **state)
{
	struct bytes b = { 0 };
	struct krel_note n;
	size_t pos = 0;

	(void)state;
	bytes_note(&b, "GNU", 3, "abcde", 5);
	b.len -= 3;
	assert_int_equal(krel_note_next(b.p, b.len, &pos, &n), KREL_OK);
	assert_int_equal(n.desc_len, 5);
	assert_int_equal(krel_note_next(b.p, b.len, &pos, &n), KREL_ABSENT);
	bytes_free(&b);
}

static void collects_what_an_image_wants(void **state)
{
	struct krel_image_facts f = { 0 };
	struct bytes b = { 0 };
	char page[4096] = "OSRELEASE=6.1\nX=1\n";

	(void)state;
	bytes_note(&b, "CORE", 1, page, 144);
	bytes_note(&b, "CORE", 1, page, 144);
	bytes_qemu_cpu(&b, 0x80050033, 0x1234000, 0x6f0, UINT64_C(0xfffffe0000000000));
	bytes_qemu_cpu(&b, 0x60000010, 0, 0, 0);
	bytes_note(&b, "VMCOREINFO", 0, page, sizeof(page));
	assert_int_equal(krel_notes_collect(b.p, b.len, &f, NULL), KREL_OK);
	assert_int_equal(f.ncpus, 2);
	assert_int_equal(f.nr_cpus, 2);
	assert_int_equal(f.cpu[0].cr0, 0x80050033);
	assert_int_equal(f.cpu[0].cr3, 0x1234000);
	assert_int_equal(f.cpu[0].cr4, 0x6f0);
	assert_true(f.cpu[0].idt_base == UINT64_C(0xfffffe0000000000));
	assert_int_equal(f.cpu[1].index, 1);
	assert_int_equal(f.cpu[1].cr3, 0);
	/* The zeros that pad it to a page are not text. */
	assert_string_equal(f.vmcoreinfo, "OSRELEASE=6.1\nX=1\n");
	assert_int_equal(f.vmcoreinfo_len, 18);
	facts_free(&f);
	bytes_free(&b);
}

static void short_cpu_note_is_left_out(void **state)
{
	struct krel_image_facts f = { 0 };
	struct bytes b = { 0 };
	uint8_t desc[431] = { 1 };

	(void)state;
	bytes_note(&b, "QEMU", 0, desc, sizeof(desc));
	bytes_note(&b, "QEMU", 5, desc, sizeof(desc));
	assert_int_equal(krel_notes_collect(b.p, b.len, &f, NULL), KREL_OK);
	assert_int_equal(f.nr_cpus, 0);
	assert_int_equal(f.ncpus, 0);
	bytes_free(&b);
}

/* What comes before a broken note is kept. */
static void broken_tail_keeps_the_head(void **state)
{
	struct krel_image_facts f = { 0 };
	struct bytes b = { 0 };

	(void)state;
	bytes_note(&b, "VMCOREINFO", 0, "A=1\n", 4);
	bytes_le(&b, 0xffffffff, 4);
	bytes_le(&b, 0xffffffff, 4);
	bytes_le(&b, 0, 4);
	assert_int_equal(krel_notes_collect(b.p, b.len, &f, NULL), KREL_OK);
	assert_string_equal(f.vmcoreinfo, "A=1\n");
	facts_free(&f);
	bytes_free(&b);
}

static void empty_or_absurd_note_is_no_note(void **state)
{
	struct krel_image_facts f = { 0 };
	char *big = malloc((1 << 20) + 1);

	(void)state;
	assert_non_null(big);
	memset(big, 'x', (1 << 20) + 1);
	assert_int_equal(krel_facts_set_vmcoreinfo(&f, "", 0, NULL), KREL_OK);
	assert_int_equal(krel_facts_set_vmcoreinfo(&f, "\0\0\0", 3, NULL),
			 KREL_OK);
	assert_int_equal(krel_facts_set_vmcoreinfo(&f, big, (1 << 20) + 1,
						   NULL), KREL_OK);
	assert_null(f.vmcoreinfo);
	assert_int_equal(f.vmcoreinfo_len, 0);
	free(big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_notes_in_order),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(huge_sizes_are_corrupt),
		cmocka_unit_test(last_padding_may_lack),
		cmocka_unit_test(collects_what_an_image_wants),
		cmocka_unit_test(short_cpu_note_is_left_out),
		cmocka_unit_test(broken_tail_keeps_the_head),
		cmocka_unit_test(empty_or_absurd_note_is_no_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
