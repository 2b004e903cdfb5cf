/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the plugin listens: the same answer that the plugin gives itself. */
#include <config.h> /* Slurm's */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/cmd/sfair/sfair.h"
#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/proto/dial.h"

#define INCLUDES_MAX 8
#define SOCKET_NAME "astraea.sock"

/* What astraea.conf says of it; malloced, or NULL. */
struct found {
	char *socket, *listen;
};

static int scan_file(const char *path, int depth, struct found *out);

/* The word after a key and its = or blanks, or NULL when the line has
 * another key. malloced. */
static char *value_of(const char *line, const char *key)
{
	size_t size = strlen(key);

	line += strspn(line, " \t");
	if (strncasecmp(line, key, size) != 0 || !strchr(" \t=", line[size]) ||
	    !line[size])
		return NULL;
	line += size;
	line += strspn(line, " \t=");
	if (*line == '"')
		return strndup(line + 1, strcspn(line + 1, "\"\n"));
	return strndup(line, strcspn(line, " \t\r\n#"));
}

/* Like Slurm's own, an Include is relative to the including file's folder. */
static int scan_include(const char *from, const char *name, int depth,
			struct found *out)
{
	const char *slash = strrchr(from, '/');
	char *path = NULL;
	int rc;

	if (*name == '/' || !slash)
		return scan_file(name, depth + 1, out);
	if (asprintf(&path, "%.*s/%s", (int)(slash - from), from, name) < 0)
		return -1;
	rc = scan_file(path, depth + 1, out);
	free(path);
	return rc;
}

/* Steals the value, which may be NULL. */
static void keep(char **out, char *value)
{
	if (!value)
		return;
	free(*out);
	*out = value;
}

/* Look for Socket= and Listen= only: whether the rest is right is the plugin's
 * to say. */
static int scan_file(const char *path, int depth, struct found *out)
{
	FILE *file = depth > INCLUDES_MAX ? NULL : fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	if (!file)
		return -1;
	while (getline(&line, &room, file) >= 0) {
		char *include = value_of(line, "Include");

		keep(&out->socket, value_of(line, "Socket"));
		keep(&out->listen, value_of(line, "Listen"));
		if (include)
			scan_include(path, include, depth, out);
		free(include);
	}
	free(line);
	fclose(file);
	return 0;
}

/* AuthInfo=socket=/path,ttl=… */
static char *munge_of(const char *auth_info)
{
	const char *at = auth_info ? strstr(auth_info, "socket=") : NULL;

	if (!at)
		return NULL;
	at += strlen("socket=");
	return strndup(at, strcspn(at, ",;"));
}

/* What else its user can do where that fails; NULL: it is not being read. */
static const char *loading;

/* Slurm ends the program where its configuration is missing or wrong, with
 * lines that do not help a user of sfair: this is said instead. */
static void explain_exit(void)
{
	if (loading)
		fprintf(stderr,
			"sfair: error: Slurm's configuration cannot be read on this host: sinfo says why; or %s\n",
			loading);
}

int sfair_load_slurm_conf(const char *otherwise, struct astra_error *err)
{
	log_options_t quiet = LOG_OPTS_INITIALIZER;
	const char *named = getenv("SLURM_CONF");
	char name[] = "sfair";

	if (named && access(named, R_OK) < 0)
		return astra_error_set(
			err,
			"SLURM_CONF=%s: %s: unset it, name the cluster's slurm.conf, or %s",
			named, strerror(errno), otherwise);
	quiet.stderr_level = LOG_LEVEL_QUIET;
	quiet.syslog_level = LOG_LEVEL_QUIET;
	quiet.logfile_level = LOG_LEVEL_QUIET;
	log_init(name, quiet, 0, NULL);
	atexit(explain_exit);
	loading = otherwise;
	slurm_conf_init(NULL);
	loading = NULL;
	return 0;
}

/* Slurm's plugins, without which no release from 23.11 on can be asked, are
 * loaded only here: where they are missing ours still answers. */
bool sfair_slurm_known(void)
{
	static const char *const otherwise = "unset SLURM_CONF";
	static bool ready;
	const char *named = getenv("SLURM_CONF");
	struct astra_error err;

	/* Not worth the end of the program, so only where it is named. */
	if (!slurm_conf.control_addr &&
	    (!named || access(named, R_OK) < 0 ||
	     sfair_load_slurm_conf(otherwise, &err) < 0))
		return false;
	if (ready)
		return true;
	loading = otherwise;
	slurm_init(NULL);
	loading = NULL;
	return ready = true;
}

int sfair_cluster_name(const char **name, struct astra_error *err)
{
	if (sfair_load_slurm_conf("audit a --trace", err) < 0)
		return -1;
	if (!*name)
		*name = slurm_conf.cluster_name;
	return 0;
}

/* The socket, or, where it is not of this host, the network's address. */
static int choose_path(struct found *found, char **path,
		       struct astra_error *err)
{
	struct astra_text address = {0};

	if (!found->socket && asprintf(&found->socket, "%s/" SOCKET_NAME,
				       slurm_conf.state_save_location) < 0)
		return astra_error_nomem(err);
	if (found->listen && access(found->socket, F_OK) < 0) {
		astra_dial_write(slurm_conf.control_addr,
				 slurm_conf.control_cnt, found->listen,
				 slurm_conf.slurm_user_id, &address);
		if (address.failed)
			return astra_error_nomem(err);
		*path = address.bytes;
		return 0;
	}
	*path = found->socket;
	found->socket = NULL;
	return 0;
}

static char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? strdup(value) : NULL;
}

/* Slurm's configuration is read only for what the environment leaves open. */
int sfair_conf(char **path, char **munge_socket, struct astra_error *err)
{
	struct found found = {0};
	bool munge_known;
	char *conf;
	int rc;

	*path = variable("SFAIR_SOCKET");
	*munge_socket = variable("SFAIR_MUNGE_SOCKET");
	if (!*munge_socket)
		*munge_socket = variable("MUNGE_SOCKET");
	munge_known = *munge_socket || !getenv("SLURM_CONF");
	if (*path && munge_known)
		return 0;
	if (sfair_load_slurm_conf("set SFAIR_SOCKET to the plugin's socket",
				  err) < 0)
		return -1;
	if (!*munge_socket)
		*munge_socket = munge_of(slurm_conf.authinfo);
	if (*path)
		return 0;
	conf = get_extra_conf_path("astraea.conf");
	scan_file(conf, 0, &found);
	xfree(conf);
	rc = choose_path(&found, path, err);
	free(found.socket);
	free(found.listen);
	return rc;
}
