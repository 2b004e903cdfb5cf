/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair-agent/follow.h"

void agent_pace_add(struct agent_pace *p, double done, double at_sec)
{
	size_t last = p->count - 1;

	if (p->count && done < p->done[last])
		p->count = 0;
	else if (p->count && done <= p->done[last])
		return;
	if (p->count == AGENT_PACE) {
		p->count--;
		memmove(p->done, p->done + 1, p->count * sizeof(*p->done));
		memmove(p->at_sec, p->at_sec + 1,
			p->count * sizeof(*p->at_sec));
	}
	p->done[p->count] = done;
	p->at_sec[p->count++] = at_sec;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double agent_pace_sec(const struct agent_pace *p)
{
	double slopes[AGENT_PACE];
	size_t apart = (p->count + 3) / 4, n = 0;

	if (p->count < 2)
		return 0;
	for (size_t i = 0; i + apart < p->count; i++)
		slopes[n++] = (p->at_sec[i + apart] - p->at_sec[i]) /
			      (p->done[i + apart] - p->done[i]);
	qsort(slopes, n, sizeof(*slopes), ascending);
	return (slopes[(n - 1) / 2] + slopes[n / 2]) / 2;
}

#define COUNT_MAX 9007199254740992.0 /* 2^53 */
#define SEC_MAX 1e9

/* Convert a number to a count; 0 if it is not a valid count. */
static uint64_t progress_count_of(double value)
{
	return value >= 0 && value <= COUNT_MAX ? (uint64_t)value : 0;
}

/* Return the count of all iterations done: those of past epochs and those of
 * this epoch. */
static double all_done(const struct agent_progress *p)
{
	double epoch = p->value[AGENT_EPOCH], done = p->value[AGENT_DONE];

	if (isnan(epoch) || isnan(p->value[AGENT_TOTAL]))
		return done;
	return epoch * p->value[AGENT_TOTAL] + done;
}

static double all_there_is(const struct agent_progress *p)
{
	double total = p->value[AGENT_TOTAL];

	if (!isnan(p->value[AGENT_EPOCH]))
		total *= p->epochs;
	return total >= all_done(p) ? total : 0;
}

void agent_progress_see(struct agent_progress *p, const struct agent_seen *seen,
			double at_sec)
{
	for (size_t i = 0; i < AGENT_FIELDS; i++)
		if (!isnan(seen->value[i]))
			p->value[i] = seen->value[i];
	if (!isnan(seen->value[AGENT_DONE]))
		agent_pace_add(&p->pace, all_done(p), at_sec);
}

bool agent_progress_report(const struct agent_progress *p,
			   struct agent_report *report)
{
	double sec = p->value[AGENT_SEC];

	if (!(all_done(p) >= 0 && all_done(p) <= COUNT_MAX))
		return false;
	if (isnan(sec))
		sec = agent_pace_sec(&p->pace);
	*report = (struct agent_report){
		.done = progress_count_of(all_done(p)),
		.total = progress_count_of(all_there_is(p)),
		.iter_sec = sec > 0 && sec <= SEC_MAX ? sec : 0,
		.loss = p->value[AGENT_LOSS],
	};
	return true;
}
