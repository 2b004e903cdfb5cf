/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair why without a job, and sfair without a command: show the user's own
 * jobs, one per line. */
#include <stdio.h>
#include <stdlib.h>

#include "src/cmd/sfair/sfair.h"

#define OVERVIEW_TENANTS 2
#define OVERVIEW_JOBS 6 /* the whole overview has ten lines */

static void put_jobs(const json_t *jobs, size_t most)
{
	const json_t *job;
	size_t i;

	json_array_foreach(jobs, i, job)
	{
		char *id =
			sfair_cell(SFAIR_TEXT, json_object_get(job, "id_text"),
				   SFAIR_MINUTES, 0);
		char *answer =
			sfair_cell(SFAIR_TEXT, json_object_get(job, "answer"),
				   SFAIR_MINUTES, 0);

		if (i < most && id && answer)
			printf("Job %s %s\n", id, answer);
		free(id);
		free(answer);
	}
}

static long long mine_count(const json_t *reply, const char *key)
{
	return json_integer_value(json_object_get(reply, key));
}

static void put_rest(long long count, const char *what, const char *command)
{
	if (count > 0)
		printf("and %lld more %s%s: %s\n", count, what,
		       count == 1 ? "" : "s", command);
}

static void put_waiting(const json_t *reply)
{
	const json_t *jobs = json_object_get(reply, "waiting");
	size_t shown = json_array_size(jobs);

	if (!shown)
		puts("None of your jobs waits in a pool of the plugin.");
	put_jobs(jobs, shown);
	put_rest(mine_count(reply, "waiting_count") - (long long)shown, "job",
		 "sfair job -u $USER");
}

static void put_my_tenant(const json_t *tenant)
{
	const json_t *rho = json_object_get(tenant, "rho");
	char *name = sfair_cell(SFAIR_TEXT, json_object_get(tenant, "name"),
				SFAIR_MINUTES, 0);
	char *pool = sfair_cell(SFAIR_TEXT, json_object_get(tenant, "pool"),
				SFAIR_MINUTES, 0);

	printf("Tenant %s in pool %s", name ? name : "?", pool ? pool : "?");
	if (json_is_number(json_object_get(tenant, "alloc_gpus")))
		printf(": %.4g GPUs of a share of %.4g",
		       json_number_value(json_object_get(tenant, "alloc_gpus")),
		       json_number_value(
			       json_object_get(tenant, "quota_gpus")));
	if (json_is_number(rho))
		printf(", rho %.3f", json_number_value(rho));
	puts(".");
	free(name);
	free(pool);
}

static void put_overview(const json_t *reply)
{
	const json_t *tenants = json_object_get(reply, "tenants");
	const json_t *waiting = json_object_get(reply, "waiting");
	const json_t *running = json_object_get(reply, "running");
	long long count = mine_count(reply, "waiting_count") +
			  mine_count(reply, "running_count");
	size_t first = json_array_size(waiting), second;
	size_t rest = json_array_size(tenants), most = OVERVIEW_JOBS;

	if (!count) {
		puts("You have no job in a pool of the plugin. "
		     "See sfair --help.");
		return;
	}
	for (size_t i = 0; i < OVERVIEW_TENANTS; i++)
		if (json_array_get(tenants, i))
			put_my_tenant(json_array_get(tenants, i));
	rest -= rest < OVERVIEW_TENANTS ? rest : OVERVIEW_TENANTS;
	put_rest((long long)rest, "tenant", "sfair tenant");
	most -= rest > 0;
	printf("Your jobs: %lld running, %lld waiting.\n",
	       mine_count(reply, "running_count"),
	       mine_count(reply, "waiting_count"));
	second = json_array_size(running);
	if (second > most / 2 && first > most / 2)
		second = most / 2;
	else if (second > most - first && first < most)
		second = most - first;
	if (first > most - second)
		first = most - second;
	put_jobs(running, second);
	put_jobs(waiting, first);
	put_rest(count - (long long)(first + second), "job",
		 "sfair job -u $USER");
}

void sfair_print_mine(const json_t *reply, const struct sfair_args *args)
{
	if (args->command)
		put_waiting(reply);
	else
		put_overview(reply);
}
