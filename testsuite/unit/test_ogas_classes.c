/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Classes of jobs and what they are connected to. */
#include <string.h>

#include "src/policies/ogasched/classes.h"
#include "testsuite/unit/unit.h"

#define JOBS 6
#define GIB 1024

/* Nodes of 8 GPUs with 64 CPUs and 512 GiB. */
struct world {
	struct ogas_classes classes;
	struct astra_node nodes[3];
	struct astra_job jobs[JOBS];
	struct astra_demand demands[JOBS];
	uint32_t free[3];
	struct astra_offer offer;
};

static void begin(struct world *w)
{
	static const char *const names[] = {"n0", "n1", "n2"};
	const struct astra_ogas_options options = {
		.rate = ASTRA_OGAS_DECAY,
		.reactive = true,
		.eta0 = 25,
		.decay = 0.9999,
	};

	memset(w, 0, sizeof(*w));
	assert_int_equal(
		ogas_classes_init(&w->classes, &options, ASTRA_OGAS_LOG), 0);
	for (int i = 0; i < 3; i++)
		w->nodes[i] = (struct astra_node){
			.name = names[i],
			.usable = true,
			.gpus = 8,
			.charge = 8,
			.cpus = 64,
			.mem_mib = 512 * GIB,
			.gpu_type = i < 2 ? "a100" : "v100",
		};
	for (int i = 0; i < JOBS; i++) {
		w->jobs[i].request = (struct astra_request){
			.gpus = 1,
			.cpus = 1,
		};
		w->demands[i] = (struct astra_demand){
			.job = &w->jobs[i],
			.tenant_name = "a",
			.copies = 1,
		};
	}
	w->offer = (struct astra_offer){
		.nodes = w->nodes,
		.free = w->free,
		.node_count = 3,
		.demands = w->demands,
		.tenant_count = 2,
	};
}

static void update(struct world *w, size_t jobs)
{
	w->offer.demand_count = jobs;
	assert_int_equal(ogas_classes_update(&w->classes, &w->offer), 0);
}

static bool uses(const struct world *w, uint32_t class, uint32_t node)
{
	return astra_ogas_connected(w->classes.learner, class,
				    w->classes.node_of[node]);
}

/* The first two are alike: a GPU with no more than goes with it. */
static void classes_are_by_account_and_shape(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.jobs[1].request.cpus = 8;
	w.jobs[1].request.mem_node_mib = 64 * GIB;
	w.jobs[2].request.cpus = 9;
	w.jobs[3].request.mem_gpu_mib = 100 * GIB;
	w.jobs[4].request.gpus = 3;
	w.demands[5].tenant = 1;
	w.demands[5].tenant_name = "b";
	update(&w, 6);
	assert_int_equal(w.classes.count, 5);
	assert_int_equal(w.classes.class_of[0], w.classes.class_of[1]);
	assert_int_equal(w.classes.list[1].cpus, 4);
	assert_int_equal(w.classes.list[2].mem, 7);
	assert_int_equal(w.classes.list[3].size, 2);
	assert_string_equal(w.classes.list[4].tenant, "b");
	ogas_classes_clear(&w.classes);
}

/* 16 CPUs where 8 go with a GPU are two units of them. */
static void resources_are_counted_by_what_goes_with_a_gpu(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.jobs[0].request.cpus = 16;
	update(&w, 1);
	assert_int_equal(w.classes.types, OGAS_TYPES);
	assert_close(astra_ogas_request(w.classes.learner, 0, OGAS_GPUS), 1, 0);
	assert_close(astra_ogas_request(w.classes.learner, 0, OGAS_CPUS), 2,
		     1e-12);
	assert_close(astra_ogas_request(w.classes.learner, 0, OGAS_MEMORY), 1,
		     1e-12);
	ogas_classes_clear(&w.classes);
}

static void who_names_a_type_learns_of_its_nodes_only(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.jobs[1].request.gpu_type = "v100";
	update(&w, 2);
	assert_int_equal(w.classes.count, 2);
	assert_true(uses(&w, 0, 0) && uses(&w, 0, 1) && uses(&w, 0, 2));
	assert_true(!uses(&w, 1, 0) && !uses(&w, 1, 1) && uses(&w, 1, 2));
	/* A node that tells its type later, and one that has two. */
	w.nodes[0].gpu_type = "a100+v100";
	update(&w, 2);
	assert_true(uses(&w, 1, 0) && !uses(&w, 1, 1));
	ogas_classes_clear(&w.classes);
}

/* Where there is one type it does not matter who names it. */
static void one_type_makes_one_class(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.nodes[2].gpu_type = "a100";
	w.jobs[1].request.gpu_type = "a100";
	update(&w, 2);
	assert_int_equal(w.classes.count, 1);
	ogas_classes_clear(&w.classes);
}

static void what_a_host_does_not_tell_is_no_type(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	for (int i = 0; i < 3; i++) {
		w.nodes[i].cpus = UINT32_MAX;
		w.nodes[i].mem_mib = 0;
	}
	update(&w, 1);
	assert_int_equal(w.classes.types, 1);
	ogas_classes_clear(&w.classes);
}

/* Of one type, a class named TENANT/EXPONENT: its GPUs stay. */
static void old_classes_are_read(void **state)
{
	const double beta = .3, three = 3, one = 1;
	const enum astra_ogas_utility utility = ASTRA_OGAS_LOG;
	const uint32_t x = 1;
	struct astra_bytes bytes = {0};
	struct astra_ogas *o;
	struct world w;
	double had;

	(void)state;
	begin(&w);
	o = astra_ogas_create(&w.classes.options, &beta, 1);
	astra_ogas_add_node(
		o, &(struct astra_ogas_node){"n0", &three, &one, &utility});
	astra_ogas_add_port(o, &(struct astra_ogas_port){.name = "a/0",
							 .request = &one,
							 .copies = 8});
	astra_ogas_connect(o, 0, 0);
	astra_ogas_step(o, &x);
	had = astra_ogas_amount(o, 0, 8, 0);
	assert_true(had > 0);
	astra_ogas_save(o, &bytes);
	astra_put_f64(&bytes, 2);
	astra_put_u32(&bytes, 1);
	assert_int_equal(ogas_classes_restore(&w.classes,
					      &(struct astra_reader){
						      .data = bytes.data,
						      .size = bytes.size,
					      },
					      true),
			 0);
	update(&w, 1);
	assert_int_equal(w.classes.count, 1);
	assert_string_equal(w.classes.list[0].tenant, "a");
	assert_int_equal(w.classes.types, OGAS_TYPES);
	assert_close(w.classes.saved[0], 2, 0);
	assert_close(astra_ogas_amount(w.classes.learner, 0, 8, 0), had, 0);
	astra_bytes_clear(&bytes);
	astra_ogas_destroy(o);
	ogas_classes_clear(&w.classes);
}

struct seen {
	size_t count;
	double gpus, cpus;
	uint32_t granted;
	char types[64], nodes[64];
};

static void see(const struct astra_class *class, void *arg)
{
	struct seen *seen = arg;

	assert_string_equal(class->tenant, "a");
	assert_int_equal(class->jobs, 4);
	seen->count++;
	seen->gpus += class->share_gpus;
	seen->cpus += class->share_cpus;
	seen->granted += class->granted;
	strcat(seen->types, class->node_type);
	strcat(seen->nodes, class->nodes);
}

/* Four jobs of a GPU on three nodes of two types. */
static void what_was_learned_is_told_by_type_of_nodes(void **state)
{
	uint32_t units[3];
	struct seen seen = {0};
	struct world w;

	(void)state;
	begin(&w);
	update(&w, 4);
	for (int t = 0; t < 5; t++)
		astra_ogas_step(w.classes.learner, w.classes.x);
	w.classes.slot_x[0] = w.classes.x[0];
	assert_int_equal(ogas_classes_units(&w.classes, units), 0);
	ogas_classes_report(&w.classes, units, see, &seen);
	assert_int_equal(seen.count, 2);
	assert_string_equal(seen.types, "a100v100");
	assert_close(seen.gpus,
		     astra_ogas_amount(w.classes.learner, 0, 4, OGAS_GPUS),
		     1e-9);
	assert_close(seen.cpus,
		     8 * astra_ogas_amount(w.classes.learner, 0, 4, OGAS_CPUS),
		     1e-9);
	assert_int_equal(seen.granted, units[0] + units[1] + units[2]);
	assert_true(seen.granted > 0 && strchr(seen.nodes, ':') != NULL);
	ogas_classes_clear(&w.classes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_are_by_account_and_shape),
		cmocka_unit_test(resources_are_counted_by_what_goes_with_a_gpu),
		cmocka_unit_test(who_names_a_type_learns_of_its_nodes_only),
		cmocka_unit_test(one_type_makes_one_class),
		cmocka_unit_test(what_a_host_does_not_tell_is_no_type),
		cmocka_unit_test(old_classes_are_read),
		cmocka_unit_test(what_was_learned_is_told_by_type_of_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
