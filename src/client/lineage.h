/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The snapshots in a store's folder, and which of them count.
 *
 * A run that opens the store puts up a fence with the next number, after it has
 * linked the snapshots of the fence before under its own number. From then on
 * only files with its number count. What an older run writes or removes later,
 * perhaps on a node that was given up, has the old number in its name. A linked
 * file counts only up to the fence's base, which decides if several processes
 * of a run open at once. Outside Slurm nobody knows which processes belong to a
 * run, so processes that do not write put up no fence there and follow the
 * newest.
 *
 * The file system needs hard links. No locks: one call at a time.
 */
#ifndef SFAIR_LINEAGE_H
#define SFAIR_LINEAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/client/folder.h"
#include "src/common/error.h"

/* A fence: the owner of a store, and the step up to which snapshots from before
 * count. Each run of a job puts up a fence of its own, with the next number;
 * files written later under a lower number do not count. As text:
 *
 *	sfair fence 1
 *	base 20			or "base none"
 *	owner 10 0		job and run that had the store before
 *	owner 10 1		the last line: job and run that put it up
 *	crc 1a2b3c4d		of the lines above
 *
 * Pure. No locks.
 */

#define SFAIR_OWNERS 64 /* owners remembered; the oldest is dropped */
#define SFAIR_FENCE_SIZE 4096

struct sfair_owner {
	uint32_t job, run; /* job 0: a run outside Slurm */
};

struct sfair_fence {
	bool has_base;
	uint64_t base; /* newest step that was linked from earlier fences */
	unsigned count;
	struct sfair_owner owners[SFAIR_OWNERS];
};

enum sfair_claim {
	SFAIR_CLAIM_JOIN,  /* the owner has the store already */
	SFAIR_CLAIM_NEW,   /* the owner may put up the next fence */
	SFAIR_CLAIM_STALE, /* another run has taken the store from the owner */
};

/* Returns what an owner may do to a store under this fence. */
enum sfair_claim sfair_fence_claim(const struct sfair_fence *fence,
				   struct sfair_owner owner);

/* Make `owner` the store's owner. Of each job only the newest run is
 * remembered. Earlier runs outside Slurm are not remembered. */
void sfair_fence_pass(struct sfair_fence *fence, struct sfair_owner owner);

/* Write the fence's text. Returns its length. */
size_t sfair_fence_write(const struct sfair_fence *fence,
			 char text[SFAIR_FENCE_SIZE]);

/* Read a fence's text. Returns 0, or -1 if it is damaged. */
int sfair_fence_read(const char *text, size_t size, struct sfair_fence *fence);

struct sfair_lineage {
	int folder;
	char *path; /* of the folder, for messages; owned */
	char name[SFAIR_NAME_SIZE];
	struct sfair_owner owner;
	bool writes;
	uint32_t number; /* of its fence; 0: a reader, no fence yet */
	struct sfair_fence fence;
	bool any; /* the store had a snapshot when it was opened; the step of
		   * the newest one */
	uint64_t newest;
};

/* The next three return 0, or an errno with err set. */

/* Put up the fence of this run, or join it. writes: this process will save, so
 * what older runs left behind is removed. EINVAL: the name is invalid. ESTALE:
 * another run has taken this one's place. EBADMSG: the newest fence is damaged.
 * Close the lineage only if it was opened. */
int sfair_lineage_open(struct sfair_lineage *l, const char *folder,
		       const char *name, struct sfair_owner owner, bool writes,
		       struct astra_error *err);
void sfair_lineage_close(struct sfair_lineage *l);

/* Load the newest complete snapshot. *data: owned by the caller, free(). err:
 * must not be NULL. ENOENT: there is no complete snapshot, and err names the
 * damaged ones. ESTALE: another run has taken this one's place. */
int sfair_lineage_load(struct sfair_lineage *l, void **data, size_t *size,
		       uint64_t *step, struct astra_error *err);

/* Write a snapshot, and remove all but the newest `keep` up to this step.
 * ESTALE: another run has taken this one's place. */
int sfair_lineage_save(struct sfair_lineage *l, uint64_t step, const void *data,
		       size_t size, unsigned keep, struct astra_error *err);

/* Calls between lineage.c and claim.c. */

/* Put up the fence or join it, after sfair_lineage_open() has set the other
 * members. */
int sfair_lineage_claim(struct sfair_lineage *l);

/* Returns ESTALE if another run has put up a fence in this run's place, else 0
 * or another errno. */
int sfair_lineage_look(const struct sfair_lineage *l);

/* Check whether a snapshot counts under `fence`, as far as its head tells. It
 * counts if it was written under the fence in its name, or under an earlier one
 * and at most up to the base. Returns 0, ESTALE if it does not count, EBADMSG
 * if it is damaged, or another errno. */
int sfair_lineage_check(const struct sfair_lineage *l,
			const struct sfair_file *file,
			const struct sfair_fence *fence);

/* Remove what earlier runs left behind. The last fence before this one stays. A
 * process that lists the folder at this moment then sees at least one of the
 * two fences. */
void sfair_lineage_clean(const struct sfair_lineage *l,
			 const struct sfair_files *files);

int sfair_lineage_stale(struct astra_error *err, const char *name);
/* Set err to the failure and, if known, its remedy. file: a name in the folder,
 * or NULL. Returns rc. */
int sfair_lineage_explain(struct astra_error *err, const char *folder,
			  const char *file, int rc);

#endif
