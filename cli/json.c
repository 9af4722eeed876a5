// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The answer as JSON, schema krel/1: every key always present, null where
 * unknown, 64-bit quantities as hexadecimal strings, offsets signed.
 */
#include <inttypes.h>
#include <json-c/json.h>

#include "cli.h"

typedef struct json_object json;

/* json_object_object_add() takes ownership of the value. */
static void put(json *o, const char *key, json *value)
{
	json_object_object_add(o, key, value);
}

/* NULL is JSON's null in json-c. */
static json *text(const char *s)
{
	return s && s[0] ? json_object_new_string(s) : NULL;
}

static json *address(const struct krel_u64 *a)
{
	char buf[24];

	if (!a->known)
		return NULL;
	snprintf(buf, sizeof(buf), "0x%" PRIx64, a->v);
	return json_object_new_string(buf);
}

static json *offset(const struct krel_s64 *v)
{
	char buf[24];

	return v->known ?
		json_object_new_string(krel_offset_text(v->v, false, buf)) :
		NULL;
}

static json *value(const struct krel_s64 *v, bool verified)
{
	json *o = json_object_new_object();

	put(o, "value", offset(v));
	put(o, "status", text(krel_report_status(v, verified)));
	return o;
}

static json *build_id(const struct krel_build_id *id)
{
	char hex[2 * KREL_BUILD_ID_MAX + 1];

	return text(krel_build_id_text(id, hex));
}

static json *place(const struct krel_result *r)
{
	json *o = json_object_new_object();

	put(o, "link", address(&r->text_link));
	put(o, "run", address(&r->text_run));
	put(o, "phys", address(&r->text_phys));
	return o;
}

static json *dump(const struct krel_result *r, const char *path)
{
	json *o = json_object_new_object();

	put(o, "path", text(path));
	put(o, "format", text(r->format));
	put(o, "detail", text(r->format_detail));
	put(o, "arch", r->arch == KREL_ARCH_UNKNOWN ? NULL :
	    text(krel_arch_name(r->arch)));
	put(o, "cpus", r->cpus ? json_object_new_int64(r->cpus) : NULL);
	put(o, "vmcoreinfo", json_object_new_boolean(r->has_vmcoreinfo));
	put(o, "bytes_read", json_object_new_int64((int64_t)r->bytes_read));
	return o;
}

static json *kernel(const struct krel_result *r, const char *vmlinux)
{
	json *o = json_object_new_object();

	put(o, "release", text(r->image.release));
	put(o, "banner", text(r->image.banner));
	put(o, "build_id", build_id(&r->image.build_id));
	put(o, "vmlinux", text(vmlinux));
	put(o, "vmlinux_build_id", build_id(&r->kernel.build_id));
	put(o, "match", text(krel_match_name(r->match)));
	return o;
}

static json *paging(const struct krel_paging_facts *p)
{
	json *o = json_object_new_object();

	put(o, "levels", p->levels ? json_object_new_int64(p->levels) : NULL);
	put(o, "pae", p->levels ? json_object_new_boolean(p->pae) : NULL);
	put(o, "pti", p->pti_known ? json_object_new_boolean(p->pti) : NULL);
	return o;
}

static json *evidence_item(const struct krel_evidence *ev)
{
	json *o = json_object_new_object();

	put(o, "anchor", text(ev->anchor));
	put(o, "status", text(krel_status_name(ev->status)));
	put(o, "verified", json_object_new_boolean(ev->verified));
	put(o, "virt_offset", offset(&ev->virt_offset));
	put(o, "phys_base", offset(&ev->phys_base));
	put(o, "link", address(&ev->link));
	put(o, "run", address(&ev->run));
	put(o, "phys", address(&ev->phys));
	put(o, "source", text(ev->source));
	return o;
}

static json *evidence(const struct krel_result *r)
{
	json *a = json_object_new_array();

	for (unsigned int i = 0; i < r->nr_evidence; i++)
		json_object_array_add(a, evidence_item(&r->evidence[i]));
	return a;
}

/* The one kernel that was found; none when nothing was. */
static json *kernels(const struct krel_result *r)
{
	json *a = json_object_new_array(), *o;

	if (!r->virt_offset.known)
		return a;
	o = json_object_new_object();
	put(o, "index", json_object_new_int(0));
	put(o, "release", text(r->image.release));
	put(o, "build_id", build_id(&r->image.build_id));
	put(o, "state", text(r->state));
	put(o, "virt_offset", offset(&r->virt_offset));
	put(o, "phys_base", offset(&r->phys_base));
	put(o, "text", place(r));
	json_object_array_add(a, o);
	return a;
}

static json *lines(const char list[][KREL_NOTE_LEN], unsigned int nr)
{
	json *a = json_object_new_array();

	for (unsigned int i = 0; i < nr; i++)
		json_object_array_add(a, text(list[i]));
	return a;
}

bool krel_cli_json(const struct krel_result *r, const char *path,
		   const char *vmlinux)
{
	json *o = json_object_new_object();
	const char *out;

	if (!o)
		return false;
	put(o, "schema", text("krel/1"));
	put(o, "dump", dump(r, path));
	put(o, "kernel", kernel(r, vmlinux));
	put(o, "virt_offset", value(&r->virt_offset, r->virt_verified));
	/* x86-32 has no phys_base: null, not an unknown one. */
	put(o, "phys_base", r->arch == KREL_ARCH_I386 ? NULL :
	    value(&r->phys_base, r->phys_verified));
	put(o, "text", place(r));
	put(o, "paging", paging(&r->paging));
	put(o, "verdict", text(krel_outcome_name(r->outcome)));
	put(o, "evidence", evidence(r));
	put(o, "kernels", kernels(r));
	put(o, "warnings", lines(r->warning, r->nr_warnings));
	put(o, "missing", lines(r->missing, r->nr_missing));
	out = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
					     JSON_C_TO_STRING_NOSLASHESCAPE);
	if (out)
		puts(out);
	json_object_put(o);
	return out != NULL;
}
