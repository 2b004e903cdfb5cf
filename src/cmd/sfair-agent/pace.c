/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/pace.h"

#include <stdlib.h>
#include <string.h>

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
