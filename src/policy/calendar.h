/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of calendar.c, calendar_cut.c and calendar_releases.c. */
#ifndef ASTRA_LEASE_CALENDAR_H
#define ASTRA_LEASE_CALENDAR_H

#include "src/policy/hold.h"

/* GPUs that can be had at a time. */
struct release {
	double at_sec;
	size_t order;	    /* of those of the same time, as found */
	double natural_sec; /* when they come without a cut */
	struct ejob *job;   /* whose lease it is; NULL: a grant, or a hold */
	size_t hold;	    /* 1 + the hold whose job has them before; 0 */
	const struct astra_share *shares;
	size_t count;
};

/* Of a job that looks for a hold. */
struct calendar {
	struct turns *turns;
	struct round *r;
	const struct astra_space *work;
	const struct contender *owner;
	bool anybody;	       /* everybody's leases are in it */
	struct release *items; /* by time */
	size_t count, room;
	struct release *early; /* those that are yet to be sorted into them */
	size_t early_count, early_room;
	bool displace;		    /* holds of those who pay give way */
	struct astra_share *shares; /* of the last place found */
	bool failed;		    /* memory is out */
};

/* calendar_releases.c: what comes free, by time; of the same time as found.
 * Returns 0, or -1 when memory is out. */
int astra_calendar_collect(struct calendar *c);
/* Whether a hold need not be heeded. */
bool astra_calendar_displaces(const struct calendar *c,
			      const struct hold *hold);
/* When the lease ends that a hold's job begins. */
double astra_calendar_hold_end(const struct calendar *c,
			       const struct hold *hold);

/* calendar_cut.c: let the leases end at the hold's start that would stay beyond
 * it and that it needs, of the first `count` releases. */
void astra_calendar_cut(struct calendar *c, size_t count,
			const struct hold *hold);

#endif
