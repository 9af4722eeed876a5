// SPDX-License-Identifier: GPL-2.0-or-later
#include "bytes_out.h"
#include "error.h"

/* A failure is one statement: the status comes back. */
static void set_returns_the_status(void **state)
{
	struct krel_error err = { "before" };

	(void)state;
	assert_int_equal(krel_error_set(&err, KREL_CORRUPT, "%s: %u", "a", 7u),
			 KREL_CORRUPT);
	assert_string_equal(err.text, "a: 7");
	assert_int_equal(krel_error_set(NULL, KREL_NOMEM, "x"), KREL_NOMEM);
}

static void prepend_keeps_the_cause(void **state)
{
	struct krel_error err = { "no such file" };

	(void)state;
	assert_int_equal(krel_error_prepend(&err, KREL_ABSENT, "page %d", 3),
			 KREL_ABSENT);
	assert_string_equal(err.text, "page 3: no such file");
	assert_int_equal(krel_error_prepend(NULL, KREL_ABSENT, "x"),
			 KREL_ABSENT);
}

/* Too long is cut off, never written past the end. */
static void long_text_is_cut(void **state)
{
	char longer[2 * sizeof(((struct krel_error *)0)->text)];
	struct krel_error err = { "" };

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	krel_error_set(&err, KREL_CORRUPT, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	krel_error_prepend(&err, KREL_CORRUPT, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	krel_error_set(&err, KREL_CORRUPT, "short");
	krel_error_prepend(&err, KREL_CORRUPT, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

/* What comes from a dump may not drive a terminal, nor break the line. */
static void control_bytes_become_question_marks(void **state)
{
	struct krel_error err = { "" };
	char text[] = "a\x1b[2Jb\nc\x7f\td";

	(void)state;
	krel_text_sanitize(text);
	assert_string_equal(text, "a?[2Jb?c??d");
	krel_error_set(&err, KREL_CORRUPT, "x%sy", "\n\x1b");
	assert_string_equal(err.text, "x??y");
	krel_error_prepend(&err, KREL_CORRUPT, "%s", "\r");
	assert_string_equal(err.text, "?: x??y");
}

/* File names may be UTF-8; what a dump says may not drive a terminal. */
static void errors_keep_utf8(void **state)
{
	struct krel_error err = { "" };
	char text[] = "gr\xc3\xbcn\x9b";

	(void)state;
	krel_error_set(&err, KREL_ABSENT, "gr\xc3\xbcn%s\x7f", "\x1b");
	assert_string_equal(err.text, "gr\xc3\xbcn??");
	krel_text_sanitize(text);
	assert_string_equal(text, "gr??n?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_returns_the_status),
		cmocka_unit_test(prepend_keeps_the_cause),
		cmocka_unit_test(long_text_is_cut),
		cmocka_unit_test(control_bytes_become_question_marks),
		cmocka_unit_test(errors_keep_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
