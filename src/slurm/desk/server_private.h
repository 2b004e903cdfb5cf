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
#define SERVER_CLIENTS_REMOTE 32 /* so that local clients find a place */
#define SERVER_ORDERS 32	 /* of clients that wait for a report */
#define SERVER_ORDERS_PER_UID 4
#define SERVER_REQUEST_MSEC 5000 /* for a request to arrive completely */
#define SERVER_REPLY_MSEC 30000	 /* for a client to take its reply */
#define SERVER_QUIET_MSEC 60000	 /* between two log lines of one kind */
#define SERVER_REPLIES_MAX ((size_t)256 << 20) /* bytes on their way */
#define SERVER_RATE                    \
	200 /* requests per second and \
	     * user */

/* A report over past time that a client waits for. */
struct server_order {
	struct server_order *next;
	uint32_t uid; /* of the client */
	bool charged; /* its user is charged for the time it takes */
	struct astra_query query;
	struct astra_report *report; /* owned; NULL: none yet */
	struct astra_names accounts; /* which the viewer borrows */
	struct astra_viewer viewer;
	struct astra_text reply;
	struct astra_error err;
	enum astra_fault fault;
	int64_t took_msec;
	bool done; /* under the lock of struct server_past */
};

struct server;

/* One connection: it sends one request and gets one reply. */
struct server_client {
	int fd;		 /* -1: the place is free */
	uint64_t number; /* of all connections */
	bool remote;
	/* Of the process at the other end. Of a remote one, first a number for
	 * its host, then the sender's uid. */
	uid_t uid;
	bool known; /* munged has verified the sender */
	int64_t until_msec;
	uint8_t head[ASTRA_FRAME_HEAD];
	char *request; /* the credential, once its length is known */
	size_t request_size;
	size_t received;	 /* including the head */
	struct astra_text reply; /* including the head; empty: still
				  * receiving */
	size_t sent;
	/* What the client waits for; owned. Until it is done the client is left
	 * alone. */
	struct server_order *order;
};

enum server_step {
	SERVER_WAIT,	/* poll again */
	SERVER_REQUEST, /* the request is complete */
	SERVER_LARGE,	/* the request is announced as too large */
	SERVER_CLOSE,	/* done, or gone */
};

/* server_client.c: one connection's input and output, never blocking. */
void server_client_open(struct server_client *client, int fd, bool remote,
			uid_t uid, int64_t now_msec);
void server_client_close(struct server_client *client);
enum server_step server_client_receive(struct server_client *client);
enum server_step server_client_send(struct server_client *client);

/* Begin to reply. text: JSON; taken. Closes the connection if there is none. */
void server_client_reply(struct server_client *client, struct astra_text *text,
			 int64_t now_msec);

/* server_socket.c: open the socket in the file system. Returns a listening
 * descriptor, or -1 with err set. */
int server_socket_open(const char *path, struct astra_error *err);

/* server_socket.c: the network, at the place that astra_listen() takes. */

/* Listen where the options say. A failure is logged, and then queries are
 * answered only on the socket. */
void server_network_open(struct server *s);

/* Accept a connection and say who is at the other end: a user, or a number for
 * the host. Returns -1 if there is none, -2 if it has gone again. */
int server_network_accept(int fd, uid_t *host);

/* server_client.c: find a place for a connection: a free one, or one of a
 * client that may be made to go. That client is of the same user or host if
 * these have their share of places, otherwise any at the socket or on the
 * network. uid: as in struct server_client. Returns NULL if no client may be
 * made to go. */
struct server_client *server_place_find(struct server *s, bool remote,
					uid_t uid, int64_t now_msec);

/* Whether the client may be made to go: its request is incomplete, or it has
 * not taken its reply for a while. */
bool server_place_is_idle(const struct server_client *client, int64_t now_msec);

/* Sign a reply so that only the client's user can read it, and only as a reply
 * to its request. text: with its head; replaced. Returns 0, or -1 with err set
 * and text empty. */
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

/* Charge a request that took long: its user may ask nothing for
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
	uid_t last_uid; /* user of the last order */
};

/* Start the thread. Returns 0, or -1 with err set: then server_past_stop() does
 * nothing. */
int server_past_start(struct server_past *past, astra_history *history,
		      int wake_fd, struct astra_error *err);

/* Stop the thread when the present order is done; the others are left as they
 * are. */
void server_past_stop(struct server_past *past);

/* Order a report. The client gets an order, which belongs to the thread until
 * server_past_done() returns true or the thread is stopped. Takes the query and
 * the reply, unless it returns a fault, with err set. */
enum astra_fault server_past_order(struct server *s,
				   struct server_client *client,
				   struct astra_query *query, uint32_t uid,
				   struct astra_text *reply,
				   struct astra_error *err);
bool server_past_done(struct server_past *past,
		      const struct server_order *order);

/* Accepts NULL. */
void server_order_free(struct server_order *order);

/* Refusals that were logged: each user's of each kind once, as long as it is
 * remembered. */
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
	atomic_bool stop; /* all below is the thread's while it runs */
	int wake_fd, listen_fd;
	int network_fd;			  /* -1: none */
	unsigned int port;		  /* of network_fd */
	struct astra_error network_error; /* why network_fd is -1 although it
					   * should not be */
	struct server_client clients[SERVER_CLIENTS];
	struct server_limit limit;
	struct server_limit hosts; /* of remote clients */
	struct astra_socket_stats stats;
	struct server_noted noted;
	struct server_past past;
	uint64_t accepted;	  /* connections accepted so far */
	int64_t quiet_until_msec; /* no log line of unknown senders before */
	int64_t crowd_until_msec; /* no log line of crowds before */
};

/* server_loop.c: run the server, which is arg. Ends soon after stop is set. */
void *server_run(void *arg);

/* server_client.c: whether the user sees everything despite PrivateData. */
bool server_sees_all(const struct server *s, uint32_t uid);

/* server_client.c: return who asks and what that user may see of a report. A
 * public query shows what a user without jobs and rights may see. report: NULL:
 * there is none. accounts: empty; filled with what the viewer then borrows; the
 * caller clears it. */
struct astra_viewer server_viewer(const struct server *s,
				  const struct astra_report *report,
				  const struct astra_query *query, uint32_t uid,
				  struct astra_names *accounts);

/* server_client.c: count the outcome of a request. */
void server_count(struct server *s, enum astra_fault fault);

/* Log a request that is malformed or not allowed, once for each user and kind:
 * a program makes the same mistake again and again. */
void server_log_fault(struct server *s, uid_t uid, enum astra_fault fault,
		      const char *text);

/* Log which client makes room for another, so that an admin knows where to
 * look. */
void server_log_crowd(struct server *s, const struct server_client *client);

/* server.c: return the time by the monotonic clock. */
int64_t server_now_msec(void);

/* Start a thread that gets no signals, since those are slurmctld's. Returns 0,
 * or -1 with err set. */
int server_thread_start(pthread_t *thread, void *(*run)(void *), void *arg,
			struct astra_error *err);

/* Return a reference to the last report, or NULL. */
struct astra_report *server_report(void);

#endif
