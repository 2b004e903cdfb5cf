/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where what is published can be asked for. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/history/read.h"
#include "src/proto/dial.h"
#include "src/proto/listen.h"
#include "src/proto/status.h"
#include "src/slurm/bids.h"
#include "src/slurm/coordinator.h"
#include "src/slurm/env.h"
#include "src/slurm/host.h"
#include "src/slurm/progress.h"
#include "src/slurm/publish.h"
#include "src/slurm/recorder.h"
#include "src/slurm/server.h"

/* Not by validate_operator(), which compares with the SlurmUser of slurm.conf:
 * while slurmctld reads that again, it takes the user 65534 for it. */
static bool is_operator(uid_t uid)
{
	return assoc_mgr_get_admin_level(acct_db_conn, uid) >=
	       SLURMDB_ADMIN_OPERATOR;
}

static void log_line(bool is_error, const char *text)
{
	if (is_error)
		error("astraea: %s", text);
	else
		verbose("astraea: %s", text);
}

/* The socket of AuthInfo=socket=PATH, for free(), or NULL. */
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

/* Where it listens, and munged; NULL: nowhere, and at its own place. */
static char *path, *munge;
static struct astra_error publish_trouble; /* why it listens nowhere */
static char *address; /* as astra_dial() takes it; NULL: not on the network */

/* What slurmctld tells, at any time and in any thread. */
static pthread_mutex_t status_lock = PTHREAD_MUTEX_INITIALIZER;
static struct astra_status status;

/* host: as SlurmctldHost has it. */
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

static void forget(void)
{
	publish_status(false, 0, "");
	free(path);
	free(munge);
	free(address);
	path = munge = address = NULL;
}

/* Which of the controllers this one is. */
static size_t publish_index(void)
{
	return backup_inx > 0 && (uint32_t)backup_inx < slurm_conf.control_cnt
		       ? (size_t)backup_inx
		       : 0;
}

static char *write_address(unsigned int port)
{
	struct astra_text text = {0};

	astra_dial_write(slurm_conf.control_addr, slurm_conf.control_cnt, 0,
			 port, slurm_conf.slurm_user_id, &text);
	if (text.failed)
		astra_text_clear(&text);
	return text.bytes;
}

/* By default a port that slurmctld's own gives away, and where slurmctld keeps
 * to one address, that one: but no name is looked up here. malloced, or NULL:
 * not on the network. */
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

/* malloced, or NULL: not on the network. */
static char *publish_listen_at(const struct astra_config *config)
{
	if (!astra_config_listens(config))
		return NULL;
	return config && config->listen ? strdup(config->listen)
					: publish_default();
}

static void publish_failed(const struct astra_error *err)
{
	if (strcmp(publish_trouble.text, err->text))
		error("astraea: queries are not answered: %s", err->text);
	publish_trouble = *err;
	forget();
}

void astra_publish_start(const struct astra_cycle *cycle)
{
	const struct astra_config *config = astra_config_active();
	struct astra_server_options options = {
		.slurm_uid = slurm_conf.slurm_user_id,
		.is_operator = is_operator,
		.accounts_of = astra_accounts_of,
		.diag_reset = astra_host_reset_diag,
		.note = astra_progress_note,
		.bid = astra_bids_note,
		.record = astra_recorder_order,
		.log_line = log_line,
		.history = astra_history_report,
	};
	struct astra_error err = {""};
	char *listen = publish_listen_at(config);

	munge = munge_socket();
	if (config && config->socket)
		path = strdup(config->socket);
	else if (asprintf(&path, "%s/astraea.sock", cycle->folder) < 0)
		path = NULL;
	options.munge_socket = munge;
	options.path = path;
	options.listen = listen;
	options.any_port = !config || !config->listen;
	if (!path || astra_server_start(&options, &err) < 0) {
		publish_failed(&err);
	} else {
		publish_trouble = (struct astra_error){""};
		unsigned int port = astra_server_port();

		if (port)
			address = write_address(port);
		publish_status(true, port,
			       slurm_conf.control_machine[publish_index()]);
	}
	free(listen);
}

void astra_publish_keep(const struct astra_cycle *cycle)
{
	if (*publish_trouble.text)
		astra_publish_start(cycle);
}

void astra_publish_tell(job_details_t *details)
{
	if (path)
		astra_env_set(details, "ASTRAEA_SOCKET", path);
	if (address)
		astra_env_set(details, "ASTRAEA_ADDRESS", address);
	if (path && munge)
		astra_env_set(details, "ASTRAEA_MUNGE_SOCKET", munge);
}

void astra_publish_stop(void)
{
	astra_history_read_cancel();
	astra_server_stop();
	astra_history_read_stop();
	forget();
}
