/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of calendar.c, calendar_cut.c, calendar_releases.c and
 * lease_ends.c. */
#ifndef ASTRA_LEASE_CALENDAR_H
#define ASTRA_LEASE_CALENDAR_H

#include "src/engine/hold.h"

/* GPUs that can be had at a time. */
struct release {
	double at_sec;
	size_t order;	    /* of those of the same time, as found */
	double natural_sec; /* when they come without a cut */
	struct ejob *job;   /* whose lease it is; NULL: a grant, or a hold */
	size_t hold;	    /* 1 + the hold whose job has them before; 0 */
	const struct astra_share *shares;
	size_t count;
	size_t place; /* in the list, of one of the others that is listed */
};

/* Which holds a job need not heed. */
enum astra_displace {
	ASTRA_DISPLACE_NONE,
	ASTRA_DISPLACE_LATER, /* of richer tenants' jobs; for a job that is due:
			       * of first starts that are due later */
	/* For a first start that else would start after its bound: */
	ASTRA_DISPLACE_RAN, /* and of jobs that ran */
	ASTRA_DISPLACE_ALL, /* and those that begin in less than half a term;
			     * and any lease may end early for it */
};

/* Of a job that looks for a hold. */
struct calendar {
	struct turns *turns;
	struct round *r;
	const struct astra_space *work;
	const struct contender *owner;
	enum astra_hold_claim claim;
	bool anybody;	       /* everybody's leases are in it */
	struct release *items; /* by time, as far as they are listed */
	size_t count, room;
	/* What is not listed yet: the next lease that ends by itself and the
	 * next one that may be recalled, and the others, by time. */
	struct release end, recall;
	bool end_known, recall_known;
	size_t end_at, recall_at;
	struct release *others;
	size_t others_count, others_room, others_at;
	enum astra_displace displace;
	bool recalls;  /* the budget lets leases end early for it */
	int64_t *left; /* of each limit, beside other holds; NULL: the owner
			* uses none */
	struct astra_share *shares; /* of the last place found */
	uint32_t awaited; /* the job without a lease that ends last of those
			   * that make room; 0: none */
	bool failed;	  /* memory is out */
};

/* lease_ends.c: what t->ends and t->recent are. Returns 0, or -1 when memory is
 * out. */
int astra_lease_ends(struct turns *t);
/* When a running job's GPUs come by themselves. */
double astra_natural_end(const struct round *r, const struct ejob *j,
			 const struct astra_job *job);
/* The first time at which it may be told to end; infinite: never. */
double astra_recall_sec(const struct round *r, const struct ejob *j,
			const struct astra_job *job);

/* The job whose lease a release is. */
static inline const struct astra_job *
astra_release_job(const struct calendar *c, const struct release *x)
{
	return &c->r->snap->jobs[x->job->index];
}

/* calendar_releases.c: begin the list of what comes free, by time; of the same
 * time as found. Returns 0, or -1 when memory is out. */
int astra_calendar_collect(struct calendar *c);
/* List the first `count` of them, or all. Returns 0, or -1 when memory is
 * out. */
int astra_calendar_list(struct calendar *c, size_t count);
/* Whether a hold need not be heeded. */
bool astra_calendar_displaces(const struct calendar *c,
			      const struct hold *hold);
/* How long a job has GPUs from its start on: its lease, or, if it keeps them,
 * up to its time limit. */
double astra_calendar_stay_sec(const struct calendar *c, const struct ejob *j,
			       double lease_sec);
/* When a hold's job gives its GPUs back. */
double astra_calendar_hold_end(const struct calendar *c,
			       const struct hold *hold);

/* calendar_cut.c: let the leases end at the hold's start that would stay beyond
 * it and that it needs, of the first `count` releases. */
void astra_calendar_cut(struct calendar *c, size_t count,
			const struct hold *hold);

#endif
