/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair check: prints what leases would mean for the jobs that slurmctld
 * has. */
#include <config.h> /* Slurm's */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "slurm/slurm.h"
#include "src/cmd/sfair/check.h"
#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/slurm.h"
#include "src/slurm/conf/config.h"

#define ASK_SEC 5 /* for all requests together */

/* The jobs that ask for GPUs in pools that get leases. */
struct check_jobs {
	uint32_t *users; /* a user for each job, in any order */
	size_t count;
};

static bool jobs_have(const struct astra_config *config, const char *partition,
		      size_t size)
{
	for (size_t i = 0; i < config->pool_count; i++) {
		const struct astra_pool_config *pool = &config->pools[i];

		for (size_t k = 0;
		     k < pool->partitions.count && pool->options.leases; k++)
			if (strlen(pool->partitions.name[k]) == size &&
			    !strncmp(pool->partitions.name[k], partition, size))
				return true;
	}
	return false;
}

/* Whether any of the partitions (separated by commas) is in a pool that gets
 * leases. */
static bool jobs_meet(const struct astra_config *config, const char *partitions)
{
	for (const char *at = partitions ? partitions : ""; *at;) {
		size_t size = strcspn(at, ",");

		if (jobs_have(config, at, size))
			return true;
		at += size + (at[size] == ',');
	}
	return false;
}

/* Whether the job asks for GPUs, by whatever option, even if
 * AccountingStorageTRES has no GPUs. */
static bool jobs_ask(const slurm_job_info_t *job)
{
	const char *const texts[] = {
		job->tres_alloc_str, job->tres_req_str,	 job->gres_total,
		job->tres_per_job,   job->tres_per_node, job->tres_per_socket,
		job->tres_per_task,
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i] && strstr(texts[i], "gpu"))
			return true;
	return false;
}

static int jobs_by_user(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static size_t jobs_users(struct check_jobs *jobs)
{
	size_t users = 0;

	qsort(jobs->users, jobs->count, sizeof(*jobs->users), jobs_by_user);
	for (size_t i = 0; i < jobs->count; i++)
		users += !i || jobs->users[i] != jobs->users[i - 1];
	return users;
}

static void jobs_print(struct check_jobs *jobs, const char *what,
		       const char *text)
{
	size_t users = jobs_users(jobs);

	if (jobs->count)
		printf("%zu %s %s, of %zu user%s: %s\n", jobs->count, what,
		       jobs->count == 1 ? "job record" : "job records", users,
		       users == 1 ? "" : "s", text);
}

static void jobs_tell(const struct astra_config *config,
		      const job_info_msg_t *all, struct check_jobs *running,
		      struct check_jobs *waiting)
{
	for (uint32_t i = 0; i < all->record_count; i++) {
		const slurm_job_info_t *job = &all->job_array[i];
		uint32_t state = job->job_state & JOB_STATE_BASE;
		bool waits = state == JOB_PENDING;
		struct check_jobs *of = waits ? waiting : running;

		if ((waits || state == JOB_RUNNING || state == JOB_SUSPENDED) &&
		    jobs_ask(job) && jobs_meet(config, job->partition))
			of->users[of->count++] = job->user_id;
	}
	jobs_print(
		running, "running",
		"they keep their GPUs until they end; leases begin with jobs that start later");
	jobs_print(
		waiting, "waiting",
		"those without --signal in their scripts count as jobs that declare no checkpoint (Unprepared)");
}

static void jobs_look(const struct astra_config *config)
{
	struct check_jobs running = {0}, waiting = {0};
	job_info_msg_t *all = NULL;
	struct sfair_slurm slurm;

	sfair_slurm_ask(&slurm);
	if (slurm.state != SFAIR_SLURM_WITHOUT ||
	    slurm_load_jobs(0, &all, SHOW_ALL | SHOW_DETAIL))
		return;
	running.users = calloc(all->record_count + 1, sizeof(uint32_t));
	waiting.users = calloc(all->record_count + 1, sizeof(uint32_t));
	if (running.users && waiting.users)
		jobs_tell(config, all, &running, &waiting);
	free(running.users);
	free(waiting.users);
	slurm_free_job_info_msg(all);
}

/* Does its work in a child process: if the configuration names a plugin that
 * this host lacks, Slurm's library ends the process and logs errors that do not
 * matter here. */
void sfair_check_jobs(const struct astra_config *config)
{
	pid_t child;
	int nowhere;

	fflush(stdout);
	child = fork();
	if (child > 0)
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	if (child)
		return;
	sfair_argv = NULL; /* never start again */
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	alarm(ASK_SEC);
	jobs_look(config);
	fflush(stdout);
	_exit(0);
}
