/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where queries for the report are answered, and the history in which it is
 * kept. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "src/history/history.h"
#include "src/history/read.h"
#include "src/history/schema.h"
#include "src/proto/answer.h"
#include "src/proto/dial.h"
#include "src/proto/listen.h"
#include "src/proto/query.h"
#include "src/proto/status.h"
#include "src/slurm/ahead/recorder.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/desk/adopter.h"
#include "src/slurm/desk/publish.h"
#include "src/slurm/desk/publish_auth.h"
#include "src/slurm/desk/server.h"
#include "src/slurm/note/bids.h"
#include "src/slurm/note/progress.h"
#include "src/slurm/out/env.h"
#include "src/slurm/round/bell.h"

/* The writer of the history. */

static void publish_history_log_line(bool is_error, const char *text)
{
	if (is_error)
		error("astraea: %s", text);
	else
		info("astraea: %s", text);
}

void astra_publish_start_history(const char *folder)
{
	const struct astra_config *config = astra_config_active();
	struct astra_history_options options = {
		.cluster = slurm_conf.cluster_name,
		.log_line = publish_history_log_line,
	};
	struct astra_error err = {""};
	char *path = NULL;

	astra_history_read_from(NULL);
	if (!config || !config->history)
		return;
	options.keep = (struct astra_history_keep){
		.minute_sec = config->history_rounds_sec,
		.hour_sec = config->history_hours_sec,
		.day_sec = config->history_days_sec,
		.job_sec = config->history_leases_sec,
	};
	options.file = config->history_file;
	if (!options.file &&
	    asprintf(&path, "%s/" ASTRA_HISTORY_FILE, folder) < 0)
		path = NULL;
	if (!options.file)
		options.file = path;
	if (options.file && astra_history_start(&options, &err) < 0)
		error("astraea: no history: %s", err.text);
	astra_history_read_from(options.file);
	free(path);
}

/* The accounts that a user coordinates, by sacctmgr. */

struct astra_names;

#define ACCOUNTS_MAX 10000 /* of one user */

struct coordinator {
	uid_t uid;
	struct astra_names *accounts;
	bool failed;
};

static int add_account(void *x, void *arg)
{
	const slurmdb_coord_rec_t *account = x;
	struct coordinator *c = arg;

	if (!account->name || c->accounts->count >= ACCOUNTS_MAX)
		return 0;
	c->failed |= astra_names_add(c->accounts, account->name,
				     strlen(account->name)) < 0;
	return c->failed ? -1 : 0;
}

static int look_at_user(void *x, void *arg)
{
	slurmdb_user_rec_t *user = x;
	struct coordinator *c = arg;

	if (user->uid != c->uid)
		return 0;
	if (user->coord_accts)
		(void)list_for_each_ro(user->coord_accts, add_account, c);
	return -1;
}

/* List the accounts that a user coordinates. slurmctld shows the user the jobs
 * of these accounts, and slurmdbd their usage, whatever PrivateData says. out:
 * appended to, in any order. Locks: takes assoc_mgr's user read. Returns 0, or
 * -1 when memory is out. */
static int accounts_of(uid_t uid, struct astra_names *out)
{
	assoc_mgr_lock_t locks = {.user = READ_LOCK};
	struct coordinator c = {.uid = uid, .accounts = out};

	assoc_mgr_lock(&locks);
	if (assoc_mgr_user_list)
		(void)list_for_each_ro(assoc_mgr_user_list, look_at_user, &c);
	assoc_mgr_unlock(&locks);
	return c.failed ? -1 : 0;
}

/* Whether the user is an operator. validate_operator() would compare with
 * SlurmUser of slurm.conf, which is the user 65534 while slurmctld reads the
 * file again. */
static bool is_operator(uid_t uid)
{
	return assoc_mgr_get_admin_level(acct_db_conn, uid) >=
	       SLURMDB_ADMIN_OPERATOR;
}

static void publish_socket_log_line(bool is_error, const char *text)
{
	if (is_error)
		error("astraea: %s", text);
	else
		verbose("astraea: %s", text);
}

/* Return the socket in AuthInfo=socket=PATH, for free(), or NULL. */
static char *munge_socket(void)
{
	const char *at = slurm_conf.authinfo
				 ? strstr(slurm_conf.authinfo, "socket=")
				 : NULL;

	if (!at)
		return NULL;
	at += strlen("socket=");
	return strndup(at, strcspn(at, ",;"));
}

/* The line in slurmctld's status reply. Any thread may use it at any time. */
static pthread_mutex_t status_lock = PTHREAD_MUTEX_INITIALIZER;
static struct astra_status status;

/* Set the line. host: as in SlurmctldHost. */
static void publish_status(bool answers, unsigned int port, const char *host)
{
	struct astra_status now = {.answers = answers, .port = port};

	(void)snprintf(now.host, sizeof(now.host), "%s", host);
	pthread_mutex_lock(&status_lock);
	status = now;
	pthread_mutex_unlock(&status_lock);
}

char *astra_publish_status(void)
{
	struct astra_text text = {0};
	struct astra_status now;
	char *line;

	pthread_mutex_lock(&status_lock);
	now = status;
	pthread_mutex_unlock(&status_lock);
	astra_status_write(&now, &text);
	line = xstrdup(text.bytes);
	astra_text_clear(&text);
	return line;
}

/* Return the index of this controller. */
static size_t publish_index(void)
{
	return backup_inx > 0 && (uint32_t)backup_inx < slurm_conf.control_cnt
		       ? (size_t)backup_inx
		       : 0;
}

static char *write_address(unsigned int port)
{
	struct astra_text text = {0};

	astra_dial_write(slurm_conf.slurmctld_addr, slurm_conf.control_addr,
			 slurm_conf.control_cnt, 0, port,
			 slurm_conf.slurm_user_id, &text);
	if (text.failed)
		astra_text_clear(&text);
	return text.bytes;
}

/* Return the default place to listen at, malloced; NULL: not on the network.
 * The port is derived from slurmctld's own. The address is slurmctld's if
 * slurmctld listens at one address only. No name is looked up here. */
static char *publish_default(void)
{
	const char *own = slurm_conf.control_addr[publish_index()];
	unsigned int port = astra_listen_default(slurm_conf.slurmctld_port);
	bool v6 = strchr(own, ':');
	char *where = NULL;
	uint8_t bytes[16];
	int rc;

	if (!xstrcasestr(slurm_conf.comm_params, "NoCtldInAddrAny"))
		rc = asprintf(&where, "%u", port);
	else if (inet_pton(v6 ? AF_INET6 : AF_INET, own, bytes) == 1)
		rc = asprintf(&where, v6 ? "[%s]:%u" : "%s:%u", own, port);
	else
		return NULL;
	return rc < 0 ? NULL : where;
}

/* Return where to listen, malloced; NULL: not on the network. */
static char *publish_listen_at(const struct astra_config *config)
{
	if (!astra_config_listens(config))
		return NULL;
	return config && config->listen ? strdup(config->listen)
					: publish_default();
}

static int publish_note(const struct astra_query *query, double now_sec,
			struct astra_error *err)
{
	return astra_progress_note(query, astra_clock_followed(now_sec), err);
}

static int publish_bid(const struct astra_report *report,
		       const struct astra_query *query,
		       const struct astra_viewer *viewer,
		       struct astra_error *err)
{
	struct astra_viewer of = *viewer;

	of.now_sec = astra_clock_followed(viewer->now_sec);
	return astra_bids_note(report, query, &of, err);
}

/* Collect the server's options from slurm.conf and astraea.conf. listen: gets
 * the text to which options->listen points, for free(). Locks: caller holds
 * conf and job read, or slurmctld starts. */
static void publish_gather(const char *folder, struct astra_env_place *out,
			   struct astra_server_options *options, char **listen)
{
	const struct astra_config *config = astra_config_active();

	*out = (struct astra_env_place){.munge = munge_socket(),
					.auth = astra_publish_auth()};
	if (config && config->socket)
		out->path = strdup(config->socket);
	else if (asprintf(&out->path, "%s/astraea.sock", folder) < 0)
		out->path = NULL;
	*listen = publish_listen_at(config);
	*options = (struct astra_server_options){
		.slurm_uid = slurm_conf.slurm_user_id,
		.is_operator = is_operator,
		.accounts_of = accounts_of,
		.diag_reset = astra_bell_reset_diag,
		.note = publish_note,
		.bid = publish_bid,
		.record = astra_recorder_order,
		.adopt = astra_adopter_order,
		.log_line = publish_socket_log_line,
		.history = astra_history_report,
		.munge_socket = out->munge,
		.slurm_auth = out->auth ? &astra_publish_slurm_auth : NULL,
		.path = out->path,
		.listen = *listen,
		.any_port = !config || !config->listen,
	};
}

/* Start the server. Does I/O. Returns 0, or -1 with err set and the place's
 * strings freed. */
static int publish_serve(struct astra_env_place *p,
			 const struct astra_server_options *options,
			 struct astra_error *err)
{
	int rc = p->path ? astra_server_start(options, err)
			 : astra_error_nomem(err);

	if (rc < 0)
		astra_env_place_clear(p);
	return rc;
}

/* Tell jobs and scontrol where to send queries. Locks: as publish_gather(), and
 * job write. */
static void publish_place_set(struct astra_env_place *fresh)
{
	unsigned int port = astra_server_port();

	if (port)
		fresh->address = write_address(port);
	astra_env_set_place(fresh);
	publish_status(true, port, slurm_conf.control_machine[publish_index()]);
}

void astra_publish_start(const char *folder)
{
	struct astra_server_options options;
	struct astra_env_place fresh;
	struct astra_error err = {""};
	char *listen;

	publish_gather(folder, &fresh, &options, &listen);
	if (publish_serve(&fresh, &options, &err) == 0)
		publish_place_set(&fresh);
	else
		error("astraea: queries are not answered: %s", err.text);
	free(listen);
}

static bool publish_answers(void)
{
	bool answers;

	pthread_mutex_lock(&status_lock);
	answers = status.answers;
	pthread_mutex_unlock(&status_lock);
	return answers;
}

/* A first attempt may fail since another controller, which is handing over,
 * still answers for a moment. */
void astra_publish_retry(const char *folder)
{
	const slurmctld_lock_t locks = {.conf = READ_LOCK, .job = READ_LOCK};
	struct astra_server_options options;
	struct astra_env_place fresh;
	struct astra_error err = {""};
	char *listen;

	if (slurmctld_config.shutdown_time || publish_answers())
		return;
	lock_slurmctld(locks);
	publish_gather(folder, &fresh, &options, &listen);
	unlock_slurmctld(locks);
	if (publish_serve(&fresh, &options, &err) == 0) {
		lock_slurmctld(astra_write_locks());
		publish_place_set(&fresh);
		unlock_slurmctld(astra_write_locks());
	}
	free(listen);
}

void astra_publish_stop(void)
{
	astra_history_read_cancel();
	astra_server_stop();
	astra_history_read_stop();
	publish_status(false, 0, "");
	astra_env_set_place(&(struct astra_env_place){0});
}
