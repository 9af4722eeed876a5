// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel of a scene: as linked, for libkrel, and as it runs, in memory.
 * The run-time side is what Linux leaves there: every pointer that the
 * relocation moved is larger by the virtual offset, and
 *	x86-64: physical = run - ffffffff80000000 + phys_base
 *	x86-32: physical = run - PAGE_OFFSET
 */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#define NOTE_AHEAD	24	/* another note lies before the build-id */
#define NOTE_LEN	36

/* Distances from the start of the map, alike on both arches. */
static const struct {
	const char *name;
	uint32_t at;
	enum krel_arch only;
} layout[] = {
	{ "_text", 0x1000000, 0 },
	{ "_stext", 0x1000000, 0 },
	{ "__x64_sys_read", 0x1200040, KREL_ARCH_X86_64 },
	{ "asm_exc_divide_error", 0x1300100, 0 },
	{ "asm_exc_page_fault", 0x1300480, 0 },
	{ "linux_banner", 0x1400100, 0 },
	{ "sys_call_table", 0x1400400, 0 },
	{ "__start___param", 0x1500800, 0 },
	{ "__start_notes", 0x160100c, 0 },
	{ "__stop_notes", 0x160100c + NOTE_AHEAD + NOTE_LEN, 0 },
	{ "phys_base", 0x1710018, KREL_ARCH_X86_64 },
	{ "init_uts_ns", 0x1711040, 0 },
	{ "swapper_pg_dir", 0x1720000, KREL_ARCH_I386 },
	{ "level3_kernel_pgt", 0x1721000, KREL_ARCH_X86_64 },
	{ "level2_kernel_pgt", 0x1722000, KREL_ARCH_X86_64 },
	{ "idt_table", 0x1800000, 0 },
	{ "_end", 0x1c00000, 0 },
};

#define SYS_READ	0x1200040	/* link distances of what words */
#define PARAM_NAME	0x1401230	/* point to */

static size_t word_bytes(const struct world *w)
{
	return w->linked.arch == KREL_ARCH_X86_64 ? 8 : 4;
}

bool kernel_sym(struct world *w, const char *name, uint64_t va)
{
	struct linked *k = &w->linked;
	size_t i;

	for (i = 0; i < k->nr_syms; i++)
		if (strcmp(k->sym[i].name, name) == 0)
			break;
	if (i == WORLD_SYMS || strlen(name) >= sizeof(k->sym[i].name))
		return fail(w, "sym: too many, or too long");
	snprintf(k->sym[i].name, sizeof(k->sym[i].name), "%s", name);
	k->sym[i].va = va;
	if (i == k->nr_syms)
		k->nr_syms++;
	return true;
}

bool kernel_no_sym(struct world *w, const char *name)
{
	struct linked *k = &w->linked;

	for (size_t i = 0; i < k->nr_syms; i++)
		if (strcmp(k->sym[i].name, name) == 0) {
			k->sym[i] = k->sym[--k->nr_syms];
			return true;
		}
	return fail(w, "no-sym: there is no %s", name);
}

bool kernel_find(const struct world *w, const char *name, uint64_t *va)
{
	const struct linked *k = &w->linked;

	for (size_t i = 0; i < k->nr_syms; i++)
		if (strcmp(k->sym[i].name, name) == 0) {
			*va = k->sym[i].va;
			return true;
		}
	return false;
}

bool kernel_default(struct world *w, enum krel_arch arch, uint64_t base)
{
	struct linked *k = &w->linked;

	memset(k, 0, sizeof(*k));
	k->arch = arch;
	k->base = base;
	k->given = true;
	for (size_t i = 0; i < sizeof(layout) / sizeof(layout[0]); i++)
		if (!layout[i].only || layout[i].only == arch)
			kernel_sym(w, layout[i].name, base + layout[i].at);
	k->word[0] = (struct word){ base + 0x1400400, base + SYS_READ };
	k->word[1] = (struct word){ base + 0x1500800, base + PARAM_NAME };
	k->nr_words = 2;
	k->id.len = 20;
	for (unsigned int i = 0; i < k->id.len; i++)
		k->id.byte[i] = (uint8_t)(0xa0 + i);
	snprintf(k->banner, sizeof(k->banner),
		 "Linux version 6.1.0-scene (build@scene) (gcc 12.2.0) #1 SMP Sat Jan  1 00:00:00 UTC 2022");
	return true;
}

uint64_t kernel_phys(const struct world *w, uint64_t link,
		     const struct place *at)
{
	return link - w->linked.base + (uint64_t)at->virt +
		(uint64_t)at->phys_base;
}

/* ------------------------------------------------- the kernel that runs */

static void id_note(const struct krel_build_id *id, uint8_t note[NOTE_LEN])
{
	memcpy(note, "\4\0\0\0\0\0\0\0\3\0\0\0GNU", 16);
	note[4] = (uint8_t)id->len;
	memcpy(note + 16, id->byte, 20);
}

static bool plant_notes(struct world *w, const struct place *at)
{
	static const char first[NOTE_AHEAD] =
		"\6\0\0\0\4\0\0\0\0\1\0\0Linux\0\0\0\0\1\2";
	uint8_t note[NOTE_LEN];
	uint64_t va;

	if (!w->linked.id.len || !kernel_find(w, "__start_notes", &va))
		return true;
	id_note(&w->linked.id, note);
	return memory_write(w, kernel_phys(w, va, at), first,
			    sizeof(first)) &&
		memory_write(w, kernel_phys(w, va + NOTE_AHEAD, at), note,
			     sizeof(note));
}

static bool plant_banner(struct world *w, const struct place *at)
{
	char text[sizeof(w->linked.banner) + 1];
	uint64_t va;
	int n;

	if (!w->linked.banner[0] || !kernel_find(w, "linux_banner", &va))
		return true;
	n = snprintf(text, sizeof(text), "%s\n", w->linked.banner);
	return memory_write(w, kernel_phys(w, va, at), text, (size_t)n + 1);
}

static bool plant_gate(struct world *w, const struct place *at,
		       unsigned int vector, const char *handler)
{
	size_t size = 2 * word_bytes(w);
	uint64_t table, va, pa;

	if (!kernel_find(w, "idt_table", &table) ||
	    !kernel_find(w, handler, &va))
		return true;
	va += (uint64_t)at->virt;
	pa = kernel_phys(w, table + vector * size, at);
	return memory_put(w, pa, va & 0xffff, 2) &&
		memory_put(w, pa + 2, 0x10, 2) &&
		memory_put(w, pa + 4, 0x8e00, 2) &&
		memory_put(w, pa + 6, va >> 16 & 0xffff, 2) &&
		(size == 8 || memory_put(w, pa + 8, va >> 32, 4));
}

static bool plant_words(struct world *w, const struct place *at)
{
	const struct linked *k = &w->linked;
	uint64_t va;

	for (size_t i = 0; i < k->nr_words; i++)
		if (!memory_put(w, kernel_phys(w, k->word[i].va, at),
				k->word[i].value + (uint64_t)at->virt,
				word_bytes(w)))
			return false;
	return !kernel_find(w, "phys_base", &va) ||
		memory_put(w, kernel_phys(w, va, at),
			   (uint64_t)at->phys_base, 8);
}

/* The one entry that tells its place; the page is not whole, so that no
 * search by shape finds it where a scene does not say so. */
static bool plant_tables(struct world *w, const struct place *at)
{
	uint64_t level3, level2;

	return !kernel_find(w, "level3_kernel_pgt", &level3) ||
		!kernel_find(w, "level2_kernel_pgt", &level2) ||
		memory_put(w, kernel_phys(w, level3 + 510 * 8, at),
			   kernel_phys(w, level2, at) | 0x63, 8);
}

bool kernel_plant(struct world *w, const struct place *at)
{
	return plant_notes(w, at) && plant_banner(w, at) &&
		plant_gate(w, at, 0, "asm_exc_divide_error") &&
		plant_gate(w, at, 0, "divide_error") &&
		plant_gate(w, at, 14, "asm_exc_page_fault") &&
		plant_gate(w, at, 14, "page_fault") && plant_words(w, at) &&
		plant_tables(w, at);
}

static void note_line(char *text, const char *key, const char *fmt,
		      uint64_t value)
{
	size_t used = strlen(text);
	char *to = text + used;

	used = NOTE_TEXT - used;
	if (*fmt == 'd')
		snprintf(to, used, "%s=%lld\n", key, (long long)value);
	else
		snprintf(to, used, "%s=%llx\n", key,
			 (unsigned long long)value);
}

/* The text of the note that a kernel at this place writes. */
void kernel_note(const struct world *w, const struct place *at,
		 char text[NOTE_TEXT])
{
	const char *release = w->linked.banner + strlen("Linux version ");
	bool is64 = w->linked.arch == KREL_ARCH_X86_64;
	uint64_t virt = (uint64_t)at->virt, va;
	int n;

	n = snprintf(text, NOTE_TEXT, "OSRELEASE=%.*s\nBUILD-ID=",
		     (int)strcspn(release, " "), release);
	for (unsigned int i = 0; i < w->linked.id.len; i++)
		n += snprintf(text + n, NOTE_TEXT - (size_t)n, "%02x",
			      w->linked.id.byte[i]);
	snprintf(text + n, NOTE_TEXT - (size_t)n, "\nPAGESIZE=4096\n");
	note_line(text, "SIZE(list_head)", "d", is64 ? 16 : 8);
	if (kernel_find(w, "init_uts_ns", &va))
		note_line(text, "SYMBOL(init_uts_ns)", "x", va + virt);
	if (kernel_find(w, "_stext", &va))
		note_line(text, "SYMBOL(_stext)", "x", va + virt);
	if (!is64)
		return;
	note_line(text, "NUMBER(phys_base)", "d", (uint64_t)at->phys_base);
	note_line(text, "KERNELOFFSET", "x", virt);
}

/* The same as the kernel keeps it: an ELF note at the start of a page. */
bool kernel_plant_note(struct world *w, const struct place *at, uint64_t pa)
{
	static const char head[] = "VMCOREINFO\0";
	char text[NOTE_TEXT];

	kernel_note(w, at, text);
	return memory_put(w, pa, sizeof(head) - 1, 4) &&
		memory_put(w, pa + 4, strlen(text), 4) &&
		memory_put(w, pa + 8, 0, 4) &&
		memory_write(w, pa + 12, head, sizeof(head)) &&
		memory_write(w, pa + 24, text, strlen(text));
}

/*
 * The map of a running kernel. x86-64: text read-only, the rest writable,
 * nothing below. x86-32: the direct map of 64 MiB, text read-only in it.
 */
bool kernel_tables(struct world *w, uint64_t root, const char *mode,
		   uint64_t leaf, const struct place *at)
{
	const uint64_t text_len = 0x400000;
	uint64_t text, end;
	struct mapping m = { .root = root, .leaf = leaf, .mode = mode };

	if (!kernel_find(w, "_text", &text) || !kernel_find(w, "_end", &end))
		return fail(w, "kernel-tables: needs _text and _end");
	if (w->linked.arch == KREL_ARCH_I386) {
		m.va = w->linked.base;
		m.len = 64 << 20;
		m.perm = "rw";
		if (!tables_map(w, &m))
			return false;
	}
	m.va = text + (uint64_t)at->virt;
	m.pa = kernel_phys(w, text, at);
	m.len = text_len;
	m.perm = "rx";
	if (!tables_map(w, &m))
		return false;
	m.va += text_len;
	m.pa += text_len;
	m.len = end - text - text_len;
	m.perm = "rw";
	return tables_map(w, &m);
}

/* ----------------------------------------------- the kernel for libkrel */

static void each(const struct krel_kernel *k, krel_symbol_fn *fn, void *arg)
{
	const struct linked *l = k->priv;

	for (size_t i = 0; i < l->nr_syms; i++)
		if (!fn(arg, l->sym[i].name, strlen(l->sym[i].name),
			l->sym[i].va))
			return;
}

static enum krel_status read_linked(const struct krel_kernel *k, uint64_t va,
				    void *buf, size_t len)
{
	const struct linked *l = k->priv;

	if (l->is_map || len > 8)
		return KREL_ABSENT;
	for (size_t i = 0; i < l->nr_words; i++) {
		uint8_t b[8];

		if (l->word[i].va != va)
			continue;
		for (size_t j = 0; j < len; j++)
			b[j] = (uint8_t)(l->word[i].value >> 8 * j);
		memcpy(buf, b, len);
		return KREL_OK;
	}
	return KREL_ABSENT;
}

static const struct krel_kernel_ops ops = {
	.each = each,
	.read = read_linked,
};

bool kernel_make(struct world *w, struct krel_kernel **out)
{
	struct linked *l = &w->linked;
	struct krel_error err = { "" };
	struct krel_kernel *k;

	if (krel_kernel_new("scene-vmlinux", -1, &ops, &k, &err) != KREL_OK)
		return fail(w, "%s", err.text);
	*out = k;
	k->priv = l;
	k->target = krel_target_of(l->arch);
	k->is_map = l->is_map;
	k->map_base = l->base;
	if (krel_kernel_resolve(k, &err) != KREL_OK)
		return fail(w, "%s", err.text);
	if (l->is_map)
		return true;
	snprintf(k->identity.banner, sizeof(k->identity.banner), "%s",
		 l->banner);
	krel_banner_release(l->banner, k->identity.release,
			    sizeof(k->identity.release));
	k->identity.build_id = l->id;
	if (!l->id.len ||
	    !krel_kernel_sym(k, KREL_SYM_START_NOTES, &k->id_note.link_va))
		return true;
	k->id_note.link_va += NOTE_AHEAD;
	k->id_note.len = NOTE_LEN;
	id_note(&l->id, k->id_note.bytes);
	return true;
}
