/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much faster jobs run on more GPUs, from their reports. */
#include <math.h>

#include "src/placement/placement.h"
#include "src/policies/forecast.h"
#include "src/slurm/note/progress_priv.h"

void progress_note_size(struct progress_entry *e, struct progress_entry *app)
{
	const struct astra_report_progress *p = &e->progress;

	if (!e->gpus)
		return;
	astra_scaling_note(&e->scaling, e->gpus, p->iter_sec, p->time_sec);
	if (app)
		astra_scaling_note(&app->scaling, e->gpus, p->iter_sec,
				   p->time_sec);
}

static const struct astra_scaling *size_known(const struct progress_entry *e,
					      double now_sec)
{
	return e && astra_scaling_known(&e->scaling, now_sec) > 1 ? &e->scaling
								  : NULL;
}

const struct astra_scaling *progress_tell_size(const struct progress_entry *e,
					       const struct progress_entry *app,
					       double now_sec,
					       struct astra_job *job)
{
	const struct astra_scaling *scaling = size_known(e, now_sec);
	uint32_t most;

	if (!astra_request_elastic(&job->request))
		return NULL;
	if (!scaling)
		scaling = size_known(app, now_sec);
	if (!scaling)
		return NULL;
	most = astra_scaling_most(scaling, &job->request, now_sec);
	if (most < job->request.gpus)
		job->request = astra_request_sized(&job->request, most);
	return scaling;
}

double progress_iter_sec(const struct progress_entry *e,
			 const struct astra_scaling *scaling, double now_sec,
			 const struct astra_job *job)
{
	double iter_sec = e->progress.iter_sec, share = e->share;

	if (scaling && e->gpus)
		share = astra_scaling_iter_sec(scaling, job->request.gpus,
					       now_sec) /
			astra_scaling_iter_sec(scaling, e->gpus, now_sec);
	return iter_sec * share / astra_slowdown(&job->forecast)[e->at];
}

void progress_save_size(const struct progress_entry *e, struct astra_bytes *out)
{
	astra_put_u32(out, e->gpus);
	for (size_t i = 0; i < ASTRA_SCALING_SIZES; i++) {
		const struct astra_scaling_size *s = &e->scaling.sizes[i];

		astra_put_u32(out, s->gpus);
		astra_put_f64(out, s->seen_sec);
		astra_put_u32(out, s->count);
		/* Save the oldest first. */
		for (uint32_t k = s->count; k > 0; k--)
			astra_put_f64(
				out,
				(double)s->iter_sec[(s->next +
						     ASTRA_SCALING_RECENT - k) %
						    ASTRA_SCALING_RECENT]);
	}
}

int progress_restore_size(struct progress_entry *e, struct astra_reader *in,
			  double now_sec)
{
	e->gpus = astra_get_u32(in);
	for (size_t i = 0; i < ASTRA_SCALING_SIZES; i++) {
		uint32_t gpus = astra_get_u32(in);
		double seen_sec = astra_get_f64(in);
		uint32_t count = astra_get_u32(in);

		if (count > ASTRA_SCALING_RECENT || (count && !gpus) ||
		    !isfinite(seen_sec))
			return -1;
		for (uint32_t k = 0; k < count; k++) {
			double iter_sec = astra_get_f64(in);

			/* It is stored as a float, so it is checked as one. */
			if (!((float)iter_sec > 0) ||
			    !isfinite((float)iter_sec))
				return -1;
			astra_scaling_note(&e->scaling, gpus, iter_sec,
					   fmin(seen_sec, now_sec));
		}
	}
	return in->failed ? -1 : 0;
}
