/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of a limit. Slurm names a limit that binds in one word:
 * [QOS|Assoc] Grp|Max|Min RESOURCE [RunMinutes|Minutes] [PerWHOM]. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/slurm/in/binds.h"
#include "src/slurm/in/users.h"
#include "src/slurm/in/whole.h"

enum limit_time { AT_ONCE, MINUTES, RUN_MINUTES };
enum limit_whom { GROUP, JOB, NODE, USER, ACCOUNT };
enum limit_what { TRES, JOBS, WALL };

struct limit {
	bool qos, least;
	enum limit_time time;
	enum limit_whom whom;
	enum limit_what what;
	const char *tres; /* the TRES' type */
};

/* A longer word comes before a word that it begins with. */
static const struct {
	const char *word, *tres;
	enum limit_what what;
} words[] = {
	{"GRES", "gres/", TRES},       {"CPU", "cpu", TRES},
	{"Cpu", "cpu", TRES},	       {"Mem", "mem", TRES},
	{"Node", "node", TRES},	       {"Energy", "energy", TRES},
	{"License", "license/", TRES}, {"Billing", "billing", TRES},
	{"BB", "bb/", TRES},	       {"Job", NULL, JOBS},
	{"Wall", NULL, WALL},
};

static bool limit_parse(const char *name, struct limit *out)
{
	const char *at = name;

	*out = (struct limit){.qos = strncmp(name, "Assoc", 5) != 0};
	at += !strncmp(name, "Assoc", 5) ? 5 : !strncmp(name, "QOS", 3) ? 3 : 0;
	out->least = !strncmp(at, "Min", 3);
	out->whom = strncmp(at, "Grp", 3) ? JOB : GROUP;
	if (strstr(at, "PerUser"))
		out->whom = USER;
	else if (strstr(at, "PerAccount"))
		out->whom = ACCOUNT;
	else if (strstr(at, "PerNode"))
		out->whom = NODE;
	if (strstr(at, "RunMinutes"))
		out->time = RUN_MINUTES;
	else if (strstr(at, "Minutes"))
		out->time = MINUTES;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strncmp(at + 3, words[i].word, strlen(words[i].word)))
			continue;
		out->tres = words[i].tres;
		out->what = words[i].what;
		return strlen(at) > 3;
	}
	return false;
}

/* Write the option's name as sacctmgr does. */
static void write_option(const struct limit *l, const char *tres, char *out,
			 size_t size)
{
	static const char *const whoms[] = {
		[GROUP] = "",
		[JOB] = "PerJob",
		[NODE] = "PerNode",
		[USER] = "PerUser",
		[ACCOUNT] = "PerAccount",
	};
	static const char *const times[] = {"", "Mins", "RunMins"};
	const char *first = l->least ? "Min" : l->whom == GROUP ? "Grp" : "Max";
	bool bare = l->what != TRES && l->whom == JOB;

	snprintf(out, size, "%s%s%s%s%s%s", first,
		 l->what == TRES   ? "TRES"
		 : l->what == JOBS ? "Jobs"
				   : "Wall",
		 l->what == TRES ? times[l->time] : "",
		 bare ? "" : whoms[l->whom], tres ? "=" : "", tres ? tres : "");
}

/* One association or QOS: its limits, and what is used of them. */
struct source {
	const uint64_t *limits, *counts; /* by TRES */
	const long double *raw;		 /* TRES seconds used */
	bool seconds;			 /* counts are in seconds */
	uint32_t limit;			 /* of jobs or of minutes */
	double used;
};

static int has_uid(void *x, void *arg)
{
	return ((slurmdb_used_limits_t *)x)->uid == *(uint32_t *)arg;
}

static int limit_has_account(void *x, void *arg)
{
	return !xstrcmp(((slurmdb_used_limits_t *)x)->acct, arg);
}

static const slurmdb_used_limits_t *
used_by(const struct limit *l, slurmdb_qos_rec_t *qos, job_record_t *job)
{
	if (!qos->usage)
		return NULL;
	if (l->whom == USER && qos->usage->user_limit_list)
		return list_find_first(qos->usage->user_limit_list, has_uid,
				       &job->user_id);
	if (l->whom == ACCOUNT && qos->usage->acct_limit_list)
		return list_find_first(qos->usage->acct_limit_list,
				       limit_has_account, job->account);
	return NULL;
}

static void qos_most(const struct limit *l, slurmdb_qos_rec_t *qos,
		     job_record_t *job, struct source *s)
{
	const slurmdb_used_limits_t *used = used_by(l, qos, job);

	if (l->whom == USER) {
		s->limits = qos->max_tres_pu_ctld;
		s->limit = qos->max_jobs_pu;
	} else if (l->whom == ACCOUNT) {
		s->limits = qos->max_tres_pa_ctld;
		s->limit = qos->max_jobs_pa;
	} else if (l->whom == NODE) {
		s->limits = qos->max_tres_pn_ctld;
	} else {
		s->limits = l->least		 ? qos->min_tres_pj_ctld
			    : l->time != AT_ONCE ? qos->max_tres_mins_pj_ctld
						 : qos->max_tres_pj_ctld;
		s->limit = qos->max_wall_pj;
	}
	if (used) {
		s->counts = used->tres;
		s->used = used->jobs;
	} else if (l->whom == USER || l->whom == ACCOUNT) {
		s->used = 0;
	}
}

static void qos_source(const struct limit *l, slurmdb_qos_rec_t *qos,
		       job_record_t *job, struct source *s)
{
	if (l->whom != GROUP) {
		qos_most(l, qos, job, s);
		return;
	}
	if (!qos->usage)
		return;
	s->limit = l->what == JOBS ? qos->grp_jobs : qos->grp_wall;
	s->used = l->what == JOBS ? qos->usage->grp_used_jobs
				  : qos->usage->grp_used_wall / 60;
	if (l->time == MINUTES) {
		s->limits = qos->grp_tres_mins_ctld;
		s->raw = qos->usage->usage_tres_raw;
		return;
	}
	s->seconds = l->time == RUN_MINUTES;
	s->limits =
		s->seconds ? qos->grp_tres_run_mins_ctld : qos->grp_tres_ctld;
	s->counts = s->seconds ? qos->usage->grp_used_tres_run_secs
			       : qos->usage->grp_used_tres;
}

static void assoc_source(const struct limit *l, slurmdb_assoc_rec_t *assoc,
			 struct source *s)
{
	if (!assoc->usage)
		return;
	s->used = assoc->usage->used_jobs;
	if (l->whom != GROUP) {
		s->limits = l->whom == NODE	 ? assoc->max_tres_pn_ctld
			    : l->time != AT_ONCE ? assoc->max_tres_mins_ctld
						 : assoc->max_tres_ctld;
		s->limit =
			l->what == JOBS ? assoc->max_jobs : assoc->max_wall_pj;
		if (l->what == WALL)
			s->used = NAN;
		return;
	}
	s->limit = l->what == JOBS ? assoc->grp_jobs : assoc->grp_wall;
	if (l->what == WALL)
		s->used = assoc->usage->grp_used_wall / 60;
	if (l->time == MINUTES) {
		s->limits = assoc->grp_tres_mins_ctld;
		s->raw = assoc->usage->usage_tres_raw;
		return;
	}
	s->seconds = l->time == RUN_MINUTES;
	s->limits = s->seconds ? assoc->grp_tres_run_mins_ctld
			       : assoc->grp_tres_ctld;
	s->counts = s->seconds ? assoc->usage->grp_used_tres_run_secs
			       : assoc->usage->grp_used_tres;
}

static double minutes_of(const job_record_t *job)
{
	return job->time_limit == NO_VAL || job->time_limit == INFINITE
		       ? 0
		       : job->time_limit;
}

static double used_of(const struct source *s, int i)
{
	if (s->raw)
		return (double)(s->raw[i] / 60);
	if (s->counts)
		return (double)s->counts[i] / (s->seconds ? 60 : 1);
	return s->used;
}

/* Whether the limit on TRES i binds. If so, out has its values. */
static bool tres_binds(const struct limit *l, const struct source *s,
		       const job_record_t *job, int i,
		       struct astra_report_bind *out)
{
	double asked = job->tres_req_cnt ? (double)job->tres_req_cnt[i] : 0;
	double used = used_of(s, i), limit;

	if (i == TRES_ARRAY_CPU)
		asked = fmax(asked, astra_whole_cpus(job));
	if (!s->limits || s->limits[i] == INFINITE64 ||
	    s->limits[i] == NO_VAL64 ||
	    strncmp(assoc_mgr_tres_name_array[i], l->tres, strlen(l->tres)))
		return false;
	limit = (double)s->limits[i];
	if (l->time != AT_ONCE)
		asked *= minutes_of(job);
	out->limit = limit;
	out->used = l->whom == JOB || l->whom == NODE ? (double)NAN : used;
	out->asked = asked;
	if (l->least)
		return asked < limit;
	return asked + (isnan(out->used) ? 0 : used) > limit;
}

static const char *limit_unit_of(const struct limit *l, const char *tres)
{
	if (l->what == JOBS)
		return "jobs";
	if (l->what == WALL)
		return "minutes";
	if (!strcmp(tres, "cpu"))
		return l->time ? "CPU minutes" : "CPUs";
	if (!strcmp(tres, "gres/gpu"))
		return l->time ? "GPU minutes" : "GPUs";
	if (!strcmp(tres, "gres/shard"))
		return l->time ? "shard minutes" : "shards";
	if (!strcmp(tres, "node"))
		return l->time ? "node minutes" : "nodes";
	if (!strcmp(tres, "mem"))
		return l->time ? "MiB minutes" : "MiB of memory";
	return tres;
}

/* Returns 1 if this source's limit binds, with out filled in; 0 if not; -1 when
 * memory is out. */
static int try_source(struct astra_arena *arena, const struct limit *l,
		      const struct source *s, job_record_t *job,
		      struct astra_report_bind *out)
{
	const char *tres = NULL;
	char option[128];

	if (l->what == TRES) {
		for (int i = 0; i < slurmctld_tres_cnt && !tres; i++)
			if (tres_binds(l, s, job, i, out))
				tres = assoc_mgr_tres_name_array[i];
		if (!tres)
			return 0;
	} else {
		if (s->limit == INFINITE || s->limit == NO_VAL)
			return 0;
		out->limit = s->limit;
		out->used = s->used;
		out->asked = l->what == JOBS ? 1 : minutes_of(job);
		if (l->what == JOBS && s->used < s->limit)
			return 0;
	}
	write_option(l, tres, option, sizeof(option));
	out->option = astra_arena_text(arena, option);
	out->unit = astra_arena_text(arena, limit_unit_of(l, tres));
	out->shared = l->whom == GROUP || l->whom == ACCOUNT;
	return out->option && out->unit ? 1 : -1;
}

static int name_holder(struct astra_arena *arena, const char *what,
		       const char *name, const char **out)
{
	char text[288];

	snprintf(text, sizeof(text), "%s %s", what, name ? name : "?");
	*out = astra_arena_text(arena, text);
	return *out ? 0 : -1;
}

static int fill_qos(struct astra_arena *arena, const struct limit *l,
		    slurmdb_qos_rec_t *qos, job_record_t *job,
		    struct astra_report_bind *out)
{
	struct source s = {.limit = INFINITE, .used = NAN};
	const char *user;
	int rc;

	qos_source(l, qos, job, &s);
	rc = try_source(arena, l, &s, job, out);
	if (rc <= 0)
		return rc;
	user = astra_user_name(job->user_id);
	if (name_holder(arena, "QOS", qos->name, &out->of) < 0)
		return -1;
	if (l->whom == USER && name_holder(arena, "user", user, &out->who) < 0)
		return -1;
	if (l->whom == ACCOUNT &&
	    name_holder(arena, "account", job->account, &out->who) < 0)
		return -1;
	return 1;
}

/* Fill in the values of an association's limit. A user's own limit is that of
 * the user's association with an account. Returns as try_source(). */
static int fill_assoc(struct astra_arena *arena, const struct limit *l,
		      slurmdb_assoc_rec_t *assoc, job_record_t *job,
		      struct astra_report_bind *out)
{
	struct source s = {.limit = INFINITE, .used = NAN};
	char name[256];
	int rc;

	assoc_source(l, assoc, &s);
	rc = try_source(arena, l, &s, job, out);
	if (rc <= 0)
		return rc;
	if (!assoc->user)
		return name_holder(arena, "account", assoc->acct, &out->of) < 0
			       ? -1
			       : 1;
	out->shared = false;
	snprintf(name, sizeof(name), "%s in account %s", assoc->user,
		 assoc->acct);
	return name_holder(arena, "user", name, &out->of) < 0 ? -1 : 1;
}

#define PARENTS_MAX 64

static int fill_assocs(struct astra_arena *arena, const struct limit *l,
		       job_record_t *job, struct astra_report_bind *out)
{
	slurmdb_assoc_rec_t *assoc = job->assoc_ptr;
	int rc = 0;

	for (int i = 0; assoc && !rc && i < PARENTS_MAX; i++) {
		rc = fill_assoc(arena, l, assoc, job, out);
		assoc = l->whom == GROUP && assoc->usage
				? assoc->usage->parent_assoc_ptr
				: NULL;
	}
	return rc;
}

bool astra_limit_is_of_runs(const char *name)
{
	struct limit l;

	if (!limit_parse(name, &l) || l.least || l.what == WALL)
		return false;
	if (l.time == RUN_MINUTES)
		return l.whom == GROUP;
	return l.time == AT_ONCE && l.whom != NODE &&
	       (l.whom != JOB || l.what == JOBS);
}

int astra_limit_fill(struct astra_arena *arena, job_record_t *job,
		     struct astra_report_bind *bind)
{
	struct astra_report_bind found = *bind;
	struct limit l;
	int rc = 0;

	if (!limit_parse(bind->name, &l) ||
	    (l.what == TRES && (!assoc_mgr_tres_name_array || !l.tres)))
		return 0;
	if (!l.qos)
		rc = fill_assocs(arena, &l, job, &found);
	if (l.qos && job->part_ptr && job->part_ptr->qos_ptr)
		rc = fill_qos(arena, &l, job->part_ptr->qos_ptr, job, &found);
	if (l.qos && !rc && job->qos_ptr)
		rc = fill_qos(arena, &l, job->qos_ptr, job, &found);
	if (rc > 0)
		*bind = found;
	return rc < 0 ? -1 : 0;
}
