/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For progress.c, progress_size.c and progress_state.c only. */
#ifndef ASTRA_PROGRESS_PRIV_H
#define ASTRA_PROGRESS_PRIV_H

#include "src/common/bytes.h"
#include "src/common/idmap.h"
#include "src/engine/guard.h"
#include "src/model/scaling.h"
#include "src/model/speed.h"
#include "src/proto/report.h"

/* Members that are saved have rows in progress_state.c. */
struct progress_entry {
	uint32_t key; /* id of a job, app or array */
	struct astra_report_progress progress;
	struct astra_report_checkpoint checkpoint;
	struct astra_speed speed;
	bool fresh;	     /* the progress was not looked at yet */
	enum astra_level at; /* distance of its GPUs at the report */
	double share;	     /* its GPUs then, as a part of those it asked
			      * for */
	uint32_t gpus;	     /* how many GPUs it had then; 0: it has one size */
	struct astra_scaling scaling;
	struct astra_guard guard;
	uint32_t saved_run; /* run that wrote the checkpoint */
	bool unguarded[2];  /* progress and checkpoint were not passed to the
			     * guard yet */
	uint32_t told;	    /* how many of the guard's changes were told to the
			     * user */
	bool seen;	    /* its job was seen since astra_progress_begin() */
};

struct progress_table {
	struct progress_entry *list;
	size_t count, room;
	struct astra_idmap by_key;
};

/* Return the entry of a key, or NULL. */
struct progress_entry *progress_find(const struct progress_table *table,
				     uint32_t key);
/* Return the entry of a key, adding a new one; NULL when there is no room. */
struct progress_entry *progress_obtain(struct progress_table *table,
				       uint32_t key);

/* progress_size.c: how long an iteration takes on a number of GPUs. */

/* Note what an entry's report says about its job's size, in the entry and in
 * its app. app may be NULL. */
void progress_note_size(struct progress_entry *entry,
			struct progress_entry *app);

/* Limit an elastic job's request to the GPUs that it can use. entry and app may
 * be NULL. Returns the speed-up of the job or, if this was not measured at two
 * sizes, of its app; NULL: neither is known. */
const struct astra_scaling *
progress_tell_size(const struct progress_entry *entry,
		   const struct progress_entry *app, double now_sec,
		   struct astra_job *job);

/* Return the time of one iteration on all GPUs that the job asks for, side by
 * side. */
double progress_iter_sec(const struct progress_entry *entry,
			 const struct astra_scaling *scaling, double now_sec,
			 const struct astra_job *job);

void progress_save_size(const struct progress_entry *entry,
			struct astra_bytes *out);
/* Read the sizes of an entry. Returns 0, or -1 if the data is invalid. */
int progress_restore_size(struct progress_entry *entry, struct astra_reader *in,
			  double now_sec);

/* Move all times of a table by by_sec, except those that are not known. */
void progress_shift(struct progress_table *table, double by_sec);

void progress_save(const struct progress_table *table, struct astra_bytes *out);

/* Read into an empty table. version: of the layout. now_sec: the present time;
 * nothing can be newer. Returns 0, or -1 when memory is out or the data is
 * invalid; the caller then clears the table. */
int progress_restore(struct progress_table *table, struct astra_reader *in,
		     uint32_t version, double now_sec);

#endif
