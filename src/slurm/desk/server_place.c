/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a connection finds a place. Where there is none left it takes the place
 * of the oldest one that asks nothing: who is honest sends its request at once,
 * and a crowd of idle connections keeps nobody out. */
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>

#include "src/slurm/desk/server_private.h"

/* A reply over the network that nobody has taken for so long is not waited
 * for where others lack a place. */
#define PLACE_SLOW_MSEC 1000

static bool place_is_own(const struct server_client *client, bool remote,
			 uid_t uid)
{
	return client->remote == remote && client->uid == uid && !client->known;
}

/* How long its reply has waited to be taken. */
static int64_t place_untaken_msec(const struct server_client *client,
				  int64_t now_msec)
{
	return SERVER_REPLY_MSEC - (client->until_msec - now_msec);
}

bool server_place_is_idle(const struct server_client *client, int64_t now_msec)
{
	if (client->fd < 0 || client->order)
		return false;
	return !client->reply.size ||
	       (client->remote &&
		place_untaken_msec(client, now_msec) >= PLACE_SLOW_MSEC);
}

/* Those that ask nothing go before those that take no reply, the oldest first.
 */
static bool place_goes_before(const struct server_client *a,
			      const struct server_client *b)
{
	if (!b || !a->reply.size != !b->reply.size)
		return !b || !a->reply.size;
	return a->number < b->number;
}

/* own: of that user or host alone; else of all local ones, or of all of the
 * network. */
static struct server_client *place_of_idle(struct server *s, bool own,
					   bool remote, uid_t uid,
					   int64_t now_msec)
{
	struct server_client *best = NULL;

	for (int i = 0; i < SERVER_CLIENTS; i++) {
		struct server_client *client = &s->clients[i];

		if (client->remote == remote &&
		    (!own || place_is_own(client, remote, uid)) &&
		    server_place_is_idle(client, now_msec) &&
		    place_goes_before(client, best))
			best = client;
	}
	return best;
}

struct server_client *server_place_find(struct server *s, bool remote,
					uid_t uid, int64_t now_msec)
{
	struct server_client *place = NULL;
	int own = 0, remotes = 0;

	for (int i = 0; i < SERVER_CLIENTS; i++) {
		struct server_client *client = &s->clients[i];

		if (client->fd < 0)
			place = client;
		else
			own += place_is_own(client, remote, uid);
		remotes += client->fd >= 0 && client->remote;
	}
	if (own >= SERVER_CLIENTS_PER_UID)
		return place_of_idle(s, true, remote, uid, now_msec);
	if (place && (!remote || remotes < SERVER_CLIENTS_REMOTE))
		return place;
	return place_of_idle(s, false, remote, uid, now_msec);
}

void server_place_name(const struct server_client *client, char *text,
		       size_t size)
{
	struct sockaddr_storage addr = {0};
	socklen_t length = sizeof(addr);
	char host[NI_MAXHOST] = "?";

	if (!client->remote) {
		(void)snprintf(text, size, "uid %u", client->uid);
		return;
	}
	if (!getpeername(client->fd, (struct sockaddr *)&addr, &length))
		(void)getnameinfo((struct sockaddr *)&addr, length, host,
				  sizeof(host), NULL, 0, NI_NUMERICHOST);
	(void)snprintf(text, size, "host %s", host);
}
