/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What most commands are about: a dump, the kernel in it by vmlinux or by its
 * own kallsyms, and its run-time memory.
 */
#ifndef KREL_CLI_SUBJECT_H
#define KREL_CLI_SUBJECT_H

#include <getopt.h>

#include "cli.h"
#include "krel_view.h"

#define KREL_CLI_SUBJECT_SHORT	"s:S:h"
#define KREL_CLI_SUBJECT_SYNOPSIS \
	"[-s VMLINUX | -S SYSTEM.MAP] [--format FORMAT] [--phys-map MAP]"

enum { KREL_CLI_FORMAT = 1024, KREL_CLI_PHYS_MAP };

/** Rows for a command's options. */
#define KREL_CLI_SUBJECT_OPTIONS					\
	{ "vmlinux", required_argument, NULL, 's' },			\
	{ "system-map", required_argument, NULL, 'S' },			\
	{ "format", required_argument, NULL, KREL_CLI_FORMAT },		\
	{ "phys-map", required_argument, NULL, KREL_CLI_PHYS_MAP },	\
	{ "help", no_argument, NULL, 'h' }

struct krel_cli_subject {
	const char *dump, *vmlinux, *map, *format, *phys_map;	/* as given */
	struct krel_image *image;
	struct krel_kernel *kernel;	/* NULL: none given */
	struct krel_symbols *symbols;	/* NULL: a kernel is given */
	struct krel_result *solved;	/* NULL: no kernel is given */
	struct krel_view *view;
};

/**
 * Parse a command line of only these options and one dump.
 *
 * @return 0: go on; else the exit code plus one.
 */
int krel_cli_subject_parse(struct krel_cli_subject *s,
			   const struct krel_command *cmd, int argc,
			   char **argv, const struct option *options);

/** Take the option @c; false when it is none of these. */
bool krel_cli_subject_take(struct krel_cli_subject *s, int c,
			   const char *arg);

/** 0; or, when options exclude each other, the exit code plus one. */
int krel_cli_subject_check(const struct krel_cli_subject *s,
			   const struct krel_command *cmd);

/**
 * Open everything. What is not verified is told on stderr, and so is a
 * failure.
 *
 * @return KREL_EXIT_OK; KREL_EXIT_UNVERIFIED (all is open, the offsets are
 *         unverified); else an exit code. Close it in any case.
 */
int krel_cli_subject_open(struct krel_cli_subject *s);

void krel_cli_subject_close(struct krel_cli_subject *s);

#endif
