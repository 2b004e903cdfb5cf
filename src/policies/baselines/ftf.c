/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Largest finish-time fairness first:
 *   rho = (elapsed + remaining) / (T* N),
 * T* the time that the job takes by itself, N the time average of the number
 * of active jobs over its life. ASTRAEA, Figure 6, sets it against LTGF.
 */
#include <math.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/baselines/baseline.h"
#include "src/policies/forecast.h"

/* Where a job is in the list, or belongs. */
static size_t ftf_place(const struct baseline_contention *c, uint32_t job)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->arrivals[middle].job < job)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int ftf_meet(struct baseline_contention *c, uint32_t job)
{
	size_t at = ftf_place(c, job);

	if (at == c->count || c->arrivals[at].job != job) {
		if (astra_grow(&c->arrivals, &c->room, c->count + 1,
			       sizeof(*c->arrivals)) < 0)
			return -1;
		memmove(c->arrivals + at + 1, c->arrivals + at,
			(c->count++ - at) * sizeof(*c->arrivals));
		c->arrivals[at] = (struct baseline_arrival){
			.job = job,
			.contended = c->contended,
		};
	}
	c->arrivals[at].round = c->round;
	return 0;
}

static void ftf_forget(struct baseline_contention *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++)
		if (c->arrivals[i].round == c->round)
			c->arrivals[kept++] = c->arrivals[i];
	c->count = kept;
}

static int ftf_account(struct baseline_run *run)
{
	struct baseline_contention *c = &run->contention;
	const struct astra_offer *offer = run->offer;
	size_t before = c->count;

	c->contended += c->active * fmax(0, offer->now_sec - c->last_sec);
	c->last_sec = offer->now_sec;
	c->active = (uint32_t)offer->demand_count;
	c->round++;
	for (size_t i = 0; i < offer->demand_count; i++)
		if (ftf_meet(c, offer->demands[i].job->id) < 0)
			return -1;
	run->out->changed = c->count != before;
	if (c->count > offer->demand_count)
		ftf_forget(c);
	return 0;
}

static struct astra_rank ftf_rank(const struct baseline_run *run,
				  const struct astra_demand *d)
{
	const struct baseline_contention *c = &run->contention;
	double contended =
		c->contended - c->arrivals[ftf_place(c, d->job->id)].contended;
	double elapsed = run->offer->now_sec - d->submit_sec;
	double n = c->active;

	if (elapsed > 0 && contended > 0)
		n = contended / elapsed;
	return (struct astra_rank){
		.major = -(elapsed + baseline_left_sec(d)) /
			 (astra_work_sec(d->job) * n),
	};
}

static const struct baseline ftf = {
	.stops = BASELINE_QUANTUM,
	.rank = ftf_rank,
	.account = ftf_account,
};

BASELINE_CREATE(ftf, ftf)

static int ftf_save(const void *self, struct astra_bytes *out)
{
	const struct baseline_run *run = self;
	const struct baseline_contention *c = &run->contention;

	astra_put_f64(out, c->contended);
	astra_put_f64(out, c->last_sec);
	astra_put_u32(out, c->active);
	astra_put_u32(out, (uint32_t)c->count);
	for (size_t i = 0; i < c->count; i++) {
		astra_put_u32(out, c->arrivals[i].job);
		astra_put_f64(out, c->arrivals[i].contended);
	}
	return out->failed ? -1 : 0;
}

static int ftf_restore(void *self, struct astra_reader *in)
{
	struct baseline_run *run = self;
	struct baseline_contention *c = &run->contention;
	uint32_t count, last = 0;

	c->contended = astra_get_f64(in);
	c->last_sec = astra_get_f64(in);
	c->active = astra_get_u32(in);
	count = astra_get_u32(in);
	for (uint32_t i = 0; i < count && !in->failed; i++) {
		uint32_t job = astra_get_u32(in);
		double contended = astra_get_f64(in);

		if (job <= last || !isfinite(contended) || ftf_meet(c, job) < 0)
			return -1;
		c->arrivals[c->count - 1].contended = contended;
		last = job;
	}
	return in->failed || !isfinite(c->contended) || !isfinite(c->last_sec)
		       ? -1
		       : 0;
}

static void ftf_shift(void *self, double by_sec)
{
	struct baseline_run *run = self;

	run->contention.last_sec += by_sec;
}

const struct astra_policy astra_ftf = {
	.name = "ftf",
	.summary = "largest finish-time fairness first, without an auction; "
		   "knows durations",
	.source = "Themis (Mahajan et al., NSDI'20), section 3.2; as in "
		  "ASTRAEA (Ye et al., TPDS'22), Figure 6",
	.create = ftf_create,
	.save = ftf_save,
	.restore = ftf_restore,
	.shift = ftf_shift,
	BASELINE_CALLS,
};
