// SPDX-License-Identifier: GPL-2.0-or-later
/* vmlinux files, written byte by byte, and what is made of damaged ones. */
#include "bytes_out.h"

#include <unistd.h>

#include "kernel.h"

#define EM_32	3
#define EM_64	62
#define BANNER	"Linux version 6.1.0-test (b@h) (gcc 12) #1 SMP"

/* The section: banner at 0x40, notes at 0x100, a pointer at 0x200. */
static struct bytes section(uint64_t va, bool is64)
{
	struct bytes b = { 0 };
	uint8_t id[20];

	for (unsigned int i = 0; i < sizeof(id); i++)
		id[i] = (uint8_t)(0xa0 + i);
	bytes_pad(&b, 0x40);
	bytes_text(&b, BANNER "\n");
	bytes_pad(&b, 0x100);
	bytes_note(&b, "Linux", 0x100, "\1\2\3\4", 4);
	bytes_note(&b, "GNU", 3, id, sizeof(id));
	bytes_pad(&b, 0x200);
	bytes_le(&b, va + 0x40, is64 ? 8 : 4);
	bytes_pad(&b, 0x400);
	return b;
}

struct made {
	struct bytes file, section;
	struct elf_layout at;
};

/* @va is that of the section, _text is its start. */
static struct made make(bool is64, uint64_t va, uint64_t pa, bool stripped)
{
	const struct elf_symbol symbol[] = {
		{ "_text", va }, { "_stext", va + 0x10 },
		{ "linux_banner", va + 0x40 },
		{ "__start_notes", va + 0x100 },
		{ "__stop_notes", va + 0x100 + 24 + 36 },
		{ "sys_call_table", va + 0x200 }, { "_end", va + 0x400 },
		{ "a_symbol_of_no_interest", va + 8 },
	};
	struct elf_kernel k = {
		.is64 = is64, .type = 2, .machine = is64 ? EM_64 : EM_32,
		.va = va, .pa = pa, .symbol = symbol,
		.nr_symbols = sizeof(symbol) / sizeof(symbol[0]),
		.stripped = stripped,
	};
	struct made m = { .section = section(va, is64) };

	k.section = &m.section;
	elf_kernel_write(&m.file, &k, &m.at);
	return m;
}

static struct made make_64(void)
{
	return make(true, UINT64_C(0xffffffff81000000), 0x1000000, false);
}

static void made_free(struct made *m)
{
	bytes_free(&m->file);
	bytes_free(&m->section);
}

static enum krel_status try_open(const struct bytes *b,
				 struct krel_kernel **k,
				 struct krel_error *err)
{
	char *path = bytes_to_file(b);
	enum krel_status st;

	*k = NULL;
	st = krel_kernel_open(path, k, err);
	if (st != KREL_OK) {
		assert_null(*k);
		if (!strstr(err->text, path))
			fail_msg("\"%s\" does not name the file", err->text);
	}
	unlink(path);
	free(path);
	return st;
}

static struct krel_kernel *opened(const struct made *m)
{
	struct krel_error err = { "" };
	struct krel_kernel *k;

	if (try_open(&m->file, &k, &err) != KREL_OK)
		fail_msg("%s", err.text);
	return k;
}

static void refused(const struct bytes *b, enum krel_status want,
		    const char *says)
{
	struct krel_error err = { "" };
	struct krel_kernel *k;

	assert_int_equal(try_open(b, &k, &err), want);
	if (!strstr(err.text, says))
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static void knows_all_of_a_whole_one(void **state)
{
	(void)state;
	for (int is64 = 0; is64 < 2; is64++) {
		uint64_t va = is64 ? UINT64_C(0xffffffff81000000) : 0xc1000000;
		struct made m = make(is64, va, 0x1000000, false);
		struct krel_kernel *k = opened(&m);
		const struct krel_id_note *note = krel_kernel_id_note(k);
		uint64_t v = 0;
		uint8_t got[8];

		assert_int_equal(krel_kernel_arch(k), is64 ?
				 KREL_ARCH_X86_64 : KREL_ARCH_I386);
		assert_false(krel_kernel_is_map(k));
		assert_true(krel_kernel_sym(k, KREL_SYM_TEXT, &v));
		assert_true(v == va);
		assert_true(krel_kernel_sym(k, KREL_SYM_STEXT, &v));
		assert_true(v == va + 0x10);
		assert_false(krel_kernel_sym(k, KREL_SYM_PHYS_BASE, &v));
		assert_int_equal(krel_kernel_lookup(k,
			"a_symbol_of_no_interest", &v), KREL_OK);
		assert_true(v == va + 8);
		assert_int_equal(krel_kernel_lookup(k, "a_symbol", &v),
				 KREL_ABSENT);
		assert_true(v == va + 8);
		assert_string_equal(krel_kernel_identity(k)->banner, BANNER);
		assert_string_equal(krel_kernel_identity(k)->release,
				    "6.1.0-test");
		assert_int_equal(krel_kernel_identity(k)->build_id.len, 20);
		assert_int_equal(krel_kernel_identity(k)->build_id.byte[19],
				 0xb3);
		assert_true(note->link_va == va + 0x100 + 24);
		assert_int_equal(note->len, 36);
		assert_memory_equal(note->bytes,
				    m.section.p + 0x100 + 24, 36);
		assert_true(krel_kernel_map_base(k) == (is64 ?
			UINT64_C(0xffffffff80000000) : 0xc0000000));
		assert_int_equal(krel_kernel_read(k, va + 0x200, got,
						  is64 ? 8 : 4), KREL_OK);
		assert_memory_equal(got, m.section.p + 0x200, is64 ? 8 : 4);
		krel_kernel_close(k);
		made_free(&m);
	}
}

/* PAGE_OFFSET is what virtual and physical address differ by. */
static void page_offset_by_the_headers(void **state)
{
	static const uint32_t split[] = { 0x40000000, 0x80000000, 0xb0000000 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct made m = make(false, split[i] + 0x1000000, 0x1000000,
				     false);
		struct krel_kernel *k = opened(&m);

		assert_int_equal(krel_kernel_map_base(k), split[i]);
		krel_kernel_close(k);
		made_free(&m);
	}
}

static void reads_stay_inside_sections(void **state)
{
	struct made m = make_64();
	struct krel_kernel *k = opened(&m);
	uint64_t va = UINT64_C(0xffffffff81000000);
	uint8_t got[8];

	(void)state;
	assert_int_equal(krel_kernel_read(k, va + 0x3f8, got, 8), KREL_OK);
	assert_int_equal(krel_kernel_read(k, va + 0x3f9, got, 8),
			 KREL_ABSENT);
	assert_int_equal(krel_kernel_read(k, va - 1, got, 8), KREL_ABSENT);
	assert_int_equal(krel_kernel_read(k, UINT64_MAX, got, 8),
			 KREL_ABSENT);
	assert_int_equal(krel_kernel_read(k, 0, got, 1), KREL_ABSENT);
	krel_kernel_close(k);
	krel_kernel_close(NULL);
	made_free(&m);
}

/* Nothing readable follows the banner: it is whole all the same. */
static void banner_at_the_end_of_its_section(void **state)
{
	static const char text[] = "Linux version 6.1.0-end (builder@host) (gcc (Debian 12.2.0-14) 12.2.0) #1 SMP PREEMPT_DYNAMIC Debian 6.1.1-1 (2026-01-01)";
	const struct elf_symbol symbol[] = {
		{ "_text", 0xc1000000 }, { "linux_banner", 0xc1000010 },
	};
	struct bytes section = { 0 }, file = { 0 };
	struct krel_error err = { "" };
	struct elf_layout at;
	struct krel_kernel *k;

	(void)state;
	bytes_pad(&section, 0x10);
	bytes_text(&section, text);
	bytes_put(&section, "\n", 2);
	elf_kernel_write(&file, &(struct elf_kernel){
		.type = 2, .machine = EM_32, .va = 0xc1000000, .pa = 0x1000000,
		.section = &section, .symbol = symbol, .nr_symbols = 2 }, &at);
	assert_int_equal(try_open(&file, &k, &err), KREL_OK);
	assert_string_equal(krel_kernel_identity(k)->banner, text);
	krel_kernel_close(k);
	bytes_free(&section);
	bytes_free(&file);
}

static void stripped_is_said(void **state)
{
	struct made m = make(true, UINT64_C(0xffffffff81000000), 0, true);

	(void)state;
	refused(&m.file, KREL_ABSENT, "stripped");
	made_free(&m);
}

/* Symbols, but not a kernel's. */
static void another_program(void **state)
{
	struct elf_symbol symbol = { "main", 0x401000 };
	struct bytes text = { 0 }, file = { 0 };
	struct elf_layout at;

	(void)state;
	bytes_pad(&text, 64);
	elf_kernel_write(&file, &(struct elf_kernel){
		.is64 = true, .type = 2, .machine = EM_64, .va = 0x401000,
		.section = &text, .symbol = &symbol, .nr_symbols = 1 }, &at);
	refused(&file, KREL_ABSENT, "_text");
	bytes_free(&text);
	bytes_free(&file);
}

/* Before 2.6.30 there was no _text, and _stext was the same. */
static void stext_stands_in(void **state)
{
	struct elf_symbol symbol = { "_stext", 0xc0100000 };
	struct bytes text = { 0 }, file = { 0 };
	struct krel_error err = { "" };
	struct krel_kernel *k;
	struct elf_layout at;
	uint64_t v;

	(void)state;
	bytes_pad(&text, 64);
	elf_kernel_write(&file, &(struct elf_kernel){
		.type = 2, .machine = EM_32, .va = 0xc0100000, .pa = 0x100000,
		.section = &text, .symbol = &symbol, .nr_symbols = 1 }, &at);
	assert_int_equal(try_open(&file, &k, &err), KREL_OK);
	assert_true(krel_kernel_sym(k, KREL_SYM_TEXT, &v));
	assert_int_equal(v, 0xc0100000);
	/* Neither build-id nor banner: none is made up. */
	assert_int_equal(krel_kernel_id_note(k)->len, 0);
	assert_string_equal(krel_kernel_identity(k)->banner, "");
	assert_int_equal(krel_kernel_identity(k)->build_id.len, 0);
	krel_kernel_close(k);
	bytes_free(&text);
	bytes_free(&file);
}

static void not_a_vmlinux(void **state)
{
	struct made m = make_64();
	struct bytes text = { 0 }, empty = { 0 };

	(void)state;
	bytes_text(&text, "ffffffff81000000 T _text\n");
	refused(&text, KREL_NOT_MINE, "expected a vmlinux");
	refused(&empty, KREL_NOT_MINE, "expected a vmlinux");
	bytes_patch(&m.file, 18, 183, 2);
	refused(&m.file, KREL_NOT_MINE, "183");
	bytes_patch(&m.file, 18, EM_64, 2);
	bytes_patch(&m.file, 16, 4, 2);
	refused(&m.file, KREL_NOT_MINE, "core dump");
	bytes_free(&text);
	made_free(&m);
}

/* Names that run past the string table are cut there, never read beyond. */
static void strtab_without_nul(void **state)
{
	struct made m = make_64();
	struct krel_error err = { "" };
	struct krel_kernel *k;
	uint64_t v, len = m.at.shdrs - m.at.strtab;

	(void)state;
	/* End in the middle of the last name. */
	while (m.file.p[m.at.strtab + len - 1] == 0)
		len--;
	bytes_patch(&m.file, m.at.strtab_shdr + 32, len - 3, 8);
	if (try_open(&m.file, &k, &err) == KREL_OK) {
		assert_int_equal(krel_kernel_lookup(k,
			"a_symbol_of_no_interest", &v), KREL_ABSENT);
		assert_true(krel_kernel_sym(k, KREL_SYM_TEXT, &v));
		krel_kernel_close(k);
	}
	bytes_patch(&m.file, m.at.strtab_shdr + 32, 2, 8);
	if (try_open(&m.file, &k, &err) == KREL_OK)
		fail_msg("symbols without names");
	made_free(&m);
}

static void tables_beyond_the_file(void **state)
{
	static const uint64_t odd[] = {
		UINT64_MAX, UINT64_C(1) << 40, 1 << 20, 0,
	};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (int which = 0; which < 4; which++) {
			struct made m = make_64();
			struct krel_error err = { "" };
			struct krel_kernel *k;
			size_t shdr = which & 1 ? m.at.symtab_shdr :
				m.at.strtab_shdr;

			bytes_patch(&m.file, shdr + (which & 2 ? 24 : 32),
				    odd[i], 8);
			if (try_open(&m.file, &k, &err) == KREL_OK)
				krel_kernel_close(k);
			made_free(&m);
		}
}

/* Cut anywhere: refused or opened, never a crash, never other symbols. */
static void cut_at_every_length(void **state)
{
	(void)state;
	for (int is64 = 0; is64 < 2; is64++) {
		uint64_t va = is64 ? UINT64_C(0xffffffff81000000) : 0xc1000000;
		struct made m = make(is64, va, 0x1000000, false);
		size_t whole = m.file.len, headers = is64 ? 120 : 84;

		for (m.file.len = 0; m.file.len < whole;
		     m.file.len += m.file.len < headers ? 1 : 37) {
			struct krel_error err = { "" };
			struct krel_kernel *k;
			uint64_t v = va;

			if (try_open(&m.file, &k, &err) != KREL_OK)
				continue;
			assert_true(krel_kernel_sym(k, KREL_SYM_TEXT, &v));
			assert_true(v == va);
			krel_kernel_close(k);
		}
		made_free(&m);
	}
}

static void headers_with_one_wrong_byte(void **state)
{
	static const uint8_t wrong[] = { 0x00, 0x7f, 0x80, 0xff };
	struct made m = make_64();
	size_t end = m.file.len;

	(void)state;
	for (size_t at = 0; at < end; at++) {
		if (at == 120)
			at = m.at.shdrs;
		for (size_t i = 0; i < sizeof(wrong); i++) {
			struct krel_error err = { "" };
			struct krel_kernel *k;
			uint8_t was = m.file.p[at];

			m.file.p[at] = wrong[i];
			if (try_open(&m.file, &k, &err) == KREL_OK)
				krel_kernel_close(k);
			m.file.p[at] = was;
		}
	}
	made_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_all_of_a_whole_one),
		cmocka_unit_test(page_offset_by_the_headers),
		cmocka_unit_test(reads_stay_inside_sections),
		cmocka_unit_test(banner_at_the_end_of_its_section),
		cmocka_unit_test(stripped_is_said),
		cmocka_unit_test(another_program),
		cmocka_unit_test(stext_stands_in),
		cmocka_unit_test(not_a_vmlinux),
		cmocka_unit_test(strtab_without_nul),
		cmocka_unit_test(tables_beyond_the_file),
		cmocka_unit_test(cut_at_every_length),
		cmocka_unit_test(headers_with_one_wrong_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
