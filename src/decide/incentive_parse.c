/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/decide_incentive.h"
#include "src/decide/ids.h"

/* Bounds that keep every sum finite and precise enough. */
#define THETA_MAX 1e6
#define RATE_MAX 1e12
#define WORK_MAX 1e15
#define KAPPA_MAX 16
#define LAMBDA_MAX 100
#define INTERVALS_MAX 20
#define SERVER_MAX 65536
/* Most cells (slots of the last window times servers or users). They take some
 * 150 MB. */
#define CELLS_MAX (1u << 20)

static const char *const prices[] = {"cluster", "share", NULL};

#define RULE(kind, key, member, ...) \
	ASTRA_MEMBER_AS(key, incentive_instance, kind, member, __VA_ARGS__)

static const struct astra_member rules[] = {
	RULE(U32, "lambda", batches.lambda, .most = LAMBDA_MAX),
	RULE(U32, "L", batches.intervals, .most = INTERVALS_MAX),
	RULE(REAL, "theta_w", setup.theta_w, .least = 1, .most = THETA_MAX),
	RULE(REAL, "theta_p", setup.theta_p, .least = 1, .most = THETA_MAX),
	RULE(REAL, "b_w", setup.b_w, .most = RATE_MAX),
	RULE(REAL, "b_p", setup.b_p, .most = RATE_MAX),
	RULE(WORD, "own_price", setup.own_share, .words = prices,
	     .optional = true),
	ASTRA_MEMBERS_END,
};

#define ROOM(key, member, max) \
	ASTRA_MEMBER_AS(key, astra_market_room, U32, member, .most = max)

static const struct astra_member server_members[] = {
	ROOM("w", workers, SERVER_MAX),
	ROOM("p", ps, SERVER_MAX),
	ASTRA_MEMBERS_END,
};

static const struct astra_member quota_members[] = {
	ROOM("q_w", workers, ASTRA_IN_GPUS_MAX),
	ROOM("q_p", ps, ASTRA_IN_GPUS_MAX),
	ASTRA_MEMBERS_END,
};

#define WORTH(key, member, min, max)                                    \
	ASTRA_MEMBER_AS(key, astra_utility, REAL, member, .least = min, \
			.most = max)

static const struct astra_member linear_members[] = {
	WORTH("k", linear.k, -RATE_MAX, RATE_MAX),
	WORTH("g", linear.g, -RATE_MAX, RATE_MAX),
	ASTRA_MEMBERS_END,
};

static const struct astra_member convex_members[] = {
	WORTH("e", convex.e, 0, RATE_MAX),
	WORTH("kappa", convex.kappa, 0, KAPPA_MAX),
	ASTRA_MEMBERS_END,
};

#define JOB(kind, key, member, max) \
	ASTRA_MEMBER_AS(key, astra_market_job, kind, member, .most = max)

static const struct astra_member job_members[] = {
	JOB(REAL, "arrival", arrival, ASTRA_IN_TIME_MAX),
	JOB(REAL, "work", work, WORK_MAX),
	JOB(U32, "D", d_max, ASTRA_IN_GPUS_MAX),
	JOB(REAL, "n_dist", n_dist, RATE_MAX),
	JOB(REAL, "n_cent", n_cent, RATE_MAX),
	ASTRA_MEMBERS_END,
};

static int read_server(const struct astra_in *in, void *server)
{
	return astra_in_members(in, server_members, server);
}

/* Users become keys of the result, where 1 and "1" are the same key. */
static int read_user(const struct astra_in *in, void *quota)
{
	if (astra_in_new_name(in) < 0)
		return -1;
	return astra_in_members(in, quota_members, quota);
}

static int incentive_parse_utility(const struct astra_in *job,
				   struct astra_utility *out)
{
	static const char *const types[] = {"linear", "convex", NULL};
	struct astra_in in;
	size_t type;

	if (astra_in_object(job, "utility", &in) < 0 ||
	    astra_in_word(&in, "type", ASTRA_REQUIRED, types, &type) < 0)
		return -1;
	out->kind = type ? ASTRA_UTILITY_CONVEX : ASTRA_UTILITY_LINEAR;
	return astra_in_members(&in, type ? convex_members : linear_members,
				out);
}

static int incentive_parse_job(const struct astra_in *in, void *element)
{
	struct astra_market_job *job = element;

	job->d_min = 1;
	if (astra_in_new_id(in) < 0 ||
	    astra_in_known_id(in, "user", "users", &job->user) < 0 ||
	    astra_in_members(in, job_members, job) < 0)
		return -1;
	return incentive_parse_utility(in, &job->utility);
}

static int incentive_parse_check_size(const struct astra_in *in,
				      const struct incentive_instance *out)
{
	size_t widest = out->setup.server_count > out->setup.user_count
				? out->setup.server_count
				: out->setup.user_count;

	if (widest << out->batches.intervals > CELLS_MAX)
		return astra_in_fail(in, "L",
				     "2^%u slots by %zu servers or users are "
				     "more than %u",
				     out->batches.intervals, widest, CELLS_MAX);
	return 0;
}

int incentive_parse(struct astra_in *in, struct incentive_instance *out)
{
	struct astra_market_setup *setup = &out->setup;

	*out = (struct incentive_instance){.json = in->object};
	if (astra_in_members(in, rules, out) < 0)
		return -1;
	if (!out->batches.lambda)
		return astra_in_fail(in, "lambda", "must be 1 at least");
	if (astra_in_list(in, "servers", ASTRA_REQUIRED,
			  sizeof(*setup->servers), read_server, &setup->servers,
			  &setup->server_count) < 0 ||
	    astra_in_list(in, "users", ASTRA_REQUIRED, sizeof(*setup->quotas),
			  read_user, &setup->quotas, &setup->user_count) < 0 ||
	    astra_in_list(in, "jobs", ASTRA_REQUIRED, sizeof(*out->jobs),
			  incentive_parse_job, &out->jobs, &out->job_count) < 0)
		return -1;
	return incentive_parse_check_size(in, out);
}
