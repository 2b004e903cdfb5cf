/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The query socket. One thread answers sfair from the last published report,
 * and another makes reports over past time, which take seconds. The server
 * takes no lock of slurmctld, and nothing that arrives on the socket can delay
 * a round: sizes, clients, times and rates are bounded. A process has one
 * server. */
#ifndef ASTRA_SERVER_H
#define ASTRA_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/common/error.h"
#include "src/proto/report.h"
#include "src/proto/wire.h"

struct astra_names;
struct astra_query;
struct astra_query_adopt;
struct astra_text;
struct astra_viewer;

/* Slurm's plugin auth/slurm in this process. Called in one of the server's
 * threads; waits only for a lock of that plugin. */
struct astra_slurm_auth {
	/* Return a token that one user, or ASTRA_TOKEN_ANYBODY, can check; for
	 * free(). NULL on failure. */
	char *(*create)(const char *payload, size_t size, uint32_t reader);
	/* Check a token. uid: set to its signer. Returns 0, or -1. */
	int (*check)(const char *token, uint32_t *uid);
};

struct astra_server_options {
	const char *path;	  /* of the socket; copied */
	const char *listen;	  /* [ADDRESS:]PORT; NULL: not on the network;
				   * copied */
	bool any_port;		  /* if the port is taken, the kernel chooses
				   * another */
	const char *munge_socket; /* NULL: $MUNGE_SOCKET, else munge's own */
	/* Signs in place of munged; borrowed. NULL: munged signs. */
	const struct astra_slurm_auth *slurm_auth;
	uid_t slurm_uid; /* SlurmUser, who sees everything, as root does */
	/* Whether a user sees everything and may reset counts. Called in the
	 * server's thread for users other than root and SlurmUser. It may take
	 * locks of its own, which delay only queries. NULL: no other user
	 * does. */
	bool (*is_operator)(uid_t uid);
	/* Get the accounts that a user coordinates, in any order. Called only
	 * if PrivateData hides something, and in the same way as is_operator.
	 * NULL: no accounts. Returns 0, or -1 when memory is out: the user then
	 * sees less. */
	int (*accounts_of)(uid_t uid, struct astra_names *out);
	/* Called in the server's thread when an operator resets the diag
	 * counts. It should set a flag for the next round. May be NULL. */
	void (*diag_reset)(void);
	/* Store what a job reports about itself, after it was found allowed.
	 * Called in the server's thread. Returns 0, or -1 with err set if it
	 * cannot be stored. NULL: nothing is stored. */
	int (*note)(const struct astra_query *query, double now_sec,
		    struct astra_error *err);
	/* Likewise store a bid of an app's agent. The report and the sender's
	 * rights allow it. */
	int (*bid)(const struct astra_report *report,
		   const struct astra_query *query,
		   const struct astra_viewer *viewer, struct astra_error *err);
	/* Make a report over past time (astra_history in src/proto/answer.h).
	 * Called in a thread for such reports only. NULL: there is no
	 * history. */
	enum astra_fault (*history)(const struct astra_query *query,
				    const struct astra_viewer *viewer,
				    const struct astra_report *report,
				    struct astra_text *out,
				    struct astra_error *err);
	/* Get a round as JSON (astra_round_order in src/proto/answer.h). Called
	 * in the server's thread. */
	int (*record)(const char *pool, uint64_t *ticket,
		      struct astra_text *out, struct astra_error *err);
	/* Set the usage that accounts begin with (astra_adopt_order in
	 * src/proto/answer.h). Called in the server's thread. */
	enum astra_fault (*adopt)(const char *pool,
				  struct astra_query_adopt *adopt, uint32_t uid,
				  uint64_t *ticket, struct astra_text *out,
				  struct astra_error *err);
	/* Log a line, without a newline. Called in the server's thread, or in
	 * the thread of start and stop. NULL: nothing is logged. */
	void (*log_line)(bool error, const char *text);
};

/* Make the socket and start the thread. A stale socket at path is replaced; a
 * socket that somebody uses, or any other file, is not. Returns 0, or -1 with
 * err set: then queries are not answered, and all else may go on. */
int astra_server_start(const struct astra_server_options *options,
		       struct astra_error *err);

/* Return the port on the network, or 0: none. Called by the thread that starts
 * and stops the server. */
unsigned int astra_server_port(void);

/* Return why the server does not answer on the network although it should, or
 * "". Locks: as astra_server_start(). */
const char *astra_server_network_error(void);

/* Answer from this report from now on. Takes over the reference. report may be
 * NULL: then replies say that nothing is known. May be called before start and
 * after stop. Locks: one of its own, held for an assignment. */
void astra_server_publish(struct astra_report *report);

/* Stop the threads, remove the socket, and forget the report. Waits for the
 * present request, about a second, or longer while munged hangs. Also waits for
 * the present report over past time, unless the host ends it. Does nothing if
 * the server was not started. */
void astra_server_stop(void);

#endif
