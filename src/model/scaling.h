/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learned speed-up profiles: how long an iteration of an elastic job takes by
 * the number of its GPUs, wherever these are. Pure. */
#ifndef ASTRA_SCALING_H
#define ASTRA_SCALING_H

#include "src/model/model.h"

#define ASTRA_SCALING_SIZES 6
#define ASTRA_SCALING_RECENT 3

/* Recent measurements of a job, or of the jobs of an app, which are assumed to
 * be alike. If zeroed, nothing was measured. */
struct astra_scaling {
	struct astra_scaling_size {
		uint32_t gpus; /* 0: none */
		uint8_t count, next;
		float iter_sec[ASTRA_SCALING_RECENT];
		double seen_sec; /* time of the last measurement */
	} sizes[ASTRA_SCALING_SIZES];
};

/* Note the time of an iteration on `gpus` GPUs. If there is no room for another
 * size, the size that was not seen for longest is forgotten. gpus > 0; iter_sec
 * > 0, finite. */
void astra_scaling_note(struct astra_scaling *scaling, uint32_t gpus,
			double iter_sec, double now_sec);

/* Return the most GPUs that are of use to a job. Of two sizes a < b, b is of
 * use if it brings at least a tenth of what the additional GPUs would bring at
 * best,
 *
 *   t(a) / t(b) - 1 >= 0.1 (b / a - 1).
 *
 * t is the median of the last three times. It is unknown for a size that was
 * measured only once, or not for a day. The search begins with the smallest
 * known size. A larger size that is of use compared with it takes its place,
 * and so on. If a known size is larger than the last useful one, the size half
 * way between them is tried next, since it was not measured. Otherwise the job
 * may have all that it asks for. request: elastic. Returns a size from gpus_min
 * to gpus, in the request's steps. */
uint32_t astra_scaling_most(const struct astra_scaling *scaling,
			    const struct astra_request *request,
			    double now_sec);

/* Return how many sizes are known now. */
size_t astra_scaling_known(const struct astra_scaling *scaling, double now_sec);

/* Return the time of an iteration on `gpus` GPUs, as measured. If that size was
 * not measured, use the nearest measured size, in proportion to GPUs. 0: no
 * size was measured. gpus > 0. */
double astra_scaling_iter_sec(const struct astra_scaling *scaling,
			      uint32_t gpus, double now_sec);

#define ASTRA_SCALING_TEXT 128

/* Write the speed-up by number of GPUs, relative to the smallest known size, as
 * "1:1,2:1.9". Write "" unless two sizes are known. */
void astra_scaling_text(const struct astra_scaling *scaling, double now_sec,
			char text[ASTRA_SCALING_TEXT]);

#endif
