/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of progress.c and progress_state.c only. */
#ifndef ASTRA_PROGRESS_PRIV_H
#define ASTRA_PROGRESS_PRIV_H

#include "src/common/bytes.h"
#include "src/common/idmap.h"
#include "src/engine/guard.h"
#include "src/model/scaling.h"
#include "src/model/speed.h"
#include "src/proto/report.h"

/* What outlives the process has its rows in progress_state.c. */
struct progress_entry {
	uint32_t key; /* job, app or array */
	struct astra_report_progress progress;
	struct astra_report_checkpoint checkpoint;
	struct astra_speed speed;
	bool fresh;	     /* progress was not looked at yet */
	enum astra_level at; /* where its GPUs were when it said that, */
	double share;	     /* and how many it had of those it asked for */
	uint32_t gpus;	     /* so many; 0: of a job of one size */
	struct astra_scaling scaling;
	struct astra_guard guard;
	uint32_t saved_run; /* that wrote the checkpoint */
	bool unguarded[2];  /* progress, checkpoint: not told the guard yet */
	uint32_t told;	    /* changes that the guard has made */
	bool seen;	    /* since astra_progress_begin() */
};

struct progress_table {
	struct progress_entry *list;
	size_t count, room;
	struct astra_idmap by_key;
};

/* The entry of a key, or NULL. */
struct progress_entry *progress_find(const struct progress_table *table,
				     uint32_t key);
/* Made where there is none; NULL when there is no room. */
struct progress_entry *progress_obtain(struct progress_table *table,
				       uint32_t key);

/* How long an iteration takes by the number of GPUs: progress_size.c. */

/* What an entry says of its job's size, for that and its app. app: or NULL. */
void progress_note_size(struct progress_entry *entry,
			struct progress_entry *app);

/* Let an elastic job ask for no more GPUs than are of use to it. entry, app: or
 * NULL. Returns its own speed-up, or its app's, as soon as that is of two
 * sizes, or NULL. */
const struct astra_scaling *
progress_tell_size(const struct progress_entry *entry,
		   const struct progress_entry *app, double now_sec,
		   struct astra_job *job);

/* An iteration on all GPUs that the job asks for, side by side. */
double progress_iter_sec(const struct progress_entry *entry,
			 const struct astra_scaling *scaling, double now_sec,
			 const struct astra_job *job);

void progress_save_size(const struct progress_entry *entry,
			struct astra_bytes *out);
/* Returns 0, or -1 where the data makes no sense. */
int progress_restore_size(struct progress_entry *entry, struct astra_reader *in,
			  double now_sec);

/* Move all times of a table that are known by so much. */
void progress_shift(struct progress_table *table, double by_sec);

void progress_save(const struct progress_table *table, struct astra_bytes *out);

/* Into an empty table. version: of the layout; now_sec: nothing was said later.
 * Returns 0, or -1 when out of memory or the data makes no sense: clear it. */
int progress_restore(struct progress_table *table, struct astra_reader *in,
		     uint32_t version, double now_sec);

#endif
