/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes over the socket, as doc/protocol.md writes it: a length of four
 * bytes, most significant first, then so many bytes. A request's bytes are a
 * credential around JSON, of MUNGE or auth/slurm; a reply's bytes are JSON.
 */
#ifndef ASTRA_WIRE_H
#define ASTRA_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

#define ASTRA_PROTOCOL 1
#define ASTRA_FRAME_HEAD 4
#define ASTRA_REQUEST_MAX ((size_t)1 << 20)
#define ASTRA_REPLY_MAX ((size_t)64 << 20)
/* A credential of 1 MiB, as text. */
#define ASTRA_SIGNED_MAX ((size_t)2 << 20)
#define ASTRA_REPLY_SEC 60 /* to wait for each part of a reply */

/* What can be wrong with a request. Its name goes into the reply. */
enum astra_fault {
	ASTRA_FAULT_NONE,
	ASTRA_FAULT_MALFORMED, /* no JSON, or not what the protocol says */
	ASTRA_FAULT_VERSION,   /* another version of the protocol */
	ASTRA_FAULT_AUTH,      /* no valid, fresh credential */
	ASTRA_FAULT_DENIED,    /* not allowed to this user */
	ASTRA_FAULT_NOT_FOUND, /* no such job, or none that the user may see */
	ASTRA_FAULT_STALE,     /* sent by an earlier run of the job */
	ASTRA_FAULT_TOO_LARGE, /* request or reply above its bound */
	ASTRA_FAULT_RATE,      /* too many requests of this user */
	ASTRA_FAULT_BUSY,      /* too many clients */
	ASTRA_FAULT_TIMEOUT,   /* the request took too long to arrive */
	ASTRA_FAULT_NO_DATA,   /* no round has ended yet, or no history */
	ASTRA_FAULT_INTERNAL,  /* out of memory */
};

/* "malformed", "version", … */
const char *astra_fault_name(enum astra_fault fault);

/* The fault of that name, or ASTRA_FAULT_INTERNAL. */
enum astra_fault astra_fault_find(const char *name);

void astra_frame_write(uint8_t head[ASTRA_FRAME_HEAD], size_t size);
size_t astra_frame_read(const uint8_t head[ASTRA_FRAME_HEAD]);

/* Send one request and wait for its reply.
 * path: of the socket, or as astra_dial() takes it. auth: who signs, as in
 * src/proto/sign.h. request: JSON; it is signed here. reply: set to the reply's
 * JSON; free() it. It gives up after a minute without a byte of the reply, or
 * after wait_sec. One that is busy is asked again, for less than 2 s. Returns
 * 0, or with err naming what is wrong and what to do ASTRA_ABSENT
 * (src/proto/dial.h) where nobody listens, or the plugin is stopping, and -1
 * otherwise.
 */
int astra_call_within(const char *path, const char *auth, const char *request,
		      int wait_sec, char **reply, struct astra_error *err);
int astra_call(const char *path, const char *auth, const char *request,
	       char **reply, struct astra_error *err);

#endif
