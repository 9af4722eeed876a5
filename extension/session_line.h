/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KREL_SESSION_LINE_H
#define KREL_SESSION_LINE_H

#include "crash_host.h"

#define KREL_SESSION_LINE	256	/* bytes, with the final NUL */

/**
 * Say what crash uses, and whether that is right. Right or wrong is said only
 * where krel's own answer was verified.
 *
 * @return @buf.
 */
char *krel_session_line(const struct krel_crash_state *s,
			const struct krel_result *r,
			char buf[static KREL_SESSION_LINE]);

#endif
