/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same as text, again and again. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/top.h"

#define WIDTH 100 /* where there is no terminal */

static void print_line(const struct top_cell *cells, size_t columns)
{
	mbstate_t shift = {0};
	char bytes[MB_LEN_MAX];

	while (columns && cells[columns - 1].ch == L' ')
		columns--;
	for (size_t i = 0; i < columns; i++) {
		size_t size = 0;

		if (cells[i].ch)
			size = wcrtomb(bytes, cells[i].ch, &shift);
		if (size != (size_t)-1)
			fwrite(bytes, 1, size, stdout);
	}
	putchar('\n');
}

static int top_batch_print_once(struct top_args *args,
				struct top_letters *letters,
				struct top_sheet *sheet,
				struct astra_error *err)
{
	struct top_state *state = &args->state;
	json_t *reply = sfair_ask(&state->query, false, err);
	size_t width = args->width ? args->width : sfair_terminal_width();
	struct top_model model;

	if (!reply)
		return -1;
	if (sfair_check_users(json_object_get(reply, "jobs"),
			      &state->query.users, err) < 0) {
		json_decref(reply);
		return -1;
	}
	sfair_tell_idle(reply);
	if (top_model_load(reply, letters, &model) < 0)
		return astra_error_nomem(err);
	for (size_t v = 0; v < TOP_VIEWS; v++)
		top_sort(&model, (enum top_view)v, &state->sort[v]);
	top_draw_batch(sheet, &model, state, (double)time(NULL),
		       width ? width : WIDTH);
	for (size_t i = 0; i < sheet->rows; i++)
		print_line(sheet->cells + i * sheet->columns, sheet->columns);
	top_model_destroy(&model);
	if (fflush(stdout) || ferror(stdout))
		return astra_error_set(err, "writing the output failed");
	return 0;
}

static void pause_for(double sec)
{
	struct timespec wait = {.tv_sec = (time_t)sec};

	wait.tv_nsec = (long)((sec - floor(sec)) * 1e9);
	nanosleep(&wait, NULL);
}

int top_batch(struct top_args *args, struct astra_error *err)
{
	struct top_letters letters = {0};
	struct top_sheet sheet = {.utf8 = top_is_utf8()};
	int rc = 0;

	for (uint64_t i = 0; !rc && (!args->count || i < args->count); i++) {
		if (i) {
			pause_for(args->state.delay_sec);
			putchar('\n');
		}
		rc = top_batch_print_once(args, &letters, &sheet, err);
	}
	top_letters_clear(&letters);
	top_sheet_free(&sheet);
	return rc;
}
