/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/sack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "src/proto/dial.h"
#include "src/proto/sign.h"
#include "src/proto/token.h"

/* The format of a message to the daemon: the protocol's version in 2 bytes, the
 * length of the rest, the kind, and the kind's data. Numbers are big-endian.
 * The version is that of Slurm 24.05, the first release with sack. */
#define SACK_VERSION (41 << 8)
#define SACK_CREATE 64001
#define SACK_VERIFY 64002
#define SACK_WAIT_SEC 10
#define SACK_TOKEN_MAX ((uint32_t)4 << 20)

struct sack {
	int fd;
	struct sockaddr_un addr;
};

bool astra_sack_is(const char *auth)
{
	size_t size = strlen(ASTRA_AUTH_SLURM);

	return auth && !strncmp(auth, ASTRA_AUTH_SLURM, size) &&
	       (!auth[size] || auth[size] == ':');
}

bool astra_sack_is_type(const char *type)
{
	const char *name = strchr(ASTRA_AUTH_SLURM, '/') + 1;

	return type && (!strcmp(type, ASTRA_AUTH_SLURM) || !strcmp(type, name));
}

/* Returns the cluster of auth/slurm:CLUSTER, or "". */
static const char *sack_cluster(const char *auth)
{
	const char *colon = strchr(auth, ':');

	return colon ? colon + 1 : "";
}

static int sack_connect(struct sack *sack, const char *before,
			const char *cluster, const char *after)
{
	const struct timeval wait = {.tv_sec = SACK_WAIT_SEC};

	sack->addr = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (snprintf(sack->addr.sun_path, sizeof(sack->addr.sun_path), "%s%s%s",
		     before, cluster,
		     after) >= (int)sizeof(sack->addr.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	sack->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (sack->fd < 0)
		return -1;
	(void)setsockopt(sack->fd, SOL_SOCKET, SO_RCVTIMEO, &wait,
			 sizeof(wait));
	(void)setsockopt(sack->fd, SOL_SOCKET, SO_SNDTIMEO, &wait,
			 sizeof(wait));
	if (!connect(sack->fd, (const struct sockaddr *)&sack->addr,
		     sizeof(sack->addr)))
		return 0;
	close(sack->fd);
	sack->fd = -1;
	return -1;
}

static const char *const sack_folders[] = {"/run/slurm", "/run/slurmctld",
					   "/run/slurmdbd"};

bool astra_sack_is_here(void)
{
	char path[64];

	for (size_t i = 0; i < sizeof(sack_folders) / sizeof(*sack_folders);
	     i++) {
		(void)snprintf(path, sizeof(path), "%s/sack.socket",
			       sack_folders[i]);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

static int sack_open(struct sack *sack, const char *auth,
		     struct astra_error *err)
{
	const char *given = secure_getenv("SLURM_SACK_SOCKET");
	const char *cluster = sack_cluster(auth);

	if (given && !sack_connect(sack, given, "", ""))
		return 0;
	if (given)
		return astra_error_set(
			err,
			"auth/slurm: SLURM_SACK_SOCKET=%s: %s: unset it, or start the sackd that has this socket",
			given, strerror(errno));
	if (*cluster &&
	    !sack_connect(sack, "/run/slurm-", cluster, "/sack.socket"))
		return 0;
	for (size_t i = 0; i < sizeof(sack_folders) / sizeof(*sack_folders);
	     i++)
		if (!sack_connect(sack, sack_folders[i], "/sack.socket", ""))
			return 0;
	return astra_error_set(
		err,
		"auth/slurm: no daemon answers at /run/slurm/sack.socket, which signs for users: start sackd on this host, or slurmd");
}

/* Append a number, or the start of a message of a kind with `more` bytes. */
static void sack_u32(struct astra_text *out, uint32_t value)
{
	value = htonl(value);
	astra_text_add(out, (const char *)&value, sizeof(value));
}

static void sack_begin(struct astra_text *out, uint32_t kind, size_t more)
{
	uint16_t version = htons(SACK_VERSION);

	astra_text_add(out, (const char *)&version, sizeof(version));
	sack_u32(out, (uint32_t)(2 * sizeof(uint32_t) + more));
	sack_u32(out, kind);
}

/* Sends a message. A daemon that refuses the message may close before it has
 * read all of it. Returns 0 or -1. */
static int sack_send(const struct sack *sack, const struct astra_text *message)
{
	size_t sent = 0;

	if (message->failed)
		return -1;
	while (sent < message->size) {
		ssize_t n = send(sack->fd, message->bytes + sent,
				 message->size - sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		sent += (size_t)n;
	}
	return 0;
}

/* Sets err to say that the daemon gave no answer. */
static int sack_silent(const struct sack *sack, const char *does,
		       struct astra_error *err)
{
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return astra_error_set(
			err, "auth/slurm: the daemon at %s hangs: restart it",
			sack->addr.sun_path);
	return astra_error_set(err, "auth/slurm: the daemon at %s %s",
			       sack->addr.sun_path, does);
}

static char *sack_token(const struct sack *sack)
{
	uint32_t size;
	char *token;

	if (astra_dial_receive(sack->fd, &size, sizeof(size)) < 0)
		return NULL;
	size = ntohl(size);
	token = size && size <= SACK_TOKEN_MAX ? malloc(size + 1) : NULL;
	if (!token || astra_dial_receive(sack->fd, token, size) < 0) {
		free(token);
		return NULL;
	}
	token[size] = '\0';
	return token;
}

static char *sack_create(const char *auth, const struct astra_text *payload,
			 struct astra_error *err)
{
	struct astra_text message = {0};
	struct sack sack;
	char *token = NULL;

	if (sack_open(&sack, auth, err) < 0)
		return NULL;
	sack_begin(&message, SACK_CREATE, 2 * sizeof(uint32_t) + payload->size);
	sack_u32(&message, ASTRA_TOKEN_ANYBODY);
	sack_u32(&message, (uint32_t)payload->size);
	astra_text_add(&message, payload->bytes, payload->size);
	errno = 0;
	if (!sack_send(&sack, &message))
		token = sack_token(&sack);
	if (!token)
		sack_silent(&sack, "signs nothing: see its log", err);
	astra_text_clear(&message);
	close(sack.fd);
	return token;
}

char *astra_sack_sign(const char *auth, const char *message, size_t size,
		      struct astra_error *err)
{
	struct astra_text payload = {0};
	char *token = NULL;

	if (!astra_token_request(message, size, &payload, err))
		token = sack_create(auth, &payload, err);
	astra_text_clear(&payload);
	return token;
}

/* Checks that this host's daemon accepts the signature, and this user as its
 * reader. Returns 0, or -1 with err set. */
static int sack_check(const char *auth, const char *token,
		      struct astra_error *err)
{
	uint32_t size = (uint32_t)strlen(token) + 1, answer = 1;
	struct astra_text message = {0};
	struct sack sack;

	if (sack_open(&sack, auth, err) < 0)
		return -1;
	sack_begin(&message, SACK_VERIFY, sizeof(uint32_t) + size);
	sack_u32(&message, size);
	astra_text_add(&message, token, size);
	errno = 0;
	if (!sack_send(&sack, &message))
		(void)astra_dial_receive(sack.fd, &answer, sizeof(answer));
	if (answer)
		sack_silent(
			&sack,
			"refuses the reply's signature: the two hosts have another slurm.key each, or it was signed for another user",
			err);
	astra_text_clear(&message);
	close(sack.fd);
	return answer ? -1 : 0;
}

/* Copies the message out of a valid token. Returns 0, or -1 with err set. */
static int sack_take(const struct astra_token *token, char **message,
		     size_t *size, struct astra_error *err)
{
	const char *reply = astra_token_reply_of(token->payload, token->size);

	if (!reply)
		return astra_error_set(
			err,
			"auth/slurm: what was signed is no reply: something between this host and slurmctld answers in its place, tell the administrator");
	*size = token->size - (size_t)(reply - token->payload);
	*message = malloc(*size + 1);
	if (!*message)
		return astra_error_nomem(err);
	memcpy(*message, reply, *size);
	(*message)[*size] = '\0';
	return 0;
}

int astra_sack_verify(const char *auth, const char *token, char **message,
		      size_t *size, uint32_t *uid, struct astra_error *err)
{
	struct astra_token what;
	int rc;

	if (astra_token_read(token, &what, err) < 0)
		return -1;
	if (what.end_sec < time(NULL))
		rc = astra_error_set(
			err,
			"auth/slurm: the reply's signature has expired: the clocks of the two hosts differ");
	else
		rc = sack_check(auth, token, err);
	if (!rc)
		rc = sack_take(&what, message, size, err);
	*uid = what.uid;
	astra_token_clear(&what);
	return rc;
}
