/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/adopt.h"
#include "src/sim/child.h"
#include "src/sim/field.h"

struct sfair_adopt_share {
	const char *account, *user; /* point into the text */
	double shares;
};

static int by_names(const void *a, const void *b)
{
	const struct sfair_adopt_share *x = a, *y = b;
	int order = strcmp(x->account, y->account);

	return order ? order : strcmp(x->user, y->user);
}

/* 1 is what a new user gets, and what fairshare=parent counts. */
static double share_read(const char *text)
{
	double share;

	if (astra_field_number(text, &share) != ASTRA_FIELD_OK || share < 0)
		return 1;
	return share;
}

/* account|user|share, a line each; an account's own has no user. */
static int share_split(struct sfair_adopt_shares *s)
{
	char *rest = s->text, *line;
	size_t lines = 1;

	for (const char *at = s->text; (at = strchr(at, '\n')); at++)
		lines++;
	s->list = calloc(lines, sizeof(*s->list));
	if (!s->list)
		return -1;
	while ((line = strsep(&rest, "\n"))) {
		const char *account = strsep(&line, "|");
		const char *user = strsep(&line, "|");

		if (line && *user)
			s->list[s->count++] = (struct sfair_adopt_share){
				account, user, share_read(line)};
	}
	qsort(s->list, s->count, sizeof(*s->list), by_names);
	return 0;
}

int sfair_adopt_shares_ask(struct sfair_adopt_shares *s, const char *cluster,
			   struct astra_error *err)
{
	char where[128];
	char *argv[] = {"sacctmgr",
			"--noheader",
			"--parsable2",
			"--readonly",
			"show",
			"associations",
			"format=account,user,share",
			where,
			NULL};

	snprintf(where, sizeof(where), "clusters=%s", cluster);
	if (astra_child_text(argv, &s->text, err) < 0)
		return -1;
	return share_split(s) < 0 ? astra_error_nomem(err) : 0;
}

double sfair_adopt_share_of(const void *arg, const char *tenant,
			    const char *user)
{
	const struct sfair_adopt_shares *s = arg;
	const struct sfair_adopt_share key = {tenant, user, 0}, *found;

	if (!s->count)
		return 1;
	found = bsearch(&key, s->list, s->count, sizeof(*s->list), by_names);
	return found ? found->shares : 1;
}

void sfair_adopt_shares_clear(struct sfair_adopt_shares *s)
{
	free(s->text);
	free(s->list);
	*s = (struct sfair_adopt_shares){0};
}
