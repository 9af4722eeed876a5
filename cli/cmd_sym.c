// SPDX-License-Identifier: GPL-2.0-or-later
/* krel sym: run-time addresses by the image's own kallsyms. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { OPT_ALL = 256, OPT_FORMAT, OPT_PHYS_MAP };

static const struct option options[] = {
	{ "all", no_argument, NULL, OPT_ALL },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "phys-map", required_argument, NULL, OPT_PHYS_MAP },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct request {
	const char *dump, *format, *phys_map;
	bool all;
	char **name;
	int nr_names;
};

struct match {
	int name;
	char type;
	uint64_t address;
};

/* One pass over the symbols serves all names. */
struct search {
	const struct request *q;
	struct match *match;
	size_t nr, room;
	bool nomem;
	int digits;
};

static void print_one(int digits, uint64_t address, char type,
		      const char *name)
{
	printf("%0*" PRIx64 " %c %s\n", digits, address, type, name);
}

static bool add(struct search *s, int name, const struct krel_symbol *sym)
{
	if (s->nr == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct match *more = realloc(s->match, room * sizeof(*more));

		if (!more) {
			s->nomem = true;
			return false;
		}
		s->match = more;
		s->room = room;
	}
	s->match[s->nr++] = (struct match){ name, sym->type, sym->address };
	return true;
}

static bool visit(void *arg, const struct krel_symbol *sym)
{
	struct search *s = arg;

	if (s->q->all) {
		print_one(s->digits, sym->address, sym->type, sym->name);
		return true;
	}
	for (int i = 0; i < s->q->nr_names; i++)
		if (strcmp(sym->name, s->q->name[i]) == 0 && !add(s, i, sym))
			return false;
	return true;
}

/* In the order that they were asked for. */
static int print_matches(const struct search *s)
{
	int code = KREL_EXIT_OK;

	for (int i = 0; i < s->q->nr_names; i++) {
		bool any = false;

		for (size_t j = 0; j < s->nr; j++) {
			if (s->match[j].name != i)
				continue;
			print_one(s->digits, s->match[j].address,
				  s->match[j].type, s->q->name[i]);
			any = true;
		}
		if (any)
			continue;
		fprintf(stderr, "krel: %s: no symbol \"%s\" in its kallsyms\n",
			s->q->dump, s->q->name[i]);
		code = KREL_EXIT_UNSOLVED;
	}
	return code;
}

static int answer(const struct request *q, const struct krel_symbols *syms)
{
	struct search s = {
		.q = q,
		.digits = krel_symbols_arch(syms) == KREL_ARCH_I386 ? 8 : 16,
	};
	int code = KREL_EXIT_OK;

	if (!krel_symbols_placed(syms))
		fprintf(stderr, "krel: %s: nothing bears out that the kernel of these symbols ran: compare with krel show\n",
			q->dump);
	krel_symbols_each(syms, visit, &s);
	if (s.nomem) {
		fputs("krel: out of memory\n", stderr);
		code = KREL_EXIT_DUMP;
	} else if (!q->all) {
		code = print_matches(&s);
	}
	free(s.match);
	return code;
}

static int code_of(enum krel_status st)
{
	switch (st) {
	case KREL_INTERRUPTED:
		return 130;
	case KREL_CONTRADICTS:
		return KREL_EXIT_AMBIGUOUS;
	case KREL_NOMEM:
		return KREL_EXIT_DUMP;
	default:
		return KREL_EXIT_UNSOLVED;
	}
}

static int find(const struct request *q)
{
	struct krel_symbols *syms = NULL;
	struct krel_image *img = NULL;
	struct krel_error err = { "" };
	enum krel_status st;
	int code;

	st = krel_cli_open(q->dump, q->format, q->phys_map, &img, &err);
	if (st != KREL_OK)
		return krel_cli_fail(st == KREL_INVALID ? KREL_EXIT_USAGE :
				     KREL_EXIT_DUMP, &err);
	st = krel_symbols_find(img, NULL, &syms, &err);
	if (st == KREL_OK) {
		code = answer(q, syms);
	} else {
		fprintf(stderr, "krel: %s: %s\n", q->dump, err.text);
		code = code_of(st);
	}
	krel_symbols_free(syms);
	krel_image_close(img);
	return code;
}

static int run(int argc, char **argv)
{
	struct request q = { 0 };
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case OPT_ALL:
			q.all = true;
			break;
		case OPT_FORMAT:
			q.format = optarg;
			break;
		case OPT_PHYS_MAP:
			q.phys_map = optarg;
			break;
		case 'h':
			printf("usage: krel sym %s\n", krel_cmd_sym.synopsis);
			return 0;
		default:
			return krel_cli_usage(&krel_cmd_sym, NULL);
		}
	}
	if (optind == argc)
		return krel_cli_usage(&krel_cmd_sym,
				      "expected a dump, found none");
	q.dump = argv[optind++];
	q.name = argv + optind;
	q.nr_names = argc - optind;
	if (q.all != (q.nr_names == 0))
		return krel_cli_usage(&krel_cmd_sym, q.all ?
				      "--all takes no names" :
				      "expected names of symbols, or --all");
	return find(&q);
}

const struct krel_command krel_cmd_sym = {
	.name = "sym",
	.synopsis = "[--format elf|kdump|lime|avml|raw] [--phys-map MAP]"
		" DUMP NAME... | --all DUMP",
	.summary = "run-time addresses of symbols, without a vmlinux",
	.run = run,
};
