/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explains a job that the plugin does not manage. Asks Slurm once, as squeue
 * does, and shows what Slurm's own rules let the user see. */
#include <config.h> /* Slurm's */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/cmd/sfair/sfair.h"
#include "src/common/read_config.h"
#include "src/common/slurm_protocol_defs.h"
#include "src/common/text.h"
#include "src/slurm/compat/compat_client.h"

#define READABLE 80

void sfair_put_wrapped(const char *text)
{
	size_t width = sfair_terminal_width(), at = 0;

	if (!width || width > READABLE)
		width = READABLE;
	width--;

	while (*text) {
		size_t size = strcspn(text, " ");

		if (at && at + 1 + size > width) {
			putchar('\n');
			at = 0;
		} else if (at) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)size, text);
		at += size;
		text += size;
		while (*text == ' ')
			text++;
	}
	putchar('\n');
}

/* Returns a part of the reply's words, without control characters; NULL if
 * there is none. */
static char *why_part(const json_t *reply, const char *key)
{
	const json_t *parts = json_object_get(reply, "parts");
	const json_t *part = json_object_get(parts ? parts : reply, key);
	char *text = json_is_string(part)
			     ? sfair_cell(SFAIR_TEXT, part, SFAIR_MINUTES, 0)
			     : NULL;

	if (text && !*text) {
		free(text);
		text = NULL;
	}
	return text;
}

static const char *const why_parts[] = {"answer", "text", "reason", "change",
					"detail"};

/* Whether to show a part of the reply. "text" is shown only if the reply has no
 * other parts, as from an older plugin or from Slurm. */
static bool why_shows(const json_t *reply, size_t part, bool all)
{
	bool whole = !strcmp(why_parts[part], "text");

	return whole == !json_object_get(reply, "parts") &&
	       (all || strcmp(why_parts[part], "detail") != 0);
}

char *sfair_why_words(const json_t *reply, bool all)
{
	struct astra_text out = {0};

	for (size_t i = 0; i < sizeof(why_parts) / sizeof(*why_parts); i++) {
		bool shown = why_shows(reply, i, all) && (all || i > 0);
		char *text = shown ? why_part(reply, why_parts[i]) : NULL;

		if (text)
			astra_text_printf(&out, "%s%s", out.size ? " " : "",
					  text);
		free(text);
	}
	if (!out.failed)
		return out.bytes ? out.bytes : strdup("");
	astra_text_clear(&out);
	return NULL;
}

void sfair_print_why(const json_t *reply, const struct sfair_args *args)
{
	long long others = json_integer_value(json_object_get(reply, "others"));

	for (size_t i = 0; i < sizeof(why_parts) / sizeof(*why_parts); i++) {
		char *text = why_shows(reply, i, args->verbose)
				     ? why_part(reply, why_parts[i])
				     : NULL;

		if (text && i == 0) /* the answer is a line of its own */
			puts(text);
		else if (text)
			sfair_put_wrapped(text);
		free(text);
	}
	if (others && !args->no_header)
		printf("(%lld more job%s of this array: sfair job -j ID)\n",
		       others, others == 1 ? "" : "s");
}

#define BASE(job) ((job)->job_state & JOB_STATE_BASE)

/* Whether the job asks for GPUs or shards. */
static bool has_gpus(const slurm_job_info_t *job)
{
	const char *const asked[] = {job->tres_req_str, job->tres_per_job,
				     job->tres_per_node, job->tres_per_socket,
				     job->tres_per_task};

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		if (asked[i] &&
		    (strstr(asked[i], "gpu") || strstr(asked[i], "shard")))
			return true;
	return false;
}

/* Returns why the plugin manages no jobs at all, for free(); NULL if it manages
 * jobs. */
static char *other_idle(void)
{
	struct astra_query query = {.kind = ASTRA_QUERY_DIAG};
	struct astra_error err;
	json_t *reply = sfair_ask(&query, false, &err);
	const char *idle = json_string_value(json_object_get(reply, "idle"));
	char *copy = idle ? strdup(idle) : NULL;

	json_decref(reply);
	return copy;
}

/* Appends why the plugin does not manage the job. */
static void put_owner(const slurm_job_info_t *job, struct astra_text *out)
{
	char *idle = has_gpus(job) ? other_idle() : NULL;
	const char *partition = job->partition ? job->partition : "?";

	if (!has_gpus(job))
		astra_text_printf(
			out,
			"asks for no GPU, so Slurm alone schedules it, in partition %s",
			partition);
	else if (idle)
		astra_text_printf(out, "asks for GPUs in partition %s: %s",
				  partition, idle);
	else
		astra_text_printf(
			out,
			"asks for GPUs in partition %s: Slurm alone schedules it if that is in no pool of astraea.conf, or in one that shares them out otherwise, whole or in parts; else the next round will see it",
			partition);
	free(idle);
}

static void put_state(const slurm_job_info_t *job, struct astra_text *out)
{
	char text[64];

	if (BASE(job) == JOB_PENDING)
		astra_text_printf(
			out, ". It waits: %s (see squeue -j %u --start).",
			astra_reason_name(job->state_reason), job->job_id);
	else if (BASE(job) < JOB_COMPLETE)
		astra_text_printf(out, ". It is %s on %s and under no lease.",
				  job_state_string(job->job_state),
				  job->nodes && *job->nodes ? job->nodes : "?");
	else {
		sfair_time((double)job->end_time, text, sizeof(text));
		astra_text_printf(out, " and ended %s at %s (see sacct -j %u).",
				  job_state_string(job->job_state), text,
				  job->job_id);
	}
}

static void name_user(uint32_t uid, char *text, size_t size)
{
	const struct passwd *entry = getpwuid(uid);

	if (entry)
		snprintf(text, size, "%s", entry->pw_name);
	else
		snprintf(text, size, "%u", uid);
}

static json_t *why_describe(const slurm_job_info_t *job)
{
	struct astra_text text = {0};
	char user[64];
	json_t *reply;

	if (job->user_name)
		snprintf(user, sizeof(user), "%s", job->user_name);
	else
		name_user(job->user_id, user, sizeof(user));
	astra_text_printf(&text, "Job %u of %s ", job->job_id, user);
	if (BASE(job) < JOB_COMPLETE)
		put_owner(job, &text);
	else
		astra_text_printf(&text, "was in partition %s",
				  job->partition ? job->partition : "?");
	put_state(job, &text);
	reply = json_pack("{s:i, s:s, s:s, s:n, s:i, s:{s:s, s:s, s:s, s:b}}",
			  "astraea", ASTRA_PROTOCOL, "request", "why", "text",
			  text.bytes ? text.bytes : "", "job", "others", 0,
			  "why", "state", job_state_string(job->job_state),
			  "phase", "", "reason",
			  astra_reason_name(job->state_reason), "managed", 0);
	astra_text_clear(&text);
	return reply;
}

json_t *sfair_why_other(const struct astra_query *query)
{
	const struct astra_job_ref *ref = &query->jobs.refs[0];
	job_info_msg_t *jobs = NULL;
	const slurm_job_info_t *best = NULL;
	json_t *reply;

	if (!sfair_slurm_known() || astra_load_job(&jobs, ref->id))
		return NULL;
	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const slurm_job_info_t *job = &jobs->job_array[i];

		if (ref->task == UINT32_MAX ? !best || job->job_id == ref->id
					    : job->array_task_id == ref->task)
			best = job;
	}
	reply = best ? why_describe(best) : NULL;
	slurm_free_job_info_msg(jobs);
	return reply;
}
