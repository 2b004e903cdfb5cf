/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cluster in memory: what jobs hold of its nodes, the events to come, and how
 * a plan is carried out. The simulator, the look-ahead and the tests drive it;
 * their differences are in struct astra_world_host. Pure: no Slurm, no clock.
 *
 * A job's number is its index in the order in which jobs came. A job keeps its
 * number when it is over. Times are the host's. The engine is shown times that
 * are begin_sec later, as 0 means "not yet" to it. */
#ifndef ASTRA_WORLD_H
#define ASTRA_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/common/idmap.h"
#include "src/model/plan.h"

/* The events to come, the earliest first. Simultaneous events keep the order in
 * which they were added. */
enum astra_event_kind {
	ASTRA_EVENT_END,   /* a job's work is done */
	ASTRA_EVENT_LEFT,  /* a job has written its checkpoint and left */
	ASTRA_EVENT_CLEAN, /* a job that left has been cleaned up */
	ASTRA_EVENT_GIVEN, /* a job unknown to the engine gives its share
			    * back */
};

struct astra_event {
	double at_sec;
	uint64_t order; /* set by astra_queue_add() */
	uint32_t job;	/* job's number; GIVEN: index of the release */
	uint32_t run;	/* run of the job; the event is void if the job is now
			 * in another run */
	enum astra_event_kind kind;
};

struct astra_queue {
	struct astra_event *heap;
	size_t count, room;
	uint64_t added;
};

/* Adds an event. Returns 0, or -1 when out of memory. */
int astra_queue_add(struct astra_queue *queue, struct astra_event event);

/* A job, including members that the engine is not shown. */
struct astra_world_job {
	struct astra_job *job;	  /* as shown to the engine; NULL: forgotten */
	struct astra_share *held; /* owned: shares of its last start */
	uint32_t run;		  /* events of other runs are void */
	bool leaving;		  /* was told to leave, and will leave by
				   * itself */
};

/* A share held by a job that the engine does not know, until at_sec. */
struct astra_release {
	double at_sec;
	struct astra_share share;
};

/* The program that drives the world. Its functions return 0, or -1 when out of
 * memory, unless they say otherwise. */
struct astra_world_host {
	/* Whether the host refuses a decision. NULL: it refuses none. */
	bool (*refuses)(void *arg, const struct astra_decision *d);
	/* Splits a task off an array, as a job of its own. Returns the job's
	 * number, or ASTRA_NONE when out of memory. NULL: there are no
	 * arrays. */
	uint32_t (*split)(void *arg, uint32_t array);
	/* Called when a job has started. *end_sec: set it to the end of the
	 * job's work. It is infinite before. If it stays infinite, the host
	 * calls astra_world_leave() later. NULL: all ends are infinite. */
	int (*started)(void *arg, uint32_t job, double *end_sec);
	/* Returns when a job that was told to leave (SIGNAL, REQUEUE) is gone.
	 * If the time is not after now, the job leaves at once. Infinite: it
	 * does not leave by itself, or is already leaving. */
	double (*leaves)(void *arg, uint32_t job,
			 const struct astra_decision *d);
	/* Called when a job's run is over; the job still holds its shares and
	 * is shown with them. NULL: do nothing. */
	int (*left)(void *arg, uint32_t job, double at_sec, bool requeued);
	/* Called when a job was refused (REFUSE). NULL: do nothing. */
	int (*dropped)(void *arg, uint32_t job);
	/* Show jobs in the order in which they came, which is the order in
	 * which equal jobs are served. If false, the last job moves to the
	 * place of a job that is over. */
	bool keeps_order;
	enum astra_job_state dropped_state; /* of a refused job */
	/* Carry out as much of a plan as possible. If false, impossible
	 * decisions are errors: starts of running jobs, or on shares that are
	 * not free. */
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
	double cleanup_sec; /* for this time after a run, nothing starts on its
			     * nodes */
	struct astra_node *nodes; /* the host's */
	size_t node_count;
	const struct astra_release *releases; /* the host's; for GIVEN */
	struct astra_world_job *jobs;	      /* by number */
	size_t job_count, job_room;
	struct astra_idmap numbers; /* id -> number */
	struct astra_job *shown;    /* owned: the snapshot's jobs */
	size_t shown_count, shown_room;
	struct astra_limit *limits; /* owned; each with the amount in use */
	size_t limit_count;
	struct astra_queue queue;
	uint64_t happened;  /* count of events that were not void */
	uint32_t *cleaning; /* by node: jobs in cleanup */
	size_t cleaning_room;
	struct astra_world_list ended; /* numbers of the ended jobs, which are
					* to be forgotten */
	bool noting;		       /* whether changes are noted */
	struct astra_world_list changed, changed_nodes;
};

/* Frees the memory that the world owns. (A world begins zeroed, with the
 * members set by its host.) */
void astra_world_clear(struct astra_world *world);

/* Sets the limits that the shown jobs use. They are copied, except for their
 * names. Returns 0, or -1 when out of memory. */
int astra_world_limit(struct astra_world *world,
		      const struct astra_limit *limits, size_t count);

/* Add a job with the next number. The job waits, or is in the state that it is
 * shown in. astra_world_add() keeps the pointer and does not show the job;
 * astra_world_show() shows a copy. Both return 0, or -1 when out of memory. */
int astra_world_add(struct astra_world *world, struct astra_job *job);
int astra_world_show(struct astra_world *world, const struct astra_job *job);

/* Adds an event for a job's present run. Returns 0, or -1 when out of
 * memory. */
int astra_world_expect(struct astra_world *world, uint32_t job,
		       enum astra_event_kind kind, double at_sec);

/* Frees a share of a node. */
void astra_world_give(struct astra_world *world,
		      const struct astra_share *share);

/* Returns the time of the next event; infinite if there is none. */
double astra_world_next(struct astra_world *world);

/* Moves the clock to to_sec, and carries out the events until then. Returns 0,
 * or -1 when out of memory. */
int astra_world_advance(struct astra_world *world, double to_sec);

/* Ends a job's run. With requeue the job waits again; otherwise it is over.
 * Returns 0, or -1 when out of memory. */
int astra_world_leave(struct astra_world *world, uint32_t job, double at_sec,
		      bool requeue);

/* Carries out a plan at the present time. Returns 0, or -1 with err naming what
 * is impossible. */
int astra_world_apply(struct astra_world *world, const struct astra_plan *plan,
		      struct astra_error *err);

/* Forgets the ended jobs. Call it after the engine was shown them. Returns 0,
 * or -1 when out of memory. */
int astra_world_forget(struct astra_world *world);

/* Returns the changes since the last call, if `noting` is set. They are valid
 * until the next change. */
struct astra_changes astra_world_changes(struct astra_world *world);

#endif
