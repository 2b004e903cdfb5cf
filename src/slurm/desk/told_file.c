/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/desk/told_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "src/slurm/check/damage.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/note/told_state.h"
#include "src/slurm/round/diag.h"
#include "src/store/state_file.h"

#define NAME "astraea-told" /* a pool's file is astraea.POOL */
#define SAVE_USEC 3000000
#define SAVE_SHARE 20 /* of the time, saving takes at most 1/20 */
#define SYNC_USEC 60000000

static char path[PATH_MAX]; /* "": nothing is kept */
static bool loaded;
static bool unsaved, failing; /* failing: the last save failed, and this was
			       * logged */
static uint64_t due_usec, sync_usec;

static void put_aside(const struct astra_error *err)
{
	astra_damage_tell("what jobs and agents said is not all read from %s: "
			  "%s",
			  path, err->text);
	astra_damage_keep(path);
}

void astra_told_load(const char *folder)
{
	struct astra_error err = {""};
	bool fallback = false;
	void *data = NULL;
	size_t size = 0;

	if (loaded)
		return;
	loaded = true;
	unsaved = failing = false;
	due_usec = sync_usec = 0;
	if (!folder ||
	    snprintf(path, sizeof(path), "%s/" NAME, folder) >= PATH_MAX)
		*path = '\0';
	if (!*path)
		return;
	if (astra_state_read(path, &data, &size, &fallback, &err) < 0 ||
	    fallback)
		put_aside(&err);
	if (data && astra_told_decode(data, size, (double)time(NULL), &err) < 0)
		put_aside(&err);
	free(data);
}

static void told_write(const struct astra_bytes *bytes, bool last)
{
	uint64_t begin = astra_usec(), took;
	bool sync = last || begin >= sync_usec;
	struct astra_error err = {""};
	int rc = bytes->failed
			 ? astra_error_nomem(&err)
			 : astra_state_write(path, bytes->data, bytes->size,
					     sync ? ASTRA_STATE_SYNC |
							     ASTRA_STATE_KEEP
						  : 0,
					     &err);

	if (rc < 0 && !failing)
		error("astraea: what jobs and agents said is not saved: %s",
		      err.text);
	failing = unsaved = rc < 0;
	took = astra_usec() - begin;
	if (sync)
		sync_usec = begin + SYNC_USEC;
	due_usec = begin + (SAVE_SHARE * took > SAVE_USEC ? SAVE_SHARE * took
							  : SAVE_USEC);
}

void astra_told_save(bool last)
{
	struct astra_bytes bytes = {0};

	if (!loaded || (!last && astra_usec() < due_usec))
		return;
	loaded = !last;
	if (!*path || !(last || unsaved || astra_told_changed()))
		return;
	(void)astra_told_encode(&bytes);
	told_write(&bytes, last);
	astra_bytes_clear(&bytes);
}
