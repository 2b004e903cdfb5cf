/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reservations that a job names. Of several Slurm keeps one at a time in
 * resv_ptr, which its own loops change; here all of them count.
 * Locks: caller holds job and node read; job write to choose.
 *
 * A maintenance (flags=maint) keeps a node from a job with leases only if no
 * lease fits in before it. As Slurm goes by time limits, start.c shortens the
 * job's limit during one select_nodes() and then sets its end to the begin of
 * the maintenance. leave_sec is so much earlier that signal, grace and
 * KillWait are over by then. A job that has too few nodes until a maintenance
 * ends is blocked as by a limit.
 */
#ifndef ASTRA_RESERVED_H
#define ASTRA_RESERVED_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/in/node_order.h"
#include "src/slurm/in/request.h"

bool astra_reserved_own(const job_record_t *job, slurmctld_resv_t *resv);

/* Return from when on a node that a running job holds is reserved for others:
 * now if it is already, 0 if no reservation is known. Reservations of parts of
 * nodes do not count. For a maintenance (flags=maint) the time is lead_sec
 * before its begin, when the job has to leave. maint: whether it is one. Locks:
 * as above. */
time_t astra_reserved_from(const job_record_t *job,
			   const struct astra_terms *terms, time_t now,
			   bool *maint);

/* Take from nodes those that others have reserved for a part of the run of a
 * job that starts now. If the job has leases, a maintenance only takes nodes on
 * which no lease fits in before it. inside: a reservation that takes no nodes,
 * or NULL. full: the job is to run for its time limit, even with --time-min.
 * Locks: as above. */
void astra_reserved_drop(const job_record_t *job,
			 const struct astra_terms *terms, time_t now,
			 const slurmctld_resv_t *inside, bool full,
			 bitstr_t *nodes);

/* Return how many seconds a job with leases needs before a maintenance; 0: it
 * has no leases and needs its time limit. */
double astra_reserved_least(const struct astra_terms *terms);

/* Return how long a job may run by its time limit; without one, a year. full:
 * even if --time-min lets it run for less. Locks: caller holds job and part
 * read. */
time_t astra_reserved_run_sec(const job_record_t *job, bool full);

/* The reservations that keep some of these nodes from such a job: of several
 * maintenances the one that ends last, of other reservations the one that
 * begins first. NULL: there is none. Locks: as above. */
struct astra_keepers {
	const slurmctld_resv_t *maint, *other;
};
struct astra_keepers astra_reserved_keepers(const job_record_t *job,
					    const struct astra_terms *terms,
					    bitstr_t *among, time_t now);

/* The next time in which no lease begins in a pool, since a maintenance has all
 * of its nodes. Seconds since the epoch; 0: none is planned. */
struct astra_pause {
	double from_sec, until_sec;
};

/* Return the next pause. nodes: the pool's. Locks: as above, and conf read. */
struct astra_pause astra_reserved_pause(bitstr_t *nodes,
					const struct astra_options *options,
					time_t now);

/* Return from when on one of these nodes is reserved for others: now if one is
 * already, 0 if no reservation is known. Locks: as above. */
time_t astra_reserved_before(const job_record_t *job, bitstr_t *nodes,
			     time_t now);

/* Return when the first maintenance begins on any of these nodes, not counting
 * those that the job is in; 0: none is planned. Locks: as above. */
time_t astra_reserved_maint_from(const job_record_t *job, bitstr_t *nodes,
				 time_t now);

/* Note that the end of a running job is a maintenance's begin: maint_end_sec of
 * its note. When memory is out, that stays unknown. Locks: as above. */
void astra_reserved_note(const job_record_t *job);

/* Whether the job still ends then. Another end was set by its user or an admin.
 * Locks: as above. */
bool astra_reserved_cut(const job_record_t *job);

/* Return when a running job is to end, if that is later than its record says:
 * the maintenance that had shortened it, by astra_reserved_note() or seen here,
 * was put off or cancelled. 0: the record is right, to within the minute in
 * which Slurm counts limits. */
time_t astra_reserved_end(const job_record_t *job,
			  const struct astra_terms *terms, time_t now);

/* Leave in nodes only those of its reservations, if the job has to stay
 * inside. */
void astra_reserved_keep(const job_record_t *job, bitstr_t *nodes);

/* Return a magnetic reservation that has begun and that a job without a
 * reservation may use, if as many of these nodes as it needs have its GPU type
 * and features. Of several, the first with free GPUs for the job, else the
 * first; NULL: none. request: the job's GPUs and nodes, as far as known. order:
 * of this snapshot. Locks: as above, and conf and part read. */
const slurmctld_resv_t *
astra_reserved_magnet(job_record_t *job, struct astra_node_order *order,
		      bitstr_t *among, const struct astra_request *request,
		      time_t now);

/* Put a job that names no reservation into the first magnetic one that has all
 * these nodes. Slurm takes it out with job_resv_clear_magnetic_flag(), also at
 * a requeue. Locks: caller holds job write, node and part read. */
void astra_reserved_attract(job_record_t *job, bitstr_t *nodes);

/* Choose the first of the job's reservations that has all these nodes. */
void astra_reserved_choose(job_record_t *job, bitstr_t *nodes);

#endif
