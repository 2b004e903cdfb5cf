/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of sfair watch. */
#include <stdio.h>

#include "src/cmd/sfair/watch.h"

#define DAY_SEC 86400

#define GROUP_COLUMNS                                                           \
	{"Jobs", "jobs", SFAIR_NUMBER, "those that ran or waited since then"},  \
		{"Unprepared", "unprepared", SFAIR_NUMBER,                      \
		 "of these, that declare no checkpoint and would have leases"}, \
		{"Wait50", "wait_p50_sec", SFAIR_SPAN,                          \
		 "median of first waits, as it was"},                           \
		{"NewWait50", "new_wait_p50_sec", SFAIR_SPAN,                   \
		 "the same with leases"},                                       \
		{"Wait95", "wait_p95_sec", SFAIR_SPAN,                          \
		 "95th percentile of first waits"},                             \
		{"NewWait95", "new_wait_p95_sec", SFAIR_SPAN,                   \
		 "the same with leases"},                                       \
		{"Wait", "wait_mean_sec", SFAIR_SPAN, "mean of first waits"},   \
		{"NewWait", "new_wait_mean_sec", SFAIR_SPAN,                    \
		 "the same with leases"},                                       \
		{"Less", "less", SFAIR_NUMBER,                                  \
		 "jobs that would have waited less, by 30 s at least"},         \
		{"More", "more", SFAIR_NUMBER,                                  \
		 "jobs that would have waited longer"},                         \
		{"Used", "alloc_gpu_sec", SFAIR_GPU_TIME,                       \
		 "GPU time they had"},                                          \
		{"NewUsed", "new_alloc_gpu_sec", SFAIR_GPU_TIME,                \
		 "the same with leases"},                                       \
		{"Due", "fair_gpu_sec", SFAIR_GPU_TIME,                         \
		 "GPU time they were entitled to: the share"},                  \
		{"NewDue", "new_fair_gpu_sec", SFAIR_GPU_TIME,                  \
		 "the same with leases"},                                       \
		{"Interrupted", "interrupted", SFAIR_NUMBER,                    \
		 "jobs whose lease would have ended before they did"},          \
		{"Times", "interruptions", SFAIR_NUMBER, "how often in all"},   \
		{"Anew", "unprepared_interrupted", SFAIR_NUMBER,                \
		 "of Interrupted, those that would have begun anew"},           \
		{"Lost", "lost_gpu_sec", SFAIR_GPU_TIME,                        \
		 "GPU time that it would have cost"},                           \
		{"LostAnew", "unprepared_lost_gpu_sec", SFAIR_GPU_TIME,         \
		 "of Lost, what Unprepared jobs would have lost"},              \
	{                                                                       \
		NULL, NULL, SFAIR_TEXT, NULL                                    \
	}

static const struct sfair_column watch_tenant_columns[] = {
	{"Tenant", "tenant", SFAIR_TEXT, "the tenant"},
	{"Weight", "weight", SFAIR_NUMBER, "its weight"},
	GROUP_COLUMNS};
static const struct sfair_column watch_user_columns[] = {
	{"User", "user", SFAIR_TEXT, "the user"},
	{"Tenant", "tenant", SFAIR_TEXT, "in which tenant"},
	GROUP_COLUMNS};

static const struct sfair_column watch_job_columns[] = {
	{"JobID", "id_text", SFAIR_TEXT, "as squeue shows it"},
	{"User", "user", SFAIR_TEXT, "who submitted it"},
	{"Tenant", "tenant", SFAIR_TEXT, "who is charged for it"},
	{"GPUs", "gpus", SFAIR_NUMBER, "GPUs that it asks for"},
	{"Unprepared", "unprepared", SFAIR_FLAG, "it declares no checkpoint"},
	{"Pinned", "pinned", SFAIR_FLAG, "it would have had no leases"},
	{"Ready", "ready_sec", SFAIR_TIME,
	 "since when it waited for GPUs only, before its first start"},
	{"Start", "start_sec", SFAIR_TIME, "its first start, as it was"},
	{"NewStart", "new_start_sec", SFAIR_TIME, "the same with leases"},
	{"End", "end_sec", SFAIR_TIME, "its end, as it was"},
	{"NewEnd", "new_end_sec", SFAIR_TIME, "the same with leases"},
	{"Wait", "wait_sec", SFAIR_SPAN, "until it first started"},
	{"NewWait", "new_wait_sec", SFAIR_SPAN, "the same with leases"},
	{"Times", "interruptions", SFAIR_NUMBER,
	 "how often it would have been interrupted"},
	{"Lost", "lost_gpu_sec", SFAIR_GPU_TIME,
	 "GPU time that it would have cost"},
	{NULL, NULL, SFAIR_TEXT, NULL},
};

static const struct {
	const char *name, *key, *title;
	struct sfair_table table;
} tables[SFAIR_WATCH_TABLES] = {
	{"Tenants",
	 "tenants",
	 "Tenants",
	 {watch_tenant_columns,
	  "Tenant,Jobs,Unprepared,Wait50,NewWait50,Wait95,NewWait95,Used,"
	  "NewUsed,Due,Interrupted,Anew,Lost"}},
	{"Users",
	 "users",
	 "Users",
	 {watch_user_columns,
	  "User,Tenant,Jobs,Unprepared,Wait50,NewWait50,Interrupted,Anew,Lost,"
	  "LostAnew"}},
	{"Jobs",
	 "jobs",
	 "Jobs",
	 {watch_job_columns,
	  "JobID,User,Tenant,GPUs,Unprepared,Ready,Wait,NewWait,Times,Lost"}},
};

const char *sfair_watch_table_name(enum sfair_watch_table table)
{
	return tables[table].name;
}

const struct sfair_table *sfair_watch_table_of(enum sfair_watch_table table)
{
	return &tables[table].table;
}

void sfair_watch_help_format(void)
{
	for (int i = 0; i < SFAIR_WATCH_TABLES; i++)
		sfair_list_fields(tables[i].name, &tables[i].table);
}

static void watch_put_heading(const struct sfair_watch *w,
			      const json_t *document)
{
	const json_t *of = json_object_get(document, "watch");
	char from[32], to[32], term[32];

	sfair_time(w->window.start_sec, from, sizeof(from));
	sfair_time(w->window.end_sec, to, sizeof(to));
	sfair_span(w->options.lease_sec, term, sizeof(term));
	printf("Pool %s, %s to %s: %zu job%s on %llu GPUs, as it was and with\n"
	       "leases of %s and Unprepared=%s (New...).\n",
	       w->round->head.pool, from, to, w->replay.trace.job_count,
	       w->replay.trace.job_count == 1 ? "" : "s",
	       (unsigned long long)w->replay.cluster.gpus, term,
	       json_string_value(json_object_get(of, "unprepared")));
}

/* Warns of facts that the replay does not know. */
static void watch_warn(const struct sfair_watch *w)
{
	const struct astra_replay *r = &w->replay;
	const struct {
		size_t count;
		const char *what;
	} notes[] = {
		{r->began, "jobs that ran when the time begins, which keep "
			   "their GPUs until they end"},
		{r->runs + r->waits, "jobs that run or wait now, cut here: "
				     "their end is not known"},
		{r->never, "jobs that ended before they ran, left out"},
		{r->large, "jobs larger than the pool is now, left out"},
		{r->down, "GPUs of nodes that cannot be used now, left out"},
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i].count)
			fprintf(stderr, "sfair: %s: %zu\n", notes[i].what,
				notes[i].count);
	fprintf(stderr,
		"sfair: the replay knows GPUs and nodes, no topology, GPU "
		"types, CPUs, memory, features, reservations or limits; a "
		"checkpoint takes %g s, a start anew %g s\n",
		w->args->checkpoint_sec, w->args->cold_start_sec);
	if (w->window.end_sec - w->window.start_sec < DAY_SEC)
		fputs("sfair: this is less than a day: ask again when the "
		      "pool has seen its usual days\n",
		      stderr);
}

int sfair_watch_print(const struct sfair_watch *w, const json_t *document,
		      struct astra_error *err)
{
	const struct sfair_args *show = &w->args->show;
	bool heads = show->style == SFAIR_TABLE && !show->no_header;
	bool one = w->args->table != SFAIR_WATCH_TABLES, first = true;
	const json_t *of = json_object_get(document, "watch");

	if (heads)
		watch_put_heading(w, document);
	for (int i = 0; i < SFAIR_WATCH_TABLES; i++) {
		json_t *rows = json_object_get(document, tables[i].key);

		if (!rows || (one && i != (int)w->args->table))
			continue;
		if (heads || !first)
			putchar('\n');
		if (heads)
			printf("%s\n", tables[i].title);
		first = false;
		if (sfair_print_rows(&tables[i].table, rows, show,
				     w->window.end_sec, err) < 0)
			return -1;
	}
	if (heads) {
		putchar('\n');
		sfair_put_wrapped(
			json_string_value(json_object_get(of, "summary")));
	}
	if (!w->args->quiet) {
		fflush(stdout);
		watch_warn(w);
	}
	return 0;
}
