/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What astraea.conf says twice: Slurm's parser takes the last one, and says
 * nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/common/conf_scan.h"
#include "src/slurm/conf/config_priv.h"

#define TWICE_KEYS 128 /* of a line, or of the whole file; beyond none */
#define TWICE_NAME 32

struct twice_set {
	char key[TWICE_KEYS][TWICE_NAME];
	size_t count;
};

struct twice {
	struct twice_set file, line; /* of the whole file, of this line */
	int at;			     /* the number of the line */
	struct astra_error *out;
};

/* Returns whether it was there. */
static bool twice_add(struct twice_set *set, const char *key)
{
	for (size_t i = 0; i < set->count; i++)
		if (!strncasecmp(set->key[i], key, TWICE_NAME - 1))
			return true;
	if (set->count < TWICE_KEYS)
		(void)snprintf(set->key[set->count++], TWICE_NAME, "%s", key);
	return false;
}

/* A line has one key of the whole file, or a pool's or tenant's, of which there
 * are several lines; it may go on in the next one. */
static int twice_look(void *arg, const struct astra_conf_pair *pair,
		      struct astra_error *err)
{
	bool of_line = !strcasecmp(pair->first, "Pool") ||
		       !strcasecmp(pair->first, "Tenant");
	struct twice *t = arg;

	(void)err;
	if (!strcasecmp(pair->first, pair->key) && pair->line != t->at)
		t->line.count = 0;
	t->at = pair->line;
	if (twice_add(of_line ? &t->line : &t->file, pair->key))
		astra_error_add(t->out,
				"%s: line %d: %s=%s: there is another %s= %s, "
				"and the last one counts",
				pair->path, pair->line, pair->key, pair->value,
				pair->key,
				of_line ? "on that line" : "above it");
	return 0;
}

void astra_conf_warn_twice(const char *path, struct astra_error *out)
{
	struct twice *t = calloc(1, sizeof(*t));

	if (!t)
		return;
	t->out = out;
	(void)astra_conf_each(path, twice_look, t, NULL);
	free(t);
}
