/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF notes in a buffer: VMCOREINFO, QEMU CPU state, build-ids.
 */
#ifndef KREL_NOTES_H
#define KREL_NOTES_H

#include "image.h"

/** One note; the pointers are borrowed from the buffer walked. */
struct krel_note {
	uint32_t type;
	const char *name;	/* not NUL-terminated */
	size_t name_len;	/* without a trailing NUL */
	const uint8_t *desc;
	size_t desc_len;
	size_t offset;		/* of the note header in the buffer */
};

/**
 * Step through notes: *@pos starts at 0 and is advanced.
 *
 * @return KREL_OK; KREL_ABSENT at the end; KREL_CORRUPT when a note runs
 *         past the buffer.
 */
enum krel_status krel_note_next(const uint8_t *buf, size_t len, size_t *pos,
				struct krel_note *out);

/** True when the note's owner is @name. */
bool krel_note_is(const struct krel_note *n, const char *name);

/**
 * Take from a container's notes what an image wants: VMCOREINFO text, QEMU
 * CPU states, the number of NT_PRSTATUS notes as CPU count. Notes that are
 * cut off or malformed are left out, not an error.
 */
enum krel_status krel_notes_collect(const uint8_t *buf, size_t len,
				    struct krel_image_facts *facts,
				    struct krel_error *err);

/** Copy VMCOREINFO text into facts. */
enum krel_status krel_facts_set_vmcoreinfo(struct krel_image_facts *facts,
					   const void *text, size_t len,
					   struct krel_error *err);

#endif
