/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes a dump, and the files that must be unchanged when it is restored.
 * The manifest is a JSON object in a file beside the dumps. */
#ifndef AGENT_MANIFEST_H
#define AGENT_MANIFEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/common/error.h"

/* The job and the command that makes or restores a dump. */
struct agent_dumper {
	const char *with; /* the value of --checkpoint-with */
	char version[128];
	uint32_t job, run;
	char *const *words; /* the command and its arguments, ended by NULL */
};

/* Describe a dump. images: the dump's folder, with all its files. The files are
 * read and synced. pids: the processes, which are stopped. The manifest names
 * the files that they have open for writing, and the files that they execute.
 * Returns a new object, or NULL with err set. */
json_t *agent_manifest_make(const struct agent_dumper *dumper,
			    const char *images, const pid_t *pids, long count,
			    struct astra_error *err);

/* Check that this job may restore the dump on this host. Changes nothing.
 * images: the dump's folder. Returns 0, or -1 with err set. */
int agent_manifest_check(const json_t *manifest,
			 const struct agent_dumper *dumper, const char *images,
			 struct astra_error *err);

/* Cut the files that were open for writing back to their sizes at the dump, as
 * the program will write the rest again. The sizes were checked before. again:
 * the dump was already restored before, so the program itself has written the
 * rest. Otherwise another program has written it. Then the rest stays in a file
 * opened for appending, and is an error in any other file. Returns 0, or -1
 * with err set. */
int agent_manifest_cut(const json_t *manifest, bool again,
		       struct astra_error *err);

#endif
