/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounting by way of sacct, of which a script takes the place. */
#include <sys/stat.h>

#include "testsuite/unit/trace_file.h"

/* Let this script be the sacct that is found first. Returns its folder. */
static char *take_place(const char *script)
{
	char *folder = strdup("/tmp/astra-sacct-XXXXXX");
	const char *path = getenv("PATH");
	char name[64], search[4096];
	FILE *out;

	assert_non_null(mkdtemp(folder));
	snprintf(name, sizeof(name), "%s/sacct", folder);
	out = fopen(name, "w");
	fprintf(out, "#!/bin/sh\n%s\n", script);
	fclose(out);
	assert_int_equal(chmod(name, 0755), 0);
	snprintf(search, sizeof(search), "%s:%s", folder, path);
	setenv("PATH", search, 1);
	return folder;
}

static void give_back(char *folder)
{
	char name[64];

	setenv("PATH", strchr(getenv("PATH"), ':') + 1, 1);
	snprintf(name, sizeof(name), "%s/sacct", folder);
	unlink(name);
	rmdir(folder);
	free(folder);
}

static int ask(const char *script, struct astra_trace *trace,
	       struct astra_error *err)
{
	char *folder = take_place(script);
	int rc;

	astra_trace_init(trace);
	rc = astra_trace_from_slurmdbd(trace, "2026-11-01", "now", "here; true",
				       "a,b", err);
	give_back(folder);
	return rc;
}

/* The script answers with its arguments as names of tenants. No shell sees
 * them. */
static void all_jobs_between_two_times_are_asked_for(void **state)
{
	static const char *const arguments[] = {
		"--allusers",
		"--allocations",
		"--duplicates",
		"--parsable2",
		"--starttime=2026-11-01",
		"--endtime=now",
		"--format=JobID,JobIDRaw,Account,User,Submit,Eligible,Start,"
		"End,ElapsedRaw,AllocTRES,ReqTRES,TimelimitRaw,State,NNodes",
		"--clusters=here; true",
		"--partition=a,b",
		"%s",
	};
	struct astra_trace trace;
	struct astra_error err = {""};

	(void)state;
	if (ask("echo 'JobID|Account|Submit|ElapsedRaw|AllocTRES'\n"
		"for a in \"$@\" \"$SLURM_TIME_FORMAT\"; do\n"
		"	n=$((n + 1))\n"
		"	echo \"$n|$a|1600000000|5|gres/gpu=1\"\n"
		"done",
		&trace, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(trace.source, "sacct");
	assert_int_equal(trace.tenant_count, ASTRA_COUNT_OF(arguments));
	for (size_t i = 0; i < ASTRA_COUNT_OF(arguments); i++)
		assert_string_equal(trace.tenants[i].name, arguments[i]);
	astra_trace_clear(&trace);
}

static void what_sacct_complains_of_is_passed_on(void **state)
{
	static const struct {
		const char *script;
		const char *message;
	} cases[] = {
		{"echo 'sacct: error: no slurmdbd' >&2; exit 1",
		 "sacct failed: sacct: error: no slurmdbd"},
		{"exit 3", "sacct failed: exit status 3"},
		{"kill -9 $$", "sacct failed: signal 9"},
		{"echo 'JobID|Submit|ElapsedRaw|AllocTRES'\n"
		 "echo '1|1600000000|5|gres/gpu=1'; echo late >&2; exit 1",
		 "sacct failed: late"},
		{"echo 'JobID|Submit|ElapsedRaw|AllocTRES'",
		 "sacct: there is no job"},
		{"echo JobID; seq 1000000",
		 "sacct: line 1 has no column submit_s or Submit"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_trace trace;
		struct astra_error err = {""};

		assert_int_equal(ask(cases[i].script, &trace, &err), -1);
		assert_string_equal(err.text, cases[i].message);
		astra_trace_clear(&trace);
	}
}

static void without_sacct_it_says_so(void **state)
{
	char *path = strdup(getenv("PATH"));
	struct astra_trace trace;
	struct astra_error err = {""};

	(void)state;
	setenv("PATH", "/nowhere", 1);
	astra_trace_init(&trace);
	assert_int_equal(astra_trace_from_slurmdbd(&trace, "now-1days", "now",
						   NULL, NULL, &err),
			 -1);
	assert_string_equal(err.text,
			    "sacct failed: sacct: No such file or directory");
	astra_trace_clear(&trace);
	setenv("PATH", path, 1);
	free(path);
}

static int note_nodes(void *arg, const char *id,
		      const struct astra_trace_job *job,
		      const struct astra_job_names *names, bool unfinished)
{
	uint32_t *nodes = arg;

	(void)names;
	(void)unfinished;
	nodes[atoi(id)] = job->nodes;
	return 0;
}

/* Slurm says 1 node of --gpus=8 until it knows: sfair try took that for a job
 * that fits on no node of 4 GPUs. */
static void nodes_of_a_job_that_has_not_started_are_unknown(void **state)
{
	uint32_t nodes[3] = {9, 9, 9};
	const struct astra_taker taker = {.take = note_nodes, .arg = nodes};
	char *folder = take_place(
		"echo 'JobID|Submit|Start|End|ReqTRES|State|NNodes'\n"
		"echo '1|1600000000|Unknown|Unknown|gres/gpu=8|PENDING|1'\n"
		"echo '2|1600000000|1600000009|Unknown|gres/gpu=8|RUNNING|2'");
	struct astra_trace trace;
	struct astra_error err = {""};

	(void)state;
	astra_trace_init(&trace);
	trace.taker = &taker;
	if (astra_trace_from_slurmdbd(&trace, "now-1days", "now", NULL, NULL,
				      &err) < 0)
		fail_msg("%s", err.text);
	give_back(folder);
	assert_int_equal(nodes[1], 0);
	assert_int_equal(nodes[2], 2);
	astra_trace_clear(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_jobs_between_two_times_are_asked_for),
		cmocka_unit_test(what_sacct_complains_of_is_passed_on),
		cmocka_unit_test(without_sacct_it_says_so),
		cmocka_unit_test(
			nodes_of_a_job_that_has_not_started_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
