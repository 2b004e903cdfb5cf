/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Speed-up profiles, learned: how long an iteration of an elastic job takes by
 * the number of its GPUs, wherever these were. Pure.
 */
#ifndef ASTRA_SCALING_H
#define ASTRA_SCALING_H

#include "src/model/model.h"

#define ASTRA_SCALING_SIZES 6
#define ASTRA_SCALING_RECENT 3

/* What was measured lately of a job, or of the jobs of an app, which are taken
 * to be alike. Zeroed, nothing was. */
struct astra_scaling {
	struct astra_scaling_size {
		uint32_t gpus; /* 0: none */
		uint8_t count, next;
		float iter_sec[ASTRA_SCALING_RECENT];
		double seen_sec; /* the last time */
	} sizes[ASTRA_SCALING_SIZES];
};

/* Note that an iteration on so many GPUs took so long. Where there is no room
 * for one more size, that which was not seen for longest is forgotten.
 * gpus > 0; iter_sec > 0, finite. */
void astra_scaling_note(struct astra_scaling *scaling, uint32_t gpus,
			double iter_sec, double now_sec);

/* The most GPUs that are of use to a job of `request`: of two sizes a < b, b is
 * of use where it brings a tenth, at least, of what further GPUs would at best,
 *   t(a) / t(b) - 1 >= 0.1 (b / a - 1),
 * t being the median of the last three times, and not known of a size that was
 * measured once only, or not for a day. From the smallest size that is known,
 * each larger one of use takes its place. If there is one beyond the last, half
 * way to it is tried next, as what lies between was not; else nothing speaks
 * against all that it asks for.
 * request: elastic. Returns gpus_min to gpus of it, in its steps. */
uint32_t astra_scaling_most(const struct astra_scaling *scaling,
			    const struct astra_request *request,
			    double now_sec);

/* How many sizes are known by now. */
size_t astra_scaling_known(const struct astra_scaling *scaling, double now_sec);

/* The time of an iteration on so many GPUs: as measured, else that of the
 * nearest size that was, taken to be in proportion to GPUs; 0: none was.
 * gpus > 0. */
double astra_scaling_iter_sec(const struct astra_scaling *scaling,
			      uint32_t gpus, double now_sec);

#define ASTRA_SCALING_TEXT 128

/* How many times as fast by number of GPUs as on the fewest, as "1:1,2:1.9";
 * "" unless two sizes are known. */
void astra_scaling_text(const struct astra_scaling *scaling, double now_sec,
			char text[ASTRA_SCALING_TEXT]);

#endif
