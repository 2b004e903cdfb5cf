/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libsfair: what a program in a leased job asks and tells; see libsfair(3).
 *
 * All calls except sfair_offer() and sfair_bid() return quickly, whatever
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

#define SFAIR_API 4 /* increased when calls are added */

/* Returns the seconds until the job's lease ends. 0: the lease has ended, and
 * the checkpoint signal comes unless it is renewed; or another run has taken
 * this one's place. Infinite: outside a lease, if the lease has no end, and
 * while its end is not known. A renewed lease is noticed within ten seconds.
 * Waits for slurmctld, at most a second, if no end is known. */
double sfair_lease_remaining(void);

/* Returns the seconds until the job's GPUs are taken, once the checkpoint
 * signal has come; infinite before. Call sfair_on_lease_end() first. */
double sfair_grace_remaining(void);

/* Catch the job's checkpoint signal ($ASTRAEA_CHECKPOINT_SIGNAL). A handler
 * that was there before is called, too.
 * callback: called once, in a thread of its own, not in the handler: it may do
 *   whatever a thread may. If the signal has come already, the thread calls it
 *   at once. It need not end the job. It replaces the callback of an earlier
 *   call; NULL keeps that one, and sfair_lease_ending() tells of the signal.
 * Returns 0, also outside a lease or if the job gets no signal; or -1 with
 * errno set. */
int sfair_on_lease_end(void (*callback)(void *arg), void *arg);

/* Whether the checkpoint signal has come: 1, or 0 if not. May be called in
 * every iteration. */
int sfair_lease_ending(void);

/* Returns the GPUs that an elastic job (sbatch --gpu-range) has in this run, or
 * 0 if the job is not elastic or this is outside Slurm. The size changes only
 * from one run to the next. before: gets the GPUs of the previous run, 0 in the
 * first; may be NULL. */
uint32_t sfair_gpus(uint32_t *before);

/* Set a callback for changes of an elastic job's size, in GPUs.
 * callback(from, to, arg): `from` is never 0, and the two are never the same.
 *   It is called by sfair_on_resize() itself if the previous run had another
 *   size: `from` is the size of that run, `to` that of this one. This call has
 *   the same arguments in all processes of the run. The first run has none.
 *   It is called once more when the checkpoint signal has come, with `to` 0, in
 *   a thread of its own, before the callback of sfair_on_lease_end(): this run
 *   on `from` GPUs ends unless its lease was renewed meanwhile. The size of the
 *   next run is not known before its start.
 *   It replaces the callback of an earlier call; if it is NULL nothing is done.
 * Catches the checkpoint signal, as sfair_on_lease_end() does, and does not end
 * the job. If the job is not elastic, and outside Slurm, nothing is called.
 * Returns 0, or -1 with errno set; the first callback was made even then. */
int sfair_on_resize(void (*callback)(uint32_t from, uint32_t to, void *arg),
		    void *arg);

/* Report the job's progress. Only the newest report is sent, every ten seconds
 * or so, and only by one process of the job (with RANK 0, else SLURM_PROCID 0).
 * done: iterations, those of earlier runs included; at most total.
 * total: iterations of all its work; 0: not known.
 * iter_sec: seconds of an iteration; 0: not known.
 * loss: NAN or infinite: not known.
 * Returns 0, or -1 with errno EINVAL if a number is invalid. */
int sfair_progress(uint64_t done, uint64_t total, double iter_sec, double loss);

/* Report that the checkpoint of this iteration is complete and on the disk.
 * Returns 0 if slurmctld has noted it, and outside a lease; or -1 with errno
 *   ESTALE	this run of the job is over and another took its place: it
 *		must not touch the checkpoints any more
 *   ETIMEDOUT	there was no answer within a second; it is tried again
 *   EACCES	slurmctld refuses it, see sfair_error()
 *   EIO	slurmctld cannot be reached, or has not heard of the job yet; it
 *		is tried again
 *   EINVAL	step is above 2^53 */
int sfair_checkpointed(uint64_t step);

/* The Last store: snapshots of the program's state, taken in memory in each
 * iteration and written to a folder when the checkpoint signal comes. Outside a
 * lease sfair_store_save() and sfair_store_close() write. The next run finds
 * the newest complete snapshot; what an older run writes later does not count.
 * Only one process of a run writes, the one that sfair_progress() sends for. In
 * other processes the calls that write do nothing and return 0.
 *
 * Several threads may use a store. A child of a fork has to open it again;
 * until then calls fail with EPERM. */
struct sfair_store;

/* Open a store.
 * folder: must exist, on a file system with hard links. The store's files are
 *   NAME.*. Only regular files count that belong to the effective user and are
 *   not writable by everybody.
 * name: up to 100 letters, digits and . _ + -, beginning with a letter or a
 *   digit.
 * keep: number of snapshots to keep, at least 1; older ones are removed.
 * Catches the checkpoint signal, as sfair_on_lease_end() does.
 * Returns NULL with errno set on failure, among others to
 *   EINVAL	name or keep is invalid
 *   ESTALE	another run has taken this one's place
 *   EBADMSG	the files are damaged, see sfair_error()
 *   EPERM, EOPNOTSUPP	there are no hard links, or no right to make
 *			them, or what is created belongs to another user
 *   EACCES, EROFS, ENOSPC, EDQUOT	the folder cannot be written to */
struct sfair_store *sfair_store_open(const char *folder, const char *name,
				     unsigned keep);

/* Read the newest complete snapshot.
 * *data: owned by the caller, free(); also when the size is 0.
 * Returns 0, or -1 with errno set: ENOENT if there is none (sfair_error()
 * names damaged ones), ENOMEM, ESTALE, or an errno of the file system. */
int sfair_store_load(struct sfair_store *store, void **data, size_t *size,
		     uint64_t *step);

/* Hand over a snapshot, which replaces the previous one. It is only copied;
 * after the checkpoint signal a thread also writes it.
 * step: at least that of the previous or the loaded snapshot.
 * Returns 0, or -1 with errno EINVAL (step), ENOMEM or ESTALE; the previous
 * snapshot then stays. */
int sfair_store_put(struct sfair_store *store, uint64_t step, const void *data,
		    size_t size);

/* Wait until the newest snapshot is on the disk, and report it as
 * sfair_checkpointed() does. Returns 0, or -1 with an errno of the file system
 * (ENOSPC, EDQUOT, EFBIG, EIO, ...; older snapshots stay, and it may be tried
 * again), or with ESTALE: another run has taken this one's place, and nothing
 * is written any more. */
int sfair_store_save(struct sfair_store *store);

/* Save the newest snapshot if that was not done, and free the store. Returns as
 * sfair_store_save(). Accepts NULL. */
int sfair_store_close(struct sfair_store *store);

/* Ask how an app fared and what to bid with, or bid. For the agents of apps, if
 * the policy holds auctions (Policy=themis). Texts are JSON, see
 * doc/protocol.md. Both wait for the answer, at most some five seconds. Outside
 * a job they need SFAIR_SOCKET.
 * app: the name of --app, of the caller's own; NULL: the app of this job.
 * json, offer_json: set to the reply, for free(); untouched on failure.
 * bid_json: an object with "rho" or "jobs" or both.
 * Returns 0, or -1 with errno
 *   ENOENT	app is NULL, and this is not in a leased job
 *   EACCES	slurmctld refuses it: sfair_error() says why
 *   EIO	slurmctld cannot be reached, holds no auctions, or knows no such
 *		app (yet)
 *   EINVAL	bid_json is not a JSON object
 *   ENOMEM */
int sfair_offer(const char *app, char **json);
int sfair_bid(const char *app, const char *bid_json, char **offer_json);

/* Get the reason why the last call of a store failed. If it did not fail, get
 * the reason why the last message was refused; "" if nothing failed. The text
 * is cut at size.
 * Returns the length of the whole text. */
size_t sfair_error(char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
