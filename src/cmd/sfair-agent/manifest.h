/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a dump is of, and what has to be as it was when it is restored: a JSON
 * object in a file beside the dumps. */
#ifndef AGENT_MANIFEST_H
#define AGENT_MANIFEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/common/error.h"

/* Who dumps, or restores. */
struct agent_dumper {
	const char *with; /* as --checkpoint-with says */
	char version[128];
	uint32_t job, run;
	char *const *words; /* the command and its arguments, ended by NULL */
};

/* Describe a dump.
 * images: the dump's folder; all in it must be written. It is read, and synced.
 * pids: the processes, which are stopped: what they have open for writing, and
 * which files they execute.
 * Returns a new object, or NULL with err set. */
json_t *agent_manifest_make(const struct agent_dumper *dumper,
			    const char *images, const pid_t *pids, long count,
			    struct astra_error *err);

/* Whether the dump may be restored by this one here and now; nothing is
 * changed. images: its folder. Returns 0, or -1 with err set. */
int agent_manifest_check(const json_t *manifest,
			 const struct agent_dumper *dumper, const char *images,
			 struct astra_error *err);

/* Cut the files that were open for writing back to what they were at the dump:
 * what was written later is written again. They were checked before.
 * again: the dump was restored before, and so they are the program's; else all
 * that was written since is somebody else's: it stays behind what is appended,
 * and is an error in the way of what is not. Returns 0, or -1 with err set. */
int agent_manifest_cut(const json_t *manifest, bool again,
		       struct astra_error *err);

#endif
