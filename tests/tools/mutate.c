// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mutate DUMP VMLINUX VIRT_OFFSET PHYS_BASE COUNT [SEED]
 *
 * Damage the memory of a dump in COUNT ways and solve each: pages swapped,
 * cleared, filled with noise, single words changed, ranges and the whole
 * kernel copied to another place. The true offsets come from the guest. A
 * damaged image may be solved rightly or stay unsolved; no wrong value may be
 * verified. Odd images keep their VMCOREINFO note. Prints the counts.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"

#define MIB		(UINT64_C(1) << 20)
#define LOG_PAGES	65536

struct memory {
	uint8_t *byte;
	bool *present;		/* a page each */
	uint64_t size;
	uint64_t kernel;	/* physical _text, by the guest's truth */
	/* What was overwritten, to be put back. */
	uint64_t *undo_page;
	uint8_t *undo_byte;
	size_t undone;
};

struct tally {
	unsigned int right, unsolved, right_unverified, wrong_unverified,
		wrong_verified;
};

static uint64_t rng_state;

/* splitmix64 */
static uint64_t rng(uint64_t below)
{
	uint64_t z = (rng_state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) % below;
}

static enum krel_status mem_read(void *arg, uint64_t pa, void *buf,
				 size_t len, struct krel_error *err)
{
	const struct memory *m = arg;

	(void)err;
	if (pa >= m->size || len > m->size - pa ||
	    !m->present[pa / KREL_PAGE_SIZE])
		return KREL_ABSENT;
	memcpy(buf, m->byte + pa, len);
	return KREL_OK;
}

static enum krel_status mem_next(void *arg, uint64_t pa,
				 struct krel_range *out)
{
	const struct memory *m = arg;

	if (pa >= m->size)
		return KREL_ABSENT;
	*out = (struct krel_range){ pa, m->size - pa };
	return KREL_OK;
}

static const struct krel_host_ops ops = { mem_read, mem_next };

/* A page to be written: what it held is kept. NULL when the log is full. */
static uint8_t *touch(struct memory *m, uint64_t page)
{
	if (m->undone == LOG_PAGES || page >= m->size / KREL_PAGE_SIZE)
		return NULL;
	m->undo_page[m->undone] = page;
	memcpy(m->undo_byte + m->undone * KREL_PAGE_SIZE,
	       m->byte + page * KREL_PAGE_SIZE, KREL_PAGE_SIZE);
	m->undone++;
	return m->byte + page * KREL_PAGE_SIZE;
}

static void undo(struct memory *m)
{
	while (m->undone > 0) {
		m->undone--;
		memcpy(m->byte + m->undo_page[m->undone] * KREL_PAGE_SIZE,
		       m->undo_byte + m->undone * KREL_PAGE_SIZE,
		       KREL_PAGE_SIZE);
	}
}

/* Half of the time a page of the kernel: there the damage matters. */
static uint64_t some_page(const struct memory *m)
{
	uint64_t first = m->kernel / KREL_PAGE_SIZE;

	return rng(2) ? first + rng(16 * MIB / KREL_PAGE_SIZE) :
		rng(m->size / KREL_PAGE_SIZE);
}

static void copy_range(struct memory *m, uint64_t from, uint64_t to,
		       uint64_t pages)
{
	for (uint64_t i = 0; i < pages; i++) {
		uint8_t *p = (from + i) * KREL_PAGE_SIZE < m->size ?
			touch(m, to + i) : NULL;

		if (p)
			memmove(p, m->byte + (from + i) * KREL_PAGE_SIZE,
				KREL_PAGE_SIZE);
	}
}

static void swap_pages(struct memory *m)
{
	uint8_t *a = touch(m, some_page(m)), *b = touch(m, some_page(m));
	uint8_t keep[KREL_PAGE_SIZE];

	if (!a || !b)
		return;
	memcpy(keep, a, sizeof(keep));
	memmove(a, b, sizeof(keep));
	memcpy(b, keep, sizeof(keep));
}

static void clear_page(struct memory *m)
{
	uint8_t *p = touch(m, some_page(m));

	if (p)
		memset(p, 0, KREL_PAGE_SIZE);
}

static void noise(struct memory *m)
{
	uint8_t *p = touch(m, some_page(m));

	for (size_t i = 0; p && i < KREL_PAGE_SIZE; i++)
		p[i] = (uint8_t)rng(256);
}

/* Move an aligned word, as a wrong phys_base or pointer would be. */
static void change_words(struct memory *m)
{
	uint8_t *p = touch(m, some_page(m));

	for (size_t at = (size_t)rng(16) * 8; p && at < KREL_PAGE_SIZE; at += 8) {
		uint64_t w, by = (rng(64) + 1) * 2 * MIB;

		memcpy(&w, p + at, sizeof(w));
		w += by;
		memcpy(p + at, &w, sizeof(w));
	}
}

/* The kernel once more, at a place where one could be. */
static void copy_kernel(struct memory *m)
{
	uint64_t align = rng(2) ? 2 * MIB : UINT64_C(0x2000);
	uint64_t to = rng(m->size / align) * align;

	copy_range(m, m->kernel / KREL_PAGE_SIZE, to / KREL_PAGE_SIZE,
		   1 + rng(12 * MIB / KREL_PAGE_SIZE));
}

static void mutate_once(struct memory *m)
{
	static void (*const how[])(struct memory *) = {
		swap_pages, clear_page, noise, change_words, copy_kernel,
	};
	uint64_t which = rng(sizeof(how) / sizeof(how[0]));
	uint64_t times = which == 4 ? 1 : UINT64_C(1) << rng(11);

	for (uint64_t i = 0; i < times; i++)
		how[which](m);
}

static void judge(const struct krel_result *r, int64_t virt, int64_t phys,
		  struct tally *t)
{
	bool has_phys = r->arch == KREL_ARCH_X86_64;
	bool right = r->virt_offset.v == virt &&
		(!has_phys || !r->phys_base.known || r->phys_base.v == phys);

	if (!r->virt_offset.known)
		t->unsolved++;
	else if (krel_report_exit(r) == KREL_EXIT_OK)
		*(right ? &t->right : &t->wrong_verified) += 1;
	else
		*(right ? &t->right_unverified : &t->wrong_unverified) += 1;
}

static int solve(struct memory *m, const struct krel_image *dump,
		 const struct krel_kernel *kernel, bool note,
		 struct krel_result *r)
{
	struct krel_host_facts facts = { .arch = dump->facts.arch };
	struct krel_image *img;
	enum krel_status st;

	if (note) {
		facts.vmcoreinfo = dump->facts.vmcoreinfo;
		facts.vmcoreinfo_len = dump->facts.vmcoreinfo_len;
	}
	if (krel_image_host(&ops, m, &facts, &img, NULL) != KREL_OK)
		return -1;
	st = krel_solve(img, kernel, NULL, r, NULL);
	krel_image_close(img);
	return st == KREL_OK ? 0 : -1;
}

static int load(struct memory *m, struct krel_image *dump)
{
	uint64_t pa = 0, pages;
	struct krel_range r;

	while (krel_image_next(dump, pa, &r) == KREL_OK)
		m->size = pa = r.pa + r.size;
	pages = m->size / KREL_PAGE_SIZE;
	m->byte = calloc((size_t)pages, KREL_PAGE_SIZE);
	m->present = calloc((size_t)pages, sizeof(*m->present));
	m->undo_page = calloc(LOG_PAGES, sizeof(*m->undo_page));
	m->undo_byte = calloc(LOG_PAGES, KREL_PAGE_SIZE);
	if (!m->byte || !m->present || !m->undo_page || !m->undo_byte)
		return -1;
	for (uint64_t i = 0; i < pages; i++)
		m->present[i] = krel_image_read(dump, i * KREL_PAGE_SIZE,
			m->byte + i * KREL_PAGE_SIZE, KREL_PAGE_SIZE, NULL) ==
			KREL_OK;
	return 0;
}

static int run(struct memory *m, const struct krel_image *dump,
	       const struct krel_kernel *kernel, int64_t virt, int64_t phys,
	       unsigned int count)
{
	struct krel_result *r = malloc(sizeof(*r));
	struct tally t = { 0 };

	if (!r || solve(m, dump, kernel, false, r) != 0 ||
	    krel_report_exit(r) != KREL_EXIT_OK || r->virt_offset.v != virt) {
		fputs("mutate: the whole dump is not solved rightly\n", stderr);
		free(r);
		return 1;
	}
	m->kernel = r->text_phys.v;
	for (unsigned int i = 0; i < count; i++) {
		unsigned int before = t.wrong_verified;
		uint64_t seed = rng_state;

		mutate_once(m);
		if (solve(m, dump, kernel, i % 2, r) == 0)
			judge(r, virt, phys, &t);
		if (t.wrong_verified > before)
			printf("not ok image %u, seed 0x%llx: 0x%llx verified\n",
			       i, (unsigned long long)seed,
			       (unsigned long long)r->virt_offset.v);
		undo(m);
	}
	free(r);
	printf("# %u images: %u right and verified, %u right but unverified, "
	       "%u unsolved, %u wrong but marked unverified, "
	       "%u wrong and verified\n", count, t.right, t.right_unverified,
	       t.unsolved, t.wrong_unverified, t.wrong_verified);
	printf("mutate: %u passed, %u failed\n", count - t.wrong_verified,
	       t.wrong_verified);
	return t.wrong_verified != 0;
}

int main(int argc, char **argv)
{
	struct krel_error err = { "" };
	struct krel_kernel *kernel = NULL;
	struct krel_image *dump = NULL;
	struct memory m = { 0 };
	int code;

	if (argc < 6) {
		fputs("usage: mutate DUMP VMLINUX VIRT PHYS_BASE COUNT [SEED]\n",
		      stderr);
		return 2;
	}
	rng_state = argc > 6 ? strtoull(argv[6], NULL, 0) : 1;
	if (krel_image_open(argv[1], NULL, &dump, &err) != KREL_OK ||
	    krel_kernel_open(argv[2], &kernel, &err) != KREL_OK ||
	    load(&m, dump) != 0) {
		fprintf(stderr, "mutate: %s\n", err.text);
		return 1;
	}
	code = run(&m, dump, kernel, strtoll(argv[3], NULL, 0),
		   strtoll(argv[4], NULL, 0),
		   (unsigned int)strtoul(argv[5], NULL, 0));
	free(m.byte);
	free(m.present);
	free(m.undo_page);
	free(m.undo_byte);
	krel_kernel_close(kernel);
	krel_image_close(dump);
	return code;
}
