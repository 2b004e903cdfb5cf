/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfairsim/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int sweep_find_key(struct sfairsim_sweep *s, const char *vary,
			  size_t size, struct astra_error *err)
{
	for (const struct astra_option *o = astra_option_table; o->key; o++)
		if (!strncasecmp(o->key, vary, size) && !o->key[size])
			s->key = o->key;
	if (!s->key)
		return astra_error_set(err, "%s: there is no such option",
				       vary);
	/* The simulation's policy is another argument. */
	if (!strcmp(s->key, "Policy"))
		return astra_error_set(
			err, "%s: \"sfairsim compare\" compares policies",
			vary);
	return 0;
}

static int add_value(struct sfairsim_sweep *s, const char *value,
		     struct astra_error *err)
{
	if (s->count == SFAIRSIM_VALUES_MAX)
		return astra_error_set(err, "--vary: at most %d values",
				       SFAIRSIM_VALUES_MAX);
	if (strlen(value) >= SFAIRSIM_VALUE_SIZE)
		return astra_error_set(err, "%s=%s: too long", s->key, value);
	strcpy(s->values[s->count++], value);
	return 0;
}

static int add_values(struct sfairsim_sweep *s, const char *list,
		      struct astra_error *err)
{
	char *copy = strdup(list), *rest = copy, *value;
	int rc = copy ? 0 : astra_error_nomem(err);

	while (!rc && (value = strsep(&rest, ",")))
		rc = add_value(s, value, err);
	free(copy);
	return rc;
}

static int add_terms(struct sfairsim_sweep *s, const char *list,
		     struct astra_error *err)
{
	s->key = "LeaseTerm";
	s->is_terms = true;
	s->count = sfairsim_terms_parse(s->argument, list, s->terms_sec, err);
	for (size_t i = 0; i < s->count; i++)
		sfairsim_term_text(s->terms_sec[i], s->values[i]);
	return s->count ? 0 : -1;
}

int sfairsim_sweep_parse(struct sfairsim_sweep *s, const char *terms,
			 const char *vary, struct astra_error *err)
{
	size_t size = vary ? strcspn(vary, "=") : 0;

	*s = (struct sfairsim_sweep){.argument = vary ? "--vary" : "--terms"};
	if (terms && vary)
		return astra_error_set(err, "either --terms or --vary");
	if (!vary)
		return add_terms(s, terms, err);
	if (sweep_find_key(s, vary, size, err) < 0)
		return -1;
	return !strcmp(s->key, "LeaseTerm")
		       ? add_terms(s, vary + size + 1, err)
		       : add_values(s, vary + size + 1, err);
}

int sfairsim_sweep_set(const struct sfairsim_sweep *s, size_t index,
		       struct astra_options *options, struct astra_error *err)
{
	struct astra_options set = *options;
	struct astra_error inner = {""};

	if (astra_options_set(&set, s->key, s->values[index], err) < 0)
		return -1;
	if (astra_options_check(&set, &inner) < 0)
		return astra_error_set(err, "%s: %.400s", s->argument,
				       inner.text);
	*options = set;
	return 0;
}
