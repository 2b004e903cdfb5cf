/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signatures by Slurm's auth/slurm for a process without slurm.key. The process
 * asks sackd, slurmd or slurmctld of its host, at a socket, as Slurm's own
 * commands do. The daemon knows the user from the kernel (SO_PEERCRED).
 *
 * The socket is $SLURM_SACK_SOCKET, else the first that answers of
 * /run/slurm-CLUSTER, /run/slurm, /run/slurmctld and /run/slurmdbd. */
#ifndef ASTRA_SACK_H
#define ASTRA_SACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

/* Whether auth, as in src/proto/sign.h, means auth/slurm. */
bool astra_sack_is(const char *auth);

/* Whether an AuthType of slurm.conf means auth/slurm; Slurm also accepts it
 * without "auth/". type may be NULL. */
bool astra_sack_is_type(const char *type);

/* Whether a daemon has made its socket on this host. */
bool astra_sack_is_here(void);

/* Returns a request's token, to be freed, or NULL with err set. Blocks until
 * the daemon has answered, 10 s at most. */
char *astra_sack_sign(const char *auth, const char *message, size_t size,
		      struct astra_error *err);

/* Checks a reply's token, and takes the message out, as astra_verify() in
 * src/proto/sign.h. */
int astra_sack_verify(const char *auth, const char *token, char **message,
		      size_t *size, uint32_t *uid, struct astra_error *err);

#endif
