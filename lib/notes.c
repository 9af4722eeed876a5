// SPDX-License-Identifier: GPL-2.0-or-later
#include "notes.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"

#define NOTE_HEADER	12u
#define NT_PRSTATUS	1u

/*
 * QEMU's CPU state (target/i386/arch_dump.c, QEMUCPUState), the same layout
 * for 32- and 64-bit guests: version, size, 18 registers of 8 bytes, ten
 * segments of 24 bytes (selector, limit, flags, pad, base), CR0 to CR4.
 */
#define QEMU_RSP	(8 + 6 * 8)
#define QEMU_RIP	(8 + 16 * 8)
#define QEMU_CS		(8 + 18 * 8)
#define QEMU_IDT	(QEMU_CS + 9 * 24)
#define QEMU_CR0	(QEMU_CS + 10 * 24)
#define QEMU_MIN_SIZE	(QEMU_CR0 + 5 * 8)
#define QEMU_SEG_BASE	16

/* A real note is a few KiB; a bound against hostile headers. */
#define VMCOREINFO_MAX	(1u << 20)

enum krel_status krel_note_next(const uint8_t *buf, size_t len, size_t *pos,
				struct krel_note *out)
{
	uint64_t namesz, descsz, desc, end;
	const uint8_t *p;

	if (*pos >= len || len - *pos < NOTE_HEADER)
		return KREL_ABSENT;
	p = buf + *pos;
	namesz = krel_le32(p);
	descsz = krel_le32(p + 4);
	/* Both parts are padded to 4 bytes; sizes are 32-bit: no overflow. */
	desc = NOTE_HEADER + krel_align_up(namesz, 4);
	end = desc + descsz;
	if (end > len - *pos)
		return KREL_CORRUPT;

	*out = (struct krel_note){
		.type = krel_le32(p + 8),
		.name = (const char *)p + NOTE_HEADER,
		.name_len = (size_t)namesz,
		.desc = p + desc,
		.desc_len = (size_t)descsz,
		.offset = *pos,
	};
	while (out->name_len > 0 && out->name[out->name_len - 1] == '\0')
		out->name_len--;
	end = krel_align_up(end, 4);
	*pos = end > len - *pos ? len : *pos + (size_t)end;
	return KREL_OK;
}

bool krel_note_is(const struct krel_note *n, const char *name)
{
	size_t len = strlen(name);

	return n->name_len == len && memcmp(n->name, name, len) == 0;
}

enum krel_status krel_facts_set_vmcoreinfo(struct krel_image_facts *facts,
					   const void *text, size_t len,
					   struct krel_error *err)
{
	char *copy;

	/* The kernel pads the note to a page with zeros. */
	len = strnlen(text, len);
	if (len == 0 || len > VMCOREINFO_MAX)
		return KREL_OK;
	copy = malloc(len + 1);
	if (!copy)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	memcpy(copy, text, len);
	copy[len] = '\0';
	free(facts->vmcoreinfo);
	facts->vmcoreinfo = copy;
	facts->vmcoreinfo_len = len;
	return KREL_OK;
}

static enum krel_status add_cpu(struct krel_image_facts *facts,
				const struct krel_note *n,
				struct krel_error *err)
{
	const uint8_t *d = n->desc;
	struct krel_cpu *grown;

	if (n->desc_len < QEMU_MIN_SIZE || facts->nr_cpus >= KREL_CPUS_MAX)
		return KREL_OK;
	grown = realloc(facts->cpu, (facts->nr_cpus + 1) * sizeof(*grown));
	if (!grown)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	facts->cpu = grown;
	grown[facts->nr_cpus] = (struct krel_cpu){
		.index = (unsigned int)facts->nr_cpus,
		.rsp = krel_le64(d + QEMU_RSP),
		.rip = krel_le64(d + QEMU_RIP),
		.cs = krel_le32(d + QEMU_CS),
		.idt_base = krel_le64(d + QEMU_IDT + QEMU_SEG_BASE),
		.cr0 = krel_le64(d + QEMU_CR0),
		.cr3 = krel_le64(d + QEMU_CR0 + 3 * 8),
		.cr4 = krel_le64(d + QEMU_CR0 + 4 * 8),
	};
	facts->nr_cpus++;
	return KREL_OK;
}

enum krel_status krel_notes_collect(const uint8_t *buf, size_t len,
				    struct krel_image_facts *facts,
				    struct krel_error *err)
{
	enum krel_status st = KREL_OK;
	unsigned int prstatus = 0;
	struct krel_note n;
	size_t pos = 0;

	while (st == KREL_OK && krel_note_next(buf, len, &pos, &n) == KREL_OK) {
		if (krel_note_is(&n, "VMCOREINFO"))
			st = krel_facts_set_vmcoreinfo(facts, n.desc,
						       n.desc_len, err);
		else if (krel_note_is(&n, "QEMU") && n.type == 0)
			st = add_cpu(facts, &n, err);
		else if (krel_note_is(&n, "CORE") && n.type == NT_PRSTATUS)
			prstatus++;
	}
	if (facts->ncpus == 0)
		facts->ncpus = prstatus;
	if (facts->ncpus < facts->nr_cpus)
		facts->ncpus = (unsigned int)facts->nr_cpus;
	return st;
}
