/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs on single GPUs so that the last one ends as early as possible. */
#ifndef ASTRA_THEMIS_PARTITION_H
#define ASTRA_THEMIS_PARTITION_H

#include <stddef.h>
#include <stdint.h>

/* The least makespan of jobs on `gpus` identical GPUs, one job at a time on
 * each. Exact for some 20 jobs whatever their work; with more, branch and bound
 * gives up after a fixed number of steps, a few milliseconds, unless it is done
 * by then. What it has found is at most what "longest job first" gives, which
 * is at most 4/3 of the least.
 *
 * work: count numbers >= 0, in descending order.
 * gpus: >= 1.
 * load: scratch of `gpus` numbers.
 */
double astra_themis_makespan(const double *work, size_t count, uint32_t gpus,
			     double *load);

#endif
