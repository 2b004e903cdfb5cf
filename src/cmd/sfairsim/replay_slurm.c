/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs Slurm's programs, for nodes and for jobs. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfairsim/replay.h"
#include "src/common/clock.h"
#include "src/common/intern.h"
#include "src/sim/child.h"

int replay_find_conf(char *path, size_t size, struct astra_error *err)
{
	char *argv[] = {"scontrol", "show", "config", NULL};
	char *text, *at, *slash;
	int used;

	if (astra_child_text(argv, &text, err) < 0)
		return -1;
	at = strstr(text, "\nSLURM_CONF ");
	at = at ? strchr(at, '/') : NULL;
	if (at)
		at[strcspn(at, "\n")] = '\0';
	slash = at ? strrchr(at, '/') : NULL;
	if (slash)
		*slash = '\0';
	used = snprintf(path, size, "%s/astraea.conf",
			slash ? at : "/etc/slurm");
	free(text);
	if (used >= (int)size)
		return astra_error_set(err, "slurm.conf's folder has too long "
					    "a name");
	return 0;
}

/* Returns a node's GPUs from sinfo's text, such as
 * "gpu:a100:8(S:0-1),shard:4". */
static unsigned long replay_slurm_gpus_of(const char *gres)
{
	unsigned long sum = 0;

	while (*gres) {
		size_t size = strcspn(gres, ",(");
		const char *count = gres;

		if (!strncmp(gres, "gpu:", 4)) {
			for (const char *c = gres; c < gres + size; c++)
				if (*c == ':')
					count = c + 1;
			sum += strtoul(count, NULL, 10);
		}
		gres += size;
		if (*gres == '(') /* skip its list of sockets, which may have
				   * commas */
			gres += strcspn(gres, ")");
		gres += strcspn(gres, ",");
		gres += *gres == ',';
	}
	return sum;
}

/* Writes the nodes. Each is written once, though it may be in several
 * partitions. */
static int write_nodes(FILE *file, char *text, struct astra_error *err)
{
	struct astra_intern seen = {0};
	char *line;

	fputs("node,gpus\n", file);
	while ((line = strsep(&text, "\n"))) {
		char *node = strsep(&line, " ");
		unsigned long gpus = line ? replay_slurm_gpus_of(line) : 0;
		size_t count = seen.count;

		if (!gpus)
			continue;
		if (astra_intern_put(&seen, node) == ASTRA_INTERN_NONE) {
			astra_intern_clear(&seen);
			return astra_error_nomem(err);
		}
		if (seen.count > count)
			fprintf(file, "%s,%lu\n", node, gpus);
	}
	if (!seen.count)
		astra_error_set(err, "sinfo shows no node with GPUs");
	line = seen.count ? "" : NULL;
	astra_intern_clear(&seen);
	return line ? 0 : -1;
}

int replay_write_cluster(const char *partition, const char *path,
			 struct astra_error *err)
{
	char *argv[] = {"sinfo", "--noheader", "--Node", "--format=%N %G",
			NULL,	 NULL,	       NULL};
	char *text;
	FILE *file;
	int rc;

	if (partition) {
		argv[4] = "--partition";
		argv[5] = (char *)(uintptr_t)partition;
	}
	if (astra_child_text(argv, &text, err) < 0)
		return -1;
	file = fopen(path, "we");
	if (!file) {
		free(text);
		return astra_error_set(err, "%s: %s", path, strerror(errno));
	}
	rc = write_nodes(file, text, err);
	if (fclose(file) != 0 && !rc)
		rc = astra_error_set(err, "%s: %s", path, strerror(errno));
	free(text);
	return rc;
}

#define WORDS_MAX 32

/* The words of an sbatch command. */
struct words {
	char *argv[WORDS_MAX + 1];
	size_t count;
	bool failed;
};

static void replay_slurm_add(struct words *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void replay_slurm_add(struct words *w, const char *format, ...)
{
	va_list ap;

	if (w->failed || w->count == WORDS_MAX)
		return;
	va_start(ap, format);
	w->failed = vasprintf(&w->argv[w->count], format, ap) < 0;
	va_end(ap);
	if (w->failed)
		w->argv[w->count] = NULL;
	else
		w->count++;
}

static void words_clear(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->argv[i]);
}

/* Asks for the same number of nodes as in the simulation. */
static void ask_for_gpus(struct words *w, const struct astra_trace_job *t)
{
	if (t->nodes <= 1) {
		replay_slurm_add(w, "--gres=gpu:%u", t->gpus);
		return;
	}
	replay_slurm_add(w, "--nodes=%u", t->nodes);
	replay_slurm_add(w, "--ntasks=%u", t->nodes);
	if (t->gpus % t->nodes)
		replay_slurm_add(w, "--gpus=%u", t->gpus);
	else
		replay_slurm_add(w, "--gres=gpu:%u", t->gpus / t->nodes);
}

static void state_utility(struct words *w, const struct astra_utility *u)
{
	switch (u->kind) {
	case ASTRA_UTILITY_SIGMOID:
		replay_slurm_add(w, "--utility=sigmoid:%.9g,%.9g,%.9g",
				 u->sigmoid.g1, u->sigmoid.g2, u->sigmoid.g3);
		break;
	case ASTRA_UTILITY_LINEAR:
		replay_slurm_add(w, "--utility=linear:%.9g,%.9g", u->linear.k,
				 u->linear.g);
		break;
	case ASTRA_UTILITY_CONVEX:
		replay_slurm_add(w, "--utility=convex:%.9g,%.9g", u->convex.e,
				 u->convex.kappa);
		break;
	case ASTRA_UTILITY_NONE:
		break;
	}
}

/* Declares what policies that plan would know in a simulation. ltgf needs
 * nothing of this. */
static void state(struct words *w, const struct replay *r, uint32_t job)
{
	const struct astra_trace *trace = &r->setup->trace;
	const struct astra_trace_job *t = &trace->jobs[job];
	const double *slow = t->profile
				     ? trace->profiles[t->profile - 1].slowdown
				     : r->setup->sim.slowdown;

	if (!strcmp(r->setup->schedulers[0]->name, "ltgf"))
		return;
	if (t->app)
		replay_slurm_add(w, "--app=a%u", t->app);
	replay_slurm_add(w, "--iterations=%ld", lround(t->duration_sec * 1000));
	replay_slurm_add(w, "--iter-time=0.001");
	replay_slurm_add(w, "--slowdown=%.9g,%.9g,%.9g,%.9g", slow[0], slow[1],
			 slow[2], slow[3]);
	state_utility(w, &trace->utilities[t->utility - 1]);
}

static void fill_words(struct words *w, const struct replay *r, uint32_t job)
{
	const struct astra_trace *trace = &r->setup->trace;
	const struct astra_trace_job *t = &trace->jobs[job];

	replay_slurm_add(w, "sbatch");
	replay_slurm_add(w, "--parsable");
	replay_slurm_add(w, "--requeue");
	replay_slurm_add(w, "--signal=B:USR1");
	replay_slurm_add(w, "--open-mode=append");
	replay_slurm_add(w, "--job-name=%s", r->name);
	replay_slurm_add(w, "--chdir=%s", r->folder);
	replay_slurm_add(w, "--output=%s/%%j.out", r->folder);
	if (*trace->tenants[t->tenant].name)
		replay_slurm_add(w, "--account=%s",
				 trace->tenants[t->tenant].name);
	if (r->args->partition)
		replay_slurm_add(w, "--partition=%s", r->args->partition);
	ask_for_gpus(w, t);
	state(w, r, job);
	replay_slurm_add(w, "%s/job", r->folder);
	replay_slurm_add(w, "%s/%u.log", r->folder, job);
	replay_slurm_add(w, "%ld", lround(t->duration_sec * 1000));
}

static int run_sbatch(const struct replay *r, uint32_t job, char **text,
		      struct astra_error *err)
{
	struct words words = {.count = 0};
	int rc;

	fill_words(&words, r, job);
	rc = words.failed ? astra_error_nomem(err)
			  : astra_child_text(words.argv, text, err);
	words_clear(&words);
	return rc;
}

int replay_submit(struct replay *r, uint32_t job, struct astra_error *err)
{
	const struct astra_trace_job *t = &r->setup->trace.jobs[job];
	struct astra_error inner = {""};
	char *text = NULL;
	unsigned long id;

	if (run_sbatch(r, job, &text, &inner) < 0)
		return astra_error_set(err, "job %s (line %u of %s): %.300s",
				       t->name, t->line, r->setup->trace.source,
				       inner.text);
	id = strtoul(text, NULL, 10);
	free(text);
	if (!id || id > UINT32_MAX)
		return astra_error_set(err, "sbatch printed no job id");
	r->jobs[job].id = (uint32_t)id;
	r->jobs[job].submit_sec = astra_now_sec(CLOCK_REALTIME) - r->begin_unix;
	r->submitted++;
	if (astra_idmap_put(&r->by_id, (uint32_t)id, job) < 0)
		return astra_error_nomem(err);
	return 0;
}

int replay_count_active(const struct replay *r, size_t *active,
			struct astra_error *err)
{
	char name[80];
	char *argv[] = {"squeue", "--noheader", "--format=%A", name, NULL};
	char *text;

	snprintf(name, sizeof(name), "--name=%s", r->name);
	if (astra_child_text(argv, &text, err) < 0)
		return -1;
	*active = 0;
	for (const char *c = text; *c; c++)
		*active += *c == '\n';
	free(text);
	return 0;
}

int replay_cancel(const struct replay *r, struct astra_error *err)
{
	char name[80];
	char *argv[] = {"scancel", name, NULL};
	char *text;

	snprintf(name, sizeof(name), "--name=%s", r->name);
	if (astra_child_text(argv, &text, err) < 0)
		return -1;
	free(text);
	return 0;
}
