/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/bind.h"

#include <stdio.h>
#include <string.h>

#include "src/common/sha256.h"

#define BIND_KEY "{\"to\":\""
#define BIND_SIZE (sizeof(BIND_KEY) - 1 + ASTRA_SHA256_HEX + 2)

/* What is put for the reply's first brace. */
static void bind_begin(const char *credential, size_t size,
		       char begin[BIND_SIZE + 1])
{
	char hex[ASTRA_SHA256_HEX + 1];

	astra_sha256(credential, size, hex);
	(void)snprintf(begin, BIND_SIZE + 1, BIND_KEY "%s\",", hex);
}

void astra_bind(const char *reply, size_t size, const char *credential,
		size_t credential_size, struct astra_text *out)
{
	char begin[BIND_SIZE + 1];

	bind_begin(credential, credential_size, begin);
	astra_text_add(out, begin, BIND_SIZE);
	astra_text_add(out, reply + 1, size - 1);
}

int astra_bind_check(char *reply, size_t size, const char *credential,
		     const char *from, struct astra_error *err)
{
	char begin[BIND_SIZE + 1];

	bind_begin(credential, strlen(credential), begin);
	if (strncmp(reply, BIND_KEY, strlen(BIND_KEY)) != 0)
		return astra_error_set(
			err,
			"%s: the reply does not say which request it answers: slurmctld there has an older Astraea than this host: update it, as slurmctld is updated before other hosts",
			from);
	if (size < BIND_SIZE || strncmp(reply, begin, BIND_SIZE) != 0)
		return astra_error_set(
			err,
			"%s: the reply answers another request: something between this host and slurmctld gives old replies back, tell the administrator",
			from);
	memmove(reply + 1, reply + BIND_SIZE, size - BIND_SIZE + 1);
	return 0;
}
