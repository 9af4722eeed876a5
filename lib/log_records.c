// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The log of Linux 3.5 to 5.9: records of varying length in one buffer. A
 * record of length zero says that the next one is at the buffer's start.
 */
#include "log.h"

#include "bytes.h"
#include "error.h"

#define BUF_MAX		(UINT64_C(1) << 30)
#define HEADER_MAX	64

struct fields {
	uint64_t size, ns, len, text_len;
};

struct buffer {
	uint64_t va, size;
	uint64_t first, next;
};

/* The struct is called "log" before 3.11, printk_log since. */
static bool find_fields(struct krel_log *log, struct fields *f)
{
	return krel_log_field(log, "SIZE", "printk_log", &f->size) &&
		krel_log_field(log, "OFFSET", "printk_log.ts_nsec", &f->ns) &&
		krel_log_field(log, "OFFSET", "printk_log.len", &f->len) &&
		krel_log_field(log, "OFFSET", "printk_log.text_len",
			       &f->text_len) &&
		f->size <= HEADER_MAX && f->size >= 8 &&
		f->ns <= f->size - 8 && f->len <= f->size - 2 &&
		f->text_len <= f->size - 2;
}

static enum krel_status variable(const struct krel_log *log, const char *name,
				 unsigned int bytes, uint64_t *value)
{
	uint64_t va;
	enum krel_status st = krel_log_variable(log, name, &va);

	return st == KREL_OK ?
		krel_view_number(log->view, va, bytes, value) : st;
}

static enum krel_status find_buffer(const struct krel_log *log,
				    struct buffer *b)
{
	enum krel_status st;

	st = variable(log, "log_buf", krel_view_word(log->view), &b->va);
	if (st == KREL_OK)
		st = variable(log, "log_buf_len", 4, &b->size);
	if (st == KREL_OK)
		st = variable(log, "log_first_idx", 4, &b->first);
	if (st == KREL_OK)
		st = variable(log, "log_next_idx", 4, &b->next);
	return st;
}

static enum krel_status walk(struct krel_log *log, const struct fields *f,
			     const struct buffer *b, struct krel_error *err)
{
	uint64_t at = b->first, seen = 0;
	uint8_t head[HEADER_MAX];

	while (at != b->next) {
		enum krel_status st = KREL_CORRUPT;
		uint64_t len, text_len;

		if (krel_in_bounds(at, f->size, b->size))
			st = krel_view_read(log->view, b->va + at, head,
					    (size_t)f->size);
		if (st != KREL_OK)
			return krel_error_set(err, st,
				"expected a record of the log at 0x%llx, found it %s",
				(unsigned long long)(b->va + at),
				krel_status_name(st));
		len = krel_le16(head + f->len);
		text_len = krel_le16(head + f->text_len);
		if (len == 0 && at != 0) {	/* go on at the start */
			at = 0;
			continue;
		}
		seen += len;
		if (len < f->size || text_len > len - f->size ||
		    seen > b->size)
			return krel_error_set(err, KREL_CORRUPT,
				"expected a record of the log at 0x%llx, found lengths that make no sense",
				(unsigned long long)(b->va + at));
		if (!krel_log_emit(log, krel_le64(head + f->ns),
				   b->va + at + f->size, (size_t)text_len))
			return KREL_OK;
		at += len;
	}
	return KREL_OK;
}

enum krel_status krel_log_records(struct krel_log *log, struct krel_error *err)
{
	struct buffer b;
	struct fields f;
	enum krel_status st;

	if (!find_fields(log, &f))
		return KREL_ABSENT;
	st = find_buffer(log, &b);
	if (st == KREL_ABSENT)
		return st;
	if (st != KREL_OK)
		return krel_error_set(err, st,
			"expected the variables of the log, found them %s",
			krel_status_name(st));
	if (b.size == 0 || b.size > BUF_MAX)
		return krel_error_set(err, KREL_CORRUPT,
			"expected the log's size below 1 GiB, found %llu",
			(unsigned long long)b.size);
	return walk(log, &f, &b, err);
}
