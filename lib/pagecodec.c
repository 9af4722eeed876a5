// SPDX-License-Identifier: GPL-2.0-or-later
#include "pagecodec.h"

#include <stdlib.h>
#include <string.h>

#include <lzo/lzo1x.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include "error.h"

struct krel_pagecodec {
	bool zlib_ready;
	bool lzo_ready;
	z_stream zlib;
	ZSTD_DCtx *zstd;
};

enum krel_status krel_pagecodec_open(struct krel_pagecodec **out,
				     struct krel_error *err)
{
	struct krel_pagecodec *c = calloc(1, sizeof(*c));

	if (!c)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	*out = c;
	return KREL_OK;
}

void krel_pagecodec_close(struct krel_pagecodec *c)
{
	if (!c)
		return;
	if (c->zlib_ready)
		inflateEnd(&c->zlib);
	ZSTD_freeDCtx(c->zstd);
	free(c);
}

static enum krel_status bad(struct krel_error *err, const char *method,
			    const char *why)
{
	return krel_error_set(err, KREL_CORRUPT,
			      "expected %s data, found that it is damaged: %s",
			      method, why);
}

static enum krel_status bad_length(struct krel_error *err,
				   const char *method, size_t want,
				   uint64_t got)
{
	return krel_error_set(err, KREL_CORRUPT,
		"expected %zu bytes out of the %s data, found %llu", want,
		method, (unsigned long long)got);
}

static enum krel_status expand_zlib(struct krel_pagecodec *c, const void *in,
				    size_t in_len, void *out, size_t out_len,
				    struct krel_error *err)
{
	z_stream *z = &c->zlib;
	int rc = c->zlib_ready ? inflateReset(z) : inflateInit(z);

	if (rc == Z_MEM_ERROR)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	if (rc != Z_OK)
		return bad(err, "zlib", "the library refuses to start");
	c->zlib_ready = true;

	/* zlib's input pointer lacks a const; it does not write there. */
	z->next_in = (Bytef *)(uintptr_t)in;
	z->avail_in = (uInt)in_len;
	z->next_out = out;
	z->avail_out = (uInt)out_len;
	rc = inflate(z, Z_FINISH);
	if (rc == Z_MEM_ERROR)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	if (rc == Z_BUF_ERROR && z->avail_out == 0 && z->avail_in != 0)
		return bad(err, "zlib", "more than a page comes out");
	if (rc != Z_STREAM_END)
		return bad(err, "zlib", z->msg ? z->msg : "it has no end");
	if (z->avail_out != 0)
		return bad_length(err, "zlib", out_len,
				  out_len - z->avail_out);
	if (z->avail_in != 0)
		return bad(err, "zlib", "bytes are left over behind it");
	return KREL_OK;
}

static enum krel_status expand_lzo(struct krel_pagecodec *c, const void *in,
				   size_t in_len, void *out, size_t out_len,
				   struct krel_error *err)
{
	lzo_uint got = out_len;
	int rc;

	if (!c->lzo_ready && lzo_init() != LZO_E_OK)
		return krel_error_set(err, KREL_UNSUPPORTED,
				      "the lzo library refuses to start");
	c->lzo_ready = true;
	rc = lzo1x_decompress_safe(in, in_len, out, &got, NULL);
	if (rc == LZO_E_OUTPUT_OVERRUN)
		return bad(err, "lzo", "more than a page comes out");
	if (rc == LZO_E_INPUT_NOT_CONSUMED)
		return bad(err, "lzo", "bytes are left over behind it");
	if (rc != LZO_E_OK)
		return bad(err, "lzo", "it does not decode");
	return got == out_len ? KREL_OK : bad_length(err, "lzo", out_len, got);
}

static enum krel_status expand_snappy(const void *in, size_t in_len,
				      void *out, size_t out_len,
				      struct krel_error *err)
{
	size_t got = 0;

	/* The stated length is checked first: the call trusts out_len. */
	if (snappy_uncompressed_length(in, in_len, &got) != SNAPPY_OK)
		return bad(err, "snappy", "it states no length");
	if (got != out_len)
		return bad_length(err, "snappy", out_len, got);
	if (snappy_uncompress(in, in_len, out, &got) != SNAPPY_OK)
		return bad(err, "snappy", "it does not decode");
	return got == out_len ? KREL_OK :
	       bad_length(err, "snappy", out_len, got);
}

static enum krel_status expand_zstd(struct krel_pagecodec *c, const void *in,
				    size_t in_len, void *out, size_t out_len,
				    struct krel_error *err)
{
	size_t got;

	if (!c->zstd)
		c->zstd = ZSTD_createDCtx();
	if (!c->zstd)
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	got = ZSTD_decompressDCtx(c->zstd, out, out_len, in, in_len);
	if (ZSTD_isError(got))
		return bad(err, "zstd", ZSTD_getErrorName(got));
	return got == out_len ? KREL_OK : bad_length(err, "zstd", out_len, got);
}

enum krel_status krel_pagecodec_expand(struct krel_pagecodec *c,
				       uint32_t method, const void *in,
				       size_t in_len, void *out,
				       size_t out_len, struct krel_error *err)
{
	/* zlib counts in 32 bits. */
	if (in_len > UINT32_MAX || out_len > UINT32_MAX)
		return krel_error_set(err, KREL_INVALID,
				      "a page of %zu bytes is too long", in_len);
	switch (method) {
	case KREL_PAGE_ZLIB:
		return expand_zlib(c, in, in_len, out, out_len, err);
	case KREL_PAGE_LZO:
		return expand_lzo(c, in, in_len, out, out_len, err);
	case KREL_PAGE_SNAPPY:
		return expand_snappy(in, in_len, out, out_len, err);
	case KREL_PAGE_ZSTD:
		return expand_zstd(c, in, in_len, out, out_len, err);
	default:
		return krel_error_set(err, KREL_UNSUPPORTED,
			"expected zlib, lzo, snappy or zstd, found method 0x%x",
			(unsigned int)method);
	}
}

const char *krel_pagecodec_name(uint32_t method)
{
	switch (method) {
	case KREL_PAGE_ZLIB:
		return "zlib";
	case KREL_PAGE_LZO:
		return "lzo";
	case KREL_PAGE_SNAPPY:
		return "snappy";
	case KREL_PAGE_ZSTD:
		return "zstd";
	default:
		return NULL;
	}
}
