// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * krel_solve() from files on both sides, as a program calls it. What it makes
 * of many worlds is in tests/scene; here: costs, stops and failures.
 */
#include "bytes_out.h"

#include <unistd.h>

#define BASE	UINT64_C(0xffffffff80000000)
#define TEXT	(BASE + 0x1000000)
#define VIRT	INT64_C(0x1e000000)
#define PBASE	(-INT64_C(0x18c00000))
#define PA	UINT64_C(0x6400000)	/* of _text */
#define BANNER	"Linux version 6.1.0-solve (b@h) (gcc) #1 SMP"

static const uint8_t id[20] = "twenty bytes of id..";

/* One page of kernel: as linked with zero, zero; as it runs otherwise. */
static struct bytes kernel_page(int64_t virt, int64_t phys_base)
{
	struct bytes b = { 0 };
	uint64_t handler;

	bytes_pad(&b, 0x100);
	bytes_text(&b, BANNER "\n");
	bytes_pad(&b, 0x200);
	bytes_note(&b, "GNU", 3, id, sizeof(id));
	bytes_pad(&b, 0x300);
	bytes_le(&b, (uint64_t)phys_base, 8);
	bytes_le(&b, TEXT + 0x80 + (uint64_t)virt, 8);
	/* The IDT's gate 0: an interrupt gate of the kernel's code segment. */
	bytes_pad(&b, 0x400);
	handler = TEXT + 0x90 + (uint64_t)virt;
	bytes_le(&b, handler & 0xffff, 2);
	bytes_le(&b, 0x8e000010, 4);
	bytes_le(&b, handler >> 16 & 0xffff, 2);
	bytes_le(&b, handler >> 32, 8);
	bytes_pad(&b, 0x1000);
	return b;
}

static struct krel_kernel *vmlinux(void)
{
	static const struct elf_symbol symbol[] = {
		{ "_text", TEXT }, { "linux_banner", TEXT + 0x100 },
		{ "__start_notes", TEXT + 0x200 },
		{ "__stop_notes", TEXT + 0x224 },
		{ "phys_base", TEXT + 0x300 },
		{ "sys_call_table", TEXT + 0x308 },
		{ "asm_exc_divide_error", TEXT + 0x90 },
		{ "idt_table", TEXT + 0x400 }, { "_end", TEXT + 0x1000 },
	};
	struct bytes page = kernel_page(0, 0), file = { 0 };
	struct elf_layout at;
	struct krel_kernel *k;
	char *path;

	elf_kernel_write(&file, &(struct elf_kernel){
		.is64 = true, .type = 2, .machine = 62, .va = TEXT,
		.pa = 0x1000000, .section = &page, .symbol = symbol,
		.nr_symbols = sizeof(symbol) / sizeof(symbol[0]) }, &at);
	path = bytes_to_file(&file);
	assert_int_equal(krel_kernel_open(path, &k, NULL), KREL_OK);
	unlink(path);
	free(path);
	bytes_free(&page);
	bytes_free(&file);
	return k;
}

/* A core of that kernel; @filler bytes of other memory lie behind it. */
static struct bytes core(bool note, size_t filler)
{
	struct bytes page = kernel_page(VIRT, PBASE), b = { 0 };
	char text[256];
	size_t notes;

	snprintf(text, sizeof(text),
		 "OSRELEASE=6.1.0-solve\nNUMBER(phys_base)=%lld\nKERNELOFFSET=%llx\nCRASHTIME=1\n",
		 (long long)PBASE, (long long)VIRT);
	core_begin(&b, true, 62, 3);
	notes = b.len;
	if (note)
		bytes_note(&b, "VMCOREINFO", 0, text, strlen(text));
	core_segment(&b, true, 0, &(struct core_segment){
		4, notes, 0, 0, b.len - notes });
	core_segment(&b, true, 1, &(struct core_segment){
		1, b.len, 0, PA, page.len });
	bytes_put(&b, page.p, page.len);
	core_segment(&b, true, 2, &(struct core_segment){
		1, b.len, 0, 0x10000000, filler });
	bytes_pad(&b, b.len + filler);
	bytes_free(&page);
	return b;
}

static void is_solved(const struct krel_result *r)
{
	assert_true(r->virt_offset.known && r->virt_verified);
	assert_int_equal(r->virt_offset.v, VIRT);
	assert_true(r->phys_base.known && r->phys_verified);
	assert_int_equal(r->phys_base.v, PBASE);
	assert_true(r->text_run.v == TEXT + (uint64_t)VIRT);
	assert_true(r->text_phys.v == PA);
	assert_int_equal(r->match, KREL_MATCH_BUILD_ID);
	assert_string_equal(r->image.banner, BANNER);
	assert_string_equal(r->image.release, "6.1.0-solve");
	assert_memory_equal(r->image.build_id.byte, id, 20);
	assert_int_equal(krel_report_exit(r), KREL_EXIT_OK);
}

/* With a note it costs a few pages, whatever the dump's size. */
static void note_costs_little(void **state)
{
	struct krel_result *r = calloc(1, sizeof(*r));
	struct krel_kernel *k = vmlinux();
	struct bytes b = core(true, 64 << 20);
	struct krel_image *img;

	(void)state;
	assert_non_null(r);
	assert_int_equal(open_bytes(&b, NULL, &img, NULL), KREL_OK);
	assert_int_equal(krel_solve(img, k, NULL, r, NULL), KREL_OK);
	is_solved(r);
	assert_string_equal(r->state, "crashed");
	assert_true(krel_image_bytes_read(img) < 16384);
	krel_image_close(img);
	krel_kernel_close(k);
	bytes_free(&b);
	free(r);
}

static void probe_costs_a_page_a_step(void **state)
{
	struct krel_result *r = calloc(1, sizeof(*r));
	struct krel_kernel *k = vmlinux();
	struct bytes b = core(false, 64 << 20);
	struct krel_image *img;

	(void)state;
	assert_non_null(r);
	assert_int_equal(open_bytes(&b, NULL, &img, NULL), KREL_OK);
	assert_int_equal(krel_solve(img, k, NULL, r, NULL), KREL_OK);
	is_solved(r);
	assert_string_equal(r->state, "unknown");
	assert_true(krel_image_bytes_read(img) < 256 << 10);
	krel_image_close(img);
	krel_kernel_close(k);
	bytes_free(&b);
	free(r);
}

static bool at_once(void *arg)
{
	(void)arg;
	return true;
}

/* Stopped: nothing of the result is written. */
static void can_be_interrupted(void **state)
{
	struct krel_options opts = { .interrupted = at_once };
	struct krel_result *r = calloc(1, sizeof(*r));
	struct krel_kernel *k = vmlinux();
	struct bytes b = core(false, 4096);
	struct krel_error err = { "" };
	struct krel_image *img;

	(void)state;
	assert_non_null(r);
	r->cpus = 77;
	assert_int_equal(open_bytes(&b, NULL, &img, NULL), KREL_OK);
	assert_int_equal(krel_solve(img, k, &opts, r, &err),
			 KREL_INTERRUPTED);
	assert_int_equal(r->cpus, 77);
	/* The image is sound, and can be asked again. */
	assert_int_equal(krel_solve(img, k, NULL, r, &err), KREL_OK);
	is_solved(r);
	krel_image_close(img);
	krel_kernel_close(k);
	bytes_free(&b);
	free(r);
}

static void other_arch_is_invalid(void **state)
{
	struct krel_result *r = calloc(1, sizeof(*r));
	struct krel_kernel *k = vmlinux();
	struct bytes b = core(false, 4096);
	struct krel_error err = { "" };
	struct krel_image *img;

	(void)state;
	assert_non_null(r);
	bytes_patch(&b, 18, 3, 2);
	assert_int_equal(open_bytes(&b, NULL, &img, NULL), KREL_OK);
	assert_int_equal(krel_solve(img, k, NULL, r, &err), KREL_INVALID);
	assert_non_null(strstr(err.text, "x86-32"));
	assert_non_null(strstr(err.text, "x86-64"));
	krel_image_close(img);
	krel_kernel_close(k);
	bytes_free(&b);
	free(r);
}

/* Cut anywhere: the truth, or less of it; never something else. */
static void cut_dumps_never_lie(void **state)
{
	struct krel_result *r = calloc(1, sizeof(*r));
	struct krel_kernel *k = vmlinux();
	struct bytes b = core(true, 4096);
	size_t whole = b.len;

	(void)state;
	assert_non_null(r);
	for (b.len = 0; b.len <= whole; b.len += 29) {
		struct krel_error err = { "" };
		struct krel_image *img;

		if (open_bytes(&b, NULL, &img, &err) != KREL_OK) {
			assert_true(err.text[0] != '\0');
			continue;
		}
		assert_int_equal(krel_solve(img, k, NULL, r, &err), KREL_OK);
		if (r->virt_offset.known)
			assert_int_equal(r->virt_offset.v, VIRT);
		if (r->phys_base.known)
			assert_int_equal(r->phys_base.v, PBASE);
		krel_image_close(img);
	}
	krel_kernel_close(k);
	bytes_free(&b);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(note_costs_little),
		cmocka_unit_test(probe_costs_a_page_a_step),
		cmocka_unit_test(can_be_interrupted),
		cmocka_unit_test(other_arch_is_invalid),
		cmocka_unit_test(cut_dumps_never_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
