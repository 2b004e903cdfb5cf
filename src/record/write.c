/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/common/encode.h"
#include "src/record/members.h"
#include "src/record/round.h"

static void put_word(struct astra_text *out, const char *word)
{
	astra_text_add(out, word, strlen(word));
}

/* All its bits: 17 digits tell any two doubles apart. */
static void put_real(struct astra_text *out, double value)
{
	char text[40], *comma;

	if (!isfinite(value)) {
		astra_encode_real(out, value);
		return;
	}
	snprintf(text, sizeof(text), "%.17g", value);
	comma = strchr(text, ','); /* a locale's */
	if (comma)
		*comma = '.';
	put_word(out, text);
}

static bool is_empty(const char *at, const struct astra_member *m)
{
	if (m->kind == ASTRA_MEMBER_TEXT) {
		const char *text = *(const char *const *)(const void *)at;

		return !text || !*text;
	}
	for (size_t i = 0; i < m->size; i++)
		if (at[i])
			return false;
	return true;
}

static void put_value(struct astra_text *out, const void *at,
		      enum astra_member_kind kind)
{
	switch (kind) {
	case ASTRA_MEMBER_U32:
		astra_text_printf(out, "%" PRIu32, *(const uint32_t *)at);
		break;
	case ASTRA_MEMBER_U64:
		astra_text_printf(out, "%" PRIu64, *(const uint64_t *)at);
		break;
	case ASTRA_MEMBER_SIZE:
		astra_text_printf(out, "%zu", *(const size_t *)at);
		break;
	case ASTRA_MEMBER_INT:
		astra_text_printf(out, "%d", *(const int *)at);
		break;
	case ASTRA_MEMBER_FLAG:
		put_word(out, *(const bool *)at ? "true" : "false");
		break;
	case ASTRA_MEMBER_REAL:
		put_real(out, *(const double *)at);
		break;
	case ASTRA_MEMBER_TEXT:
		astra_encode_text(out, *(const char *const *)at);
		break;
	}
}

static void put_elements(struct astra_text *out, const char *at,
			 const struct astra_member *m)
{
	size_t size = astra_member_size(m);

	if (!m->count) {
		put_value(out, at, m->kind);
		return;
	}
	for (size_t i = 0; i < m->count; i++) {
		put_word(out, i ? "," : "[");
		put_value(out, at + i * size, m->kind);
	}
	put_word(out, "]");
}

bool astra_round_put(struct astra_text *out, const void *record,
		     const struct astra_member *members, const char *separator,
		     bool terse)
{
	bool any = false;

	for (const struct astra_member *m = members; m->key; m++) {
		const char *at = (const char *)record + m->offset;

		if (terse && is_empty(at, m))
			continue;
		put_word(out, any ? "," : separator);
		astra_text_printf(out, "\"%s\":", m->key);
		put_elements(out, at, m);
		any = true;
	}
	return any;
}

/* An object, its last brace left out for what follows. */
static void open_object(struct astra_text *out, const void *record,
			const struct astra_member *members)
{
	if (!astra_round_put(out, record, members, "{", true))
		put_word(out, "{");
}

static void put_shares(struct astra_text *out, const char *key,
		       const struct astra_share *shares, size_t count)
{
	astra_text_printf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < count; i++) {
		put_word(out, i ? "," : "");
		astra_round_put(out, &shares[i], astra_share_members, "{",
				false);
		put_word(out, "}");
	}
	put_word(out, "]");
}

static void put_weights(struct astra_text *out, const char *key,
			const struct astra_weights *weights)
{
	astra_text_printf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < weights->count; i++) {
		put_word(out, i ? ",[" : "[");
		astra_encode_text(out, weights->row[i].name);
		put_word(out, ",");
		put_real(out, weights->row[i].weight);
		put_word(out, "]");
	}
	put_word(out, "]");
}

static void put_options(struct astra_text *out, const struct astra_options *o)
{
	put_word(out, ",\"options\":{\"policy\":");
	astra_encode_text(out, o->policy);
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++)
		astra_round_put(out, o, row->sets, ",", false);
	put_weights(out, "gpu_weights", &o->gpu_weights);
	put_weights(out, "qos_weights", &o->qos_weights);
	put_word(out, "}");
}

static void put_image(struct astra_text *out, const struct astra_bytes *image)
{
	static const char digits[] = "0123456789abcdef";
	char pair[2];

	put_word(out, ",\"engine\":\"");
	for (size_t i = 0; i < image->size; i++) {
		pair[0] = digits[image->data[i] >> 4];
		pair[1] = digits[image->data[i] & 15];
		astra_text_add(out, pair, 2);
	}
	put_word(out, "\"");
}

static bool write_has_node(const uint64_t *set, size_t node)
{
	return set[node / 64] >> (node % 64) & 1;
}

/* A set of nodes as pairs of the first and the last. */
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
	put_word(out, "]");
}

static void put_job(struct astra_text *out, const struct astra_job *job,
		    size_t nodes)
{
	open_object(out, job, astra_job_members);
	put_node_set(out, "allowed", job->request.allowed, nodes);
	put_node_set(out, "possible", job->request.possible, nodes);
	put_node_set(out, "required", job->request.required, nodes);
	if (job->held_count)
		put_shares(out, "held", job->held, job->held_count);
	put_word(out, "}");
}

static void put_bid(struct astra_text *out, const struct astra_bid *bid)
{
	open_object(out, bid, astra_bid_members);
	put_word(out, ",\"table\":[");
	for (size_t i = 0; i < (size_t)ASTRA_LEVEL_COUNT * bid->gpus_max; i++) {
		put_word(out, i ? "," : "");
		put_real(out, bid->table[i]);
	}
	put_word(out, "]}");
}

static void put_snapshot(struct astra_text *out, const struct astra_snapshot *s)
{
	put_word(out, ",\n\"snapshot\":{\"now_sec\":");
	put_real(out, s->now_sec);
	put_word(out, ",\"kill_wait_sec\":");
	put_real(out, s->kill_wait_sec);
	put_word(out, ",\n\"nodes\":[");
	for (size_t i = 0; i < s->node_count; i++) {
		put_word(out, i ? ",\n" : "\n");
		open_object(out, &s->nodes[i], astra_node_members);
		put_word(out, "}");
	}
	put_word(out, "],\n\"tenants\":[");
	for (size_t i = 0; i < s->tenant_count; i++) {
		put_word(out, i ? ",\n" : "\n");
		open_object(out, &s->tenants[i], astra_tenant_members);
		put_word(out, "}");
	}
	put_word(out, "],\n\"users\":[");
	for (size_t i = 0; i < s->user_count; i++) {
		put_word(out, i ? ",\n" : "\n");
		open_object(out, &s->users[i], astra_user_members);
		put_word(out, "}");
	}
	put_word(out, "],\n\"jobs\":[");
	for (size_t i = 0; i < s->job_count; i++) {
		put_word(out, i ? ",\n" : "\n");
		put_job(out, &s->jobs[i], s->node_count);
	}
	put_word(out, "],\n\"bids\":[");
	for (size_t i = 0; i < s->bid_count; i++) {
		put_word(out, i ? ",\n" : "\n");
		put_bid(out, &s->bids[i]);
	}
	put_word(out, "]}");
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
	put_word(out, ",\"cluster\":");
	astra_encode_text(out, head->cluster);
	put_word(out, ",\"pool\":");
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

	put_word(out, "{\"decisions\":[");
	for (size_t i = 0; i < plan->decision_count; i++) {
		const struct astra_decision *d = &plan->decisions[i];

		astra_text_printf(out, "%s{\"action\":\"%s\"", i ? ",\n" : "\n",
				  actions[d->action]);
		astra_round_put(out, d, astra_decision_members, ",", false);
		put_shares(out, "shares", plan->shares + d->first_share,
			   d->share_count);
		put_word(out, "}");
	}
	put_word(out, "],\n\"reasons\":[");
	for (size_t i = 0; i < plan->reason_count; i++) {
		put_word(out, i ? ",\n" : "\n");
		astra_round_put(out, &plan->reasons[i], astra_reason_members,
				"{", false);
		put_word(out, "}");
	}
	put_word(out, "],\n\"wake_sec\":");
	put_real(out, plan->wake_sec);
	put_word(out, ",\"due_sec\":");
	put_real(out, plan->due_sec);
	astra_text_printf(out, ",\"changed\":%s}",
			  plan->changed ? "true" : "false");
}

void astra_round_end(struct astra_text *out, const struct astra_plan *plan,
		     const char *failed)
{
	if (*failed) {
		put_word(out, ",\n\"failed\":");
		astra_encode_text(out, failed);
	}
	put_word(out, ",\n\"plan\":");
	astra_plan_write(out, plan);
	put_word(out, "}");
}
