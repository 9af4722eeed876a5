// SPDX-License-Identifier: GPL-2.0-or-later
/* What the caller gives besides the image: numbers, and lines of files. */
#include "scene.h"

#include <string.h>

static bool given_number(struct world *w, struct line *l)
{
	struct krel_given *g = &w->given;
	uint64_t v = word_number(w, l, 2);
	const char *key = l->argv[1];

	if (strcmp(key, "virt-offset") == 0)
		g->virt_offset = (struct krel_s64){ true, (int64_t)v };
	else if (strcmp(key, "phys-base") == 0)
		g->phys_base = (struct krel_s64){ true, (int64_t)v };
	else if (strcmp(key, "cr3") == 0)
		g->cr3 = (struct krel_u64){ true, v };
	else if (strcmp(key, "levels") == 0)
		g->levels = (unsigned int)v;
	else
		return fail(w, "given: what is %s?", key);
	return true;
}

/* Add a line to a file, all behind its name. */
static bool given_text(struct world *w, struct line *l, char *text,
		       struct krel_text *out)
{
	const char *line = l->rest + strlen(l->argv[1]);
	size_t used = strlen(text);

	line += strspn(line, " \t");
	if (used + strlen(line) + 2 > sizeof(w->given_text[0]))
		return fail(w, "given: too much text");
	strcat(strcat(text, line), "\n");
	*out = (struct krel_text){ text, strlen(text) };
	for (int i = 2; i < l->argc; i++)
		l->used[i] = true;
	return true;
}

bool given_line(struct world *w, struct line *l)
{
	const struct {
		const char *name;
		struct krel_text *out;
	} texts[WORLD_TEXTS] = {
		{ "note", &w->given.vmcoreinfo },
		{ "kallsyms", &w->given.kallsyms },
		{ "iomem", &w->given.iomem }, { "dmesg", &w->given.dmesg },
	};

	if (l->argc < 3)
		return fail(w, "given: what?");
	w->options.given = &w->given;
	l->used[1] = true;
	for (size_t i = 0; i < WORLD_TEXTS; i++)
		if (strcmp(l->argv[1], texts[i].name) == 0)
			return given_text(w, l, w->given_text[i],
					  texts[i].out);
	return given_number(w, l);
}
