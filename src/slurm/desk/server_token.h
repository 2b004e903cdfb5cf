/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The query server's signatures where slurm.conf has AuthType=auth/slurm: the
 * plugin of Slurm in slurmctld signs and checks. It keeps no list of what it
 * has seen, so this does: a request is accepted once, and no request that was
 * signed before the server began. One thread.
 */
#ifndef ASTRA_SERVER_TOKEN_H
#define ASTRA_SERVER_TOKEN_H

#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/proto/wire.h"

struct astra_slurm_auth;
struct server_token;

/* auth: borrowed. now_sec: since the epoch.
 * Returns NULL with err set. */
struct server_token *server_token_create(const struct astra_slurm_auth *auth,
					 int64_t now_sec,
					 struct astra_error *err);

/* Accepts NULL. */
void server_token_destroy(struct server_token *token);

/* Check a request and take the message out, for free().
 * Returns ASTRA_FAULT_NONE; ASTRA_FAULT_BUSY where the client has to sign once
 * more; or another one. err says why. */
enum astra_fault server_token_verify(struct server_token *token,
				     const char *credential, int64_t now_sec,
				     char **message, size_t *size,
				     uint32_t *uid, struct astra_error *err);

/* The last request is not served: it does not count as seen. */
void server_token_forget(struct server_token *token);

/* A reply that one user can check, for free(), or NULL with err set. */
char *server_token_sign_for(struct server_token *token, uint32_t uid,
			    const char *message, size_t size,
			    struct astra_error *err);

#endif
