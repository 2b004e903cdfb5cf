/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A token of Slurm's auth/slurm: three parts in base64url. The second is a JSON
 * object, the third the signature over the first two. Its "payload" carries a
 * message of ours. A mark distinguishes requests from replies, and both from
 * the hash of one of Slurm's RPCs.
 *
 * Slurm keeps no list of tokens that it has seen, and two tokens of the same
 * second are equal. So a request has a random number, and its reader checks
 * that the number is new. */
#ifndef ASTRA_TOKEN_H
#define ASTRA_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/common/text.h"

#define ASTRA_TOKEN_ANYBODY UINT32_MAX /* reader: anyone with the key */
#define ASTRA_TOKEN_SEC 60	       /* maximum age of a request */
#define ASTRA_TOKEN_MESSAGE_MAX ((size_t)1 << 20)

struct astra_token {
	uint32_t uid;	  /* who signed */
	uint32_t reader;  /* who may verify it */
	int64_t made_sec; /* when it was signed, by the signer's clock */
	int64_t end_sec;
	char *payload; /* owned; ended by a NUL */
	size_t size;
};

/* Whether a text may be a token. */
bool astra_token_is(const char *token);

/* Reads a token, without checking its signature.
 * out: for astra_token_clear().
 * Returns 0, or -1 with err set and out empty. */
int astra_token_read(const char *token, struct astra_token *out,
		     struct astra_error *err);
void astra_token_clear(struct astra_token *token);

/* Returns how many bytes of a token the signature covers. */
size_t astra_token_signed(const char *token);

/* Append the payload for a request; for a reply. Return 0, or -1 with err
 * set. */
int astra_token_request(const char *message, size_t size,
			struct astra_text *out, struct astra_error *err);
int astra_token_reply(const char *message, size_t size, struct astra_text *out,
		      struct astra_error *err);

/* Return the message in a request's or a reply's payload, which ends with a
 * NUL; NULL if the payload is of another kind. */
const char *astra_token_request_of(const char *payload, size_t size);
const char *astra_token_reply_of(const char *payload, size_t size);

#endif
