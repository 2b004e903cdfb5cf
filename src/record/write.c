/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "src/common/encode.h"
#include "src/common/member_json.h"
#include "src/common/member_read.h"
#include "src/model/members.h"
#include "src/policies/options.h"
#include "src/record/round.h"

static void write_put_word(struct astra_text *out, const char *word)
{
	astra_text_add(out, word, strlen(word));
}

/* Writes an object without its last brace, so that more members can follow. */
static void open_object(struct astra_text *out, const void *record,
			const struct astra_member *members)
{
	if (!astra_encode_members(out, record, members, '{',
				  ASTRA_ENCODE_TERSE | ASTRA_ENCODE_EXACT))
		write_put_word(out, "{");
}

static void write_put_shares(struct astra_text *out, const char *key,
			     const struct astra_share *shares, size_t count)
{
	astra_text_printf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < count; i++) {
		write_put_word(out, i ? "," : "");
		astra_encode_members(out, &shares[i], astra_share_members, '{',
				     ASTRA_ENCODE_EXACT);
		write_put_word(out, "}");
	}
	write_put_word(out, "]");
}

static void put_weights(struct astra_text *out, const char *key,
			const struct astra_weights *weights)
{
	astra_text_printf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < weights->count; i++) {
		write_put_word(out, i ? ",[" : "[");
		astra_encode_text(out, weights->row[i].name);
		write_put_word(out, ",");
		astra_encode_exact(out, weights->row[i].weight);
		write_put_word(out, "]");
	}
	write_put_word(out, "]");
}

static void put_options(struct astra_text *out, const struct astra_options *o)
{
	write_put_word(out, ",\"options\":{\"policy\":");
	astra_encode_text(out, o->policy);
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++)
		astra_encode_members(out, o, row->sets, ',',
				     ASTRA_ENCODE_EXACT);
	put_weights(out, "gpu_weights", &o->gpu_weights);
	put_weights(out, "qos_weights", &o->qos_weights);
	put_weights(out, "cap_tenants", &o->cap_tenants);
	write_put_word(out, "}");
}

static void put_image(struct astra_text *out, const struct astra_bytes *image)
{
	static const char digits[] = "0123456789abcdef";
	char pair[2];

	write_put_word(out, ",\"engine\":\"");
	for (size_t i = 0; i < image->size; i++) {
		pair[0] = digits[image->data[i] >> 4];
		pair[1] = digits[image->data[i] & 15];
		astra_text_add(out, pair, 2);
	}
	write_put_word(out, "\"");
}

static bool write_has_node(const uint64_t *set, size_t node)
{
	return set[node / 64] >> (node % 64) & 1;
}

/* Writes a set of nodes as pairs, the first and the last of each range. */
static void put_node_set(struct astra_text *out, const char *name,
			 const uint64_t *set, size_t nodes)
{
	bool any = false;

	if (!set)
		return;
	astra_text_printf(out, ",\"%s\":[", name);
	for (size_t n = 0; n < nodes; n++) {
		size_t first = n;

		if (!write_has_node(set, n))
			continue;
		while (n + 1 < nodes && write_has_node(set, n + 1))
			n++;
		astra_text_printf(out, "%s[%zu,%zu]", any ? "," : "", first, n);
		any = true;
	}
	write_put_word(out, "]");
}

static void put_uses(struct astra_text *out, const struct astra_job *job)
{
	write_put_word(out, ",\"uses\":[");
	for (size_t i = 0; i < job->use_count; i++) {
		write_put_word(out, i ? "," : "");
		open_object(out, &job->uses[i], astra_use_members);
		write_put_word(out, "}");
	}
	write_put_word(out, "]");
}

static void write_put_job(struct astra_text *out, const struct astra_job *job,
			  size_t nodes)
{
	open_object(out, job, astra_job_members);
	put_node_set(out, "allowed", job->request.allowed, nodes);
	put_node_set(out, "possible", job->request.possible, nodes);
	put_node_set(out, "required", job->request.required, nodes);
	put_node_set(out, "preferred", job->request.preferred, nodes);
	if (job->held_count)
		write_put_shares(out, "held", job->held, job->held_count);
	if (job->use_count)
		put_uses(out, job);
	write_put_word(out, "}");
}

static void put_bid(struct astra_text *out, const struct astra_bid *bid)
{
	open_object(out, bid, astra_bid_members);
	write_put_word(out, ",\"table\":[");
	for (size_t i = 0; i < (size_t)ASTRA_LEVEL_COUNT * bid->gpus_max; i++) {
		write_put_word(out, i ? "," : "");
		astra_encode_exact(out, bid->table[i]);
	}
	write_put_word(out, "]}");
}

static void put_snapshot(struct astra_text *out, const struct astra_snapshot *s)
{
	write_put_word(out, ",\n\"snapshot\":{\"now_sec\":");
	astra_encode_exact(out, s->now_sec);
	write_put_word(out, ",\"kill_wait_sec\":");
	astra_encode_exact(out, s->kill_wait_sec);
	if (s->period_end_sec > 0) {
		write_put_word(out, ",\"period_begin_sec\":");
		astra_encode_exact(out, s->period_begin_sec);
		write_put_word(out, ",\"period_end_sec\":");
		astra_encode_exact(out, s->period_end_sec);
	}
	write_put_word(out, ",\n\"nodes\":[");
	for (size_t i = 0; i < s->node_count; i++) {
		write_put_word(out, i ? ",\n" : "\n");
		open_object(out, &s->nodes[i], astra_node_members);
		write_put_word(out, "}");
	}
	write_put_word(out, "],\n\"tenants\":[");
	for (size_t i = 0; i < s->tenant_count; i++) {
		write_put_word(out, i ? ",\n" : "\n");
		open_object(out, &s->tenants[i], astra_tenant_members);
		write_put_word(out, "}");
	}
	write_put_word(out, "],\n\"users\":[");
	for (size_t i = 0; i < s->user_count; i++) {
		write_put_word(out, i ? ",\n" : "\n");
		open_object(out, &s->users[i], astra_user_members);
		write_put_word(out, "}");
	}
	if (s->preempts) {
		write_put_word(out, "],\n\"preempts\":[");
		for (size_t i = 0; i < ASTRA_PREEMPT_CLASSES; i++)
			astra_text_printf(out, "%s\"%016jx\"", i ? "," : "",
					  (uintmax_t)s->preempts[i]);
	}
	write_put_word(out, "],\n\"limits\":[");
	for (size_t i = 0; i < s->limit_count; i++) {
		write_put_word(out, i ? ",\n" : "\n");
		open_object(out, &s->limits[i], astra_limit_members);
		write_put_word(out, "}");
	}
	write_put_word(out, "],\n\"jobs\":[");
	for (size_t i = 0; i < s->job_count; i++) {
		write_put_word(out, i ? ",\n" : "\n");
		write_put_job(out, &s->jobs[i], s->node_count);
	}
	write_put_word(out, "],\n\"bids\":[");
	for (size_t i = 0; i < s->bid_count; i++) {
		write_put_word(out, i ? ",\n" : "\n");
		put_bid(out, &s->bids[i]);
	}
	write_put_word(out, "]}");
}

void astra_round_begin(struct astra_text *out,
		       const struct astra_round_head *head,
		       const struct astra_options *options,
		       const struct astra_bytes *image,
		       const struct astra_snapshot *snapshot)
{
	astra_text_printf(
		out, "{\"astraea_round\":%d,\"release\":", ASTRA_ROUND_VERSION);
	astra_encode_text(out, head->release);
	write_put_word(out, ",\"cluster\":");
	astra_encode_text(out, head->cluster);
	write_put_word(out, ",\"pool\":");
	astra_encode_text(out, head->pool);
	put_options(out, options);
	put_image(out, image);
	put_snapshot(out, snapshot);
}

void astra_plan_write(struct astra_text *out, const struct astra_plan *plan)
{
	static const char *const actions[] = {
		[ASTRA_START] = "start",
		[ASTRA_SIGNAL] = "signal",
		[ASTRA_REQUEUE] = "requeue",
		[ASTRA_REFUSE] = "refuse",
	};

	write_put_word(out, "{\"decisions\":[");
	for (size_t i = 0; i < plan->decision_count; i++) {
		const struct astra_decision *d = &plan->decisions[i];

		astra_text_printf(out, "%s{\"action\":\"%s\"", i ? ",\n" : "\n",
				  actions[d->action]);
		astra_encode_members(out, d, astra_decision_members, ',',
				     ASTRA_ENCODE_EXACT);
		write_put_shares(out, "shares", plan->shares + d->first_share,
				 d->share_count);
		write_put_word(out, "}");
	}
	write_put_word(out, "],\n\"reasons\":[");
	for (size_t i = 0; i < plan->reason_count; i++) {
		write_put_word(out, i ? ",\n" : "\n");
		astra_encode_members(out, &plan->reasons[i],
				     astra_reason_members, '{',
				     ASTRA_ENCODE_EXACT);
		write_put_word(out, "}");
	}
	write_put_word(out, "],\n\"wake_sec\":");
	astra_encode_exact(out, plan->wake_sec);
	write_put_word(out, ",\"due_sec\":");
	astra_encode_exact(out, plan->due_sec);
	astra_text_printf(out, ",\"changed\":%s}",
			  plan->changed ? "true" : "false");
}

void astra_round_end(struct astra_text *out, const struct astra_plan *plan,
		     const char *failed)
{
	if (*failed) {
		write_put_word(out, ",\n\"failed\":");
		astra_encode_text(out, failed);
	}
	write_put_word(out, ",\n\"plan\":");
	astra_plan_write(out, plan);
	write_put_word(out, "}");
}
