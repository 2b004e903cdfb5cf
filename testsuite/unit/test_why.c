/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `sfair why` says of jobs that something keeps, and who reads it. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/proto/answer.h"
#include "src/proto/report_pool.h"
#include "testsuite/unit/proto_sample.h"
#include "testsuite/unit/unit.h"

static const struct astra_viewer root = {.uid = 0, .all = true};
static const struct astra_viewer alice = {.uid = 1001};
static const struct astra_viewer bob = {.uid = 1002};

#define NOBODY                                                       \
	.limit = NAN, .used = NAN, .asked = NAN, .task = UINT32_MAX, \
	.uid = ASTRA_REPORT_NO_UID

#define LIMIT(n, u, a) \
	.limit = (n), .used = (u), .asked = (a), .task = UINT32_MAX, .uid = 0

static const struct {
	struct astra_report_bind bind;
	const char *says[3]; /* the sentence, then changes */
} cases[] = {
	{{.kind = ASTRA_BIND_HOLD, .name = "JobHeldUser", NOBODY},
	 {"held by its user (JobHeldUser).", "scontrol release 100"}},
	{{.kind = ASTRA_BIND_HOLD, .name = "JobHeldAdmin", NOBODY},
	 {"held by an administrator (JobHeldAdmin).",
	  "scontrol release 101, by an administrator"}},
	{{.kind = ASTRA_BIND_HOLD,
	  .name = "None",
	  .of = "launch failed requeued held",
	  NOBODY},
	 {"It is held (None). Slurm says: launch failed requeued held."}},
	{{.kind = ASTRA_BIND_DEPENDENCY,
	  .name = "afterok",
	  .job = 17,
	  .state = "RUNNING",
	  .limit = NAN,
	  .task = UINT32_MAX,
	  .uid = 1001},
	 {"waits until job 17 (RUNNING) has ended well (afterok).",
	  "it: removing the dependency: scontrol update JobId=103 "
	  "Dependency= So "}},
	{{.kind = ASTRA_BIND_DEPENDENCY,
	  .name = "after",
	  .job = 17,
	  .limit = 10,
	  .task = 3},
	 {"waits until job 17_3 has started (after+10)."}},
	{{.kind = ASTRA_BIND_DEPENDENCY, .name = "never", .job = 17, NOBODY},
	 {"depends on job 17 in a way that can no longer come true"}},
	{{.kind = ASTRA_BIND_DEPENDENCY, .name = "singleton", NOBODY},
	 {"earlier jobs of the name train to end"}},
	{{.kind = ASTRA_BIND_BEGIN,
	  .name = "BeginTime",
	  .time_sec = SAMPLE_NOW + 3600,
	  .limit = NAN},
	 {"begin time, in 1 h 0 min", "StartTime=now"}},
	{{.kind = ASTRA_BIND_LIMIT,
	  .name = "QOSMaxGRESPerUser",
	  .of = "QOS normal",
	  .who = "user alice",
	  .option = "MaxTRESPerUser=gres/gpu",
	  .unit = "GPUs",
	  LIMIT(4, 3, 2)},
	 {"The QOS normal lets user alice have at most 4 GPUs at a time "
	  "(MaxTRESPerUser=gres/gpu=4, QOSMaxGRESPerUser); 3 GPUs are in use "
	  "and it asks for 2 GPUs.",
	  "asking for at most 1 GPU;",
	  "MaxTRESPerUser=gres/gpu=5, by an administrator"}},
	{{.kind = ASTRA_BIND_LIMIT,
	  .name = "AssocGrpGRES",
	  .of = "account physics",
	  .option = "GrpTRES=gres/gpu",
	  .unit = "GPUs",
	  .shared = true,
	  LIMIT(1, 1, 1)},
	 {"The account physics lets all its jobs have at most 1 GPU at a time "
	  "(GrpTRES=gres/gpu=1, AssocGrpGRES); 1 GPU is in use and it asks "
	  "for 1 GPU.",
	  "sacctmgr modify account physics set GrpTRES=gres/gpu=2",
	  "Other users' leases under the same limit end for it"}},
	{{.kind = ASTRA_BIND_LIMIT,
	  .name = "AssocMaxJobsLimit",
	  .of = "user alice in account physics",
	  .option = "MaxJobs",
	  .unit = "jobs",
	  LIMIT(1, 1, 1)},
	 {"The user alice in account physics lets it have at most 1 job at a "
	  "time (MaxJobs=1, AssocMaxJobsLimit); 1 job runs there.",
	  "sacctmgr modify user alice account=physics set MaxJobs=2"}},
	{{.kind = ASTRA_BIND_LIMIT,
	  .name = "QOSMaxGRESPerJob",
	  .of = "QOS tight",
	  .option = "MaxTRESPerJob=gres/gpu",
	  .unit = "GPUs",
	  LIMIT(1, NAN, 2)},
	 {"The QOS tight lets a job have at most 1 GPU "
	  "(MaxTRESPerJob=gres/gpu=1, QOSMaxGRESPerJob); it asks for 2 GPUs.",
	  "asking for at most 1 GPU"}},
	{{.kind = ASTRA_BIND_LIMIT,
	  .name = "AssocGrpGRESMinutes",
	  .of = "account physics",
	  .option = "GrpTRESMins=gres/gpu",
	  .unit = "GPU minutes",
	  LIMIT(10, 4.5, 60)},
	 {"have at most 10 GPU minutes (GrpTRESMins=gres/gpu=10, "
	  "AssocGrpGRESMinutes); 4.5 GPU minutes are spent"}},
	{{.kind = ASTRA_BIND_LIMIT, .name = "AssocGrpBB", NOBODY},
	 {"A limit of its account or QOS binds: AssocGrpBB"}},
	{{.kind = ASTRA_BIND_LICENCE,
	  .name = "Licenses",
	  .of = "matlab",
	  .unit = "licences",
	  LIMIT(2, NAN, 1)},
	 {"It needs 1 licence of matlab, and of the 2"}},
	{{.kind = ASTRA_BIND_ARRAY,
	  .name = "JobArrayTaskLimit",
	  .unit = "tasks",
	  LIMIT(2, 2, NAN)},
	 {"at most 2 tasks at a time (%2), and 2 tasks run; the next one",
	  "ArrayTaskThrottle=3"}},
	{{.kind = ASTRA_BIND_ARRAY, /* it was lowered while 3 ran */
	  .name = "JobArrayTaskLimit",
	  .unit = "tasks",
	  LIMIT(1, 3, NAN)},
	 {"at most 1 task at a time (%1), and 3 tasks run; the next one starts "
	  "when less than 1 run.",
	  "ArrayTaskThrottle=4"}},
	{{.kind = ASTRA_BIND_RESERVATION,
	  .name = "Reservation",
	  .of = "maint",
	  .time_sec = SAMPLE_NOW + 60},
	 {"waits for its reservation maint, which begins in 1 min 0 s.",
	  " waits for reservation maint, which begins in 1 min 0 s, at "}},
	{{.kind = ASTRA_BIND_MAINTENANCE,
	  .name = "Maintenance",
	  .of = "power",
	  .limit = 30,
	  .asked = 42,
	  .time_sec = SAMPLE_NOW + 7200},
	 {"The maintenance power begins in 30 s, which is less than a lease needs that is over before it: 42 s; it is over in 2 h 0 min (scontrol show reservation power).",
	  "the end of the maintenance"}},
	{{.kind = ASTRA_BIND_MAINTENANCE,
	  .name = "Maintenance",
	  .of = "power",
	  .limit = 3600,
	  .time_sec = SAMPLE_NOW + 7200},
	 {"power begins in 1 h 0 min, and its time limit reaches into it, as it has no leases;",
	  "a shorter time limit (-t)"}},
	{{.kind = ASTRA_BIND_MAINTENANCE,
	  .name = "Maintenance",
	  .of = "power",
	  .limit = -5,
	  .asked = 42,
	  .time_sec = SAMPLE_NOW + 60},
	 {"The maintenance power has its nodes; it is over in 1 min 0 s"}},
	{{.kind = ASTRA_BIND_RESERVED,
	  .name = "ReqNodeNotAvail",
	  .of = "course",
	  .limit = 1200,
	  .asked = 1800,
	  .time_sec = SAMPLE_NOW + 4800},
	 {"Nodes that it needs are reserved for others in 20 min 0 s (reservation course), and its time limit of 30 min 0 s reaches into that; the reservation is over in 1 h 20 min (scontrol show reservation course).",
	  "TimeLimit=19, so that it ends before the reservation; the end of the reservation course"}},
	{{.kind = ASTRA_BIND_RESERVED, /* no limit is short enough */
	  .name = "ReqNodeNotAvail",
	  .of = "course",
	  .limit = 90,
	  .asked = 1800,
	  .time_sec = SAMPLE_NOW + 4800},
	 {"What would change it: the end of the reservation course."}},
	{{.kind = ASTRA_BIND_RESERVED,
	  .name = "ReqNodeNotAvail",
	  .of = "course",
	  .limit = -5,
	  .asked = 1800,
	  .time_sec = SAMPLE_NOW + 60},
	 {"Nodes that it needs are reserved for others (reservation course); the reservation is over in 1 min 0 s",
	  "What would change it: the end of the reservation course."}},
	{{.kind = ASTRA_BIND_NODES,
	  .name = "ReqNodeNotAvail",
	  .of = "n[1-2]",
	  .who = "DRAINED"},
	 {"It asks by name for n[1-2], which cannot be used now: DRAINED (sinfo -R).",
	  "ReqNodeList=, which lets it use others; the return of n[1-2], by an administrator"}},
	{{.kind = ASTRA_BIND_PARTITION, .name = "PartitionDown", .of = "gpu"},
	 {"The partition gpu keeps it: PartitionDown"}},
	{{.kind = ASTRA_BIND_OTHER, .name = "NodeDown"},
	 {"Slurm keeps it: NodeDown"}},
	{{.kind = ASTRA_BIND_HOLD,
	  .name = "JobHeldUser",
	  .of = "Lease: refused, costs 5, is worth 3",
	  NOBODY},
	 {"It was refused (Admission) and is held: by the best schedule that there was, it costs 5, is worth 3.",
	  "which has it offered a schedule again", "(--utility)"}},
	{{.kind = ASTRA_BIND_HOLD,
	  .name = "JobHeldUser",
	  .of = "Lease: refused, no room for it in the plan",
	  NOBODY},
	 {"by the best schedule that there was, there is no room for it in the plan."}},
	{{.kind = ASTRA_BIND_HOLD, /* held since: its user cannot release it */
	  .name = "JobHeldAdmin",
	  .of = "Lease: refused, costs 5, is worth 3",
	  NOBODY},
	 {"It is held by an administrator (JobHeldAdmin). Slurm says: Lease: refused, costs 5, is worth 3.",
	  "by an administrator"}},
};

static int setup(void **state)
{
	struct astra_report *report = sample_report();

	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_report_job job = sample_rows[0];

		job.of.id = (uint32_t)(100 + i);
		job.id_text = "";
		job.state = "PENDING";
		job.phase = ASTRA_REPORT_WAITING;
		job.wait = cases[i].bind.shared ? "rank" : "blocked";
		job.binds = &cases[i].bind;
		job.bind_count = 1;
		assert_int_equal(astra_report_add_job(report, &job), 0);
	}
	*state = report;
	return 0;
}

static int teardown(void **state)
{
	astra_report_put(*state);
	return 0;
}

static json_t *why(struct astra_report *report, uint32_t id,
		   const struct astra_viewer *viewer)
{
	const struct astra_socket_stats stats = {0};
	struct astra_text text = {.limit = ASTRA_REPLY_MAX};
	struct astra_error err = {""};
	struct astra_query query;
	char request[80];
	json_t *reply;

	snprintf(request, sizeof(request),
		 "{\"astraea\":1,\"request\":\"why\",\"job\":%u}", id);
	assert_int_equal(
		astra_query_decode(request, strlen(request), &query, &err), 0);
	assert_int_equal(
		astra_answer(report, &query, viewer, &stats, &text, &err), 0);
	reply = json_loadb(text.bytes, text.size, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(reply);
	astra_text_clear(&text);
	astra_query_destroy(&query);
	return reply;
}

static const char *text_of(const json_t *object)
{
	return json_string_value(json_object_get(object, "text"));
}

static json_t *first_bind(json_t *reply)
{
	return json_array_get(
		json_object_get(json_object_get(reply, "why"), "binds"), 0);
}

static void what_keeps_a_job_is_said_with_its_numbers(void **state)
{
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		json_t *reply = why(*state, (uint32_t)(100 + i), &alice);
		json_t *bind = first_bind(reply);

		for (int s = 0; s < 3; s++)
			if (cases[i].says[s] &&
			    !strstr(text_of(reply), cases[i].says[s]))
				fail_msg("\"%s\" lacks \"%s\"", text_of(reply),
					 cases[i].says[s]);
		assert_string_equal(
			json_string_value(json_object_get(bind, "kind")),
			astra_bind_kinds[cases[i].bind.kind]);
		assert_non_null(strstr(text_of(reply), text_of(bind)));
		json_decref(reply);
	}
}

static void numbers_stand_beside_the_paragraph(void **state)
{
	json_t *reply = why(*state, 108, &alice);
	json_t *numbers = json_object_get(reply, "why");
	json_t *tenant = json_object_get(numbers, "tenant");
	double limit = 0, used = 0, asked = 0, rho = 0, quota = 0;
	const char *reason, *name;

	assert_int_equal(json_unpack(first_bind(reply), "{s:F, s:F, s:F}",
				     "limit", &limit, "used", &used, "asked",
				     &asked),
			 0);
	assert_true(limit == 4 && used == 3 && asked == 2);
	assert_int_equal(json_unpack(tenant, "{s:s, s:F, s:F}", "name", &name,
				     "rho", &rho, "quota_gpus", &quota),
			 0);
	assert_string_equal(name, "physics");
	assert_true(rho == 0.75 && quota == 16);
	assert_int_equal(json_unpack(numbers, "{s:s, s:{s:F, s:n, s:i}}",
				     "reason", &reason, "job", "rho", &rho,
				     "rank", "ranks", &(int){0}),
			 0);
	assert_string_equal(reason, "QOSMaxGRESPerUser");
	json_decref(reply);
}

static void private_data_hides_what_others_use(void **state)
{
	struct astra_report *report = *state;
	json_t *reply;

	report->privacy.usage = true;
	reply = why(report, 109, &alice);
	assert_null(strstr(text_of(reply), "in use"));
	assert_true(json_is_null(json_object_get(first_bind(reply), "used")));
	assert_null(strstr(text_of(reply), "GrpTRES=gres/gpu=2"));
	json_decref(reply);
	reply = why(report, 108, &alice);
	assert_non_null(strstr(text_of(reply), "3 GPUs are in use"));
	json_decref(reply);
	reply = why(report, 109, &root);
	assert_non_null(strstr(text_of(reply), "1 GPU is in use"));
	json_decref(reply);
	reply = why(report, 108, &bob);
	assert_null(strstr(text_of(reply), "rho"));
	assert_true(json_is_null(json_object_get(
		json_object_get(json_object_get(reply, "why"), "tenant"),
		"rho")));
	json_decref(reply);
}

static void private_data_hides_others_jobs(void **state)
{
	struct astra_report *report = *state;
	struct astra_report_bind bind = {.kind = ASTRA_BIND_DEPENDENCY,
					 .name = "afterany",
					 .job = 11,
					 .state = "RUNNING",
					 .limit = NAN,
					 .task = UINT32_MAX,
					 .uid = 1002};
	struct astra_report_job job = sample_rows[3];
	json_t *reply;

	report->privacy.jobs = true;
	job.of.id = 200;
	job.binds = &bind;
	job.bind_count = 1;
	assert_int_equal(astra_report_add_job(report, &job), 0);
	reply = why(report, 200, &alice);
	assert_null(strstr(text_of(reply), "RUNNING"));
	assert_true(json_is_null(json_object_get(first_bind(reply), "state")));
	json_decref(reply);
	reply = why(report, 200, &root);
	assert_non_null(strstr(text_of(reply), "(RUNNING)"));
	json_decref(reply);
}

/* Where shares go by user, who is first hangs on its user's rho, too. */
static void a_users_rho_is_told(void **state)
{
	struct astra_report *report = *state;
	struct astra_report_job job = sample_rows[3];
	json_t *reply;

	job.of.id = 202;
	job.of.user_rho = 0.5;
	assert_int_equal(astra_report_add_job(report, &job), 0);
	reply = why(report, 202, &root);
	assert_non_null(strstr(text_of(reply), "; its user's rho is 0.500; its "
					       "tenant's rho is 0.750"));
	assert_true(
		json_number_value(json_object_get(
			json_object_get(json_object_get(reply, "why"), "job"),
			"user_rho")) == 0.5);
	json_decref(reply);
}

/* --dependency=afterany:10?afterok:11 is one thing that it waits for. */
static void one_of_several_is_told_once(void **state)
{
	struct astra_report *report = *state;
	struct astra_report_bind binds[2] = {
		{.kind = ASTRA_BIND_DEPENDENCY,
		 .name = "afterany",
		 .job = 10,
		 .state = "RUNNING",
		 .option = "any",
		 .limit = NAN,
		 .task = UINT32_MAX},
		{.kind = ASTRA_BIND_DEPENDENCY,
		 .name = "afterok",
		 .job = 11,
		 .option = "any",
		 .limit = NAN,
		 .task = UINT32_MAX},
	};
	struct astra_report_job job = sample_rows[3];
	json_t *reply;

	job.of.id = 201;
	job.binds = binds;
	job.bind_count = 2;
	assert_int_equal(astra_report_add_job(report, &job), 0);
	reply = why(report, 201, &root);
	assert_non_null(strstr(
		text_of(reply),
		" It waits until job 10 (RUNNING) has ended (afterany), or "
		"until job 11 has ended well (afterok)."));
	assert_null(strstr(text_of(reply), "or another"));
	json_decref(reply);
}

/* Check the first line of a job that waits. */
static void answers(struct astra_report *report,
		    const struct astra_report_job *job, const char *wanted)
{
	json_t *reply;
	const char *answer;

	assert_int_equal(astra_report_add_job(report, job), 0);
	reply = why(report, job->of.id, &alice);
	answer = json_string_value(
		json_object_get(json_object_get(reply, "parts"), "answer"));
	if (!strstr(answer, wanted))
		fail_msg("\"%s\" lacks \"%s\"", answer, wanted);
	json_decref(reply);
}

#define AFTER(n, id, t)                                                  \
	{                                                                \
		.kind = ASTRA_BIND_DEPENDENCY, .name = (n), .job = (id), \
		.task = (t)                                              \
	}
#define NO_TASK UINT32_MAX
#define QOS(n, o, l, u, a)                                                \
	{                                                                 \
		.kind = ASTRA_BIND_LIMIT, .name = (n), .of = "QOS q",     \
		.option = (o), .unit = "GPUs", .limit = (l), .used = (u), \
		.asked = (a)                                              \
	}

/* What time or others end is waited for; what nothing ends but a change is not.
 */
static void what_never_ends_is_no_wait(void **state)
{
	static const struct {
		struct astra_report_bind binds[3];
		const char *answer;
	} waits[] = {
		{{QOS("QOSGrpGRES", "GrpTRES=gres/gpu", 4, 3, 2)},
		 " waits: a limit is reached (QOSGrpGRES)."},
		{{QOS("QOSGrpGRES", "GrpTRES=gres/gpu", 1, 0, 2)},
		 " does not start: it asks for more than a limit allows "
		 "(QOSGrpGRES)."},
		{{QOS("QOSMaxCpuPerNode", "MaxTRESPerNode=cpu", 4, NAN, 4)},
		 "more than a limit allows (QOSMaxCpuPerNode)."},
		{{QOS("QOSMinGRES", "MinTRESPerJob=gres/gpu", 2, NAN, 1)},
		 "less than a limit demands (QOSMinGRES)."},
		{{QOS("QOSMaxBBPerJob", "", NAN, NAN, NAN)},
		 "more than a limit allows (QOSMaxBBPerJob)."},
		{{QOS("AssocGrpBB", "", NAN, NAN, NAN)},
		 " waits: a limit is reached (AssocGrpBB)."},
		{{AFTER("afterok", 2, NO_TASK)}, " waits for job 2 (afterok)."},
		{{AFTER("afterok", 2, 5)}, " waits for job 2_5 (afterok)."},
		{{AFTER("afterok", 2, NO_TASK), AFTER("afterany", 3, NO_TASK),
		  AFTER("after", 4, NO_TASK)},
		 " waits for job 2 and 2 more."},
		{{AFTER("afterok", 2, NO_TASK), AFTER("afterok", 3, NO_TASK)},
		 " waits for job 2 and 1 more (afterok)."},
		{{AFTER("afterok", 2, NO_TASK), AFTER("never", 3, 7)},
		 " never starts as it is: its dependency on job 3_7 failed."},
		{{AFTER("DependencyNeverSatisfied", 0, NO_TASK)},
		 " never starts as it is: its dependency failed."},
		{{{.kind = ASTRA_BIND_RESERVATION,
		   .name = "ReservationDeleted",
		   .of = "course"}},
		 " never starts as it is: its reservation was deleted."},
	};
	struct astra_report_bind any[] = {AFTER("never", 2, NO_TASK),
					  AFTER("afterok", 3, NO_TASK)};
	struct astra_report_job job = sample_rows[3];

	job.wait = "rank";
	job.binds = any;
	job.of.id = 850;
	for (size_t i = 0; i < ASTRA_COUNT_OF(waits); i++) {
		job.of.id++;
		job.binds = waits[i].binds;
		for (job.bind_count = 0; job.bind_count < 3; job.bind_count++)
			if (!job.binds[job.bind_count].kind)
				break;
		answers(*state, &job, waits[i].answer);
	}
	any[0].option = any[1].option = "any";
	job.of.id++;
	job.binds = any;
	job.bind_count = 2;
	answers(*state, &job, " waits for one of several jobs.");
}

/* Others' leases end for no job that breaks the limit by itself. */
static void a_limit_that_a_job_breaks_itself_has_no_turn(void **state)
{
	static const struct astra_report_bind bind =
		QOS("QOSGrpGRES", "GrpTRES=gres/gpu", 1, 0, 2);
	struct astra_report_job job = sample_rows[3];
	json_t *reply;

	job.of.id = 880;
	job.wait = "rank";
	job.binds = &bind;
	job.bind_count = 1;
	assert_int_equal(astra_report_add_job(*state, &job), 0);
	reply = why(*state, job.of.id, &alice);
	assert_null(strstr(text_of(reply), "leases under the same limit"));
	json_decref(reply);
}

static void more_hours_than_a_period_has_are_never_had(void **state)
{
	struct astra_report_job job = sample_rows[3];

	job.wait = "cap";
	job.of.reason.start_sec = 0;
	job.of.reason.bound_sec = SAMPLE_NOW + 60;
	job.of.reason.retry_sec = SAMPLE_NOW + 86400;
	job.of.reason.cap_hours = 4;
	job.of.reason.cap_asked = 8;
	job.of.id = 890;
	answers(*state, &job,
		" never starts as it is: it asks for more GPU hours than a "
		"period has.");
	job.of.reason.cap_asked = 4;
	job.of.reason.bound_sec = 0;
	job.of.id = 891;
	answers(*state, &job, " waits for GPU hours of a new period, for ");
}

/* The time of the promise is told once. */
static void a_promise_is_told_once(void **state)
{
	struct astra_report_job job = sample_rows[3];
	json_t *reply;

	setenv("TZ", "UTC", 1);
	tzset();
	job.wait = "rank";
	job.of.reason.start_sec = 0;
	job.of.reason.bound_sec = SAMPLE_NOW + 609;
	job.of.reason.rank = 2;
	job.of.id = 900;
	answers(*state, &job,
		" is number 2 in line; its start is promised by 22:23:29 "
		"(in 10 min).");
	reply = why(*state, 900, &alice);
	assert_null(strstr(text_of(reply), "first start"));
	json_decref(reply);
	job.of.reason.rank = 1;
	job.of.reason.bound_sec = SAMPLE_NOW + 3580;
	job.of.id = 901;
	answers(*state, &job,
		" is first in line; its start is promised by 23:13:00 (in 1 h "
		"0 min).");
	job.of.reason.start_sec = SAMPLE_NOW + 9;
	job.of.id = 902;
	answers(*state, &job, " is expected to start in about 9 s, at ");
	reply = why(*state, 902, &alice);
	assert_non_null(strstr(text_of(reply),
			       "Its first start is promised within 59 min 40 "
			       "s."));
	json_decref(reply);
}

/* Job 10's lease ends in 300 s: it is named to whom that may help. */
static void a_lease_that_cannot_help_is_not_named(void **state)
{
	static const struct {
		uint32_t hold;
		double hold_sec, weight;
		bool named;
	} leases[] = {
		{0, 0, 2, true},     {20, 700, 2, false}, {20, 200, 2, true},
		{910, 300, 2, true}, {0, 0, 0, false},
	};
	struct astra_report *report = *state;

	for (uint32_t i = 0; i < ASTRA_COUNT_OF(leases); i++) {
		struct astra_report_job job = sample_rows[3];
		json_t *reply;

		report->pools[0].hold_job =
			leases[i].hold == 910 ? 910 + i : leases[i].hold;
		report->pools[0].hold_start_sec =
			SAMPLE_NOW + leases[i].hold_sec;
		report->tenants[0].of.weight = leases[i].weight;
		job.of.id = 910 + i;
		job.wait = "rank";
		job.of.reason.start_sec = 0;
		assert_int_equal(astra_report_add_job(report, &job), 0);
		reply = why(report, job.of.id, &alice);
		assert_int_equal(leases[i].named,
				 strstr(text_of(reply), "the end of the lease "
							"of job 10") != NULL);
		json_decref(reply);
	}
}

/* Where there are no leases, GPUs of ended jobs are kept, and not lent. */
static void without_leases_none_is_lent(void **state)
{
	struct astra_report *report = *state;
	struct astra_report_job job = sample_rows[3];
	json_t *reply;

	for (size_t i = 0; i < report->job_count; i++)
		report->jobs[i].of.revocable = false;
	job.of.id = 920;
	job.wait = "hold_gpus";
	assert_int_equal(astra_report_add_job(report, &job), 0);
	reply = why(report, job.of.id, &alice);
	assert_non_null(
		strstr(text_of(reply), "GPUs are being collected for it. "));
	json_decref(reply);
}

static void slurms_reason_to_refuse_is_in_the_answer(void **state)
{
	struct astra_report_job job = sample_rows[3];

	job.wait = "refused";
	job.of.reason.start_sec = 0;
	job.reason = "Slurm refuses the start: QOSGrpGRES";
	job.of.id = 930;
	answers(*state, &job,
		" does not start now: Slurm refuses it (QOSGrpGRES).");
	job.reason = "Lease: Slurm refuses it";
	job.of.id = 931;
	answers(*state, &job, " does not start now: Slurm refuses it.");
}

/* Another job as PrivateData=jobs shows it to other users. */
static void nothing_is_told_of(json_t *job)
{
	void *at = json_object_iter(job);

	assert_non_null(at);
	for (; at; at = json_object_iter_next(job, at))
		if (!json_is_null(json_object_iter_value(at)))
			fail_msg("%s is told", json_object_iter_key(at));
}

static void those_before_it_are_named(void **state)
{
	struct astra_report *report = *state;
	struct astra_report_job job = sample_rows[3];
	json_t *reply, *before;

	report->pools[0].hold_job = 0;
	job.wait = "rank";
	for (uint32_t rank = 1; rank <= 6; rank++) {
		char id[16];

		snprintf(id, sizeof(id), "%u", 300 + rank);
		job.of.id = 300 + rank;
		job.id_text = id;
		job.array_id = 0;
		job.of.reason.rank = rank;
		job.uid = rank == 5 ? 1002 : 1001;
		assert_int_equal(astra_report_add_job(report, &job), 0);
	}
	reply = why(report, 306, &alice);
	assert_non_null(strstr(text_of(reply),
			       "number 6 of 17 in line. GPUs that come free go "
			       "first to jobs before it that can use them."));
	assert_non_null(strstr(text_of(reply), "Right before it is job 305"));
	assert_non_null(strstr(text_of(reply),
			       "the end of the lease of job 10 in 5 min 0 s"));
	before = json_object_get(json_object_get(reply, "why"), "before");
	assert_int_equal(json_array_size(before), 3);
	json_decref(reply);
	report->privacy.jobs = true;
	reply = why(report, 306, &alice);
	assert_null(strstr(text_of(reply), "Right before it"));
	before = json_object_get(json_object_get(reply, "why"), "before");
	nothing_is_told_of(json_array_get(before, 0));
	json_decref(reply);
	reply = why(report, 10, &alice);
	assert_non_null(strstr(text_of(reply), "First in line is job 301"));
	json_decref(reply);
}

/* The array 20 with these waiting, at most so many at once, those running. */
static void an_array_tells_what_its_limit_leaves(void **state)
{
	static const struct {
		struct astra_report_array array;
		const char *says, *change; /* NULL: not said */
	} arrays[] = {
		{{5, 2, 1},
		 "5 array tasks that wait in pool gpu for 2 GPUs each. Its "
		 "array runs at most 2 tasks at a time (%2), and 1 runs: it "
		 "leaves room for 1 of the 5 now, for the others as tasks end.",
		 "JobId=20 ArrayTaskThrottle=6 lets more tasks run at once"},
		{{2, 8, 0}, "(%8), and 0 run: it leaves room for all.", NULL},
		{{3, 1, 1}, "stands for 3 array tasks", NULL},
		{{0}, "stands for 4 array tasks", NULL},
	};

	for (size_t i = 0; i < ASTRA_COUNT_OF(arrays); i++) {
		struct astra_report_job job = sample_rows[3];
		uint32_t id = (uint32_t)(400 + i);
		json_t *reply, *numbers;
		int waiting, most, running;

		job.of.id = id;
		job.array_id = 20;
		job.of.gpus = 2;
		job.wait = "rank";
		job.of.copies = 4;
		job.array = arrays[i].array;
		assert_int_equal(astra_report_add_job(*state, &job), 0);
		reply = why(*state, id, &alice);
		if (!strstr(text_of(reply), arrays[i].says))
			fail_msg("\"%s\" lacks \"%s\"", text_of(reply),
				 arrays[i].says);
		if (arrays[i].change)
			assert_non_null(
				strstr(text_of(reply), arrays[i].change));
		else
			assert_null(strstr(text_of(reply), "Throttle"));
		numbers =
			json_object_get(json_object_get(reply, "why"), "array");
		if (!job.array.most) {
			assert_true(json_is_null(numbers));
		} else {
			assert_int_equal(json_unpack(numbers, "{s:i,s:i,s:i}",
						     "waiting", &waiting,
						     "most", &most, "running",
						     &running),
					 0);
			assert_true(waiting == (int)job.array.waiting &&
				    most == (int)job.array.most &&
				    running == (int)job.array.running);
		}
		json_decref(reply);
	}
}

static void a_price_is_told_with_what_would_change_it(void **state)
{
	static const struct {
		double price;
		const char *says[4];
	} prices[] = {
		{12.25,
		 {"they cost 12.25 with its CPUs and memory, and it is worth 8 "
		  "when it ends by that, a payoff of -4.25.",
		  "not refused for good: it is offered a schedule again in "
		  "2 min 0 s",
		  "fewer GPUs, or a shorter time limit (-t)",
		  "being worth more than 12.25 to its owner"}},
		{HUGE_VAL,
		 {"are there enough GPUs, with its CPUs and memory beside them, "
		  "left for all its work"}},
		{0, {"Its GPUs cost more now than it is worth."}},
	};

	for (size_t i = 0; i < ASTRA_COUNT_OF(prices); i++) {
		struct astra_report_job job = sample_rows[3];
		json_t *reply, *price;

		job.of.id = (uint32_t)(500 + i);
		job.of.gpus = 2;
		job.wait = "price";
		job.of.reason.worth = 8;
		job.of.reason.price = prices[i].price;
		job.of.reason.retry_sec = SAMPLE_NOW + 120;
		assert_int_equal(astra_report_add_job(*state, &job), 0);
		reply = why(*state, job.of.id, &alice);
		for (size_t s = 0; s < ASTRA_COUNT_OF(prices[i].says); s++)
			if (prices[i].says[s] &&
			    !strstr(text_of(reply), prices[i].says[s]))
				fail_msg("\"%s\" lacks \"%s\"", text_of(reply),
					 prices[i].says[s]);
		price = json_object_get(first_bind(reply), "price");
		if (isfinite(job.of.reason.price) && job.of.reason.price > 0)
			assert_true(json_number_value(price) ==
				    job.of.reason.price);
		else if (!(job.of.reason.price > 0))
			assert_true(json_is_null(price));
		else
			assert_string_equal(json_string_value(price), "inf");
		json_decref(reply);
	}
}

static void no_room_is_told_by_what_the_policy_plans(void **state)
{
	static const struct {
		const char *policy, *says;
	} plans[] = {
		{"incentive", "were sold together (BatchMax)"},
		{"ltgf+incentive", "were sold together (BatchMax)"},
		{"oasis", "left for all its work (PlanHorizon)"},
		{"ltgf+oasis", "left for all its work (PlanHorizon)"},
	};
	struct astra_report *report = *state;

	for (size_t i = 0; i < ASTRA_COUNT_OF(plans); i++) {
		struct astra_report_job job = sample_rows[3];
		json_t *reply;

		report->pools[0].policy = plans[i].policy;
		job.of.id = (uint32_t)(520 + i);
		job.wait = "price";
		job.of.reason.price = HUGE_VAL;
		assert_int_equal(astra_report_add_job(report, &job), 0);
		reply = why(report, job.of.id, &alice);
		assert_non_null(strstr(text_of(reply), plans[i].says));
		json_decref(reply);
	}
}

/* A job of two GPUs whose class may use one, then three. */
static void a_class_is_told_with_its_share(void **state)
{
	for (uint32_t granted = 1; granted <= 3; granted += 2) {
		struct astra_report_job job = sample_rows[3];
		json_t *reply, *bind;
		const char *text;

		job.of.id = 700 + granted;
		job.of.gpus = 2;
		job.wait = "learned";
		job.of.reason.class_gpus = 2;
		job.of.reason.class_granted = granted;
		job.of.reason.class_saved = 0.5;
		job.of.reason.retry_sec = SAMPLE_NOW + 120;
		assert_int_equal(astra_report_add_job(*state, &job), 0);
		reply = why(*state, job.of.id, &alice);
		text = text_of(reply);
		assert_non_null(strstr(text, "of up to 2 GPUs, may use "));
		assert_non_null(strstr(text, "which begins in 2 min 0 s"));
		if (granted < job.of.gpus) {
			assert_non_null(strstr(text, "enough: 0.5 by now"));
			assert_non_null(strstr(text, "fewer GPUs, or"));
		} else {
			assert_non_null(strstr(text, "came before it, do."));
			assert_null(strstr(text, "fewer GPUs, or"));
		}
		bind = first_bind(reply);
		assert_int_equal(json_integer_value(json_object_get(
					 bind, "class_granted")),
				 granted);
		json_decref(reply);
	}
}

/* One of 1 to 16 GPUs does not wait for 16. */
static void an_elastic_job_is_told_with_its_fewest(void **state)
{
	struct astra_report_job job = sample_rows[3];
	json_t *reply;

	job.of.id = 710;
	job.gpus_min = 1;
	job.of.gpus = 16;
	job.of.copies = 1;
	job.wait = "learned";
	job.of.reason.class_gpus = 16;
	job.of.reason.class_granted = 2;
	assert_int_equal(astra_report_add_job(*state, &job), 0);
	reply = why(*state, job.of.id, &alice);
	assert_non_null(
		strstr(text_of(reply), "waits in pool gpu for 1 to 16 GPUs. "));
	assert_non_null(strstr(text_of(reply), "came before it, do."));
	assert_null(strstr(text_of(reply), "saved up"));
	assert_null(strstr(text_of(reply), "--gpu-range"));
	json_decref(reply);
}

/* Under incentive by the window that was sold last; the sample's clock is that
 * of UTC. */
static void a_start_is_told_with_its_price(void **state)
{
	static const struct {
		const char *wait;
		double price, credits;
		const char *says, *lacks;
	} starts[] = {
		{"price", 15, NAN,
		 "is worth 12 credits, a start at 00:16:40 costs 15, which is "
		 "more than that.",
		 "left (Budget)"},
		{"price", 5, 3.5,
		 "costs 5, and its tenant physics has 3.5 credits left "
		 "(Budget), which do not pay for it.",
		 "which is more than that"},
		{"price", 0, 0, "costs 0, and its tenant physics has 0 credits",
		 "being worth more"},
		{"planned", 5, NAN,
		 "It was sold a start at 00:16:40 for 5 credits, and is worth "
		 "12 then.",
		 "costs"},
		{"planned", 0, NAN,
		 "It was sold a start at 00:16:40 for nothing", "costs"},
	};

	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < ASTRA_COUNT_OF(starts); i++) {
		struct astra_report_job job = sample_rows[3];
		json_t *reply, *credits;

		job.of.id = (uint32_t)(600 + i);
		job.tenant = "physics";
		job.wait = starts[i].wait;
		job.of.reason.worth = 12;
		job.of.reason.price = starts[i].price;
		job.of.reason.credits = starts[i].credits;
		job.of.reason.priced_sec = 1000;
		assert_int_equal(astra_report_add_job(*state, &job), 0);
		reply = why(*state, job.of.id, &alice);
		if (!strstr(text_of(reply), starts[i].says) ||
		    strstr(text_of(reply), starts[i].lacks))
			fail_msg("\"%s\"", text_of(reply));
		credits = json_object_get(first_bind(reply), "credits");
		assert_true(isnan(job.of.reason.credits)
				    ? json_is_null(credits)
				    : json_number_value(credits) ==
					      job.of.reason.credits);
		json_decref(reply);
	}
}

/* Which cap it is, and when hours count anew; what its tenant used is usage. */
static void a_cap_is_told_with_what_is_left(void **state)
{
	static const struct {
		double hours, asked;
		bool user;
		const char *says;
	} caps[] = {
		{500, 8, false,
		 "Tenant physics may have at most 500 GPU hours until 1970-01-02T00:00:00 (MaxGPUHours, TenantGPUHours)"},
		{500, 8, false, "499.5 of them are used, or may be by leases"},
		{40, 8, true,
		 "User alice may have at most 40 GPU hours until 1970-01-02T00:00:00 (MaxGPUHoursPerUser)"},
		{4, 8, false, "No period has as many"},
		{0, 8, false, "That is no GPU at all."},
		{4, HUGE_VAL, false, "it has neither leases nor a time limit"},
	};

	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < ASTRA_COUNT_OF(caps); i++) {
		struct astra_report_job job = sample_rows[3];
		struct astra_report *report = *state;
		json_t *reply;

		job.of.id = (uint32_t)(730 + i);
		job.tenant = "physics";
		job.user = "alice";
		job.wait = "cap";
		job.of.reason.cap_hours = caps[i].hours;
		job.of.reason.cap_used = 499.5;
		job.of.reason.cap_asked = caps[i].asked;
		job.of.reason.cap_user = caps[i].user;
		job.of.reason.retry_sec = 86400;
		assert_int_equal(astra_report_add_job(report, &job), 0);
		reply = why(report, job.of.id, &alice);
		if (!strstr(text_of(reply), caps[i].says))
			fail_msg("\"%s\"", text_of(reply));
		assert_true(json_number_value(json_object_get(
				    first_bind(reply), "cap_used")) == 499.5);
		json_decref(reply);
	}
}

static const struct {
	const char *wait;
	double lack, user;
	bool owed, fresh;
	const char *says[4], *lacks;
} turns[] = {
	{"rank",
	 1800,
	 NAN,
	 false,
	 false,
	 {"it is number 2 of 17 in line",
	  "It is owed a turn once its tenant lacks 1.00 GPU hours of "
	  "its share, half of the turn: counted a lease term ahead, its "
	  "tenant lacks 0.50 GPU hours of its share."},
	 "collected for it"},
	{"rank",
	 1800,
	 -900,
	 false,
	 false,
	 {"once its tenant or its user lacks 1.00 GPU hours of its "
	  "share, half of the turn, and its user has no more than its "
	  "share or the job has waited long: counted a lease "
	  "term ahead, its tenant lacks 0.50 GPU hours of its share, "
	  "and its user has 0.25 GPU hours more than its share."},
	 "collected for it"},
	{"place",
	 7200,
	 7200,
	 false,
	 true,
	 {"its tenant and its user lack 2.00 GPU hours of their shares.",
	  "A job of the same user that waits for its first start goes "
	  "before it."},
	 "collected for it"},
	{"rank",
	 7200,
	 NAN,
	 true,
	 false,
	 {"It is owed a turn: counted a lease term ahead, its tenant "
	  "lacks 2.00 GPU hours of its share.",
	  "GPUs will be collected for it from leases of richer tenants "
	  "and users"},
	 "once its"},
	{"hold_gpus",
	 7200,
	 5400,
	 true,
	 false,
	 {"waits in pool gpu for 8 GPUs. It is owed a turn: counted a "
	  "lease term ahead, its tenant lacks 2.00 GPU hours of its "
	  "share, and its user lacks 1.50 GPU hours of its share. GPUs "
	  "are being collected for it from leases of richer tenants and "
	  "users, as these end by themselves. It is number 2 of 17 in "
	  "line.",
	  " is expected to start in about 4 min 0 s, at "},
	 "It is the first"},
	{"hold_gpus",
	 0,
	 NAN,
	 false,
	 false,
	 {"GPUs are being collected for it; other jobs may use them "
	  "until it starts."},
	 "owed"},
};

/* A gang of 8 GPUs that ran, in a pool with leases of 15 minutes: its turn is
 * two GPU hours. It is said what is lacking until it is owed one, and by whom
 * its GPUs come then. */
static void a_turn_that_is_owed_is_told(void **state)
{
	for (size_t i = 0; i < ASTRA_COUNT_OF(turns); i++) {
		struct astra_report_job job = sample_rows[3];
		json_t *reply, *bind;
		int owed, fresh;
		double turn, lack;

		job.of.id = (uint32_t)(750 + i);
		job.of.gpus = 8;
		job.wait = turns[i].wait;
		job.of.copies = 1;
		job.of.reason.rank = 2;
		job.of.reason.start_sec =
			strcmp(job.wait, "hold_gpus") ? 0 : SAMPLE_NOW + 240;
		job.of.reason.turn_gpu_sec = 8 * 900;
		job.of.reason.lack_gpu_sec = turns[i].lack;
		job.of.reason.user_lack_gpu_sec = turns[i].user;
		job.of.reason.owed = turns[i].owed;
		job.of.reason.fresh_first = turns[i].fresh;
		assert_int_equal(astra_report_add_job(*state, &job), 0);
		reply = why(*state, job.of.id, &alice);
		for (size_t s = 0; s < ASTRA_COUNT_OF(turns[i].says); s++)
			if (turns[i].says[s] &&
			    !strstr(text_of(reply), turns[i].says[s]))
				fail_msg("\"%s\" lacks \"%s\"", text_of(reply),
					 turns[i].says[s]);
		if (strstr(text_of(reply), turns[i].lacks))
			fail_msg("\"%s\" has \"%s\"", text_of(reply),
				 turns[i].lacks);
		bind = first_bind(reply);
		assert_int_equal(json_unpack(bind, "{s:b, s:b, s:F, s:F}",
					     "owed", &owed, "fresh_first",
					     &fresh, "turn_gpu_sec", &turn,
					     "lack_gpu_sec", &lack),
				 0);
		assert_true(owed == turns[i].owed && fresh == turns[i].fresh);
		assert_true(turn == 7200 && lack == turns[i].lack);
		assert_int_equal(isnan(turns[i].user),
				 json_is_null(json_object_get(
					 bind, "user_lack_gpu_sec")));
		json_decref(reply);
	}
}

/* What a tenant lacks is its usage. */
static void private_data_hides_what_a_tenant_lacks(void **state)
{
	struct astra_report *report = *state;
	struct astra_report_job job = sample_rows[3];
	json_t *reply;

	report->privacy.usage = true;
	job.of.id = 760;
	job.of.gpus = 8;
	job.of.copies = 1;
	job.wait = "hold_gpus";
	job.of.reason.turn_gpu_sec = 7200;
	job.of.reason.lack_gpu_sec = 7200;
	job.of.reason.user_lack_gpu_sec = NAN;
	job.of.reason.owed = true;
	assert_int_equal(astra_report_add_job(report, &job), 0);
	reply = why(report, job.of.id, &bob);
	assert_non_null(strstr(text_of(reply), "It is owed a turn. GPUs are "));
	assert_null(strstr(text_of(reply), "GPU hours"));
	assert_true(json_is_null(
		json_object_get(first_bind(reply), "lack_gpu_sec")));
	json_decref(reply);
}

/* In no answer is a job first in line and not first. */
static void a_gang_that_is_second_is_not_first(void **state)
{
	for (uint32_t rank = 1; rank <= 2; rank++) {
		struct astra_report_job job = sample_rows[3];
		json_t *reply;

		job.of.id = 770 + rank;
		job.of.copies = 1;
		job.wait = "hold_gpus";
		job.of.reason.rank = rank;
		assert_int_equal(astra_report_add_job(*state, &job), 0);
		reply = why(*state, job.of.id, &alice);
		assert_non_null(
			strstr(text_of(reply),
			       rank == 1 ? "It is the first of 17 in line"
					 : "It is number 2 of 17 in line"));
		assert_int_equal(rank == 1, !strstr(text_of(reply), "number"));
		assert_int_equal(rank == 1,
				 strstr(text_of(reply), "the first") != NULL);
		json_decref(reply);
	}
}

/* GPUs of leases that are over stay with their jobs until a larger one has all
 * of its own. */
static void a_lease_that_is_over_is_said_to_be(void **state)
{
	struct astra_report *report = *state;
	struct astra_report_job job = sample_rows[0];
	json_t *reply;

	job.of.id = 780;
	job.id_text = "";
	job.phase = ASTRA_REPORT_LEASED;
	job.state = "RUNNING";
	job.of.revocable = true;
	job.of.lease_end_sec = report->time_sec - 3;
	assert_int_equal(astra_report_add_job(report, &job), 0);
	reply = why(report, job.of.id, &alice);
	if (!strstr(text_of(reply), "is over. It keeps its GPUs until the job "
				    "for which they are collected has all"))
		fail_msg("\"%s\"", text_of(reply));
	assert_null(strstr(text_of(reply), "ends in 0 s"));
	json_decref(reply);
}

static const struct {
	const char *wait, *state;
	double limit_end, start, bound;
	const char *says[5], *lacks[3];
} blocks[] = {
	{"pinned",
	 "RUNNING",
	 0,
	 0,
	 SAMPLE_NOW + 93,
	 {" waits for the end of job 11 of bob, which has no time limit.",
	  "Job 11 of bob (tenant bio) has 4 GPUs, must not be "
	  "interrupted (--no-requeue) and has no time limit.",
	  "Its first start is promised within 2 min 5 s after job 11 "
	  "ends.",
	  "the end of job 11; scontrol update JobId=11 Requeue=1, by "
	  "bob or an administrator",
	  "asking for at most 20 GPUs: leases can free no more"},
	 {"promised within 1 min 33 s", "expected to start",
	  "cannot be requeued"}},
	{"hold_gpus",
	 "RUNNING",
	 SAMPLE_NOW + 1740,
	 SAMPLE_NOW + 1740,
	 SAMPLE_NOW + 93,
	 {" is expected to start in about 29 min, at ",
	  ", when job 11 of bob has ended.", " and may run until 22:42:20."},
	 {"promised", "no time limit", ""}},
	{"pinned",
	 "SUSPENDED",
	 SAMPLE_NOW + 1740,
	 0,
	 0,
	 {"the end of job 11 of bob, which is suspended.",
	  "(tenant bio) has 4 GPUs and is suspended."},
	 {"22:42:20", "promised within 1", ""}},
};

/* Job 11 of bob has no lease and is in the way: it is named with its end, one
 * time is told, and no promise that it breaks. */
static void who_blocks_is_named_until_when(void **state)
{
	struct astra_report *report = *state;
	struct astra_report_job *pinned = NULL;
	json_t *hidden;

	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < report->job_count; i++)
		if (report->jobs[i].of.id == 11)
			pinned = &report->jobs[i];
	assert_non_null(pinned);
	for (size_t i = 0; i < ASTRA_COUNT_OF(blocks); i++) {
		struct astra_report_job job = sample_rows[3];
		json_t *reply;

		pinned->state = blocks[i].state;
		pinned->limit_end_sec = blocks[i].limit_end;
		job.of.id = (uint32_t)(790 + i);
		job.of.gpus = 24;
		job.of.copies = 1;
		job.wait = blocks[i].wait;
		job.of.reason.blocker = 11;
		job.of.reason.after_sec = i ? 0 : 125;
		job.of.reason.start_sec = blocks[i].start;
		job.of.reason.bound_sec = blocks[i].bound;
		assert_int_equal(astra_report_add_job(report, &job), 0);
		reply = why(report, job.of.id, &alice);
		for (size_t s = 0; s < ASTRA_COUNT_OF(blocks[i].says); s++)
			if (blocks[i].says[s] &&
			    !strstr(text_of(reply), blocks[i].says[s]))
				fail_msg("\"%s\" lacks \"%s\"", text_of(reply),
					 blocks[i].says[s]);
		for (size_t s = 0; s < ASTRA_COUNT_OF(blocks[i].lacks); s++)
			if (*blocks[i].lacks[s] &&
			    strstr(text_of(reply), blocks[i].lacks[s]))
				fail_msg("\"%s\" has \"%s\"", text_of(reply),
					 blocks[i].lacks[s]);
		assert_true(json_is_null(json_object_get(
			json_object_get(reply, "why"), "bound_sec")));
		assert_int_equal(
			json_integer_value(json_object_get(
				json_object_get(json_object_get(reply, "why"),
						"blocker"),
				"id")),
			11);
		json_decref(reply);
	}
	report->privacy.jobs = true;
	hidden = why(report, 790, &alice);
	assert_non_null(strstr(text_of(hidden), " waits for the end of a job "
						"of another user. "));
	assert_non_null(strstr(text_of(hidden), "must not be interrupted, or "
						"are suspended"));
	assert_non_null(strstr(text_of(hidden), " 2 min 5 s after that job "
						"ends."));
	assert_null(strstr(text_of(hidden), "bob"));
	assert_null(strstr(text_of(hidden), "job 11"));
	assert_null(strstr(text_of(hidden), "has 4 GPUs"));
	assert_null(strstr(text_of(hidden), "which is"));
	nothing_is_told_of(
		json_object_get(json_object_get(hidden, "why"), "blocker"));
	json_decref(hidden);
}

/* Of other users' jobs neither ends of leases nor GPUs are told, nor who is
 * first in line. */
static void private_data_hides_others_leases(void **state)
{
	struct astra_report *report = *state;
	struct astra_report_job job = sample_rows[3];
	json_t *reply;

	report->pools[0].hold_job = 0;
	job.wait = "rank";
	job.uid = 1002;
	job.user = "bob";
	job.of.id = 310;
	job.id_text = "310";
	job.array_id = 0;
	job.of.reason.rank = 1;
	job.of.reason.start_sec = 0;
	assert_int_equal(astra_report_add_job(report, &job), 0);
	reply = why(report, 310, &bob);
	assert_non_null(strstr(text_of(reply), "the end of the lease of job "));
	json_decref(reply);
	report->privacy.jobs = true;
	reply = why(report, 310, &bob);
	assert_null(strstr(text_of(reply), "the end of the lease"));
	nothing_is_told_of(
		json_object_get(json_object_get(reply, "why"), "next_lease"));
	json_decref(reply);
	reply = why(report, 10, &alice);
	assert_non_null(strstr(text_of(reply), " Others wait in line."));
	nothing_is_told_of(
		json_object_get(json_object_get(reply, "why"), "first"));
	json_decref(reply);
}

static void weight_0_is_told(void **state)
{
	struct astra_report *report = *state;
	struct astra_report_job job = sample_rows[3];
	json_t *reply;

	report->tenants[0].of.weight = 0;
	job.of.id = 800;
	job.of.reason.start_sec = 0;
	job.wait = "rank";
	assert_int_equal(astra_report_add_job(report, &job), 0);
	report->privacy.usage = true;
	reply = why(report, 800, &alice);
	assert_non_null(strstr(text_of(reply),
			       " waits for GPUs that nobody else wants: its "
			       "tenant physics has weight 0."));
	assert_non_null(strstr(text_of(reply), "a weight above 0 for tenant "
					       "physics, by an administrator"));
	json_decref(reply);
}

/* For 20 s after its start slurmctld takes nothing back. */
static void a_restart_of_slurmctld_is_told(void **state)
{
	struct astra_report *report = *state;
	struct astra_report_job job = sample_rows[3];
	json_t *reply;

	setenv("TZ", "UTC", 1);
	tzset();
	report->heard_sec = SAMPLE_NOW + 15;
	job.of.id = 801;
	job.wait = "rank";
	assert_int_equal(astra_report_add_job(report, &job), 0);
	reply = why(report, 801, &alice);
	assert_non_null(strstr(text_of(reply),
			       " slurmctld has just started: no running job "
			       "loses its GPUs before 22:13:35."));
	json_decref(reply);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(what_keeps_a_job_is_said_with_its_numbers),
		CASE(what_never_ends_is_no_wait),
		CASE(a_limit_that_a_job_breaks_itself_has_no_turn),
		CASE(more_hours_than_a_period_has_are_never_had),
		CASE(a_promise_is_told_once),
		CASE(slurms_reason_to_refuse_is_in_the_answer),
		CASE(a_lease_that_cannot_help_is_not_named),
		CASE(without_leases_none_is_lent),
		CASE(a_class_is_told_with_its_share),
		CASE(a_cap_is_told_with_what_is_left),
		CASE(a_turn_that_is_owed_is_told),
		CASE(private_data_hides_what_a_tenant_lacks),
		CASE(a_gang_that_is_second_is_not_first),
		CASE(a_lease_that_is_over_is_said_to_be),
		CASE(who_blocks_is_named_until_when),
		CASE(private_data_hides_others_leases),
		CASE(weight_0_is_told),
		CASE(a_restart_of_slurmctld_is_told),
		CASE(an_elastic_job_is_told_with_its_fewest),
		CASE(a_start_is_told_with_its_price),
		CASE(numbers_stand_beside_the_paragraph),
		CASE(private_data_hides_what_others_use),
		CASE(private_data_hides_others_jobs),
		CASE(a_users_rho_is_told),
		CASE(one_of_several_is_told_once),
		CASE(those_before_it_are_named),
		CASE(an_array_tells_what_its_limit_leaves),
		CASE(a_price_is_told_with_what_would_change_it),
		CASE(no_room_is_told_by_what_the_policy_plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
