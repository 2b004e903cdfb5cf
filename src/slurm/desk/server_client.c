/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/slurm/desk/server_private.h"

void server_client_open(struct server_client *client, int fd, bool remote,
			uid_t uid, int64_t now_msec)
{
	*client = (struct server_client){
		.fd = fd,
		.remote = remote,
		.uid = uid,
		.until_msec = now_msec + SERVER_REQUEST_MSEC,
	};
}

void server_client_close(struct server_client *client)
{
	if (client->fd < 0)
		return;
	close(client->fd);
	free(client->request);
	astra_text_clear(&client->reply);
	server_order_free(client->order);
	*client = (struct server_client){.fd = -1};
}

static bool again(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* Make room once the length is known. */
static enum server_step begin_request(struct server_client *client)
{
	size_t size = astra_frame_read(client->head);

	if (size > ASTRA_REQUEST_MAX)
		return SERVER_LARGE;
	client->request = calloc(1, size + 1);
	if (!client->request)
		return SERVER_CLOSE;
	client->request_size = size;
	return size ? SERVER_WAIT : SERVER_REQUEST;
}

static enum server_step receive_some(struct server_client *client)
{
	bool in_head = client->received < ASTRA_FRAME_HEAD;
	size_t whole = ASTRA_FRAME_HEAD + client->request_size;
	void *to =
		in_head ? (void *)(client->head + client->received)
			: client->request + client->received - ASTRA_FRAME_HEAD;
	size_t want = (in_head ? ASTRA_FRAME_HEAD : whole) - client->received;
	ssize_t n = recv(client->fd, to, want, 0);

	if (n < 0)
		return again() ? SERVER_WAIT : SERVER_CLOSE;
	if (n == 0)
		return SERVER_CLOSE;
	client->received += (size_t)n;
	if (in_head && client->received == ASTRA_FRAME_HEAD)
		return begin_request(client);
	if (!in_head && client->received == whole)
		return SERVER_REQUEST;
	return SERVER_WAIT;
}

enum server_step server_client_receive(struct server_client *client)
{
	size_t before;
	enum server_step step;

	do {
		before = client->received;
		step = receive_some(client);
	} while (step == SERVER_WAIT && client->received > before);
	return step;
}

enum server_step server_client_send(struct server_client *client)
{
	size_t left = client->reply.size - client->sent;
	ssize_t n = send(client->fd, client->reply.bytes + client->sent, left,
			 MSG_NOSIGNAL);

	if (n < 0)
		return again() ? SERVER_WAIT : SERVER_CLOSE;
	client->sent += (size_t)n;
	return (size_t)n == left ? SERVER_CLOSE : SERVER_WAIT;
}

void server_client_reply(struct server_client *client, struct astra_text *text,
			 int64_t now_msec)
{
	free(client->request);
	client->request = NULL;
	client->request_size = 0;
	if (text->failed || text->size < ASTRA_FRAME_HEAD) {
		astra_text_clear(text);
		server_client_close(client);
		return;
	}
	astra_frame_write((uint8_t *)text->bytes,
			  text->size - ASTRA_FRAME_HEAD);
	client->reply = *text;
	*text = (struct astra_text){0};
	client->until_msec = now_msec + SERVER_REPLY_MSEC;
	if (server_client_send(client) == SERVER_CLOSE)
		server_client_close(client);
}
