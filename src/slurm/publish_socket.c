/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where what is published can be asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/history/read.h"
#include "src/proto/dial.h"
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
static char *address; /* as astra_dial() takes it; NULL: not on the network */

static void forget(void)
{
	free(path);
	free(munge);
	free(address);
	path = munge = address = NULL;
}

static char *write_address(const char *listen)
{
	struct astra_text text = {0};

	astra_dial_write(slurm_conf.control_addr, slurm_conf.control_cnt,
			 listen, slurm_conf.slurm_user_id, &text);
	if (text.failed)
		astra_text_clear(&text);
	return text.bytes;
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

	munge = munge_socket();
	if (config && config->socket)
		path = strdup(config->socket);
	else if (asprintf(&path, "%s/astraea.sock", cycle->folder) < 0)
		path = NULL;
	if (config && config->listen) {
		options.listen = config->listen;
		address = write_address(config->listen);
	}
	options.munge_socket = munge;
	options.path = path;
	if (!path || astra_server_start(&options, &err) < 0) {
		error("astraea: queries are not answered: %s", err.text);
		forget();
	}
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
