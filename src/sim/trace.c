/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/fnv.h"
#include "src/common/grow.h"
#include "src/common/intern.h"
#include "src/common/random.h"

/* Counts the defects of a trace's lines, and puts them in words. */

static const struct kind {
	const char *what; /* what became of the line */
	const char *reason;
	bool broken; /* whether such a line means that the file is broken */
} kinds[] = {
	[ASTRA_DEFECT_TEXT] = {"left out", "no line of UTF-8 text", true},
	[ASTRA_DEFECT_FIELDS] = {"left out", "wrong number of fields", true},
	[ASTRA_DEFECT_VALUE] = {"left out",
				"value missing, no number or out of range",
				true},
	[ASTRA_DEFECT_DURATION] = {"left out", "duration missing or negative",
				   true},
	[ASTRA_DEFECT_INSTANT] = {"left out", "ran for no time", false},
	[ASTRA_DEFECT_UNFINISHED] = {"left out", "had not ended", false},
	[ASTRA_DEFECT_NO_GPU] = {"left out", "no GPU asked for", false},
	[ASTRA_DEFECT_PART] = {"kept", "part of a GPU counted as a whole one",
			       false},
	[ASTRA_DEFECT_UNSORTED] = {"kept", "submitted before the line above",
				   true},
	[ASTRA_DEFECT_CLUSTER] = {"left out", "larger than the cluster", false},
	[ASTRA_DEFECT_QUOTA] = {"kept", "larger than its tenant's quota",
				false},
};

_Static_assert(sizeof(kinds) / sizeof(*kinds) == ASTRA_DEFECT_COUNT,
	       "a row for each");

void astra_trace_defect(struct astra_trace *trace, enum astra_defect kind,
			uint32_t line, const char *value)
{
	struct astra_defect_count *count = &trace->defects[kind];
	size_t length = 0;

	if (count->lines++)
		return;
	count->first_line = line;
	for (; *value && length + 1 < sizeof(count->value); value++) {
		unsigned char c = (unsigned char)*value;

		count->value[length++] = c < ' ' || c > '~' ? '?' : (char)c;
	}
	count->value[length] = '\0';
}

static void print_count(FILE *out, const struct astra_trace *trace,
			const struct astra_defect_count *count,
			const struct kind *kind)
{
	fprintf(out, "%s: %ju %s%s %s: %s (", trace->source,
		(uintmax_t)count->lines, count->first_line ? "line" : "job",
		count->lines == 1 ? "" : "s", kind->what, kind->reason);
	if (count->lines > 1)
		fputs("first: ", out);
	if (count->first_line)
		fprintf(out, "line %u: ", count->first_line);
	fprintf(out, "%s)\n", count->value);
}

char *astra_trace_defects_text(const struct astra_trace *trace)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (int i = 0; i < ASTRA_DEFECT_COUNT; i++)
		if (trace->defects[i].lines)
			print_count(out, trace, &trace->defects[i], &kinds[i]);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

int astra_trace_check(const struct astra_trace *trace, struct astra_error *err)
{
	const struct astra_defect_count *worst = NULL;
	const char *reason = "";

	for (int i = 0; i < ASTRA_DEFECT_COUNT; i++) {
		const struct astra_defect_count *count = &trace->defects[i];

		if (!kinds[i].broken || !count->lines ||
		    (worst && worst->first_line <= count->first_line))
			continue;
		worst = count;
		reason = kinds[i].reason;
	}
	if (!worst)
		return 0;
	return astra_error_set(err, "%s: line %u: %s: %s", trace->source,
			       worst->first_line, reason, worst->value);
}

/* The worth of jobs by the time of their end. */

/* compares only the last ones; see PROFILES_LOOKED_AT */
#define UTILITIES_LOOKED_AT 64

uint32_t astra_trace_utility(struct astra_trace *trace,
			     const struct astra_utility *utility)
{
	size_t n = trace->utility_count;

	for (size_t i = n; i-- && n - i <= UTILITIES_LOOKED_AT;)
		if (!memcmp(&trace->utilities[i], utility, sizeof(*utility)))
			return (uint32_t)i + 1;
	if (astra_grow(&trace->utilities, &trace->utility_room, n + 1,
		       sizeof(*utility)) < 0)
		return ASTRA_NONE;
	trace->utilities[trace->utility_count++] = *utility;
	return (uint32_t)trace->utility_count;
}

/* Returns a seed for a job's own random numbers. */
static uint64_t trace_utility_hash_of(const struct astra_trace_job *job)
{
	return astra_fnv64_text(ASTRA_FNV64_BASIS, job->name) +
	       job->line * UINT64_C(0x9e3779b97f4a7c15);
}

static double between(struct astra_random *random, double least, double most)
{
	return least + (most - least) * astra_random_uniform(random);
}

/* Draws a utility from the classes of OASiS (Bao et al., INFOCOM'18, section
 * V): 10 % of jobs do not depend on time, 55 % do, and 35 % are time-critical.
 * A slot of OASiS is an hour here. A job's worth does not grow with its GPUs.
 */
static struct astra_utility make_up(struct astra_random *random)
{
	struct astra_utility u = {.kind = ASTRA_UTILITY_SIGMOID};
	double kind = astra_random_uniform(random);

	u.sigmoid.g1 = between(random, 1, 100);
	u.sigmoid.g3 = between(random, 1, 15);
	if (kind >= .65)
		u.sigmoid.g2 = between(random, 4, 6);
	else if (kind >= .1)
		u.sigmoid.g2 = between(random, .01, 1);
	return u;
}

struct astra_utility astra_trace_job_utility(const struct astra_trace *trace,
					     uint32_t job, uint64_t seed)
{
	const struct astra_trace_job *t = &trace->jobs[job];
	struct astra_random random;

	if (t->utility)
		return trace->utilities[t->utility - 1];
	random = astra_random_seed(seed ^ trace_utility_hash_of(t));
	return make_up(&random);
}

/* Changes to a part of a trace's jobs. */

/* Returns a number from 0 to 1 that depends on the name. Most names differ only
 * in their last digits, so the hash is mixed once more. */
static double trace_draw(const char *name)
{
	uint64_t h = astra_fnv64_text(ASTRA_FNV64_BASIS, name);

	h ^= h >> 32;
	h *= UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 32;
	return (double)(h >> 11) / (double)(UINT64_C(1) << 53);
}

static uint32_t elastic_gpus(double gpus, double most)
{
	return (uint32_t)fmax(1, fmin(gpus, most));
}

static void elastic_make(struct astra_trace_job *job,
			 const struct astra_trace_elastic *how, double gpus,
			 uint32_t node_gpus)
{
	uint32_t least = elastic_gpus(ceil(job->gpus * how->least), gpus);
	uint32_t most = elastic_gpus(floor(job->gpus * how->most), gpus);

	if (least >= most)
		return;
	job->duration_sec *= (double)job->gpus / most;
	job->limit_sec *= (double)job->gpus / least;
	if (most > node_gpus)
		job->nodes = 0;
	job->gpus_min = least;
	job->gpus = most;
}

void astra_trace_make_elastic(struct astra_trace *trace,
			      const struct astra_trace_elastic *how,
			      uint64_t gpus, uint32_t node_gpus)
{
	for (size_t i = 0; i < trace->job_count; i++) {
		struct astra_trace_job *job = &trace->jobs[i];

		if (!job->gpus_min && trace_draw(job->name) < how->part)
			elastic_make(job, how, (double)gpus, node_gpus);
	}
}

void astra_trace_make_unprepared(struct astra_trace *trace, double part)
{
	for (size_t i = 0; i < trace->job_count; i++) {
		struct astra_trace_job *job = &trace->jobs[i];

		job->unprepared =
			!job->gpus_min && trace_draw(job->name) >= 1 - part;
	}
}

/* The year 2001. Larger times count from 1970, smaller ones from some start of
 * the trace. */
#define UNIX_LEAST 1e9

struct astra_trace_names {
	struct astra_arena jobs; /* names of the jobs, which are rarely equal */
	struct astra_intern tenants, users, apps;
};

_Static_assert(ASTRA_NONE == ASTRA_INTERN_NONE, "one number for none");

void astra_trace_init(struct astra_trace *trace)
{
	*trace = (struct astra_trace){.source = ""};
}

void astra_trace_clear(struct astra_trace *trace)
{
	free(trace->jobs);
	free(trace->tenants);
	free(trace->users);
	free(trace->profiles);
	free(trace->utilities);
	if (trace->names) {
		astra_arena_free(&trace->names->jobs);
		astra_intern_clear(&trace->names->tenants);
		astra_intern_clear(&trace->names->users);
		astra_intern_clear(&trace->names->apps);
		free(trace->names);
	}
	astra_trace_init(trace);
}

static struct astra_trace_names *trace_names_of(struct astra_trace *trace)
{
	if (!trace->names)
		trace->names = calloc(1, sizeof(*trace->names));
	return trace->names;
}

uint32_t astra_trace_tenant(struct astra_trace *trace, const char *name)
{
	struct astra_trace_names *names = trace_names_of(trace);
	uint32_t at =
		names ? astra_intern_put(&names->tenants, name) : ASTRA_NONE;

	if (at == ASTRA_NONE || at < trace->tenant_count)
		return at;
	if (astra_grow(&trace->tenants, &trace->tenant_room, (size_t)at + 1,
		       sizeof(*trace->tenants)) < 0)
		return ASTRA_NONE;
	trace->tenants[at] = (struct astra_trace_tenant){
		.name = names->tenants.names[at],
		.weight = 1,
	};
	trace->tenant_count = (size_t)at + 1;
	return at;
}

int astra_trace_copy_tenants(const struct astra_trace *from,
			     struct astra_trace *to)
{
	for (size_t i = 0; i < from->tenant_count; i++) {
		uint32_t at = astra_trace_tenant(to, from->tenants[i].name);

		if (at == ASTRA_NONE)
			return -1;
		to->tenants[at].weight = from->tenants[i].weight;
	}
	return 0;
}

uint32_t astra_trace_user(struct astra_trace *trace, const char *name)
{
	struct astra_trace_names *names = trace_names_of(trace);
	uint32_t at =
		names ? astra_intern_put(&names->users, name) : ASTRA_NONE;

	if (at == ASTRA_NONE || at < trace->user_count)
		return at;
	if (astra_grow(&trace->users, &trace->user_room, (size_t)at + 1,
		       sizeof(*trace->users)) < 0)
		return ASTRA_NONE;
	trace->users[at] = names->users.names[at];
	trace->user_count = (size_t)at + 1;
	return at;
}

uint32_t astra_trace_app(struct astra_trace *trace, const char *name)
{
	struct astra_trace_names *names = trace_names_of(trace);
	uint32_t at = names ? astra_intern_put(&names->apps, name) : ASTRA_NONE;

	if (at == ASTRA_NONE)
		return at;
	trace->app_count = (uint32_t)names->apps.count;
	return at + 1;
}

/* How many of the latest profiles a new one is compared with. There are few
 * kinds of programs, but a file may have a profile in each line. */
#define PROFILES_LOOKED_AT 64

uint32_t astra_trace_profile(struct astra_trace *trace,
			     const struct astra_profile *profile)
{
	size_t n = trace->profile_count;

	for (size_t i = n; i-- && n - i <= PROFILES_LOOKED_AT;)
		if (!memcmp(&trace->profiles[i], profile, sizeof(*profile)))
			return (uint32_t)i + 1;
	if (astra_grow(&trace->profiles, &trace->profile_room, n + 1,
		       sizeof(*profile)) < 0)
		return ASTRA_NONE;
	trace->profiles[trace->profile_count++] = *profile;
	return (uint32_t)trace->profile_count;
}

int astra_trace_add(struct astra_trace *trace,
		    const struct astra_trace_job *job, const char *name)
{
	struct astra_trace_names *names = trace_names_of(trace);
	const char *copy = names ? astra_arena_text(&names->jobs, name) : NULL;

	if (!copy || trace->job_count >= UINT32_MAX - 1 ||
	    astra_grow(&trace->jobs, &trace->job_room, trace->job_count + 1,
		       sizeof(*trace->jobs)) < 0)
		return -1;
	trace->jobs[trace->job_count] = *job;
	trace->jobs[trace->job_count++].name = copy;
	return 0;
}

/* A job with its place in the file; sorted by submission, then by place. */
struct place {
	double submit_sec;
	size_t at;
};

static int trace_by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->submit_sec != y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static bool sorted(const struct astra_trace *trace)
{
	for (size_t i = 1; i < trace->job_count; i++)
		if (trace->jobs[i].submit_sec < trace->jobs[i - 1].submit_sec)
			return false;
	return true;
}

static int trace_sort(struct astra_trace *trace)
{
	struct place *places = calloc(trace->job_count, sizeof(*places));
	struct astra_trace_job *jobs =
		calloc(trace->job_count, sizeof(*trace->jobs));

	if (!places || !jobs) {
		free(places);
		free(jobs);
		return -1;
	}
	for (size_t i = 0; i < trace->job_count; i++)
		places[i] = (struct place){trace->jobs[i].submit_sec, i};
	qsort(places, trace->job_count, sizeof(*places), trace_by_place);
	for (size_t i = 0; i < trace->job_count; i++)
		jobs[i] = trace->jobs[places[i].at];
	free(places);
	free(trace->jobs);
	trace->jobs = jobs;
	trace->job_room = trace->job_count;
	return 0;
}

/* Sets err to the first defect, after all jobs were left out. Returns -1. */
static int no_job(const struct astra_trace *trace, struct astra_error *err)
{
	char *text = astra_trace_defects_text(trace);
	char *stop = text ? strchr(text, '\n') : NULL;

	if (stop)
		*stop = '\0';
	if (stop)
		astra_error_set(err, "there is no job; %s", text);
	else
		astra_error_set(err, "%s: there is no job", trace->source);
	free(text);
	return -1;
}

int astra_trace_finish(struct astra_trace *trace, struct astra_error *err)
{
	double first;

	if (trace->taker)
		return 0;
	if (!trace->job_count)
		return no_job(trace, err);
	if (!sorted(trace) && trace_sort(trace) < 0)
		return astra_error_nomem(err);
	first = trace->jobs[0].submit_sec;
	for (size_t i = 0; i < trace->job_count; i++) {
		trace->jobs[i].submit_sec -= first;
		if (trace->jobs[i].start_sec >= 0)
			trace->jobs[i].start_sec -= first;
	}
	if (first >= UNIX_LEAST)
		trace->begin_unix_sec = first;
	else if (trace->begin_unix_sec > 0)
		trace->begin_unix_sec += first;
	return 0;
}

/* Whether the job fits into the cluster. Counts a defect if the job does not
 * fit, or if it exceeds its tenant's quota. */
static bool trace_fits(struct astra_trace *trace,
		       const struct astra_trace_job *job, uint64_t gpus,
		       double weight_sum)
{
	double weight = trace->tenants[job->tenant].weight;
	double quota = weight_sum > 0 ? (double)gpus * weight / weight_sum : 0;
	char value[48];

	if (job->line)
		snprintf(value, sizeof(value), "%u GPUs", job->gpus);
	else
		snprintf(value, sizeof(value), "job %s: %u GPUs", job->name,
			 job->gpus);
	if (job->gpus > gpus) {
		astra_trace_defect(trace, ASTRA_DEFECT_CLUSTER, job->line,
				   value);
		return false;
	}
	if (job->gpus > quota + 1e-9)
		astra_trace_defect(trace, ASTRA_DEFECT_QUOTA, job->line, value);
	return true;
}

void astra_trace_fit(struct astra_trace *trace, uint64_t gpus)
{
	double weight_sum = 0;
	size_t kept = 0;

	for (size_t i = 0; i < trace->tenant_count; i++)
		weight_sum += trace->tenants[i].weight;
	for (size_t i = 0; i < trace->job_count; i++)
		if (trace_fits(trace, &trace->jobs[i], gpus, weight_sum))
			trace->jobs[kept++] = trace->jobs[i];
	trace->job_count = kept;
}
