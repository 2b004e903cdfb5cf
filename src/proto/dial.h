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

#define ASTRA_UID_UNKNOWN UINT32_MAX

/* Who is at the other end. */
struct astra_peer {
	bool remote;	/* over the network: the reply has to be signed */
	uint32_t uid;	/* by this user, or by root */
	char name[280]; /* host and port; over the network only */
};

/* path: [UID@] and a socket's, or HOST:PORT[,HOST:PORT...], of which the first
 * that answers is taken; an IPv6 address is in brackets. UID is SlurmUser's.
 * At a socket somebody else than astra_dial_trusts() has it is not taken.
 * wait_sec: for each part of a reply. Returns a descriptor, or ASTRA_ABSENT or
 * -1 with err set: why the first one was not taken. */
int astra_dial(const char *path, int wait_sec, struct astra_peer *peer,
	       struct astra_error *err);

/* Receive so many bytes. Returns 0, or -1 with errno: ECONNRESET where the other
 * end has closed the connection. */
int astra_dial_receive(int fd, void *bytes, size_t size);

/* The path without its UID@; uid: set to that, or to ASTRA_UID_UNKNOWN. */
const char *astra_dial_user(const char *path, uint32_t *uid);

/* Whether who listens at a socket may answer for slurmctld: root, SlurmUser or
 * the caller. Where SlurmUser is not known, or a user namespace hides who
 * listens, its folder tells: that user's own, or one where nobody but its owner
 * can have put anything.
 * who: the uid. slurm_user: or ASTRA_UID_UNKNOWN. */
bool astra_dial_trusts(const char *path, uint32_t who, uint32_t slurm_user);

/* Whether there is a socket that may be the plugin's. */
bool astra_dial_is_here(const char *path, uint32_t slurm_user);

/* Write the path of a plugin on the network.
 * shared: SlurmctldAddr, an address of whichever controller is in charge, asked
 * before all; NULL: none. hosts: of all controllers; whichever is in charge
 * answers. first: index of the one to ask first. uid: SlurmUser. */
void astra_dial_write(const char *shared, char *const *hosts, size_t count,
		      size_t first, unsigned int port, uint32_t uid,
		      struct astra_text *out);

#endif
