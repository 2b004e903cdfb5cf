/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record comes from a file that anybody may have written. Every value is
 * checked, so that the engine sees nothing that slurmctld would not show it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/member_read.h"
#include "src/engine/engine_image.h"
#include "src/model/members.h"
#include "src/policies/options.h"
#include "src/record/round.h"

/* Takes zeroed room in the arena for an array's elements and one more. */
static void *room_for(struct astra_round *r, const json_t *array, size_t size)
{
	return astra_arena_take(&r->arena, (json_array_size(array) + 1) * size);
}

static int get_nodes(const json_t *array, struct astra_round *r,
		     struct astra_error *err)
{
	struct astra_node *nodes = room_for(r, array, sizeof(*nodes));

	if (!nodes)
		return astra_error_nomem(err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		struct astra_node *n = &nodes[i];

		if (astra_members_read(json_array_get(array, i), n,
				       astra_node_members, "the record's nodes",
				       i, err) < 0)
			return -1;
		if (n->gpus_free > n->gpus || n->cpus_free > n->cpus ||
		    n->gpus > 1 << 16 || !(n->charge >= 0))
			return astra_read_wrong("the record's nodes", i,
						"gpus_free", err);
	}
	r->snapshot.nodes = nodes;
	r->snapshot.node_count = json_array_size(array);
	return 0;
}

static int read_snapshot_get_tenants(const json_t *array, struct astra_round *r,
				     struct astra_error *err)
{
	struct astra_tenant *tenants = room_for(r, array, sizeof(*tenants));

	if (!tenants)
		return astra_error_nomem(err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (astra_members_read(json_array_get(array, i), &tenants[i],
				       astra_tenant_members,
				       "the record's tenants", i, err) < 0)
			return -1;
		if (!tenants[i].name || !(tenants[i].weight >= 0))
			return astra_read_wrong("the record's tenants", i,
						"name", err);
	}
	r->snapshot.tenants = tenants;
	r->snapshot.tenant_count = json_array_size(array);
	return 0;
}

static int read_snapshot_get_users(const json_t *array, struct astra_round *r,
				   struct astra_error *err)
{
	struct astra_user *users = room_for(r, array, sizeof(*users));

	if (!users)
		return astra_error_nomem(err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (astra_members_read(json_array_get(array, i), &users[i],
				       astra_user_members, "the record's users",
				       i, err) < 0)
			return -1;
		if (!users[i].name || !(users[i].weight >= 0) ||
		    users[i].tenant >= r->snapshot.tenant_count)
			return astra_read_wrong("the record's users", i,
						"name, tenant or weight", err);
	}
	r->snapshot.users = users;
	r->snapshot.user_count = json_array_size(array);
	return 0;
}

static int get_node_set(const json_t *job, const char *name,
			struct astra_round *r, size_t index,
			const uint64_t **out, struct astra_error *err)
{
	const json_t *array = json_object_get(job, name);
	size_t nodes = r->snapshot.node_count;
	uint64_t *set;

	if (!array)
		return 0;
	set = astra_arena_take(&r->arena, (nodes / 64 + 1) * sizeof(*set));
	if (!set)
		return astra_error_nomem(err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *pair = json_array_get(array, i);
		int64_t first, last;

		if (!astra_read_whole(json_array_get(pair, 0), 0,
				      (int64_t)nodes - 1, &first) ||
		    !astra_read_whole(json_array_get(pair, 1), first,
				      (int64_t)nodes - 1, &last))
			return astra_read_wrong("the record's jobs", index,
						name, err);
		for (int64_t n = first; n <= last; n++)
			set[n / 64] |= UINT64_C(1) << n % 64;
	}
	*out = set;
	return 0;
}

static int get_held(const json_t *array, struct astra_round *r,
		    struct astra_job *job, size_t index,
		    struct astra_error *err)
{
	struct astra_share *held = room_for(r, array, sizeof(*held));

	if (!held)
		return astra_error_nomem(err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (astra_members_read(json_array_get(array, i), &held[i],
				       astra_share_members, "the record's held",
				       i, err) < 0)
			return -1;
		if (held[i].node >= r->snapshot.node_count ||
		    held[i].gpus > r->snapshot.nodes[held[i].node].gpus)
			return astra_read_wrong("the record's jobs", index,
						"held", err);
		held[i].owner = job->request.owner;
		held[i].alone = job->request.alone;
	}
	job->held = held;
	job->held_count = json_array_size(array);
	return 0;
}

static int get_uses(const json_t *array, struct astra_round *r,
		    struct astra_job *job, size_t index,
		    struct astra_error *err)
{
	struct astra_use *uses = room_for(r, array, sizeof(*uses));

	if (!uses)
		return astra_error_nomem(err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (astra_members_read(json_array_get(array, i), &uses[i],
				       astra_use_members, "the record's uses",
				       i, err) < 0)
			return -1;
		if (uses[i].limit >= r->snapshot.limit_count ||
		    uses[i].amount > ASTRA_LIMIT_MOST)
			return astra_read_wrong("the record's jobs", index,
						"uses", err);
	}
	job->uses = uses;
	job->use_count = (uint32_t)json_array_size(array);
	return 0;
}

static int get_limits(const json_t *array, struct astra_round *r,
		      struct astra_error *err)
{
	struct astra_limit *limits = room_for(r, array, sizeof(*limits));

	if (!limits)
		return astra_error_nomem(err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (astra_members_read(json_array_get(array, i), &limits[i],
				       astra_limit_members,
				       "the record's limits", i, err) < 0)
			return -1;
		if (!limits[i].name || limits[i].most > ASTRA_LIMIT_MOST ||
		    limits[i].used > ASTRA_LIMIT_MOST)
			return astra_read_wrong("the record's limits", i,
						"name, most or used", err);
	}
	r->snapshot.limits = limits;
	r->snapshot.limit_count = json_array_size(array);
	return 0;
}

/* Reads the bitmaps of preemption classes, hexadecimal numbers. */
static int get_preempts(const json_t *array, struct astra_round *r,
			struct astra_error *err)
{
	uint64_t *preempts = astra_arena_take(
		&r->arena, ASTRA_PREEMPT_CLASSES * sizeof(*preempts));

	if (!array)
		return 0;
	if (!preempts)
		return astra_error_nomem(err);
	for (size_t i = 0; i < ASTRA_PREEMPT_CLASSES; i++) {
		const char *text = json_string_value(json_array_get(array, i));
		char *end;

		if (!text || strlen(text) != 16)
			return astra_read_wrong("the record's preempts", i,
						"classes", err);
		preempts[i] = strtoull(text, &end, 16);
		if (*end)
			return astra_read_wrong("the record's preempts", i,
						"classes", err);
	}
	r->snapshot.preempts = preempts;
	return 0;
}

static bool read_snapshot_is_sound(const struct astra_job *j,
				   const struct astra_round *r)
{
	return j->id && j->copies && j->tenant < r->snapshot.tenant_count &&
	       j->request.gpus && j->request.gpus <= 1 << 24 &&
	       j->request.gpus_min <= j->request.gpus && j->weight >= 0 &&
	       j->request.charge >= 0 && j->held_charge >= 0 &&
	       j->run_charge >= 0 && j->preempt_class < ASTRA_PREEMPT_CLASSES &&
	       (unsigned)j->state <= ASTRA_JOB_ENDED &&
	       (unsigned)j->forecast.utility.kind <= ASTRA_UTILITY_SIGMOID;
}

static int read_snapshot_get_jobs(const json_t *array, struct astra_round *r,
				  struct astra_error *err)
{
	struct astra_job *jobs = room_for(r, array, sizeof(*jobs));

	if (!jobs)
		return astra_error_nomem(err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *object = json_array_get(array, i);
		struct astra_job *j = &jobs[i];

		if (astra_members_read(object, j, astra_job_members,
				       "the record's jobs", i, err) < 0)
			return -1;
		if (!read_snapshot_is_sound(j, r))
			return astra_read_wrong("the record's jobs", i,
						"id, tenant, gpus or state",
						err);
		if (get_node_set(object, "allowed", r, i, &j->request.allowed,
				 err) < 0 ||
		    get_node_set(object, "possible", r, i, &j->request.possible,
				 err) < 0 ||
		    get_node_set(object, "required", r, i, &j->request.required,
				 err) < 0 ||
		    get_node_set(object, "preferred", r, i,
				 &j->request.preferred, err) < 0 ||
		    get_held(json_object_get(object, "held"), r, j, i, err) <
			    0 ||
		    get_uses(json_object_get(object, "uses"), r, j, i, err) < 0)
			return -1;
	}
	r->snapshot.jobs = jobs;
	r->snapshot.job_count = json_array_size(array);
	return 0;
}

static int get_table(const json_t *array, struct astra_round *r,
		     struct astra_bid *bid, size_t index,
		     struct astra_error *err)
{
	double *table = room_for(r, array, sizeof(*table));

	if (!table)
		return astra_error_nomem(err);
	if (bid->gpus_max > ASTRA_BID_GPUS_MAX ||
	    json_array_size(array) != (size_t)ASTRA_LEVEL_COUNT * bid->gpus_max)
		return astra_read_wrong("the record's bids", index, "table",
					err);
	for (size_t i = 0; i < json_array_size(array); i++)
		if (!astra_read_real(json_array_get(array, i), &table[i]) ||
		    !(table[i] >= 0))
			return astra_read_wrong("the record's bids", index,
						"table", err);
	bid->table = table;
	return 0;
}

static int get_bids(const json_t *array, struct astra_round *r,
		    struct astra_error *err)
{
	struct astra_bid *bids = room_for(r, array, sizeof(*bids));

	if (!bids)
		return astra_error_nomem(err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *object = json_array_get(array, i);

		if (astra_members_read(object, &bids[i], astra_bid_members,
				       "the record's bids", i, err) < 0 ||
		    get_table(json_object_get(object, "table"), r, &bids[i], i,
			      err) < 0)
			return -1;
		if ((unsigned)bids[i].kind > ASTRA_BID_SECONDS ||
		    (i && bids[i].app <= bids[i - 1].app))
			return astra_read_wrong("the record's bids", i,
						"app or kind", err);
	}
	r->snapshot.bids = bids;
	r->snapshot.bid_count = json_array_size(array);
	return 0;
}

static int round_get_snapshot(const json_t *object, struct astra_round *r,
			      struct astra_error *err)
{
	const json_t *kill_wait = json_object_get(object, "kill_wait_sec");
	double now = NAN;

	if (!astra_read_real(json_object_get(object, "now_sec"), &now) ||
	    !isfinite(now))
		return astra_read_wrong("the record's snapshot", 0, "now_sec",
					err);
	if (kill_wait &&
	    (!astra_read_real(kill_wait, &r->snapshot.kill_wait_sec) ||
	     !(r->snapshot.kill_wait_sec >= 0)))
		return astra_read_wrong("the record's snapshot", 0,
					"kill_wait_sec", err);
	r->snapshot.now_sec = now;
	if (json_object_get(object, "period_end_sec") &&
	    (!astra_read_real(json_object_get(object, "period_begin_sec"),
			      &r->snapshot.period_begin_sec) ||
	     !astra_read_real(json_object_get(object, "period_end_sec"),
			      &r->snapshot.period_end_sec)))
		return astra_read_wrong("the record's snapshot", 0,
					"period_begin_sec or period_end_sec",
					err);
	if (get_nodes(json_object_get(object, "nodes"), r, err) < 0 ||
	    read_snapshot_get_tenants(json_object_get(object, "tenants"), r,
				      err) < 0 ||
	    read_snapshot_get_users(json_object_get(object, "users"), r, err) <
		    0 ||
	    get_preempts(json_object_get(object, "preempts"), r, err) < 0 ||
	    get_limits(json_object_get(object, "limits"), r, err) < 0 ||
	    read_snapshot_get_jobs(json_object_get(object, "jobs"), r, err) < 0)
		return -1;
	return get_bids(json_object_get(object, "bids"), r, err);
}

/* Options. */

static int get_weights(const json_t *array, struct astra_weights *out,
		       struct astra_error *err)
{
	if (json_array_size(array) > ASTRA_WEIGHTS_MAX)
		return astra_read_wrong("the record's options", 0, "weights",
					err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *row = json_array_get(array, i);
		const char *name = json_string_value(json_array_get(row, 0));
		struct astra_weight *w = &out->row[out->count++];

		if (!name || strlen(name) >= sizeof(w->name) ||
		    !astra_read_real(json_array_get(row, 1), &w->weight) ||
		    !(w->weight >= 0))
			return astra_read_wrong("the record's options", 0,
						"weights", err);
		strcpy(w->name, name);
	}
	return 0;
}

static int get_options(const json_t *object, struct astra_options *out,
		       struct astra_error *err)
{
	const char *policy =
		json_string_value(json_object_get(object, "policy"));

	astra_options_init(out);
	out->gpu_weights.count = out->qos_weights.count = 0;
	if (!policy || strlen(policy) >= sizeof(out->policy))
		return astra_read_wrong("the record's options", 0, "policy",
					err);
	strcpy(out->policy, policy);
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++)
		if (astra_members_read(object, out, row->sets,
				       "the record's options", 0, err) < 0)
			return -1;
	if (get_weights(json_object_get(object, "gpu_weights"),
			&out->gpu_weights, err) < 0 ||
	    get_weights(json_object_get(object, "qos_weights"),
			&out->qos_weights, err) < 0 ||
	    get_weights(json_object_get(object, "cap_tenants"),
			&out->cap_tenants, err) < 0)
		return -1;
	if (out->checkpoint_exit_count > ASTRA_EXIT_CODES_MAX)
		return astra_read_wrong("the record's options", 0,
					"checkpoint_exit_count", err);
	return astra_options_check(out, err);
}

/* The engine. */

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int get_engine(const json_t *json, struct astra_round *r,
		      struct astra_error *err)
{
	const char *text = json_string_value(json);
	size_t size = json_string_length(json) / 2;
	uint8_t *image = malloc(size + 1);
	bool bad = !text || json_string_length(json) % 2;

	if (!image)
		return astra_error_nomem(err);
	for (size_t i = 0; i < size && !bad; i++) {
		int high = hex(text[2 * i]), low = hex(text[2 * i + 1]);

		bad = high < 0 || low < 0;
		if (!bad)
			image[i] = (uint8_t)(high << 4 | low);
	}
	if (bad)
		astra_error_set(err, "the record's engine is no image");
	else
		r->engine =
			astra_engine_of_image(&r->options, image, size, err);
	free(image);
	return r->engine ? 0 : -1;
}

/* The whole record. */

bool astra_round_is(const json_t *json)
{
	return json_object_get(json, "astraea_round") != NULL;
}

int astra_round_read(const json_t *record, struct astra_round *out,
		     struct astra_error *err)
{
	*out = (struct astra_round){
		.head.release =
			json_string_value(json_object_get(record, "release")),
		.head.cluster =
			json_string_value(json_object_get(record, "cluster")),
		.head.pool = json_string_value(json_object_get(record, "pool")),
	};
	if (json_integer_value(json_object_get(record, "astraea_round")) !=
	    ASTRA_ROUND_VERSION)
		return astra_error_set(err,
				       "the record is of another version; this "
				       "release reads version %d",
				       ASTRA_ROUND_VERSION);
	if (get_options(json_object_get(record, "options"), &out->options,
			err) < 0 ||
	    get_engine(json_object_get(record, "engine"), out, err) < 0 ||
	    round_get_snapshot(json_object_get(record, "snapshot"), out, err) <
		    0) {
		astra_round_clear(out);
		return -1;
	}
	return 0;
}

void astra_round_clear(struct astra_round *round)
{
	astra_engine_destroy(round->engine);
	astra_arena_free(&round->arena);
	*round = (struct astra_round){0};
}

json_t *astra_round_repeat(struct astra_round *round, struct astra_error *err)
{
	struct astra_plan plan;
	struct astra_text text = {0};
	json_t *json = NULL;

	astra_plan_init(&plan);
	(void)astra_engine_round(round->engine, &round->snapshot, &plan, err);
	astra_plan_write(&text, &plan);
	astra_plan_destroy(&plan);
	if (!text.failed)
		json = json_loads(text.bytes, 0, NULL);
	if (!json)
		astra_error_nomem(err);
	astra_text_clear(&text);
	return json;
}
