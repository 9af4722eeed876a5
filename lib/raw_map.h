/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which physical memory a raw file holds, and where. A hypervisor's file of a
 * guest's RAM leaves out the hole for devices below 4 GiB; LiME's "raw" form
 * leaves out everything that is not RAM. The machine's own map of its RAM and
 * the size of the file tell which it is.
 */
#ifndef KREL_RAW_MAP_H
#define KREL_RAW_MAP_H

#include "image.h"

/** More ranges than this in a map are refused. */
#define KREL_RAW_RANGES_MAX	4096u

enum krel_raw_layout {
	KREL_RAW_UNKNOWN = 0,	/* the map does not fit the file */
	KREL_RAW_FLAT,		/* offset is physical address */
	KREL_RAW_PCI_HOLE,	/* a hole that ends at 4 GiB is left out */
	KREL_RAW_DROPPED,	/* only RAM, one range behind the other */
	KREL_RAW_STATED,	/* somebody said where each range is */
};

struct krel_raw_map {
	enum krel_raw_layout layout;
	struct krel_segment *range;	/* by the file's order; owned */
	size_t nr;
	char detail[64];		/* for the report */
};

/**
 * Parse what the user says of the machine: ranges "start-end@offset", parted
 * by commas or newlines, which state the layout; or lines of /proc/iomem
 * ("start-end : System RAM", others are passed over) or plain "start-end",
 * which state the RAM alone. Hexadecimal, with or without 0x, ends inclusive.
 *
 * @param ram   Set, with layout KREL_RAW_STATED or KREL_RAW_UNKNOWN; free
 *              with krel_raw_map_deinit().
 * @return KREL_OK; KREL_INVALID (what is wrong is in @err); KREL_NOMEM.
 */
enum krel_status krel_raw_map_parse(const struct krel_text *text,
				    struct krel_raw_map *ram,
				    struct krel_error *err);

/**
 * How does a file of @size bytes hold this RAM? Fills layout, range and
 * detail of @map when exactly one way fits; layout KREL_RAW_UNKNOWN else.
 *
 * @param ram  Ranges in ascending order that do not overlap.
 * @return KREL_OK or KREL_NOMEM.
 */
enum krel_status krel_raw_map_fit(const struct krel_segment *ram, size_t nr,
				  uint64_t size, struct krel_raw_map *map,
				  struct krel_error *err);

void krel_raw_map_deinit(struct krel_raw_map *map);

/**
 * Look through the file for the firmware's memory map in boot_params (the
 * "zero page" of Linux' x86 boot protocol: e820_table at 0x2d0) and fit each
 * to the file. A map of another machine does not fit.
 *
 * @param map  layout KREL_RAW_UNKNOWN when none fits, or when two differ.
 * @return KREL_OK; KREL_UNREADABLE; KREL_NOMEM.
 */
enum krel_status krel_raw_map_find(struct krel_file *f,
				   struct krel_raw_map *map,
				   struct krel_error *err);

#endif
