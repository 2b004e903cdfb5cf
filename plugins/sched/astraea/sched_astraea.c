/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sched/astraea: starts the engine, and runs Slurm's own sched/backfill as a
 * child for all jobs that are not managed. Entry points only. */
#include "astra_stamp.h"
#include "src/slurm/check/stamp.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/host.h"

const char plugin_name[] = "Astraea fair GPU scheduler";
const char plugin_type[] = "sched/astraea";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;
const char astra_plugin_stamp[] = ASTRA_STAMP;

#pragma weak astra_stamp_check

int init(void);
int fini(void);
int sched_p_reconfig(void);

static struct {
	int (*reconfig)(void);
} child_ops;
static const char *child_symbols[] = {"sched_p_reconfig"};
static plugin_context_t *child;

int init(void)
{
	ASTRA_STAMP_TELL("sched_astraea.so");
	if (!child)
		child = plugin_context_create(
			"sched", "sched/backfill", (void **)&child_ops,
			child_symbols, sizeof(child_symbols));
	if (!child) {
		error("astraea: sched/backfill can't be loaded");
		return SLURM_ERROR;
	}
	return astra_host_start() < 0 ? SLURM_ERROR : SLURM_SUCCESS;
}

int fini(void)
{
	astra_host_stop();
	if (child)
		plugin_context_destroy(child);
	child = NULL;
	return SLURM_SUCCESS;
}

int sched_p_reconfig(void)
{
	astra_host_reconfigure();
	return child ? child_ops.reconfig() : SLURM_SUCCESS;
}
