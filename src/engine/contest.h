/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round's contest by itself, from given accounts. It says to which jobs a
 * policy that ranks grants GPUs, and where, if the leases of all running jobs
 * end now. This is the contest of every round (round.c), but it follows the
 * papers' rounds to the letter. In a host's round three things differ. A job
 * that was not granted another lease still holds its GPUs, so as few GPUs as
 * possible are taken back. A job with a lease yields to a needier job that
 * finds no place. And a job without a place drops out together with all jobs of
 * its shape. */
#ifndef ASTRA_CONTEST_H
#define ASTRA_CONTEST_H

#include "src/common/error.h"
#include "src/model/fairness.h"
#include "src/model/model.h"
#include "src/policies/policy.h"

struct astra_options;

/* What a tenant or a job has had and was due. */
struct astra_standing {
	struct astra_usage usage;
	bool ran; /* of a job: it has been started at least once */
};

struct astra_standings {
	double capacity; /* M, of which quotas are shares */
	/* By index in the snapshot. */
	const struct astra_standing *tenants, *jobs;
};

/* Decide a contest.
 * options: the policy's name, and a MinRunTime of 0.
 * snapshot: jobs that compete either wait, or run on all GPUs that they ask for
 * and may be requeued; all others are BLOCKED. The nodes' free resources do not
 * include what jobs hold.
 * out: cleared first; the grants in the policy's order. `demand` is a job's
 * index. Running jobs keep what they hold. The caller frees the arrays of out,
 * after a failure too.
 * free_after: by node, the GPUs that are free after the contest.
 * Returns 0, or -1 with err set. */
int astra_contest_decide(const struct astra_options *options,
			 const struct astra_snapshot *snapshot,
			 const struct astra_standings *standings,
			 struct astra_allocation *out, uint32_t *free_after,
			 struct astra_error *err);

#endif
