/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a tenant, or a user of a tenant, has had and was due in the past. */
#ifndef ASTRA_ADOPTED_H
#define ASTRA_ADOPTED_H

#include "src/model/fairness.h"

struct astra_adopted {
	char *tenant;
	char *user;		  /* "" for the tenant itself */
	struct astra_usage usage; /* finite, not negative */
};

#endif
