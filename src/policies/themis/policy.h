/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ASTRA_THEMIS_POLICY_H
#define ASTRA_THEMIS_POLICY_H

#include "src/policies/policy.h"

extern const struct astra_policy astra_themis;

/* Save and restore what is remembered of the apps, for an instance inside
 * another policy. Arguments and results: as save and restore of a policy. */
int astra_themis_apps_save(const void *self, struct astra_bytes *out);
int astra_themis_apps_restore(void *self, struct astra_reader *in);

#endif
