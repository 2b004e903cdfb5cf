/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signatures by Slurm's auth/slurm in slurmctld. */
#ifndef ASTRA_PUBLISH_AUTH_H
#define ASTRA_PUBLISH_AUTH_H

#include "src/slurm/desk/server.h"

/* Return the name of what signs for clients, in the form of src/proto/sign.h,
 * for free(); NULL: munged signs. Locks: caller holds conf read, or slurmctld
 * starts. */
char *astra_publish_auth(void);

/* For use if astra_publish_auth() is not NULL. */
extern const struct astra_slurm_auth astra_publish_slurm_auth;

#endif
