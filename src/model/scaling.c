/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/scaling.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SCALING_WORTH 0.1      /* least part of the best possible speed-up */
#define SCALING_AGE_SEC 86400. /* older times may come from a bad place */

static struct astra_scaling_size *scaling_obtain(struct astra_scaling *scaling,
						 uint32_t gpus)
{
	struct astra_scaling_size *oldest = &scaling->sizes[0];

	/* Unused entries have seen_sec 0, so they count as the oldest. */
	for (size_t i = 0; i < ASTRA_SCALING_SIZES; i++) {
		struct astra_scaling_size *s = &scaling->sizes[i];

		if (s->gpus == gpus)
			return s;
		if (s->seen_sec < oldest->seen_sec)
			oldest = s;
	}
	*oldest = (struct astra_scaling_size){.gpus = gpus};
	return oldest;
}

void astra_scaling_note(struct astra_scaling *scaling, uint32_t gpus,
			double iter_sec, double now_sec)
{
	struct astra_scaling_size *s = scaling_obtain(scaling, gpus);

	if (now_sec > s->seen_sec + SCALING_AGE_SEC)
		s->count = s->next = 0;
	s->iter_sec[s->next] = (float)iter_sec;
	s->next = (uint8_t)((s->next + 1) % ASTRA_SCALING_RECENT);
	if (s->count < ASTRA_SCALING_RECENT)
		s->count++;
	s->seen_sec = now_sec;
}

static bool scaling_is_known(const struct astra_scaling_size *s, double now_sec)
{
	return s->gpus && s->count > 1 &&
	       now_sec <= s->seen_sec + SCALING_AGE_SEC;
}

size_t astra_scaling_known(const struct astra_scaling *scaling, double now_sec)
{
	size_t count = 0;

	for (size_t i = 0; i < ASTRA_SCALING_SIZES; i++)
		count += scaling_is_known(&scaling->sizes[i], now_sec);
	return count;
}

/* Return the median time. Of two times return the shorter one, since the first
 * iteration is slow. */
static double scaling_median(const struct astra_scaling_size *s)
{
	double a = (double)s->iter_sec[0], b = (double)s->iter_sec[1], c;
	double low = a < b ? a : b, high = a < b ? b : a;

	if (s->count < ASTRA_SCALING_RECENT)
		return low;
	c = (double)s->iter_sec[2];
	if (c < low)
		return low;
	return c < high ? c : high;
}

/* Return the smallest known size above `gpus`; NULL: none. */
static const struct astra_scaling_size *
scaling_next(const struct astra_scaling *scaling, uint32_t gpus, double now_sec)
{
	const struct astra_scaling_size *next = NULL;

	for (size_t i = 0; i < ASTRA_SCALING_SIZES; i++) {
		const struct astra_scaling_size *s = &scaling->sizes[i];

		if (scaling_is_known(s, now_sec) && s->gpus > gpus &&
		    (!next || s->gpus < next->gpus))
			next = s;
	}
	return next;
}

static bool scaling_is_worth(const struct astra_scaling_size *a,
			     const struct astra_scaling_size *b)
{
	double more = (double)b->gpus / a->gpus - 1;

	return scaling_median(a) / scaling_median(b) - 1 >=
	       SCALING_WORTH * more;
}

uint32_t astra_scaling_most(const struct astra_scaling *scaling,
			    const struct astra_request *request, double now_sec)
{
	const struct astra_scaling_size *best, *s;
	uint32_t step = astra_request_quantum(request), most = request->gpus;

	best = s = scaling_next(scaling, 0, now_sec);
	while (s) {
		s = scaling_next(scaling, s->gpus, now_sec);
		if (s && scaling_is_worth(best, s))
			best = s;
	}
	s = best ? scaling_next(scaling, best->gpus, now_sec) : NULL;
	if (s && best->gpus + (s->gpus - best->gpus) / 2 < most)
		most = best->gpus + (s->gpus - best->gpus) / 2;
	if (most < request->gpus)
		most = most / step * step;
	return most > request->gpus_min ? most : request->gpus_min;
}

double astra_scaling_iter_sec(const struct astra_scaling *scaling,
			      uint32_t gpus, double now_sec)
{
	const struct astra_scaling_size *near = NULL, *s;
	double apart = 0;

	for (s = scaling_next(scaling, 0, now_sec); s;
	     s = scaling_next(scaling, s->gpus, now_sec)) {
		double ratio = s->gpus < gpus ? (double)gpus / s->gpus
					      : (double)s->gpus / gpus;

		if (near && ratio >= apart)
			continue;
		near = s;
		apart = ratio;
	}
	return near ? scaling_median(near) * near->gpus / gpus : 0;
}

void astra_scaling_text(const struct astra_scaling *scaling, double now_sec,
			char text[ASTRA_SCALING_TEXT])
{
	const struct astra_scaling_size *first, *s;

	*text = '\0';
	if (astra_scaling_known(scaling, now_sec) < 2)
		return;
	first = scaling_next(scaling, 0, now_sec);
	for (s = first; s; s = scaling_next(scaling, s->gpus, now_sec)) {
		size_t length = strlen(text);

		snprintf(text + length, ASTRA_SCALING_TEXT - length,
			 "%s%u:%.3g", s == first ? "" : ",", s->gpus,
			 scaling_median(first) / scaling_median(s));
	}
}
