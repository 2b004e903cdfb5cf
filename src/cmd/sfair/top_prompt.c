/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line that the user writes at the foot of the screen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/top.h"

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

/* Steal the names of src, which is of no more use. */
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

/* Bytes of UTF-8 come one by one. */
static void erase(char *text)
{
	size_t size = strlen(text);

	while (size && ((unsigned char)text[size - 1] & 0xc0u) == 0x80u)
		size--;
	text[size ? size - 1 : 0] = '\0';
}

enum top_action top_prompt_key(struct top_state *state,
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
