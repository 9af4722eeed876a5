// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The SESSION line's judgement: "agrees" and "wrong" are said only beside an
 * answer that was verified. Prints each line that is not as it should be.
 */
#include <string.h>

#include "../../extension/session_line.h"

static int failed;

static void expect(const struct krel_crash_state *s,
		   const struct krel_result *r, const char *end)
{
	char line[KREL_SESSION_LINE];
	size_t len, tail = strlen(end);

	krel_session_line(s, r, line);
	len = strlen(line);
	if (len >= tail && strcmp(line + len - tail, end) == 0)
		return;
	printf("expected ...%s, got %s\n", end, line);
	failed = 1;
}

static void test_x86_64(struct krel_result *r)
{
	struct krel_crash_state s = { .arch = KREL_ARCH_X86_64 };

	/* Offset zero is a value like any other. */
	r->virt_offset = (struct krel_s64){ true, 0 };
	r->phys_base = (struct krel_s64){ true, -0x1000000 };
	r->virt_verified = r->phys_verified = true;
	s.phys_base = -0x1000000;
	expect(&s, r, "offset 0x0, phys_base -0x1000000: agrees");
	s.phys_base = 0;
	expect(&s, r, ": its phys_base is wrong");
	s.virt_offset = -0x200000;
	expect(&s, r, "offset -0x200000, phys_base 0x0: its symbols are wrong");
	r->phys_verified = false;
	s.virt_offset = 0;
	expect(&s, r, ": offset agrees, phys_base not compared");

	/* Equal or not, what was not verified judges nobody. */
	r->virt_verified = false;
	expect(&s, r, ": not compared, krel's own answer is not verified");
	s.virt_offset = 0x200000;
	expect(&s, r, ": not compared, krel's own answer is not verified");
	r->virt_offset.known = false;
	expect(&s, r, ": not compared, krel found no offset");
	r->mismatch = true;
	expect(&s, r, ": not compared, vmlinux is of another kernel");
}

static void test_i386(struct krel_result *r)
{
	struct krel_crash_state s = {
		.arch = KREL_ARCH_I386,
		.virt_offset = 0x3000000,
		.page_offset = 0xc0000000,
	};

	r->virt_offset = (struct krel_s64){ true, 0x3000000 };
	r->virt_verified = true;
	r->text_run = (struct krel_u64){ true, 0xc4000000 };
	r->text_phys = (struct krel_u64){ true, 0x4000000 };
	expect(&s, r, "offset 0x3000000, page_offset 0xc0000000: agrees");
	s.page_offset = 0xc4000000;
	expect(&s, r, ": its page_offset is wrong");
	s.virt_offset = 0;
	expect(&s, r, ": its symbols are wrong");
}

int main(void)
{
	static struct krel_result a, b;

	test_x86_64(&a);
	test_i386(&b);
	return failed;
}
