/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command of sfair that answers over HTTP, and its readers. */
#ifndef SFAIR_HTTP_TEST_H
#define SFAIR_HTTP_TEST_H

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "testsuite/unit/sfair_server.h"

/* Where it listens. */
static struct exporter {
	pid_t pid;
	uint16_t port;
	FILE *said;
} exporter;

static pid_t spawn(int err_fd, const char *command, const char *option)
{
	const char *top = getenv("top_builddir");
	char file[4096];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(file, sizeof(file), "%s/sfair", top ? top : ".");
	dup2(err_fd, STDERR_FILENO);
	execl(file, "sfair", command, "--listen=127.0.0.1:0", option, NULL);
	_exit(127);
}

/* option: a further one, or NULL. Returns 0, 77 where sfair was built without
 * it, or 1. */
static int exporter_start(const char *command, const char *option)
{
	char line[512] = "";
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return 1;
	exporter.pid = spawn(ends[1], command, option);
	close(ends[1]);
	exporter.said = fdopen(ends[0], "r");
	while (fgets(line, sizeof(line), exporter.said) &&
	       !strstr(line, "built without libmicrohttpd"))
		if (sscanf(line, "sfair: listening on 127.0.0.1 port %hu",
			   &exporter.port) == 1)
			return 0;
	waitpid(exporter.pid, NULL, 0);
	fclose(exporter.said);
	if (strstr(line, "built without libmicrohttpd")) {
		fputs("SKIP: sfair was built without libmicrohttpd\n", stderr);
		return 77;
	}
	print_error("sfair %s: %s\n", command, line);
	return 1;
}

/* Returns 0 when it ended as it should. */
static int exporter_stop(void)
{
	int status = -1;

	kill(exporter.pid, SIGTERM);
	if (waitpid(exporter.pid, &status, 0) != exporter.pid || status)
		print_error("sfair: status %d\n", status);
	fclose(exporter.said);
	return status;
}

/* segment: the most bytes of one; 0: as the kernel likes. Of small ones the
 * kernel keeps few for a reader that does not read. */
static int http_connect_by(int segment)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_port = htons(exporter.port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int room = 4096;

	if (segment) {
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
		setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment,
			   sizeof(segment));
	}
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static inline int http_connect(void)
{
	return http_connect_by(0);
}

static inline int http_connect_slow(void)
{
	return http_connect_by(536);
}

/* The whole answer to a request, in output. */
static void http(const char *request)
{
	int fd = http_connect();
	size_t size = 0;
	ssize_t n;

	assert_int_equal(write(fd, request, strlen(request)), strlen(request));
	shutdown(fd, SHUT_WR);
	while ((n = read(fd, output + size, sizeof(output) - 1 - size)) > 0)
		size += (size_t)n;
	output[size] = '\0';
	close(fd);
}

#define HTTP(method, url) method " " url " HTTP/1.0\r\n"

#endif
