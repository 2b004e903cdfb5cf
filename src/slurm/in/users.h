/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of users. A directory service may take seconds to answer, so it is
 * asked outside of slurmctld's locks. An unknown name is noted and looked up
 * after unlocking; then the snapshot is taken again. While the service does not
 * answer, a user has the remembered name, else the uid as a name, and the
 * service is asked again. Engine's thread only. */
#ifndef ASTRA_USERS_H
#define ASTRA_USERS_H

#include <stdint.h>

/* Called when a user's name changes, as when the service answers again. */
typedef void astra_user_renamed(void *arg, uint32_t uid, const char *before,
				const char *name);

/* Read the names that an earlier process has remembered. folder:
 * StateSaveLocation. Does I/O. */
void astra_users_open(const char *folder);

/* Return a user's name, valid for the life of the process or until the user is
 * renamed. NULL: unknown; it is noted as wanted. */
const char *astra_user_name(uint32_t uid);

/* Look up all wanted names. A look-up that failed is repeated: after a minute
 * if there is no such user; after some seconds if the service fails, and then
 * only for one name. now_sec: a monotonic clock. Locks: none of slurmctld's.
 * Returns how many names were asked for. */
uint32_t astra_users_resolve(double now_sec, astra_user_renamed *renamed,
			     void *arg);

void astra_users_free(void);

#endif
