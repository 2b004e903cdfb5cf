/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of users. A directory service may take seconds to tell one, so it is
 * asked outside of slurmctld's locks: a name that is not known yet is noted,
 * resolved after unlocking, and the snapshot taken again. The engine's thread
 * only.
 */
#ifndef ASTRA_USERS_H
#define ASTRA_USERS_H

#include <stdint.h>

/* The name, for the life of the process, or NULL: noted as wanted. */
const char *astra_user_name(uint32_t uid);

/* Ask for all that are wanted; who has no name is named by the number.
 * Locks: none of slurmctld's. Returns how many were asked for. */
uint32_t astra_users_resolve(void);

void astra_users_free(void);

#endif
