// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The only file that includes crash's header. crash's structures have no
 * stable layout, so the version is compared before any field is touched; what
 * is used before that (register_extension, build_version, fp, args, argcnt,
 * cmd_usage) has kept its shape since crash 5.
 */
#include <defs.h>

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>

#include "crash_host.h"

#ifndef KREL_CRASH_VERSION
#error "define KREL_CRASH_VERSION: the version that defs.h belongs to"
#endif

#define CHUNK	(UINT64_C(16) << 20)	/* memory comes in such pieces */
#define STEP	(UINT64_C(1) << 20)	/* looking for the next piece */
#define MAX_GAP	(UINT64_C(8) << 30)	/* no machine has a larger hole below */

static struct command_table_entry command_table[] = {
	{ "krel", krel_cmd, krel_cmd_help, MINIMAL },
	{ .name = NULL },
};

const char *krel_crash_built_for(void)
{
	return KREL_CRASH_VERSION;
}

const char *krel_crash_running(void)
{
	return build_version ? build_version : "unknown";
}

bool krel_crash_matches(void)
{
	return strcmp(krel_crash_built_for(), krel_crash_running()) == 0;
}

FILE *krel_crash_out(void)
{
	return fp;
}

int krel_crash_args(char ***out)
{
	*out = args;
	return argcnt;
}

void krel_crash_usage(void)
{
	cmd_usage(command_table[0].name, SYNOPSIS);
}

void krel_crash_help(void)
{
	cmd_usage(command_table[0].name, COMPLETE_HELP);
}

/* True when this process has the file open that @path leads to now. */
static bool is_open(const char *path)
{
	struct stat want, have;
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	if (stat(path, &want) != 0)
		return false;
	dir = opendir("/proc/self/fd");
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)))
		found = fstat(atoi(entry->d_name), &have) == 0 &&
			have.st_dev == want.st_dev &&
			have.st_ino == want.st_ino;
	closedir(dir);
	return found;
}

/*
 * The file behind pc->dumpfile, when libkrel may open it by its name. Not so
 * for memory that crash reads elsewhere, for a raw image that crash wraps, for
 * one part of a split dump, or when the name now leads to another file, as
 * after crash's `cd`. crash keeps its dump open, but each format in a place of
 * its own.
 */
static const char *own_dumpfile(void)
{
	if (ACTIVE() || REMOTE() || !pc->dumpfile || is_ramdump_image() ||
	    dumpfile_is_split() || !is_open(pc->dumpfile))
		return NULL;
	return pc->dumpfile;
}

void krel_crash_state(struct krel_crash_state *out)
{
	memset(out, 0, sizeof(*out));
	out->linux_kernel = !XEN_HYPER_MODE();
	out->dumpfile = own_dumpfile();
	/* a raw image's own name gives way to crash's wrapper of it */
	out->source = is_ramdump_image() ? "raw memory" :
		pc->dumpfile ? pc->dumpfile :
		pc->live_memsrc ? pc->live_memsrc : "memory";
	out->namelist = pc->namelist;
	out->namelist_debug = pc->namelist_debug;
	/*
	 * crash keeps link-time minus run-time, in an unsigned word; here is
	 * where that is turned.
	 */
	out->virt_offset = -(int64_t)(long)kt->relocate;
#ifdef X86_64
	out->arch = KREL_ARCH_X86_64;
	out->phys_base = (int64_t)machdep->machspec->phys_base;
#else
	out->arch = KREL_ARCH_I386;
	out->page_offset = machdep->kvbase;
#endif
}

/* ------------------------------------------------------------- memory */

/* readmem() says only "no"; the dump's own reader says why. */
static enum krel_status why_not(uint64_t pa)
{
	char byte;

	if (!DUMPFILE() || REMOTE() || !pc->readmem)
		return KREL_ABSENT;
	switch (READMEM(pc->dfd, &byte, 1, 0, pa)) {
	case PAGE_EXCLUDED:
		return KREL_FILTERED;
#ifdef PAGE_INCOMPLETE
	case PAGE_INCOMPLETE:
		return KREL_UNREADABLE;
#endif
	default:
		return KREL_ABSENT;
	}
}

static enum krel_status read_part(uint64_t pa, void *buf, size_t len)
{
	if (krel_crash_interrupted(NULL))
		return KREL_INTERRUPTED;
	if (readmem(pa, PHYSADDR, buf, (long)len, "krel",
		    RETURN_ON_ERROR | QUIET))
		return KREL_OK;
	return why_not(pa);
}

static enum krel_status host_read(void *arg, uint64_t pa, void *buf,
				  size_t len, struct krel_error *err)
{
	uint8_t *to = buf;

	(void)arg;
	while (len > 0) {
		size_t part = 4096 - (size_t)(pa & 4095);
		enum krel_status got;

		if (part > len)
			part = len;
		got = read_part(pa, to, part);
		if (got != KREL_OK) {
			if (err)
				snprintf(err->text, sizeof(err->text),
					 "crash cannot read physical 0x%llx",
					 (unsigned long long)pa);
			return got;
		}
		pa += part;
		to += part;
		len -= part;
	}
	return KREL_OK;
}

static bool present(uint64_t pa)
{
	char byte;
	enum krel_status got = read_part(pa, &byte, 1);

	return got == KREL_OK || got == KREL_FILTERED;
}

/*
 * crash has no list of memory that is there in all sessions and formats, so
 * feel for it: from @pa on in steps, until a hole is larger than any that
 * machines have.
 */
static enum krel_status host_next(void *arg, uint64_t pa,
				  struct krel_range *out)
{
	struct krel_crash_reader *r = arg;
	uint64_t at = pa;

	if (r->known.size && pa >= r->known.pa &&
	    pa - r->known.pa < r->known.size) {
		*out = r->known;
		return KREL_OK;
	}
	while (!present(at)) {
		uint64_t up = (at / STEP + 1) * STEP;

		if (up < at || up - pa > MAX_GAP || krel_crash_interrupted(NULL))
			return KREL_ABSENT;
		at = up;
	}
	r->known.pa = at;
	r->known.size = CHUNK - at % CHUNK;
	*out = r->known;
	return KREL_OK;
}

const struct krel_host_ops krel_crash_host_ops = {
	.read = host_read,
	.next = host_next,
};

/* --------------------------------------------------------- VMCOREINFO */

static const char *const keys[] = {
	"OSRELEASE", "BUILD-ID", "PAGESIZE", "KERNELOFFSET",
	"NUMBER(phys_base)", "SYMBOL(_stext)", "SYMBOL(swapper_pg_dir)",
	"SYMBOL(init_uts_ns)", "SYMBOL(init_top_pgt)",
	"SYMBOL(init_level4_pgt)", "NUMBER(pgtable_l5_enabled)",
	"CONFIG_X86_PAE",
};

/* One value, to be freed; NULL when the dump's own note lacks it. */
static char *note_value(const char *key)
{
	ulonglong gdb_init = pc->flags & GDB_INIT;
	char *value;

	/*
	 * Since 9.0.2 (and in 9.0.1's development) crash looks in memory,
	 * through its own symbols, for a note that the dump lacks. That may
	 * longjmp, and those symbols are what is in question. Before gdb is
	 * up it does not.
	 */
	pc->flags &= ~GDB_INIT;
	value = pc->read_vmcoreinfo(key);
	pc->flags |= gdb_init;
	return value;
}

size_t krel_crash_vmcoreinfo(char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	/* Only with these does crash read the dump's own note. */
	if (!(pc->flags & (DISKDUMP | KDUMP | NETDUMP)) ||
	    !pc->read_vmcoreinfo)
		return 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) &&
	     !krel_crash_interrupted(NULL); i++) {
		char *value = note_value(keys[i]);
		size_t room = size - used;
		int n;

		if (!value)
			continue;
		n = snprintf(buf + used, room, "%s=%s\n", keys[i], value);
		free(value);
		if (n < 0 || (size_t)n >= room) {
			buf[used] = '\0';
			break;
		}
		used += (size_t)n;
	}
	return used;
}

/* ------------------------------------------------------------- SIGINT */

static volatile sig_atomic_t stop;
static struct sigaction before;

static void on_sigint(int sig)
{
	(void)sig;
	stop = 1;
}

void krel_crash_sigint_begin(void)
{
	struct sigaction act;

	memset(&act, 0, sizeof(act));
	act.sa_handler = on_sigint;
	act.sa_flags = SA_RESTART;
	sigemptyset(&act.sa_mask);
	stop = 0;
	sigaction(SIGINT, &act, &before);
}

void krel_crash_sigint_end(void)
{
	sigaction(SIGINT, &before, NULL);
}

bool krel_crash_interrupted(void *arg)
{
	(void)arg;
	return stop != 0;
}

/* ------------------------------------------------------------- loading */

static void __attribute__((constructor)) krel_load(void)
{
	register_extension(command_table);
	if (!krel_crash_matches())
		fprintf(fp, "krel: built for crash %s, this is %s: only "
			"\"krel help\" will work\n", krel_crash_built_for(),
			krel_crash_running());
}
