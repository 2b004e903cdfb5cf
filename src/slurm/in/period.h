/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CapPeriod in the time zone of slurmctld's host. */
#ifndef ASTRA_IN_PERIOD_H
#define ASTRA_IN_PERIOD_H

#include <time.h>

#include "src/model/model.h"
#include "src/policies/period.h"

/* Set the begin and the end of the period that `now` is in. Locks: none. */
void astra_period_tell(enum astra_period kind, time_t now,
		       struct astra_snapshot *snapshot);

#endif
