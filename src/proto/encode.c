/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/encode.h"

#include <stdio.h>
#include <string.h>

#define SOCKET(kind, member) ASTRA_MEMBER(astra_socket_stats, kind, member)
#define JOB(key, kind, member, ...) \
	ASTRA_MEMBER_AS(key, astra_report_job, kind, member, __VA_ARGS__)

const struct astra_member astra_socket_members[] = {
	SOCKET(U32, clients),	      SOCKET(U64, answered),
	SOCKET(U64, malformed),	      SOCKET(U64, refused),
	SOCKET(U64, unauthenticated), SOCKET(U64, limited),
	SOCKET(U64, too_large),	      SOCKET(U64, timed_out),
	SOCKET(U64, turned_away),     ASTRA_MEMBERS_END,
};

/* A job of an app, for its agent. */
static const struct astra_member app_job_members[] = {
	JOB("job", U32, of.id),
	JOB("id_text", TEXT, id_text),
	JOB("copies", U32, of.copies),
	JOB("run", U32, run),
	JOB("state", TEXT, state),
	JOB("phase", WORD, phase, .words = astra_report_phases),
	JOB("gpus", U32, of.gpus),
	JOB("submit_sec", TIME, of.submit_sec),
	JOB("start_sec", TIME, of.start_sec),
	JOB("lease_end_sec", TIME, of.lease_end_sec),
	ASTRA_MEMBER_OF(astra_progress_members, ALL, astra_report_job,
			PART_OR_NULL, progress),
	ASTRA_MEMBER_OF(astra_checkpoint_members, ALL, astra_report_job,
			PART_OR_NULL, checkpoint),
	ASTRA_MEMBERS_END,
};

void astra_encode_job(struct astra_text *out,
		      const struct astra_report_job *job, uint64_t picked,
		      bool usage)
{
	astra_encode_picked(out, job, astra_report_job_members, picked,
			    usage ? 0 : ASTRA_SEEN_USAGE);
}

void astra_encode_app_left(struct astra_text *out,
			   const struct astra_report_app *app, double bid_sec)
{
	struct astra_report_app now = *app;

	now.of.bid_sec = bid_sec;
	astra_encode_members(out, &now, astra_app_members, '{', 0);
	astra_text_printf(out, ",\"left_sec\":[");
	for (uint32_t k = 0; k < app->of.left_count; k++) {
		if (k)
			astra_text_add(out, ",", 1);
		astra_encode_real(out, app->of.left_sec[k]);
	}
	astra_text_add(out, "]}", 2);
}

void astra_encode_app_job(struct astra_text *out,
			  const struct astra_report_job *job)
{
	astra_encode_members(out, job, app_job_members, '{', 0);
	astra_text_add(out, "}", 1);
}

const struct astra_member *astra_members_of(enum astra_query_kind kind)
{
	if (kind == ASTRA_QUERY_TENANT)
		return astra_report_tenant_members;
	if (kind == ASTRA_QUERY_AUCTION)
		return astra_app_members;
	if (kind == ASTRA_QUERY_PRICE)
		return astra_price_members;
	if (kind == ASTRA_QUERY_CLASS)
		return astra_class_members;
	return astra_report_job_members;
}

static enum astra_fault refuse_field(const struct astra_member *m,
				     const char *name, struct astra_error *err)
{
	char list[sizeof(err->text)] = "";
	size_t size = 0;

	for (; m->seen && size < sizeof(list); m++)
		size += (size_t)snprintf(list + size, sizeof(list) - size,
					 "%s%s", size ? "," : "", m->key);
	astra_error_set(err, "\"fields\": \"%.32s\" is none of %s", name, list);
	return ASTRA_FAULT_MALFORMED;
}

enum astra_fault astra_pick(const struct astra_query *query, uint64_t *out,
			    struct astra_error *err)
{
	const struct astra_member *members = astra_members_of(query->kind);
	uint64_t picked = 0;

	for (size_t i = 0; i < query->fields.count; i++) {
		const char *name = query->fields.names[i];
		uint64_t bit = astra_pick_one(members, name, strlen(name));

		if (!bit)
			return refuse_field(members, name, err);
		picked |= bit;
	}
	*out = picked ? picked : ASTRA_PICK_ALL;
	return ASTRA_FAULT_NONE;
}
