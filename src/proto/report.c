/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/report.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/idmap.h"
#include "src/proto/report_members.h"
#include "src/proto/report_pool.h"

#define TAIL 16 /* room for ",..." and the text after the digits */

static unsigned nibble(char digit)
{
	if (isdigit((unsigned char)digit))
		return (unsigned)(digit - '0');
	return (unsigned)(tolower((unsigned char)digit) - 'a' + 10);
}

/* Whether a task is set; the last digit holds tasks 0 to 3. */
static bool task_set(const char *digits, size_t count, size_t task)
{
	return task / 4 < count &&
	       (nibble(digits[count - 1 - task / 4]) >> task % 4 & 1);
}

/* Appends a range of tasks. If it does not fit, appends "..." and returns
 * false. */
static bool add_range(char *out, size_t size, size_t first, size_t last)
{
	char range[48];
	size_t used = strlen(out);
	const char *comma = out[used - 1] == '[' ? "" : ",";
	int n = first == last
			? snprintf(range, sizeof(range), "%s%zu", comma, first)
			: snprintf(range, sizeof(range), "%s%zu-%zu", comma,
				   first, last);

	if (used + (size_t)n + TAIL > size) {
		snprintf(out + used, size - used, "%s...", comma);
		return false;
	}
	memcpy(out + used, range, (size_t)n + 1);
	return true;
}

static void add_ranges(char *out, size_t size, const char *digits, size_t count)
{
	size_t task = 0, tasks = count * 4;

	while (task < tasks) {
		size_t first;

		while (task < tasks && !task_set(digits, count, task))
			task++;
		if (task == tasks)
			return;
		first = task;
		while (task_set(digits, count, task + 1))
			task++;
		if (!add_range(out, size, first, task))
			return;
		task++;
	}
}

void astra_tasks_text(const char *id_text, char *out, size_t size)
{
	const char *hex = strstr(id_text, "[0x");
	size_t head, count, used;

	head = hex ? (size_t)(hex + 1 - id_text) : 0;
	if (!hex || head + TAIL > size) {
		snprintf(out, size, "%s", id_text);
		return;
	}
	memcpy(out, id_text, head);
	out[head] = '\0';
	hex += strlen("[0x");
	for (count = 0; isxdigit((unsigned char)hex[count]); count++)
		;
	add_ranges(out, size, hex, count);
	used = strlen(out);
	snprintf(out + used, size - used, "%s", hex + count);
}

struct astra_report_private {
	atomic_uint references;
	struct astra_report_chunk *chunks;
	struct astra_idmap by_id; /* job id -> index */
};

#define CHUNK_BYTES 65536

/* A chunk of memory. Everything that lives as long as the report is in chunks,
 * which are freed together. */
struct astra_report_chunk {
	struct astra_report_chunk *next;
	size_t used, room;
	max_align_t bytes[];
};

static char *bytes_for(struct astra_report_private *own, size_t size,
		       size_t align)
{
	size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
	struct astra_report_chunk *chunk = own->chunks;
	size_t at = chunk ? (chunk->used + align - 1) / align * align : 0;

	if (!chunk || at > chunk->room || chunk->room - at < size) {
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->next = own->chunks;
		chunk->room = room;
		own->chunks = chunk;
		at = 0;
	}
	chunk->used = at + size;
	return (char *)chunk->bytes + at;
}

/* Returns a copy of a text, or NULL if out of memory. like: a text of the
 * report, or NULL; if it equals text, it is returned instead of a copy. Names
 * often repeat from one record to the next. */
static const char *report_keep(struct astra_report *report, const char *text,
			       const char *like)
{
	size_t size;
	char *copy;

	if (!text || !*text)
		return "";
	if (like && !strcmp(text, like))
		return like;
	size = strlen(text) + 1;
	copy = bytes_for(report->own, size, 1);
	if (copy)
		memcpy(copy, text, size);
	return copy;
}

/* Returns a copy of items, aligned for numbers; NULL if out of memory. Texts in
 * the items are not copied. */
static const void *report_copy(struct astra_report *report, const void *items,
			       size_t count, size_t size)
{
	void *copy = bytes_for(report->own, count * size, sizeof(double));

	return copy && count ? memcpy(copy, items, count * size) : copy;
}

static int report_keep_text(void *report, const char **text, const char *like)
{
	*text = report_keep(report, *text, like);
	return *text ? 0 : -1;
}

/* Replaces a record's texts by copies. before: the record before it, whose
 * texts are copies already, or NULL. Returns 0, or -1 if out of memory. */
static int report_keep_all(struct astra_report *report, void *record,
			   const void *before,
			   const struct astra_member *members)
{
	return astra_members_keep(record, before, members, report_keep_text,
				  report);
}

/* Appends a copy of a record, texts included, to a list. list, count, room: the
 * addresses of the list's array, length and room. Returns 0, or -1 if out of
 * memory; then the list is unchanged. */
static int report_append(struct astra_report *report, void *list, size_t *count,
			 size_t *room, const void *record, size_t size,
			 const struct astra_member *members)
{
	char *at;

	if (astra_grow(list, room, *count + 1, size) < 0)
		return -1;
	at = *(char **)list + *count * size;
	memcpy(at, record, size);
	if (report_keep_all(report, at, *count ? at - size : NULL, members) < 0)
		return -1;
	++*count;
	return 0;
}

/* Frees all chunks. */
static void report_forget(struct astra_report_private *own)
{
	while (own->chunks) {
		struct astra_report_chunk *next = own->chunks->next;

		free(own->chunks);
		own->chunks = next;
	}
}

/* Auctions and apps in a report. */

int astra_report_add_auction(struct astra_report *report,
			     const struct astra_report_auction *auction)
{
	struct astra_report_auction copy = *auction;

	copy.first_app = report->app_count;
	copy.app_count = 0;
	return report_append(report, &report->auctions, &report->auction_count,
			     &report->auction_room, &copy, sizeof(copy),
			     astra_auction_members);
}

int astra_report_add_app(struct astra_report *report,
			 const struct astra_report_app *app)
{
	struct astra_report_app copy = *app;

	if (report->app_count >= ASTRA_REPORT_LEFT_APPS)
		copy.of.left_count = 0;
	if (copy.of.left_count > ASTRA_REPORT_LEFT_GPUS)
		copy.of.left_count = ASTRA_REPORT_LEFT_GPUS;
	copy.of.left_sec =
		report_copy(report, app->of.left_sec, copy.of.left_count,
			    sizeof(*copy.of.left_sec));
	copy.first_job = ASTRA_REPORT_NO_JOB;
	if (!copy.of.left_sec ||
	    report_append(report, &report->apps, &report->app_count,
			  &report->app_room, &copy, sizeof(copy),
			  astra_app_members) < 0)
		return -1;
	report->auctions[report->auction_count - 1].app_count++;
	return 0;
}

const struct astra_report_auction *
astra_report_auction_of(const struct astra_report *report, const char *pool)
{
	for (size_t i = 0; i < report->auction_count; i++)
		if (!strcmp(report->auctions[i].pool, pool))
			return &report->auctions[i];
	return NULL;
}

static int report_app_compare(const void *key, const void *item)
{
	uint64_t number = *(const uint64_t *)key;
	const struct astra_report_app *app = item;

	return (number > app->of.app) - (number < app->of.app);
}

struct astra_report_app *astra_report_app(const struct astra_report *report,
					  const char *pool, uint64_t number)
{
	const struct astra_report_auction *auction =
		astra_report_auction_of(report, pool);

	if (!auction || !number || !auction->app_count)
		return NULL;
	return bsearch(&number, report->apps + auction->first_app,
		       auction->app_count, sizeof(*report->apps),
		       report_app_compare);
}

/* Links a new job into the list of its app. */
static void report_link(struct astra_report *report,
			struct astra_report_job *job)
{
	struct astra_report_app *app =
		astra_report_app(report, job->pool, job->app);

	job->app_next = app ? app->first_job : ASTRA_REPORT_NO_JOB;
	if (app)
		app->first_job = (uint32_t)(job - report->jobs);
}

#define ID_BYTES 256 /* longest id of a job as text */

/* Appends to the list of the report that `one` names. */
#define APPEND(report, one, record, members)                             \
	report_append(report, &(report)->one##s, &(report)->one##_count, \
		      &(report)->one##_room, record, sizeof(*(record)),  \
		      members)

struct astra_report *astra_report_create(void)
{
	struct astra_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->own = calloc(1, sizeof(*report->own));
	if (!report->own) {
		free(report);
		return NULL;
	}
	atomic_init(&report->own->references, 1);
	report->cluster = "";
	report->slurm_version = "";
	report->diag.state_error = "";
	report->diag.config_error = "";
	report->diag.config_warning = "";
	report->diag.policy_error = "";
	report->diag.aside = "";
	report->diag.history.state = "off";
	report->diag.history.file = report->diag.history.error = "";
	return report;
}

struct astra_report *astra_report_get(struct astra_report *report)
{
	atomic_fetch_add(&report->own->references, 1);
	return report;
}

void astra_report_put(struct astra_report *report)
{
	if (!report || atomic_fetch_sub(&report->own->references, 1) > 1)
		return;
	report_forget(report->own);
	astra_idmap_clear(&report->own->by_id);
	free(report->own);
	free(report->pools);
	free(report->tenants);
	free(report->jobs);
	free(report->ended);
	free(report->auctions);
	free(report->apps);
	free(report->prices);
	free(report->classes);
	free(report->nodes);
	free(report);
}

int astra_report_add_pool(struct astra_report *report,
			  const struct astra_report_pool *pool)
{
	return APPEND(report, pool, pool, astra_pool_members);
}

int astra_report_add_tenant(struct astra_report *report,
			    const struct astra_report_tenant *tenant)
{
	return APPEND(report, tenant, tenant, astra_report_tenant_members);
}

int astra_report_add_price(struct astra_report *report,
			   const struct astra_report_price *price)
{
	return APPEND(report, price, price, astra_price_members);
}

int astra_report_add_node(struct astra_report *report,
			  const struct astra_report_node *node)
{
	struct astra_report_node copy = *node;

	copy.holders = report_copy(report, node->holders, node->holder_count,
				   sizeof(*node->holders));
	return copy.holders
		       ? APPEND(report, node, &copy, astra_report_node_members)
		       : -1;
}

int astra_report_add_class(struct astra_report *report,
			   const struct astra_report_class *class)
{
	return report_append(report, &report->classes, &report->class_count,
			     &report->class_room, class, sizeof(*class),
			     astra_class_members);
}

static int keep_binds(struct astra_report *report, struct astra_report_job *job)
{
	struct astra_report_bind *copy = NULL;
	size_t count = 0, room = 0;
	int rc = 0;

	if (job->bind_count > ASTRA_REPORT_BINDS)
		job->bind_count = ASTRA_REPORT_BINDS;
	for (uint32_t i = 0; i < job->bind_count && !rc; i++)
		rc = report_append(report, &copy, &count, &room, &job->binds[i],
				   sizeof(*copy), astra_bind_members);
	if (copy && !rc) {
		job->binds = report_copy(report, copy, count, sizeof(*copy));
		rc = job->binds ? 0 : -1;
	}
	free(copy);
	return rc;
}

/* Appends a copy of a job to one of the two lists of jobs. Returns 0 or -1. */
static int add_to(struct astra_report *report, struct astra_report_job **list,
		  size_t *count, size_t *room,
		  const struct astra_report_job *job)
{
	struct astra_report_job copy = *job;
	char id_text[ID_BYTES];

	if (job->id_text) {
		astra_tasks_text(job->id_text, id_text, sizeof(id_text));
		copy.id_text = id_text;
	}
	if (keep_binds(report, &copy) < 0)
		return -1;
	return report_append(report, list, count, room, &copy, sizeof(copy),
			     astra_report_job_members);
}

/* Whether ending leases cannot make room for the job. */
static bool report_is_blocked(const struct astra_report_job *job)
{
	return !strcmp(job->wait, "pinned") || !strcmp(job->wait, "cpus") ||
	       !strcmp(job->wait, "too_big");
}

/* Clears the parts of a job's start that are not known, for all who show it.
 * Nothing is known of a job that does not wait, or waits for something other
 * than GPUs, as the look-ahead does not cover that. An expected start in the
 * past is cleared, and so is a promise that cannot be kept. A promise that was
 * broken stays. */
static void report_settle_start(struct astra_report_job *job, double now_sec)
{
	bool kept = job->phase != ASTRA_REPORT_WAITING ||
		    !strcmp(job->wait, "blocked") || job->bind_count;

	if (kept)
		job->of.reason.bound_sec = job->expected_early_sec =
			job->expected_late_sec = job->forecast_sec =
				job->forecast_until_sec = 0;
	if (kept || job->of.reason.start_sec <= now_sec)
		job->of.reason.start_sec = 0;
	if (report_is_blocked(job) ||
	    (job->of.reason.start_sec > 0 &&
	     job->of.reason.bound_sec > now_sec &&
	     job->of.reason.start_sec > job->of.reason.bound_sec))
		job->of.reason.bound_sec = 0;
}

int astra_report_add_job(struct astra_report *report,
			 const struct astra_report_job *job)
{
	size_t n = report->job_count;

	if (astra_idmap_put(&report->own->by_id, job->of.id, (uint32_t)n) < 0)
		return -1;
	if (add_to(report, &report->jobs, &report->job_count, &report->job_room,
		   job) < 0) {
		astra_idmap_del(&report->own->by_id, job->of.id);
		return -1;
	}
	report_settle_start(&report->jobs[n], report->time_sec);
	report_link(report, &report->jobs[n]);
	return 0;
}

int astra_report_add_ended(struct astra_report *report,
			   const struct astra_report_job *job)
{
	return add_to(report, &report->ended, &report->ended_count,
		      &report->ended_room, job);
}

const struct astra_report_job *
astra_report_find(const struct astra_report *report, uint32_t id)
{
	uint32_t at = astra_idmap_get(&report->own->by_id, id);

	return at == ASTRA_IDMAP_NONE ? NULL : &report->jobs[at];
}

int astra_report_set_cluster(struct astra_report *report, const char *cluster,
			     const char *slurm_version)
{
	const char *name = report_keep(report, cluster, NULL);
	const char *version = report_keep(report, slurm_version, NULL);

	if (!name || !version)
		return -1;
	report->cluster = name;
	report->slurm_version = version;
	return 0;
}

int astra_report_set_diag(struct astra_report *report,
			  const struct astra_report_diag *diag)
{
	struct astra_report_diag copy = *diag;

	if (report_keep_all(report, &copy, NULL, astra_diag_members) < 0)
		return -1;
	report->diag = copy;
	return 0;
}
