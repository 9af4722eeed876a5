// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The directives that build a world. They act in the order written: what is
 * changed after kernel-at changes the vmlinux, not the kernel in memory.
 */
#include "scene.h"

#include <string.h>

#include "../../lib/vmcoreinfo.h"

static bool arch_of(const char *text, enum krel_arch *arch)
{
	static const struct {
		const char *name;
		enum krel_arch arch;
	} known[] = {
		{ "x86-64", KREL_ARCH_X86_64 },
		{ "x86-32", KREL_ARCH_I386 },
		{ "unknown", KREL_ARCH_UNKNOWN },
	};

	for (size_t i = 0; i < 3; i++)
		if (strcmp(known[i].name, text) == 0) {
			*arch = known[i].arch;
			return true;
		}
	return false;
}

static struct place place_arg(struct world *w, struct line *l)
{
	return (struct place){
		(int64_t)arg_number(w, l, "virt", (uint64_t)w->truth.virt),
		(int64_t)arg_number(w, l, "phys_base",
				    (uint64_t)w->truth.phys_base),
	};
}

static bool do_arch(struct world *w, struct line *l)
{
	enum krel_arch arch;

	if (l->argc < 2 || !arch_of(l->argv[1], &arch) || !arch)
		return fail(w, "arch: expected x86-64 or x86-32");
	l->used[1] = true;
	w->image.facts.arch = arch;
	return kernel_default(w, arch, arch == KREL_ARCH_X86_64 ?
			      UINT64_C(0xffffffff80000000) :
			      arg_number(w, l, "page-offset", 0xc0000000));
}

static bool do_image_arch(struct world *w, struct line *l)
{
	if (l->argc < 2 || !arch_of(l->argv[1], &w->image.facts.arch))
		return fail(w, "image-arch: which?");
	l->used[1] = true;
	return true;
}

static bool do_no_kernel(struct world *w, struct line *l)
{
	(void)l;
	w->linked.given = false;
	return true;
}

static bool do_system_map(struct world *w, struct line *l)
{
	(void)l;
	w->linked.is_map = true;
	return true;
}

static bool do_sym(struct world *w, struct line *l)
{
	if (l->argc < 3)
		return fail(w, "sym: expected NAME VA");
	l->used[1] = true;
	return kernel_sym(w, l->argv[1], word_number(w, l, 2));
}

static bool do_no_sym(struct world *w, struct line *l)
{
	if (l->argc < 2)
		return fail(w, "no-sym: expected NAME");
	l->used[1] = true;
	return kernel_no_sym(w, l->argv[1]);
}

/* word NAME VALUE: what the vmlinux holds at a symbol. */
static bool do_word(struct world *w, struct line *l)
{
	struct linked *k = &w->linked;
	uint64_t va;

	if (l->argc < 3 || !kernel_find(w, l->argv[1], &va) ||
	    k->nr_words == WORLD_WORDS)
		return fail(w, "word: expected SYMBOL VALUE");
	l->used[1] = true;
	for (size_t i = 0; i < k->nr_words; i++)
		if (k->word[i].va == va)
			k->word[i].va = 0;
	k->word[k->nr_words++] = (struct word){ va, word_number(w, l, 2) };
	return true;
}

static bool do_build_id(struct world *w, struct line *l)
{
	memset(&w->linked.id, 0, sizeof(w->linked.id));
	if (l->argc == 2 && (strcmp(l->argv[1], "none") == 0 ||
			     krel_build_id_parse(l->argv[1], &w->linked.id)))
		return l->used[1] = true;
	return fail(w, "build-id: expected hex or none");
}

static bool do_banner(struct world *w, struct line *l)
{
	memset(l->used, true, sizeof(l->used));
	snprintf(w->linked.banner, sizeof(w->linked.banner), "%s",
		 strcmp(l->rest, "none") == 0 ? "" : l->rest);
	return true;
}

static bool do_memory(struct world *w, struct line *l)
{
	uint64_t from = word_number(w, l, 1), to = word_number(w, l, 2);

	return !w->why[0] && (l->argv[0][0] == 'h' ?
			      memory_cut(w, from, to) :
			      memory_add(w, from, to));
}

static bool do_fault(struct world *w, struct line *l)
{
	enum krel_status st = l->argv[0][0] == 'f' ? KREL_FILTERED :
		l->argv[0][0] == 'u' ? KREL_UNREADABLE : KREL_CORRUPT;

	return memory_fault(w, word_number(w, l, 1), l->argc > 2 ?
			    word_number(w, l, 2) : KREL_PAGE_SIZE, st);
}

static bool do_kernel_at(struct world *w, struct line *l)
{
	struct place at = place_arg(w, l);

	if (l->argv[0][0] == 'k') {
		w->truth = at;
		w->has_truth = true;
	}
	return kernel_plant(w, &at);
}

static bool do_note_of(struct world *w, struct line *l)
{
	struct place at = place_arg(w, l);
	size_t used = strlen(w->vmcoreinfo);

	if (used > NOTE_TEXT)
		return fail(w, "note-of: no room");
	kernel_note(w, &at, w->vmcoreinfo + used);
	return true;
}

static bool do_memory_note(struct world *w, struct line *l)
{
	struct place at = place_arg(w, l);

	return kernel_plant_note(w, &at, word_number(w, l, 1));
}

static bool do_vmcoreinfo(struct world *w, struct line *l)
{
	size_t used = strlen(w->vmcoreinfo);

	memset(l->used, true, sizeof(l->used));
	snprintf(w->vmcoreinfo + used, sizeof(w->vmcoreinfo) - used, "%s\n",
		 l->rest);
	return true;
}

/* vmcoreinfo-drop KEY: take a line out again. */
static bool do_vmcoreinfo_drop(struct world *w, struct line *l)
{
	char *at = w->vmcoreinfo;
	size_t len;

	if (l->argc < 2)
		return fail(w, "vmcoreinfo-drop: expected KEY");
	l->used[1] = true;
	len = strlen(l->argv[1]);
	while (*at && (strncmp(at, l->argv[1], len) != 0 || at[len] != '='))
		at += strcspn(at, "\n") + 1;
	if (!*at)
		return fail(w, "vmcoreinfo-drop: no %s", l->argv[1]);
	len = strcspn(at, "\n") + 1;
	memmove(at, at + len, strlen(at + len) + 1);
	return true;
}

static bool do_put(struct world *w, struct line *l)
{
	size_t bytes = strcmp(l->argv[0], "u64") == 0 ? 8 : 4;
	uint64_t pa = word_number(w, l, 1);

	return memory_put(w, pa, word_number(w, l, 2), bytes);
}

static bool do_zero(struct world *w, struct line *l)
{
	uint64_t pa = word_number(w, l, 1), size = word_number(w, l, 2);

	for (uint64_t i = 0; i < size; i++)
		if (!memory_put(w, pa + i, 0, 1))
			return false;
	return true;
}

static bool do_copy(struct world *w, struct line *l)
{
	uint64_t from = word_number(w, l, 1), to = word_number(w, l, 2);

	return memory_copy(w, from, to, word_number(w, l, 3));
}

static bool do_tables(struct world *w, struct line *l)
{
	w->tables = word_number(w, l, 1);
	return true;
}

static bool do_map(struct world *w, struct line *l)
{
	struct mapping m = {
		.root = arg_number(w, l, "root", 0),
		.va = arg_number(w, l, "va", 0),
		.pa = arg_number(w, l, "pa", 0),
		.leaf = arg_number(w, l, "leaf", 0x1000),
		.mode = arg(l, "mode"), .perm = arg(l, "perm"),
	};

	m.len = arg_number(w, l, "len", m.leaf);
	if (!m.mode || !m.perm)
		return fail(w, "map: expected mode= and perm=");
	return tables_map(w, &m);
}

static bool do_kernel_tables(struct world *w, struct line *l)
{
	struct place at = place_arg(w, l);
	const char *mode = arg(l, "mode");

	if (!mode)
		return fail(w, "kernel-tables: expected mode=");
	return kernel_tables(w, arg_number(w, l, "root", 0), mode,
			     arg_number(w, l, "leaf", 0x1000), &at);
}

static bool do_cpu(struct world *w, struct line *l)
{
	size_t nr = w->image.facts.nr_cpus;

	if (nr == WORLD_RANGES)
		return fail(w, "too many CPUs");
	w->cpu[nr] = (struct krel_cpu){
		.index = (unsigned int)nr,
		.cr0 = arg_number(w, l, "cr0", 0x80050033),
		.cr3 = arg_number(w, l, "cr3", 0),
		.cr4 = arg_number(w, l, "cr4", 0x6f0),
		.idt_base = arg_number(w, l, "idt", 0),
		.rip = arg_number(w, l, "rip", 0),
	};
	w->image.facts.nr_cpus++;
	return true;
}

static bool do_segment(struct world *w, struct line *l)
{
	size_t nr = w->image.facts.nr_segments;

	if (nr == WORLD_RANGES)
		return fail(w, "too many segments");
	w->segment[nr] = (struct krel_segment){
		.va = arg_number(w, l, "va", 0),
		.pa = arg_number(w, l, "pa", 0),
		.filesz = arg_number(w, l, "size", 0),
		.memsz = arg_number(w, l, "size", 0),
	};
	w->image.facts.nr_segments++;
	return true;
}

static bool do_option(struct world *w, struct line *l)
{
	if (l->argc != 2 || strcmp(l->argv[1], "all-anchors") != 0)
		return fail(w, "option: which?");
	w->options.all_anchors = true;
	return l->used[1] = true;
}

static const struct {
	const char *name;
	bool (*run)(struct world *w, struct line *l);
} directives[] = {
	{ "arch", do_arch }, { "image-arch", do_image_arch },
	{ "no-kernel", do_no_kernel }, { "system-map", do_system_map },
	{ "sym", do_sym }, { "no-sym", do_no_sym }, { "word", do_word },
	{ "build-id", do_build_id }, { "banner", do_banner },
	{ "memory", do_memory }, { "hole", do_memory },
	{ "filtered", do_fault }, { "unreadable", do_fault },
	{ "corrupt", do_fault },
	{ "kernel-at", do_kernel_at }, { "decoy-at", do_kernel_at },
	{ "note-of", do_note_of }, { "memory-note", do_memory_note },
	{ "vmcoreinfo", do_vmcoreinfo },
	{ "vmcoreinfo-drop", do_vmcoreinfo_drop },
	{ "u32", do_put }, { "u64", do_put }, { "zero", do_zero },
	{ "copy", do_copy }, { "tables", do_tables }, { "map", do_map },
	{ "kernel-tables", do_kernel_tables }, { "cpu", do_cpu },
	{ "segment", do_segment }, { "option", do_option },
	{ "given", given_line },
};

bool world_line(struct world *w, struct line *l)
{
	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
		if (strcmp(directives[i].name, l->argv[0]) != 0)
			continue;
		if (!directives[i].run(w, l) || w->why[0])
			return fail(w, "%s: failed", l->argv[0]);
		for (int j = 1; j < l->argc; j++)
			if (!l->used[j])
				return fail(w, "%s: what is \"%s\"?",
					    l->argv[0], l->argv[j]);
		return true;
	}
	return fail(w, "unknown directive %s", l->argv[0]);
}
