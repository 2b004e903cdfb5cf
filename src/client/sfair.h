/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libsfair: what a program in a leased job asks and tells; see libsfair(3).
 *
 * All calls but sfair_offer() and sfair_bid() return quickly, whatever
 * slurmctld does: a thread of the library does the talking. Outside a lease
 * they do nothing and return what is said here. They may be called from any
 * thread, not from a signal handler (but sfair_lease_ending() may), and again
 * after a fork.
 */
#ifndef SFAIR_H
#define SFAIR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SFAIR_API 4 /* raised when calls are added */

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
 *   whatever a thread may. If the signal has come already, the thread calls it
 *   at once. It does not end the job. It replaces the one of an earlier call;
 *   NULL does not: sfair_lease_ending() tells.
 * Returns 0, also outside a lease or where the job gets no signal; or -1 with
 * errno set. */
int sfair_on_lease_end(void (*callback)(void *arg), void *arg);

/* Whether the signal has come. May be called in every iteration. */
int sfair_lease_ending(void);

/* The GPUs that an elastic job (sbatch --gpu-range) has in this run; its size
 * changes from one run to the next only. before: gets those of the run before,
 * 0 in the first; may be NULL. 0: it is not elastic, or this is outside Slurm.
 */
uint32_t sfair_gpus(uint32_t *before);

/* Be told of changes of an elastic job's size, in GPUs.
 * callback(from, to, arg): `from` is never 0, and the two are never the same.
 *   In this call, before it returns, where the run before had another size: it
 *   had `from`, this one has `to`. It is exact, the same in all processes of
 *   the run, and not called in the first run.
 *   And once with `to` 0, when the checkpoint signal has come, in a thread of
 *   its own, before the callback of sfair_on_lease_end(): this run on `from`
 *   ends unless its lease was renewed meanwhile, and the next may have another
 *   size; that is not known before the next start.
 *   It replaces the one of an earlier call; NULL: nothing is done.
 * It catches the checkpoint signal, as sfair_on_lease_end() does, and does not
 * end the job. Where the job is not elastic, and outside Slurm, nobody is
 * called.
 * Returns 0, or -1 with errno set; then the first call was made all the same.
 */
int sfair_on_resize(void (*callback)(uint32_t from, uint32_t to, void *arg),
		    void *arg);

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

/* The Last store: snapshots of the program's state, taken in memory in each
 * iteration and written to a folder when the checkpoint signal comes; also
 * outside a lease, by sfair_store_save() and sfair_store_close(). The newest
 * complete one is found by the next run, and what a run before writes later is
 * none. One process of a run writes, the one that sfair_progress() sends for;
 * in others what would write does nothing and returns 0.
 *
 * A store may be used by several threads. In a child of a fork it has to be
 * opened anew: EPERM. */
struct sfair_store;

/* folder: must exist, on a file system with hard links. The files in it are
 *   NAME.*, of which only regular ones of the effective user count that not
 *   everybody may write to.
 * name: up to 100 letters, digits and . _ + -, of which the first is a letter
 *   or a digit.
 * keep: so many snapshots, at least 1; older ones are removed.
 * It catches the checkpoint signal, as sfair_on_lease_end() does.
 * Returns NULL with errno set, among others to
 *   EINVAL	the name or keep is none
 *   ESTALE	another run has taken this one's place
 *   EBADMSG	the files are damaged, see sfair_error()
 *   EPERM, EOPNOTSUPP	there are no hard links, or no right to make
 *			them, or what is created belongs to another user
 *   EACCES, EROFS, ENOSPC, EDQUOT	the folder cannot be written to */
struct sfair_store *sfair_store_open(const char *folder, const char *name,
				     unsigned keep);

/* Read the newest complete snapshot.
 * *data: owned by the caller, free(); also when the size is 0.
 * Returns 0, or -1 with errno set: ENOENT when there is none (sfair_error()
 * names those that are damaged), ENOMEM, ESTALE, or of the file system. */
int sfair_store_load(struct sfair_store *store, void **data, size_t *size,
		     uint64_t *step);

/* Hand over a snapshot: copied, which is all that it costs. Once the signal has
 * come it is written by a thread, and replaces the one before.
 * step: at least that of the snapshot before, or of the one that was loaded.
 * Returns 0, or -1 with errno EINVAL (step), ENOMEM or ESTALE; then the one
 * before is still there. */
int sfair_store_put(struct sfair_store *store, uint64_t step, const void *data,
		    size_t size);

/* Wait until the newest one that was put is on the disk; slurmctld is told as
 * by sfair_checkpointed(). Returns 0, or -1 with errno of the file system
 * (ENOSPC, EDQUOT, EFBIG, EIO, ...; older snapshots stay, and it may be tried
 * again), or ESTALE: another run has taken this one's place, nothing is written
 * any more. */
int sfair_store_save(struct sfair_store *store);

/* Save what was not, and free the store. Returns as sfair_store_save(). NULL is
 * accepted. */
int sfair_store_close(struct sfair_store *store);

/* For the agents of apps, where the policy holds auctions (Policy=themis): how
 * an app stands and fared, and what to bid with. Texts are JSON, see
 * doc/protocol.md. Both wait for the answer, for some five seconds at most, and
 * work outside a job, too, where SFAIR_SOCKET says whom to ask.
 * app: the name of --app, of the caller's own; NULL: the app of this job.
 * json, offer_json: set to the reply, for free(); untouched on failure.
 * bid_json: an object with "rho" or "jobs" or both.
 * Returns 0, or -1 with errno
 *   ENOENT	app is NULL, and this is no leased job
 *   EACCES	slurmctld refuses it: sfair_error() says why
 *   EIO	slurmctld cannot be reached, holds no auctions, or knows no such
 *		app (yet)
 *   EINVAL	bid_json is no JSON object
 *   ENOMEM */
int sfair_offer(const char *app, char **json);
int sfair_bid(const char *app, const char *bid_json, char **offer_json);

/* Why the last call of a store failed, else why the last message was not taken,
 * cut at size; "" when there is nothing to say.
 * Returns the length of the whole text. */
size_t sfair_error(char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
