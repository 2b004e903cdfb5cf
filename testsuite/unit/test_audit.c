/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The audit: figures of small records by hand, and those of the simulator for
 * what it simulated itself. */
#include "src/audit/audit.h"
#include "src/common/random.h"
#include "src/common/text.h"
#include "src/policies/options.h"
#include "testsuite/unit/trace_file.h"

#define ACCOUNTED                                                            \
	"JobID|JobIDRaw|Account|User|Submit|Start|End|ElapsedRaw|AllocTRES|" \
	"ReqTRES|TimelimitRaw|State|NNodes\n"
#define UNIX 1700000000

static const struct astra_read_options automatic = {0};

struct world {
	struct astra_record record;
	struct astra_window window;
	struct astra_trace trace;
	struct astra_sim_result result;
};

static void read_record(struct world *w, const char *text)
{
	char *path = text_file(text, strlen(text));
	struct astra_error err = {""};

	*w = (struct world){0};
	if (astra_record_read(&w->record, path, &automatic, false, &err) < 0)
		fail_msg("%s", err.text);
	text_file_gone(path);
	w->record.source = "record";
}

static void measure(struct world *w, uint64_t gpus, bool ran,
		    double interval_sec)
{
	const struct astra_audit_options options = {
		.gpus = gpus,
		.interval_sec = interval_sec,
	};
	struct astra_error err = {""};

	astra_trace_init(&w->trace);
	assert_int_equal(
		0, astra_audit_trace(&w->record, &w->window, ran, &w->trace));
	if (astra_audit_measure(&w->record, &w->window, &w->trace, &options,
				&w->result, &err) < 0)
		fail_msg("%s", err.text);
}

static void clear(struct world *w)
{
	astra_sim_result_clear(&w->result);
	astra_trace_clear(&w->trace);
	astra_record_clear(&w->record);
}

static uint32_t job(const struct world *w, const char *name)
{
	for (uint32_t i = 0; i < w->trace.job_count; i++)
		if (!strcmp(w->trace.jobs[i].name, name))
			return i;
	fail_msg("no job %s", name);
	return 0;
}

static void assert_job(const struct world *w, const char *name, double alloc,
		       double fair)
{
	const struct astra_sim_job *j = &w->result.jobs[job(w, name)];

	assert_close(j->alloc_gpu_sec, alloc, 1e-9);
	assert_close(j->fair_gpu_sec, fair, 1e-9);
}

/* 4 GPUs, two tenants of weight 1: 2 GPUs each. a1 has all of them from 0 to
 * 100 while b1 waits for its 2 from 20 on; then b1 runs until 140; a2 is
 * submitted at 60 for 2 GPUs and runs from 100 to 120.
 *
 * Tenant A's demand: 4 until 60, 6 until 100, 2 until 120; entitled to 2 all
 * the time: 240; it had 400 + 40. B's demand is 2 from 20 to 140: due 240, had
 * 80. a1's due: 2 alone until 60, then 1 of 2 (two jobs share A's 2 GPUs):
 * 120 + 40 = 160. a2: 1 from 60 to 100, 2 until 120: 80. */
#define SMALL                                                   \
	"job_id,tenant,user,submit_s,start_s,duration_s,gpus\n" \
	"a1,A,u,0,0,100,4\n"                                    \
	"b1,B,v,20,100,40,2\n"                                  \
	"a2,A,w,60,100,20,2\n"

static void test_small(void **state)
{
	struct astra_audit_size sizes[ASTRA_AUDIT_SIZES];
	uint32_t wronged[3];
	struct world w;

	(void)state;
	read_record(&w, SMALL);
	w.window = astra_record_window(&w.record, 0);
	assert_close(w.window.end_sec, 140, 0);
	measure(&w, 4, false, 70);
	assert_close(w.result.tenants[0].alloc_gpu_sec, 440, 1e-9);
	assert_close(w.result.tenants[0].fair_gpu_sec, 240, 1e-9);
	assert_close(w.result.tenants[1].alloc_gpu_sec, 80, 1e-9);
	assert_close(w.result.tenants[1].fair_gpu_sec, 240, 1e-9);
	assert_job(&w, "a1", 400, 160);
	assert_job(&w, "a2", 40, 80);
	assert_job(&w, "b1", 80, 240);
	assert_int_equal(2, astra_audit_wronged(&w.result, wronged));
	assert_int_equal(job(&w, "b1"), wronged[0]);
	assert_int_equal(job(&w, "a2"), wronged[1]);
	assert_close(astra_audit_loss_gpu_sec(&w.result, wronged[0]), 160,
		     1e-9);
	/* B had 0 of 100 until 70, then 80 of 140. A had more than its due,
	 * also of the second half: 120 + 40 of 100. */
	assert_close(astra_audit_tenant_loss(&w.result, 1), 1, 0);
	assert_close(astra_audit_tenant_loss(&w.result, 0), 0, 0);
	assert_int_equal(0, astra_audit_sizes(&w.result, NULL, sizes));
	assert_int_equal(2, sizes[1].jobs);
	assert_int_equal(1, sizes[2].jobs);
	assert_int_equal(3, sizes[2].gpus_min);
	assert_close(sizes[1].wait_mean_sec, 60, 1e-9);
	assert_close(sizes[1].wait_max_sec, 80, 1e-9);
	assert_close(sizes[1].slowdown_p50, 3, 1e-9); /* 120 / 40, 60 / 20 */
	assert_close(sizes[2].slowdown_max, 1, 1e-9);
	assert_close(sizes[ASTRA_AUDIT_SIZES - 1].gpu_sec, 520, 1e-9);
	clear(&w);
}

static const struct astra_sim_user *user(const struct world *w,
					 const char *name)
{
	for (size_t i = 0; i < w->result.user_count; i++)
		if (!strcmp(w->trace.users[w->result.users[i].user], name))
			return &w->result.users[i];
	fail_msg("no user %s", name);
	return NULL;
}

static void assert_user(const struct world *w, const char *name, double alloc,
			double fair)
{
	assert_close(user(w, name)->alloc_gpu_sec, alloc, 1e-9);
	assert_close(user(w, name)->fair_gpu_sec, fair, 1e-9);
}

static double alike(const void *arg, const char *tenant, const char *name)
{
	(void)arg;
	(void)tenant;
	(void)name;
	return 1;
}

/* w weighs three times as much as u, v nothing. */
static double unlike(const void *arg, const char *tenant, const char *name)
{
	assert_string_equal(tenant, *name == 'v' ? "B" : "A");
	return *(const double *)arg * (*name == 'w' ? 3 : *name == 'u');
}

/* Of the same: u is alone in A until 60, w from 100 on; between, each is due 1
 * of A's 2 GPUs. With a half-life of 40 s v's 2 GPUs from 100 to 140, its due
 * from 20 on, count 2 * 40 / ln 2 * (1 - 2^-(t / 40)) for t seconds. */
static void users_have_accounts_within_their_tenant(void **state)
{
	struct astra_audit_options options = {.gpus = 4, .user_weight = alike};
	struct astra_error err = {""};
	const double half = .5;
	struct world w;

	(void)state;
	read_record(&w, SMALL);
	w.window = astra_record_window(&w.record, 0);
	measure(&w, 4, false, 0);
	assert_int_equal(w.result.user_count, 0);
	for (int i = 0; i < 2; i++) {
		astra_sim_result_clear(&w.result);
		options.half_life_sec = i * 40;
		assert_int_equal(0, astra_audit_measure(&w.record, &w.window,
							&w.trace, &options,
							&w.result, &err));
		assert_int_equal(w.result.user_count, 3);
		if (i)
			continue;
		assert_user(&w, "u", 400, 160);
		assert_user(&w, "w", 40, 80);
		assert_user(&w, "v", 80, 240);
		assert_close(w.result.tenants[0].fair_gpu_sec, 240, 1e-9);
	}
	assert_user(&w, "v", 80 / M_LN2 * .5, 80 / M_LN2 * .875);
	assert_close(w.result.tenants[1].alloc_gpu_sec, 80 / M_LN2 * .5, 1e-9);
	astra_sim_result_clear(&w.result);
	options = (struct astra_audit_options){
		.gpus = 4,
		.user_weight = unlike,
		.user_weight_arg = &half,
	};
	assert_int_equal(0, astra_audit_measure(&w.record, &w.window, &w.trace,
						&options, &w.result, &err));
	assert_user(&w, "u", 400, 120 + 20);
	assert_user(&w, "w", 40, 60 + 40);
	assert_user(&w, "v", 80, 0);
	clear(&w);
}

/* The same as accounting has it, where b1 waited for a dependency until 100, a2
 * for its begin time until 90, and b2, which was cancelled, and b3, which still
 * waits, for a hold. a1's due is 2 GPUs until 90, then 1: 190; a2's 1 and
 * 2: 50. B has demand from 100 on only, and got what is due. */
#define COMPETED                                                            \
	"JobID|JobIDRaw|Account|User|Submit|Eligible|Start|End|ElapsedRaw|" \
	"AllocTRES|ReqTRES|TimelimitRaw|State|NNodes\n"                     \
	"1|1|A|u|0|0|0|100|100|gres/gpu=4|gres/gpu=4|5|COMPLETED|1\n"       \
	"2|2|B|v|20|100|100|140|40|gres/gpu=2|gres/gpu=2|5|COMPLETED|1\n"   \
	"3|3|A|w|60|90|100|120|20|gres/gpu=2|gres/gpu=2|5|COMPLETED|1\n"    \
	"4|4|B|v|10|Unknown|Unknown|110|0||gres/gpu=2|5|CANCELLED|1\n"      \
	"5|5|B|v|10|Unknown|Unknown|Unknown|0||gres/gpu=2|5|PENDING|1\n"

static void a_job_competes_once_it_is_eligible(void **state)
{
	struct astra_audit_size sizes[ASTRA_AUDIT_SIZES];
	uint32_t wronged[3];
	struct world w;

	(void)state;
	read_record(&w, COMPETED);
	w.window = astra_record_window(&w.record, 140);
	measure(&w, 4, false, 70);
	assert_int_equal(3, w.trace.job_count);
	assert_close(w.trace.jobs[job(&w, "2")].submit_sec, 100, 0);
	assert_job(&w, "1", 400, 190);
	assert_job(&w, "2", 80, 80);
	assert_job(&w, "3", 40, 50);
	assert_close(w.result.tenants[1].fair_gpu_sec, 80, 1e-9);
	assert_int_equal(1, astra_audit_wronged(&w.result, wronged));
	assert_int_equal(job(&w, "3"), wronged[0]);
	assert_int_equal(0, astra_audit_sizes(&w.result, NULL, sizes));
	assert_close(sizes[1].wait_max_sec, 10, 1e-9);
	clear(&w);
}

/* Policies get the apps of a trace. */
static void test_apps(void **state)
{
	struct world w;

	(void)state;
	read_record(&w,
		    "job_id,tenant,app_id,submit_s,start_s,duration_s,"
		    "gpus,gpus_min\n"
		    "1,A,x,0,0,10,4,2\n2,A,,0,10,10,4,\n3,A,x,0,20,10,4,\n");
	w.window = astra_record_window(&w.record, 0);
	measure(&w, 4, true, 0);
	assert_int_equal(1, w.trace.app_count);
	assert_int_equal(1, w.trace.jobs[0].app);
	assert_int_equal(0, w.trace.jobs[1].app);
	assert_int_equal(1, w.trace.jobs[2].app);
	assert_int_equal(2, w.trace.jobs[0].gpus_min);
	clear(&w);
}

/* Only what lies in the window counts: from 50 to 110 a1 has 200, a2 and b1
 * have 20 each. */
static void test_window(void **state)
{
	struct world w;

	(void)state;
	read_record(&w, SMALL);
	w.window = (struct astra_window){50, 110};
	measure(&w, 4, false, 0);
	assert_job(&w, "a1", 200, 20 + 40);
	assert_job(&w, "a2", 20, 40 + 20);
	assert_job(&w, "b1", 20, 120);
	assert_close(w.trace.jobs[job(&w, "a1")].duration_sec, 50, 0);
	assert_close(w.trace.jobs[job(&w, "b1")].submit_sec, 0, 0);
	assert_close(w.result.jobs[job(&w, "b1")].start_sec, 50, 0);
	clear(&w);
	read_record(&w, SMALL);
	w.window = (struct astra_window){130, 140};
	measure(&w, 4, false, 0);
	assert_int_equal(1, w.trace.job_count);
	assert_job(&w, "b1", 20, 20);
	clear(&w);
}

/* Accounting: a job that was requeued has two runs and one life; one that was
 * cancelled in the queue had an entitlement; one that runs and one that waits
 * have no end. 2 GPUs, tenants a and b: 1 each. */
static void test_accounting(void **state)
{
	struct world w;
	const char *text = ACCOUNTED
		"1|1|a|u|1700000000|1700000000|1700000010|10|gres/gpu=2|"
		"gres/gpu=2||PREEMPTED|1\n"
		"1|1|a|u|1700000010|1700000030|1700000040|10|gres/gpu=2|"
		"gres/gpu=2||COMPLETED|1\n"
		"2|2|b|v|1700000005|1700000010|Unknown|30|gres/gpu=1|"
		"gres/gpu=1||RUNNING|1\n"
		"3|3|b|v|1700000020|None|1700000030|0||gres/gpu=1||"
		"CANCELLED by 0|1\n"
		"4|4|b|v|1700000020|Unknown|Unknown|0||gres/gpu=1||PENDING|1\n"
		"5|5|b|v|1700000020|None|1700000030|0||cpu=1||CANCELLED|1\n";

	(void)state;
	read_record(&w, text);
	assert_int_equal(4, w.record.job_count);
	assert_int_equal(2, w.record.jobs[0].runs);
	assert_close(w.record.jobs[0].ran_sec, 20, 0);
	w.window = astra_record_window(&w.record, UNIX + 50);
	assert_close(w.window.end_sec, UNIX + 50, 0);
	measure(&w, 2, false, 0);
	assert_job(&w, "1", 40, 40); /* 1 GPU from 0 to 40 */
	/* b's GPU: 15 s for job 2 alone, 10 s a third of it each, 20 s half. */
	assert_job(&w, "2", 40, 15 + 10. / 3 + 10);
	assert_job(&w, "3", 0, 10. / 3);
	assert_job(&w, "4", 0, 10. / 3 + 10);
	assert_int_equal(1, w.result.jobs[job(&w, "1")].preemptions);
	assert_true(w.result.jobs[job(&w, "3")].start_sec < 0);
	assert_true(w.result.jobs[job(&w, "4")].end_sec < 0);
	astra_sim_result_clear(&w.result);
	astra_trace_clear(&w.trace);
	measure(&w, 2, true, 0);
	assert_int_equal(2, w.trace.job_count);
	clear(&w);
}

/* What the simulator did, taken for what really happened, is measured as the
 * simulator measures it. */
#define JOBS 60
#define GPUS 16

static void simulate(const char *policy, struct astra_trace *trace,
		     struct astra_sim_result *result)
{
	const struct astra_sim_options sim = {
		.interval_sec = 600,
		.runs = true,
		.slowdown = {1, 1, 1, 1},
		.round_sec = 1,
	};
	struct astra_cluster cluster;
	struct astra_options options;
	struct astra_error err = {""};
	struct astra_text text = {0};

	astra_text_printf(&text, "%s", HEADER);
	for (int i = 0; i < JOBS; i++)
		astra_text_printf(&text, "j%d,%c,u,%d,%d,%d\n", i, 'A' + i % 3,
				  i * 37, 300 + i * 7919 % 1700,
				  1 << i * 31 % 4);
	must_read(trace, text.bytes);
	astra_text_clear(&text);
	astra_options_init(&options);
	options.lease_sec = 300; /* that there are several runs of a job */
	assert_int_equal(0, astra_cluster_make(&cluster, 2, GPUS / 2, 0));
	if (astra_simulate(trace, &cluster, astra_scheduler_find(policy, &err),
			   &options, &sim, result, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(0, astra_contention(result));
	astra_cluster_clear(&cluster);
}

/* The schedule as sacct would print it, a line a run. */
static char *account(const struct astra_sim_result *r)
{
	struct astra_text text = {0};

	astra_text_printf(&text, "%s", ACCOUNTED);
	for (size_t i = 0; i < r->run_count; i++) {
		const struct astra_sim_run *run = &r->runs[i];
		const struct astra_trace_job *t = &r->trace->jobs[run->job];

		astra_text_printf(
			&text,
			"%s|%s|%s|u|%.0f|%.0f|%.0f|%.0f|gres/gpu=%u|||%s|1\n",
			t->name, t->name, r->trace->tenants[t->tenant].name,
			UNIX + t->submit_sec, UNIX + run->start_sec,
			UNIX + run->end_sec, run->end_sec - run->start_sec,
			run->gpus,
			run->end_sec < r->jobs[run->job].end_sec ? "REQUEUED"
								 : "COMPLETED");
	}
	return text.bytes;
}

static void agree(const char *policy, bool preempts)
{
	static const char *const keys[] = {
		"done",		  "job_loss",	    "job_rho_p5",
		"job_rho_p50",	  "job_rho_p95",    "tenant_loss",
		"tenant_rho_min", "tenant_rho_max", "jain",
		"ftf_mean",	  "slowdown_mean",  "slowdown_p95",
		"jct_mean_sec",	  "wait_mean_sec",  "makespan_sec",
		"utilisation",	  "preemptions",    "gpu_sec",
	};
	struct astra_metrics want, got;
	struct astra_sim_result result;
	struct astra_trace trace;
	struct world w;
	char *text;

	simulate(policy, &trace, &result);
	assert_int_equal(JOBS, trace.job_count);
	text = account(&result);
	read_record(&w, text);
	free(text);
	w.window = astra_record_window(&w.record, 0);
	measure(&w, GPUS, true, 600);
	assert_int_equal(0, astra_metrics_compute(&result, &want));
	assert_int_equal(0, astra_metrics_compute(&w.result, &got));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct astra_metric *m = astra_metric_find(keys[i]);

		assert_non_null(m->key);
		assert_close(astra_metric_value(&got, m),
			     astra_metric_value(&want, m), 1e-6);
	}
	assert_true((want.preemptions > 0) == preempts);
	clear(&w);
	astra_sim_result_clear(&result);
	astra_trace_clear(&trace);
}

static void test_agree_slurm(void **state)
{
	(void)state;
	agree("slurm", false);
}

static void test_agree_ltgf(void **state)
{
	(void)state;
	agree("ltgf", true);
}

/* Of any record, a window's figures are those of its two parts together, of
 * each tenant and each job; a job has what its runs have. */
static char *random_record(struct astra_random *random)
{
	struct astra_text text = {0};

	astra_text_printf(&text, "%s", ACCOUNTED);
	for (int i = 0; i < 40; i++) {
		int runs = 1 + (int)astra_random_below(random, 3);
		int submit = (int)astra_random_below(random, 1000);
		int gpus = 1 + (int)astra_random_below(random, 6);

		for (int at = submit; runs--;) {
			int start = at + (int)astra_random_below(random, 300);
			int end = start + (int)astra_random_below(random, 200);

			astra_text_printf(
				&text,
				"%d|%d|%c|u|%d|%d|%d|%d|gres/gpu=%d|||%s|1\n",
				i, i, 'A' + i % 3, UNIX + at, UNIX + start,
				UNIX + end, end - start, gpus,
				runs ? "REQUEUED" : "COMPLETED");
			at = end;
		}
	}
	return text.bytes;
}

static void add_up(struct world *whole, struct world *part, double sign)
{
	for (size_t i = 0; i < part->trace.tenant_count; i++) {
		uint32_t at = astra_trace_tenant(&whole->trace,
						 part->trace.tenants[i].name);
		struct astra_sim_tenant *t = &whole->result.tenants[at];

		t->alloc_gpu_sec +=
			sign * part->result.tenants[i].alloc_gpu_sec;
		t->fair_gpu_sec += sign * part->result.tenants[i].fair_gpu_sec;
	}
	for (size_t i = 0; i < part->trace.job_count; i++) {
		struct astra_sim_job *j =
			&whole->result
				 .jobs[job(whole, part->trace.jobs[i].name)];

		j->alloc_gpu_sec += sign * part->result.jobs[i].alloc_gpu_sec;
		j->fair_gpu_sec += sign * part->result.jobs[i].fair_gpu_sec;
	}
}

/* All tenants have the same weight, those that are not in a part, too. */
static void measure_part(struct world *w, double from, double to)
{
	const struct astra_audit_options options = {.gpus = 12};
	struct astra_error err = {""};

	w->window = (struct astra_window){from, to};
	astra_trace_init(&w->trace);
	for (const char *name = "A\0B\0C\0"; *name; name += 2)
		astra_trace_tenant(&w->trace, name);
	assert_int_equal(
		0, astra_audit_trace(&w->record, &w->window, false, &w->trace));
	if (astra_audit_measure(&w->record, &w->window, &w->trace, &options,
				&w->result, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_parts(void **state)
{
	struct astra_random random = astra_random_seed(12);

	(void)state;
	for (int round = 0; round < 50; round++) {
		char *text = random_record(&random);
		double split =
			UNIX + 100 + (double)astra_random_below(&random, 1500);
		struct world w[3];

		for (int i = 0; i < 3; i++) {
			read_record(&w[i], text);
			measure_part(&w[i], i == 2 ? split : UNIX,
				     i == 1 ? split : UNIX + 5000);
		}
		for (size_t i = 0; i < w[0].trace.job_count; i++)
			assert_close(w[0].result.jobs[i].alloc_gpu_sec,
				     w[0].trace.jobs[i].duration_sec *
					     w[0].trace.jobs[i].gpus,
				     1e-6);
		add_up(&w[0], &w[1], -1);
		add_up(&w[0], &w[2], -1);
		for (size_t i = 0; i < w[0].trace.tenant_count; i++) {
			assert_close(w[0].result.tenants[i].alloc_gpu_sec, 0,
				     1e-6);
			assert_close(w[0].result.tenants[i].fair_gpu_sec, 0,
				     1e-6);
		}
		for (size_t i = 0; i < w[0].trace.job_count; i++) {
			assert_close(w[0].result.jobs[i].alloc_gpu_sec, 0,
				     1e-6);
			assert_close(w[0].result.jobs[i].fair_gpu_sec, 0, 1e-6);
		}
		for (int i = 0; i < 3; i++)
			clear(&w[i]);
		free(text);
	}
}

static void refused(const char *text, const char *why)
{
	char *path = text_file(text, strlen(text));
	struct astra_record record = {0};
	struct astra_error err = {""};

	assert_int_equal(
		-1, astra_record_read(&record, path, &automatic, false, &err));
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	astra_record_clear(&record);
	text_file_gone(path);
}

static void test_refused(void **state)
{
	(void)state;
	refused(HEADER "a,A,u,0,10,1\n", "does not say when its jobs started");
	refused(ACCOUNTED "1|1|a|u|1700000000|None|1700000010|0||cpu=1||"
			  "CANCELLED|1\n",
		"there is no job that asks for GPUs");
	refused("job_id,tenant,submit_s,start_s,duration_s,gpus\n"
		"1,A,0,x,5,1\n",
		"--lenient");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(users_have_accounts_within_their_tenant),
		cmocka_unit_test(a_job_competes_once_it_is_eligible),
		cmocka_unit_test(test_apps),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_accounting),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_agree_slurm),
		cmocka_unit_test(test_agree_ltgf),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
