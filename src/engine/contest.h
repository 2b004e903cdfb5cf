/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round's contest by itself, from accounts that are given: whom a policy that
 * ranks grants GPUs, and where, if the leases of all who run end now.
 *
 * It is the contest of every round (round.c), where that keeps to the letter of
 * the papers' rounds. A host's differs in three things: who is granted no other
 * lease still holds its GPUs, so as few as possible are taken back; who has a
 * lease yields to a needier job that finds no place; and jobs without a place
 * drop out together with all of their shape.
 */
#ifndef ASTRA_CONTEST_H
#define ASTRA_CONTEST_H

#include "src/common/error.h"
#include "src/model/fairness.h"
#include "src/model/model.h"
#include "src/policies/policy.h"

struct astra_options;

/* What a tenant or a job brings along. */
struct astra_standing {
	struct astra_usage usage;
	bool ran; /* of a job: it has been started at least once */
};

struct astra_standings {
	double capacity; /* M, which quotas are shares of */
	/* By their numbers in the snapshot. */
	const struct astra_standing *tenants, *jobs;
};

/* options: the policy's name, and a MinRunTime of 0.
 * snapshot: jobs that compete wait, or run on all GPUs that they ask for and
 *   may be requeued; all others are BLOCKED. Its nodes say what is free beside
 *   what jobs hold.
 * out: cleared; the grants in the policy's order, `demand` is a job's number;
 *   whoever runs keeps what it holds. Free its arrays, on failure, too.
 * free_after: by node, the GPUs that are free then.
 * Returns 0, or -1 with err set. */
int astra_contest_decide(const struct astra_options *options,
			 const struct astra_snapshot *snapshot,
			 const struct astra_standings *standings,
			 struct astra_allocation *out, uint32_t *free_after,
			 struct astra_error *err);

#endif
