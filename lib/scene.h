/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an anchor may look at, and the checks of a candidate against it. */
#ifndef KREL_SCENE_H
#define KREL_SCENE_H

#include "identify.h"
#include "image.h"
#include "kernel.h"
#include "paging.h"
#include "target.h"
#include "vmcoreinfo.h"

struct krel_scene {
	const struct krel_target *target;
	struct krel_image *image;
	const struct krel_kernel *kernel;	/* NULL: none given */
	struct krel_vmcoreinfo vmcoreinfo;	/* .text NULL: no note */
	const struct krel_options *opts;
	struct krel_walk *walk;			/* scratch for one walk */
	struct krel_scan *scan;			/* of all memory, made once */
};

/**
 * A candidate. The displacement is what a kernel's physical address moves by:
 * physical = link-time - map base + displacement. It is virt_offset +
 * phys_base on x86-64, and the virtual offset itself on x86-32.
 */
struct krel_candidate {
	int64_t virt_offset;
	int64_t phys_base;	/* 0 on x86-32 */
};

/** Displacement of a candidate. */
int64_t krel_displacement(const struct krel_candidate *c);

/** Physical address of a link-time one under a displacement. */
uint64_t krel_scene_phys(const struct krel_scene *s, uint64_t link_va,
			 int64_t disp);

/**
 * x86-64: the first page of the kernel's map, through s->walk as it was set
 * up. It is _text: what lies below is cleared at boot (cleanup_highmap, since
 * 2.6.26).
 *
 * @param c  phys_base by that page, and virt_offset when there is a kernel.
 * @return KREL_OK; KREL_ABSENT (nothing mapped), or why a table could not be
 *         read; KREL_NOMEM; KREL_INTERRUPTED.
 */
enum krel_status krel_scene_first_page(const struct krel_scene *s,
				       struct krel_mapping *m,
				       struct krel_candidate *c);

/**
 * Is the kernel there? Reads its build-id note at the place that @disp
 * gives, else its whole banner; with a System.map, which knows neither,
 * tells only whether a banner and a build-id note stand there.
 *
 * @param match  Set on KREL_OK. May be NULL.
 * @return KREL_OK; KREL_CONTRADICTS (something else is there); KREL_ABSENT,
 *         KREL_FILTERED, KREL_UNREADABLE as reading it went.
 */
enum krel_status krel_place_check(const struct krel_scene *s, int64_t disp,
				  enum krel_match *match);

/**
 * phys_base as the kernel itself keeps it, in its variable of that name.
 * x86-64 only.
 */
enum krel_status krel_place_phys_base(const struct krel_scene *s,
				      int64_t disp, int64_t *phys_base);

/**
 * Confirm a candidate by the image alone: the place as krel_place_check(),
 * and then witnesses that depend on the offsets: relocated pointers (system
 * call table, kernel parameters, IDT), the variable phys_base, the page
 * tables of the CPUs. Two on x86-64, one on x86-32, and none against.
 *
 * @param why    One line for the report, in every case.
 * @param match  Set on KREL_OK.
 * @return KREL_OK: verified. KREL_CONTRADICTS: the image speaks against it.
 *         Anything else: it could not be decided.
 */
enum krel_status krel_confirm(const struct krel_scene *s,
			      const struct krel_candidate *c,
			      enum krel_match *match,
			      char why[static KREL_NOTE_LEN]);

/** True when the caller asked to stop. */
bool krel_scene_interrupted(const struct krel_scene *s);

/** Handler address in an IDT gate; false when the gate is not present. */
bool krel_gate_handler(const struct krel_target *t, const uint8_t *gate,
		       uint64_t *handler);

/** Bytes of a gate: 8 or 16. */
unsigned int krel_gate_size(const struct krel_target *t);

/** Link-time address of the handler of vector 0 or 14; false: no symbol. */
bool krel_gate_symbol(const struct krel_kernel *k, unsigned int vector,
		      uint64_t *link_va);

#endif
