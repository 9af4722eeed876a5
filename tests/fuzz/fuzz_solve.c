// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a dump, with a small fixed kernel to look for. Whatever the
 * dump holds, the answer keeps to its own rules.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "kernel_priv.h"

#define POLLS	64	/* then the run is stopped, as Ctrl-C does */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t id_note[36] = "\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0krel-fuzz-build-id-0";

/* The distances are small, so that a dump of two pages can hold it all. */
static const struct {
	enum krel_sym sym;
	unsigned int at;
} layout[] = {
	{ KREL_SYM_TEXT, 0 }, { KREL_SYM_STEXT, 0 },
	{ KREL_SYM_BANNER, 0x100 }, { KREL_SYM_START_NOTES, 0x200 },
	{ KREL_SYM_PHYS_BASE, 0x300 }, { KREL_SYM_SYS_CALL_TABLE, 0x310 },
	{ KREL_SYM_START_PARAM, 0x320 }, { KREL_SYM_IDT_TABLE, 0x400 },
	{ KREL_SYM_ASM_EXC_DIVIDE_ERROR, 0x80 },
	{ KREL_SYM_ASM_EXC_PAGE_FAULT, 0x90 },
	{ KREL_SYM_INIT_UTS_NS, 0x340 }, { KREL_SYM_END, 0x800 },
};

static void each(const struct krel_kernel *k, krel_symbol_fn *fn, void *arg)
{
	(void)k;
	(void)fn;
	(void)arg;
}

/* The two relocated words both point to 0x80 behind _text. */
static enum krel_status read_linked(const struct krel_kernel *k, uint64_t va,
				    void *buf, size_t len)
{
	uint64_t text = k->sym[KREL_SYM_TEXT];
	uint8_t *to = buf;

	if (len > 8 || (va != text + 0x310 && va != text + 0x320))
		return KREL_ABSENT;
	for (size_t i = 0; i < len; i++)
		to[i] = (uint8_t)((text + 0x80) >> 8 * i);
	return KREL_OK;
}

static const struct krel_kernel_ops ops = {
	.each = each, .read = read_linked,
};

static void make_kernel(struct krel_kernel *k, uint8_t how)
{
	bool is64 = how & 1;
	uint64_t text = is64 ? UINT64_C(0xffffffff81000000) : 0xc1000000;

	memset(k, 0, sizeof(*k));
	k->ops = &ops;
	k->fd = -1;
	k->target = krel_target_of(is64 ? KREL_ARCH_X86_64 : KREL_ARCH_I386);
	k->map_base = is64 ? UINT64_C(0xffffffff80000000) : 0xc0000000;
	for (size_t i = 0; i < sizeof(layout) / sizeof(layout[0]); i++) {
		k->known[layout[i].sym] = true;
		k->sym[layout[i].sym] = text + layout[i].at;
	}
	k->is_map = how & 2;
	if (k->is_map)
		return;
	strcpy(k->identity.banner, "Linux version 6.1-fuzz (a@b) #1 SMP");
	strcpy(k->identity.release, "6.1-fuzz");
	if (how & 4)
		return;
	k->identity.build_id.len = 20;
	memcpy(k->identity.build_id.byte, id_note + 16, 20);
	k->id_note.link_va = text + 0x200;
	k->id_note.len = sizeof(id_note);
	memcpy(k->id_note.bytes, id_note, sizeof(id_note));
}

static bool stop(void *arg)
{
	return ++*(int *)arg > POLLS;
}

static void keeps_the_rules(const struct krel_result *r)
{
	bool conflict = r->outcome == KREL_OUTCOME_CONFLICT;

	if ((r->mismatch || conflict) &&
	    (r->virt_offset.known || r->phys_base.known))
		abort();
	if (r->arch != KREL_ARCH_X86_64 && r->phys_base.known)
		abort();
	if (!r->kernel_given && r->virt_offset.known && r->virt_verified)
		abort();
	if (krel_report_exit(r) == KREL_EXIT_OK &&
	    !(r->virt_offset.known && r->virt_verified &&
	      r->match != KREL_MATCH_NONE))
		abort();
	if (r->nr_evidence > KREL_EVIDENCE_MAX || r->nr_warnings > KREL_NOTE_MAX)
		abort();
}

static void solve(struct krel_image *img, uint8_t how)
{
	static struct krel_result r;
	struct krel_kernel kernel;
	struct krel_error err;
	int polls = 0;
	struct krel_options opts = {
		.all_anchors = how & 8,
		.interrupted = stop, .interrupted_arg = &polls,
	};
	FILE *out;

	make_kernel(&kernel, how);
	if (krel_solve(img, how & 16 ? NULL : &kernel, &opts, &r, &err) ==
	    KREL_OK) {
		keeps_the_rules(&r);
		out = fopen(getenv("FUZZ_SHOW") ? "/dev/stdout" : "/dev/null",
			    "w");
		krel_report_text(&r, "fuzz", out);
		krel_report_anchors(&r, out);
		fclose(out);
	}
	polls = 0;
	krel_identify(img, &opts, &r, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct krel_image *img;
	struct krel_error err;
	struct krel_file *f;

	if (size < 2 ||
	    krel_file_mem(data + 1, size - 1, "fuzz", &f, &err) != KREL_OK)
		return 0;
	if (krel_image_open_file(f, data[0] & 32 ? "raw" : "elf", &img,
				 &err) != KREL_OK)
		return 0;
	solve(img, data[0]);
	krel_image_close(img);
	return 0;
}
