/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of calendar.c, calendar_cut.c, calendar_releases.c and
 * lease_ends.c. */
#ifndef ASTRA_LEASE_CALENDAR_H
#define ASTRA_LEASE_CALENDAR_H

#include "src/engine/hold.h"

/* GPUs that come free at the same time. */
struct release {
	double at_sec;
	size_t order;	    /* order of finding, for equal times */
	double natural_sec; /* when they come free if no lease is cut */
	struct ejob *job;   /* its lease ends; NULL: a grant or a hold */
	size_t hold;	    /* 1 + index of the hold whose job has the GPUs
			     * first; 0: none */
	const struct astra_share *shares;
	size_t count;
	size_t place; /* index in the list, if it is one of `others` */
};

/* Which holds a job may ignore. */
enum astra_displace {
	ASTRA_DISPLACE_NONE,
	ASTRA_DISPLACE_LATER, /* those of richer tenants' jobs; a job that is
			       * due: those of first starts that are due
			       * later */
	/* For a first start that would otherwise miss its bound: */
	ASTRA_DISPLACE_RAN, /* also those of jobs that ran */
	ASTRA_DISPLACE_ALL, /* also those that begin in less than half a term;
			     * and any lease may end early for the job */
};

/* The calendar of a job that looks for a hold. */
struct calendar {
	struct turns *turns;
	struct round *r;
	const struct astra_space *work;
	const struct contender *owner;
	enum astra_hold_claim claim;
	bool anybody;	       /* it may use the leases of all jobs */
	struct release *items; /* those listed so far, by time */
	size_t count, room;
	/* What is not listed yet, by time: the next lease that ends by itself,
	 * the next lease that may be recalled, and all other releases. */
	struct release end, recall;
	bool end_known, recall_known;
	size_t end_at, recall_at;
	struct release *others;
	size_t others_count, others_room, others_at;
	enum astra_displace displace;
	bool recalls;  /* the budget lets leases end early for the owner */
	int64_t *left; /* room in each limit after other holds; NULL: the owner
			* uses no limit */
	struct astra_share *shares; /* of the last place found */
	uint32_t awaited; /* id of the job whose end is awaited: the last one to
			   * end among the jobs without a lease that make room;
			   * 0: none */
	bool failed;	  /* memory is out */
};

/* lease_ends.c: fill t->ends and t->recent. Returns 0, or -1 when memory is
 * out. */
int astra_lease_ends(struct turns *t);
/* Return when a running job's GPUs come free by themselves. */
double astra_natural_end(const struct round *r, const struct ejob *j,
			 const struct astra_job *job);
/* Return the earliest time at which a job may be told to leave; infinite:
 * never. */
double astra_recall_sec(const struct round *r, const struct ejob *j,
			const struct astra_job *job);

/* Return the job whose lease the release ends. */
static inline const struct astra_job *
astra_release_job(const struct calendar *c, const struct release *x)
{
	return &c->r->snap->jobs[x->job->index];
}

/* calendar_releases.c: begin the list of releases. It is sorted by time, and by
 * the order of finding for equal times. Returns 0, or -1 when memory is out. */
int astra_calendar_collect(struct calendar *c);
/* List the first `count` releases, or all if there are fewer. Returns 0, or -1
 * when memory is out. */
int astra_calendar_list(struct calendar *c, size_t count);
/* Whether the calendar's owner may ignore a hold. */
bool astra_calendar_displaces(const struct calendar *c,
			      const struct hold *hold);
/* Return how long a job has GPUs from its start on: for its lease or, if it
 * keeps its GPUs, up to its time limit. */
double astra_calendar_stay_sec(const struct calendar *c, const struct ejob *j,
			       double lease_sec);
/* Return when a hold's job gives its GPUs back. */
double astra_calendar_hold_end(const struct calendar *c,
			       const struct hold *hold);

/* calendar_cut.c: cut the leases of the first `count` releases that the hold
 * needs, so that they end at the hold's start. */
void astra_calendar_cut(struct calendar *c, size_t count,
			const struct hold *hold);

#endif
