/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of users. A directory service may take seconds to tell one, so it is
 * asked outside of slurmctld's locks: a name that is not known yet is noted,
 * resolved after unlocking, and the snapshot taken again. While the service
 * does not answer, a user has the name that is remembered from before, else the
 * number; it is asked again until it does. The engine's thread only.
 */
#ifndef ASTRA_USERS_H
#define ASTRA_USERS_H

#include <stdint.h>

/* A user is called otherwise from now on, as after the service's return. */
typedef void astra_user_renamed(void *arg, uint32_t uid, const char *before,
				const char *name);

/* Take up the names that an earlier process has remembered. folder:
 * StateSaveLocation. Does I/O. */
void astra_users_open(const char *folder);

/* The name, for the life of the process or until it is renamed, or NULL: noted
 * as wanted. */
const char *astra_user_name(uint32_t uid);

/* Ask for all that are wanted, and again for those that were in vain: where
 * there is no such user after a minute, where the service fails after some
 * seconds, and then for one of them only. now_sec: a clock that nobody sets.
 * Locks: none of slurmctld's. Returns how many were asked for. */
uint32_t astra_users_resolve(double now_sec, astra_user_renamed *renamed,
			     void *arg);

void astra_users_free(void);

#endif
