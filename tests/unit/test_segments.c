// SPDX-License-Identifier: GPL-2.0-or-later
/* Segments by physical address: overlaps, what was left out, what is not. */
#include "bytes_out.h"

#include "segments.h"

#define PAGE	UINT64_C(0x1000)

static struct krel_file *file_of(const uint8_t *bytes, size_t len)
{
	struct krel_file *f;

	assert_int_equal(krel_file_mem(bytes, len, "test", &f, NULL), KREL_OK);
	return f;
}

static enum krel_status read_at(struct krel_segments *s, struct krel_file *f,
				uint64_t pa)
{
	uint8_t byte;

	return krel_segments_read(s, f, pa, &byte, 1, NULL);
}

/* Memory that a segment states and the file lacks was filtered. */
static void left_out_is_filtered(void **state)
{
	static const uint8_t bytes[2 * PAGE];
	const struct krel_segment seg[] = {
		{ .pa = 8 * PAGE, .filesz = PAGE, .memsz = 4 * PAGE },
		/* What another segment has is there all the same. */
		{ .pa = 10 * PAGE, .filesz = PAGE, .memsz = PAGE,
		  .offset = PAGE },
		/* A size that overflows states nothing. */
		{ .pa = 20 * PAGE, .filesz = PAGE, .memsz = UINT64_MAX },
	};
	struct krel_file *f = file_of(bytes, sizeof(bytes));
	struct krel_segments s;
	struct krel_range r;

	(void)state;
	assert_int_equal(krel_segments_init(&s, seg, 3, NULL), KREL_OK);
	assert_int_equal(read_at(&s, f, 7 * PAGE), KREL_ABSENT);
	assert_int_equal(read_at(&s, f, 8 * PAGE), KREL_OK);
	assert_int_equal(read_at(&s, f, 9 * PAGE), KREL_FILTERED);
	assert_int_equal(read_at(&s, f, 10 * PAGE), KREL_OK);
	assert_int_equal(read_at(&s, f, 11 * PAGE), KREL_FILTERED);
	assert_int_equal(read_at(&s, f, 12 * PAGE), KREL_ABSENT);
	assert_int_equal(read_at(&s, f, 20 * PAGE), KREL_OK);
	assert_int_equal(read_at(&s, f, 21 * PAGE), KREL_ABSENT);
	/* A walk over what is there skips it. */
	assert_int_equal(krel_segments_next(&s, 9 * PAGE, &r), KREL_OK);
	assert_int_equal(r.pa, 10 * PAGE);
	krel_segments_deinit(&s);
	krel_file_close(f);
}

static void none_at_all(void **state)
{
	static const uint8_t bytes[1];
	struct krel_file *f = file_of(bytes, sizeof(bytes));
	struct krel_segments s;
	struct krel_range r;

	(void)state;
	assert_int_equal(krel_segments_init(&s, NULL, 0, NULL), KREL_OK);
	assert_int_equal(read_at(&s, f, 0), KREL_ABSENT);
	assert_int_equal(krel_segments_next(&s, 0, &r), KREL_ABSENT);
	krel_segments_deinit(&s);
	krel_file_close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(left_out_is_filtered),
		cmocka_unit_test(none_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
