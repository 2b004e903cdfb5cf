/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection to the plugin: over its socket, or over the network. */
#ifndef ASTRA_DIAL_H
#define ASTRA_DIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/common/text.h"

/* Nobody listens there: no such socket, or refused. */
#define ASTRA_ABSENT (-2)

/* Who is at the other end. */
struct astra_peer {
	bool remote;	/* over the network: the reply has to be signed */
	uint32_t uid;	/* by this user, or by root */
	char name[280]; /* host and port; over the network only */
};

/* path: a socket's, or [UID@]HOST:PORT[,HOST:PORT...], of which the first that
 * answers is taken; an IPv6 address is in brackets. wait_sec: for each part of
 * a reply. Returns a descriptor, or ASTRA_ABSENT or -1 with err set: why the
 * first one was not taken. */
int astra_dial(const char *path, int wait_sec, struct astra_peer *peer,
	       struct astra_error *err);

/* Write the path of a plugin on the network.
 * hosts: of all controllers; whichever is in charge answers. first: index of
 * the one to ask first. uid: SlurmUser. */
void astra_dial_write(char *const *hosts, size_t count, size_t first,
		      unsigned int port, uint32_t uid, struct astra_text *out);

#endif
