// SPDX-License-Identifier: GPL-2.0-or-later
/* System.map: "ffffffff81000000 T _text" a line. Symbols, nothing else. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "kernel_priv.h"

#define MAP_FILE_MAX	(UINT64_C(256) << 20)

struct map {
	const char *text;
	size_t len;
};

/* Hex digits at the start of [s, end); 0 when there is none. */
static size_t hex_prefix(const char *s, const char *end, uint64_t *value)
{
	uint64_t v = 0;
	size_t n = 0;

	for (; s + n < end && n < 17; n++) {
		char c = s[n];
		unsigned int digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned int)(c - 'a' + 10);
		else
			break;
		v = v << 4 | digit;
	}
	*value = v;
	return n > 16 ? 0 : n;
}

/* One line; false when it is not of the form. */
static bool parse_line(const char *s, const char *end, const char **name,
		       size_t *len, uint64_t *value)
{
	size_t n = hex_prefix(s, end, value);

	if (n < 8 || end - s < (ptrdiff_t)n + 4 || s[n] != ' ' ||
	    s[n + 2] != ' ')
		return false;
	*name = s + n + 3;
	*len = strcspn(*name, " \t\r\n");
	return *len > 0 && *name + *len <= end;
}

/* Lines whose type is a capital letter (global), or is not. */
static bool each_of(const struct map *m, bool global, krel_symbol_fn *fn,
		    void *arg)
{
	const char *pos = m->text, *stop = m->text + m->len;

	while (pos < stop) {
		const char *nl = memchr(pos, '\n', (size_t)(stop - pos));
		const char *name;
		uint64_t value;
		size_t len;

		/* A line without a newline is cut off: its name may be too. */
		if (!nl)
			return true;
		if (parse_line(pos, nl, &name, &len, &value) &&
		    (name[-2] >= 'A' && name[-2] <= 'Z') == global &&
		    !fn(arg, name, len, value))
			return false;
		pos = nl + 1;
	}
	return true;
}

/* Global symbols first: a driver may have a static one of the same name. */
static void map_each(const struct krel_kernel *k, krel_symbol_fn *fn,
		     void *arg)
{
	const struct map *m = k->priv;

	if (each_of(m, true, fn, arg))
		each_of(m, false, fn, arg);
}

static void map_close(struct krel_kernel *k)
{
	struct map *m = k->priv;

	if (!m)
		return;
	free((void *)(uintptr_t)m->text);
	free(m);
}

static const struct krel_kernel_ops map_ops = {
	.each = map_each,
	.close = map_close,
};

/*
 * PAGE_OFFSET is not in the map. VMSPLIT_3G, _3G_OPT, _2G, _2G_OPT and _1G
 * are all that a configuration offers, and the kernel is linked at most
 * 256 MiB above it.
 */
static uint64_t page_offset_of(uint64_t text)
{
	static const uint64_t split[] = {
		0xc0000000, 0xb0000000, 0x80000000, 0x78000000, 0x40000000,
	};

	for (size_t i = 0; i < sizeof(split) / sizeof(split[0]); i++)
		if (text >= split[i])
			return split[i];
	return 0;
}

static enum krel_status read_whole(const struct krel_kernel *k, char *to,
				   size_t len, struct krel_error *err)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(k->fd, to + done, len - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return krel_error_set(err, KREL_UNREADABLE,
				"%s: expected %zu bytes, found %zu: %s",
				k->path, len, done, n < 0 ? strerror(errno) :
				"it became shorter while being read");
		done += (size_t)n;
	}
	return KREL_OK;
}

static enum krel_status map_init(struct krel_kernel *k,
				 struct krel_error *err)
{
	struct map *m = calloc(1, sizeof(*m));
	enum krel_status st;
	struct stat sb;
	void *text;

	if (!m)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	if (fstat(k->fd, &sb) != 0 || sb.st_size <= 0 ||
	    (uint64_t)sb.st_size > MAP_FILE_MAX) {
		free(m);
		return krel_error_set(err, KREL_NOT_MINE,
			"%s: expected a System.map, found %s file", k->path,
			sb.st_size == 0 ? "an empty" : "too large a");
	}
	m->len = (size_t)sb.st_size;
	/* Read, not mapped: a file that shrinks meanwhile must not kill us. */
	text = malloc(m->len);
	if (!text) {
		free(m);
		return krel_error_set(err, KREL_NOMEM, "%s: out of memory",
				      k->path);
	}
	st = read_whole(k, text, m->len, err);
	if (st != KREL_OK) {
		free(text);
		free(m);
		return st;
	}
	m->text = text;
	k->priv = m;
	k->is_map = true;
	st = krel_kernel_resolve(k, err);
	if (st != KREL_OK)
		return st;
	k->target = krel_target_of(k->sym[KREL_SYM_TEXT] > UINT32_MAX ?
				   KREL_ARCH_X86_64 : KREL_ARCH_I386);
	k->map_base = k->target->has_phys_base ? k->target->map_base :
		page_offset_of(k->sym[KREL_SYM_TEXT]);
	return KREL_OK;
}

enum krel_status krel_kernel_open_map(const char *path,
				      struct krel_kernel **out,
				      struct krel_error *err)
{
	return krel_kernel_open_by(path, &map_ops, map_init, out, err);
}
