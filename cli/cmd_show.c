// SPDX-License-Identifier: GPL-2.0-or-later
/* krel show: the relocation of a dump. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "given.h"

struct request {
	const char *vmlinux, *map, *format, *phys_map, *dump;
	bool json, anchors;
	struct krel_cli_given given;
};

enum { OPT_JSON = 256, OPT_ANCHORS, OPT_FORMAT, OPT_PHYS_MAP };

static const struct option options[] = {
	{ "vmlinux", required_argument, NULL, 's' },
	{ "system-map", required_argument, NULL, 'S' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "anchors", no_argument, NULL, OPT_ANCHORS },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "phys-map", required_argument, NULL, OPT_PHYS_MAP },
	KREL_CLI_GIVEN_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* 0: go on; else the exit code plus one. */
static int parse(int argc, char **argv, struct request *q)
{
	int c;

	while ((c = getopt_long(argc, argv, "s:S:h", options, NULL)) != -1) {
		int given = krel_cli_given_take(&q->given, c, optarg);

		if (given < 0)
			return KREL_EXIT_USAGE + 1;
		if (given > 0)
			continue;
		switch (c) {
		case 's':
			q->vmlinux = optarg;
			break;
		case 'S':
			q->map = optarg;
			break;
		case OPT_JSON:
			q->json = true;
			break;
		case OPT_ANCHORS:
			q->anchors = true;
			break;
		case OPT_FORMAT:
			q->format = optarg;
			break;
		case OPT_PHYS_MAP:
			q->phys_map = optarg;
			break;
		case 'h':
			printf("usage: krel show %s\n", krel_cmd_show.synopsis);
			return 1;
		default:
			return krel_cli_usage(&krel_cmd_show, NULL) + 1;
		}
	}
	/* What was given may answer without a dump. */
	if (optind + 1 != argc && !(optind == argc && q->given.any))
		return krel_cli_usage(&krel_cmd_show, optind == argc ?
				      "expected a dump, found none" :
				      "expected one dump, found more: "
				      "the vmlinux goes with -s") + 1;
	if (q->vmlinux && q->map)
		return krel_cli_usage(&krel_cmd_show,
				      "-s and -S exclude each other") + 1;
	q->dump = optind < argc ? argv[optind] : NULL;
	return 0;
}

static enum krel_status open_kernel(const struct request *q,
				    struct krel_kernel **kernel,
				    struct krel_error *err)
{
	if (q->vmlinux)
		return krel_kernel_open(q->vmlinux, kernel, err);
	if (q->map)
		return krel_kernel_open_map(q->map, kernel, err);
	return KREL_OK;
}

static int print(const struct request *q, const struct krel_result *r)
{
	if (q->json) {
		if (!krel_cli_json(r, q->dump,
				   q->vmlinux ? q->vmlinux : q->map)) {
			fputs("krel: out of memory\n", stderr);
			return KREL_EXIT_DUMP;
		}
	} else {
		krel_report_text(r, q->dump ? q->dump : "none", stdout);
		if (q->anchors)
			krel_report_anchors(r, stdout);
	}
	return (int)krel_report_exit(r);
}

static int solve(const struct request *q, struct krel_image *img,
		 const struct krel_kernel *kernel)
{
	struct krel_options opts = {
		.all_anchors = q->anchors, .given = &q->given.given,
	};
	struct krel_result *r = malloc(sizeof(*r));
	struct krel_error err = { "out of memory" };
	enum krel_status st = KREL_NOMEM;
	int code;

	if (r)
		st = krel_solve(img, kernel, &opts, r, &err);
	code = st == KREL_OK ? print(q, r) :
		krel_cli_fail(krel_cli_code(st), &err);
	free(r);
	return code;
}

static int show(const struct request *q)
{
	struct krel_kernel *kernel = NULL;
	struct krel_image *img = NULL;
	struct krel_error err = { "" };
	enum krel_status st;
	int code;

	st = q->dump ? krel_cli_open(q->dump, q->format, q->phys_map,
				     &img, &err) :
		krel_cli_no_image(&img, &err);
	if (st != KREL_OK)
		return krel_cli_fail(st == KREL_INVALID ? KREL_EXIT_USAGE :
				     KREL_EXIT_DUMP, &err);
	st = open_kernel(q, &kernel, &err);
	code = st == KREL_OK ? solve(q, img, kernel) :
		krel_cli_fail(KREL_EXIT_MISMATCH, &err);
	krel_kernel_close(kernel);
	krel_image_close(img);
	return code;
}

static int run(int argc, char **argv)
{
	struct request q = { 0 };
	int code = parse(argc, argv, &q);

	code = code != 0 ? code - 1 : show(&q);
	krel_cli_given_free(&q.given);
	return code;
}

const struct krel_command krel_cmd_show = {
	.name = "show",
	.synopsis = "[-s VMLINUX | -S SYSTEM.MAP] [--json] [--anchors]\n"
		"            [--format elf|kdump|lime|avml|raw] [--phys-map MAP]"
		" [DUMP]\n"
		"            [--virt-offset N] [--phys-base N] [--cr3 N]"
		" [--levels N]\n"
		"            [--vmcoreinfo FILE] [--kallsyms FILE]"
		" [--iomem FILE]\n"
		"            [--dmesg FILE] [--boot-params FILE]",
	.summary = "derive and verify the relocation",
	.run = run,
};
