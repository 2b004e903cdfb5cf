/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The world that the baselines' examples are played in: two tenants of the same
 * weight, but where a test says otherwise. */
#ifndef ASTRA_TEST_BASELINE_WORLD_H
#define ASTRA_TEST_BASELINE_WORLD_H

#include "testsuite/unit/step_world.h"

#define HOUR 3600.0

static struct world w;

static inline void begin(const char *scheduler, size_t nodes, uint32_t gpus)
{
	world_init(&w, scheduler, nodes, gpus, (const double[]){1, 1, -1});
}

/* Time passes, then rounds. */
static inline void until(double sec)
{
	world_pass(&w, sec - w.now_sec);
	world_rounds(&w);
}

#endif
