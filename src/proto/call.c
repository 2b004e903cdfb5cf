/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client's side of one request. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/proto/dial.h"
#include "src/proto/sign.h"
#include "src/proto/wire.h"

/* The longest pause before a busy server is asked again. The pauses are 50 ms,
 * 100 ms, ..., 1.6 s in all. */
#define CALL_PAUSE_MSEC_MAX 800

/* The bytes at a reply's start that hold an error's code, if any. */
#define CALL_HEAD 256

/* Sends all bytes. A server that refuses a request may close before it has read
 * all of it; its reply then says why, so a broken pipe is not an error. Returns
 * 0, or -1 with errno. */
static int send_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t n = send(fd, at, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE)
			return 0;
		if (n < 0)
			return -1;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

static int explain_io(int wait_sec, struct astra_error *err)
{
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return astra_error_set(
			err,
			"no reply within %d s: see sdiag and slurmctld's log",
			wait_sec);
	if (errno == ECONNRESET)
		return astra_error_set(
			err,
			"slurmctld closed the connection: it is stopping, or see its log");
	return astra_error_set(err, "the query socket: %s", strerror(errno));
}

/* Returns the reply, to be freed, or NULL with err set. most: how many bytes it
 * may have. absent: gets whether the server closed before it replied, as a
 * stopping server does. */
static char *receive_reply(int fd, int wait_sec, size_t most, bool *absent,
			   struct astra_error *err)
{
	uint8_t head[ASTRA_FRAME_HEAD];
	size_t size;
	char *reply;

	if (astra_dial_receive(fd, head, sizeof(head)) < 0) {
		*absent = errno == ECONNRESET;
		explain_io(wait_sec, err);
		return NULL;
	}
	size = astra_frame_read(head);
	if (size > most) {
		astra_error_set(
			err,
			"the reply is no message of the astraea plugin: does the socket belong to it?");
		return NULL;
	}
	reply = malloc(size + 1);
	if (!reply) {
		astra_error_nomem(err);
		return NULL;
	}
	if (astra_dial_receive(fd, reply, size) < 0) {
		explain_io(wait_sec, err);
		free(reply);
		return NULL;
	}
	reply[size] = '\0';
	return reply;
}

/* Sets err from an unsigned reply, as to a request that was refused before its
 * sender was known. If the reply has a text that says why, the text is used,
 * else all of the reply. Control characters are replaced, so that it cannot
 * steer a terminal. */
static void explain_unsigned(char *reply, const struct astra_peer *peer,
			     struct astra_error *err)
{
	static const char key[] = "\"text\":\"";
	char *text = strstr(reply, key), *end;

	text = text ? text + strlen(key) : reply;
	end = text + strcspn(text, "\"");
	if (text != reply && *end)
		*end = '\0';
	for (char *at = text; *at; at++)
		if (*at < ' ' || *at == '\x7f')
			*at = '?';
	astra_error_set(err, "%s: the reply is not signed: %.200s", peer->name,
			text);
}

/* Checks that the message in a reply is from the right user, and answers our
 * request. Returns 0, or -1 with err set. */
static int check_message(char *message, size_t size, uint32_t uid,
			 const struct astra_peer *peer, const char *credential,
			 struct astra_error *err)
{
	if (uid && uid != peer->uid)
		return astra_error_set(
			err, "uid %u answers at %s, and not SlurmUser", uid,
			peer->name);
	return astra_bind_check(message, size, credential, peer->name, err);
}

/* Returns the message in a reply that came over the network, or NULL with err
 * set. The reply must be signed and must answer this request. Frees reply. */
static char *unwrap(char *reply, const struct astra_peer *peer,
		    const char *auth, const char *credential,
		    struct astra_error *err)
{
	char *message = NULL;
	uint32_t uid;
	size_t size;

	if (!astra_is_signed(reply))
		explain_unsigned(reply, peer, err);
	else if (!astra_verify(auth, reply, &message, &size, &uid, err) &&
		 check_message(message, size, uid, peer, credential, err) < 0) {
		free(message);
		message = NULL;
	}
	free(reply);
	return message;
}

/* Whether the reply's start says that the server is busy. The start need not be
 * signed: a forged one costs only a moment. */
static bool call_is_busy(const char *reply)
{
	static const char error[] = "\"error\":{\"code\":\"busy\"";

	return memmem(reply, strnlen(reply, CALL_HEAD), error,
		      sizeof(error) - 1);
}

/* Sends the request once. busy: gets whether the reply says that the server is
 * busy; that reply is checked like any other. Returns 0 with *reply set, or
 * ASTRA_ABSENT or -1 with err set. */
static int call_once(const char *path, const char *auth, const char *request,
		     int wait_sec, char **reply, bool *busy,
		     struct astra_error *err)
{
	uint8_t head[ASTRA_FRAME_HEAD];
	struct astra_peer peer;
	char *text = NULL;
	char *credential = astra_sign(auth, request, strlen(request), err);
	int fd = credential ? astra_dial(path, wait_sec, &peer, err) : -1;
	bool absent = fd == ASTRA_ABSENT;

	if (fd >= 0) {
		astra_frame_write(head, strlen(credential));
		if (send_all(fd, head, sizeof(head)) < 0 ||
		    send_all(fd, credential, strlen(credential)) < 0)
			explain_io(wait_sec, err);
		else
			text = receive_reply(fd, wait_sec,
					     peer.remote ? ASTRA_SIGNED_MAX
							 : ASTRA_REPLY_MAX,
					     &absent, err);
		close(fd);
	}
	*busy = text && call_is_busy(text);
	if (text && peer.remote)
		text = unwrap(text, &peer, auth, credential, err);
	*busy |= text && call_is_busy(text);
	free(credential);
	if (!text)
		return absent ? ASTRA_ABSENT : -1;
	*reply = text;
	return 0;
}

int astra_call_within(const char *path, const char *auth, const char *request,
		      int wait_sec, char **reply, struct astra_error *err)
{
	bool busy;
	int rc;

	for (unsigned msec = 50;; msec *= 2) {
		rc = call_once(path, auth, request, wait_sec, reply, &busy,
			       err);
		if (!busy || msec > CALL_PAUSE_MSEC_MAX)
			return rc;
		if (!rc)
			free(*reply);
		usleep(msec * 1000);
	}
}

int astra_call(const char *path, const char *auth, const char *request,
	       char **reply, struct astra_error *err)
{
	return astra_call_within(path, auth, request, ASTRA_REPLY_SEC, reply,
				 err);
}
