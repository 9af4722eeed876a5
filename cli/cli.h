/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shell's side of krel. One command is one cmd_*.c and a row in main.c. */
#ifndef KREL_CLI_H
#define KREL_CLI_H

#include "krel.h"

/** A command: argv[0] is its name. Returns an exit code of enum krel_exit. */
struct krel_command {
	const char *name;
	const char *synopsis;
	const char *summary;
	int (*run)(int argc, char **argv);
};

extern const struct krel_command krel_cmd_show;
extern const struct krel_command krel_cmd_ident;
extern const struct krel_command krel_cmd_sym;
extern const struct krel_command krel_cmd_log;

/** "krel: TEXT" on stderr; returns @code. */
int krel_cli_fail(int code, const struct krel_error *err);

/** Wrong usage: a line and the synopsis on stderr; returns KREL_EXIT_USAGE. */
int krel_cli_usage(const struct krel_command *cmd, const char *why);

/** Exit code for a call of the library that failed while solving. */
int krel_cli_code(enum krel_status st);

/** Write the answer as one JSON object on stdout. False: out of memory. */
bool krel_cli_json(const struct krel_result *r, const char *dump,
		   const char *vmlinux);

/**
 * Open a dump. @phys_map: of --phys-map, the name of a file or a map itself;
 * NULL: none. KREL_INVALID also when that cannot be read.
 */
enum krel_status krel_cli_open(const char *dump, const char *format,
			       const char *phys_map, struct krel_image **img,
			       struct krel_error *err);

#endif
