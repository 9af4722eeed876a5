// SPDX-License-Identifier: GPL-2.0-or-later
#include "subject.h"

#include <stdlib.h>

bool krel_cli_subject_take(struct krel_cli_subject *s, int c, const char *arg)
{
	switch (c) {
	case 's':
		s->vmlinux = arg;
		return true;
	case 'S':
		s->map = arg;
		return true;
	case KREL_CLI_FORMAT:
		s->format = arg;
		return true;
	case KREL_CLI_PHYS_MAP:
		s->phys_map = arg;
		return true;
	default:
		return false;
	}
}

int krel_cli_subject_check(const struct krel_cli_subject *s,
			   const struct krel_command *cmd)
{
	return s->vmlinux && s->map ?
		krel_cli_usage(cmd, "-s and -S exclude each other") + 1 : 0;
}

int krel_cli_subject_parse(struct krel_cli_subject *s,
			   const struct krel_command *cmd, int argc,
			   char **argv, const struct option *options)
{
	int c;

	while ((c = getopt_long(argc, argv, KREL_CLI_SUBJECT_SHORT, options,
				NULL)) != -1) {
		if (c == 'h') {
			printf("usage: krel %s %s\n", cmd->name,
			       cmd->synopsis);
			return 1;
		}
		if (!krel_cli_subject_take(s, c, optarg))
			return krel_cli_usage(cmd, NULL) + 1;
	}
	if (optind + 1 != argc)
		return krel_cli_usage(cmd, optind == argc ?
				      "expected a dump, found none" :
				      "expected one dump, found more") + 1;
	s->dump = argv[optind];
	return krel_cli_subject_check(s, cmd);
}

/* Where the kernel of the vmlinux is. */
static int solve(struct krel_cli_subject *s)
{
	struct krel_error err = { "out of memory" };
	enum krel_status st = KREL_NOMEM;
	int code;

	s->solved = malloc(sizeof(*s->solved));
	if (s->solved)
		st = krel_solve(s->image, s->kernel, NULL, s->solved, &err);
	if (st != KREL_OK)
		return krel_cli_fail(krel_cli_code(st), &err);
	code = (int)krel_report_exit(s->solved);
	if (code == KREL_EXIT_MISMATCH)
		fprintf(stderr, "krel: %s: expected the kernel of %s, found another build: see krel show\n",
			s->dump, s->vmlinux ? s->vmlinux : s->map);
	else if (code == KREL_EXIT_UNVERIFIED)
		fprintf(stderr, "krel: %s: the offsets are unverified: see krel show\n",
			s->dump);
	else if (code != KREL_EXIT_OK)
		fprintf(stderr, "krel: %s: expected one place of the kernel, found %s: see krel show --anchors\n",
			s->dump, code == KREL_EXIT_AMBIGUOUS ?
			"several" : "none");
	return code;
}

/* Without a vmlinux: the kernel that its own kallsyms tell. */
static int find_symbols(struct krel_cli_subject *s)
{
	struct krel_error err = { "" };
	enum krel_status st = krel_symbols_find(s->image, NULL, &s->symbols,
						&err);

	switch (st) {
	case KREL_OK:
		return KREL_EXIT_OK;
	case KREL_NOMEM:
	case KREL_INTERRUPTED:
		return krel_cli_fail(krel_cli_code(st), &err);
	default:
		fprintf(stderr, "krel: %s: %s; give its vmlinux with -s\n",
			s->dump, err.text);
		return st == KREL_CONTRADICTS ? KREL_EXIT_AMBIGUOUS :
			KREL_EXIT_UNSOLVED;
	}
}

static int open_files(struct krel_cli_subject *s)
{
	struct krel_error err = { "" };
	enum krel_status st = krel_cli_open(s->dump, s->format, s->phys_map,
					    &s->image, &err);

	if (st != KREL_OK)
		return krel_cli_fail(st == KREL_INVALID ? KREL_EXIT_USAGE :
				     KREL_EXIT_DUMP, &err);
	if (s->vmlinux)
		st = krel_kernel_open(s->vmlinux, &s->kernel, &err);
	else if (s->map)
		st = krel_kernel_open_map(s->map, &s->kernel, &err);
	return st == KREL_OK ? KREL_EXIT_OK :
		krel_cli_fail(KREL_EXIT_MISMATCH, &err);
}

int krel_cli_subject_open(struct krel_cli_subject *s)
{
	struct krel_error err = { "" };
	struct krel_view_of of;
	enum krel_status st;
	int code = open_files(s);

	if (code == KREL_EXIT_OK)
		code = s->kernel ? solve(s) : find_symbols(s);
	if (code != KREL_EXIT_OK && code != KREL_EXIT_UNVERIFIED)
		return code;
	of = (struct krel_view_of){
		s->image, s->kernel, s->solved, s->symbols,
	};
	st = krel_view_open(&of, &s->view, &err);
	if (st == KREL_OK)
		return code;
	fprintf(stderr, "krel: %s: %s\n", s->dump, err.text);
	return st == KREL_ABSENT ? KREL_EXIT_UNSOLVED : krel_cli_code(st);
}

void krel_cli_subject_close(struct krel_cli_subject *s)
{
	krel_view_close(s->view);
	krel_symbols_free(s->symbols);
	free(s->solved);
	krel_kernel_close(s->kernel);
	krel_image_close(s->image);
}
