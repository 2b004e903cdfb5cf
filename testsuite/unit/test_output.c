/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is written of a result, and how files come to be. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/sim/grid.h"
#include "src/sim/outfile.h"
#include "src/sim/output.h"
#include "testsuite/unit/sim_world.h"
#include "testsuite/unit/unit.h"

#define HOSTILE "a\",<b>\n\x1b[31m\xff"

static char *text;
static size_t text_size;

static FILE *open_text(void)
{
	FILE *file = open_memstream(&text, &text_size);

	assert_non_null(file);
	return file;
}

static void expect_text(FILE *file, const char *want)
{
	fclose(file);
	assert_string_equal(text, want);
	free(text);
}

static void expect_csv(const struct world *w, const char *key, const char *want)
{
	struct astra_error err = {""};
	FILE *file = open_text();

	assert_int_equal(
		astra_output_csv(file, astra_rows_find(key), &w->result, &err),
		0);
	expect_text(file, want);
}

static void csv_has_a_line_for_each_row(void **state)
{
	struct astra_sim_run run = {1, 100, 150, 4, 2};
	struct world w;

	(void)state;
	make_world(&w);
	assert_int_equal(astra_contention(&w.result), 0);
	w.jobs[2].start_sec = -1; /* not started, not done */
	w.jobs[2].end_sec = -1;
	w.result.runs = &run;
	w.result.run_count = 1;
	expect_csv(
		&w, "jobs",
		"job,tenant,user,app,gpus,submit_sec,start_sec,end_sec,"
		"duration_sec,jct_sec,slowdown,alloc_gpu_sec,fair_gpu_sec,"
		"rho,contenders,ftf,share_ftf,starts,preemptions,leases,"
		"cold_gpu_sec,checkpoint_gpu_sec,slow_gpu_sec,utility,bound_sec\n"
		"j0,a,u,,2,0,0,100,100,100,1,200,200,1,2,0.5,1,0,0,0,4,0,"
		"0,7,\n"
		"j1,b,,7,4,0,100,150,50,150,3,200,300,0.666666666666667,2,"
		"1.5,1.5,0,1,0,0,5,0,0,\n"
		"j2,a,u,,1,100,,,50,,,50,100,0.5,1.5,,,0,0,0,0,0,18,,\n");
	expect_csv(&w, "tenants",
		   "tenant,weight,jobs,alloc_gpu_sec,fair_gpu_sec,rho,"
		   "income,gain,alpha\n"
		   "a,1,2,250,250,1,30,60,1.5\n"
		   "b,1,1,200,400,0.5,10,20,0.5\n");
	expect_csv(&w, "intervals",
		   "begin_sec,end_sec,tenant,alloc_gpu_sec,fair_gpu_sec,rho\n"
		   "0,100,a,200,200,1\n0,100,b,0,200,0\n"
		   "100,200,a,50,100,0.5\n100,200,b,200,100,2\n"
		   "200,200,a,5,0,inf\n200,200,b,0,0,\n");
	expect_csv(&w, "sizes",
		   "gpus_min,gpus_max,jobs,never,over_bound,wait_mean_sec,"
		   "wait_max_sec\n"
		   "1,1,1,1,,100,100\n2,4,2,0,,50,100\n5,8,0,0,,,\n"
		   "9,16,0,0,,,\n17,32,0,0,,,\n33,64,0,0,,,\n"
		   "65,128,0,0,,,\n129,,0,0,,,\n");
	expect_csv(&w, "runs",
		   "job,tenant,start_sec,end_sec,gpus,nodes\n"
		   "j1,b,100,150,4,2\n");
}

static void csv_quotes_hostile_names(void **state)
{
	struct world w;

	(void)state;
	make_world(&w);
	w.trace_tenants[0].name = HOSTILE;
	w.result.interval_count = 0;
	expect_csv(&w, "tenants",
		   "tenant,weight,jobs,alloc_gpu_sec,fair_gpu_sec,rho,"
		   "income,gain,alpha\n"
		   "\"a\"\",<b>\n\x1b[31m\xff\",1,2,250,250,1,30,60,1.5\n"
		   "b,1,1,200,400,0.5,10,20,0.5\n");
}

static void json_is_json_whatever_the_names(void **state)
{
	struct astra_error err = {""};
	struct astra_metrics m;
	struct world w;
	json_error_t where;
	json_t *json;
	double loss;
	FILE *file;

	(void)state;
	make_world(&w);
	w.trace_tenants[0].name = HOSTILE;
	w.trace.source = HOSTILE;
	w.jobs[2].end_sec = -1;
	assert_int_equal(astra_contention(&w.result), 0);
	assert_int_equal(astra_metrics_compute(&w.result, &m), 0);
	file = open_text();
	assert_int_equal(astra_output_json(file, &w.result, &m, &err), 0);
	fclose(file);
	json = json_loads(text, JSON_REJECT_DUPLICATES, &where);
	if (!json)
		fail_msg("%s: %s", where.text, text);
	assert_int_equal(json_array_size(json_object_get(json, "jobs")), 3);
	assert_int_equal(json_array_size(json_object_get(json, "intervals")),
			 6);
	assert_int_equal(json_array_size(json_object_get(json, "runs")), 0);
	assert_string_equal(
		json_string_value(json_object_get(
			json_array_get(json_object_get(json, "tenants"), 0),
			"tenant")),
		"a\",<b>\n\x1b[31m?");
	assert_true(json_is_null(json_object_get(
		json_array_get(json_object_get(json, "jobs"), 2), "end_sec")));
	loss = json_number_value(
		json_object_get(json_object_get(json, "metrics"), "job_loss"));
	assert_true(fabs(loss - 2 / 3.0) < 1e-9);
	json_decref(json);
	free(text);
}

static void the_terminal_is_not_steered(void **state)
{
	struct astra_error err = {""};
	struct astra_metrics m;
	struct world w;
	FILE *file;

	(void)state;
	make_world(&w);
	w.trace_tenants[1].name = "b\x1b[2J\xc2\x9b";
	assert_int_equal(astra_contention(&w.result), 0);
	assert_int_equal(astra_metrics_compute(&w.result, &m), 0);
	file = open_text();
	assert_int_equal(astra_output_summary(file, &w.result, &m, &err), 0);
	fclose(file);
	assert_null(strchr(text, 0x1b));
	assert_null(strchr(text, 0x9b));
	assert_non_null(strstr(text, "job sharing loss"));
	assert_non_null(strstr(text, "b?[2J??"));
	free(text);
}

static void fill_grid(struct astra_grid *g)
{
	static const char *const cells[] = {"policy", "loss", "JCT",
					    "ltgf",   "7*",   "1:00:00",
					    "f|fo",   "12",   "59*"};

	*g = (struct astra_grid){.columns = 3};
	for (size_t i = 0; i < ASTRA_COUNT_OF(cells); i++)
		astra_grid_add(g, cells[i]);
}

static void a_wide_table_goes_on_below(void **state)
{
	struct astra_grid g;
	FILE *file;

	(void)state;
	fill_grid(&g);
	file = open_text();
	astra_grid_print(&g, file, 0);
	expect_text(file, "policy  loss      JCT\n"
			  "------  ----  -------\n"
			  "ltgf      7*  1:00:00\n"
			  "f|fo      12      59*\n");
	file = open_text();
	astra_grid_print(&g, file, 15);
	expect_text(file, "policy  loss\n"
			  "------  ----\n"
			  "ltgf      7*\n"
			  "f|fo      12\n"
			  "\n"
			  "policy      JCT\n"
			  "------  -------\n"
			  "ltgf    1:00:00\n"
			  "f|fo        59*\n");
	file = open_text();
	astra_grid_markdown(&g, file);
	expect_text(file, "| policy | loss | JCT |\n"
			  "|---|---:|---:|\n"
			  "| ltgf | **7** | 1:00:00 |\n"
			  "| f\\|fo | 12 | **59** |\n");
	astra_grid_clear(&g);
}

static char folder[] = "/tmp/astra-outfile-XXXXXX";

static size_t files_in_folder(void)
{
	char command[64];
	FILE *ls;
	size_t count = 0;

	snprintf(command, sizeof(command), "ls -A %s", folder);
	ls = popen(command, "r");
	assert_non_null(ls);
	for (int c; (c = fgetc(ls)) != EOF;)
		count += c == '\n';
	pclose(ls);
	return count;
}

static void files_come_all_or_none(void **state)
{
	struct astra_outfiles files = {0};
	struct astra_error err = {""};
	char a[64], b[64], none[64];
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(a, sizeof(a), "%s/a", folder);
	snprintf(b, sizeof(b), "%s/b", folder);
	snprintf(none, sizeof(none), "%s/none/b", folder);
	assert_int_equal(astra_outfile_check(none, &err), -1);
	assert_non_null(strstr(err.text, "none/b: No such file"));
	assert_int_equal(astra_outfile_check(folder, &err), -1);
	assert_int_equal(astra_outfile_check(a, &err), 0);

	file = astra_outfiles_open(&files, a, &err);
	assert_true(fputs("half", file) >= 0);
	assert_null(astra_outfiles_open(&files, none, &err));
	astra_outfiles_clear(&files);
	assert_int_equal(files_in_folder(), 0);

	assert_true(fputs("a", astra_outfiles_open(&files, a, &err)) >= 0);
	assert_true(fputs("b", astra_outfiles_open(&files, b, &err)) >= 0);
	assert_int_equal(access(a, F_OK), -1);
	assert_int_equal(astra_outfiles_commit(&files, &err), 0);
	assert_int_equal(access(a, F_OK), 0);
	assert_int_equal(access(b, F_OK), 0);
	assert_int_equal(files_in_folder(), 2);
	unlink(a);
	unlink(b);
	rmdir(folder);
}

static void a_full_disk_is_told(void **state)
{
	struct astra_outfiles files = {0};
	struct astra_error err = {""};

	(void)state;
	if (access("/dev/full", W_OK) < 0)
		skip();
	assert_true(fputs("x",
			  astra_outfiles_open(&files, "/dev/full", &err)) >= 0);
	assert_int_equal(astra_outfiles_commit(&files, &err), -1);
	assert_string_equal(err.text, "/dev/full: No space left on device");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_a_line_for_each_row),
		cmocka_unit_test(csv_quotes_hostile_names),
		cmocka_unit_test(json_is_json_whatever_the_names),
		cmocka_unit_test(the_terminal_is_not_steered),
		cmocka_unit_test(a_wide_table_goes_on_below),
		cmocka_unit_test(files_come_all_or_none),
		cmocka_unit_test(a_full_disk_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
