/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "src/cmd/sfair-agent/follow.h"

#define COUNT_MAX 9007199254740992.0 /* 2^53 */
#define SEC_MAX 1e9

/* A number as a count; 0 where it is none. */
static uint64_t progress_count_of(double value)
{
	return value >= 0 && value <= COUNT_MAX ? (uint64_t)value : 0;
}

/* Iterations of the epochs that are over come on top. */
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
