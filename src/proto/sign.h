/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A signature around a message. It proves who sent the message, and that the
 * message was sent once. It is MUNGE's, or a token of auth/slurm if slurm.conf
 * has that AuthType.
 *
 * auth: who signs.
 * - NULL: munged, at $MUNGE_SOCKET, else at its default path;
 * - a path: munged there;
 * - ASTRA_AUTH_SLURM, or that with ":CLUSTER": Slurm's daemons on this host
 *   (src/proto/sack.h). */
#ifndef ASTRA_SIGN_H
#define ASTRA_SIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/common/text.h"

#define ASTRA_AUTH_SLURM "auth/slurm"

/* Whether a reply begins like a signed one. */
bool astra_is_signed(const char *reply);

/* Writes a reply that says which request it answers.
 * reply: a JSON object that is not empty. credential: the request's bytes.
 * out: appended to; marked failed if out of memory. */
void astra_bind(const char *reply, size_t size, const char *credential,
		size_t credential_size, struct astra_text *out);

/* Checks which request a reply answers, and removes that part from the reply.
 * reply: size bytes and a NUL. from: who replied, for err.
 * Returns 0, or -1 with err set if the reply answers another request, or does
 * not say which. */
int astra_bind_check(char *reply, size_t size, const char *credential,
		     const char *from, struct astra_error *err);

/* Signs a request as the calling user. Returns the credential, to be freed with
 * free(), or NULL with err set. */
char *astra_sign(const char *auth, const char *message, size_t size,
		 struct astra_error *err);

/* Signs a message with munged, so that only root and the user uid can unpack
 * it. Returns as astra_sign(). */
char *astra_sign_for(const char *munge_socket, uint32_t uid,
		     const char *message, size_t size, struct astra_error *err);

/* Unpacks a credential. Refuses a credential that is expired or forged, or a
 * replayed one of MUNGE. With auth/slurm it must be a reply's;
 * src/slurm/desk/server_token.h unpacks those of requests.
 * message: gets the message, ended by a NUL; free() it.
 * uid: gets the sender's uid.
 * Blocks until the daemon has answered.
 * Returns 0, or -1 with err set. */
int astra_verify(const char *auth, const char *credential, char **message,
		 size_t *size, uint32_t *uid, struct astra_error *err);

#endif
