/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MUNGE around a message: who sent it, and that it was sent once. */
#ifndef ASTRA_SIGN_H
#define ASTRA_SIGN_H

#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/common/text.h"

/* Have a reply say whom it answers.
 * reply: a JSON object that is not empty. credential: the request's bytes.
 * out: added to; marked failed when out of memory. */
void astra_bind(const char *reply, size_t size, const char *credential,
		size_t credential_size, struct astra_text *out);

/* Look whether it does, and take that out of it.
 * reply: of size bytes, and a NUL. from: who replied, for err.
 * Returns 0, or -1 with err set: it answers another request, or does not say.
 */
int astra_bind_check(char *reply, size_t size, const char *credential,
		     const char *from, struct astra_error *err);

/* Pack a message into a credential of the calling user.
 * munge_socket: of the munged to ask; NULL: $MUNGE_SOCKET, else the default.
 * Returns the credential, to be freed with free(), or NULL with err set. */
char *astra_sign(const char *munge_socket, const char *message, size_t size,
		 struct astra_error *err);

/* The same, which only one user can unpack (and root). */
char *astra_sign_for(const char *munge_socket, uint32_t uid,
		     const char *message, size_t size, struct astra_error *err);

/* Unpack a credential. A replayed, expired or forged one is refused.
 * message: set to the message, ended by a NUL; free() it.
 * uid: set to the sender's.
 * Blocks until munged has answered.
 * Returns 0, or -1 with err set. */
int astra_verify(const char *munge_socket, const char *credential,
		 char **message, size_t *size, uint32_t *uid,
		 struct astra_error *err);

#endif
