// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs scenes: build the world, ask libkrel once, compare.
 *	scene FILE...
 * prints "ok NAME" or "not ok NAME: why" for each, and a summary.
 */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LINES	600
#define MAX_LINE	400

struct file {
	char name[64];
	char line[MAX_LINES][MAX_LINE];
	int nr;
};

static unsigned int passed, failed;

/* Split a copy of @text at white space; false for blanks and comments. */
static bool split(const char *text, char *copy, struct line *l)
{
	char *save, *word;

	memset(l, 0, sizeof(*l));
	snprintf(copy, MAX_LINE, "%s", text);
	for (word = strtok_r(copy, " \t", &save); word && l->argc < 16;
	     word = strtok_r(NULL, " \t", &save))
		l->argv[l->argc++] = word;
	if (l->argc == 0 || l->argv[0][0] == '#')
		return false;
	l->rest = text + (l->argv[0] - copy) + strlen(l->argv[0]);
	l->rest += strspn(l->rest, " \t");
	return true;
}

static bool load(const char *path, struct file *f)
{
	FILE *in = fopen(path, "r");
	const char *base = strrchr(path, '/');

	f->nr = 0;
	snprintf(f->name, sizeof(f->name), "%s", base ? base + 1 : path);
	f->name[strcspn(f->name, ".")] = '\0';
	if (!in)
		return false;
	while (f->nr < MAX_LINES && fgets(f->line[f->nr], MAX_LINE, in)) {
		f->line[f->nr][strcspn(f->line[f->nr], "\n")] = '\0';
		f->nr++;
	}
	fclose(in);
	return f->nr < MAX_LINES;
}

/* Both reports must be printable whatever the answer is. */
static void report(const struct krel_result *r)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	krel_report_text(r, "scene", out);
	krel_report_anchors(r, out);
	fclose(out);
	if (getenv("SCENE_SHOW"))
		fputs(text, stdout);
	free(text);
}

static void solve(struct world *w, struct answer *a)
{
	struct krel_kernel *k = NULL;
	struct krel_error err = { "" };

	w->image.ops = &memory_ops;
	w->image.priv = w;
	w->image.facts.segment = w->segment;
	w->image.facts.cpu = w->cpu;
	w->image.facts.ncpus = (unsigned int)w->image.facts.nr_cpus;
	snprintf(w->image.facts.format, sizeof(w->image.facts.format),
		 "scene");
	if (w->vmcoreinfo[0]) {
		w->image.facts.vmcoreinfo = w->vmcoreinfo;
		w->image.facts.vmcoreinfo_len = strlen(w->vmcoreinfo);
	}
	if (w->linked.given && !kernel_make(w, &k))
		goto out;
	a->status = krel_solve(&w->image, k, &w->options, &a->r, &err);
	if (a->status == KREL_OK)
		report(&a->r);
out:
	if (k)
		krel_kernel_close(k);
}

/* The lines that belong to a scene: the prelude, and its own. */
static void run_lines(const struct file *f, int prelude, int from, int to,
		      struct world *w, struct answer *a, bool expects)
{
	unsigned int nr = 0;

	for (int i = 0; i < to && !w->why[0]; i++) {
		char copy[MAX_LINE];
		struct line l;

		if ((i >= prelude && i < from) || !split(f->line[i], copy, &l))
			continue;
		if ((strcmp(l.argv[0], "expect") == 0) != expects)
			continue;
		nr++;
		if (!(expects ? expect_line(w, &l, a) : world_line(w, &l)))
			snprintf(w->why + strlen(w->why),
				 sizeof(w->why) - strlen(w->why),
				 " (line %d)", i + 1);
	}
	if (nr == 0)
		fail(w, "nothing is %s", expects ? "expected" : "built");
}

static void run_scene(const struct file *f, const char *name, int prelude,
		      int from, int to)
{
	struct world *w = calloc(1, sizeof(*w));
	struct answer *a = calloc(1, sizeof(*a));

	if (!w || !a)
		abort();
	run_lines(f, prelude, from, to, w, a, false);
	if (!w->why[0])
		solve(w, a);
	if (!w->why[0])
		expect_rules(w, a);
	if (!w->why[0])
		run_lines(f, prelude, from, to, w, a, true);
	if (w->why[0]) {
		printf("not ok %s/%s: %s\n", f->name, name, w->why);
		failed++;
	} else {
		printf("ok %s/%s\n", f->name, name);
		passed++;
	}
	memory_free(w);
	free(a);
	free(w);
}

/* "scene NAME" begins one; returns its name, or NULL. */
static const char *scene_name(const char *line)
{
	return strncmp(line, "scene ", 6) == 0 ? line + 6 : NULL;
}

static void run_file(const struct file *f)
{
	const char *only = getenv("SCENE_ONLY");
	int prelude = 0, from, to;

	while (prelude < f->nr && !scene_name(f->line[prelude]))
		prelude++;
	if (prelude == f->nr) {
		printf("not ok %s: no scene in it\n", f->name);
		failed++;
	}
	for (from = prelude; from < f->nr; from = to) {
		const char *name = scene_name(f->line[from]);

		for (to = from + 1; to < f->nr; to++)
			if (scene_name(f->line[to]))
				break;
		if (!only || strcmp(only, name) == 0)
			run_scene(f, name, prelude, from + 1, to);
	}
}

int main(int argc, char **argv)
{
	struct file *f = malloc(sizeof(*f));

	if (!f)
		abort();
	for (int i = 1; i < argc; i++) {
		if (load(argv[i], f)) {
			run_file(f);
			continue;
		}
		printf("not ok %s: cannot be read, or is too long\n", argv[i]);
		failed++;
	}
	free(f);
	printf("scenes: %u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
