/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which build a file is of. After half an upgrade, the plugins that slurmctld
 * has loaded and the library below them may be of two builds. Functions that
 * plugins call in the library keep their names and arguments, so that a plugin
 * of another build gets far enough to be told. Newer functions are weak in
 * plugins. */
#ifndef ASTRA_STAMP_H
#define ASTRA_STAMP_H

#include "src/common/error.h"

/* Check that all our loaded plugins are of the library's build. Any thread.
 * Returns 0, or -1 with err set. */
int astra_stamp_check(struct astra_error *err);

/* Each plugin has one. */
extern const char astra_plugin_stamp[];

/* Put into a plugin's init: an older library has no such check. */
#define ASTRA_STAMP_TELL(file)                                              \
	do {                                                                \
		if (!astra_stamp_check)                                     \
			error("astraea: libastraea.so is older than " file  \
			      ": an upgrade was not finished; install all " \
			      "files of one build and restart slurmctld");  \
	} while (0)

#endif
