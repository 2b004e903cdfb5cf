/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A token of Slurm's auth/slurm: three parts in base64url, the second a JSON
 * object, the third the signature over the first two. Its "payload" carries a
 * message of ours, marked as a request or a reply: so it is never taken for the
 * other one, nor for the hash of an RPC of Slurm's.
 *
 * Slurm keeps no list of tokens seen, and two tokens of one second are alike: a
 * request has a random number, and its reader looks whether it came before.
 */
#ifndef ASTRA_TOKEN_H
#define ASTRA_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/common/text.h"

#define ASTRA_TOKEN_ANYBODY UINT32_MAX /* reader: whoever has the key */
#define ASTRA_TOKEN_SEC 60	       /* a request is not older */
#define ASTRA_TOKEN_MESSAGE_MAX ((size_t)1 << 20)

struct astra_token {
	uint32_t uid;	  /* who signed */
	uint32_t reader;  /* who may check it */
	int64_t made_sec; /* by the signer's clock */
	int64_t end_sec;
	char *payload; /* owned; ended by a NUL */
	size_t size;
};

/* Whether it can be one. */
bool astra_token_is(const char *token);

/* Read what a token says. Its signature is not checked.
 * out: for astra_token_clear().
 * Returns 0, or -1 with err set and out empty. */
int astra_token_read(const char *token, struct astra_token *out,
		     struct astra_error *err);
void astra_token_clear(struct astra_token *token);

/* Bytes of it that the signature is over. */
size_t astra_token_signed(const char *token);

/* The payload for a message. Returns 0, or -1 with err set. */
int astra_token_request(const char *message, size_t size,
			struct astra_text *out, struct astra_error *err);
int astra_token_reply(const char *message, size_t size, struct astra_text *out,
		      struct astra_error *err);

/* The message in a payload that ends with a NUL; NULL: it is none of that kind.
 */
const char *astra_token_request_of(const char *payload, size_t size);
const char *astra_token_reply_of(const char *payload, size_t size);

#endif
