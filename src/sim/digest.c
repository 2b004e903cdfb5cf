/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/digest.h"

#include <math.h>

size_t astra_digest_size(size_t tenant_count)
{
	return sizeof(struct astra_digest) +
	       tenant_count * (1 + ASTRA_TIMELINE_SLOTS) * sizeof(double);
}

static int fill_curve(const struct astra_sim_result *result,
		      enum astra_series series, double *points)
{
	struct astra_sample s = {0};

	if (astra_series_collect(result, series, &s) < 0)
		return -1;
	for (int i = 0; i < ASTRA_CURVE_POINTS; i++)
		points[i] = astra_sample_quantile(
			&s, (double)i / (ASTRA_CURVE_POINTS - 1));
	astra_sample_clear(&s);
	return 0;
}

static int fill_box(const struct astra_sim_result *result, double *points)
{
	static const double at[ASTRA_BOX_POINTS] = {0.05, 0.25, 0.5, 0.75,
						    0.95};
	struct astra_sample s = {0};

	if (astra_series_collect(result, ASTRA_SERIES_CELL_RHO, &s) < 0)
		return -1;
	for (int i = 0; i < ASTRA_BOX_POINTS; i++)
		points[i] = astra_sample_quantile(&s, at[i]);
	astra_sample_clear(&s);
	return 0;
}

/* Fills the timeline. A slot covers as many intervals as are needed to fit all
 * intervals into ASTRA_TIMELINE_SLOTS slots. */
static void fill_timeline(const struct astra_sim_result *r,
			  struct astra_digest *out)
{
	size_t tenants = out->tenant_count;
	size_t each = (r->interval_count + ASTRA_TIMELINE_SLOTS - 1) /
		      ASTRA_TIMELINE_SLOTS;
	double *gpus = out->more + tenants;

	if (!each)
		return;
	out->slot_sec = (double)each * r->interval_sec;
	out->slot_count = (r->interval_count + each - 1) / each;
	for (size_t i = 0; i < r->interval_count; i++)
		for (size_t t = 0; t < tenants; t++)
			gpus[i / each * tenants + t] +=
				r->cells[i * tenants + t].alloc_gpu_sec;
	for (size_t s = 0; s < out->slot_count; s++) {
		double begin = (double)s * out->slot_sec;
		double sec = fmin(out->slot_sec, r->stop_sec - begin);

		for (size_t t = 0; t < tenants && sec > 0; t++)
			gpus[s * tenants + t] /= sec;
	}
}

int astra_digest_fill(const struct astra_sim_result *result,
		      struct astra_digest *out)
{
	out->tenant_count = result->trace->tenant_count;
	out->stop_sec = result->stop_sec;
	astra_wait_sizes(result, out->waits);
	if (astra_metrics_compute(result, &out->metrics) < 0 ||
	    fill_curve(result, ASTRA_SERIES_JOB_RHO,
		       out->curves[ASTRA_CURVE_JOB_RHO]) < 0 ||
	    fill_curve(result, ASTRA_SERIES_SLOWDOWN,
		       out->curves[ASTRA_CURVE_SLOWDOWN]) < 0 ||
	    fill_curve(result, ASTRA_SERIES_SHARE_FTF,
		       out->curves[ASTRA_CURVE_SHARE_FTF]) < 0 ||
	    fill_box(result, out->cell_box) < 0)
		return -1;
	for (size_t i = 0; i < out->tenant_count; i++)
		out->more[i] = astra_share_rho(result->tenants[i].alloc_gpu_sec,
					       result->tenants[i].fair_gpu_sec);
	fill_timeline(result, out);
	return 0;
}

double astra_digest_tenant_rho(const struct astra_digest *digest, size_t tenant)
{
	return digest->more[tenant];
}

double astra_digest_gpus(const struct astra_digest *digest, size_t slot,
			 size_t tenant)
{
	return digest->more[(1 + slot) * digest->tenant_count + tenant];
}
