/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of what can be seen on this host: files, configuration, sbatch. */
#include <config.h> /* Slurm's */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "slurm/slurm.h"
#include "src/cmd/sfair/check.h"
#include "src/cmd/sfair/doctor.h"
#include "src/common/read_config.h"
#include "src/slurm/check/steps.h"
#include "src/slurm/conf/config.h"

#define MIN_PER_SEC (1.0 / 60)
#define ROOM_MIB 100 /* free space that StateSaveLocation needs */

/* Slurm's own settings. */

static void host_slurm(struct doctor *d)
{
	if (!slurm_conf.select_type ||
	    !strstr(slurm_conf.select_type, "cons_tres"))
		doctor_say(d, DOCTOR_ERROR,
			   "SelectType=%s: GPUs are given out one by one by "
			   "select/cons_tres only: set it in slurm.conf",
			   slurm_conf.select_type ? slurm_conf.select_type
						  : "");
	if (!astra_steps_have(slurm_conf.gres_plugins, "", "gpu"))
		doctor_say(d, DOCTOR_ERROR,
			   "slurm.conf has no GresTypes=gpu: nobody can ask "
			   "for GPUs");
	if (!slurm_conf.job_requeue)
		doctor_say(d, DOCTOR_WARNING,
			   "JobRequeue=0 in slurm.conf: jobs without --requeue "
			   "have no leases; set JobRequeue=1");
	if (!slurm_conf.accounting_storage_type ||
	    !strstr(slurm_conf.accounting_storage_type, "slurmdbd"))
		doctor_say(
			d, DOCTOR_WARNING,
			"no slurmdbd (AccountingStorageType): GPUs are "
			"shared among the Tenant lines of astraea.conf, else "
			"among users; sfair audit and sfair adopt know no "
			"past");
}

/* Files. */

static void host_plugin(struct doctor *d, const char *kind, const char *file)
{
	char *dirs = strdup(slurm_conf.plugindir), *save = NULL;
	char path[4096];

	for (char *dir = dirs ? strtok_r(dirs, ":", &save) : NULL; dir;
	     dir = strtok_r(NULL, ":", &save)) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, file);
		if (access(path, R_OK) == 0) {
			free(dirs);
			return;
		}
	}
	free(dirs);
	doctor_say(d, DOCTOR_ERROR,
		   "%s: %s is not in PluginDir=%s: install the plugins that "
		   "were built for this Slurm",
		   kind, file, slurm_conf.plugindir);
}

static void host_plugins(struct doctor *d)
{
	unsigned errors = d->errors;

	if (astra_steps_have(slurm_conf.bb_type, "burst_buffer/", "astraea"))
		host_plugin(d, "BurstBufferType", "burst_buffer_astraea.so");
	if (astra_steps_have(slurm_conf.schedtype, "sched/", "astraea"))
		host_plugin(d, "SchedulerType", "sched_astraea.so");
	if (astra_steps_have(slurm_conf.priority_type, "priority/", "ltgf"))
		host_plugin(d, "PriorityType", "priority_ltgf.so");
	if (astra_steps_have(slurm_conf.job_submit_plugins, "job_submit/",
			     "astraea"))
		host_plugin(d, "JobSubmitPlugins", "job_submit_astraea.so");
	host_plugin(d, "Plugins", "libastraea.so");
	if (d->errors == errors)
		doctor_say(d, DOCTOR_GOOD, "the plugins are in %s",
			   slurm_conf.plugindir);
}

/* Checks the order of JobSubmitPlugins, which is the order in which Slurm calls
 * them. */
static void host_submit(struct doctor *d)
{
	const char *list = slurm_conf.job_submit_plugins;
	const char *at = list ? strstr(list, "astraea,") : NULL;

	if (at && (at == list || at[-1] == ',' || at[-1] == '/'))
		doctor_say(d, DOCTOR_WARNING,
			   "JobSubmitPlugins=%s: what %s changes in a job is "
			   "not checked: put astraea last",
			   list, strchr(at, ',') + 1);
}

static void host_state(struct doctor *d)
{
	const char *folder = slurm_conf.state_save_location;
	struct statvfs room;

	/* only root and SlurmUser can look into the folder */
	if (statvfs(folder, &room) < 0 && errno == EACCES)
		return;
	if (statvfs(folder, &room) < 0) {
		doctor_say(d, DOCTOR_ERROR, "StateSaveLocation=%s: %s", folder,
			   strerror(errno));
		return;
	}
	if ((double)room.f_bavail * (double)room.f_frsize < ROOM_MIB * 0x1p20)
		doctor_say(d, DOCTOR_WARNING,
			   "StateSaveLocation=%s has less than %d MiB free: "
			   "make room, or what tenants have had is not saved",
			   folder, ROOM_MIB);
}

/* Times. */

static void host_grace(struct doctor *d, const struct astra_pool_config *pool)
{
	const struct astra_options *o = &pool->options;

	if (o->checkpoint_signal && !(o->grace_sec > 0))
		doctor_say(d, DOCTOR_WARNING,
			   "pool %s: CheckpointGrace=0: a job at its lease's "
			   "end has only KillWait=%us to checkpoint: give it "
			   "the time that a checkpoint takes",
			   pool->name, slurm_conf.kill_wait);
	else if (o->grace_sec > 0 && o->grace_sec < slurm_conf.kill_wait)
		doctor_say(d, DOCTOR_WARNING,
			   "pool %s: KillWait=%us is longer than "
			   "CheckpointGrace=%.0fs: a job that ignores SIGTERM "
			   "keeps its GPUs that much longer; lower KillWait",
			   pool->name, slurm_conf.kill_wait, o->grace_sec);
	if (!o->lease_auto &&
	    o->lease_sec < 10 * (o->grace_sec + slurm_conf.kill_wait))
		doctor_say(
			d, DOCTOR_WARNING,
			"pool %s: LeaseTerm=%.0fs is less than ten times "
			"CheckpointGrace and KillWait together: much of the "
			"GPUs' time may go into leaving; sfairsim tune finds "
			"a term",
			pool->name, o->lease_sec);
}

/* Whether an exit code is in a list of slurm.conf, such as "1,84-86". */
static bool host_has_code(const char *list, int code)
{
	while (list && *list) {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (end > list && code >= first && code <= last)
			return true;
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
	return false;
}

/* Checks that Slurm itself does not act on the exit codes of CheckpointExit. */
static void host_exits(struct doctor *d, const struct astra_pool_config *pool)
{
	const struct astra_options *o = &pool->options;

	for (size_t i = 0; i < o->checkpoint_exit_count; i++) {
		int code = o->checkpoint_exit[i];

		if (host_has_code(slurm_conf.requeue_exit_hold, code))
			doctor_say(d, DOCTOR_ERROR,
				   "RequeueExitHold=%s of slurm.conf has %d, "
				   "CheckpointExit of pool %s: a job that has "
				   "checkpointed is held and never goes on; "
				   "take another code",
				   slurm_conf.requeue_exit_hold, code,
				   pool->name);
		if (host_has_code(slurm_conf.requeue_exit, code))
			doctor_say(
				d, DOCTOR_WARNING,
				"RequeueExit=%s of slurm.conf has %d, "
				"CheckpointExit of pool %s: jobs that end so "
				"outside a grace are requeued as well",
				slurm_conf.requeue_exit, code, pool->name);
	}
}

static void host_limits(struct doctor *d, const struct astra_pool_config *pool)
{
	slurm_conf_partition_t **parts;
	int count = slurm_conf_partition_array(&parts);
	const struct astra_options *o = &pool->options;
	double term_min =
		(o->lease_auto ? astra_auto_most_sec(o) : o->lease_sec) *
		MIN_PER_SEC;

	for (int i = 0; i < count; i++) {
		const slurm_conf_partition_t *p = parts[i];

		if (!astra_names_have(&pool->partitions, p->name) ||
		    p->max_time == INFINITE || p->max_time == NO_VAL)
			continue;
		if (p->max_time <= term_min)
			doctor_say(
				d, DOCTOR_WARNING,
				"partition %s: MaxTime of %u min is no "
				"longer than LeaseTerm: no lease ends before "
				"its job does; raise MaxTime, as it counts "
				"for each run of a job",
				p->name, p->max_time);
	}
}

static void host_pools(struct doctor *d, const struct astra_config *config)
{
	for (size_t i = 0; i < config->pool_count; i++) {
		if (!config->pools[i].options.leases)
			continue;
		host_grace(d, &config->pools[i]);
		host_exits(d, &config->pools[i]);
		host_limits(d, &config->pools[i]);
	}
}

static void host_warn(void *arg, const char *text)
{
	doctor_say(arg, DOCTOR_WARNING, "%s", text);
}

static void host_conf(struct doctor *d)
{
	struct astra_error warnings[SFAIR_CONF_WARNINGS], err = {""};
	struct astra_config *config = sfair_conf_read(NULL, warnings, &err);

	if (!config) {
		doctor_say(d, DOCTOR_ERROR, "%s", err.text);
		return;
	}
	doctor_say(d, DOCTOR_GOOD, "astraea.conf has no error; pools: %zu",
		   config->pool_count);
	sfair_conf_warnings(warnings, host_warn, d);
	host_pools(d, config);
	astra_config_destroy(config);
}

/* Checks that sbatch's help lists the options of the plugin in plugstack.conf.
 * From Slurm 25.11 on, sbatch does not report errors of an optional plugin. */
static void host_options(struct doctor *d)
{
	FILE *help = popen("sbatch --help 2>&1", "r");
	char line[1024], wrong[512] = "";
	bool lease = false;
	int status;

	while (help && fgets(line, sizeof(line), help)) {
		lease |= strstr(line, "--lease") != NULL;
		if (!*wrong && strstr(line, "spank") && strstr(line, "error"))
			(void)snprintf(wrong, sizeof(wrong), "%.*s",
				       (int)strcspn(line, "\n"), line);
	}
	status = help ? pclose(help) : -1;
	if (*wrong)
		doctor_say(d, DOCTOR_ERROR,
			   "sbatch says: %s: install spank_astraea.so on this "
			   "host, or take its line out of plugstack.conf",
			   wrong);
	else if (lease)
		doctor_say(d, DOCTOR_GOOD, "sbatch knows --lease");
	else if (status)
		doctor_say(d, DOCTOR_WARNING,
			   "there is no sbatch here: whether it would know "
			   "--lease is not known");
	else
		doctor_say(
			d, DOCTOR_WARNING,
			"sbatch does not know --lease: plugstack.conf lacks "
			"the line of spank_astraea.so (doc/admins.md, step 3), or "
			"this host has no such file; leases work, but users "
			"cannot say anything of them, nor can sfair-agent");
}

void doctor_host(struct doctor *d, bool here)
{
	doctor_say(d, DOCTOR_GOOD, "this sfair is for Slurm %s, cluster %s",
		   SLURM_VERSION_STRING, slurm_conf.cluster_name);
	host_options(d);
	if (!here)
		return;
	host_slurm(d);
	host_plugins(d);
	host_submit(d);
	host_state(d);
	host_conf(d);
}
