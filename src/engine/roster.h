/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs wait, run and leave, and when leases end. The lists are kept from
 * round to round, so that a round looks only at the jobs that it needs. A job
 * is listed by its index in the present snapshot, so all lists are in the
 * snapshot's order. */
#ifndef ASTRA_ROSTER_H
#define ASTRA_ROSTER_H

#include "src/common/nodeset.h"
#include "src/common/number.h"
#include "src/model/model.h"

struct astra_engine;
struct ejob;

/* What leases that continue are still charged with, by tenant and by user. A
 * lease is charged with its whole term when it is granted. The sum of charge *
 * (end - now) over all leases is computed as the sum of charge * (end - base),
 * minus (now - base) times the sum of charge. */
struct advance {
	struct astra_exact charge, until_base; /* of leases that end */
	struct astra_exact term;	       /* of jobs without an end */
};

/* One job's part of an advance. */
struct advance_part {
	double charge, until_base, term;
};

/* The end of a lease that may be taken back. The end is void once the job's
 * lease ends at another time. */
struct lease_end {
	double at_sec;
	uint32_t row, job; /* job: its id */
};

struct roster {
	bool known; /* whether the lists are valid; if not, the next round looks
		     * at all jobs */
	uint64_t *memory;
	size_t job_count, job_room;
	struct astra_set waiting;	/* PENDING */
	struct astra_set running;	/* RUNNING */
	struct astra_set leaving;	/* told to leave, or being cleaned up */
	size_t elastic, bound_to_leave; /* number of elastic jobs, and of jobs
					 * that have leave_sec */
	uint32_t *added; /* rows that were new in the last round */
	size_t added_count, added_room;
	double base_sec;	/* of the advances */
	struct lease_end *ends; /* a heap, the earliest first */
	size_t end_count, end_room;
	uint32_t *over; /* rows of jobs that run although their lease has
			 * ended */
	size_t over_count, over_room;
};

void astra_roster_clear(struct roster *roster);

/* Make room for `jobs` jobs, all of which must be added again. Returns 0, or -1
 * when memory is out. */
int astra_roster_begin(struct astra_engine *e, size_t jobs);

/* As astra_roster_begin(), but jobs whose indices stay the same stay in the
 * lists. */
int astra_roster_resize(struct astra_engine *e, size_t jobs);

/* Note that no job is at this index any more. */
void astra_roster_vacate(struct roster *roster, uint32_t index);

/* Forget the job. */
void astra_roster_drop(struct astra_engine *e, struct ejob *j);

/* Compute the sums of the advances anew: they are exact for about a day. */
void astra_roster_rebase(struct astra_engine *e, double now_sec);

/* Return an advance at now_sec, in GPU seconds. Leases that are over count as
 * negative; they are in roster.over. */
double astra_advance_sec(const struct astra_engine *e,
			 const struct advance *advance, double now_sec);

/* Put the job into the lists at its index, by its state and phase. */
void astra_roster_put(struct astra_engine *e, struct ejob *j,
		      const struct astra_job *job);

/* Return the least index >= from in a list, or ASTRA_SET_END. */
static inline size_t astra_roster_next(const struct astra_set *list,
				       size_t from)
{
	size_t word = from / 64;
	uint64_t bits;

	if (word >= list->word_count)
		return ASTRA_SET_END;
	bits = list->words[word] >> (from % 64);
	return bits ? from + (size_t)__builtin_ctzll(bits)
		    : astra_set_next(list, (word + 1) * 64, NULL);
}

/* Move the leases that end by until_sec to roster->over. When memory is out
 * they stay in the heap. */
void astra_roster_expire(struct astra_engine *e, double until_sec);

/* Return the next end of a lease after now; infinite: there is none. */
double astra_roster_next_end(struct astra_engine *e, double now_sec);

/* Loop over the jobs of a list: size_t i is the index. */
#define ASTRA_ROSTER_EACH(i, list)                                      \
	for (size_t i = astra_roster_next(list, 0); i != ASTRA_SET_END; \
	     i = astra_roster_next(list, i + 1))

#endif
