/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine, with one of its policies, as a scheduler of the simulator. */
#ifndef ASTRA_SIM_HOST_H
#define ASTRA_SIM_HOST_H

#include "src/sim/scheduler.h"

/* One for each policy; NULL-terminated. */
const struct astra_scheduler *const *astra_host_schedulers(void);

#endif
