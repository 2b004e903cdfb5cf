/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/place.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/proto/dial.h"
#include "src/proto/sack.h"

/* Returns the value of the first of two variables that has one; "" if neither
 * has. */
static const char *place_either(const char *first, const char *second)
{
	const char *value = getenv(first);

	if (!value || !*value)
		value = second ? getenv(second) : NULL;
	return value ? value : "";
}

/* Parse a number. Returns 0, or -1 if the text is not a whole number below 2^32
 * - 1. */
static int place_parse_u32(const char *text, uint32_t *out)
{
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	value = strtoull(text, &end, 10);
	if (*end || value >= UINT32_MAX)
		return -1;
	*out = (uint32_t)value;
	return 0;
}

static int read_u32(const char *name, uint32_t *out)
{
	return place_parse_u32(place_either(name, NULL), out);
}

static double place_read_sec(const char *name)
{
	double value = strtod(place_either(name, NULL), NULL);

	return value > 0 && value < 1e18 ? value : 0;
}

int sfair_place_signal(const char *text)
{
	uint32_t number;

	if (!place_parse_u32(text, &number))
		return number < NSIG ? (int)number : 0;
	for (int i = 1; i < NSIG; i++) {
		const char *known = sigabbrev_np(i);

		if (known && !strcmp(known, text))
			return i;
	}
	return 0;
}

static bool place_copy(char *out, size_t size, const char *text)
{
	return snprintf(out, size, "%s", text) < (int)size;
}

/* Find the plugin's socket if it is on this host, else the plugin's address,
 * which also names SlurmUser's uid. Returns false if out has no room. */
static bool find_socket(char *out, size_t size)
{
	const char *given = place_either("SFAIR_SOCKET", "ASTRAEA_SOCKET");
	const char *address = place_either("ASTRAEA_ADDRESS", NULL);
	uint32_t slurm_user;
	const char *path = astra_dial_user(given, &slurm_user);

	if (slurm_user == ASTRA_UID_UNKNOWN)
		(void)astra_dial_user(address, &slurm_user);
	if (*path != '/' || (*address && !astra_dial_is_here(path, slurm_user)))
		return place_copy(out, size,
				  *path == '/' || !*given ? address : given);
	if (slurm_user == ASTRA_UID_UNKNOWN)
		return place_copy(out, size, path);
	return snprintf(out, size, "%u@%s", slurm_user, path) < (int)size;
}

/* Returns how messages are signed. If the plugin names auth/slurm, that
 * overrides a munged that the user's environment names. */
static const char *place_auth(void)
{
	const char *auth = place_either("SFAIR_AUTH", "ASTRAEA_AUTH");
	const char *munge;

	if (astra_sack_is(auth))
		return auth;
	munge = place_either("SFAIR_MUNGE_SOCKET", "MUNGE_SOCKET");
	return *munge ? munge : place_either("ASTRAEA_MUNGE_SOCKET", NULL);
}

void sfair_place_read(struct sfair_place *p)
{
	uint32_t rank = 0;

	*p = (struct sfair_place){
		.signal = sfair_place_signal(
			place_either("ASTRAEA_CHECKPOINT_SIGNAL", NULL)),
		.end_sec = place_read_sec("ASTRAEA_LEASE_END"),
		.grace_sec = place_read_sec("ASTRAEA_LEASE_GRACE"),
	};
	if (read_u32("SLURM_RESTART_COUNT", &p->run) < 0)
		p->run = 0;
	if (read_u32("RANK", &rank) < 0)
		(void)read_u32("SLURM_PROCID", &rank);
	p->speaks = rank == 0;
	if (read_u32("SLURM_JOB_ID", &p->job) < 0)
		p->job = 0;
	if (read_u32("ASTRAEA_GPUS", &p->gpus) < 0 ||
	    read_u32("ASTRAEA_GPUS_BEFORE", &p->gpus_before) < 0)
		p->gpus = p->gpus_before = 0;
	p->reaches = find_socket(p->socket, sizeof(p->socket)) && *p->socket &&
		     place_copy(p->auth, sizeof(p->auth), place_auth());
	p->leased = p->reaches && *place_either("ASTRAEA_POOL", NULL) && p->job;
}
