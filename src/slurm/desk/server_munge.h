/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The query server's questions to munged, in a thread of their own. libmunge
 * waits as long as munged lets it; so a munged that hangs delays no other
 * client, and does not delay slurmctld's end. With auth/slurm the thread asks
 * Slurm's plugin (src/slurm/desk/server_token.h). */
#ifndef ASTRA_SERVER_MUNGE_H
#define ASTRA_SERVER_MUNGE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/proto/wire.h"

/* How long the server waits for an answer. Until the answer has come after all,
 * further questions fail at once. */
#define SERVER_MUNGE_MSEC 1000

struct astra_server_options;
struct server_munge;

/* Start the thread. options: munge_socket is copied, slurm_auth borrowed. stop:
 * when it is set, nothing is waited for; must outlive the result. Returns NULL
 * with err set. */
struct server_munge *
server_munge_start(const struct astra_server_options *options,
		   const atomic_bool *stop, struct astra_error *err);

/* Stop the thread. Waits for Slurm's plugin but not for munged: a thread that
 * does is left behind and frees everything. Accepts NULL. */
void server_munge_stop(struct server_munge *munge);

/* As astra_verify() and astra_sign_for() (src/proto/sign.h). One thread.
 * server_munge_verify() returns a fault, or ASTRA_FAULT_NONE. */
enum astra_fault server_munge_verify(struct server_munge *munge,
				     const char *credential, char **message,
				     size_t *size, uint32_t *uid,
				     struct astra_error *err);
/* Forget the last request, which is not served, so that it takes no place. */
void server_munge_forget(struct server_munge *munge);
char *server_munge_sign_for(struct server_munge *munge, uint32_t uid,
			    const char *message, size_t size,
			    struct astra_error *err);

#endif
