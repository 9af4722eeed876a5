// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening a dump as the options say. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define MAX_MAP	((size_t)1 << 20)	/* of text; a machine has a few KiB */

/* A file of that name, else the text itself. NULL: it cannot be read. */
static char *map_text(const char *arg, size_t *len, struct krel_error *err)
{
	bool file = access(arg, F_OK) == 0;
	char *text = malloc(MAX_MAP);
	FILE *in = file ? fopen(arg, "r") : NULL;

	*len = strnlen(arg, MAX_MAP);
	if (text && !file)
		memcpy(text, arg, *len);
	if (text && in)
		*len = fread(text, 1, MAX_MAP, in);
	if (text && file && (!in || ferror(in) || *len == MAX_MAP)) {
		snprintf(err->text, sizeof(err->text),
			 "%s: cannot read it as a physical map", arg);
		free(text);
		text = NULL;
	} else if (!text) {
		snprintf(err->text, sizeof(err->text), "out of memory");
	}
	if (in)
		fclose(in);
	return text;
}

enum krel_status krel_cli_open(const char *dump, const char *format,
			       const char *phys_map, struct krel_image **img,
			       struct krel_error *err)
{
	struct krel_text map;
	enum krel_status st;
	char *text;

	if (!phys_map)
		return krel_image_open(dump, format, img, err);
	if (format && strcmp(format, "raw") != 0) {
		snprintf(err->text, sizeof(err->text),
			 "--phys-map is for raw memory: expected --format raw or none, found %s",
			 format);
		return KREL_INVALID;
	}
	text = map_text(phys_map, &map.len, err);
	if (!text)
		return KREL_INVALID;
	map.text = text;
	st = krel_image_open_mapped(dump, &map, img, err);
	free(text);
	return st;
}
