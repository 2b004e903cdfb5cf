/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/status.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/proto/wire.h"

#define STATUS_NAME "astraea "

void astra_status_write(const struct astra_status *status,
			struct astra_text *out)
{
	astra_text_printf(
		out, STATUS_NAME "protocol=%d answers=%s port=%u host=%s\n",
		ASTRA_PROTOCOL, status->answers ? "yes" : "no", status->port,
		status->host);
}

/* Returns the port, or 0. */
static unsigned int status_port(const char *text)
{
	char *end;
	unsigned long port;

	if (!isdigit((unsigned char)*text))
		return 0;
	port = strtoul(text, &end, 10);
	return port > UINT16_MAX || !strchr(" \n", *end) ? 0
							 : (unsigned int)port;
}

bool astra_status_read(const char *text, struct astra_status *out)
{
	const char *at = text;

	if (!at || strncmp(at, STATUS_NAME, strlen(STATUS_NAME)) != 0)
		return false;
	*out = (struct astra_status){0};
	while (*at && *at != '\n') {
		size_t size = strcspn(at, " \n");

		if (size == 11 && !strncmp(at, "answers=yes", size))
			out->answers = true;
		else if (!strncmp(at, "port=", 5))
			out->port = status_port(at + 5);
		else if (!strncmp(at, "host=", 5))
			(void)snprintf(out->host, sizeof(out->host), "%.*s",
				       (int)size - 5, at + 5);
		at += size;
		at += strspn(at, " ");
	}
	return true;
}
