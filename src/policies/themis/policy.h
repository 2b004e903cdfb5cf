/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ASTRA_THEMIS_POLICY_H
#define ASTRA_THEMIS_POLICY_H

#include "src/policies/policy.h"

extern const struct astra_policy astra_themis;

/* What is remembered of the apps alone, for an instance inside of another
 * policy; as save and restore. */
int astra_themis_apps_save(const void *self, struct astra_bytes *out);
int astra_themis_apps_restore(void *self, struct astra_reader *in);

#endif
