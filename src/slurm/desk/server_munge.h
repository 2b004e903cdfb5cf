/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The query server asks munged in a thread of its own, since libmunge waits as
 * long as munged lets it. So a munged that hangs delays no other client, nor
 * the end of slurmctld. With auth/slurm the thread asks Slurm's plugin
 * (src/slurm/desk/server_token.h). */
#ifndef ASTRA_SERVER_MUNGE_H
#define ASTRA_SERVER_MUNGE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/proto/wire.h"

/* How long the server waits for an answer. After that, further questions fail
 * at once until the late answer has come. */
#define SERVER_MUNGE_MSEC 1000

struct astra_server_options;
struct server_munge;

/* Start the thread. options: munge_socket is copied, slurm_auth borrowed. stop:
 * once it is set, the server waits for no answer; must outlive the result.
 * Returns NULL with err set on failure. */
struct server_munge *
server_munge_start(const struct astra_server_options *options,
		   const atomic_bool *stop, struct astra_error *err);

/* Stop the thread. Waits for Slurm's plugin but not for munged: a thread that
 * waits for munged is left behind and frees everything later. munge may be
 * NULL. */
void server_munge_stop(struct server_munge *munge);

/* As astra_verify() and astra_sign_for() (src/proto/sign.h). Call from one
 * thread only. server_munge_verify() returns a fault, or ASTRA_FAULT_NONE. */
enum astra_fault server_munge_verify(struct server_munge *munge,
				     const char *credential, char **message,
				     size_t *size, uint32_t *uid,
				     struct astra_error *err);
/* Forget the last request, since it is not served, so that it takes no place in
 * the list of signatures. */
void server_munge_forget(struct server_munge *munge);
char *server_munge_sign_for(struct server_munge *munge, uint32_t uid,
			    const char *message, size_t size,
			    struct astra_error *err);

#endif
