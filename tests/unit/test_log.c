// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's log, written word by word into a small memory. */
#include "bytes_out.h"

#include <unistd.h>

#include "krel_log.h"

/* Linked at LINK, run at RUN, which is physical 0. */
#define LINK	UINT64_C(0xffffffff81000000)
#define MOVED	UINT64_C(0x2a00000)
#define RUN	(LINK + MOVED)
#define BASE	UINT64_C(0xffffffff80000000)
#define SIZE	0x10000

#define NOTE	0x1000
#define RING	0x2000
#define DESCS	0x3000
#define INFOS	0x4000
#define TEXT	0x5000
#define FINAL	(UINT64_C(2) << 62)

static const char map[] =
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 D vmcoreinfo_size\n"
	"ffffffff81000108 D vmcoreinfo_data\n"
	"ffffffff81000110 D prb\n"
	"ffffffff81000118 d log_buf\n"
	"ffffffff81000120 d log_buf_len\n"
	"ffffffff81000124 d log_first_idx\n"
	"ffffffff81000128 d log_next_idx\n"
	"ffffffff81000200 D linux_banner\n"
	"ffffffff81010000 B _end\n";

static const char ring_note[] =
	"OSRELEASE=6.1.0\n"
	"SIZE(printk_ringbuffer)=80\n"
	"OFFSET(printk_ringbuffer.desc_ring)=0\n"
	"OFFSET(printk_ringbuffer.text_data_ring)=40\n"
	"OFFSET(prb_desc_ring.count_bits)=0\n"
	"OFFSET(prb_desc_ring.descs)=8\n"
	"OFFSET(prb_desc_ring.infos)=16\n"
	"OFFSET(prb_desc_ring.head_id)=24\n"
	"OFFSET(prb_desc_ring.tail_id)=32\n"
	"SIZE(prb_desc)=24\n"
	"OFFSET(prb_desc.state_var)=0\n"
	"OFFSET(prb_desc.text_blk_lpos)=8\n"
	"OFFSET(prb_data_blk_lpos.begin)=0\n"
	"OFFSET(prb_data_blk_lpos.next)=8\n"
	"SIZE(printk_info)=88\n"
	"OFFSET(printk_info.ts_nsec)=8\n"
	"OFFSET(printk_info.text_len)=16\n"
	"OFFSET(prb_data_ring.size_bits)=0\n"
	"OFFSET(prb_data_ring.data)=8\n"
	"OFFSET(atomic_long_t.counter)=0\n";

static const char records_note[] =
	"OSRELEASE=4.19.0\n"
	"SIZE(printk_log)=16\n"
	"OFFSET(printk_log.ts_nsec)=0\n"
	"OFFSET(printk_log.len)=8\n"
	"OFFSET(printk_log.text_len)=10\n";

/* Addresses by the note's SYMBOL() lines. */
static const char array_note[] =
	"OSRELEASE=4.9.0\n"
	"SYMBOL(log_buf)=ffffffff83a00700\n"
	"SYMBOL(log_buf_len)=ffffffff83a00708\n"
	"SYMBOL(log_first_idx)=ffffffff83a0070c\n"
	"SYMBOL(log_next_idx)=ffffffff83a00710\n"
	"SIZE(printk_log)=16\n"
	"OFFSET(printk_log.ts_nsec)=0\n"
	"OFFSET(printk_log.len)=8\n"
	"OFFSET(printk_log.text_len)=10\n";

static const char map_array[] =
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 D vmcoreinfo_size\n"
	"ffffffff81000108 D vmcoreinfo_data\n"
	"ffffffff81000800 D linux_banner\n"
	"ffffffff81010000 B _end\n";

struct log {
	struct bytes b;
	const char *map;
	char said[1024];	/* "NS:TEXT|" for each record */
	unsigned int lost, stop_after, seen;
	struct krel_error err;
};

static void log_new(struct log *t, const char *note)
{
	memset(t, 0, sizeof(*t));
	t->map = map;
	bytes_pad(&t->b, SIZE);
	bytes_patch(&t->b, 0x100, strlen(note), 8);
	bytes_patch(&t->b, 0x108, RUN + NOTE, 8);
	memcpy(t->b.p + NOTE, note, strlen(note));
}

static bool hear(void *arg, const struct krel_log_record *rec)
{
	struct log *t = arg;
	size_t used = strlen(t->said);

	if (rec->status != KREL_OK)
		t->lost++;
	snprintf(t->said + used, sizeof(t->said) - used, "%llu:%.*s|",
		 (unsigned long long)rec->ns, (int)rec->len,
		 rec->text ? rec->text : "");
	return ++t->seen != t->stop_after;
}

static struct krel_kernel *open_map(const char *text)
{
	struct krel_kernel *k = NULL;
	struct bytes b = { 0 };
	char *path;

	bytes_text(&b, text);
	path = bytes_to_file(&b);
	assert_int_equal(krel_kernel_open_map(path, &k, NULL), KREL_OK);
	unlink(path);
	free(path);
	bytes_free(&b);
	return k;
}

static enum krel_status read_log(struct log *t)
{
	struct krel_result *r = calloc(1, sizeof(*r));
	struct krel_kernel *k = open_map(t->map);
	struct krel_view *v = NULL;
	struct krel_view_of of = { .kernel = k, .solved = r };
	enum krel_status st;

	assert_non_null(r);
	r->virt_offset = (struct krel_s64){ true, MOVED };
	r->phys_base = (struct krel_s64){ true, -(int64_t)(RUN - BASE) };
	assert_int_equal(open_bytes(&t->b, "raw", &of.image, NULL), KREL_OK);
	assert_int_equal(krel_view_open(&of, &v, NULL), KREL_OK);
	assert_false(krel_view_walks(v));
	st = krel_log_read(v, hear, t, &t->err);
	krel_view_close(v);
	krel_image_close(of.image);
	krel_kernel_close(k);
	free(r);
	return st;
}

static void log_free(struct log *t)
{
	bytes_free(&t->b);
}

/* --------------------------------------------------------------- the ring */

/* A ring of 4 descriptors and 64 bytes. */
static void ring_new(struct log *t, uint64_t tail, uint64_t head)
{
	log_new(t, ring_note);
	bytes_patch(&t->b, 0x110, RUN + RING, 8);
	bytes_patch(&t->b, RING, 2, 4);
	bytes_patch(&t->b, RING + 8, RUN + DESCS, 8);
	bytes_patch(&t->b, RING + 16, RUN + INFOS, 8);
	bytes_patch(&t->b, RING + 24, head, 8);
	bytes_patch(&t->b, RING + 32, tail, 8);
	bytes_patch(&t->b, RING + 40, 6, 4);
	bytes_patch(&t->b, RING + 48, RUN + TEXT, 8);
}

static void ring_record(struct log *t, uint64_t id, uint64_t state,
			uint64_t begin, uint64_t next, uint64_t len)
{
	size_t at = id % 4;

	bytes_patch(&t->b, DESCS + at * 24, state | id, 8);
	bytes_patch(&t->b, DESCS + at * 24 + 8, begin, 8);
	bytes_patch(&t->b, DESCS + at * 24 + 16, next, 8);
	bytes_patch(&t->b, INFOS + at * 88 + 8, 1000 + id, 8);
	bytes_patch(&t->b, INFOS + at * 88 + 16, len, 2);
}

static void text_at(struct log *t, size_t at, const char *text)
{
	memcpy(t->b.p + at, text, strlen(text));
}

static void ring_in_order(void **state)
{
	struct log t;

	(void)state;
	ring_new(&t, 5, 8);
	ring_record(&t, 5, FINAL, 0, 16, 5);
	text_at(&t, TEXT + 8, "first");
	ring_record(&t, 6, UINT64_C(1) << 62, 16, 32, 6);	/* committed */
	text_at(&t, TEXT + 24, "second");
	ring_record(&t, 7, 0, 32, 48, 6);	/* reserved: being written */
	text_at(&t, TEXT + 40, "never!");
	ring_record(&t, 8, FINAL, 48, 64, 5);	/* to the ring's very end */
	text_at(&t, TEXT + 56, "last.");
	assert_int_equal(read_log(&t), KREL_OK);
	assert_string_equal(t.said, "1005:first|1006:second|1008:last.|");
	log_free(&t);
}

static void ring_wraps(void **state)
{
	struct log t;

	(void)state;
	ring_new(&t, 1, 3);
	/* Positions of the second lap; the block starts over at 0. */
	ring_record(&t, 1, FINAL, 64 + 56, 128 + 16, 4);
	text_at(&t, TEXT + 8, "over");
	ring_record(&t, 2, FINAL, 1, 1, 0);	/* no text */
	ring_record(&t, 3, FINAL, 128 + 16, 128 + 32, 200);
	text_at(&t, TEXT + 24, "cut to 8");
	assert_int_equal(read_log(&t), KREL_OK);
	assert_string_equal(t.said, "1001:over|1002:|1003:cut to 8|");
	assert_int_equal(t.lost, 0);
	log_free(&t);
}

static void ring_ids_wrap(void **state)
{
	const uint64_t last = (UINT64_C(1) << 62) - 1;
	struct log t;

	(void)state;
	ring_new(&t, last, 0);
	ring_record(&t, last, FINAL, 0, 16, 1);
	text_at(&t, TEXT + 8, "a");
	ring_record(&t, 0, FINAL, 16, 32, 1);
	text_at(&t, TEXT + 24, "b");
	bytes_patch(&t.b, INFOS + 3 * 88 + 8, 7, 8);
	assert_int_equal(read_log(&t), KREL_OK);
	assert_string_equal(t.said, "7:a|1000:b|");
	log_free(&t);
}

static void ring_stops(void **state)
{
	struct log t;

	(void)state;
	ring_new(&t, 1, 3);
	for (uint64_t id = 1; id <= 3; id++)
		ring_record(&t, id, FINAL, 1, 1, 0);
	t.stop_after = 2;
	assert_int_equal(read_log(&t), KREL_OK);
	assert_string_equal(t.said, "1001:|1002:|");
	log_free(&t);
}

/* A head that is never met: at most one lap. A block that ends before it
 * begins; one of another id. */
static void ring_hostile(void **state)
{
	struct log t;

	(void)state;
	ring_new(&t, 4, 4000);
	ring_record(&t, 4, FINAL, 32, 8, 4);
	ring_record(&t, 5, FINAL, 1, 1, 0);
	ring_record(&t, 2, FINAL, 1, 1, 0);	/* where 6 would be */
	ring_record(&t, 7, FINAL, 0, 16, 4);
	text_at(&t, TEXT + 8, "fine");
	assert_int_equal(read_log(&t), KREL_OK);
	assert_string_equal(t.said, "1004:|1005:|1007:fine|");
	assert_int_equal(t.lost, 1);
	bytes_patch(&t.b, RING, 31, 4);
	assert_int_equal(read_log(&t), KREL_CORRUPT);
	bytes_patch(&t.b, RING, 2, 4);
	bytes_patch(&t.b, RING + 40, 64, 4);
	assert_int_equal(read_log(&t), KREL_CORRUPT);
	/* The ring itself is not there. */
	bytes_patch(&t.b, 0x110, RUN + SIZE, 8);
	assert_int_equal(read_log(&t), KREL_UNREADABLE);
	assert_non_null(strstr(t.err.text, "printk ring"));
	log_free(&t);
}

static void text_not_there(void **state)
{
	struct log t;

	(void)state;
	ring_new(&t, 1, 2);
	ring_record(&t, 1, FINAL, 0, 16, 4);
	ring_record(&t, 2, FINAL, 1, 1, 0);
	bytes_patch(&t.b, RING + 48, RUN + SIZE, 8);
	assert_int_equal(read_log(&t), KREL_OK);
	assert_string_equal(t.said, "1001:|1002:|");
	assert_int_equal(t.lost, 1);
	log_free(&t);
}

/* ------------------------------------------------------------ the records */

static size_t record(struct log *t, size_t at, uint64_t ns, const char *text,
		     size_t len)
{
	bytes_patch(&t->b, TEXT + at, ns, 8);
	bytes_patch(&t->b, TEXT + at + 8, len, 2);
	bytes_patch(&t->b, TEXT + at + 10, strlen(text), 2);
	text_at(t, TEXT + at + 16, text);
	return at + len;
}

static void records_new(struct log *t, uint64_t size, uint64_t first,
			uint64_t next)
{
	log_new(t, records_note);
	bytes_patch(&t->b, 0x118, RUN + TEXT, 8);
	bytes_patch(&t->b, 0x120, size, 4);
	bytes_patch(&t->b, 0x124, first, 4);
	bytes_patch(&t->b, 0x128, next, 4);
}

static void records_wrap(void **state)
{
	struct log t;
	size_t at;

	(void)state;
	records_new(&t, 128, 64, 32);
	at = record(&t, 64, 10, "older", 24);
	record(&t, at, 0, "", 0);		/* go on at the start */
	record(&t, 0, 20, "newer than", 32);
	assert_int_equal(read_log(&t), KREL_OK);
	assert_string_equal(t.said, "10:older|20:newer than|");
	log_free(&t);
}

static void records_hostile(void **state)
{
	struct log t;

	(void)state;
	records_new(&t, 128, 0, 64);
	record(&t, 0, 10, "longer than it", 24);	/* text > record */
	assert_int_equal(read_log(&t), KREL_CORRUPT);
	assert_non_null(strstr(t.err.text, "make no sense"));
	/* Two zeros in a row: no loop. */
	record(&t, 0, 0, "", 0);
	assert_int_equal(read_log(&t), KREL_CORRUPT);
	/* Around for ever, never at the end. */
	log_free(&t);
	records_new(&t, 128, 0, 65);
	record(&t, 0, 1, "a", 96);
	record(&t, 96, 0, "", 0);
	assert_int_equal(read_log(&t), KREL_CORRUPT);
	bytes_patch(&t.b, 0x120, 0, 4);
	assert_int_equal(read_log(&t), KREL_CORRUPT);
	log_free(&t);
}

/* Neither form: said, and what is missing. */
static void no_fields(void **state)
{
	struct log t;

	(void)state;
	log_new(&t, "OSRELEASE=3.4.0\n");
	assert_int_equal(read_log(&t), KREL_ABSENT);
	assert_non_null(strstr(t.err.text, "SIZE(printk_log)"));
	log_free(&t);
	log_new(&t, "");
	assert_int_equal(read_log(&t), KREL_ABSENT);
	assert_non_null(strstr(t.err.text, "VMCOREINFO"));
	log_free(&t);
}

/* Before 4.13 vmcoreinfo_data is the text itself. */
static void note_as_array(void **state)
{
	struct log t;

	(void)state;
	records_new(&t, 128, 0, 32);
	record(&t, 0, 5, "hello", 32);
	/* Over prb and the others, which this note does not want: all that
	 * the record form needs is told by the note's own symbols. */
	memset(t.b.p + NOTE, 0, sizeof(records_note));
	bytes_patch(&t.b, 0x100, strlen(array_note), 8);
	memcpy(t.b.p + 0x108, array_note, strlen(array_note));
	bytes_patch(&t.b, 0x700, RUN + TEXT, 8);
	bytes_patch(&t.b, 0x708, 128, 4);
	bytes_patch(&t.b, 0x70c, 0, 4);
	bytes_patch(&t.b, 0x710, 32, 4);
	t.map = map_array;
	assert_int_equal(read_log(&t), KREL_OK);
	assert_string_equal(t.said, "5:hello|");
	log_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring_in_order),
		cmocka_unit_test(ring_wraps),
		cmocka_unit_test(ring_ids_wrap),
		cmocka_unit_test(ring_stops),
		cmocka_unit_test(ring_hostile),
		cmocka_unit_test(text_not_there),
		cmocka_unit_test(records_wrap),
		cmocka_unit_test(records_hostile),
		cmocka_unit_test(no_fields),
		cmocka_unit_test(note_as_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
