// SPDX-License-Identifier: GPL-2.0-or-later
/* krel log: what dmesg would print. */
#include <inttypes.h>

#include "krel_log.h"
#include "subject.h"

static const struct option options[] = {
	KREL_CLI_SUBJECT_OPTIONS,
	{ 0 },
};

struct tally {
	uint64_t records, lost;
	enum krel_status why;	/* of the last one lost */
};

/* A log may hold anything that a user or a device put there. */
static void print_line(uint64_t ns, const char *text, size_t len)
{
	printf("[%5" PRIu64 ".%06" PRIu64 "] ", ns / 1000000000,
	       ns / 1000 % 1000000);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c >= ' ' && c < 0x7f) || c == '\t')
			putchar(c);
		else
			printf("\\x%02x", c);
	}
	putchar('\n');
}

/* As the console does: the time before each line of a record. */
static bool print_record(void *arg, const struct krel_log_record *rec)
{
	struct tally *t = arg;
	size_t from = 0;

	t->records++;
	if (rec->status != KREL_OK) {
		t->lost++;
		t->why = rec->status;
		return true;
	}
	for (size_t i = 0; i <= rec->len; i++) {
		if (i < rec->len && rec->text[i] != '\n')
			continue;
		print_line(rec->ns, rec->text + from, i - from);
		from = i + 1;
	}
	return true;
}

static int print_log(const struct krel_cli_subject *s, int code)
{
	struct krel_error err = { "" };
	struct tally t = { 0 };
	enum krel_status st = krel_log_read(s->view, print_record, &t, &err);

	if (t.lost > 0)
		fprintf(stderr, "krel: %s: %" PRIu64 " of %" PRIu64 " records have no text here: %s\n",
			s->dump, t.lost, t.records, krel_status_name(t.why));
	if (st == KREL_OK)
		return code;
	fprintf(stderr, "krel: %s: %s\n", s->dump, err.text);
	return st == KREL_INTERRUPTED || st == KREL_NOMEM ?
		krel_cli_code(st) : KREL_EXIT_UNSOLVED;
}

static int run(int argc, char **argv)
{
	struct krel_cli_subject s = { 0 };
	int code = krel_cli_subject_parse(&s, &krel_cmd_log, argc, argv,
					  options);

	if (code != 0)
		return code - 1;
	code = krel_cli_subject_open(&s);
	if (s.view)
		code = print_log(&s, code);
	krel_cli_subject_close(&s);
	return code;
}

const struct krel_command krel_cmd_log = {
	.name = "log",
	.synopsis = KREL_CLI_SUBJECT_SYNOPSIS " DUMP",
	.summary = "the kernel's log",
	.run = run,
};
