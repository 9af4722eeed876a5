// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory that the caller reads for us, such as a crash session. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "image.h"
#include "notes.h"

struct host {
	const struct krel_host_ops *ops;
	void *arg;
};

static enum krel_status host_read(struct krel_image *img, uint64_t pa,
				  void *buf, size_t len,
				  struct krel_error *err)
{
	const struct host *h = img->priv;

	return h->ops->read(h->arg, pa, buf, len, err);
}

static enum krel_status host_next(struct krel_image *img, uint64_t pa,
				  struct krel_range *out)
{
	const struct host *h = img->priv;

	return h->ops->next(h->arg, pa, out);
}

static void host_close(struct krel_image *img)
{
	free(img->priv);
}

static const struct krel_image_ops host_ops = {
	.name = "host",
	.read = host_read,
	.next = host_next,
	.close = host_close,
};

enum krel_status krel_image_host(const struct krel_host_ops *ops, void *arg,
				 const struct krel_host_facts *facts,
				 struct krel_image **out,
				 struct krel_error *err)
{
	struct krel_image *img = calloc(1, sizeof(*img));
	struct host *h = malloc(sizeof(*h));
	enum krel_status st;

	if (!img || !h) {
		free(img);
		free(h);
		return krel_error_set(err, KREL_NOMEM, "out of memory");
	}
	*h = (struct host){ .ops = ops, .arg = arg };
	img->ops = &host_ops;
	img->priv = h;
	img->facts.arch = facts->arch;
	snprintf(img->facts.format, sizeof(img->facts.format), "%s",
		 facts->format ? facts->format : "memory");
	if (facts->vmcoreinfo) {
		st = krel_facts_set_vmcoreinfo(&img->facts, facts->vmcoreinfo,
					       facts->vmcoreinfo_len, err);
		if (st != KREL_OK) {
			krel_image_close(img);
			return st;
		}
	}
	*out = img;
	return KREL_OK;
}
