/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates of the prices U and L from past jobs. */
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"
#include "src/policies/oasis/oasis_priv.h"

#define MAGIC UINT32_C(0x4f415331)

double astra_oasis_chunk_slots(const struct astra_oasis_job *job)
{
	double exchange = 0;

	if (job->gradient > 0)
		exchange = job->bandwidth > 0
				   ? 2 * job->gradient / job->bandwidth
				   : HUGE_VAL;
	return job->batches > 0 ? job->batches * (job->batch_slots + exchange)
				: 0;
}

double astra_oasis_work(const struct astra_oasis_job *job)
{
	double chunks = job->epochs * job->workers;

	if (chunks <= 0)
		return 1;
	return fmax(1, astra_ceil(chunks * astra_oasis_chunk_slots(job)));
}

/* Return D: how many slots the job takes with all its workers. */
static double history_duration(const struct astra_oasis_job *job)
{
	if (job->epochs <= 0)
		return 1;
	return fmax(1, astra_ceil(job->epochs * astra_oasis_chunk_slots(job)));
}

void astra_oasis_history_init(struct astra_oasis_history *history)
{
	*history = (struct astra_oasis_history){
		.least1 = HUGE_VAL,
		.least2 = HUGE_VAL,
		.work1 = HUGE_VAL,
		.work2 = HUGE_VAL,
	};
}

double oasis_best(const struct astra_oasis_job *job)
{
	double slots = history_duration(job);
	double best = astra_utility_value(&job->utility, slots - 1);

	/* A convex utility is infinite at 0. */
	if (!isfinite(best))
		best = astra_utility_value(&job->utility, slots);
	return isnan(best) ? 0 : fmin(best, ASTRA_OASIS_PRICE_MAX);
}

static void history_add_demand(const double *demand, size_t resources,
			       double best, double worst, double work,
			       double *upper, double *least, double *least_work)
{
	double sum = 0;

	for (size_t r = 0; r < resources; r++) {
		if (demand[r] <= 0)
			continue;
		upper[r] = fmax(upper[r], best / demand[r]);
		sum += demand[r];
	}
	if (sum <= 0)
		return;
	*least = fmin(*least, worst / (work * sum));
	*least_work = fmin(*least_work, work * sum);
}

void astra_oasis_history_add(struct astra_oasis_history *history,
			     const struct astra_oasis_job *job, double latest,
			     size_t resources)
{
	double work = astra_oasis_work(job), best, worst;

	history->jobs++;
	if (isinf(work))
		return;
	best = oasis_best(job);
	worst = fmax(0, astra_utility_value(&job->utility, latest));
	history_add_demand(job->worker, resources, best, worst, work,
			   history->u1, &history->least1, &history->work1);
	if (job->bandwidth > 0)
		history_add_demand(job->ps, resources, best, worst, work,
				   history->u2, &history->least2,
				   &history->work2);
}

static double lower(double least, double work, double room)
{
	double eta = work < room ? work / room : 1;

	if (isinf(least))
		return ASTRA_OASIS_PRICE_MIN;
	return fmin(fmax(eta / 4 * least, ASTRA_OASIS_PRICE_MIN),
		    ASTRA_OASIS_PRICE_MAX);
}

void astra_oasis_history_range(const struct astra_oasis_history *history,
			       size_t resources, double slots, double capacity1,
			       double capacity2, struct astra_oasis_range *out)
{
	*out = (struct astra_oasis_range){
		.l1 = lower(history->least1, history->work1, slots * capacity1),
		.l2 = lower(history->least2, history->work2, slots * capacity2),
	};
	for (size_t r = 0; r < resources; r++) {
		out->u1[r] = fmin(fmax(history->u1[r], out->l1),
				  ASTRA_OASIS_PRICE_MAX);
		out->u2[r] = fmin(fmax(history->u2[r], out->l2),
				  ASTRA_OASIS_PRICE_MAX);
	}
}

double astra_oasis_alpha(const struct astra_oasis_range *range,
			 size_t resources)
{
	double alpha = 1;

	for (size_t r = 0; r < resources; r++) {
		alpha = fmax(alpha, log(range->u1[r] / range->l1));
		alpha = fmax(alpha, log(range->u2[r] / range->l2));
	}
	return alpha;
}

void astra_oasis_history_save(const struct astra_oasis_history *history,
			      struct astra_bytes *out)
{
	astra_put_u32(out, MAGIC);
	astra_put_u64(out, history->jobs);
	for (size_t r = 0; r < ASTRA_OASIS_RESOURCES; r++) {
		astra_put_f64(out, history->u1[r]);
		astra_put_f64(out, history->u2[r]);
	}
	astra_put_f64(out, history->least1);
	astra_put_f64(out, history->least2);
	astra_put_f64(out, history->work1);
	astra_put_f64(out, history->work2);
}

/* Whether no value is NaN or negative. */
static bool history_is_sound(const struct astra_oasis_history *history)
{
	bool sound = history->least1 >= 0 && history->least2 >= 0 &&
		     history->work1 >= 0 && history->work2 >= 0;

	for (size_t r = 0; r < ASTRA_OASIS_RESOURCES; r++)
		sound = sound && history->u1[r] >= 0 && history->u2[r] >= 0;
	return sound;
}

int astra_oasis_history_restore(struct astra_oasis_history *history,
				struct astra_reader *in)
{
	bool known = astra_get_u32(in) == MAGIC;

	history->jobs = astra_get_u64(in);
	for (size_t r = 0; r < ASTRA_OASIS_RESOURCES; r++) {
		history->u1[r] = astra_get_f64(in);
		history->u2[r] = astra_get_f64(in);
	}
	history->least1 = astra_get_f64(in);
	history->least2 = astra_get_f64(in);
	history->work1 = astra_get_f64(in);
	history->work2 = astra_get_f64(in);
	if (known && !in->failed && history_is_sound(history))
		return 0;
	astra_oasis_history_init(history);
	return -1;
}
