/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signatures by Slurm's auth/slurm for a process without slurm.key. The process
 * asks sackd, slurmd or slurmctld of its host, at a socket, as Slurm's own
 * commands do. The daemon learns the user from the kernel (SO_PEERCRED).
 *
 * The socket is $SLURM_SACK_SOCKET. If that is not set, it is the first one
 * that answers in /run/slurm-CLUSTER, /run/slurm, /run/slurmctld and
 * /run/slurmdbd. */
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

/* Returns a token for a request, to be freed, or NULL with err set. Blocks
 * until the daemon has answered, at most 10 s. */
char *astra_sack_sign(const char *auth, const char *message, size_t size,
		      struct astra_error *err);

/* Checks the token of a reply, and takes the message out, as astra_verify() in
 * src/proto/sign.h does. */
int astra_sack_verify(const char *auth, const char *token, char **message,
		      size_t *size, uint32_t *uid, struct astra_error *err);

#endif
