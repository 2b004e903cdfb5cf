/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection to the plugin, over its socket or over the network. */
#ifndef ASTRA_DIAL_H
#define ASTRA_DIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/common/text.h"

/* Nobody listens: no such socket, or the connection was refused. */
#define ASTRA_ABSENT (-2)

#define ASTRA_UID_UNKNOWN UINT32_MAX

/* The other end of a connection. */
struct astra_peer {
	bool remote;	/* over the network: the reply has to be signed */
	uint32_t uid;	/* the user, besides root, who may sign the reply */
	char name[280]; /* host and port; over the network only */
};

/* Connects to the plugin. path: [UID@] and then the path of a socket, or
 * HOST:PORT[,HOST:PORT...]; the first host that answers is taken. An IPv6
 * address is in brackets. UID is SlurmUser's. A socket that fails
 * astra_dial_trusts() is refused. wait_sec: timeout for each part of a reply.
 * Returns a descriptor, or ASTRA_ABSENT or -1 with err set: why the first host
 * was not taken. */
int astra_dial(const char *path, int wait_sec, struct astra_peer *peer,
	       struct astra_error *err);

/* Receives exactly size bytes. Returns 0, or -1 with errno; ECONNRESET if the
 * other end has closed the connection. */
int astra_dial_receive(int fd, void *bytes, size_t size);

/* Returns the path without UID@. uid: gets UID, or ASTRA_UID_UNKNOWN if there
 * is none. */
const char *astra_dial_user(const char *path, uint32_t *uid);

/* Whether the user who listens at a socket may answer for slurmctld: root,
 * SlurmUser or the caller. If SlurmUser is not known, or a user namespace hides
 * who listens, the socket's folder decides: it must belong to that user, or be
 * writable by its owner only.
 * who: uid of the user who listens. slurm_user: SlurmUser's uid, or
 * ASTRA_UID_UNKNOWN. */
bool astra_dial_trusts(const char *path, uint32_t who, uint32_t slurm_user);

/* Whether path is a socket that may be the plugin's. */
bool astra_dial_is_here(const char *path, uint32_t slurm_user);

/* Writes the path of a plugin on the network.
 * shared: SlurmctldAddr, an address of the controller in charge, asked first;
 * NULL: none. hosts: all controllers; the one in charge answers. first: index
 * of the host to ask first. uid: SlurmUser. */
void astra_dial_write(const char *shared, char *const *hosts, size_t count,
		      size_t first, unsigned int port, uint32_t uid,
		      struct astra_text *out);

#endif
