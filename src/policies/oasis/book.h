/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy oasis: which jobs of a pool have GPUs in which slots to come. One
 * market with one server, all GPUs of the pool and, where its nodes tell them,
 * the CPUs and memory beside them (amounts.h); where in it a job gets its GPUs
 * is decided when its slot comes.
 *
 * A job is offered once a slot until it is worth more than it costs; then its
 * best schedule is booked, up to PlanHorizon ahead. A job that finds no place
 * in its slot loses the slot. A worker is a GPU with its part of what the job
 * takes, parameter servers included, as they run on the same nodes.
 */
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
			* after a restart */
	bool seen;     /* it is still active */
	bool known;    /* it is in the history */
	bool held;     /* ran when it was last seen */
	bool admitted; /* it was worth its price once */
	bool denied;   /* it was not worth its price and is not asked again */
};

struct oasis_book {
	double slot_sec;
	uint32_t slots; /* of the horizon */
	bool lend;
	bool refuse;	   /* refuse a job that is not admitted at once */
	double origin_sec; /* when slot 0 begins */
	int64_t now;	   /* the present slot */

	struct astra_oasis_market *market; /* NULL: it is to be made */
	uint64_t gpus;			   /* its capacity */
	struct oasis_amounts amounts;	   /* with the capacity of all that it
					    * counts */
	double gpus_since_sec;		   /* since when that has been so */
	struct oasis_recent recent;	   /* for U and L */
	struct astra_oasis_offer offer;	   /* scratch */

	struct oasis_booking *bookings;
	size_t count, room;
	struct astra_idmap by_job;
	double *utility; /* realised, by tenant */
	size_t tenant_count, tenant_room;
};

int64_t oasis_slot_of(const struct oasis_book *book, double at_sec);
double oasis_slot_start(const struct oasis_book *book, int64_t slot);

/* Return the booking of a job, or NULL. Borrowed until another one is added or
 * removed. */
struct oasis_booking *oasis_book_find(const struct oasis_book *book,
				      uint32_t job);

/* Return the GPUs booked in a slot. */
uint32_t oasis_booked(const struct oasis_booking *booking, int64_t slot);

/* Return the first booked slot from that one on, or -1. */
int64_t oasis_next_booked(const struct oasis_booking *booking, int64_t slot);

/* Update the book by an offer of the engine: the present slot, its GPUs, jobs
 * that came and went. GPUs held without a booking are booked. Returns 0, or -1
 * when memory is out. */
int oasis_book_look(struct oasis_book *book, const struct astra_offer *offer);

/* Offer a demand a schedule, and book it if accepted. Returns 0, or -1 when
 * memory is out. */
int oasis_book_offer(struct oasis_book *book, const struct astra_demand *demand,
		     double now_sec);

/* Give back what a job has booked: in that slot, or with `all` from it on. */
void oasis_book_return(struct oasis_book *book, struct oasis_booking *booking,
		       int64_t slot, bool all);

/* Run a round: look, offer, and award the GPUs of the present slot. (slot.c)
 * Returns 0, or -1 when memory is out. */
int oasis_slot_round(struct oasis_book *book, const struct astra_offer *offer,
		     struct astra_allocation *out);

void oasis_book_clear(struct oasis_book *book);
int oasis_book_save(const struct oasis_book *book, struct astra_bytes *out);
/* Read into an empty book. Returns 0, or -1 when it is damaged. */
int oasis_book_restore(struct oasis_book *book, struct astra_reader *in);

#endif
