/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "src/proto/answer.h"
#include "src/proto/select.h"

static enum astra_fault not_found(uint32_t id, struct astra_error *err)
{
	astra_error_set(
		err,
		"job %u: no managed job of this number that you may see: it has ended, is in no pool of astraea.conf, or asks for no GPU (see squeue)",
		id);
	return ASTRA_FAULT_NOT_FOUND;
}

/* Checks the run that a job reports on. Since the last round, the job may have
 * begun one more run. */
static enum astra_fault check_run(const struct astra_report_job *job,
				  uint32_t run, struct astra_error *err)
{
	if (run < job->run) {
		astra_error_set(
			err,
			"job %u: run %u has ended, run %u took its place: an earlier one reports nothing and writes no checkpoint",
			job->of.id, run, job->run);
		return ASTRA_FAULT_STALE;
	}
	if (run - job->run > 1) {
		astra_error_set(err,
				"\"run\": job %u is in run %u, not in run %u",
				job->of.id, job->run, run);
		return ASTRA_FAULT_MALFORMED;
	}
	return ASTRA_FAULT_NONE;
}

static enum astra_fault answer_own_check(const struct astra_report *report,
					 const struct astra_report_job *job,
					 const struct astra_query *query,
					 const struct astra_viewer *viewer,
					 struct astra_error *err)
{
	if (!job || !astra_job_visible(report, job, viewer))
		return not_found(query->jobs.refs[0].id, err);
	if (!astra_query_says(query))
		return ASTRA_FAULT_NONE;
	if (!viewer->all && job->uid != viewer->uid) {
		astra_error_set(
			err,
			"job %u: only its owner, root, SlurmUser and operators may report on it",
			job->of.id);
		return ASTRA_FAULT_DENIED;
	}
	return check_run(job, query->said.run, err);
}

static void answer_own_put_time(struct astra_text *out, const char *key,
				double sec, bool known)
{
	astra_text_printf(out, ",\"%s\":", key);
	if (known)
		astra_encode_real(out, sec);
	else
		astra_text_printf(out, "null");
}

static double answer_own_until(double end_sec, double now_sec)
{
	return end_sec > now_sec ? end_sec - now_sec : 0;
}

/* Writes the lease. Once a lease is over, its remaining time is 0, whatever its
 * end was. */
static void put_lease(const struct astra_report_job *job, double now_sec,
		      struct astra_text *out)
{
	bool leased = job->phase == ASTRA_REPORT_LEASED;
	bool grace =
		job->phase == ASTRA_REPORT_GRACE && job->of.grace_end_sec > 0;
	bool ends = job->of.revocable && job->of.lease_end_sec > 0;
	double left =
		leased ? answer_own_until(job->of.lease_end_sec, now_sec) : 0;

	astra_text_printf(out, ",\"lease\":{\"job\":%u,\"run\":%u,\"phase\":",
			  job->of.id, job->run);
	astra_encode_text(out, astra_report_phases[job->phase]);
	astra_text_printf(out, ",\"revocable\":%s",
			  job->of.revocable ? "true" : "false");
	answer_own_put_time(out, "lease_end_sec", job->of.lease_end_sec, ends);
	answer_own_put_time(out, "remaining_sec", left, ends);
	answer_own_put_time(out, "grace_sec", job->grace_sec, true);
	answer_own_put_time(out, "grace_end_sec", job->of.grace_end_sec, grace);
	answer_own_put_time(out, "grace_remaining_sec",
			    answer_own_until(job->of.grace_end_sec, now_sec),
			    grace);
	astra_text_printf(out, ",\"signal\":");
	astra_encode_text(out, job->signal);
	astra_text_printf(out, "}");
}

enum astra_fault astra_answer_own(const struct astra_report *report,
				  const struct astra_query *query,
				  const struct astra_viewer *viewer,
				  struct astra_text *out,
				  struct astra_error *err)
{
	const struct astra_report_job *job =
		astra_report_find(report, query->jobs.refs[0].id);
	enum astra_fault fault =
		answer_own_check(report, job, query, viewer, err);

	if (fault)
		return fault;
	answer_own_put_time(out, "now_sec", viewer->now_sec, true);
	put_lease(job, viewer->now_sec, out);
	astra_text_printf(out, ",\"report_sec\":%d", ASTRA_REPORT_EVERY_SEC);
	return ASTRA_FAULT_NONE;
}
