/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pool that goes forward from a round: what is there goes on, what came comes
 * once more, and how long what has not ended is expected to run.
 *
 * With arguments it prints a round as sfair record saves it, for
 * testsuite/sim/try.sh: of this very build, as an engine's image is its own
 * release's only.
 *
 *	test_forward NODES GPUS TENANTS RUNNING WAITING [KEY=VALUE...]
 *
 * Tenants are t0, t1, ..., their users u0, u1, ...; jobs go from one tenant to
 * the next. One that runs has a GPU of its own, for an hour of two by now; one
 * that waits wants as many as a node has, for an hour.
 */
#include "src/audit/forward.h"
#include "src/common/random.h"
#include "src/engine/engine_image.h"
#include "src/record/round.h"
#include "src/sim/virtual.h"
#include "testsuite/unit/trace_file.h"

#define NOW_SEC 1.7e9
#define MOST 4096

static struct astra_node nodes[MOST];
static struct astra_tenant tenants[MOST];
static struct astra_user users[MOST];
static struct astra_job jobs[2 * MOST];
static struct astra_share held[MOST];
static char names[2][MOST][8];

static void complain(const char *text)
{
	fprintf(stderr, "test_forward: %s\n", text);
	exit(1);
}

static void make_tenants(struct astra_snapshot *s)
{
	for (uint32_t i = 0; i < s->tenant_count; i++) {
		snprintf(names[0][i], sizeof(names[0][i]), "t%u", i);
		snprintf(names[1][i], sizeof(names[1][i]), "u%u", i);
		tenants[i] = (struct astra_tenant){names[0][i], 1};
		users[i] = (struct astra_user){names[1][i], i, 1};
	}
}

static void make_job(struct astra_snapshot *s, uint32_t gpus, bool runs)
{
	uint32_t i = (uint32_t)s->job_count++, node = i / gpus;
	uint32_t tenant = i % (uint32_t)s->tenant_count;

	jobs[i] = (struct astra_job){
		.id = i + 1,
		.tenant = tenant,
		.user = tenant,
		.copies = 1,
		.weight = 1,
		.request = {.gpus = runs ? 1 : gpus, .nodes_max = 1},
		.state = runs ? ASTRA_JOB_RUNNING : ASTRA_JOB_PENDING,
		.submit_sec = NOW_SEC - 3600,
		.start_sec = runs ? NOW_SEC - 3600 : 0,
		.time_limit_sec = runs ? 7200 : 3600,
		.revocable = true,
		.checkpoints = true,
	};
	if (!runs)
		return;
	held[i] = (struct astra_share){.node = node, .gpus = 1, .cpus = 1};
	jobs[i].held = &held[i];
	jobs[i].held_count = 1;
	jobs[i].held_charge = 1;
	nodes[node].gpus_free--;
	nodes[node].cpus_free--;
}

static void set(struct astra_options *options, char *word)
{
	struct astra_error err = {""};
	char *value = strchr(word, '=');

	if (!value)
		complain("KEY=VALUE");
	*value++ = '\0';
	if (astra_options_set(options, word, value, &err) < 0)
		complain(err.text);
}

static void write_round(const struct astra_options *options,
			const struct astra_snapshot *s)
{
	const struct astra_round_head head = {"1.0", "world", "gpu"};
	struct astra_error err = {""};
	struct astra_engine *engine =
		astra_engine_create(options, NOW_SEC - 7200, &err);
	struct astra_bytes image = {0};
	struct astra_text text = {0};
	struct astra_plan plan;

	if (!engine || astra_engine_image(engine, &image) < 0)
		complain(err.text);
	astra_round_begin(&text, &head, options, &image, s);
	astra_plan_init(&plan);
	if (astra_engine_round(engine, s, &plan, &err) < 0)
		complain(err.text);
	astra_round_end(&text, &plan, "");
	puts(text.bytes);
	astra_plan_destroy(&plan);
	astra_text_clear(&text);
	astra_bytes_clear(&image);
	astra_engine_destroy(engine);
}

/* number: as the arguments. */
static void make_pool(struct astra_snapshot *s, const uint32_t number[5])
{
	*s = (struct astra_snapshot){.now_sec = NOW_SEC,
				     .nodes = nodes,
				     .node_count = number[0],
				     .tenants = tenants,
				     .tenant_count = number[2],
				     .users = users,
				     .user_count = number[2],
				     .jobs = jobs};
	for (uint32_t i = 0; i < number[0]; i++)
		nodes[i] = (struct astra_node){.name = "n",
					       .usable = true,
					       .gpus = number[1],
					       .gpus_free = number[1],
					       .cpus = 64,
					       .cpus_free = 64};
	make_tenants(s);
	for (uint32_t i = 0; i < number[3] + number[4]; i++)
		make_job(s, number[1], i < number[3]);
}

static int print_round(int argc, char **argv)
{
	struct astra_snapshot s;
	struct astra_options options;
	uint32_t number[5] = {0};

	for (int i = 0; i < 5 && i + 1 < argc; i++)
		number[i] = (uint32_t)strtoul(argv[i + 1], NULL, 10);
	if (!number[0] || !number[1] || !number[2] || number[0] > MOST ||
	    number[2] > MOST || number[3] > number[0] * number[1] ||
	    number[3] > MOST || number[4] > MOST)
		complain("NODES GPUS TENANTS RUNNING WAITING [KEY=VALUE...]");
	make_pool(&s, number);
	astra_options_init(&options);
	for (int i = 6; i < argc; i++)
		set(&options, argv[i]);
	write_round(&options, &s);
	return 0;
}

/* The tests. Two nodes of four GPUs, two tenants, four jobs that run and two
 * that wait. u0's ended jobs ran 1000, 5000 and 6000 s, u2's 100 and 20000. */
#define PAST                                                    \
	"job_id,tenant,user,submit_s,start_s,duration_s,gpus\n" \
	"a,t0,u0,0,0,1000,1\n"                                  \
	"b,t0,u0,100,100,5000,1\n"                              \
	"c,t0,u0,200,200,6000,1\n"                              \
	"d,t1,u2,300,300,100,1\n"                               \
	"e,t1,u2,400,400,20000,2\n"                             \
	"f,t1,u2,500,500,50,9\n"

struct pool {
	struct astra_snapshot snapshot;
	struct astra_options options;
	struct astra_engine *engine;
	struct astra_record record;
	struct astra_window window;
	struct astra_forward forward;
};

static void begin_pool(struct pool *p)
{
	static const struct astra_read_options automatic = {0};
	char *path = text_file(PAST, strlen(PAST));
	struct astra_error err = {""};

	memset(p, 0, sizeof(*p));
	memset(nodes, 0, sizeof(nodes));
	make_pool(&p->snapshot, (const uint32_t[5]){2, 4, 2, 4, 2});
	astra_options_init(&p->options);
	p->engine = astra_engine_create(&p->options, NOW_SEC - 7200, &err);
	assert_non_null(p->engine);
	assert_int_equal(0, astra_record_read(&p->record, path, &automatic,
					      false, &err));
	text_file_gone(path);
	p->window = (struct astra_window){0, 1000};
}

static void go_forward(struct pool *p)
{
	struct astra_error err = {""};

	if (astra_forward(&p->snapshot, p->engine, &p->record, &p->window,
			  &p->forward, &err) < 0)
		fail_msg("%s", err.text);
}

static void end_pool(struct pool *p)
{
	astra_forward_clear(&p->forward);
	astra_record_clear(&p->record);
	astra_engine_destroy(p->engine);
}

static double duration(const struct pool *p, const char *name)
{
	const struct astra_trace *t = &p->forward.trace;

	for (size_t i = 0; i < t->job_count; i++)
		if (!strcmp(t->jobs[i].name, name))
			return t->jobs[i].duration_sec;
	fail_msg("no job %s", name);
	return 0;
}

/* Jobs 1 to 4 have run for 3600 s of two hours. u0's that ran longer are of
 * 5000 and 6000 s: the lower median leaves 1400. u1 has none: of all, 5000,
 * 6000 and 20000, 6000 - 3600 are left. Jobs 5 and 6 begin: of u0's three the
 * median is 5000, but their limit is an hour. */
static void test_expected_run_times(void **state)
{
	struct pool p;

	(void)state;
	begin_pool(&p);
	go_forward(&p);
	assert_close(duration(&p, "1"), 1400, 1e-6);
	assert_close(duration(&p, "2"), 2400, 1e-6);
	assert_close(duration(&p, "3"), 1400, 1e-6);
	assert_close(duration(&p, "5"), 3600, 1e-6);
	assert_close(duration(&p, "a"), 1000, 1e-6);
	end_pool(&p);
	/* What a job says itself goes before. */
	begin_pool(&p);
	jobs[0].forecast.work_sec = 5000;
	jobs[0].forecast.done_sec = 4500;
	jobs[0].forecast.measured = true;
	jobs[1].time_limit_sec = 4000;
	jobs[4].time_limit_sec = 0;
	go_forward(&p);
	assert_close(duration(&p, "1"), 500, 1e-6);
	assert_close(duration(&p, "2"), 400, 1e-6);
	assert_close(duration(&p, "5"), 5000, 1e-6);
	end_pool(&p);
}

/* Nobody ran as long: to the time limit, else as long again. */
static void test_nothing_is_known(void **state)
{
	struct pool p;

	(void)state;
	begin_pool(&p);
	p.record.job_count = 0;
	jobs[1].time_limit_sec = 0;
	jobs[5].time_limit_sec = 0;
	go_forward(&p);
	assert_close(duration(&p, "1"), 3600, 1e-6);
	assert_close(duration(&p, "2"), 3600, 1e-6);
	assert_close(duration(&p, "6"), 3600, 1e-6);
	assert_int_equal(0, p.forward.come);
	end_pool(&p);
}

/* The window's end is now: what has not ended by then comes with what it has
 * run and what is expected; what is larger than the pool does not come. */
static void test_what_comes_once_more(void **state)
{
	struct pool p;

	(void)state;
	begin_pool(&p);
	p.window = (struct astra_window){100, 2300};
	p.record.jobs[2].end_sec = HUGE_VAL;
	p.record.jobs[2].ran_sec = 0;
	p.record.runs[2].end_sec = HUGE_VAL;
	p.record.jobs[3].ran_sec = 0;
	go_forward(&p);
	assert_int_equal(3, p.forward.come);
	assert_int_equal(1, p.forward.unended);
	assert_int_equal(1, p.forward.never);
	assert_int_equal(1, p.forward.large);
	assert_close(p.forward.trace.jobs[6].submit_sec, 0, 0);
	assert_close(p.forward.trace.jobs[7].submit_sec, 100, 0);
	assert_close(duration(&p, "c"), 5000, 1e-6);
	end_pool(&p);
}

static void test_what_is_there(void **state)
{
	struct pool p;

	(void)state;
	begin_pool(&p);
	jobs[4].state = ASTRA_JOB_BLOCKED;
	jobs[5].copies = 3;
	nodes[1].gpus_free -= 2;
	nodes[1].usable = false;
	go_forward(&p);
	assert_int_equal(4, p.forward.running);
	assert_int_equal(3, p.forward.waiting);
	assert_int_equal(1, p.forward.blocked);
	assert_int_equal(2, p.forward.foreign_gpus);
	assert_int_equal(4, p.forward.cluster.gpus);
	assert_int_equal(7, p.forward.begin.job_count);
	assert_int_equal(5, p.forward.jobs[4]);
	assert_int_equal(5, p.forward.jobs[6]);
	end_pool(&p);
}

/* The engine has rows of jobs 5 and 6, which are gone. */
static void test_jobs_are_gone(void **state)
{
	struct astra_error err = {""};
	struct astra_plan plan;
	struct pool p;

	(void)state;
	begin_pool(&p);
	astra_plan_init(&plan);
	for (int i = 0; i < 2; i++) {
		if (astra_engine_round(p.engine, &p.snapshot, &plan, &err) < 0)
			fail_msg("%s", err.text);
		p.snapshot.job_count = 4;
		p.snapshot.now_sec += 10;
	}
	go_forward(&p);
	assert_int_equal(4, p.forward.running);
	assert_int_equal(0, p.forward.waiting);
	astra_plan_destroy(&plan);
	end_pool(&p);
}

static double no_weight(const void *arg, const char *tenant, const char *user)
{
	(void)arg;
	(void)tenant;
	(void)user;
	return 1;
}

/* Who runs goes on where it is, without a new start, and who waits gets what is
 * free; all are done, and the cluster is as empty as it can be. */
static void test_it_goes_on(void **state)
{
	struct astra_sim_options sim = {
		.round_sec = 1,
		.cold_start_sec = 40,
		.checkpoint_sec = 10,
		.slowdown = {1, 1, 1, 1},
	};
	struct astra_sim_result r;
	struct astra_error err = {""};
	struct pool p;

	(void)state;
	begin_pool(&p);
	jobs[5].copies = 3;
	go_forward(&p);
	p.forward.begin.user_weight = no_weight;
	sim.begin = &p.forward.begin;
	if (astra_simulate(&p.forward.trace, &p.forward.cluster,
			   astra_scheduler_find("ltgf", &err), &p.options, &sim,
			   &r, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < p.forward.trace.job_count; i++) {
		if (p.forward.trace.jobs[i].gpus > 8)
			continue;
		assert_true(r.jobs[i].start_sec >= 0);
		assert_true(r.jobs[i].end_sec > 0);
	}
	for (size_t i = 0; i < 4; i++) {
		assert_close(r.jobs[i].start_sec, 0, 0);
		if (r.jobs[i].starts == 1) {
			assert_close(r.jobs[i].end_sec,
				     p.forward.trace.jobs[i].duration_sec,
				     1e-6);
			assert_close(r.jobs[i].cold_gpu_sec, 0, 1e-6);
		}
	}
	assert_close(r.jobs[4].start_sec, 0, 0);
	astra_sim_result_clear(&r);
	end_pool(&p);
}

/* A simulation, in the middle of which somebody takes a round down. */

#define MIDDLE_SEC 5000

static struct {
	struct astra_snapshot snapshot;
	struct astra_engine *engine;
	struct astra_arena arena;
} taken;

static void *copied(const void *from, size_t size)
{
	void *to = astra_arena_take(&taken.arena, size + 1);

	assert_non_null(to);
	if (size)
		memcpy(to, from, size);
	return to;
}

static void take_down(const struct astra_engine *engine,
		      const struct astra_snapshot *s)
{
	struct astra_bytes image = {0};
	struct astra_error err = {""};
	struct astra_job *list =
		copied(s->jobs, s->job_count * sizeof(*s->jobs));

	taken.snapshot = *s;
	taken.snapshot.changes = NULL;
	taken.snapshot.nodes =
		copied(s->nodes, s->node_count * sizeof(*s->nodes));
	taken.snapshot.tenants =
		copied(s->tenants, s->tenant_count * sizeof(*s->tenants));
	taken.snapshot.users =
		copied(s->users, s->user_count * sizeof(*s->users));
	taken.snapshot.jobs = list;
	for (size_t i = 0; i < s->job_count; i++)
		list[i].held =
			copied(list[i].held,
			       list[i].held_count * sizeof(*list[i].held));
	assert_int_equal(0, astra_engine_image(engine, &image));
	taken.engine = astra_engine_of_image(astra_engine_options(engine),
					     image.data, image.size, &err);
	assert_non_null(taken.engine);
	astra_bytes_clear(&image);
}

static void *spy_create(const struct astra_scheduler_setup *setup,
			struct astra_error *err)
{
	return astra_engine_create(setup->options, setup->begin_sec, err);
}

static void spy_destroy(void *self)
{
	astra_engine_destroy(self);
}

static int spy_round(void *self, const struct astra_snapshot *snapshot,
		     struct astra_plan *plan, struct astra_error *err)
{
	double now_sec = snapshot->now_sec - ASTRA_VIRTUAL_BEGIN;

	if (now_sec >= MIDDLE_SEC && !taken.engine)
		take_down(self, snapshot);
	if (astra_engine_round(self, snapshot, plan, err) < 0)
		return -1;
	plan->wake_sec = plan->due_sec;
	return 0;
}

/* Made up, so that there is always somebody who waits. */
static char *made_up_jobs(void)
{
	struct astra_random random = astra_random_seed(7);
	struct astra_text text = {0};
	double submit_sec = 0;

	astra_text_printf(&text, "job_id,tenant,user,submit_s,start_s,"
				 "duration_s,gpus\n");
	for (int i = 0; i < 300; i++) {
		uint32_t user = (uint32_t)astra_random_below(&random, 6);

		astra_text_printf(&text, "j%d,t%u,u%u,%.0f,%.0f,%u,%u\n", i,
				  user % 3, user, submit_sec, submit_sec,
				  (uint32_t)astra_random_below(&random, 1500) +
					  60,
				  1u << astra_random_below(&random, 4));
		submit_sec += (double)astra_random_below(&random, 90);
	}
	assert_false(text.failed);
	return text.bytes;
}

static void simulate(const struct astra_trace *trace,
		     const struct astra_cluster *cluster,
		     const struct astra_scheduler *scheduler,
		     const struct astra_sim_begin *begin,
		     struct astra_sim_result *r)
{
	const struct astra_sim_options sim = {
		.round_sec = 1,
		.slowdown = {1, 1, 1, 1},
		.begin = begin,
	};
	struct astra_options options;
	struct astra_error err = {""};

	astra_options_init(&options);
	if (astra_simulate(trace, cluster, scheduler, &options, &sim, r, &err) <
	    0)
		fail_msg("%s", err.text);
}

static const char *end_of(const struct astra_sim_result *r, size_t job,
			  double from_sec, char text[64])
{
	snprintf(text, 64, "%.3f", r->jobs[job].end_sec - from_sec);
	return text;
}

/* Goes forward from a round in the middle: each job ends when it did. Nothing
 * is lost to starts and checkpoints, as nobody knows how far a start is. */
static void test_from_the_middle(void **state)
{
	static const struct astra_scheduler spy = {
		.name = "ltgf",
		.create = spy_create,
		.destroy = spy_destroy,
		.round = spy_round,
	};
	static const struct astra_read_options automatic = {0};
	struct astra_sim_result all, rest;
	struct astra_cluster cluster;
	struct astra_trace trace;
	struct astra_error err = {""};
	struct pool p = {0};
	char *text = made_up_jobs(), *path = text_file(text, strlen(text));
	double middle_sec;
	size_t waiting = 0;

	(void)state;
	free(text);
	memset(&taken, 0, sizeof(taken));
	astra_trace_init(&trace);
	assert_int_equal(0, astra_cluster_make(&cluster, 2, 8, 0));
	assert_int_equal(0, astra_trace_read(&trace, path, &automatic, &err));
	assert_int_equal(
		0, astra_record_read(&p.record, path, &automatic, false, &err));
	text_file_gone(path);
	simulate(&trace, &cluster, &spy, NULL, &all);

	assert_non_null(taken.engine);
	p.snapshot = taken.snapshot;
	p.engine = taken.engine;
	middle_sec = taken.snapshot.now_sec - ASTRA_VIRTUAL_BEGIN;
	p.window = (struct astra_window){middle_sec + 0.5, 1e9};
	go_forward(&p);
	p.forward.begin.user_weight = no_weight;
	for (size_t i = p.forward.begin.job_count;
	     i < p.forward.trace.job_count; i++)
		p.forward.trace.jobs[i].submit_sec += 0.5;
	simulate(&p.forward.trace, &p.forward.cluster,
		 astra_scheduler_find("ltgf", &err), &p.forward.begin, &rest);
	assert_true(p.forward.running && p.forward.waiting);
	for (size_t i = 0; i < p.forward.trace.job_count; i++) {
		bool comes = i >= p.forward.begin.job_count;
		const char *name = p.forward.trace.jobs[i].name;
		size_t job = comes ? strtoul(name + 1, NULL, 10)
				   : strtoul(name, NULL, 10) - 1;
		char was[64], is[64];

		assert_string_equal(end_of(&all, job, middle_sec, was),
				    end_of(&rest, i, 0, is));
		waiting += rest.jobs[i].start_sec >
			   p.forward.trace.jobs[i].submit_sec + 60;
	}
	assert_true(waiting > 20);
	astra_sim_result_clear(&all);
	astra_sim_result_clear(&rest);
	astra_trace_clear(&trace);
	astra_cluster_clear(&cluster);
	end_pool(&p);
	astra_arena_free(&taken.arena);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expected_run_times),
		cmocka_unit_test(test_nothing_is_known),
		cmocka_unit_test(test_jobs_are_gone),
		cmocka_unit_test(test_what_comes_once_more),
		cmocka_unit_test(test_what_is_there),
		cmocka_unit_test(test_it_goes_on),
		cmocka_unit_test(test_from_the_middle),
	};

	return argc > 1 ? print_round(argc, argv)
			: cmocka_run_group_tests(tests, NULL, NULL);
}
