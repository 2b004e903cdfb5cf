/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/token.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define REQUEST "astraea request "
#define REPLY "astraea reply "
#define NONCE_BYTES 16
#define NONCE_HEX (2 * NONCE_BYTES)

/* Longest first part, which names the key. Slurm logs an unknown name in
 * full. */
#define HEAD_MAX 1024

static const char url_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* Returns the value of a digit of base64 or base64url, or -1. */
static int token_digit(char c)
{
	const char *at = c ? strchr(url_digits, c) : NULL;

	if (c == '+')
		return 62;
	if (c == '/')
		return 63;
	return at ? (int)(at - url_digits) : -1;
}

/* Decodes base64 into a text that ends with a NUL, to be freed. Returns NULL if
 * the text is not base64, or if out of memory. */
static char *token_decode(const char *text, size_t size, size_t *out_size)
{
	char *out = malloc(size / 4 * 3 + 4), *to = out;
	uint32_t bits = 0;
	int have = 0;

	while (size && text[size - 1] == '=')
		size--;
	for (size_t i = 0; out && i < size; i++) {
		int digit = token_digit(text[i]);

		if (digit < 0) {
			free(out);
			return NULL;
		}
		bits = bits << 6 | (uint32_t)digit;
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		*to++ = (char)(bits >> have);
	}
	if (!out)
		return NULL;
	*to = '\0';
	*out_size = (size_t)(to - out);
	return out;
}

bool astra_token_is(const char *token)
{
	size_t first = strspn(token, url_digits), second, third;

	if (!first || first > HEAD_MAX || token[first] != '.')
		return false;
	token += first + 1;
	second = strspn(token, url_digits);
	if (!second || token[second] != '.')
		return false;
	token += second + 1;
	third = strspn(token, url_digits);
	return third && !token[third];
}

size_t astra_token_signed(const char *token)
{
	const char *dot = strrchr(token, '.');

	return dot ? (size_t)(dot - token) : strlen(token);
}

/* Returns the second part of a token, or NULL. */
static json_t *token_claims(const char *token)
{
	const char *begin = strchr(token, '.') + 1;
	size_t size = strcspn(begin, "."), json_size;
	char *json = token_decode(begin, size, &json_size);
	json_t *claims = json ? json_loadb(json, json_size, 0, NULL) : NULL;

	free(json);
	return claims;
}

/* Reads an integer of 32 bits. (uid_t)-1 may be written as 4294967295 or as -1.
 * Returns 0 or -1. */
static int token_u32(const json_t *claims, const char *key, uint32_t *out)
{
	const json_t *member = json_object_get(claims, key);
	json_int_t value = json_integer_value(member);

	if (!json_is_integer(member) || value < -1 || value > UINT32_MAX)
		return -1;
	*out = (uint32_t)value;
	return 0;
}

static int token_sec(const json_t *claims, const char *key, int64_t *out)
{
	const json_t *member = json_object_get(claims, key);

	*out = json_integer_value(member);
	return json_is_integer(member) ? 0 : -1;
}

/* Whether a token says who its sender is. A credential of a job is a token too,
 * but does not say so. */
static bool token_is_auth(const json_t *claims)
{
	const char *context =
		json_string_value(json_object_get(claims, "context"));

	return context &&
	       (!strcmp(context, "auth") || !strcmp(context, "sack"));
}

static int token_fill(const json_t *claims, struct astra_token *out)
{
	const json_t *payload = json_object_get(claims, "payload");

	*out = (struct astra_token){0};
	if (!token_is_auth(claims) || !json_is_string(payload) ||
	    token_u32(claims, "uid", &out->uid) < 0 ||
	    token_u32(claims, "ruid", &out->reader) < 0 ||
	    token_sec(claims, "iat", &out->made_sec) < 0 ||
	    token_sec(claims, "exp", &out->end_sec) < 0)
		return -1;
	out->payload = token_decode(json_string_value(payload),
				    json_string_length(payload), &out->size);
	return out->payload ? 0 : -1;
}

int astra_token_read(const char *token, struct astra_token *out,
		     struct astra_error *err)
{
	json_t *claims = astra_token_is(token) ? token_claims(token) : NULL;
	int rc = token_fill(claims, out);

	json_decref(claims);
	if (rc < 0)
		return astra_error_set(
			err,
			"auth/slurm: it is no token that carries a message");
	return 0;
}

void astra_token_clear(struct astra_token *token)
{
	free(token->payload);
	*token = (struct astra_token){0};
}

static int token_payload(const char *mark, const char *message, size_t size,
			 struct astra_text *out, struct astra_error *err)
{
	if (size > ASTRA_TOKEN_MESSAGE_MAX)
		return astra_error_set(
			err,
			"auth/slurm: a message of %zu bytes is more than the 1 MiB that a token carries",
			size);
	astra_text_add(out, mark, strlen(mark));
	astra_text_add(out, message, size);
	return out->failed ? astra_error_nomem(err) : 0;
}

int astra_token_request(const char *message, size_t size,
			struct astra_text *out, struct astra_error *err)
{
	char mark[sizeof(REQUEST) + NONCE_HEX + 1] = REQUEST;
	char *to = mark + strlen(REQUEST);
	uint8_t nonce[NONCE_BYTES];

	if (getrandom(nonce, sizeof(nonce), 0) != sizeof(nonce))
		return astra_error_set(err,
				       "the kernel gives no random number");
	for (int i = 0; i < NONCE_BYTES; i++) {
		*to++ = "0123456789abcdef"[nonce[i] >> 4];
		*to++ = "0123456789abcdef"[nonce[i] & 15];
	}
	*to++ = ' ';
	*to = '\0';
	return token_payload(mark, message, size, out, err);
}

int astra_token_reply(const char *message, size_t size, struct astra_text *out,
		      struct astra_error *err)
{
	return token_payload(REPLY, message, size, out, err);
}

const char *astra_token_request_of(const char *payload, size_t size)
{
	const char *nonce = payload + strlen(REQUEST);

	if (size < strlen(REQUEST) + NONCE_HEX + 1 ||
	    strncmp(payload, REQUEST, strlen(REQUEST)) != 0 ||
	    strspn(nonce, "0123456789abcdef") < NONCE_HEX ||
	    nonce[NONCE_HEX] != ' ')
		return NULL;
	return nonce + NONCE_HEX + 1;
}

const char *astra_token_reply_of(const char *payload, size_t size)
{
	if (size < strlen(REPLY) || strncmp(payload, REPLY, strlen(REPLY)) != 0)
		return NULL;
	return payload + strlen(REPLY);
}
