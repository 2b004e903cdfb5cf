/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stamp says of which build a file is. After an unfinished upgrade, the
 * plugins that slurmctld has loaded and the library below them may be of two
 * builds. Functions that plugins call in the library keep their names and
 * arguments, so that a plugin of another build still gets to this check. Newer
 * functions are weak in plugins. */
#ifndef ASTRA_STAMP_H
#define ASTRA_STAMP_H

#include "src/common/error.h"

/* Check that all our loaded plugins are of the library's build. May be called
 * from any thread. Returns 0, or -1 with err set. */
int astra_stamp_check(struct astra_error *err);

/* The stamp of a plugin; each plugin has one. */
extern const char astra_plugin_stamp[];

/* Call this in a plugin's init. It logs an error if the library is too old to
 * have this check. */
#define ASTRA_STAMP_TELL(file)                                              \
	do {                                                                \
		if (!astra_stamp_check)                                     \
			error("astraea: libastraea.so is older than " file  \
			      ": an upgrade was not finished; install all " \
			      "files of one build and restart slurmctld");  \
	} while (0)

#endif
