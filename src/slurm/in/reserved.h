/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reservations that a job names. If it names several, Slurm keeps one of
 * them in resv_ptr, and Slurm's own loops change which one; here all of them
 * count. Locks: caller holds job and node read; job write to choose.
 *
 * A maintenance (flags=maint) keeps a node from a job with leases only if no
 * lease fits in before it. As Slurm goes by time limits, start.c shortens the
 * job's limit during one select_nodes() and then sets the job's end to the
 * begin of the maintenance. leave_sec is so much earlier that signal, grace and
 * KillWait are over by then. A job that has too few nodes until a maintenance
 * ends is blocked as by a limit. */
#ifndef ASTRA_RESERVED_H
#define ASTRA_RESERVED_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/in/node_order.h"
#include "src/slurm/in/request.h"

bool astra_reserved_own(const job_record_t *job, slurmctld_resv_t *resv);

/* Return when a reservation for others begins on a node of a running job: now
 * if one has begun, 0 if none is known. Reservations of parts of nodes do not
 * count. For a maintenance (flags=maint) the time is lead_sec before its begin,
 * when the job has to leave. maint: gets whether it is a maintenance. Locks: as
 * above. */
time_t astra_reserved_from(const job_record_t *job,
			   const struct astra_terms *terms, time_t now,
			   bool *maint);

/* Remove from nodes those that are reserved for others at some time of a run
 * that starts now. If the job has leases, a maintenance only removes nodes on
 * which no lease fits in before it. inside: a reservation that removes no
 * nodes, or NULL. full: the job is to run for its time limit, even with
 * --time-min. Locks: as above. */
void astra_reserved_drop(const job_record_t *job,
			 const struct astra_terms *terms, time_t now,
			 const slurmctld_resv_t *inside, bool full,
			 bitstr_t *nodes);

/* Return how many seconds a job with leases needs before a maintenance; 0: it
 * has no leases and needs its time limit. */
double astra_reserved_least(const struct astra_terms *terms);

/* Return how many seconds a job may run by its time limit; without a limit, a
 * year. full: ignore --time-min. Locks: caller holds job and part read. */
time_t astra_reserved_run_sec(const job_record_t *job, bool full);

/* The reservations that keep some of the nodes `among` from a job. maint: the
 * maintenance that ends last. other: of the other reservations, the one that
 * begins first. NULL: there is none. Locks: as above. */
struct astra_keepers {
	const slurmctld_resv_t *maint, *other;
};
struct astra_keepers astra_reserved_keepers(const job_record_t *job,
					    const struct astra_terms *terms,
					    bitstr_t *among, time_t now);

/* The next period in which no lease begins in a pool, since a maintenance has
 * all of its nodes. Seconds since the epoch; 0: none is planned. */
struct astra_pause {
	double from_sec, until_sec;
};

/* Return the next pause. nodes: the pool's. Locks: as above, and conf read. */
struct astra_pause astra_reserved_pause(bitstr_t *nodes,
					const struct astra_options *options,
					time_t now);

/* Return when a reservation for others begins on one of these nodes: now if one
 * has begun, 0 if none is known. Locks: as above. */
time_t astra_reserved_before(const job_record_t *job, bitstr_t *nodes,
			     time_t now);

/* Return when the first maintenance begins on any of these nodes; 0: none is
 * planned. Reservations that the job is in do not count. Locks: as above. */
time_t astra_reserved_maint_from(const job_record_t *job, bitstr_t *nodes,
				 time_t now);

/* Note, as maint_end_sec, that a running job's end is the begin of a
 * maintenance. When memory is out, nothing is noted. Locks: as above. */
void astra_reserved_note(const job_record_t *job);

/* Whether the job's end is still the one that astra_reserved_note() noted. If
 * not, its user or an admin has set another end. Locks: as above. */
bool astra_reserved_cut(const job_record_t *job);

/* Return a running job's new end if the maintenance that had cut its run was
 * put off or cancelled. 0: the end in its record is right, to the minute, as
 * Slurm counts limits in minutes. A cut that is seen here first is noted. */
time_t astra_reserved_end(const job_record_t *job,
			  const struct astra_terms *terms, time_t now);

/* Keep in nodes only those of the job's reservations, if it has to stay
 * inside. */
void astra_reserved_keep(const job_record_t *job, bitstr_t *nodes);

/* Return a magnetic reservation that has begun, for a job that names no
 * reservation; NULL: none. It must have as many nodes as the job needs, from
 * `among` and with the job's GPU type and features. The first one with free
 * GPUs for the job is returned; if none has them, the first one. request: the
 * job's GPUs and nodes, as far as known. order: of this snapshot. Locks: as
 * above, and conf and part read. */
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
