/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signatures by Slurm's auth/slurm for a process that has not got slurm.key: it
 * asks sackd, slurmd or slurmctld of its host, at a socket, as Slurm's own
 * commands do. The daemon knows the user from the kernel (SO_PEERCRED).
 *
 * The socket is $SLURM_SACK_SOCKET, else the first that answers of
 * /run/slurm-CLUSTER, /run/slurm, /run/slurmctld and /run/slurmdbd.
 */
#ifndef ASTRA_SACK_H
#define ASTRA_SACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

/* auth: as in src/proto/sign.h. Whether it means auth/slurm. */
bool astra_sack_is(const char *auth);

/* Whether an AuthType of slurm.conf does: Slurm takes it without auth/, too.
 * type: or NULL. */
bool astra_sack_is_type(const char *type);

/* Whether a daemon has made its socket on this host. */
bool astra_sack_is_here(void);

/* A request's token, for free(), or NULL with err set. It blocks until the
 * daemon has answered, for 10 s at most. */
char *astra_sack_sign(const char *auth, const char *message, size_t size,
		      struct astra_error *err);

/* Check a reply's token, and take the message out. As astra_verify() of
 * src/proto/sign.h. */
int astra_sack_verify(const char *auth, const char *token, char **message,
		      size_t *size, uint32_t *uid, struct astra_error *err);

#endif
