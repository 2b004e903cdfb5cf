/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which hosts may connect, and under which names this host is known. */
#include <arpa/inet.h>
#include <ctype.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "src/cmd/sfair/http.h"

#define MAPPED_BITS 96
#define NAME_BYTES 256

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static bool nets_is_set(const uint8_t *address, unsigned int bit)
{
	return address[bit / 8] >> (7 - bit % 8) & 1;
}

/* Reads an address. Returns how many leading bits are the IPv4 mapping (0 for
 * IPv6), or -1 if the text is invalid. */
static int nets_read_address(const char *text, uint8_t *out)
{
	if (inet_pton(AF_INET6, text, out) == 1)
		return 0;
	memcpy(out, mapped, sizeof(mapped));
	return inet_pton(AF_INET, text, out + sizeof(mapped)) == 1 ? MAPPED_BITS
								   : -1;
}

/* Reads a network. text: changed. */
static int nets_read(char *text, struct http_net *out)
{
	char *slash = strchr(text, '/'), *end;
	unsigned long bits;
	int before;

	if (slash)
		*slash++ = '\0';
	before = nets_read_address(text, out->address);
	if (before < 0)
		return -1;
	out->bits = 128;
	if (slash) {
		bits = strtoul(slash, &end, 10);
		if (!isdigit((unsigned char)*slash) || *end ||
		    bits > 128 - (unsigned long)before)
			return -1;
		out->bits = (unsigned int)bits + (unsigned int)before;
	}
	for (unsigned int bit = out->bits; bit < 128; bit++)
		if (nets_is_set(out->address, bit))
			return -1;
	return 0;
}

static int nets_add(struct http_nets *nets, const char *text, size_t size,
		    struct astra_error *err)
{
	char word[64] = "";
	struct http_net *net = &nets->list[nets->count];

	if (nets->count == HTTP_NETS_MAX)
		return astra_error_set(err, "more than %d networks",
				       HTTP_NETS_MAX);
	if (size < sizeof(word))
		memcpy(word, text, size);
	if (!strcmp(word, "all"))
		*net = (struct http_net){.bits = 0};
	else if (nets_read(word, net) < 0)
		return astra_error_set(
			err,
			"%.*s is no address or network: as 192.0.2.7, 10.0.0.0/8, 2001:db8::/32 or all, with no bits set behind the /",
			(int)(size < 64 ? size : 64), text);
	nets->count++;
	return 0;
}

int http_nets_parse(struct http_nets *nets, const char *text,
		    struct astra_error *err)
{
	for (;;) {
		size_t size = strcspn(text, ",");

		if (nets_add(nets, text, size, err) < 0)
			return -1;
		if (!text[size])
			return 0;
		text += size + 1;
	}
}

static bool nets_bytes_of(const struct sockaddr *address, uint8_t *out)
{
	if (address->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const void *)address;

		memcpy(out, &in6->sin6_addr, 16);
		return true;
	}
	if (address->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)address;

		memcpy(out, mapped, sizeof(mapped));
		memcpy(out + sizeof(mapped), &in->sin_addr, 4);
		return true;
	}
	return false;
}

static bool nets_has(const struct http_net *net, const uint8_t *address)
{
	for (unsigned int bit = 0; bit < net->bits; bit++)
		if (nets_is_set(net->address, bit) != nets_is_set(address, bit))
			return false;
	return true;
}

bool http_nets_have(const struct http_nets *nets,
		    const struct sockaddr *address)
{
	uint8_t bytes[16];

	if (!nets_bytes_of(address, bytes))
		return false;
	for (size_t i = 0; i < nets->count; i++)
		if (nets_has(&nets->list[i], bytes))
			return true;
	return false;
}

bool http_is_loopback(const struct sockaddr *address)
{
	static const struct http_net v4 = {
		{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127}, 104};
	static const struct http_net v6 = {{[15] = 1}, 128};
	uint8_t bytes[16];

	return nets_bytes_of(address, bytes) &&
	       (nets_has(&v4, bytes) || nets_has(&v6, bytes));
}

bool http_host_known(const char *host, const struct astra_names *names)
{
	char name[NAME_BYTES];
	uint8_t bytes[16];
	size_t size = *host == '[' ? strcspn(++host, "]") : strcspn(host, ":");

	if (size >= sizeof(name))
		return false;
	memcpy(name, host, size);
	name[size] = '\0';
	if (size && name[size - 1] == '.')
		name[--size] = '\0';
	if (nets_read_address(name, bytes) >= 0 ||
	    !strcasecmp(name, "localhost"))
		return true;
	for (size_t i = 0; i < names->count; i++)
		if (!strcasecmp(name, names->names[i]))
			return true;
	return false;
}

int http_own_names(struct astra_names *names)
{
	const struct addrinfo hints = {.ai_flags = AI_CANONNAME};
	struct addrinfo *found = NULL;
	char host[NAME_BYTES] = "";
	size_t short_size;
	int rc;

	if (gethostname(host, sizeof(host) - 1) < 0 || !*host)
		return 0;
	short_size = strcspn(host, ".");
	rc = astra_names_add(names, host, strlen(host));
	if (!rc && host[short_size])
		rc = astra_names_add(names, host, short_size);
	if (!rc && !getaddrinfo(host, NULL, &hints, &found)) {
		if (found->ai_canonname)
			rc = astra_names_add(names, found->ai_canonname,
					     strlen(found->ai_canonname));
		freeaddrinfo(found);
	}
	return rc;
}
