/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The query socket: one thread that answers sfair from the last published
 * report, and another for reports over past time, which take seconds. It takes
 * no lock of slurmctld, and nothing that arrives on the socket can delay a
 * round: sizes, clients, times and rates are bounded.
 *
 * There is one in a process.
 */
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

/* Slurm's plugin auth/slurm in this process. Called in one thread of the
 * server's; they wait for nothing but a lock of that plugin. */
struct astra_slurm_auth {
	/* A token that one user can check, or ASTRA_TOKEN_ANYBODY; for free().
	 * Returns NULL on failure. */
	char *(*create)(const char *payload, size_t size, uint32_t reader);
	/* Check a token. uid: set to who signed it. Returns 0, or -1. */
	int (*check)(const char *token, uint32_t *uid);
};

struct astra_server_options {
	const char *path;	  /* of the socket; copied */
	const char *listen;	  /* [ADDRESS:]PORT too; NULL: not; copied */
	bool any_port;		  /* the kernel's choice where that is taken */
	const char *munge_socket; /* NULL: $MUNGE_SOCKET, else munge's own */
	/* Signs instead of munged; borrowed. NULL: munged does. */
	const struct astra_slurm_auth *slurm_auth;
	uid_t slurm_uid; /* SlurmUser: sees all, as root does */
	/* Whether a user sees all and may reset. Called in the server's
	 * thread for other users than root and SlurmUser; it may take locks
	 * of its own, and then only queries wait. NULL: nobody else. */
	bool (*is_operator)(uid_t uid);
	/* The accounts that a user coordinates, in any order; asked only where
	 * PrivateData hides something. As is_operator. NULL: none.
	 * Returns 0, or -1 when out of memory: then it sees less. */
	int (*accounts_of)(uid_t uid, struct astra_names *out);
	/* An operator asked to start the diag numbers anew. Called in the
	 * server's thread; set a flag for the next round. NULL: nothing. */
	void (*diag_reset)(void);
	/* A job said something of itself that it may say. Called in the
	 * server's thread. Returns 0, or -1 with err set when it cannot be
	 * kept. NULL: nothing is kept. */
	int (*note)(const struct astra_query *query, double now_sec,
		    struct astra_error *err);
	/* The same for what the agent of an app bids with, which the report
	 * and the sender's rights let pass. */
	int (*bid)(const struct astra_report *report,
		   const struct astra_query *query,
		   const struct astra_viewer *viewer, struct astra_error *err);
	/* What a report over past time says (astra_history in
	 * src/proto/answer.h). Called in a thread for such reports only.
	 * NULL: no history is kept. */
	enum astra_fault (*history)(const struct astra_query *query,
				    const struct astra_viewer *viewer,
				    const struct astra_report *report,
				    struct astra_text *out,
				    struct astra_error *err);
	/* A round as JSON (astra_round_order in src/proto/answer.h). Called
	 * in the server's thread. */
	int (*record)(const char *pool, uint64_t *ticket,
		      struct astra_text *out, struct astra_error *err);
	/* What accounts begin with (astra_adopt_order in
	 * src/proto/answer.h). Called in the server's thread. */
	enum astra_fault (*adopt)(const char *pool,
				  struct astra_query_adopt *adopt, uint32_t uid,
				  uint64_t *ticket, struct astra_text *out,
				  struct astra_error *err);
	/* One line for the log, without a newline. Called in the server's
	 * thread, or in that of start and stop. NULL: nothing is logged. */
	void (*log_line)(bool error, const char *text);
};

/* Make the socket and start the thread. A stale socket at path is replaced,
 * a live one or any other file is not.
 * Returns 0, or -1 with err set; then queries are not answered, and all else
 * may go on. */
int astra_server_start(const struct astra_server_options *options,
		       struct astra_error *err);

/* The port that is listened at, or 0: not on the network. Of the thread that
 * starts and stops it. */
unsigned int astra_server_port(void);

/* Why it is not answered there though it should; "". Locks: as a start. */
const char *astra_server_network_error(void);

/* Answer from this report from now on. Steals the reference; NULL: nothing
 * is known (answers say so). May be called before start and after stop.
 * Locks: one of its own, held for an assignment. */
void astra_server_publish(struct astra_report *report);

/* Stop the threads, remove the socket, forget the report. Blocks until a
 * request in work is done (about a second; longer while munged hangs), and a
 * report over past time, unless the host has it end.
 * Does nothing when it was not started. */
void astra_server_stop(void);

#endif
