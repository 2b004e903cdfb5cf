/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/top.h"

/* Prompts: the user types a line at the foot of the screen. */

#define CTRL(letter) ((letter)&0x1f)
#define ESCAPE 27

const char *top_prompt_text(enum top_prompt prompt)
{
	static const char *const texts[] = {
		[TOP_NO_PROMPT] = "",
		[TOP_ASK_DELAY] = "Seconds between refreshes:",
		[TOP_ASK_USERS] = "Users (none: all):",
		[TOP_ASK_ACCOUNTS] = "Accounts or tenants (none: all):",
		[TOP_ASK_POOLS] = "Pools (none: all):",
		[TOP_ASK_SORT] = "Sort by:",
		[TOP_ASK_WHY] = "Why job:",
	};

	return texts[prompt];
}

int top_parse_delay(const char *text, double *out, struct astra_error *err)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !isfinite(value) ||
	    value < TOP_DELAY_LEAST || value > TOP_DELAY_MOST)
		return astra_error_set(err,
				       "delay %.32s: seconds from %.1f to %.0f",
				       text, TOP_DELAY_LEAST, TOP_DELAY_MOST);
	*out = value;
	return 0;
}

/* Moves the names from src to out. src is not used afterwards. */
static void take_names(struct astra_names *out, struct astra_names *src)
{
	struct astra_query old = {.users = *out};

	astra_query_destroy(&old);
	*out = *src;
}

static enum top_action set_filter(struct top_state *state, const char *what,
				  struct astra_names *out)
{
	struct astra_names names = {0};
	struct astra_query failed = {0};
	struct astra_error err;

	if (*state->typed &&
	    sfair_parse_names(state->typed, &names, &err) < 0) {
		astra_error_set(&state->message, "%s: %s", what, err.text);
		failed.users = names;
		astra_query_destroy(&failed);
		return TOP_DO_DRAW;
	}
	take_names(out, &names);
	return TOP_DO_REFRESH;
}

static enum top_action set_sort(struct top_state *state)
{
	const struct top_column *columns = top_columns(state->view);
	int column = top_column_find(state->view, state->typed);

	if (column >= 0) {
		state->sort[state->view].column = (size_t)column;
		return TOP_DO_SORT;
	}
	astra_error_set(&state->message, "sort by");
	for (size_t i = 0; columns[i].name; i++) {
		size_t used = strlen(state->message.text);

		snprintf(state->message.text + used,
			 sizeof(state->message.text) - used, "%s %s",
			 i ? "," : "", columns[i].name);
	}
	return TOP_DO_DRAW;
}

static enum top_action set_why(struct top_state *state)
{
	if (!astra_job_ref_parse(state->typed, &state->ask))
		return TOP_DO_WHY;
	astra_error_set(&state->message,
			"\"%.64s\" is no job: a number like 12 or 12_3",
			state->typed);
	return TOP_DO_DRAW;
}

static enum top_action top_prompt_apply(struct top_state *state,
					enum top_prompt prompt)
{
	switch (prompt) {
	case TOP_ASK_DELAY:
		return top_parse_delay(state->typed, &state->delay_sec,
				       &state->message) < 0
			       ? TOP_DO_DRAW
			       : TOP_DO_REFRESH;
	case TOP_ASK_USERS:
		return set_filter(state, "users", &state->query.users);
	case TOP_ASK_ACCOUNTS:
		return set_filter(state, "accounts", &state->query.accounts);
	case TOP_ASK_POOLS:
		return set_filter(state, "pools", &state->query.pools);
	case TOP_ASK_SORT:
		return set_sort(state);
	case TOP_ASK_WHY:
		return set_why(state);
	case TOP_NO_PROMPT:
		break;
	}
	return TOP_DO_DRAW;
}

/* Removes the last character, which may have several bytes of UTF-8. */
static void erase(char *text)
{
	size_t size = strlen(text);

	while (size && ((unsigned char)text[size - 1] & 0xc0u) == 0x80u)
		size--;
	text[size ? size - 1 : 0] = '\0';
}

/* Handles a key while a prompt is open. */
static enum top_action top_prompt_key(struct top_state *state,
				      const struct top_model *model, int key)
{
	enum top_prompt prompt = state->prompt;
	size_t size = strlen(state->typed);

	(void)model;
	if (key == '\n' || key == '\r') {
		state->prompt = TOP_NO_PROMPT;
		return top_prompt_apply(state, prompt);
	}
	if (key == ESCAPE || key == CTRL('c'))
		state->prompt = TOP_NO_PROMPT;
	else if (key == TOP_KEY_ERASE || key == 0x7f || key == CTRL('h'))
		erase(state->typed);
	else if (key == CTRL('u'))
		*state->typed = '\0';
	else if (key >= ' ' && key < 256 && size + 1 < TOP_PROMPT_MAX) {
		state->typed[size] = (char)key;
		state->typed[size + 1] = '\0';
	}
	return TOP_DO_DRAW;
}

#define CTRL(letter) ((letter)&0x1f)
#define ESCAPE 27

void top_state_init(struct top_state *state)
{
	*state = (struct top_state){
		.delay_sec = TOP_DELAY_SEC, .page = 1, .width = 80};
	state->query.kind = ASTRA_QUERY_TOP;
	state->sort[TOP_LEASES].column =
		(size_t)top_column_find(TOP_LEASES, "Left");
}

void top_state_destroy(struct top_state *state)
{
	astra_query_destroy(&state->query);
	free(state->why);
	state->why = NULL;
}

/* ---- Moving in a list. ---- */

static bool has_cursor(enum top_view view)
{
	return view == TOP_LEASES || view == TOP_QUEUE;
}

static double top_keys_job_at(const struct top_model *model, enum top_view view,
			      size_t row)
{
	const struct top_job *job = model->lists[view].rows[row];

	return job->id;
}

static void find_chosen(struct top_state *state, const struct top_model *model,
			enum top_view view)
{
	for (size_t i = 0; i < model->lists[view].count; i++)
		if (top_keys_job_at(model, view, i) == state->chosen[view]) {
			state->cursor[view] = i;
			return;
		}
}

static void settle_view(struct top_state *state, const struct top_model *model,
			enum top_view view, bool fresh)
{
	size_t count = model->lists[view].count, page = state->page;
	size_t last = count ? count - 1 : 0;
	size_t *scroll = &state->scroll[view], *cursor = &state->cursor[view];

	if (has_cursor(view)) {
		if (fresh && state->chosen[view] > 0)
			find_chosen(state, model, view);
		if (*cursor > last)
			*cursor = last;
		if (*scroll > *cursor)
			*scroll = *cursor;
		if (*cursor >= *scroll + page)
			*scroll = *cursor - page + 1;
	}
	if (*scroll > (count > page ? count - page : 0))
		*scroll = count > page ? count - page : 0;
}

void top_state_settle(struct top_state *state, const struct top_model *model,
		      bool fresh)
{
	if (!fresh) {
		settle_view(state, model, state->view, false);
		return;
	}
	for (size_t v = 0; v < TOP_VIEWS; v++)
		settle_view(state, model, (enum top_view)v, true);
}

static size_t moved(size_t from, int key, size_t page, size_t last)
{
	switch (key) {
	case TOP_KEY_UP:
	case 'k':
		return from ? from - 1 : 0;
	case TOP_KEY_DOWN:
	case 'j':
		return from < last ? from + 1 : last;
	case TOP_KEY_PAGE_UP:
		return from > page ? from - page : 0;
	case TOP_KEY_PAGE_DOWN:
		return from + page < last ? from + page : last;
	case TOP_KEY_HOME:
	case 'g':
		return 0;
	default:
		return last;
	}
}

static bool top_keys_moves(int key)
{
	return key == TOP_KEY_UP || key == 'k' || key == TOP_KEY_DOWN ||
	       key == 'j' || key == TOP_KEY_PAGE_UP ||
	       key == TOP_KEY_PAGE_DOWN || key == TOP_KEY_HOME || key == 'g' ||
	       key == TOP_KEY_END || key == 'G';
}

/* Moves the cursor. The job that it reaches stays chosen when rows move. At the
 * head of a list no job is chosen, so the cursor stays at the head. */
static enum top_action top_keys_move(struct top_state *state,
				     const struct top_model *model, int key)
{
	enum top_view view = state->view;
	size_t count = model->lists[view].count;
	size_t last = count ? count - 1 : 0;
	size_t *at =
		has_cursor(view) ? &state->cursor[view] : &state->scroll[view];

	*at = moved(*at, key, state->page, last);
	top_state_settle(state, model, false);
	if (has_cursor(view))
		state->chosen[view] =
			count && *at ? top_keys_job_at(model, view, *at) : 0;
	return TOP_DO_DRAW;
}

/* ---- Sorting. ---- */

/* Sorts by the next column, in the direction of step, that the screen has room
 * for. */
static enum top_action sort_beside(struct top_state *state, int step)
{
	const struct top_column *columns = top_columns(state->view);
	size_t *at = &state->sort[state->view].column;

	for (size_t i = *at; step > 0 ? columns[i + 1].name != NULL : i > 0;) {
		i = step > 0 ? i + 1 : i - 1;
		if (columns[i].from <= state->width) {
			*at = i;
			break;
		}
	}
	return TOP_DO_SORT;
}

/* ---- Other keys. ---- */

static enum top_action open_prompt(struct top_state *state,
				   enum top_prompt prompt)
{
	state->prompt = prompt;
	*state->typed = '\0';
	return TOP_DO_DRAW;
}

static enum top_action top_keys_turn_to(struct top_state *state, size_t view)
{
	state->view = (enum top_view)(view % TOP_VIEWS);
	return TOP_DO_DRAW;
}

static enum top_action top_keys_ask_why(struct top_state *state,
					const struct top_model *model)
{
	enum top_view view = state->view;
	const struct top_job *job;

	if (!has_cursor(view))
		return open_prompt(state, TOP_ASK_WHY);
	if (!model->lists[view].count) {
		astra_error_set(&state->message, "no job is chosen");
		return TOP_DO_DRAW;
	}
	job = model->lists[view].rows[state->cursor[view]];
	if (astra_job_ref_parse(job->id_text, &state->ask) < 0) {
		astra_error_set(&state->message, "no job of this number");
		return TOP_DO_DRAW;
	}
	return TOP_DO_WHY;
}

/* Handles a key while a text, help or why, is shown instead of a view. */
static enum top_action text_key(struct top_state *state, int key)
{
	if (top_keys_moves(key)) {
		state->text_scroll =
			moved(state->text_scroll, key, 10,
			      key == TOP_KEY_END || key == 'G' ? 20 : 200);
		return TOP_DO_DRAW;
	}
	state->help = false;
	free(state->why);
	state->why = NULL;
	state->text_scroll = 0;
	return TOP_DO_DRAW;
}

static enum top_action letter_key(struct top_state *state,
				  const struct top_model *model, int key)
{
	switch (key) {
	case 'h':
	case '?':
		state->help = true;
		return TOP_DO_DRAW;
	case 'd':
		return open_prompt(state, TOP_ASK_DELAY);
	case 'u':
	case 'U':
		return open_prompt(state, TOP_ASK_USERS);
	case 'A':
	case 'a':
	case 'o':
		return open_prompt(state, TOP_ASK_ACCOUNTS);
	case 'p':
		return open_prompt(state, TOP_ASK_POOLS);
	case 's':
	case 'f':
	case 'F':
		return open_prompt(state, TOP_ASK_SORT);
	case 'R':
		state->sort[state->view].reverse ^= true;
		return TOP_DO_SORT;
	case 'w':
		return top_keys_ask_why(state, model);
	default:
		astra_error_set(&state->message,
				"no such key: h shows which there are");
		return TOP_DO_DRAW;
	}
}

static enum top_action view_key(struct top_state *state,
				const struct top_model *model, int key)
{
	if (top_keys_moves(key))
		return top_keys_move(state, model, key);
	if (key >= '1' && key < '1' + TOP_VIEWS)
		return top_keys_turn_to(state, (size_t)(key - '1'));
	switch (key) {
	case 'q':
	case 'Q':
	case CTRL('c'):
		return TOP_DO_QUIT;
	case ' ':
	case '\r':
	case '\n':
		return TOP_DO_REFRESH;
	case '\t':
	case TOP_KEY_RIGHT:
		return top_keys_turn_to(state, state->view + 1u);
	case TOP_KEY_BACKTAB:
	case TOP_KEY_LEFT:
		return top_keys_turn_to(state, state->view + TOP_VIEWS - 1u);
	case '<':
	case '>':
		return sort_beside(state, key == '>' ? 1 : -1);
	case CTRL('l'):
	case ESCAPE:
	case TOP_KEY_RESIZE:
		return TOP_DO_DRAW;
	default:
		return letter_key(state, model, key);
	}
}

enum top_action top_key(struct top_state *state, const struct top_model *model,
			int key)
{
	if (key == TOP_KEY_NONE)
		return TOP_DO_NOTHING;
	if (key == TOP_KEY_RESIZE)
		return TOP_DO_DRAW;
	*state->message.text = '\0';
	if (state->prompt != TOP_NO_PROMPT)
		return top_prompt_key(state, model, key);
	if (state->help || state->why)
		return text_key(state, key);
	return view_key(state, model, key);
}
