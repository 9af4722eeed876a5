// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "cli.h"

static const struct krel_command *const commands[] = {
	&krel_cmd_show,
	&krel_cmd_ident,
	&krel_cmd_sym,
	&krel_cmd_log,
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

int krel_cli_fail(int code, const struct krel_error *err)
{
	fprintf(stderr, "krel: %s\n", err->text);
	return code;
}

int krel_cli_usage(const struct krel_command *cmd, const char *why)
{
	if (why)
		fprintf(stderr, "krel %s: %s\n", cmd->name, why);
	fprintf(stderr, "usage: krel %s %s\n", cmd->name, cmd->synopsis);
	return KREL_EXIT_USAGE;
}

int krel_cli_code(enum krel_status st)
{
	switch (st) {
	case KREL_INVALID:
		return KREL_EXIT_MISMATCH;
	case KREL_INTERRUPTED:
		return 130;
	default:
		return KREL_EXIT_DUMP;
	}
}

static void help(FILE *out)
{
	fputs("usage: krel COMMAND [OPTION]... [DUMP]\n\n"
	      "Where does the kernel in this x86 memory image really run?\n\n",
	      out);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-6s %s\n       krel %s %s\n",
			commands[i]->name, commands[i]->summary,
			commands[i]->name, commands[i]->synopsis);
	fputs("\nExit codes: 0 solved and verified, 1 unsolved, 2 usage, "
	      "3 cannot read the\ndump, 4 vmlinux does not match, 5 ambiguous, "
	      "6 solved but unverified.\nSee krel(1).\n", out);
}

/* A full disk or a closed pipe must not look like an answer. */
static int finish(int code)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "krel: writing the answer: %s\n",
			strerror(errno));
		return KREL_EXIT_DUMP;
	}
	return code;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		help(stderr);
		return KREL_EXIT_USAGE;
	}
	if (strcmp(name, "--version") == 0) {
		printf("krel %s\nreads: elf, kdump (plain and flattened), lime, avml, raw\n",
		       KREL_VERSION);
		return finish(0);
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
	    strcmp(name, "help") == 0) {
		help(stdout);
		return finish(0);
	}
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (strcmp(name, commands[i]->name) == 0)
			return finish(commands[i]->run(argc - 1, argv + 1));
	fprintf(stderr, "krel: unknown command \"%s\": see krel --help\n",
		name);
	return KREL_EXIT_USAGE;
}
