// SPDX-License-Identifier: GPL-2.0-or-later
#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#define NOTE_MAX	65536	/* VMCOREINFO_BYTES is one page */

/* ------------------------------------------------------------- the note */

/*
 * The kernel's own text: vmcoreinfo_data is a pointer to a page since 4.13,
 * and was an array before; vmcoreinfo_size counts its bytes.
 */
static bool own_note(struct krel_view *v, char *buf, size_t *len)
{
	uint64_t at, size;

	if (krel_view_symbol(v, "vmcoreinfo_size", &at) != KREL_OK ||
	    krel_view_pointer(v, at, &size) != KREL_OK ||
	    size == 0 || size > NOTE_MAX ||
	    krel_view_symbol(v, "vmcoreinfo_data", &at) != KREL_OK ||
	    krel_view_read(v, at, buf, (size_t)size) != KREL_OK)
		return false;
	*len = (size_t)size;
	if (memcmp(buf, "OSRELEASE=", 10) == 0)
		return true;
	return krel_view_pointer(v, at, &at) == KREL_OK &&
		krel_view_read(v, at, buf, (size_t)size) == KREL_OK &&
		memcmp(buf, "OSRELEASE=", 10) == 0;
}

/* Memory first: a header may speak of another kernel of the image. */
static void find_note(struct krel_log *log, char *buf)
{
	const struct krel_image_facts *facts = &log->view->image->facts;

	if (own_note(log->view, buf, &log->vi.len)) {
		log->vi.text = buf;
	} else {
		log->vi.text = facts->vmcoreinfo;
		log->vi.len = facts->vmcoreinfo_len;
	}
}

bool krel_log_field(struct krel_log *log, const char *kind, const char *name,
		    uint64_t *value)
{
	char key[96], text[24], *end;

	snprintf(key, sizeof(key), "%s(%s)", kind, name);
	if (krel_vmcoreinfo_get(&log->vi, key, text, sizeof(text)) ==
	    KREL_OK) {
		*value = strtoull(text, &end, 10);
		/* Fields of structs, not addresses: small numbers. */
		if (end != text && *end == '\0' && *value < NOTE_MAX)
			return true;
	}
	memcpy(log->missing, key, sizeof(log->missing));
	return false;
}

enum krel_status krel_log_variable(const struct krel_log *log,
				   const char *name, uint64_t *va)
{
	if (krel_view_symbol(log->view, name, va) == KREL_OK)
		return KREL_OK;
	return krel_vmcoreinfo_symbol(&log->vi, name, va);
}

/* ----------------------------------------------------------- the records */

bool krel_log_emit_lost(struct krel_log *log, uint64_t ns,
			enum krel_status why)
{
	struct krel_log_record rec = { .ns = ns, .status = why };

	return log->visit(log->arg, &rec);
}

bool krel_log_emit(struct krel_log *log, uint64_t ns, uint64_t va, size_t len)
{
	struct krel_log_record rec = {
		.ns = ns, .text = (const char *)log->text, .len = len,
	};
	enum krel_status st;

	if (len > sizeof(log->text))
		return krel_log_emit_lost(log, ns, KREL_CORRUPT);
	st = krel_view_read(log->view, va, log->text, len);
	return st == KREL_OK ? log->visit(log->arg, &rec) :
		krel_log_emit_lost(log, ns, st);
}

enum krel_status krel_log_read(struct krel_view *v, krel_log_visit *visit,
			       void *arg, struct krel_error *err)
{
	struct krel_log *log = calloc(1, sizeof(*log));
	char *note = malloc(NOTE_MAX);
	enum krel_status st = KREL_NOMEM;

	if (!log || !note) {
		krel_error_set(err, st, "out of memory");
		goto out;
	}
	log->view = v;
	log->visit = visit;
	log->arg = arg;
	find_note(log, note);
	st = krel_log_ring(log, err);
	if (st == KREL_ABSENT)
		st = krel_log_records(log, err);
	if (st == KREL_ABSENT && !log->vi.text)
		krel_error_set(err, st,
			"expected a VMCOREINFO that tells the fields of the log, found none");
	else if (st == KREL_ABSENT)
		krel_error_set(err, st,
			"expected %s of the log in VMCOREINFO, found none: kernels before 3.5 are not read",
			log->missing[0] ? log->missing : "the fields");
out:
	free(note);
	free(log);
	return st;
}
