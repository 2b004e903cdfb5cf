/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#ifndef SFAIR_FENCE_H
#define SFAIR_FENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
