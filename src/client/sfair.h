/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libsfair: what a program in a leased job asks and tells; see libsfair(3).
 *
 * All calls return quickly, whatever slurmctld does: a thread of the library
 * does the talking. Outside a lease they do nothing and return what is said
 * here. They may be called from any thread, not from a signal handler (but
 * sfair_lease_ending() may), and again after a fork.
 */
#ifndef SFAIR_H
#define SFAIR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SFAIR_API 1 /* raised when calls are added */

/* Seconds until the job's lease ends. 0: it has ended, and if it is not renewed
 * the checkpoint signal comes; or another run has taken this one's place.
 * Infinite: outside a lease, where the lease has no end, and while its
 * end is not known. A renewed lease is noticed within ten seconds.
 * Waits for slurmctld at most a second, where nothing better is known. */
double sfair_lease_remaining(void);

/* Seconds until the job's GPUs are taken, once the checkpoint signal has come;
 * infinite before. sfair_on_lease_end() must have been called. */
double sfair_grace_remaining(void);

/* Catch the job's checkpoint signal ($ASTRAEA_CHECKPOINT_SIGNAL). A handler
 * that was there before is called, too.
 * callback: called once, in a thread of its own, not in the handler: it may do
 *   whatever a thread may. It does not end the job. NULL: only
 *   sfair_lease_ending() tells.
 * Returns 0, also outside a lease or where the job gets no signal; or -1 with
 * errno set. */
int sfair_on_lease_end(void (*callback)(void *arg), void *arg);

/* Whether the signal has come. May be called in every iteration. */
int sfair_lease_ending(void);

/* Tell how far the job is. Only the newest is sent, every ten seconds or so,
 * and only of one process a job (that of RANK, else SLURM_PROCID, 0).
 * done: iterations, those of earlier runs included; at most total.
 * total: of all its work; 0: not known. iter_sec: of one; 0: not known.
 * loss: NAN: not known; an infinite one is taken for that.
 * Returns 0, or -1 with errno EINVAL when a number is none of these. */
int sfair_progress(uint64_t done, uint64_t total, double iter_sec, double loss);

/* Tell that the checkpoint of this iteration is complete and on the disk.
 * Returns 0 when slurmctld knows it, and outside a lease; or -1 with errno
 *   ESTALE	this run of the job is over and another took its place: it
 *		must not touch the checkpoints any more
 *   ETIMEDOUT	there was no answer within a second; it is tried again
 *   EACCES	slurmctld refuses it, see sfair_error()
 *   EIO	slurmctld cannot be reached, or has not heard of the job yet; it
 *		is tried again
 *   EINVAL	step is above 2^53 */
int sfair_checkpointed(uint64_t step);

/* Why the last message was not taken, cut at size; "" when it was.
 * Returns the length of the whole text. */
size_t sfair_error(char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
