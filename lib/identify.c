// SPDX-License-Identifier: GPL-2.0-or-later
#include "identify.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "error.h"
#include "kernel.h"
#include "notes.h"

static const char banner_start[] = "Linux version ";

/* State of a scan; on the heap, for its buffers. */
struct scan {
	struct krel_image *img;
	const struct krel_options *opts;
	struct krel_identity note[KREL_SCAN_MAX], banner[KREL_SCAN_MAX];
	enum krel_arch arch[KREL_SCAN_MAX];
	unsigned int notes, banners;
	uint64_t place_pa[KREL_SCAN_PLACES];
	char place[KREL_SCAN_PLACES][320];
	unsigned int places;
	uint8_t page[KREL_PAGE_SIZE];
	uint8_t note_buf[KREL_NOTE_PAGES * KREL_PAGE_SIZE];
};

void krel_identity_from_note(const struct krel_vmcoreinfo *vi,
			     struct krel_identity *id)
{
	if (krel_vmcoreinfo_get(vi, "OSRELEASE", id->release,
				sizeof(id->release)) != KREL_OK)
		id->release[0] = '\0';
	krel_text_sanitize(id->release);
	krel_vmcoreinfo_build_id(vi, &id->build_id);
}

static bool same_kernel(const struct krel_identity *a,
			const struct krel_identity *b)
{
	return strcmp(a->release, b->release) == 0 &&
		strcmp(a->banner, b->banner) == 0 &&
		a->build_id.len == b->build_id.len &&
		memcmp(a->build_id.byte, b->build_id.byte,
		       a->build_id.len) == 0;
}

/* Keep @id in a list of distinct ones, while there is room. */
static void add_distinct(struct krel_identity *list, unsigned int *nr,
			const struct krel_identity *id)
{
	for (unsigned int i = 0; i < *nr; i++)
		if (same_kernel(&list[i], id))
			return;
	if (*nr < KREL_SCAN_MAX)
		list[(*nr)++] = *id;
}

/*
 * Remember where a note is. A kernel that was booted twice left two of them,
 * which differ in where it ran: both are kept, equal ones once.
 */
static void add_place(struct scan *sc, uint64_t pa,
		      const struct krel_vmcoreinfo *vi,
		      const struct krel_identity *id)
{
	static const char *const keys[] = {
		"KERNELOFFSET", "NUMBER(phys_base)", "SYMBOL(_stext)",
	};
	char hex[2 * KREL_BUILD_ID_MAX + 1], text[sizeof(sc->place[0])];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s %s",
				       id->release,
				       krel_build_id_text(&id->build_id, hex));

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char value[32] = "";

		krel_vmcoreinfo_get(vi, keys[i], value, sizeof(value));
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 " %s", value);
	}
	for (unsigned int i = 0; i < sc->places; i++)
		if (strcmp(sc->place[i], text) == 0)
			return;
	if (sc->places == KREL_SCAN_PLACES)
		return;
	memcpy(sc->place[sc->places], text, sizeof(text));
	sc->place_pa[sc->places++] = pa;
}

enum krel_status krel_note_at(struct krel_image *img, uint64_t pa,
			      uint8_t buf[static KREL_NOTE_PAGES *
					  KREL_PAGE_SIZE],
			      struct krel_vmcoreinfo *vi)
{
	size_t len = KREL_PAGE_SIZE, pos = 0;
	struct krel_note n;
	enum krel_status st;

	/* The second page only when the note says that it goes on there. */
	st = krel_image_read(img, pa, buf, len, NULL);
	if (st == KREL_OK &&
	    krel_note_next(buf, len, &pos, &n) == KREL_CORRUPT) {
		st = krel_image_read(img, pa + len, buf + len, len, NULL);
		len *= 2;
	}
	if (st != KREL_OK)
		return st;
	pos = 0;
	if (krel_note_next(buf, len, &pos, &n) != KREL_OK ||
	    !krel_note_is(&n, "VMCOREINFO"))
		return KREL_ABSENT;
	vi->text = (const char *)n.desc;
	vi->len = n.desc_len;
	return KREL_OK;
}

/* A VMCOREINFO note at the start of a page, with a text that is filled in. */
static void look_for_note(struct scan *sc, uint64_t pa)
{
	struct krel_identity id = { 0 };
	unsigned int before = sc->notes;
	struct krel_vmcoreinfo vi;

	if (krel_le32(sc->page) != sizeof("VMCOREINFO") ||
	    krel_note_at(sc->img, pa, sc->note_buf, &vi) != KREL_OK)
		return;
	krel_identity_from_note(&vi, &id);
	/* A literal '%' is the kernel's format string. */
	if (!id.release[0] || strchr(id.release, '%'))
		return;
	add_distinct(sc->note, &sc->notes, &id);
	if (sc->notes > before)
		sc->arch[before] = krel_vmcoreinfo_arch(&vi);
	add_place(sc, pa, &vi, &id);
}

/*
 * linux_banner ends with a newline and a NUL. Copies in the log do not, and
 * those in user memory seldom.
 */
static void take_banner(struct scan *sc, uint64_t pa)
{
	struct krel_identity id = { 0 };
	size_t len;

	krel_image_read_some(sc->img, pa, id.banner, sizeof(id.banner) - 1);
	len = strcspn(id.banner, "\n");
	if (id.banner[len] != '\n' || id.banner[len + 1] != '\0' ||
	    !memchr(id.banner, '#', len) || !krel_banner_take(&id))
		return;
	add_distinct(sc->banner, &sc->banners, &id);
}

static void look_for_banner(struct scan *sc, uint64_t pa)
{
	const uint8_t *p = sc->page, *end = sc->page + sizeof(sc->page);

	while ((p = memmem(p, (size_t)(end - p), banner_start,
			   sizeof(banner_start) - 1))) {
		take_banner(sc, pa + (uint64_t)(p - sc->page));
		p++;
	}
}

static bool interrupted(const struct krel_options *opts)
{
	return opts && opts->interrupted &&
		opts->interrupted(opts->interrupted_arg);
}

static enum krel_status scan_range(struct scan *sc, const struct krel_range *r)
{
	uint64_t pa = krel_align_up(r->pa, KREL_PAGE_SIZE);
	uint64_t end = r->pa + r->size;

	for (; pa < end && end - pa >= KREL_PAGE_SIZE; pa += KREL_PAGE_SIZE) {
		enum krel_status st;

		if (pa % (1u << 22) == 0 && interrupted(sc->opts))
			return KREL_INTERRUPTED;
		st = krel_image_read(sc->img, pa, sc->page, sizeof(sc->page),
				     NULL);
		if (st == KREL_NOMEM || st == KREL_INTERRUPTED)
			return st;
		if (st != KREL_OK)
			continue;
		look_for_note(sc, pa);
		look_for_banner(sc, pa);
	}
	return KREL_OK;
}

static void list_others(const struct krel_identity *list, unsigned int nr,
			struct krel_scan *out)
{
	size_t used = 0;

	for (unsigned int i = 0; i < nr && used < sizeof(out->others); i++) {
		int n = snprintf(out->others + used,
				 sizeof(out->others) - used, "%s%s",
				 i ? ", " : "", list[i].release);

		used += n > 0 ? (size_t)n : 0;
	}
}

/* The banner of a release, when all copies of it say the same. */
static void banner_of(const struct scan *sc, struct krel_identity *id)
{
	const struct krel_identity *only = NULL;

	for (unsigned int i = 0; i < sc->banners; i++) {
		if (strcmp(sc->banner[i].release, id->release) != 0)
			continue;
		if (only)
			return;
		only = &sc->banner[i];
	}
	if (only)
		memcpy(id->banner, only->banner, sizeof(id->banner));
}

static void conclude(const struct scan *sc, struct krel_scan *out)
{
	memset(out, 0, sizeof(*out));
	out->done = true;
	out->notes = sc->notes;
	out->banners = sc->banners;
	out->places = sc->places;
	memcpy(out->note_pa, sc->place_pa, sizeof(out->note_pa));
	/* A note says more than a banner, and is the kernel's own. */
	if (sc->notes == 1) {
		out->id = sc->note[0];
		out->arch = sc->arch[0];
		banner_of(sc, &out->id);
	} else if (sc->notes == 0 && sc->banners == 1) {
		out->id = sc->banner[0];
	} else if (sc->notes > 1) {
		list_others(sc->note, sc->notes, out);
	} else {
		list_others(sc->banner, sc->banners, out);
	}
}

enum krel_status krel_scan_identity(struct krel_image *img,
				    const struct krel_options *opts,
				    struct krel_scan *out)
{
	enum krel_status st = KREL_OK;
	struct krel_range r;
	uint64_t pa = 0;
	struct scan *sc;

	if (out->done)
		return KREL_OK;
	sc = calloc(1, sizeof(*sc));
	if (!sc)
		return KREL_NOMEM;
	sc->img = img;
	sc->opts = opts;
	while (st == KREL_OK && krel_image_next(img, pa, &r) == KREL_OK) {
		st = scan_range(sc, &r);
		if (r.pa + r.size <= pa)
			break;
		pa = r.pa + r.size;
	}
	if (st == KREL_OK)
		conclude(sc, out);
	free(sc);
	return st;
}
