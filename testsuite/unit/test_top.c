/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair top without a terminal: from a reply to rows, order, lines and keys. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/top.h"
#include "testsuite/unit/unit.h"

#define NOW 1700000000.0

static const char reply[] =
	"{\"astraea\":1,\"request\":\"top\",\"cluster\":\"test\","
	"\"time_sec\":1700000000,"
	"\"diag\":{\"rounds_per_min\":6,\"round\":{\"last_usec\":90},\"queue\":9},"
	"\"pools\":[{\"name\":\"gpu\",\"gpus\":24,\"gpus_usable\":16,"
	"\"gpus_free\":3,"
	"\"hold_job\":20,\"hold_start_sec\":1700000700}],"
	"\"tenants\":["
	"{\"pool\":\"gpu\",\"name\":\"physics\",\"weight\":2,\"quota_gpus\":16,"
	"\"demand_gpus\":20,\"alloc_gpus\":9,\"rho\":0.75,\"jobs_waiting\":9,"
	"\"jobs_running\":2},"
	"{\"pool\":\"gpu\",\"name\":\"pharma\",\"weight\":1,\"quota_gpus\":8,"
	"\"demand_gpus\":4,\"alloc_gpus\":4,\"rho\":\"inf\",\"jobs_waiting\":0,"
	"\"jobs_running\":1}],"
	"\"nodes\":["
	"{\"pool\":\"gpu\",\"name\":\"n10\",\"state\":\"up\",\"gpus\":8,"
	"\"gpus_free\":1,\"holders\":[{\"job\":10,\"id_text\":\"10\","
	"\"tenant\":\"physics\",\"gpus\":4},{\"job\":null,\"id_text\":null,"
	"\"tenant\":null,\"gpus\":2}]},"
	"{\"pool\":\"gpu\",\"name\":\"n2\",\"state\":\"up\",\"gpus\":8,"
	"\"gpus_free\":2,\"holders\":[{\"job\":11,\"id_text\":\"11\","
	"\"tenant\":\"pharma\",\"gpus\":6}]},"
	"{\"pool\":\"gpu\",\"name\":\"n3\",\"state\":\"drained\",\"gpus\":8,"
	"\"gpus_free\":0,\"holders\":[]}],"
	"\"jobs\":["
	"{\"id\":10,\"id_text\":\"10\",\"tenant\":\"physics\",\"user\":\"ann\","
	"\"name\":\"a\",\"gpus\":4,\"nodes\":\"n10\",\"phase\":\"leased\","
	"\"lease_end_sec\":1700000300,\"rho\":0.5},"
	"{\"id\":11,\"id_text\":\"11\",\"tenant\":\"pharma\",\"user\":\"bob\","
	"\"name\":\"x\\u001b[2J\",\"gpus\":6,\"nodes\":\"n2\","
	"\"phase\":\"grace\",\"lease_end_sec\":1699999990,"
	"\"grace_end_sec\":1700000050,\"rho\":null},"
	"{\"id\":12,\"id_text\":\"12\",\"tenant\":\"pharma\",\"user\":\"bob\","
	"\"gpus\":1,\"phase\":\"leased\",\"lease_end_sec\":null},"
	"{\"id\":20,\"id_text\":\"20_[4-9]\",\"tenant\":\"physics\","
	"\"user\":\"ann\",\"gpus\":1,\"phase\":\"waiting\",\"rank\":2,"
	"\"submit_sec\":1699990000,\"reason\":\"Lease: rank 2 of 3\"},"
	"{\"id\":21,\"id_text\":\"21\",\"tenant\":\"physics\",\"user\":\"ann\","
	"\"gpus\":2,\"phase\":\"waiting\",\"rank\":null,"
	"\"reason\":\"Dependency\"},"
	"{\"id\":22,\"id_text\":\"22\",\"tenant\":\"physics\",\"user\":\"ann\","
	"\"gpus\":2,\"phase\":\"waiting\",\"rank\":1,\"submit_sec\":1699995000,"
	"\"expected_start_sec\":1700000300,\"reason\":\"Lease: rank 1 of 3\"}]}";

struct world {
	struct top_letters letters;
	struct top_model model;
	struct top_state state;
	struct top_sheet sheet;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	*state = w;
	top_state_init(&w->state);
	for (size_t v = 0; v < TOP_VIEWS; v++)
		w->state.page = 10;
	return top_model_load(json_loads(reply, 0, NULL), &w->letters,
			      &w->model);
}

static int teardown(void **state)
{
	struct world *w = *state;

	top_model_destroy(&w->model);
	top_letters_clear(&w->letters);
	top_state_destroy(&w->state);
	top_sheet_free(&w->sheet);
	free(w);
	return 0;
}

static void sort_by(struct world *w, enum top_view view, const char *name,
		    bool reverse)
{
	int column = top_column_find(view, name);
	struct top_sort sort = {.reverse = reverse};

	assert_true(column >= 0);
	sort.column = (size_t)column;
	top_sort(&w->model, view, &sort);
}

static const struct top_job *job(struct world *w, enum top_view view, size_t i)
{
	assert_true(i < w->model.lists[view].count);
	return w->model.lists[view].rows[i];
}

/* The sheet as a text, a line after another. */
static const char *text_of(struct world *w)
{
	static char text[65536];
	size_t at = 0;

	for (size_t i = 0; i < w->sheet.rows; i++) {
		for (size_t k = 0; k < w->sheet.columns; k++) {
			wchar_t ch =
				w->sheet.cells[i * w->sheet.columns + k].ch;

			if (ch)
				text[at++] = ch < 0x7f ? (char)ch : '~';
		}
		text[at++] = '\n';
	}
	text[at] = '\0';
	return text;
}

static void draw(struct world *w, size_t rows, size_t columns)
{
	top_draw(&w->sheet, &w->model, &w->state, NOW, rows, columns);
}

static void shows(struct world *w, const char *text)
{
	if (!strstr(text_of(w), text))
		fail_msg("\"%s\" lacks \"%s\"", text_of(w), text);
}

static void lacks(struct world *w, const char *text)
{
	if (strstr(text_of(w), text))
		fail_msg("\"%s\" has \"%s\"", text_of(w), text);
}

static enum top_action type(struct world *w, const char *keys)
{
	enum top_action action = TOP_DO_NOTHING;

	for (; *keys; keys++)
		action = top_key(&w->state, &w->model, *keys);
	return action;
}

/* ---- The model. ---- */

static void jobs_are_leases_or_wait(void **state)
{
	struct world *w = *state;

	assert_int_equal(w->model.lists[TOP_LEASES].count, 3);
	assert_int_equal(w->model.lists[TOP_QUEUE].count, 3);
	assert_string_equal(w->model.cluster, "test");
}

static void a_grace_ends_later_than_its_lease(void **state)
{
	struct world *w = *state;

	assert_true(w->model.jobs[1].end_sec == NOW + 50);
	assert_true(isnan(w->model.jobs[2].end_sec));
}

static void gpus_are_held_free_or_down(void **state)
{
	const struct world *w = *state;
	const struct top_pool *pool = &w->model.pools[0];

	assert_true(pool->held == 13);
	assert_true(pool->free == 3);
	assert_true(pool->down == 8);
}

/* PrivateData=nodes hides which nodes there are, not how many GPUs are down. */
static void gpus_in_use_are_not_down_where_nodes_are_private(void **state)
{
	struct world *w = *state;
	json_t *object = json_loads(reply, 0, NULL);
	const struct top_pool *pool;

	json_array_clear(json_object_get(object, "nodes"));
	top_model_destroy(&w->model);
	assert_int_equal(top_model_load(object, &w->letters, &w->model), 0);
	pool = &w->model.pools[0];
	assert_true(pool->held == 13);
	assert_true(pool->free == 3);
	assert_true(pool->down == 8);
}

static void tenants_keep_their_letters(void **state)
{
	struct world *w = *state;

	assert_int_equal(w->model.tenants[0].letter, 'P');
	assert_int_equal(w->model.tenants[1].letter, 'p');
	assert_int_equal(top_letter(&w->letters, "pharma"), 'p');
	assert_int_equal(top_letter(&w->letters, "poets"), 'A');
	assert_int_equal(top_letter(&w->letters, "0"), 'B');
	assert_int_equal(top_letter(&w->letters, ""), '?');
	for (int i = 0; i < 60; i++) {
		char name[16];

		snprintf(name, sizeof(name), "t%d", i);
		top_letter(&w->letters, name);
	}
	assert_int_equal(top_letter(&w->letters, "t59"), '*');
	assert_int_equal(top_letter(&w->letters, "physics"), 'P');
}

static void what_a_reply_lacks_is_not_known(void **state)
{
	static const char *const replies[] = {
		"{}",
		"{\"jobs\":{},\"nodes\":3,\"tenants\":null,\"pools\":\"x\"}",
		"{\"jobs\":[1,null,{}],\"nodes\":[{\"holders\":[{},2]}],"
		"\"tenants\":[[]],\"pools\":[{\"gpus\":-4}]}",
		"{\"nodes\":[{\"gpus\":1e300,\"holders\":[{\"gpus\":1e300}]}]}",
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(replies) / sizeof(*replies); i++) {
		struct top_model model;

		assert_int_equal(top_model_load(json_loads(replies[i], 0, NULL),
						&w->letters, &model),
				 0);
		for (int v = 0; v < TOP_VIEWS; v++) {
			w->state.view = (enum top_view)v;
			top_sort(&model, w->state.view, &w->state.sort[v]);
			top_draw(&w->sheet, &model, &w->state, NOW, 24, 80);
		}
		top_draw_batch(&w->sheet, &model, &w->state, NOW, 100);
		top_model_destroy(&model);
	}
}

/* ---- Sorting. ---- */

static void what_is_not_known_comes_last(void **state)
{
	struct world *w = *state;

	sort_by(w, TOP_QUEUE, "rank", false);
	assert_true(job(w, TOP_QUEUE, 0)->id == 22);
	assert_true(job(w, TOP_QUEUE, 2)->id == 21);
	sort_by(w, TOP_QUEUE, "RANK", true);
	assert_true(job(w, TOP_QUEUE, 0)->id == 20);
	assert_true(job(w, TOP_QUEUE, 2)->id == 21);
	sort_by(w, TOP_QUEUE, "waited", true);
	assert_true(job(w, TOP_QUEUE, 0)->id == 20);
	sort_by(w, TOP_LEASES, "left", false);
	assert_true(job(w, TOP_LEASES, 0)->id == 11);
	assert_true(job(w, TOP_LEASES, 2)->id == 12);
}

static void names_with_numbers_are_in_their_order(void **state)
{
	struct world *w = *state;
	const struct top_node *first;

	sort_by(w, TOP_NODES, "node", false);
	first = w->model.lists[TOP_NODES].rows[0];
	assert_string_equal(first->name, "n2");
	sort_by(w, TOP_LEASES, "jobid", true);
	assert_true(job(w, TOP_LEASES, 0)->id == 12);
	assert_int_equal(top_column_find(TOP_NODES, "nix"), -1);
	assert_int_equal(top_column_find(TOP_NODES, ""), -1);
}

/* ---- Drawing. ---- */

static void an_overview_has_all_parts(void **state)
{
	struct world *w = *state;

	draw(w, 24, 80);
	assert_int_equal(w->sheet.rows, 24);
	shows(w, "Pool gpu    24 GPUs   13 held    3 free    8 down");
	shows(w, "kept for job 20 until");
	shows(w, "P physics             9     16  0.750     9    2 ###");
	shows(w, "p pharma              4      8    inf");
	shows(w, "n10 PPPP??");
	shows(w, "n3  --------");
	shows(w, "5:00");
	shows(w, "rank 1 of 3");
}

static void no_name_steers_the_terminal(void **state)
{
	struct world *w = *state;

	w->state.view = TOP_LEASES;
	draw(w, 24, 120);
	shows(w, "x?[2J");
	for (size_t i = 0; i < w->sheet.rows * w->sheet.columns; i++)
		assert_true(w->sheet.cells[i].ch >= L' ' &&
			    w->sheet.cells[i].ch < 0x7f);
}

static void any_size_can_be_drawn(void **state)
{
	struct world *w = *state;

	for (size_t rows = 0; rows < 40; rows++)
		for (size_t columns = 0; columns < 140; columns += 3)
			for (int v = 0; v < TOP_VIEWS; v++) {
				w->state.view = (enum top_view)v;
				draw(w, rows, columns);
				assert_int_equal(
					w->sheet.rows,
					rows < TOP_LEAST_ROWS ||
							columns <
								TOP_LEAST_COLUMNS
						? (rows > 1 ? 2 : 1)
						: rows);
			}
	draw(w, 5, 20);
	shows(w, "20x5: too small");
}

static void a_cut_text_says_so(void **state)
{
	struct world *w = *state;

	top_sheet_begin(&w->sheet, 10, 1);
	assert_true(top_sheet_line(&w->sheet));
	top_put(&w->sheet, 0, 4, TOP_PLAIN, "abcdef");
	top_put_right(&w->sheet, 5, 4, TOP_PLAIN, "xy");
	assert_string_equal(text_of(w), "abc+   xy \n");
	assert_false(top_sheet_line(&w->sheet));
}

static void wide_letters_take_two_cells(void **state)
{
	struct world *w = *state;

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	w->sheet.utf8 = true;
	top_sheet_begin(&w->sheet, 8, 1);
	top_sheet_line(&w->sheet);
	assert_int_equal(top_put(&w->sheet, 0, 4, TOP_PLAIN, "\u7269\u7406"),
			 4);
	assert_int_equal(w->sheet.cells[1].ch, 0);
	top_sheet_begin(&w->sheet, 8, 1);
	top_sheet_line(&w->sheet);
	top_put(&w->sheet, 0, 3, TOP_PLAIN, "\u7269\u7406");
	assert_int_equal(w->sheet.cells[2].ch, L'+');
	/* What would turn the line round. */
	top_put(&w->sheet, 5, 1, TOP_PLAIN, "\u202e");
	assert_int_equal(w->sheet.cells[5].ch, L'?');
	setlocale(LC_CTYPE, "C");
}

/* ---- Keys. ---- */

static void keys_change_views_and_order(void **state)
{
	struct world *w = *state;

	assert_int_equal(type(w, "3"), TOP_DO_DRAW);
	assert_int_equal(w->state.view, TOP_LEASES);
	assert_int_equal(type(w, "\t"), TOP_DO_DRAW);
	assert_int_equal(w->state.view, TOP_QUEUE);
	assert_int_equal(type(w, ">>"), TOP_DO_SORT);
	assert_int_equal(w->state.sort[TOP_QUEUE].column, 2);
	/* Pool and Name have no room on 80 columns. */
	type(w, ">>");
	assert_int_equal(w->state.sort[TOP_QUEUE].column,
			 (size_t)top_column_find(TOP_QUEUE, "GPUs"));
	type(w, "<<");
	type(w, "<<<<");
	assert_int_equal(w->state.sort[TOP_QUEUE].column, 0);
	type(w, "R");
	assert_true(w->state.sort[TOP_QUEUE].reverse);
	assert_int_equal(type(w, "sgpu\n"), TOP_DO_SORT);
	assert_int_equal(w->state.sort[TOP_QUEUE].column,
			 (size_t)top_column_find(TOP_QUEUE, "GPUs"));
	assert_int_equal(type(w, "Fnix\n"), TOP_DO_DRAW);
	assert_non_null(strstr(w->state.message.text, "Rank"));
	assert_int_equal(type(w, " "), TOP_DO_REFRESH);
	assert_int_equal(type(w, "q"), TOP_DO_QUIT);
}

static void prompts_set_filters_and_delay(void **state)
{
	struct world *w = *state;

	assert_int_equal(type(w, "uann,bob\n"), TOP_DO_REFRESH);
	assert_int_equal(w->state.query.users.count, 2);
	draw(w, 24, 80);
	shows(w, "Users ann,bob");
	assert_int_equal(type(w, "u\n"), TOP_DO_REFRESH);
	assert_int_equal(w->state.query.users.count, 0);
	assert_int_equal(type(w, "Aphysics\x7f\x7fxy\n"), TOP_DO_REFRESH);
	assert_string_equal(w->state.query.accounts.names[0], "physixy");
	type(w, "Aother\033");
	assert_int_equal(w->state.prompt, TOP_NO_PROMPT);
	assert_string_equal(w->state.query.accounts.names[0], "physixy");
	assert_int_equal(type(w, "d0.5\n"), TOP_DO_REFRESH);
	assert_true(w->state.delay_sec == 0.5);
	assert_int_equal(type(w, "d0\n"), TOP_DO_DRAW);
	assert_true(w->state.delay_sec == 0.5);
	draw(w, 24, 80);
	shows(w, "seconds from 0.5 to 3600");
	assert_int_equal(type(w, "u,\n"), TOP_DO_DRAW);
}

static void a_job_that_was_chosen_stays_so(void **state)
{
	struct world *w = *state;

	w->state.view = TOP_QUEUE;
	sort_by(w, TOP_QUEUE, "jobid", false);
	type(w, "j");
	assert_int_equal(w->state.cursor[TOP_QUEUE], 1);
	sort_by(w, TOP_QUEUE, "rank", false);
	top_state_settle(&w->state, &w->model, true);
	assert_int_equal(w->state.cursor[TOP_QUEUE], 2);
	assert_int_equal(type(w, "w"), TOP_DO_WHY);
	assert_int_equal(w->state.ask.id, 21);
	type(w, "g");
	assert_int_equal(type(w, "w"), TOP_DO_WHY);
	assert_int_equal(w->state.ask.id, 22);
	w->state.view = TOP_OVERVIEW;
	assert_int_equal(type(w, "w12_3\n"), TOP_DO_WHY);
	assert_int_equal(w->state.ask.task, 3);
	assert_int_equal(type(w, "wx\n"), TOP_DO_DRAW);
	assert_true(*w->state.message.text);
}

static void why_is_a_page_until_a_key(void **state)
{
	struct world *w = *state;

	w->state.why = strdup("It waits for a job that has not ended, "
			      "and for another one.");
	snprintf(w->state.why_of, sizeof(w->state.why_of), "21");
	draw(w, 24, 40);
	shows(w, "Why job 21");
	shows(w, "ended,");
	lacks(w, "TENANT");
	type(w, "q");
	assert_null(w->state.why);
	type(w, "h");
	draw(w, 30, 80);
	shows(w, "Space Enter  refresh now");
	type(w, "q");
	assert_false(w->state.help);
}

static void an_error_is_shown_beside_the_rows(void **state)
{
	struct world *w = *state;

	astra_error_set(&w->state.error, "slurmctld is down");
	draw(w, 24, 80);
	shows(w, "slurmctld is down");
	shows(w, "physics");
	assert_int_equal(w->sheet.cells[23 * 80].style, TOP_ERROR);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(jobs_are_leases_or_wait),
		TEST(a_grace_ends_later_than_its_lease),
		TEST(gpus_are_held_free_or_down),
		TEST(gpus_in_use_are_not_down_where_nodes_are_private),
		TEST(tenants_keep_their_letters),
		TEST(what_a_reply_lacks_is_not_known),
		TEST(what_is_not_known_comes_last),
		TEST(names_with_numbers_are_in_their_order),
		TEST(an_overview_has_all_parts),
		TEST(no_name_steers_the_terminal),
		TEST(any_size_can_be_drawn),
		TEST(a_cut_text_says_so),
		TEST(wide_letters_take_two_cells),
		TEST(keys_change_views_and_order),
		TEST(prompts_set_filters_and_delay),
		TEST(a_job_that_was_chosen_stays_so),
		TEST(why_is_a_page_until_a_key),
		TEST(an_error_is_shown_beside_the_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
