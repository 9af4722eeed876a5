/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that give evidence: numbers, and files of a live machine. */
#ifndef KREL_CLI_GIVEN_H
#define KREL_CLI_GIVEN_H

#include <getopt.h>

#include "krel.h"

enum krel_cli_given_option {
	KREL_CLI_GIVEN_FIRST = 512,
	KREL_CLI_VIRT_OFFSET = KREL_CLI_GIVEN_FIRST,
	KREL_CLI_PHYS_BASE,
	KREL_CLI_CR3,
	KREL_CLI_LEVELS,
	KREL_CLI_TEXT,		/* the first of the files, as in given.c */
	KREL_CLI_VMCOREINFO = KREL_CLI_TEXT,
	KREL_CLI_KALLSYMS,
	KREL_CLI_IOMEM,
	KREL_CLI_DMESG,
	KREL_CLI_BOOT_PARAMS,
	KREL_CLI_GIVEN_END,
};

/** Rows for a command's options. */
#define KREL_CLI_GIVEN_OPTIONS						\
	{ "virt-offset", required_argument, NULL, KREL_CLI_VIRT_OFFSET }, \
	{ "phys-base", required_argument, NULL, KREL_CLI_PHYS_BASE },	\
	{ "cr3", required_argument, NULL, KREL_CLI_CR3 },		\
	{ "levels", required_argument, NULL, KREL_CLI_LEVELS },		\
	{ "vmcoreinfo", required_argument, NULL, KREL_CLI_VMCOREINFO },	\
	{ "kallsyms", required_argument, NULL, KREL_CLI_KALLSYMS },	\
	{ "iomem", required_argument, NULL, KREL_CLI_IOMEM },		\
	{ "dmesg", required_argument, NULL, KREL_CLI_DMESG },		\
	{ "boot-params", required_argument, NULL, KREL_CLI_BOOT_PARAMS }

struct krel_cli_given {
	struct krel_given given;
	bool any;		/* at least one option was there */
	char *text[KREL_CLI_GIVEN_END - KREL_CLI_TEXT];
};

/**
 * Take the option @c with its argument.
 *
 * @return 1 when it was taken; 0 when it is none of these; -1 when its
 *         argument is bad, with a line on stderr.
 */
int krel_cli_given_take(struct krel_cli_given *g, int c, const char *arg);

/** Free the files that were read. */
void krel_cli_given_free(struct krel_cli_given *g);

/** An image without any memory, for when there is no dump. */
enum krel_status krel_cli_no_image(struct krel_image **out,
				   struct krel_error *err);

#endif
