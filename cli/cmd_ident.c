// SPDX-License-Identifier: GPL-2.0-or-later
/* krel ident: what is this dump? No vmlinux needed. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { OPT_JSON = 256, OPT_FORMAT, OPT_PHYS_MAP };

static const struct option options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "phys-map", required_argument, NULL, OPT_PHYS_MAP },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static void print_text(const struct krel_result *r, const char *dump)
{
	char hex[2 * KREL_BUILD_ID_MAX + 1];

	printf("dump:       %s\n", dump);
	printf("format:     %s%s%s%s\n", r->format,
	       r->format_detail[0] ? " (" : "", r->format_detail,
	       r->format_detail[0] ? ")" : "");
	printf("arch:       %s\n", krel_arch_name(r->arch));
	printf("release:    %s\n", r->image.release[0] ? r->image.release :
	       "unknown");
	printf("build-id:   %s\n", r->image.build_id.len ?
	       krel_build_id_text(&r->image.build_id, hex) : "unknown");
	if (r->image.banner[0])
		printf("banner:     %s\n", r->image.banner);
	if (r->cpus)
		printf("CPUs:       %u\n", r->cpus);
	else
		printf("CPUs:       unknown\n");
	printf("VMCOREINFO: %s\n", r->has_vmcoreinfo ? "yes" : "no");
	for (unsigned int i = 0; i < r->nr_warnings; i++)
		printf("warning:    %s\n", r->warning[i]);
}

static int identify(const char *dump, const char *format,
		    const char *phys_map, bool json)
{
	struct krel_result *r = malloc(sizeof(*r));
	struct krel_error err = { "out of memory" };
	enum krel_status st = KREL_NOMEM;
	struct krel_image *img = NULL;
	int code = KREL_EXIT_DUMP;

	if (r)
		st = krel_cli_open(dump, format, phys_map, &img, &err);
	if (st == KREL_INVALID)
		code = KREL_EXIT_USAGE;
	if (st == KREL_OK)
		st = krel_identify(img, NULL, r, &err);
	if (st != KREL_OK) {
		krel_cli_fail(code, &err);
	} else {
		code = r->image.release[0] ? KREL_EXIT_OK :
			KREL_EXIT_UNSOLVED;
		if (!json)
			print_text(r, dump);
		else if (!krel_cli_json(r, dump, NULL))
			code = KREL_EXIT_DUMP;
	}
	krel_image_close(img);
	free(r);
	return code;
}

static int run(int argc, char **argv)
{
	const char *format = NULL, *phys_map = NULL;
	bool json = false;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case OPT_JSON:
			json = true;
			break;
		case OPT_FORMAT:
			format = optarg;
			break;
		case OPT_PHYS_MAP:
			phys_map = optarg;
			break;
		case 'h':
			printf("usage: krel ident %s\n",
			       krel_cmd_ident.synopsis);
			return 0;
		default:
			return krel_cli_usage(&krel_cmd_ident, NULL);
		}
	}
	if (optind + 1 != argc)
		return krel_cli_usage(&krel_cmd_ident,
				      "expected exactly one dump");
	return identify(argv[optind], format, phys_map, json);
}

const struct krel_command krel_cmd_ident = {
	.name = "ident",
	.synopsis = "[--json] [--format elf|kdump|lime|avml|raw] [--phys-map MAP] DUMP",
	.summary = "say what a dump is, without a vmlinux",
	.run = run,
};
