// SPDX-License-Identifier: GPL-2.0-or-later
#include "mkkallsyms.h"

#define FUNCTIONS	1500u
#define BANNER		0x2000u		/* from _text */
#define VARIABLE	0x2100u
#define TABLES		0x3000u

struct entry {
	char text[MK_LONG + 8];		/* type and name */
	uint64_t run;
};

uint64_t mk_function(const struct mk_kallsyms *k, unsigned int number)
{
	return k->run + 4 * (uint64_t)number;
}

static unsigned int entries(const struct mk_kallsyms *k, struct entry *e)
{
	unsigned int n = 0;

	if (k->form == MK_PERCPU)
		e[n++] = (struct entry){ "A__per_cpu_start", 0 };
	e[n++] = (struct entry){ "T_text", k->run };
	for (unsigned int i = k->form == MK_PERCPU ? 2 : 1; i < FUNCTIONS;
	     i++) {
		snprintf(e[n].text, sizeof(e[n].text), "tf_%u", i);
		e[n++].run = mk_function(k, i);
	}
	e[n].text[0] = 'D';
	memset(e[n].text + 1, 'x', MK_LONG);
	e[n].text[MK_LONG + 1] = '\0';
	e[n++].run = mk_function(k, FUNCTIONS);
	if (k->text_only)
		return n;
	e[n++] = (struct entry){ "Dlinux_banner", k->run + BANNER };
	e[n] = (struct entry){ "Dinit_task", k->run + VARIABLE };
	if (k->is64)
		strcpy(e[n].text, "Dphys_base");
	n++;
	return n;
}

/* Each letter is its own token; 0x80 stands for "f_", the rest for others. */
static void token_text(unsigned int i, char text[8])
{
	if (i == 0x80)
		strcpy(text, "f_");
	else if (i > ' ' && i <= '~')
		snprintf(text, 8, "%c", (char)i);
	else
		snprintf(text, 8, "q%u", i);
}

static void put_names(struct bytes *b, const struct mk_kallsyms *k,
		      const struct entry *e, unsigned int n, size_t *marker)
{
	size_t start = b->len;

	for (unsigned int i = 0; i < n; i++) {
		const char *text = e[i].text;
		bool f = strncmp(text, "tf_", 3) == 0;
		size_t len = strlen(text) - (f ? 1 : 0);

		if (i % 256 == 0)
			marker[i / 256] = b->len - start;
		if (k->long_names && len > 0x7f) {
			bytes_le(b, (len & 0x7f) | 0x80, 1);
			bytes_le(b, len >> 7, 1);
		} else {
			bytes_le(b, len, 1);
		}
		if (f) {
			bytes_put(b, "t\x80", 2);
			bytes_text(b, text + 3);
		} else {
			bytes_text(b, text);
		}
	}
}

static void put_addresses(struct bytes *b, const struct mk_kallsyms *k,
			  const struct entry *e, unsigned int n)
{
	unsigned int word = k->is64 ? 8 : 4;

	bytes_align(b, k->align);
	for (unsigned int i = 0; i < n; i++) {
		uint64_t here = b->len - k->pa + k->run;

		switch (k->form) {
		case MK_WORDS:
			bytes_le(b, e[i].run, word);
			break;
		case MK_ABOVE_BASE:
			bytes_le(b, e[i].run - k->run, 4);
			break;
		case MK_PERCPU:
			bytes_le(b, e[i].run < k->run ? e[i].run :
				 k->run - 1 - e[i].run, 4);
			break;
		case MK_VALUES:
			bytes_le(b, e[i].run, 4);
			break;
		case MK_SELF:
			bytes_le(b, e[i].run - here, 4);
			break;
		}
	}
	if (k->form != MK_ABOVE_BASE && k->form != MK_PERCPU)
		return;
	bytes_align(b, k->align);
	bytes_le(b, k->run, word);
}

static void put_tokens(struct bytes *b, const struct mk_kallsyms *k,
		       struct mk_layout *at)
{
	size_t offset[256];
	char text[8];

	bytes_align(b, k->align);
	at->tokens = b->len;
	for (unsigned int i = 0; i < 256; i++) {
		offset[i] = b->len - at->tokens;
		token_text(i, text);
		bytes_put(b, text, strlen(text) + 1);
	}
	bytes_align(b, k->align);
	at->index = b->len;
	for (unsigned int i = 0; i < 256; i++)
		bytes_le(b, offset[i], 2);
}

static void put_tables(struct bytes *b, const struct mk_kallsyms *k,
		       struct mk_layout *at)
{
	static struct entry e[MK_COUNT + 1];
	unsigned int n = entries(k, e);
	size_t marker[8];

	at->addresses = b->len;
	if (!k->behind)
		put_addresses(b, k, e, n);
	bytes_align(b, k->align);
	at->num = b->len;
	bytes_le(b, n, 4);
	bytes_align(b, k->align);
	at->names = b->len;
	put_names(b, k, e, n, marker);
	bytes_align(b, k->align);
	at->markers = b->len;
	for (unsigned int i = 0; i < (n + 255) / 256; i++)
		bytes_le(b, marker[i], k->marker);
	bytes_align(b, k->align);
	/* Any order will do: nothing reads it. */
	for (unsigned int i = 0; k->seqs && i < n; i++) {
		bytes_le(b, (i * 7 % n) >> 8, 2);
		bytes_le(b, i * 7 % n, 1);
	}
	put_tokens(b, k, at);
	if (!k->behind)
		return;
	at->addresses = b->len;
	put_addresses(b, k, e, n);
}

void mk_kallsyms(struct bytes *b, const struct mk_kallsyms *k, size_t size,
		 struct mk_layout *at)
{
	bytes_pad(b, (size_t)k->pa + BANNER);
	bytes_text(b, "Linux version 6.6.6-test (b@h) #1\n");
	bytes_pad(b, (size_t)k->pa + VARIABLE);
	bytes_le(b, (uint64_t)k->phys_base, 8);
	bytes_pad(b, (size_t)k->pa + TABLES);
	put_tables(b, k, at);
	bytes_pad(b, size);
}
