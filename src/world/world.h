/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cluster in memory: what jobs hold of its nodes, what happens to them next,
 * and what a plan makes of them. The simulator, the look-ahead and the tests
 * drive it; where they differ is struct astra_world_host. Pure: no Slurm, no
 * clock.
 *
 * Jobs have numbers in the order in which they came, from 0 on; a number stays
 * when its job is over. Times are the host's; what the engine is shown is
 * begin_sec later, as there 0 means that something has not been.
 */
#ifndef ASTRA_WORLD_H
#define ASTRA_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/common/idmap.h"
#include "src/model/plan.h"

/* The events to come, the earliest first; those of one time in the order in
 * which they were added. */
enum astra_event_kind {
	ASTRA_EVENT_END,   /* a job's work is done */
	ASTRA_EVENT_LEFT,  /* a job has written its checkpoint and left */
	ASTRA_EVENT_CLEAN, /* a job that left has been cleaned up */
	ASTRA_EVENT_GIVEN, /* somebody else gives back what he had of a node */
};

struct astra_event {
	double at_sec;
	uint64_t order; /* set by astra_queue_add() */
	uint32_t job;	/* its number; GIVEN: the release's */
	uint32_t run;	/* of the job; void when it has another one now */
	enum astra_event_kind kind;
};

struct astra_queue {
	struct astra_event *heap;
	size_t count, room;
	uint64_t added;
};

/* Returns 0, or -1 when out of memory. */
int astra_queue_add(struct astra_queue *queue, struct astra_event event);

/* A job beside what the engine is shown. */
struct astra_world_job {
	struct astra_job *job;	  /* as it is shown; NULL: forgotten */
	struct astra_share *held; /* owned: what it was last started on */
	uint32_t run;		  /* events of another one are void */
	bool leaving;		  /* it was told to, and will by itself */
};

/* What somebody whom the engine does not know has of a node until then. */
struct astra_release {
	double at_sec;
	struct astra_share share;
};

/* Who drives it. Calls return 0, or -1 when out of memory. */
struct astra_world_host {
	/* Whether the host refuses a decision. NULL: none. */
	bool (*refuses)(void *arg, const struct astra_decision *d);
	/* One task of an array becomes a job. Returns its number, or ASTRA_NONE
	 * when out of memory. NULL: there are no arrays. */
	uint32_t (*split)(void *arg, uint32_t array);
	/* It runs. *end_sec: when its work is done; infinite, as it is: the
	 * host says so when it is (astra_world_leave()). NULL: it is. */
	int (*started)(void *arg, uint32_t job, double *end_sec);
	/* When a running job leaves that is to (SIGNAL, REQUEUE). Not after
	 * now: at once; infinite: not by itself, or it does already. */
	double (*leaves)(void *arg, uint32_t job,
			 const struct astra_decision *d);
	/* Its run is over; it still holds, and is shown, what it had. NULL:
	 * never mind. */
	int (*left)(void *arg, uint32_t job, double at_sec, bool requeued);
	/* It is not to be run (REFUSE). NULL: never mind. */
	int (*dropped)(void *arg, uint32_t job);
	/* Jobs are shown in the order in which they came; equals are served in
	 * that. Else the last one takes the place of one that is over. */
	bool keeps_order;
	enum astra_job_state dropped_state; /* of one that is dropped */
	/* A plan is carried out as far as it can be. Else it is an error what
	 * cannot be: a start on what is not free, or of a job that runs. */
	bool lenient;
};

struct astra_world_list {
	uint32_t *items;
	size_t count, room;
};

struct astra_world {
	const struct astra_world_host *host;
	void *arg;
	double now_sec, begin_sec;
	double cleanup_sec; /* after a run, nothing starts there; 0: none */
	struct astra_node *nodes; /* the host's */
	size_t node_count;
	const struct astra_release *releases; /* the host's; of GIVEN */
	struct astra_world_job *jobs;	      /* by number */
	size_t job_count, job_room;
	struct astra_idmap numbers; /* of ids */
	struct astra_job *shown;    /* owned, as the snapshot has them */
	size_t shown_count, shown_room;
	struct astra_limit *limits; /* owned: what jobs use of them by now */
	size_t limit_count;
	struct astra_queue queue;
	uint64_t happened;  /* events that were not void */
	uint32_t *cleaning; /* by node: jobs that are cleaned up there */
	size_t cleaning_room;
	struct astra_world_list ended; /* numbers of those to be forgotten */
	bool noting;		       /* what changes */
	struct astra_world_list changed, changed_nodes;
};

/* world: zeroed, with the host's members set. Free what it has. */
void astra_world_clear(struct astra_world *world);

/* Jobs use these limits, as they are shown; copied, but for the names. Returns
 * 0, or -1 when out of memory. */
int astra_world_limit(struct astra_world *world,
		      const struct astra_limit *limits, size_t count);

/* One more job, the next number, that waits, or is as it is shown. The first
 * leaves `job` where it is and does not show it, the second shows a copy.
 * Return 0, or -1 when out of memory. */
int astra_world_add(struct astra_world *world, struct astra_job *job);
int astra_world_show(struct astra_world *world, const struct astra_job *job);

/* Something is going to happen to a job in its present run.
 * Returns 0, or -1 when out of memory. */
int astra_world_expect(struct astra_world *world, uint32_t job,
		       enum astra_event_kind kind, double at_sec);

/* What somebody had of a node is free. */
void astra_world_give(struct astra_world *world,
		      const struct astra_share *share);

/* When that is next; infinite: never. */
double astra_world_next(struct astra_world *world);

/* Let time pass: all that is to happen by then does.
 * Returns 0, or -1 when out of memory. */
int astra_world_advance(struct astra_world *world, double to_sec);

/* A running job leaves its GPUs: it waits again, or is over.
 * Returns 0, or -1 when out of memory. */
int astra_world_leave(struct astra_world *world, uint32_t job, double at_sec,
		      bool requeue);

/* Carry out a plan, now. Returns 0, or -1 with err set, which says what cannot
 * be. */
int astra_world_apply(struct astra_world *world, const struct astra_plan *plan,
		      struct astra_error *err);

/* Those that have ended were shown; forget them.
 * Returns 0, or -1 when out of memory. */
int astra_world_forget(struct astra_world *world);

/* What changed since it was asked for the last time, where that is noted.
 * Valid until something changes. */
struct astra_changes astra_world_changes(struct astra_world *world);

#endif
