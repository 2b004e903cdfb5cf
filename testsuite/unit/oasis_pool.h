/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pool under OASiS: slots of 100 s from the begin, 1000, on; the horizon is
 * 20 slots. */
#ifndef OASIS_POOL_H
#define OASIS_POOL_H

#include <string.h>

#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))

static inline void begin(struct vcluster *vc, size_t nodes, uint32_t gpus,
			 bool lend)
{
	vc_init(vc, nodes, gpus);
	strcpy(vc->options.policy, "oasis");
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc->options.slot_sec = 100;
	vc->options.horizon_sec = 2000;
	vc->options.lend_idle = vc->options.promise =
		lend; /* no: the paper's */
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
}

/* A job that is worth so much if it ends within half an hour. */
static inline struct vjob *submit(struct vcluster *vc, uint32_t gpus,
				  double work_sec, double worth)
{
	struct vjob *v = vc_submit(vc, 0, gpus, work_sec);

	v->job.forecast.work_sec = work_sec;
	v->job.forecast.utility =
		(struct astra_utility){.kind = ASTRA_UTILITY_SIGMOID};
	v->job.forecast.utility.sigmoid.g1 = worth;
	v->job.forecast.utility.sigmoid.g2 = 20;
	v->job.forecast.utility.sigmoid.g3 = .5;
	return v;
}

static inline struct astra_reason reason_of(struct vcluster *vc,
					    const struct vjob *v)
{
	return vc_view(vc, v).reason;
}

/* One node of 8 GPUs, all wanted for as long by one job, and ten seconds later
 * for 90 s by another; ten more have passed. */
static inline void begin_with_two(struct vcluster *vc, double work_sec,
				  struct vjob **first, struct vjob **second)
{
	begin(vc, 1, 8, false);
	*first = submit(vc, 8, work_sec, 10);
	vc_run(vc, AT(10));
	*second = submit(vc, 8, 90, 10);
	vc_run(vc, AT(20));
}

#endif
