/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which build a file is of. After half an upgrade the plugins that slurmctld
 * has loaded and the library below them may be of two. What plugins call of the
 * library stays there under its name and with its arguments, so that one of
 * another build comes as far as being told; a newer function is weak to them.
 */
#ifndef ASTRA_STAMP_H
#define ASTRA_STAMP_H

#include "src/common/error.h"

/* Whether all plugins of ours that are loaded are of the library's build.
 * Any thread. Returns 0, or -1 with err set. */
int astra_stamp_check(struct astra_error *err);

/* Each plugin has one. */
extern const char astra_plugin_stamp[];

/* In a plugin, at its init: an older library has no such check. */
#define ASTRA_STAMP_TELL(file)                                              \
	do {                                                                \
		if (!astra_stamp_check)                                     \
			error("astraea: libastraea.so is older than " file  \
			      ": an upgrade was not finished; install all " \
			      "files of one build and restart slurmctld");  \
	} while (0)

#endif
