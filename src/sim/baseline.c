/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/scheduler.h"

const struct astra_scheduler *const astra_baselines[] = {NULL};
