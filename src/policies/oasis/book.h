/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy oasis: which jobs of a pool have GPUs in which future slots. The
 * pool is a market with one server. The server has all GPUs of the pool and, if
 * its nodes report them, the CPUs and memory beside them (amounts.h). On which
 * nodes a job gets its GPUs is decided when its slot comes.
 *
 * A job is offered once a slot until it is worth more than it costs. Then its
 * best schedule is booked, up to PlanHorizon ahead. A job that finds no place
 * in its slot loses the slot. A worker is a GPU with its part of what the job
 * takes, including parameter servers, as these run on the same nodes. */
#ifndef ASTRA_OASIS_BOOK_H
#define ASTRA_OASIS_BOOK_H

#include "src/common/idmap.h"
#include "src/policies/oasis/amounts.h"
#include "src/policies/oasis/oasis.h"
#include "src/policies/oasis/recent.h"
#include "src/policies/policy.h"

/* What is known of an active job. */
struct oasis_booking {
	uint32_t job;
	uint32_t tenant;
	double submit_sec;
	struct astra_utility utility; /* of hours from submission to end */
	struct astra_oasis_places y;  /* booked: slots and GPUs, by slot */
	double worker[OASIS_POOL_RESOURCES]; /* demand of each of these GPUs */
	int64_t offered;		     /* slot of its last offer */
	double payoff;			     /* payoff of that offer */
	double cost;   /* cost of all that it takes by that offer; 0: unknown,
			* as after a restart */
	bool seen;     /* it is still active */
	bool known;    /* it was added to the history */
	bool held;     /* ran when it was last seen */
	bool admitted; /* it was once worth its price */
	bool denied;   /* it was not worth its price and gets no further
			* offer */
};

struct oasis_book {
	double slot_sec;
	uint32_t slots; /* number of slots in the horizon */
	bool lend;
	bool refuse;	   /* refuse a job that is not admitted at once */
	double origin_sec; /* when slot 0 begins */
	int64_t now;	   /* the present slot */

	struct astra_oasis_market *market; /* NULL: it has to be made */
	uint64_t gpus;			   /* its capacity */
	struct oasis_amounts amounts;	   /* units, and the capacity of all
					    * that is counted */
	double gpus_since_sec;		   /* since when `gpus` has been the
					    * same */
	struct oasis_recent recent;	   /* for U and L */
	struct astra_oasis_offer offer;	   /* scratch */

	struct oasis_booking *bookings;
	size_t count, room;
	struct astra_idmap by_job;
	double *utility; /* utility that jobs have realised, by tenant */
	size_t tenant_count, tenant_room;
};

int64_t oasis_slot_of(const struct oasis_book *book, double at_sec);
double oasis_slot_start(const struct oasis_book *book, int64_t slot);

/* Return the booking of a job, or NULL. Borrowed until another one is added or
 * removed. */
struct oasis_booking *oasis_book_find(const struct oasis_book *book,
				      uint32_t job);

/* Return how many GPUs the booking has in a slot. */
uint32_t oasis_booked(const struct oasis_booking *booking, int64_t slot);

/* Return the first booked slot >= slot, or -1. */
int64_t oasis_next_booked(const struct oasis_booking *booking, int64_t slot);

/* Update the book from an offer of the engine: the present slot, its GPUs, jobs
 * that came and went. GPUs held without a booking are booked. Returns 0, or -1
 * when memory is out. */
int oasis_book_look(struct oasis_book *book, const struct astra_offer *offer);

/* Find a schedule for a demand, and book it if it is worth its price. Returns
 * 0, or -1 when memory is out. */
int oasis_book_offer(struct oasis_book *book, const struct astra_demand *demand,
		     double now_sec);

/* Give back what a job has booked: in this slot, or with `all` from it on. */
void oasis_book_return(struct oasis_book *book, struct oasis_booking *booking,
		       int64_t slot, bool all);

/* Run a round: look, offer, and award the GPUs of the present slot. (slot.c)
 * Returns 0, or -1 when memory is out. */
int oasis_slot_round(struct oasis_book *book, const struct astra_offer *offer,
		     struct astra_allocation *out);

void oasis_book_clear(struct oasis_book *book);
int oasis_book_save(const struct oasis_book *book, struct astra_bytes *out);
/* Read a book into an empty one. Returns 0, or -1 when the data is damaged. */
int oasis_book_restore(struct oasis_book *book, struct astra_reader *in);

#endif
