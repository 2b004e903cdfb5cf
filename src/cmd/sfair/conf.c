/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds where the plugin listens: by the same rules as the plugin or, on
 * another host, by asking slurmctld. */
#include <config.h> /* Slurm's */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/slurm.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/proto/dial.h"
#include "src/proto/listen.h"
#include "src/proto/sack.h"
#include "src/proto/sign.h"

#define INCLUDES_MAX 8
#define SOCKET_NAME "astraea.sock"

/* Values from astraea.conf; malloced, or NULL. */
struct found {
	char *socket, *listen;
};

static int conf_find_in(const char *path, int depth, struct found *out);

/* Returns the word after a key and its = or blanks, malloced, or NULL if the
 * line does not have this key. */
static char *conf_value_of(const char *line, const char *key)
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

/* Reads an included file. As in Slurm, a relative path is resolved in the
 * folder of the including file. */
static int scan_include(const char *from, const char *name, int depth,
			struct found *out)
{
	const char *slash = strrchr(from, '/');
	char *path = NULL;
	int rc;

	if (*name == '/' || !slash)
		return conf_find_in(name, depth + 1, out);
	if (asprintf(&path, "%.*s/%s", (int)(slash - from), from, name) < 0)
		return -1;
	rc = conf_find_in(path, depth + 1, out);
	free(path);
	return rc;
}

/* Replaces *out by the value, which is stolen. If the value is NULL, keeps
 * *out. */
static void conf_keep(char **out, char *value)
{
	if (!value)
		return;
	free(*out);
	*out = value;
}

/* Reads only Socket= and Listen=; the plugin checks the rest. */
static int conf_find_in(const char *path, int depth, struct found *out)
{
	FILE *file = depth > INCLUDES_MAX ? NULL : fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	if (!file)
		return -1;
	while (getline(&line, &room, file) >= 0) {
		char *include = conf_value_of(line, "Include");

		conf_keep(&out->socket, conf_value_of(line, "Socket"));
		conf_keep(&out->listen, conf_value_of(line, "Listen"));
		if (include)
			scan_include(path, include, depth, out);
		free(include);
	}
	free(line);
	fclose(file);
	return 0;
}

/* Returns PATH of AuthInfo=socket=PATH,ttl=… */
static char *munge_of(const char *auth_info)
{
	const char *at = auth_info ? strstr(auth_info, "socket=") : NULL;

	if (!at)
		return NULL;
	at += strlen("socket=");
	return strndup(at, strcspn(at, ",;"));
}

/* Returns how messages are signed by slurm.conf, in the form for
 * src/proto/sign.h. From 24.05 on, the plugin can sign with auth/slurm. */
static char *auth_of_slurm(void)
{
	char *auth;

	if (SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 5, 0) ||
	    !astra_sack_is_type(slurm_conf.authtype))
		return munge_of(slurm_conf.authinfo);
	if (asprintf(&auth, ASTRA_AUTH_SLURM ":%s",
		     slurm_conf.cluster_name ? slurm_conf.cluster_name : "") <
	    0)
		return NULL;
	return auth;
}

/* Whether the file in place of the plugin's socket belongs to another user, in
 * a folder that others may write to. */
static bool find_is_strangers(const char *path)
{
	struct stat st;

	return !stat(path, &st) &&
	       !astra_dial_trusts(path, st.st_uid, slurm_conf.slurm_user_id);
}

/* Whether path is the plugin's own socket on this host and we may connect to
 * it. */
static bool find_is_socket(const char *path)
{
	return astra_dial_is_here(path, slurm_conf.slurm_user_id) &&
	       !access(path, R_OK | W_OK);
}

/* Returns the port that Listen= names, or else the default port. */
static unsigned int find_port(const char *listen)
{
	const char *colon = listen ? strrchr(listen, ':') : NULL;

	if (listen && astra_listen_valid(listen, 1))
		return (unsigned int)strtoul(colon ? colon + 1 : listen, NULL,
					     10);
	return astra_listen_default(slurm_conf.slurmctld_port);
}

/* Replaces the path by the plugin's network address. */
static int find_address(struct sfair_where *where,
			const struct sfair_slurm *slurm, unsigned int port,
			struct astra_error *err)
{
	struct astra_text address = {0};

	astra_dial_write(slurm_conf.slurmctld_addr, slurm_conf.control_addr,
			 slurm_conf.control_cnt, slurm->index, port,
			 slurm_conf.slurm_user_id, &address);
	if (address.failed)
		return astra_error_nomem(err);
	conf_keep(&where->path, address.bytes);
	return 0;
}

int sfair_find_again(struct sfair_where *where, const struct sfair_slurm *slurm,
		     struct astra_error *err)
{
	if (where->given || slurm->state != SFAIR_SLURM_PLUGIN ||
	    !slurm->status.port)
		return 0;
	return find_address(where, slurm, slurm->status.port, err);
}

/* Checks that a message can be signed. Over the network an unsigned request
 * gets no answer, so sending it would be useless. */
static int find_signer(const struct sfair_where *where, struct astra_error *err)
{
	char *credential = astra_sign(where->auth, "", 0, err);

	free(credential);
	return credential ? 0 : -1;
}

/* Finds where the plugin listens on another host: slurmctld says where, or it
 * is guessed. If slurmctld is silent and the socket does not exist, keeps the
 * socket's path, as it makes a better error message. */
static int find_remote(struct sfair_where *where, const char *listen,
		       struct astra_error *err)
{
	struct sfair_slurm slurm;

	if (find_signer(where, err) < 0)
		return -1;
	sfair_slurm_ask(&slurm);
	if (slurm.state == SFAIR_SLURM_PLUGIN)
		return sfair_find_again(where, &slurm, err);
	if (slurm.state == SFAIR_SLURM_SILENT &&
	    access(where->path, F_OK) < 0 && errno == ENOENT)
		return 0;
	return find_address(where, &slurm, find_port(listen), err);
}

static char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? strdup(value) : NULL;
}

static int find_by_slurm(struct sfair_where *where, struct astra_error *err)
{
	struct found found = {0};
	char *conf = get_extra_conf_path("astraea.conf");
	int rc = 0;

	where->slurm_user = slurm_conf.slurm_user_id;
	conf_find_in(conf, 0, &found);
	xfree(conf);
	where->path = found.socket;
	if (!where->path && asprintf(&where->path, "%s/" SOCKET_NAME,
				     slurm_conf.state_save_location) < 0)
		rc = astra_error_nomem(err);
	if (!rc && !find_is_socket(where->path))
		rc = find_remote(where, found.listen, err);
	if (!rc && *where->path == '/' && find_is_strangers(where->path))
		rc = astra_error_set(
			err,
			"%s: belongs neither to SlurmUser nor to root, so it is not asked: remove it, or unset Listen=no in astraea.conf",
			where->path);
	free(found.listen);
	return rc;
}

/* Splits "UID@/PATH". */
static void find_split_user(struct sfair_where *where)
{
	uint32_t uid;
	const char *bare = astra_dial_user(where->path, &uid);

	if (*bare != '/')
		return;
	where->slurm_user = uid;
	memmove(where->path, bare, strlen(bare) + 1);
}

/* Returns how messages are signed by the environment, or NULL if it does not
 * say. */
static char *find_auth(void)
{
	char *auth = variable("SFAIR_AUTH");

	if (!auth)
		auth = variable("ASTRAEA_AUTH");
	if (astra_sack_is(auth))
		return auth;
	free(auth);
	auth = variable("SFAIR_MUNGE_SOCKET");
	return auth ? auth : variable("MUNGE_SOCKET");
}

/* Reads Slurm's configuration only for what the environment does not set. With
 * auth/slurm, ignores a munged that the environment names. */
int sfair_find(struct sfair_where *where, struct astra_error *err)
{
	char *auth;

	*where = (struct sfair_where){
		.path = variable("SFAIR_SOCKET"),
		.auth = find_auth(),
		.slurm_user = ASTRA_UID_UNKNOWN,
	};
	where->given = where->path;
	if (where->given)
		find_split_user(where);
	if (where->given && (where->auth || !getenv("SLURM_CONF")))
		return 0;
	if (sfair_load_slurm_conf("set SFAIR_SOCKET to the plugin's socket",
				  err) < 0)
		return -1;
	auth = auth_of_slurm();
	if (!where->auth || astra_sack_is(auth))
		conf_keep(&where->auth, auth);
	else
		free(auth);
	return where->given ? 0 : find_by_slurm(where, err);
}

void sfair_where_clear(struct sfair_where *where)
{
	free(where->path);
	free(where->auth);
	*where = (struct sfair_where){0};
}

/* Explanations if the plugin does not answer: slurmctld is down, runs on
 * another host, or has not loaded the plugin. */

#define HOST_BYTES 256

bool sfair_is_here(const char *machine)
{
	char host[HOST_BYTES] = "";
	size_t size;

	if (!machine || gethostname(host, sizeof(host) - 1) < 0)
		return true; /* there is no better answer */
	size = strcspn(host, ".");
	return !strncmp(host, machine, size) &&
	       (!machine[size] || machine[size] == '.');
}

/* Explains that slurmctld has the plugin, but not at the address that was
 * tried. */
static void absent_plugin(const struct sfair_where *where,
			  const struct astra_status *status,
			  struct astra_text *out)
{
	if (!status->answers)
		astra_text_printf(
			out,
			"its astraea plugin answers nobody: see slurmctld's log");
	else if (where->given)
		astra_text_printf(
			out,
			"its astraea plugin answers elsewhere: unset SFAIR_SOCKET");
	else if (status->port)
		astra_text_printf(
			out,
			"its astraea plugin listens at port %u: see Listen= in astraea.conf",
			status->port);
	else
		astra_text_printf(
			out,
			"its astraea plugin is not on the network: log in there, or set Listen= in astraea.conf (where it is set, slurmctld's log says what is wrong)");
}

/* Appends a short text on which address was tried. */
static void absent_what(const char *path, const struct astra_error *err,
			struct astra_text *out)
{
	if (*path != '/')
		astra_text_printf(out, "%.200s", err->text);
	else if (access(path, F_OK) < 0)
		astra_text_printf(out, "%s: no such socket", path);
	else
		astra_text_printf(out, "%s: nobody answers", path);
}

void sfair_explain_absent(const struct sfair_where *where,
			  const struct sfair_slurm *slurm,
			  struct astra_error *err)
{
	struct astra_text what = {0}, plugin = {0};
	const char *host = sfair_slurm_host(slurm->index);

	absent_what(where->path, err, &what);
	absent_plugin(where, &slurm->status, &plugin);
	if (what.failed || plugin.failed)
		astra_error_nomem(err);
	else if (slurm->state == SFAIR_SLURM_SILENT && *where->path == '/' &&
		 !access(where->path, F_OK))
		(void)err; /* a socket was left behind; err already says so */
	else if (slurm->state == SFAIR_SLURM_SILENT)
		astra_error_set(
			err,
			"%s, and slurmctld does not answer: start it, and see its log (scontrol ping)",
			what.bytes);
	else if (slurm->state == SFAIR_SLURM_REFUSES)
		astra_error_set(
			err,
			"%s, and slurmctld on %s does not say where the plugin is: %s",
			what.bytes, host, slurm->why);
	else if (slurm->state == SFAIR_SLURM_WITHOUT)
		astra_error_set(
			err,
			"%s: slurmctld runs without the astraea plugin: set BurstBufferType=burst_buffer/astraea in slurm.conf and restart it, or see its log; SFAIR_SOCKET or Socket= in astraea.conf names another socket",
			what.bytes);
	else if (slurm->state == SFAIR_SLURM_PLUGIN)
		astra_error_set(err, "%s: slurmctld runs on %s, and %s",
				what.bytes, host, plugin.bytes);
	astra_text_clear(&what);
	astra_text_clear(&plugin);
}
