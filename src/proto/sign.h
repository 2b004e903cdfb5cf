/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MUNGE around a message: who sent it, and that it was sent once. */
#ifndef ASTRA_SIGN_H
#define ASTRA_SIGN_H

#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

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
