// SPDX-License-Identifier: GPL-2.0-or-later
#include "scene.h"

#include <string.h>

#include "bytes.h"

#define GATE_PRESENT	0x80

static const char banner_start[] = "Linux version ";

int64_t krel_displacement(const struct krel_candidate *c)
{
	return (int64_t)((uint64_t)c->virt_offset + (uint64_t)c->phys_base);
}

uint64_t krel_scene_phys(const struct krel_scene *s, uint64_t link_va,
			 int64_t disp)
{
	uint64_t pa = link_va - krel_kernel_map_base(s->kernel) +
		(uint64_t)disp;

	return s->target->word_bytes == 4 ? pa & UINT32_MAX : pa;
}

bool krel_scene_interrupted(const struct krel_scene *s)
{
	return s->opts && s->opts->interrupted &&
		s->opts->interrupted(s->opts->interrupted_arg);
}

enum krel_status krel_scene_first_page(const struct krel_scene *s,
				       struct krel_mapping *m,
				       struct krel_candidate *c)
{
	enum krel_status st;
	uint64_t text;

	st = krel_walk_next(s->walk, s->target->map_base, s->target->map_end,
			    m);
	if (st == KREL_ABSENT && s->walk->trouble != KREL_OK)
		return s->walk->trouble;
	if (st != KREL_OK)
		return st;
	c->phys_base = (int64_t)(m->pa - (m->va - s->target->map_base));
	c->virt_offset = 0;
	if (s->kernel && krel_kernel_sym(s->kernel, KREL_SYM_TEXT, &text))
		c->virt_offset = krel_target_offset(s->target, m->va, text);
	return KREL_OK;
}

/* ------------------------------------------------------------ the place */

static enum krel_status check_id_note(const struct krel_scene *s, int64_t disp)
{
	const struct krel_id_note *want = krel_kernel_id_note(s->kernel);
	uint8_t got[KREL_ID_NOTE_MAX];
	enum krel_status st;

	st = krel_image_read(s->image,
			     krel_scene_phys(s, want->link_va, disp), got,
			     want->len, NULL);
	if (st != KREL_OK)
		return st;
	return memcmp(got, want->bytes, want->len) == 0 ? KREL_OK :
		KREL_CONTRADICTS;
}

static enum krel_status check_banner(const struct krel_scene *s, int64_t disp)
{
	const char *want = krel_kernel_identity(s->kernel)->banner;
	char got[sizeof(krel_kernel_identity(s->kernel)->banner)];
	size_t len = strlen(want);
	enum krel_status st;
	uint64_t va;

	if (!krel_kernel_sym(s->kernel, KREL_SYM_BANNER, &va))
		return KREL_ABSENT;
	st = krel_image_read(s->image, krel_scene_phys(s, va, disp), got, len,
			     NULL);
	if (st != KREL_OK)
		return st;
	return memcmp(got, want, len) == 0 ? KREL_OK : KREL_CONTRADICTS;
}

/* A System.map knows where the banner and the notes are, not what they say. */
static enum krel_status check_content(const struct krel_scene *s,
				      int64_t disp)
{
	char got[sizeof(banner_start) - 1];
	enum krel_status st;
	uint8_t note[16];
	uint64_t va;

	if (!krel_kernel_sym(s->kernel, KREL_SYM_BANNER, &va))
		return KREL_ABSENT;
	st = krel_image_read(s->image, krel_scene_phys(s, va, disp), got,
			     sizeof(got), NULL);
	if (st != KREL_OK)
		return st;
	if (memcmp(got, banner_start, sizeof(got)) != 0)
		return KREL_CONTRADICTS;
	if (!krel_kernel_sym(s->kernel, KREL_SYM_START_NOTES, &va))
		return KREL_OK;
	st = krel_image_read(s->image, krel_scene_phys(s, va, disp), note,
			     sizeof(note), NULL);
	if (st != KREL_OK)
		return st;
	/* The first note's owner is a short upper- or mixed-case name. */
	return krel_le32(note) >= 2 && krel_le32(note) <= 16 ? KREL_OK :
		KREL_CONTRADICTS;
}

enum krel_status krel_place_check(const struct krel_scene *s, int64_t disp,
				  enum krel_match *match)
{
	enum krel_match how = KREL_MATCH_CONTENT;
	enum krel_status st;

	if (krel_kernel_id_note(s->kernel)->len > 0) {
		how = KREL_MATCH_BUILD_ID;
		st = check_id_note(s, disp);
	} else if (krel_kernel_identity(s->kernel)->banner[0]) {
		how = KREL_MATCH_BANNER;
		st = check_banner(s, disp);
	} else {
		st = check_content(s, disp);
	}
	if (st == KREL_OK && match)
		*match = how;
	return st;
}

enum krel_status krel_place_phys_base(const struct krel_scene *s,
				      int64_t disp, int64_t *phys_base)
{
	enum krel_status st;
	uint8_t word[8];
	uint64_t va;

	if (!s->target->has_phys_base ||
	    !krel_kernel_sym(s->kernel, KREL_SYM_PHYS_BASE, &va))
		return KREL_ABSENT;
	st = krel_image_read(s->image, krel_scene_phys(s, va, disp), word,
			     sizeof(word), NULL);
	if (st == KREL_OK)
		*phys_base = (int64_t)krel_le64(word);
	return st;
}

/* ------------------------------------------------------- gates of an IDT */

unsigned int krel_gate_size(const struct krel_target *t)
{
	return t->word_bytes == 8 ? 16 : 8;
}

bool krel_gate_handler(const struct krel_target *t, const uint8_t *gate,
		       uint64_t *handler)
{
	uint64_t va = krel_le16(gate) | (uint64_t)krel_le16(gate + 6) << 16;

	if (!(gate[5] & GATE_PRESENT))
		return false;
	if (t->word_bytes == 8)
		va |= (uint64_t)krel_le32(gate + 8) << 32;
	*handler = va;
	return true;
}

bool krel_gate_symbol(const struct krel_kernel *k, unsigned int vector,
		      uint64_t *link_va)
{
	/* Since Linux 5.8 the entry code's names begin with asm_exc_. */
	if (vector == 0)
		return krel_kernel_sym(k, KREL_SYM_ASM_EXC_DIVIDE_ERROR,
				       link_va) ||
			krel_kernel_sym(k, KREL_SYM_DIVIDE_ERROR, link_va);
	return krel_kernel_sym(k, KREL_SYM_ASM_EXC_PAGE_FAULT, link_va) ||
		krel_kernel_sym(k, KREL_SYM_PAGE_FAULT, link_va);
}
