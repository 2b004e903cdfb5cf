/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits and slowdowns by the size of jobs, and the tenants' sharing loss. */
#include <math.h>
#include <stdlib.h>

#include "src/audit/audit.h"

#define ALL (ASTRA_AUDIT_SIZES - 1)

struct samples {
	struct astra_sample wait, slowdown;
};

/* 1, 2, 3-4, 5-8, ... */
static int class_of(uint32_t gpus)
{
	int class = 0;

	while (class < ALL - 1 && (1u << class) < gpus)
		class ++;
	return class;
}

static int sizes_put(struct astra_audit_size *size, struct samples *s,
		     const struct astra_sim_result *r, size_t job)
{
	const struct astra_sim_job *j = &r->jobs[job];
	const struct astra_trace_job *t = &r->trace->jobs[job];

	size->jobs++;
	size->gpu_sec += j->alloc_gpu_sec;
	if (j->start_sec < 0) {
		size->never++;
		return 0;
	}
	if (astra_sample_add(&s->wait, j->start_sec - t->submit_sec) < 0)
		return -1;
	if (j->end_sec < 0)
		return 0;
	return astra_sample_add(&s->slowdown,
				(j->end_sec - t->submit_sec) / t->duration_sec);
}

static void sizes_summarise(struct astra_audit_size *size, struct samples *s)
{
	astra_sample_sort(&s->wait);
	astra_sample_sort(&s->slowdown);
	size->wait_mean_sec = astra_sample_mean(&s->wait);
	size->wait_p50_sec = astra_sample_quantile(&s->wait, 0.5);
	size->wait_p95_sec = astra_sample_quantile(&s->wait, 0.95);
	size->wait_max_sec = astra_sample_quantile(&s->wait, 1);
	size->slowdown_mean = astra_sample_mean(&s->slowdown);
	size->slowdown_p50 = astra_sample_quantile(&s->slowdown, 0.5);
	size->slowdown_p95 = astra_sample_quantile(&s->slowdown, 0.95);
	size->slowdown_max = astra_sample_quantile(&s->slowdown, 1);
	astra_sample_clear(&s->wait);
	astra_sample_clear(&s->slowdown);
}

int astra_audit_sizes(const struct astra_sim_result *r, const bool *wanted,
		      struct astra_audit_size sizes[ASTRA_AUDIT_SIZES])
{
	struct samples samples[ASTRA_AUDIT_SIZES] = {0};
	int rc = 0;

	for (int i = 0; i < ALL; i++)
		sizes[i] = (struct astra_audit_size){
			.gpus_min = i ? (1u << (i - 1)) + 1 : 1,
			.gpus_max = 1u << i,
		};
	sizes[ALL] = (struct astra_audit_size){.gpus_min = 1,
					       .gpus_max = UINT32_MAX};
	for (size_t i = 0; !rc && i < r->trace->job_count; i++) {
		int class = class_of(r->trace->jobs[i].gpus);

		if (wanted && !wanted[i])
			continue;
		if (sizes_put(&sizes[class], &samples[class], r, i) < 0 ||
		    sizes_put(&sizes[ALL], &samples[ALL], r, i) < 0)
			rc = -1;
	}
	for (int i = 0; i < ASTRA_AUDIT_SIZES; i++)
		sizes_summarise(&sizes[i], &samples[i]);
	return rc;
}

double astra_audit_tenant_loss(const struct astra_sim_result *r, size_t tenant)
{
	size_t tenants = r->trace->tenant_count, entitled = 0, lost = 0;

	for (size_t i = 0; i < r->interval_count; i++) {
		const struct astra_sim_cell *c =
			&r->cells[i * tenants + tenant];

		if (!(c->fair_gpu_sec > 0))
			continue;
		entitled++;
		lost += c->alloc_gpu_sec < c->fair_gpu_sec * (1 - 1e-9);
	}
	return entitled ? (double)lost / (double)entitled : (double)NAN;
}
