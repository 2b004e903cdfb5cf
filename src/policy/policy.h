/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy interface: who goes next. Where a job goes is the placement's
 * business, when a lease ends is the engine's.
 *
 * To add a policy: write a file with one const struct astra_policy, add it to
 * the array in registry.c, add its golden test. doc/adding-a-policy.md walks
 * through it.
 */
#ifndef ASTRA_POLICY_H
#define ASTRA_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/policy/fairness.h"
#include "src/policy/options.h"

/* A job that wants GPUs in this round: it waits for them, or its lease is
 * over and it competes for those it holds. */
struct astra_candidate {
	uint32_t job;	 /* the engine's number of it */
	uint32_t tenant; /* index into the contest's tenants */
	uint32_t gpus;	 /* >= 1 */
	double charge;	 /* that a grant costs a second; its GPUs' weights */
	double submit_sec;
	double precedence;	 /* of two that are alike, larger goes first */
	double rho;		 /* of the job, Eq. 12 */
	uint32_t leases;	 /* leases it has had so far */
	bool fresh;		 /* never ran */
	double latest_start_sec; /* its deadline's; infinite: none */
	bool excluded; /* can't be placed in this round: rank it only */
};

struct astra_contestant {
	struct astra_usage usage; /* up to now */
	double quota;		  /* Quota_j in GPUs, Eq. 7 */
	bool entitled;		  /* has a positive weight */
};

/* One round's question. All arrays are borrowed and const. */
struct astra_contest {
	double now_sec;
	double lease_sec; /* the term a grant is charged with */
	uint64_t gpus;	  /* m: free, or held by leases that are over */
	size_t enough;	  /* once no GPU is left, the answer may end after so
			   * many choices; 0: it may not */
	const struct astra_candidate *candidates;
	size_t candidate_count;
	const struct astra_contestant *tenants;
	size_t tenant_count;
};

/* One line of the answer: a candidate as the policy came to it. */
struct astra_choice {
	uint32_t candidate;
	bool granted; /* may start, or go on; else it does not fit */
};

/* The answer: every candidate at most once, in the order the policy came to
 * them, the neediest first. The caller provides room for all of them. */
struct astra_ranking {
	struct astra_choice *choices;
	size_t count;
};

struct astra_policy {
	/* Required: the name in astra.conf and on command lines. */
	const char *name;
	/* Required: one line for lists of policies. */
	const char *summary;
	/* Required. An instance with its own state, of which there may be
	 * many. options: borrowed for the call. NULL with err set on failure.
	 */
	void *(*create)(const struct astra_options *options,
			struct astra_error *err);
	/* Required. Accepts NULL. */
	void (*destroy)(void *self);
	/* Required. Order the candidates and grant at most contest->gpus.
	 * No clock, no I/O, no globals; the same contest and state always
	 * give the same ranking. Candidates marked excluded are ranked and
	 * not granted. Returns 0, or -1 with err set; then the round starts
	 * nothing. */
	int (*decide)(void *self, const struct astra_contest *contest,
		      struct astra_ranking *out, struct astra_error *err);
};

/* The policy of that name, or NULL. */
const struct astra_policy *astra_policy_find(const char *name);

/* All policies, in the order of the registry; NULL-terminated. */
const struct astra_policy *const *astra_policy_all(void);

#endif
