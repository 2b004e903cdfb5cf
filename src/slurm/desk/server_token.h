/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The query server's signatures if slurm.conf has AuthType=auth/slurm: Slurm's
 * plugin in slurmctld signs and checks. The plugin keeps no list of tokens that
 * it has seen, so this module does. It accepts a request only once, and no
 * request that was signed before the server began. One thread. */
#ifndef ASTRA_SERVER_TOKEN_H
#define ASTRA_SERVER_TOKEN_H

#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/proto/wire.h"

struct astra_slurm_auth;
struct server_token;

/* Make an empty list. auth: borrowed. now_sec: since the epoch. Returns NULL
 * with err set on failure. */
struct server_token *server_token_create(const struct astra_slurm_auth *auth,
					 int64_t now_sec,
					 struct astra_error *err);

/* token may be NULL. */
void server_token_destroy(struct server_token *token);

/* Check a request and take the message out, for free(). Returns
 * ASTRA_FAULT_NONE, ASTRA_FAULT_BUSY if the client has to sign again, or
 * another fault. err says why. */
enum astra_fault server_token_verify(struct server_token *token,
				     const char *credential, int64_t now_sec,
				     char **message, size_t *size,
				     uint32_t *uid, struct astra_error *err);

/* Forget the last request, since it is not served. */
void server_token_forget(struct server_token *token);

/* Return a reply that one user can check, for free(), or NULL with err set. */
char *server_token_sign_for(struct server_token *token, uint32_t uid,
			    const char *message, size_t size,
			    struct astra_error *err);

#endif
