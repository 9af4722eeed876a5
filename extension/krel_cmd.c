// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command `krel` of a crash session: words in, report out. Everything of
 * libkrel is closed before the first byte is printed, since crash may longjmp
 * out of a write when the reader of its output goes away.
 */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "crash_host.h"
#include "session_line.h"

struct request {
	const char *vmlinux;	/* -s; NULL: the session's */
	bool all_anchors;	/* -a */
	bool through_crash;	/* -r */
	bool anchors_only;	/* `krel anchors` */
};

/* What a run leaves behind; a plain value, too large for crash's stack. */
struct answer {
	enum krel_status status;
	struct krel_error err;		/* why it failed */
	struct krel_error note;		/* why crash had to read */
	struct krel_crash_state state;
	struct krel_result result;
};

static struct answer answer;

static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(krel_crash_out(), fmt, ap);
	va_end(ap);
}

/* ---------------------------------------------------------------- run */

/* The session's memory as an image that crash reads. */
static enum krel_status open_through_crash(struct answer *a,
					   struct krel_crash_reader *reader,
					   struct krel_image **img)
{
	char note[4096];
	size_t len = krel_crash_vmcoreinfo(note, sizeof(note));
	const struct krel_host_facts facts = {
		.format = "read by crash",
		.arch = a->state.arch,
		.vmcoreinfo = len ? note : NULL,
		.vmcoreinfo_len = len,
	};

	memset(reader, 0, sizeof(*reader));
	return krel_image_host(&krel_crash_host_ops, reader, &facts, img,
			       &a->err);
}

static enum krel_status open_image(const struct request *req, struct answer *a,
				   struct krel_crash_reader *reader,
				   struct krel_image **img)
{
	enum krel_status st;

	if (!req->through_crash && a->state.dumpfile) {
		st = krel_image_open(a->state.dumpfile, NULL, img, &a->note);
		if (st == KREL_OK || st == KREL_NOMEM)
			return st;
	}
	return open_through_crash(a, reader, img);
}

/* The debug half, when the namelist itself was stripped of its symbols. */
static enum krel_status open_kernel(const struct request *req,
				    struct answer *a, struct krel_kernel **k)
{
	enum krel_status st;

	if (req->vmlinux)
		return krel_kernel_open(req->vmlinux, k, &a->err);
	if (!a->state.namelist) {
		snprintf(a->err.text, sizeof(a->err.text), "this session has "
			 "no vmlinux: name one with -s");
		return KREL_ABSENT;
	}
	st = krel_kernel_open(a->state.namelist, k, &a->err);
	if (st != KREL_ABSENT || !a->state.namelist_debug)
		return st;
	return krel_kernel_open(a->state.namelist_debug, k, &a->err);
}

static enum krel_status solve(const struct request *req, struct answer *a)
{
	const struct krel_options opts = {
		.all_anchors = req->all_anchors,
		.interrupted = krel_crash_interrupted,
	};
	struct krel_crash_reader reader;
	struct krel_image *img = NULL;
	struct krel_kernel *k = NULL;
	enum krel_status st;

	st = open_kernel(req, a, &k);
	if (st == KREL_OK)
		st = open_image(req, a, &reader, &img);
	if (st == KREL_OK && !krel_crash_interrupted(NULL))
		st = krel_solve(img, k, &opts, &a->result, &a->err);
	krel_image_close(img);
	krel_kernel_close(k);
	/* Ctrl-C makes reads fail: what came after it is worth nothing. */
	return krel_crash_interrupted(NULL) ? KREL_INTERRUPTED : st;
}

/* -------------------------------------------------------------- words */

static void print(const struct request *req, const struct answer *a)
{
	char line[KREL_SESSION_LINE];

	if (a->note.text[0])
		say("krel: reading through crash, since %s\n", a->note.text);
	if (a->status == KREL_INTERRUPTED) {
		say("krel: interrupted; nothing was changed\n");
		return;
	}
	if (a->status != KREL_OK) {
		say("krel: %s\n", a->err.text[0] ? a->err.text :
		    krel_status_name(a->status));
		return;
	}
	if (req->anchors_only) {
		krel_report_anchors(&a->result, krel_crash_out());
		return;
	}
	krel_report_text(&a->result, a->state.source, krel_crash_out());
	say("%s\n", krel_session_line(&a->state, &a->result, line));
	if (req->all_anchors)
		krel_report_anchors(&a->result, krel_crash_out());
}

static void run(const struct request *req)
{
	memset(&answer, 0, sizeof(answer));
	krel_crash_state(&answer.state);
	if (!answer.state.linux_kernel) {
		say("krel: this is a Xen hypervisor session, "
		    "not one of a Linux kernel\n");
		return;
	}
	krel_crash_sigint_begin();
	answer.status = solve(req, &answer);
	krel_crash_sigint_end();
	print(req, &answer);
}

/* Options after the subcommand; crash's own commands use getopt too. */
static bool parse(int argc, char **argv, struct request *req)
{
	int c;

	optind = 0;	/* scan afresh */
	while ((c = getopt(argc, argv, "s:ar")) != -1) {
		switch (c) {
		case 's':
			req->vmlinux = optarg;
			break;
		case 'a':
			req->all_anchors = true;
			break;
		case 'r':
			req->through_crash = true;
			break;
		default:
			return false;
		}
	}
	return optind == argc;
}

static bool may_look(void)
{
	if (krel_crash_matches())
		return true;
	say("krel: built for crash %s, this is %s: another crash keeps its "
	    "data in another way, so none of it is touched; rebuild with "
	    "CRASH_INCLUDE=<folder of its defs.h> CRASH_VERSION=%s, or use "
	    "krel in the shell\n",
	    krel_crash_built_for(), krel_crash_running(),
	    krel_crash_running());
	return false;
}

void krel_cmd(void)
{
	struct request req = { 0 };
	char **argv;
	int argc = krel_crash_args(&argv);
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "help") == 0) {
		krel_crash_help();
	} else if (strcmp(what, "--version") == 0) {
		say("krel %s, built for crash %s\n", KREL_VERSION,
		    krel_crash_built_for());
	} else if (strcmp(what, "show") == 0 || strcmp(what, "anchors") == 0) {
		req.anchors_only = what[0] == 'a';
		if (!parse(argc - 1, argv + 1, &req))
			krel_crash_usage();
		req.all_anchors |= req.anchors_only;
		if (may_look())
			run(&req);
	} else {
		krel_crash_usage();
	}
}

/* crash prints these as formats: no per cent sign in them. */
char *krel_cmd_help[] = {
	"krel",
	"where the kernel really runs",
	"show [-s vmlinux] [-a] [-r]\n"
	"  krel anchors [-s vmlinux] [-r]\n"
	"  krel help | --version",

"  This command finds the relocation of the kernel in the dump: its virtual",
"  offset, which is the run-time minus the link-time address of its symbols,",
"  and on x86_64 its phys_base. It asks several independent places, named",
"  anchors: the VMCOREINFO note, the program headers, the page tables of each",
"  CPU, the interrupt descriptor table, the kernel's own build-id in memory,",
"  its VMCOREINFO note and kallsyms there, and its page tables by their shape.",
"  What it answers was verified by reading the build-id (or the banner) at the",
"  place so found; anything else is marked as unverified.",
"  Nothing in the session is changed.",
" ",
"  The last line of the report, SESSION, compares that with what crash uses.",
" ",
"    show        print the report.",
"    anchors     ask every anchor, and print one line with the arithmetic of",
"                each.",
"    -s vmlinux  compare with this kernel instead of the session's; it may be",
"                compressed.",
"    -a          ask also those anchors that are not needed, and print them.",
"    -r          read memory through crash even where the dumpfile itself can",
"                be read. This is done without asking for live systems and",
"                for formats that only crash knows. What makedumpfile has",
"                left out reads as zeros then, and CPU registers stay unseen.",
" ",
"  A run may be stopped with Ctrl-C.",
" ",
"  This works in minimal mode too. When crash cannot start on a dump, try",
"  \"crash --minimal\", and load krel there.",
"\nEXAMPLES",
"  A dump of a relocated x86-32 kernel, for which crash finds no offset:\n",
"    crash> krel show",
"    DUMP     vmcore: kdump-compressed (zlib), x86-32 PAE, 1 CPU",
"    KERNEL   6.1.192-krel, build-id 0a72bad2..., vmlinux matches (build-id)",
"    OFFSET   +0x5400000 (84 MiB), verified",
"    _text    link c1000000  run c6400000  physical 06400000",
"    ANCHORS  single: vmcoreinfo",
"    SESSION  crash uses offset 0x0, page_offset 0xc0000000: its symbols are wrong",
" ",
"  The same, compared with another vmlinux:\n",
"    crash> krel show -s /usr/lib/debug/boot/vmlinux-6.1.0-50-686-pae",
	NULL
};
