/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/desk/server_private.h"

/* The user's bucket, or the one that was used longest ago, anew. */
static struct server_bucket *server_limit_bucket_of(struct server_limit *limit,
						    uid_t uid, int64_t now_msec)
{
	struct server_bucket *oldest = &limit->buckets[0];

	for (size_t i = 0; i < SERVER_BUCKETS; i++) {
		struct server_bucket *bucket = &limit->buckets[i];

		if (bucket->at_msec && bucket->uid == uid)
			return bucket;
		if (bucket->at_msec < oldest->at_msec)
			oldest = bucket;
	}
	*oldest = (struct server_bucket){
		.uid = uid,
		.at_msec = now_msec,
		.tokens = SERVER_RATE,
	};
	return oldest;
}

void server_limit_charge(struct server_limit *limit, uid_t uid,
			 int64_t work_msec, int64_t now_msec)
{
	if (work_msec > SERVER_FREE_MSEC)
		server_limit_bucket_of(limit, uid, now_msec)->tokens -=
			(double)work_msec / 1000 * SERVER_RATE *
			SERVER_WORK_PART;
}

bool server_limit_allow(struct server_limit *limit, uid_t uid, int64_t now_msec)
{
	struct server_bucket *bucket =
		server_limit_bucket_of(limit, uid, now_msec);
	double passed = (double)(now_msec - bucket->at_msec) / 1000;

	bucket->tokens += passed * SERVER_RATE;
	if (bucket->tokens > SERVER_RATE)
		bucket->tokens = SERVER_RATE;
	bucket->at_msec = now_msec;
	if (bucket->tokens < 1)
		return false;
	bucket->tokens -= 1;
	return true;
}
