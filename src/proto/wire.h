/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The socket's messages, as in doc/protocol.md: a length of four bytes, most
 * significant first, then that many bytes. A request is JSON, signed by MUNGE
 * or auth/slurm. A reply is JSON; over the network it is signed as well. */
#ifndef ASTRA_WIRE_H
#define ASTRA_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

#define ASTRA_PROTOCOL 1
#define ASTRA_FRAME_HEAD 4
#define ASTRA_REQUEST_MAX ((size_t)1 << 20)
#define ASTRA_REPLY_MAX ((size_t)64 << 20)
/* The longest credential around 1 MiB, as text. */
#define ASTRA_SIGNED_MAX ((size_t)2 << 20)
#define ASTRA_REPLY_SEC 60 /* how long to wait for each part of a reply */

/* What can be wrong with a request. The fault's name is part of the reply. */
enum astra_fault {
	ASTRA_FAULT_NONE,
	ASTRA_FAULT_MALFORMED, /* not JSON, or not as the protocol says */
	ASTRA_FAULT_VERSION,   /* another version of the protocol */
	ASTRA_FAULT_AUTH,      /* no valid, fresh credential */
	ASTRA_FAULT_DENIED,    /* not allowed to this user */
	ASTRA_FAULT_NOT_FOUND, /* there is no such job, or the user may not see
				* it */
	ASTRA_FAULT_STALE,     /* sent by an earlier run of the job */
	ASTRA_FAULT_TOO_LARGE, /* request or reply above its bound */
	ASTRA_FAULT_RATE,      /* too many requests from this user */
	ASTRA_FAULT_BUSY,      /* too many clients */
	ASTRA_FAULT_TIMEOUT,   /* the request took too long to arrive */
	ASTRA_FAULT_NO_DATA,   /* no round has ended yet, or no history */
	ASTRA_FAULT_INTERNAL,  /* out of memory */
};

/* Returns "malformed", "version", ... */
const char *astra_fault_name(enum astra_fault fault);

/* Returns the fault of this name, or ASTRA_FAULT_INTERNAL. */
enum astra_fault astra_fault_find(const char *name);

void astra_frame_write(uint8_t head[ASTRA_FRAME_HEAD], size_t size);
size_t astra_frame_read(const uint8_t head[ASTRA_FRAME_HEAD]);

/* Sends a request and waits for its reply. Gives up after a minute, or
 * wait_sec, without a byte of the reply. Asks a busy server again, for less
 * than 2 s.
 * path: the socket's path, or as astra_dial() takes it.
 * auth: who signs, as in src/proto/sign.h.
 * request: JSON; it is signed here.
 * reply: gets the reply's JSON; free() it.
 * Returns 0; ASTRA_ABSENT (src/proto/dial.h) if nobody listens or the plugin is
 * stopping; or -1. err says what is wrong and what to do. */
int astra_call_within(const char *path, const char *auth, const char *request,
		      int wait_sec, char **reply, struct astra_error *err);
int astra_call(const char *path, const char *auth, const char *request,
	       char **reply, struct astra_error *err);

#endif
