/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The size of an elastic job that is to start. */
#ifndef ASTRA_START_SIZE_H
#define ASTRA_START_SIZE_H

#include "src/slurm/out/start.h"

/* All GPUs of an order. */
uint32_t astra_order_gpus(const struct astra_start_order *order);

/* So many GPUs of an order, those on nodes that the job named first. shares:
 * room for the order's; borrowed. */
struct astra_start_order
astra_order_first(const job_record_t *job,
		  const struct astra_start_order *order, uint32_t gpus,
		  struct astra_start_share *shares);

/* Where a limit refuses an order's size: as many GPUs as limits let the job
 * have, or the fewest; of whole nodes the fewest. Its record is made of another
 * size meanwhile. Locks: as astra_resize(). */
uint32_t astra_order_within_limits(job_record_t *job,
				   const struct astra_start_order *order);

#endif
