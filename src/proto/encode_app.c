/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/encode.h"
#include "src/proto/encode_field.h"

#define APP(kind, member) ASTRA_FIELD(kind, struct astra_report_app, member)
#define AUCTION(kind, member) \
	ASTRA_FIELD(kind, struct astra_report_auction, member)
#define JOB(key, kind, member) \
	ASTRA_FIELD_AS(key, kind, struct astra_report_job, member)

const struct astra_field astra_app_fields[] = {
	APP(TEXT_OR_NULL, app), APP(U32, job),	      APP(TEXT, pool),
	APP(TEXT, tenant),	APP(TEXT, account),   APP(U32, uid),
	APP(TEXT, user),	APP(U32, jobs),	      APP(REAL, elapsed_sec),
	APP(REAL, apps_mean),	APP(REAL, ideal_sec), APP(REAL, rho),
	APP(U32, gpus_held),	APP(U32, gpus_max),   APP(FACTORS, slowdown),
	APP(TEXT, bid),		APP(COUNT, auction),  APP(ID_OR_NULL, rank),
	APP(ID_OR_NULL, ranks), APP(FLAG, offered),   APP(U32, won),
	APP(U32, kept),		APP(U32, paid),	      APP(U32, given),
	APP(REAL, factor),	APP(TIME, bid_sec),   ASTRA_FIELDS_END,
};

static const struct astra_field auction_fields[] = {
	AUCTION(COUNT, number), AUCTION(TIME, time_sec), AUCTION(U64, gpus),
	AUCTION(U32, bidders),	AUCTION(FLAG, exact),	 ASTRA_FIELDS_END,
};

static const struct astra_field auction_pool[] = {
	AUCTION(TEXT, pool),
	ASTRA_FIELDS_END,
};

/* A job of an app, for its agent. */
static const struct astra_field job_fields[] = {
	JOB("job", U32, id),
	JOB("id_text", TEXT, id_text),
	JOB("copies", U32, copies),
	JOB("run", U32, run),
	JOB("state", TEXT, state),
	JOB("phase", TEXT, phase),
	JOB("gpus", U32, gpus),
	JOB("submit_sec", TIME, submit_sec),
	JOB("start_sec", TIME, start_sec),
	JOB("lease_end_sec", TIME, lease_end_sec),
	JOB("progress", PROGRESS, progress),
	JOB("checkpoint", CHECKPOINT, checkpoint),
	ASTRA_FIELDS_END,
};

static void put_left(struct astra_text *out, const struct astra_report_app *app)
{
	astra_text_printf(out, ",\"left_sec\":[");
	for (uint32_t k = 0; k < app->left_count; k++) {
		if (k)
			astra_text_add(out, ",", 1);
		astra_encode_real(out, app->left_sec[k]);
	}
	astra_text_add(out, "]", 1);
}

void astra_encode_app(struct astra_text *out,
		      const struct astra_report_app *app, uint64_t picked)
{
	astra_encode_picked(out, app, astra_app_fields, picked, 0);
}

void astra_encode_app_left(struct astra_text *out,
			   const struct astra_report_app *app, double bid_sec)
{
	struct astra_report_app now = *app;

	now.bid_sec = bid_sec;
	astra_encode_members(out, &now, astra_app_fields, '{', false);
	put_left(out, app);
	astra_text_add(out, "}", 1);
}

void astra_encode_auction(struct astra_text *out,
			  const struct astra_report_auction *auction, bool pool)
{
	if (pool)
		astra_encode_members(out, auction, auction_pool, '{', false);
	astra_encode_members(out, auction, auction_fields, pool ? ',' : '{',
			     false);
	astra_text_add(out, "}", 1);
}

void astra_encode_app_job(struct astra_text *out,
			  const struct astra_report_job *job)
{
	astra_encode_object(out, job, job_fields);
}
