/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenes: small worlds written as text, with what krel must say of them.
 * README in this folder describes the language. A world is physical memory, a
 * kernel that was linked (the vmlinux), and a kernel that runs in the memory.
 * Where it runs is computed here by plain arithmetic, never by libkrel.
 */
#ifndef SCENE_H
#define SCENE_H

#include "../../lib/image.h"
#include "../../lib/kernel_priv.h"

#define WORLD_RANGES	32
#define WORLD_FAULTS	32
#define WORLD_SYMS	64
#define WORLD_WORDS	8
#define WORLD_TEXTS	4	/* files that are given; see given.c */
#define NOTE_TEXT	1024

/* A page that was written to; all other memory reads as zero. */
struct page {
	uint64_t pa;
	uint8_t data[KREL_PAGE_SIZE];
};

/* Memory that fails to be read, and how. */
struct fault {
	uint64_t from, to;
	enum krel_status status;
};

struct sym {
	char name[48];
	uint64_t va;
};

/* A word of the vmlinux as linked. */
struct word {
	uint64_t va, value;
};

/* The kernel that was linked. */
struct linked {
	enum krel_arch arch;
	uint64_t base;		/* start of its map */
	bool given, is_map;
	struct sym sym[WORLD_SYMS];
	size_t nr_syms;
	struct word word[WORLD_WORDS];
	size_t nr_words;
	struct krel_build_id id;
	char banner[300];	/* without the newline; "" none */
};

/* Where a kernel runs. */
struct place {
	int64_t virt, phys_base;
};

struct world {
	struct page **page;
	size_t nr_pages;
	struct krel_range range[WORLD_RANGES];
	size_t nr_ranges;
	struct fault fault[WORLD_FAULTS];
	size_t nr_faults;
	uint64_t tables;	/* where the next page table goes */

	struct linked linked;
	bool has_truth;
	struct place truth;	/* of the kernel that really runs */

	struct krel_image image;
	struct krel_segment segment[WORLD_RANGES];
	struct krel_cpu cpu[WORLD_RANGES];
	char vmcoreinfo[2 * NOTE_TEXT];
	struct krel_options options;
	struct krel_given given;
	char given_text[WORLD_TEXTS][2 * NOTE_TEXT];

	char why[300];		/* the first thing that is wrong */
};

/* A directive: its words, and which of them were understood. */
struct line {
	char *argv[16];
	bool used[16];
	int argc;
	const char *rest;	/* all after the first word */
};

/* Keep the first failure of a scene; always false. */
bool fail(struct world *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* memory.c */
bool memory_add(struct world *w, uint64_t from, uint64_t to);
bool memory_cut(struct world *w, uint64_t from, uint64_t to);
bool memory_fault(struct world *w, uint64_t from, uint64_t size,
		  enum krel_status status);
bool memory_write(struct world *w, uint64_t pa, const void *buf, size_t len);
bool memory_put(struct world *w, uint64_t pa, uint64_t value, size_t bytes);
bool memory_copy(struct world *w, uint64_t from, uint64_t to, uint64_t size);
uint64_t memory_get(struct world *w, uint64_t pa, size_t bytes);
void memory_free(struct world *w);
extern const struct krel_image_ops memory_ops;

/* tables.c */
struct mapping {
	uint64_t root, va, pa, leaf, len;
	const char *mode, *perm;
};

bool tables_map(struct world *w, const struct mapping *m);

/* kernel.c */
bool kernel_default(struct world *w, enum krel_arch arch, uint64_t base);
bool kernel_sym(struct world *w, const char *name, uint64_t va);
bool kernel_no_sym(struct world *w, const char *name);
bool kernel_find(const struct world *w, const char *name, uint64_t *va);
uint64_t kernel_phys(const struct world *w, uint64_t link,
		     const struct place *at);
bool kernel_plant(struct world *w, const struct place *at);
void kernel_note(const struct world *w, const struct place *at,
		 char text[NOTE_TEXT]);
bool kernel_plant_note(struct world *w, const struct place *at, uint64_t pa);
bool kernel_tables(struct world *w, uint64_t root, const char *mode,
		   uint64_t leaf, const struct place *at);
bool kernel_make(struct world *w, struct krel_kernel **out);

/* words.c */
bool number(const char *text, uint64_t *value);
uint64_t word_number(struct world *w, struct line *l, int i);
const char *arg(struct line *l, const char *key);
uint64_t arg_number(struct world *w, struct line *l, const char *key,
		    uint64_t otherwise);

/* given.c */
bool given_line(struct world *w, struct line *l);

/* parse.c */
bool world_line(struct world *w, struct line *l);

/* expect.c */
struct answer {
	enum krel_status status;
	struct krel_result r;
};

bool expect_line(struct world *w, struct line *l, const struct answer *a);
bool expect_rules(struct world *w, const struct answer *a);

#endif
