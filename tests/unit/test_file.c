// SPDX-License-Identifier: GPL-2.0-or-later
#include "bytes_out.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

static char *file_of(const char *text)
{
	struct bytes b = { 0 };
	char *path;

	bytes_text(&b, text);
	path = bytes_to_file(&b);
	bytes_free(&b);
	return path;
}

static void forget(char *path)
{
	unlink(path);
	free(path);
}

static void reads_what_is_there(void **state)
{
	char *path = file_of("0123456789"), got[4];
	struct krel_error err = { "" };
	struct krel_file *f;

	(void)state;
	assert_int_equal(krel_file_open(path, &f, &err), KREL_OK);
	assert_int_equal(f->size, 10);
	assert_int_equal(krel_file_read(f, 3, got, 4, &err), KREL_OK);
	assert_memory_equal(got, "3456", 4);
	assert_int_equal(f->bytes_read, 4);
	assert_int_equal(krel_file_read(f, 10, got, 0, &err), KREL_OK);
	krel_file_close(f);
	forget(path);
}

/* All or nothing, and no overflow of offset plus length. */
static void past_the_end_is_unreadable(void **state)
{
	char *path = file_of("0123456789"), got[16] = "untouched";
	struct krel_error err = { "" };
	struct krel_file *f;

	(void)state;
	assert_int_equal(krel_file_open(path, &f, &err), KREL_OK);
	assert_int_equal(krel_file_read(f, 8, got, 3, &err),
			 KREL_UNREADABLE);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, "cut off"));
	assert_string_equal(got, "untouched");
	assert_int_equal(krel_file_read(f, 11, got, 0, &err),
			 KREL_UNREADABLE);
	assert_int_equal(krel_file_read(f, UINT64_MAX, got, 2, &err),
			 KREL_UNREADABLE);
	assert_int_equal(krel_file_read(f, UINT64_MAX - 1, got, 16, &err),
			 KREL_UNREADABLE);
	krel_file_close(f);
	forget(path);
}

static void empty_file_has_size_zero(void **state)
{
	char *path = file_of(""), got;
	struct krel_file *f;

	(void)state;
	assert_int_equal(krel_file_open(path, &f, NULL), KREL_OK);
	assert_int_equal(f->size, 0);
	assert_int_equal(krel_file_read(f, 0, &got, 1, NULL),
			 KREL_UNREADABLE);
	krel_file_close(f);
	forget(path);
}

static void refused(const char *path, const char *says)
{
	struct krel_error err = { "" };
	struct krel_file *f = NULL;

	assert_int_equal(krel_file_open(path, &f, &err), KREL_UNREADABLE);
	assert_null(f);
	assert_non_null(strstr(err.text, path));
	if (!strstr(err.text, says))
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

/* Each says what it is instead of a dump. */
static void other_kinds_are_refused(void **state)
{
	char fifo[64];

	(void)state;
	refused("/tmp", "directory");
	refused("/dev/null", "character device");
	refused("/nonexistent/krel", "No such file");
	snprintf(fifo, sizeof(fifo), "/tmp/krel-fifo-%ld", (long)getpid());
	assert_int_equal(mkfifo(fifo, 0600), 0);
	/* Without a writer: must not hang. */
	refused(fifo, "pipe");
	unlink(fifo);
}

/* A dump that is still being written, or was truncated meanwhile. */
static void shrinking_is_an_error_not_zeros(void **state)
{
	char *path = file_of("0123456789"), got[10];
	struct krel_error err = { "" };
	struct krel_file *f;

	(void)state;
	assert_int_equal(krel_file_open(path, &f, &err), KREL_OK);
	assert_int_equal(truncate(path, 4), 0);
	assert_int_equal(krel_file_read(f, 0, got, 4, &err), KREL_OK);
	assert_int_equal(krel_file_read(f, 0, got, 10, &err),
			 KREL_UNREADABLE);
	assert_non_null(strstr(err.text, "shorter"));
	krel_file_close(f);
	forget(path);
}

static void memory_is_a_file_too(void **state)
{
	struct krel_file *f;
	char got[3];

	(void)state;
	assert_int_equal(krel_file_mem("abcdef", 6, "name", &f, NULL),
			 KREL_OK);
	assert_string_equal(f->path, "name");
	assert_int_equal(krel_file_read(f, 3, got, 3, NULL), KREL_OK);
	assert_memory_equal(got, "def", 3);
	assert_int_equal(krel_file_read(f, 4, got, 3, NULL),
			 KREL_UNREADABLE);
	krel_file_close(f);
	krel_file_close(NULL);
}

static void descriptor_of_a_pipe_is_refused(void **state)
{
	struct krel_error err = { "" };
	struct krel_file *f = NULL;
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(krel_file_fd(fd[0], "p", &f, &err),
			 KREL_UNREADABLE);
	assert_null(f);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_is_there),
		cmocka_unit_test(past_the_end_is_unreadable),
		cmocka_unit_test(empty_file_has_size_zero),
		cmocka_unit_test(other_kinds_are_refused),
		cmocka_unit_test(shrinking_is_an_error_not_zeros),
		cmocka_unit_test(memory_is_a_file_too),
		cmocka_unit_test(descriptor_of_a_pipe_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
