/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crash(8) as plain C. Only crash_host.c knows crash's own header; everything
 * else in the extension sees this.
 */
#ifndef KREL_CRASH_HOST_H
#define KREL_CRASH_HOST_H

#include "krel.h"

/** crash's version that this was built for, and the one that runs it. */
const char *krel_crash_built_for(void);
const char *krel_crash_running(void);

/**
 * True when both are the same. When false, crash's structures may be laid out
 * in another way, and nothing below that is marked "any version" is to be
 * called.
 */
bool krel_crash_matches(void);

/** Any version: where a command writes to. May longjmp when written to. */
FILE *krel_crash_out(void);

/** Any version: the command's words, args[0] being its name. */
int krel_crash_args(char ***args);

/** Any version: print usage or the full help; usage does not return. */
void krel_crash_usage(void);
void krel_crash_help(void);

/** What this session knows; pointers are borrowed from crash. */
struct krel_crash_state {
	enum krel_arch arch;
	bool linux_kernel;		/* not a Xen hypervisor session */
	const char *source;		/* where memory is from, for people */
	const char *dumpfile;		/* NULL: only crash can read it */
	const char *namelist;		/* the vmlinux that crash uses */
	const char *namelist_debug;	/* or NULL */
	int64_t virt_offset;		/* run-time minus link-time */
	int64_t phys_base;		/* x86-64 only */
	uint64_t page_offset;		/* x86-32 only */
};

void krel_crash_state(struct krel_crash_state *out);

/** Reading memory through crash, and where the last read found some. */
struct krel_crash_reader {
	struct krel_range known;
};

/** For krel_image_host(); its @arg is a struct krel_crash_reader. */
extern const struct krel_host_ops krel_crash_host_ops;

/**
 * The note's keys that crash gives, as VMCOREINFO text; "" when it has none.
 *
 * @return Bytes written, without the final NUL.
 */
size_t krel_crash_vmcoreinfo(char *buf, size_t size);

/**
 * Between these two, SIGINT sets a flag instead of throwing the command away:
 * crash would longjmp through whatever runs. Nothing between them may longjmp.
 */
void krel_crash_sigint_begin(void);
void krel_crash_sigint_end(void);

/** For struct krel_options; @arg is unused. Stays true until the next begin. */
bool krel_crash_interrupted(void *arg);

/** The command itself, in krel_cmd.c, and what `help krel` prints. */
void krel_cmd(void);
extern char *krel_cmd_help[];

#endif
