/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learned speed-up profiles: how long an iteration of an elastic job takes by
 * the number of its GPUs, wherever these were. Pure. */
#ifndef ASTRA_SCALING_H
#define ASTRA_SCALING_H

#include "src/model/model.h"

#define ASTRA_SCALING_SIZES 6
#define ASTRA_SCALING_RECENT 3

/* What was measured lately of a job, or of the jobs of an app, which are
 * assumed to be alike. Zeroed, nothing was measured. */
struct astra_scaling {
	struct astra_scaling_size {
		uint32_t gpus; /* 0: none */
		uint8_t count, next;
		float iter_sec[ASTRA_SCALING_RECENT];
		double seen_sec; /* the last time */
	} sizes[ASTRA_SCALING_SIZES];
};

/* Note that an iteration on so many GPUs took so long. If there is no room for
 * another size, the one not seen for longest is forgotten. gpus > 0; iter_sec >
 * 0, finite. */
void astra_scaling_note(struct astra_scaling *scaling, uint32_t gpus,
			double iter_sec, double now_sec);

/* Return the most GPUs that are of use to a job of `request`. Of two sizes a <
 * b, b is of use if it brings at least a tenth of what further GPUs would at
 * best,
 *
 *   t(a) / t(b) - 1 >= 0.1 (b / a - 1).
 *
 * t is the median of the last three times. It is unknown for a size that was
 * measured only once, or not for a day. Beginning with the smallest known size,
 * each larger one of use takes its place. If there is a known size beyond the
 * last useful one, the size half way to it is tried next, since it was not
 * measured; otherwise the job may have all that it asks for. request: elastic.
 * Returns a size from gpus_min to gpus, in the request's steps. */
uint32_t astra_scaling_most(const struct astra_scaling *scaling,
			    const struct astra_request *request,
			    double now_sec);

/* Return how many sizes are known now. */
size_t astra_scaling_known(const struct astra_scaling *scaling, double now_sec);

/* Return the time of an iteration on so many GPUs: as measured, else that of
 * the nearest measured size, in proportion to GPUs; 0: none was measured. gpus
 * > 0. */
double astra_scaling_iter_sec(const struct astra_scaling *scaling,
			      uint32_t gpus, double now_sec);

#define ASTRA_SCALING_TEXT 128

/* Write the speed-up by number of GPUs relative to the fewest, as "1:1,2:1.9";
 * "" unless two sizes are known. */
void astra_scaling_text(const struct astra_scaling *scaling, double now_sec,
			char text[ASTRA_SCALING_TEXT]);

#endif
