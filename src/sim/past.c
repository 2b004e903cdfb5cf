/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/past.h"

#include <math.h>
#include <stdio.h>

#define DAY_SEC 86400.0

static int past_add(const struct astra_virtual *v, uint32_t job,
		    double done_sec, struct astra_trace *to)
{
	const struct astra_trace *from = v->trace;
	struct astra_trace_job j = from->jobs[job];
	char app[16];

	snprintf(app, sizeof(app), "%u", j.app);
	j.line = 0;
	j.duration_sec = done_sec;
	j.tenant = astra_trace_tenant(to, from->tenants[j.tenant].name);
	j.user = astra_trace_user(
		to, j.user < from->user_count ? from->users[j.user] : "");
	j.app = j.app ? astra_trace_app(to, app) : 0;
	j.utility = 0;
	if (j.profile)
		j.profile =
			astra_trace_profile(to, &from->profiles[j.profile - 1]);
	if (j.tenant == ASTRA_NONE || j.user == ASTRA_NONE ||
	    j.app == ASTRA_NONE || j.profile == ASTRA_NONE)
		return -1;
	return astra_trace_add(to, &j, from->jobs[job].name);
}

static int past_make(struct astra_virtual *v, uint32_t come,
		     struct astra_trace *to, struct astra_term_past *past)
{
	double since_sec = v->world.now_sec - ASTRA_TERM_DAYS * DAY_SEC;
	uint32_t first = come;

	/* Quotas are shares among all tenants, including those without jobs. */
	if (astra_trace_copy_tenants(v->trace, to) < 0)
		return -1;
	while (first > 0 && come - first < ASTRA_TERM_JOBS_MOST &&
	       v->trace->jobs[first - 1].submit_sec >= since_sec)
		first--;
	for (uint32_t i = first; i < come; i++) {
		double done_sec = astra_virtual_done_sec(v, i);

		if (!(done_sec > 0))
			continue;
		past->ended += v->result->jobs[i].end_sec >= 0;
		if (past_add(v, i, done_sec, to) < 0)
			return -1;
	}
	if (first < come)
		past->span_sec =
			v->world.now_sec - v->trace->jobs[first].submit_sec;
	return 0;
}

int astra_past_choose(struct astra_virtual *v, uint32_t come,
		      const struct astra_options *options,
		      struct astra_term_choice *out, struct astra_error *err)
{
	struct astra_trace trace;
	struct astra_term_past past = {.trace = &trace};
	int rc;

	astra_trace_init(&trace);
	rc = past_make(v, come, &trace, &past);
	if (rc < 0)
		astra_error_nomem(err);
	if (!rc && trace.job_count)
		rc = astra_trace_finish(&trace, err);
	if (!rc)
		rc = astra_term_choose(&past, v->cluster, options, v->options,
				       out, err);
	astra_trace_clear(&trace);
	return rc;
}
