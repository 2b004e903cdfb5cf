/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "src/cmd/sfairsim/batch.h"

#define BAR_WIDTH 40
#define PATIENCE_SEC 1

static double real_sec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void sfairsim_progress_begin(struct sfairsim_progress *p, bool quiet)
{
	*p = (struct sfairsim_progress){
		.begin_sec = real_sec(),
		.wanted = !quiet && isatty(STDERR_FILENO),
	};
}

void sfairsim_progress_show(struct sfairsim_progress *p, double done)
{
	double gone = real_sec() - p->begin_sec;
	int full = (int)(fmin(fmax(done, 0), 1) * BAR_WIDTH);

	if (!p->wanted || gone < PATIENCE_SEC)
		return;
	fprintf(stderr, "\r[");
	for (int i = 0; i < BAR_WIDTH; i++)
		fputc(i < full ? '#' : '.', stderr);
	fprintf(stderr, "] %3.0f %%", 100 * fmin(done, 1));
	if (done > 0.02)
		fprintf(stderr, ", %.0f s left   ", gone / done - gone);
	fflush(stderr);
	p->drawn = true;
}

void sfairsim_progress_end(struct sfairsim_progress *p)
{
	if (p->drawn)
		fprintf(stderr, "\r%*s\r", BAR_WIDTH + 30, "");
	p->drawn = false;
}
