/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sfair command as users call it, against a server with a made-up report.
 */
#ifndef SFAIR_SERVER_H
#define SFAIR_SERVER_H

#include "src/slurm/desk/server.h"
#include "testsuite/unit/proto_munged.h"
#include "testsuite/unit/proto_sample.h"
#include "testsuite/unit/unit.h"

static struct test_munged munged;
static char path[100];
static char output[65536];
/* What reports over past time are made from; NULL: none is kept. */
static enum astra_fault (*server_history)(const struct astra_query *query,
					  const struct astra_viewer *viewer,
					  const struct astra_report *report,
					  struct astra_text *out,
					  struct astra_error *err);

/* Run sfair with a shell's words; its output, both streams, is in output.
 * Returns its exit status. */
static inline int sfair(const char *words)
{
	const char *top = getenv("top_builddir");
	char command[8192];
	size_t size;
	FILE *pipe;

	snprintf(command, sizeof(command), "%s/sfair %s 2>&1", top ? top : ".",
		 words);
	pipe = popen(command, "re");
	assert_non_null(pipe);
	size = fread(output, 1, sizeof(output) - 1, pipe);
	output[size] = '\0';
	return WEXITSTATUS(pclose(pipe));
}

static inline void says(const char *text)
{
	if (!strstr(output, text))
		fail_msg("\"%s\" lacks \"%s\"", output, text);
}

static inline void lacks(const char *text)
{
	if (strstr(output, text))
		fail_msg("\"%s\" has \"%s\"", output, text);
}

static int server_setup(void **state)
{
	const struct astra_server_options options = {
		.path = path,
		.munge_socket = munged.socket,
		.history = server_history,
	};
	struct astra_error err = {""};

	(void)state;
	snprintf(path, sizeof(path), "%s/a.sock", munged.folder);
	setenv("SFAIR_SOCKET", path, 1);
	setenv("MUNGE_SOCKET", munged.socket, 1);
	astra_server_publish(sample_report());
	if (astra_server_start(&options, &err) < 0)
		print_error("%s\n", err.text);
	return *err.text ? -1 : 0;
}

static int server_teardown(void **state)
{
	(void)state;
	astra_server_stop();
	return 0;
}

static bool sfair_is_built(void)
{
	const char *top = getenv("top_builddir");
	char file[4096];

	snprintf(file, sizeof(file), "%s/sfair", top ? top : ".");
	return !access(file, X_OK);
}

/* Start munged; say so where that, or sfair, is missing. */
static bool sfair_can_be_tested(void)
{
	if (sfair_is_built() && !test_munged_start(&munged))
		return true;
	fputs("SKIP: sfair is not built, or munged cannot be started\n",
	      stderr);
	return false;
}

#endif
