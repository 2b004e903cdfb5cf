/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values behind the text of `sfair why`. */
#include <string.h>

#include "src/proto/encode.h"
#include "src/proto/select.h"
#include "src/proto/why_priv.h"

#define TENANT(key, kind, member) \
	ASTRA_MEMBER_AS(key, astra_report_tenant, kind, member)
#define JOB(key, kind, member, ...) \
	ASTRA_MEMBER_AS(key, astra_report_job, kind, member, __VA_ARGS__)

static const struct astra_member tenant_members[] = {
	TENANT("rho", REAL, of.rho),
	TENANT("weight", REAL, of.weight),
	TENANT("quota_gpus", REAL, of.quota),
	TENANT("demand_gpus", REAL, of.demand_gpus),
	TENANT("alloc_gpus", REAL, of.alloc_gpus),
	TENANT("alloc_gpu_sec", REAL, of.usage.alloc),
	TENANT("fair_gpu_sec", REAL, of.usage.fair),
	TENANT("jobs_waiting", U32, jobs_waiting),
	TENANT("jobs_running", U32, jobs_running),
	ASTRA_MEMBERS_END,
};

static const struct astra_member other_members[] = {
	JOB("id", U32, of.id),	 JOB("id_text", TEXT, id_text),
	JOB("user", TEXT, user), JOB("tenant", TEXT, tenant),
	ASTRA_MEMBERS_END,
};

/* Members for a job that waits for a lower price. */
static const struct astra_member price_members[] = {
	JOB("worth", REAL, of.reason.worth),
	JOB("price", REAL, of.reason.price),
	JOB("retry_sec", TIME, of.reason.retry_sec),
	JOB("priced_sec", TIME, of.reason.priced_sec),
	ASTRA_MEMBER_ROW("credits", astra_report_job, REAL, of.reason.credits,
			 USAGE, 0, NULL),
	ASTRA_MEMBERS_END,
};

/* Members for a job that waits for its class's share. */
static const struct astra_member class_members[] = {
	JOB("class_gpus", U32, of.reason.class_gpus),
	JOB("class_granted", U32, of.reason.class_granted),
	JOB("class_saved", REAL, of.reason.class_saved),
	JOB("retry_sec", TIME, of.reason.retry_sec),
	ASTRA_MEMBERS_END,
};

/* Members for a job that a cap of GPU hours keeps waiting. */
static const struct astra_member cap_members[] = {
	JOB("cap_hours", REAL, of.reason.cap_hours),
	JOB("cap_asked", REAL, of.reason.cap_asked),
	JOB("cap_user", FLAG, of.reason.cap_user),
	JOB("retry_sec", TIME, of.reason.retry_sec),
	ASTRA_MEMBER_ROW("cap_used", astra_report_job, REAL, of.reason.cap_used,
			 USAGE, 0, NULL),
	ASTRA_MEMBERS_END,
};

/* Members for a gang that ran and may be owed a turn. */
static const struct astra_member owed_members[] = {
	JOB("owed", FLAG, of.reason.owed),
	JOB("fresh_first", FLAG, of.reason.fresh_first),
	JOB("turn_gpu_sec", REAL, of.reason.turn_gpu_sec),
	ASTRA_MEMBER_ROW("lack_gpu_sec", astra_report_job, REAL,
			 of.reason.lack_gpu_sec, USAGE, 0, NULL),
	ASTRA_MEMBER_ROW("user_lack_gpu_sec", astra_report_job, REAL,
			 of.reason.user_lack_gpu_sec, USAGE, 0, NULL),
	ASTRA_MEMBERS_END,
};

static const struct astra_member rank_members[] = {
	JOB("rank", ID_OR_NULL, of.reason.rank),
	JOB("gpus", U32, of.gpus),
	JOB("lease_end_sec", TIME, of.lease_end_sec),
	ASTRA_MEMBERS_END,
};

static void put_bind(const struct astra_why *why,
		     const struct astra_report_bind *bind,
		     struct astra_text *out)
{
	struct astra_text text = {0};
	unsigned how = 0;

	if (!astra_why_used(why, bind))
		how |= ASTRA_SEEN_USAGE;
	if (!astra_why_other(why, bind))
		how |= ASTRA_SEEN_OTHERS;
	astra_encode_members(out, bind, astra_bind_members, '{', how);
	astra_why_bind(why, bind, &text);
	astra_text_printf(out, ",\"text\":");
	astra_encode_text(out, text.bytes ? text.bytes + 1 : "");
	astra_text_add(out, "}", 1);
	out->failed |= text.failed;
	astra_text_clear(&text);
}

/* Writes the price. A tenant's credits are hidden in the same way as its
 * usage. */
static void put_price(const struct astra_why *why, struct astra_text *out)
{
	unsigned usage = why->usage ? 0 : ASTRA_SEEN_USAGE;

	astra_encode_members(
		out, why->job, price_members, ',',
		astra_why_is_priced(why->job) ? usage : ASTRA_ENCODE_HIDDEN);
}

/* Writes the policy's reason for the wait, if Slurm has none. */
static void put_turn(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;
	struct astra_text text = {0};

	astra_why_turn(why, &text);
	astra_text_printf(out, "{\"kind\":");
	astra_encode_text(out, job->wait);
	astra_text_printf(out, ",\"text\":");
	astra_encode_text(out, text.bytes ? text.bytes + 1 : job->reason);
	astra_encode_members(out, job, rank_members, ',', 0);
	if (!strcmp(job->wait, "price") || !strcmp(job->wait, "denied") ||
	    !strcmp(job->wait, "planned"))
		put_price(why, out);
	if (!strcmp(job->wait, "cap"))
		astra_encode_members(out, job, cap_members, ',',
				     why->usage ? 0 : ASTRA_SEEN_USAGE);
	if (job->of.reason.turn_gpu_sec > 0)
		astra_encode_members(out, job, owed_members, ',',
				     why->usage ? 0 : ASTRA_SEEN_USAGE);
	if (!strcmp(job->wait, "learned"))
		astra_encode_members(out, job, class_members, ',',
				     !job->of.reason.class_gpus || !why->usage
					     ? ASTRA_ENCODE_HIDDEN
					     : 0);
	astra_text_add(out, "}", 1);
	out->failed |= text.failed;
	astra_text_clear(&text);
}

static void put_binds(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;

	astra_text_printf(out, ",\"binds\":[");
	for (uint32_t i = 0; i < job->bind_count; i++) {
		astra_text_add(out, ",", i > 0);
		put_bind(why, &job->binds[i], out);
	}
	if (!job->bind_count && *job->wait && strcmp(job->wait, "blocked") &&
	    job->phase == ASTRA_REPORT_WAITING)
		put_turn(why, out);
	astra_text_add(out, "]", 1);
}

static void put_other(const struct astra_why *why,
		      const struct astra_report_job *job,
		      struct astra_text *out)
{
	unsigned how = 0;

	if (!job) {
		astra_text_printf(out, "null");
		return;
	}
	if (!astra_job_visible(why->report, job, why->viewer))
		how = ASTRA_ENCODE_HIDDEN;
	astra_encode_members(out, job, other_members, '{', how);
	astra_encode_members(out, job, rank_members, ',', how);
	astra_text_add(out, "}", 1);
}

static void put_others(const struct astra_why *why, struct astra_text *out)
{
	bool first = true;

	astra_text_printf(out, ",\"before\":[");
	for (size_t i = 0; i < why->before_count; i++) {
		if (!why->before[i])
			continue;
		astra_text_add(out, ",", !first);
		first = false;
		put_other(why, why->before[i], out);
	}
	astra_text_printf(out, "],\"first\":");
	put_other(why, why->first, out);
	astra_text_printf(out, ",\"next_lease\":");
	put_other(why, why->next_lease, out);
	astra_text_printf(out, ",\"blocker\":");
	put_other(why, why->blocker, out);
}

static void why_json_put_shares(const struct astra_why *why,
				struct astra_text *out)
{
	const struct astra_report_job *job = why->job;

	astra_text_printf(out, ",\"tenant\":{\"name\":");
	astra_encode_text(out, job->tenant);
	if (why->tenant)
		astra_encode_members(out, why->tenant, tenant_members, ',',
				     why->usage ? 0 : ASTRA_ENCODE_HIDDEN);
	astra_text_printf(out, "},\"job\":{\"rho\":");
	if (why->usage)
		astra_encode_real(out, job->of.rho);
	else
		astra_text_printf(out, "null");
	astra_text_printf(out, ",\"user_rho\":");
	if (why->usage)
		astra_encode_real(out, job->of.user_rho);
	else
		astra_text_printf(out, "null");
	if (job->of.reason.rank)
		astra_text_printf(out, ",\"rank\":%u", job->of.reason.rank);
	else
		astra_text_printf(out, ",\"rank\":null");
	astra_text_printf(out, ",\"ranks\":%u}", job->of.reason.ranks);
}

static void why_json_put_array(const struct astra_report_array *array,
			       struct astra_text *out)
{
	astra_text_printf(out, ",\"array\":");
	if (array->most)
		astra_encode_object(out, array, astra_array_members);
	else
		astra_text_printf(out, "null");
}

static void put_changes(const struct astra_why *why, struct astra_text *out)
{
	struct astra_why_changes changes;

	astra_why_change(why, &changes);
	astra_text_printf(out, ",\"changes\":[");
	for (size_t i = 0; i < changes.count; i++) {
		astra_text_add(out, ",", i > 0);
		astra_encode_text(out, changes.text[i]);
	}
	astra_text_add(out, "]", 1);
}

static void why_json_put_time(const char *key, double sec,
			      struct astra_text *out)
{
	astra_text_printf(out, ",\"%s\":", key);
	if (sec > 0)
		astra_encode_real(out, sec);
	else
		astra_text_printf(out, "null");
}

static void put_why(const struct astra_why *why, struct astra_text *out)
{
	const struct astra_report_job *job = why->job;

	astra_text_printf(out, ",\"why\":{\"state\":");
	astra_encode_text(out, job->state);
	astra_text_printf(out, ",\"phase\":");
	astra_encode_text(out, astra_report_phases[job->phase]);
	astra_text_printf(out, ",\"reason\":");
	astra_encode_text(out,
			  job->bind_count ? job->binds[0].name : job->wait);
	put_binds(why, out);
	why_json_put_shares(why, out);
	why_json_put_array(&job->array, out);
	put_others(why, out);
	why_json_put_time("expected_start_sec", job->of.reason.start_sec, out);
	why_json_put_time("bound_sec", job->of.reason.bound_sec, out);
	why_json_put_time("lease_end_sec", job->of.lease_end_sec, out);
	put_changes(why, out);
	astra_text_add(out, "}", 1);
}

/* Writes "parts", each part as a user sees it, and "text", all parts in a row.
 * Returns 0, or -1 if out of memory. */
static int put_texts(const struct astra_why *why, struct astra_text *out)
{
	struct astra_why_texts texts = {0};
	struct {
		const char *key;
		struct astra_text *text;
	} parts[] = {
		{"answer", &texts.answer},
		{"reason", &texts.reason},
		{"change", &texts.change},
		{"detail", &texts.detail},
	};
	struct astra_text all = {0};
	int rc;

	astra_why_texts(why, &texts);
	astra_text_printf(out, ",\"parts\":{");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *text = parts[i].text->bytes;

		all.failed |= parts[i].text->failed;
		text = text ? text + (*text == ' ') : "";
		if (*text)
			astra_text_printf(&all, "%s%s", i ? " " : "", text);
		astra_text_printf(out, "%s\"%s\":", i ? "," : "", parts[i].key);
		astra_encode_text(out, text);
	}
	astra_text_printf(out, "},\"text\":");
	astra_encode_text(out, all.bytes ? all.bytes : "");
	rc = all.failed ? -1 : 0;
	astra_text_clear(&all);
	astra_why_texts_clear(&texts);
	return rc;
}

int astra_answer_why(const struct astra_report *report,
		     const struct astra_report_job *job,
		     const struct astra_viewer *viewer, struct astra_text *out)
{
	struct astra_why why;
	int rc;

	astra_why_find(report, job, viewer, &why);
	rc = put_texts(&why, out);
	put_why(&why, out);
	return rc;
}

#define MINE_WAITING 100
#define MINE_RUNNING 20

static bool mine_shows(const struct astra_report *report,
		       const struct astra_report_job *job,
		       const struct astra_viewer *viewer, bool waiting)
{
	return job->uid == viewer->uid &&
	       waiting == (job->phase == ASTRA_REPORT_WAITING) &&
	       astra_job_visible(report, job, viewer);
}

static const struct astra_member mine_members[] = {
	JOB("id", U32, of.id),
	JOB("id_text", TEXT, id_text),
	JOB("name", TEXT, name),
	JOB("pool", TEXT, pool),
	JOB("tenant", TEXT, tenant),
	JOB("gpus", U32, of.gpus),
	JOB("phase", WORD, phase, .words = astra_report_phases),
	ASTRA_MEMBERS_END,
};

/* Writes a job's row, with its answer. */
static void put_mine(const struct astra_report *report,
		     const struct astra_report_job *job,
		     const struct astra_viewer *viewer, struct astra_text *out)
{
	struct astra_text text = {0};
	struct astra_why why;

	astra_why_find(report, job, viewer, &why);
	astra_why_answer(&why, &text);
	astra_encode_members(out, job, mine_members, '{', 0);
	astra_text_printf(out, ",\"answer\":");
	astra_encode_text(out, text.bytes ? text.bytes : "");
	astra_text_add(out, "}", 1);
	out->failed |= text.failed;
	astra_text_clear(&text);
}

static void put_my_jobs(const struct astra_report *report,
			const struct astra_viewer *viewer, bool waiting,
			size_t most, struct astra_text *out)
{
	size_t count = 0;

	astra_text_printf(out, ",\"%s\":[", waiting ? "waiting" : "running");
	for (size_t i = 0; i < report->job_count && !out->failed; i++) {
		const struct astra_report_job *job = &report->jobs[i];

		if (!mine_shows(report, job, viewer, waiting) ||
		    count++ >= most)
			continue;
		astra_text_add(out, ",", count > 1);
		put_mine(report, job, viewer, out);
	}
	astra_text_printf(out, "],\"%s_count\":%zu",
			  waiting ? "waiting" : "running", count);
}

#define MINE_TENANTS 8

/* Writes the tenants of the viewer's jobs, each once. */
static void put_my_tenants(const struct astra_report *report,
			   const struct astra_viewer *viewer,
			   struct astra_text *out)
{
	const struct astra_report_tenant *shown[MINE_TENANTS], *last = NULL;
	size_t count = 0, at;

	astra_text_printf(out, ",\"tenants\":[");
	for (size_t i = 0; i < report->job_count && count < MINE_TENANTS; i++) {
		const struct astra_report_job *job = &report->jobs[i];
		const struct astra_report_tenant *tenant;

		if (job->uid != viewer->uid ||
		    (last && !strcmp(last->of.name, job->tenant) &&
		     !strcmp(last->pool, job->pool)))
			continue;
		last = tenant = astra_why_tenant(report, job);
		for (at = 0; at < count && shown[at] != tenant; at++)
			;
		if (!tenant || at < count)
			continue;
		shown[count++] = tenant;
		astra_text_printf(out, "%s{\"name\":", at ? "," : "");
		astra_encode_text(out, tenant->of.name);
		astra_text_printf(out, ",\"pool\":");
		astra_encode_text(out, tenant->pool);
		astra_encode_members(
			out, tenant, tenant_members, ',',
			astra_job_usage_visible(report, job, viewer)
				? 0
				: ASTRA_ENCODE_HIDDEN);
		astra_text_add(out, "}", 1);
	}
	astra_text_printf(out, "]");
}

void astra_answer_mine(const struct astra_report *report,
		       const struct astra_viewer *viewer,
		       struct astra_text *out)
{
	put_my_jobs(report, viewer, true, MINE_WAITING, out);
	put_my_jobs(report, viewer, false, MINE_RUNNING, out);
	put_my_tenants(report, viewer, out);
}
