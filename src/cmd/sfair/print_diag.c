/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"

/* A line of a block. */
struct line {
	const char *label;
	const char *key;
	enum sfair_kind kind;
};

static const struct line engine_lines[] = {
	{"Stands aside", "aside", SFAIR_TEXT},
	{"Engine started", "started_sec", SFAIR_TIME},
	{"Data since", "reset_sec", SFAIR_TIME},
	{"Configuration read", "config_sec", SFAIR_TIME},
	{"Configuration error", "config_error", SFAIR_TEXT},
	{"Warning", "config_warning", SFAIR_TEXT},
	{"Policy error", "policy_error", SFAIR_TEXT},
	{NULL, NULL, SFAIR_TEXT},
};

static const struct line round_lines[] = {
	{"Rounds", "rounds", SFAIR_NUMBER},
	{"Rounds a minute", "rounds_per_min", SFAIR_NUMBER},
	{"Last round", "round_sec", SFAIR_TIME},
	{"Depth", "depth", SFAIR_NUMBER},
	{"Queue length", "queue", SFAIR_NUMBER},
	{NULL, NULL, SFAIR_TEXT},
};

static const struct line lease_lines[] = {
	{"Jobs started", "started", SFAIR_NUMBER},
	{"Leases granted", "granted", SFAIR_NUMBER},
	{"Leases renewed", "renewed", SFAIR_NUMBER},
	{"Leases revoked", "revoked", SFAIR_NUMBER},
	{"Starts refused", "refused", SFAIR_NUMBER},
	{"Decisions skipped", "skipped", SFAIR_NUMBER},
	{"Notices told", "notices", SFAIR_NUMBER},
	{"Notices failed", "notices_failed", SFAIR_NUMBER},
	{"Notices lost", "notices_lost", SFAIR_NUMBER},
	{NULL, NULL, SFAIR_TEXT},
};

static const struct line state_lines[] = {
	{"State saved", "state_saves", SFAIR_NUMBER},
	{"Last save", "state_saved_sec", SFAIR_TIME},
	{"Save error", "state_error", SFAIR_TEXT},
	{NULL, NULL, SFAIR_TEXT},
};

static const struct line history_lines[] = {
	{"State", "state", SFAIR_TEXT},
	{"File", "file", SFAIR_TEXT},
	{"Error", "error", SFAIR_TEXT},
	{"File bytes", "file_bytes", SFAIR_NUMBER},
	{"Last write", "written_sec", SFAIR_TIME},
	{"Transactions", "transactions", SFAIR_NUMBER},
	{"Rows", "rows", SFAIR_NUMBER},
	{"Rows left out", "rows_dropped", SFAIR_NUMBER},
	{"Reports written", "reports", SFAIR_NUMBER},
	{"Reports dropped", "dropped", SFAIR_NUMBER},
	{"Reports lost", "lost", SFAIR_NUMBER},
	{NULL, NULL, SFAIR_TEXT},
};

static const struct line socket_lines[] = {
	{"Clients now", "clients", SFAIR_NUMBER},
	{"Answered", "answered", SFAIR_NUMBER},
	{"Malformed", "malformed", SFAIR_NUMBER},
	{"Refused", "refused", SFAIR_NUMBER},
	{"Unauthenticated", "unauthenticated", SFAIR_NUMBER},
	{"Too many a second", "limited", SFAIR_NUMBER},
	{"Too large", "too_large", SFAIR_NUMBER},
	{"Timed out", "timed_out", SFAIR_NUMBER},
	{"Turned away", "turned_away", SFAIR_NUMBER},
	{NULL, NULL, SFAIR_TEXT},
};

static const struct line pool_lines[] = {
	{"Policy", "policy", SFAIR_TEXT},
	{"Variant", "variant", SFAIR_TEXT},
	{"Partitions", "partitions", SFAIR_TEXT},
	{"Leases", "leases", SFAIR_FLAG},
	{"Watched", "watch", SFAIR_FLAG},
	{"Round interval", "round_sec", SFAIR_SPAN},
	{"GPUs", "gpus", SFAIR_NUMBER},
	{"GPUs usable", "gpus_usable", SFAIR_NUMBER},
	{"GPUs free", "gpus_free", SFAIR_NUMBER},
	{NULL, NULL, SFAIR_TEXT},
};

/* For LeaseTerm=auto. */
static const struct line pool_auto_lines[] = {
	{"Term chosen", "lease_chosen_sec", SFAIR_TIME},
	{"Jobs simulated", "lease_chosen_jobs", SFAIR_NUMBER},
	{"Points behind best", "lease_chosen_points", SFAIR_NUMBER},
	{"Choice", "lease_chosen_why", SFAIR_TEXT},
	{NULL, NULL, SFAIR_TEXT},
};

/* For pools with leases. */
static const struct line pool_lease_lines[] = {
	{"Lease term", "lease_sec", SFAIR_SPAN},
	{"Automatic term", "lease_auto", SFAIR_FLAG},
	{"Checkpoint grace", "grace_sec", SFAIR_SPAN},
	{"Collected for job", "hold_job", SFAIR_NUMBER},
	{"Leases granted", "granted", SFAIR_NUMBER},
	{"Leases renewed", "renewed", SFAIR_NUMBER},
	{"Leases revoked", "revoked", SFAIR_NUMBER},
	{"Starts refused", "refused", SFAIR_NUMBER},
	{"Jobs refused", "refused_jobs", SFAIR_NUMBER},
	{"Reclaim capped", "reclaim_capped", SFAIR_NUMBER},
	{"Leases lent", "lent", SFAIR_NUMBER},
	{"First starts", "first_starts", SFAIR_NUMBER},
	{"Over the bound", "over_bound", SFAIR_NUMBER},
	{"Leases ended early", "recalled", SFAIR_NUMBER},
	{"GPU time they cost", "recall_gpu_sec", SFAIR_GPU_TIME},
	{"Cost in last hour", "recall_hour_gpu_sec", SFAIR_GPU_TIME},
	{"MaxOverhead, percent", "overhead_max", SFAIR_NUMBER},
	{NULL, NULL, SFAIR_TEXT},
};

static void print_diag_put_line(const struct sfair_args *args,
				const char *group, const char *label,
				const char *value)
{
	if (args->style == SFAIR_TABLE)
		printf("\t%-21s %s\n", label, value);
	else
		printf("%s|%s|%s%s\n", group, label, value,
		       args->style == SFAIR_PARSABLE ? "|" : "");
}

static void put_lines(const struct sfair_args *args, const char *group,
		      const json_t *object, const struct line *lines)
{
	for (; lines->label; lines++) {
		const json_t *value = json_object_get(object, lines->key);
		char *text;

		if (lines->kind == SFAIR_TEXT && args->style == SFAIR_TABLE &&
		    !json_string_length(value))
			continue; /* a line without an error is left out */
		text = sfair_cell(lines->kind, value, args->unit, 0);
		if (text)
			print_diag_put_line(args, group, lines->label, text);
		free(text);
	}
}

static void print_diag_put_group(const struct sfair_args *args,
				 const char *group, const json_t *object,
				 const struct line *lines)
{
	if (args->style == SFAIR_TABLE)
		printf("\n%s\n", group);
	put_lines(args, group, object, lines);
}

static void put_timing(const struct sfair_args *args, const json_t *diag,
		       const char *group, const char *key)
{
	static const char *const parts[][2] = {
		{"Last", "last_usec"},
		{"Mean", "mean_usec"},
		{"Max", "max_usec"},
	};
	const json_t *timing = json_object_get(diag, key);

	if (args->style == SFAIR_TABLE)
		printf("\n%s (microseconds)\n", group);
	for (size_t i = 0; i < 3; i++) {
		char value[32];

		snprintf(value, sizeof(value), "%lld",
			 json_integer_value(
				 json_object_get(timing, parts[i][1])));
		print_diag_put_line(args, group, parts[i][0], value);
	}
}

static void print_diag_put_title(const json_t *reply,
				 const struct sfair_args *args)
{
	char now[32];
	char *cluster = sfair_cell(
		SFAIR_TEXT, json_object_get(reply, "cluster"), args->unit, 0);

	sfair_time(json_number_value(json_object_get(reply, "time_sec")), now,
		   sizeof(now));
	if (!args->no_header && args->style == SFAIR_TABLE)
		printf("Astraea on cluster %s at %s\n", cluster ? cluster : "",
		       now);
	else if (!args->no_header)
		printf("Group|Name|Value%s\n",
		       args->style == SFAIR_PARSABLE ? "|" : "");
	free(cluster);
}

void sfair_print_diag(const json_t *reply, const struct sfair_args *args)
{
	const json_t *diag = json_object_get(reply, "diag");
	json_t *pool;
	size_t i;

	print_diag_put_title(reply, args);
	print_diag_put_group(args, "Engine", diag, engine_lines);
	print_diag_put_group(args, "Rounds", diag, round_lines);
	put_timing(args, diag, "Round", "round");
	put_timing(args, diag, "Snapshot", "snapshot");
	put_timing(args, diag, "Decision", "decide");
	put_timing(args, diag, "Write lock", "write_lock");
	print_diag_put_group(args, "Leases", diag, lease_lines);
	print_diag_put_group(args, "State file", diag, state_lines);
	print_diag_put_group(args, "History", json_object_get(reply, "history"),
			     history_lines);
	put_timing(args, json_object_get(reply, "history"), "History, a round",
		   "note");
	put_timing(args, json_object_get(reply, "history"),
		   "History, a transaction", "write");
	print_diag_put_group(args, "Query socket",
			     json_object_get(reply, "socket"), socket_lines);
	json_array_foreach(json_object_get(reply, "pools"), i, pool)
	{
		char *name =
			sfair_cell(SFAIR_TEXT, json_object_get(pool, "name"),
				   args->unit, 0);
		char group[128];

		snprintf(group, sizeof(group), "Pool %s", name ? name : "");
		print_diag_put_group(args, group, pool, pool_lines);
		if (!json_is_false(json_object_get(pool, "leases"))) {
			put_lines(args, group, pool, pool_lease_lines);
			if (json_is_true(json_object_get(pool, "lease_auto")))
				put_lines(args, group, pool, pool_auto_lines);
		}
		free(name);
	}
	if (json_is_true(json_object_get(reply, "reset")) &&
	    args->style == SFAIR_TABLE)
		printf("\nThe numbers start anew with the next round.\n");
}
