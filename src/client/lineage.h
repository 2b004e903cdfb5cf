/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The snapshots in a store's folder, and which of them count.
 *
 * A run puts up a fence when it opens the store, with the next number, after it
 * has linked the snapshots of the fence before under its own number. From then
 * on only files of its number count: what an older run, perhaps on a node that
 * was given up, writes or removes later has the old number in its name. A file
 * that was linked counts only up to the fence's base, which decides where
 * several processes of a run open at once. Outside Slurm nobody knows which
 * processes are of one run, so those that do not write put up none there; they
 * follow the newest.
 *
 * The file system has to have hard links. No locks: one call at a time.
 */
#ifndef SFAIR_LINEAGE_H
#define SFAIR_LINEAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/client/folder.h"
#include "src/common/error.h"

/* A fence: who owns a store, and up to which step what it took over counts.
 * Each run of a job puts up its own, with the next number; what was written
 * under a lower one counts no more. As text:
 *
 *	sfair fence 1
 *	base 20			or "base none"
 *	owner 10 0		job and run; the last one is who put it up,
 *	owner 10 1		the others had the store before
 *	crc 1a2b3c4d		of the lines before
 *
 * Pure. No locks.
 */

#define SFAIR_OWNERS 64 /* remembered; the oldest make room */
#define SFAIR_FENCE_SIZE 4096

struct sfair_owner {
	uint32_t job, run; /* job 0: none of Slurm's */
};

struct sfair_fence {
	bool has_base;
	uint64_t base; /* newest step that was taken over */
	unsigned count;
	struct sfair_owner owners[SFAIR_OWNERS];
};

enum sfair_claim {
	SFAIR_CLAIM_JOIN,  /* it owns the store already */
	SFAIR_CLAIM_NEW,   /* it may put up the next fence */
	SFAIR_CLAIM_STALE, /* it had the store, and another took it over */
};

/* What an owner may do to a store under this fence. */
enum sfair_claim sfair_fence_claim(const struct sfair_fence *fence,
				   struct sfair_owner owner);

/* Make it the owner; of one job only the newest run is remembered,
 * and none outside Slurm. */
void sfair_fence_pass(struct sfair_fence *fence, struct sfair_owner owner);

/* Returns the length. */
size_t sfair_fence_write(const struct sfair_fence *fence,
			 char text[SFAIR_FENCE_SIZE]);

/* Returns 0, or -1 where it is damaged. */
int sfair_fence_read(const char *text, size_t size, struct sfair_fence *fence);

struct sfair_lineage {
	int folder;
	char *path; /* of the folder, for messages; owned */
	char name[SFAIR_NAME_SIZE];
	struct sfair_owner owner;
	bool writes;
	uint32_t number; /* of its fence; 0: of a reader, there is none */
	struct sfair_fence fence;
	bool any; /* there was a snapshot as it was opened, and its step */
	uint64_t newest;
};

/* All return 0, or an errno with err set. */

/* Put up the fence of this run, or join it. EINVAL: the name; ESTALE: another
 * run has taken its place; EBADMSG: the newest fence is damaged.
 * writes: it will save; then what older runs left over is removed.
 * To be closed only if it was opened. */
int sfair_lineage_open(struct sfair_lineage *l, const char *folder,
		       const char *name, struct sfair_owner owner, bool writes,
		       struct astra_error *err);
void sfair_lineage_close(struct sfair_lineage *l);

/* The newest that is complete. *data: owned by the caller, free(). ENOENT:
 * there is none; err, not NULL, then names those that are damaged. ESTALE:
 * another run has taken this one's place. */
int sfair_lineage_load(struct sfair_lineage *l, void **data, size_t *size,
		       uint64_t *step, struct astra_error *err);

/* Write a snapshot, and remove all but the newest `keep` up to this step.
 * ESTALE: another run has taken this one's place. */
int sfair_lineage_save(struct sfair_lineage *l, uint64_t step, const void *data,
		       size_t size, unsigned keep, struct astra_error *err);

/* Of the two parts of it, lineage.c and claim.c. */

/* Put up the fence, or join it, after sfair_lineage_open() has set the rest. */
int sfair_lineage_claim(struct sfair_lineage *l);

/* ESTALE: another run has put up its fence. */
int sfair_lineage_look(const struct sfair_lineage *l);

/* Whether a snapshot counts under its fence, as far as its head tells: it was
 * written under this one, or one before, up to the base. EBADMSG: it is
 * damaged; ESTALE: it does not. */
int sfair_lineage_check(const struct sfair_lineage *l,
			const struct sfair_file *file,
			const struct sfair_fence *fence);

/* Remove what runs before left behind. The last fence before stays, so that who
 * lists the folder just now sees one of the two. */
void sfair_lineage_clean(const struct sfair_lineage *l,
			 const struct sfair_files *files);

int sfair_lineage_stale(struct astra_error *err, const char *name);
/* With what is to be done, where it is known. file: in the folder, or NULL. */
int sfair_lineage_explain(struct astra_error *err, const char *folder,
			  const char *file, int rc);

#endif
