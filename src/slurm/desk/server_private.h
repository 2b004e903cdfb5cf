/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the query server. */
#ifndef ASTRA_SERVER_PRIVATE_H
#define ASTRA_SERVER_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "src/proto/answer.h"
#include "src/proto/query.h"
#include "src/slurm/desk/server.h"
#include "src/slurm/desk/server_munge.h"

#define SERVER_CLIENTS 64
#define SERVER_CLIENTS_PER_UID 16
#define SERVER_CLIENTS_REMOTE 32 /* leaves places for local clients */
#define SERVER_ORDERS 32	 /* reports that clients wait for */
#define SERVER_ORDERS_PER_UID 4
#define SERVER_REQUEST_MSEC 5000 /* until a request is complete */
#define SERVER_REPLY_MSEC 30000	 /* until a reply is taken */
#define SERVER_QUIET_MSEC 60000	 /* between two log lines of the same kind */
#define SERVER_REPLIES_MAX ((size_t)256 << 20) /* bytes being sent */
#define SERVER_RATE                    \
	200 /* requests per second and \
	     * user */

/* A report over past time that a client waits for. */
struct server_order {
	struct server_order *next;
	uint32_t uid; /* of the client */
	bool charged; /* its user is charged for the time that the report
		       * takes */
	struct astra_query query;
	struct astra_report *report; /* owned; NULL: there was none yet */
	struct astra_names accounts; /* the viewer borrows these */
	struct astra_viewer viewer;
	struct astra_text reply;
	struct astra_error err;
	enum astra_fault fault;
	int64_t took_msec;
	bool done; /* guarded by the lock of struct server_past */
};

struct server;

/* One connection: it sends one request and gets one reply. */
struct server_client {
	int fd;		 /* -1: the place is free */
	uint64_t number; /* counts all connections */
	bool remote;
	/* Uid of the process at the other end. For a remote client: first a
	 * number for its host, then the sender's uid. */
	uid_t uid;
	bool known; /* munged has verified the sender */
	int64_t until_msec;
	uint8_t head[ASTRA_FRAME_HEAD];
	char *request; /* the credential, once its length is known */
	size_t request_size;
	size_t received;	 /* including the head */
	struct astra_text reply; /* including the head; empty: the request is
				  * still being received */
	size_t sent;
	/* The report that the client waits for; owned. The client's connection
	 * is not read until the report is done. */
	struct server_order *order;
};

enum server_step {
	SERVER_WAIT,	/* poll again */
	SERVER_REQUEST, /* the request is complete */
	SERVER_LARGE,	/* the head says that the request is too large */
	SERVER_CLOSE,	/* the reply was sent, or the client is gone */
};

/* server_client.c: one connection's input and output, never blocking. */
void server_client_open(struct server_client *client, int fd, bool remote,
			uid_t uid, int64_t now_msec);
void server_client_close(struct server_client *client);
enum server_step server_client_receive(struct server_client *client);
enum server_step server_client_send(struct server_client *client);

/* Begin to reply. text: JSON; taken over. If it has failed, closes the
 * connection. */
void server_client_reply(struct server_client *client, struct astra_text *text,
			 int64_t now_msec);

/* server_socket.c: open the socket in the file system. Returns a listening
 * descriptor, or -1 with err set. */
int server_socket_open(const char *path, struct astra_error *err);

/* server_socket.c: listening on the network, at a place as for
 * astra_listen(). */

/* Listen where the options say. A failure is logged; queries are then answered
 * only on the local socket. */
void server_network_open(struct server *s);

/* Accept a connection. host: gets a number for the host at the other end.
 * Returns a descriptor; -1 if there is no connection, -2 if it is gone
 * again. */
int server_network_accept(int fd, uid_t *host);

/* server_client.c: find a place for a connection: a free one, or that of a
 * client that may lose its place. If the user or host has its share of places
 * already, that client must be of the same user or host; otherwise it may be
 * any local client, or any on the network. uid: as in struct server_client.
 * Returns NULL if no client may lose its place. */
struct server_client *server_place_find(struct server *s, bool remote,
					uid_t uid, int64_t now_msec);

/* Whether the client may lose its place: its request is incomplete, or it has
 * not taken its reply for a while. */
bool server_place_is_idle(const struct server_client *client, int64_t now_msec);

/* Sign a reply so that only the client's user can read it, and only as a reply
 * to its request. text: the reply with its head; replaced. Returns 0, or -1
 * with err set and text empty. */
int server_network_seal(struct astra_text *text,
			const struct server_client *client,
			struct server_munge *munge, struct astra_error *err);

/* server_client.c: how often each user may ask. */
struct server_bucket {
	uid_t uid;
	int64_t at_msec;
	double tokens;
};

#define SERVER_BUCKETS 256

struct server_limit {
	struct server_bucket buckets[SERVER_BUCKETS];
};

/* Charge a user for a request that took long: the user may send no request for
 * SERVER_WORK_PART times as long, so that others get their turn. */
#define SERVER_FREE_MSEC 300
#define SERVER_WORK_PART 4
void server_limit_charge(struct server_limit *limit, uid_t uid,
			 int64_t work_msec, int64_t now_msec);

/* Whether the user may ask again now; if so, the request is counted. */
bool server_limit_allow(struct server_limit *limit, uid_t uid,
			int64_t now_msec);

/* server_past.c: the thread that makes reports over past time, one at a time.
 * Users take turns. */
struct server_past {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	pthread_t thread;
	bool started, stop;
	astra_history *history;
	int wake_fd; /* written to when an order is done */
	struct server_order *first;
	uid_t last_uid; /* user of the order that was served last */
};

/* Start the thread. Returns 0, or -1 with err set; then server_past_stop() does
 * nothing. */
int server_past_start(struct server_past *past, astra_history *history,
		      int wake_fd, struct astra_error *err);

/* Stop the thread when the present order is done. The other orders stay as they
 * are. */
void server_past_stop(struct server_past *past);

/* Order a report. The client gets an order, which belongs to the thread until
 * server_past_done() returns true or the thread is stopped. Takes over the
 * query and the reply, unless it returns a fault, with err set. */
enum astra_fault server_past_order(struct server *s,
				   struct server_client *client,
				   struct astra_query *query, uint32_t uid,
				   struct astra_text *reply,
				   struct astra_error *err);
bool server_past_done(struct server_past *past,
		      const struct server_order *order);

/* order may be NULL. */
void server_order_free(struct server_order *order);

/* Refusals that were logged. A refusal of the same user and kind is logged only
 * once while it is in this list. */
#define SERVER_NOTED 256

struct server_noted {
	struct {
		uid_t uid;
		enum astra_fault fault; /* NONE: the entry is free */
	} list[SERVER_NOTED];
	size_t next;
};

/* The whole server. */
struct server {
	struct astra_server_options options;
	char *path, *listen;
	struct server_munge *munge;
	dev_t device; /* of the socket that we made */
	ino_t inode;
	pthread_t thread;
	atomic_bool stop; /* set this to stop the thread, which owns all members
			   * below while it runs */
	int wake_fd, listen_fd;
	int network_fd;			  /* -1: none */
	unsigned int port;		  /* of network_fd */
	struct astra_error network_error; /* why network_fd is -1, if the server
					   * should be on the network */
	struct server_client clients[SERVER_CLIENTS];
	struct server_limit limit;
	struct server_limit hosts; /* limits of remote hosts */
	struct astra_socket_stats stats;
	struct server_noted noted;
	struct server_past past;
	uint64_t accepted;	  /* connections accepted so far */
	int64_t quiet_until_msec; /* unknown senders are not logged before */
	int64_t crowd_until_msec; /* crowds are not logged before */
};

/* server_loop.c: run the server, which is arg. Returns soon after stop is
 * set. */
void *server_run(void *arg);

/* server_client.c: whether the user sees everything despite PrivateData. */
bool server_sees_all(const struct server *s, uint32_t uid);

/* server_client.c: return who asks and what that user may see of a report. A
 * public query shows what a user without jobs and rights may see. report may be
 * NULL. accounts: empty; gets the accounts that the viewer then borrows; the
 * caller clears it. */
struct astra_viewer server_viewer(const struct server *s,
				  const struct astra_report *report,
				  const struct astra_query *query, uint32_t uid,
				  struct astra_names *accounts);

/* server_client.c: count the outcome of a request. */
void server_count(struct server *s, enum astra_fault fault);

/* Log a request that is malformed or not allowed, once for each user and kind,
 * since a program makes the same mistake again and again. */
void server_log_fault(struct server *s, uid_t uid, enum astra_fault fault,
		      const char *text);

/* Log which client loses its place to another, so that an admin knows where to
 * look. */
void server_log_crowd(struct server *s, const struct server_client *client);

/* server.c: return the time of the monotonic clock. */
int64_t server_now_msec(void);

/* Start a thread that receives no signals, since those are for slurmctld's own
 * threads. Returns 0, or -1 with err set. */
int server_thread_start(pthread_t *thread, void *(*run)(void *), void *arg,
			struct astra_error *err);

/* Return a reference to the last report, or NULL. */
struct astra_report *server_report(void);

#endif
