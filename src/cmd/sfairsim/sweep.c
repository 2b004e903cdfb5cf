/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfairsim/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/common/number.h"
#include "src/policies/options.h"
#include "src/sim/term.h"

static const char standard_terms[] =
	"5:00,10:00,15:00,20:00,30:00,45:00,1:00:00,1:30:00,2:00:00,3:00:00,"
	"4:00:00,6:00:00,8:00:00";

char *sfairsim_term_text(double sec, char text[SFAIRSIM_TERM_SIZE])
{
	unsigned long s = (unsigned long)(sec + 0.5);

	snprintf(text, SFAIRSIM_TERM_SIZE, "%02lu:%02lu:%02lu", s / 3600,
		 s / 60 % 60, s % 60);
	return text;
}

static int by_length(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int terms_parse_one(const char *argument, const char *word, double *sec,
			   struct astra_error *err)
{
	if (astra_parse_time(word, 1, sec) == 0 && *sec >= 1)
		return 0;
	return astra_error_set(err,
			       "%s: \"%.64s\" is no term: seconds, or a time "
			       "as MM:SS, HH:MM:SS, D-HH",
			       argument, word);
}

static size_t without_doubles(double *terms, size_t count)
{
	size_t kept = 0;

	qsort(terms, count, sizeof(*terms), by_length);
	for (size_t i = 0; i < count; i++)
		if (!kept || terms[i] > terms[kept - 1])
			terms[kept++] = terms[i];
	return kept;
}

size_t sfairsim_terms_parse(const char *argument, const char *text,
			    double out[SFAIRSIM_TERMS_MAX],
			    struct astra_error *err)
{
	char *copy = strdup(text ? text : standard_terms), *rest = copy, *word;
	size_t count = 0;
	int rc = copy ? 0 : astra_error_nomem(err);

	while (!rc && (word = strsep(&rest, ","))) {
		if (count == SFAIRSIM_TERMS_MAX)
			rc = astra_error_set(err, "%s: at most %d", argument,
					     SFAIRSIM_TERMS_MAX);
		else
			rc = terms_parse_one(argument, word, &out[count++],
					     err);
	}
	free(copy);
	return rc < 0 ? 0 : without_doubles(out, count);
}

/* Gets the figures of each case that the choice of a term depends on. */
static void terms_of(const struct astra_comparison *c, struct astra_term *terms)
{
	for (size_t i = 0; i < c->count && i < SFAIRSIM_TERMS_MAX; i++)
		terms[i] =
			astra_term_of((double)i, &c->cases[i].digest->metrics);
}

size_t sfairsim_terms_recommend(const struct astra_comparison *c,
				struct astra_text *why)
{
	struct astra_term terms[SFAIRSIM_TERMS_MAX];
	const char *in = "";
	double points;
	size_t best;

	terms_of(c, terms);
	best = astra_term_best(terms, c->count);
	points = astra_term_behind(terms, c->count, best, &in);
	if (points <= ASTRA_TIE)
		astra_text_printf(why, "no other term is better in anything "
				       "that counts");
	else
		astra_text_printf(
			why,
			"no other term is less far behind in what it is worst at; this one is %.1f points behind, in the %s",
			points, in);
	astra_text_printf(why, ". It has ");
	astra_term_print(&terms[best], why);
	astra_text_printf(
		why,
		". A point is 1 %% of sharing loss or of GPU time lost to overhead, or 5 %% of mean completion time; of terms that are equal the longest is taken.");
	return best;
}

static int sweep_find_key(struct sfairsim_sweep *s, const char *vary,
			  size_t size, struct astra_error *err)
{
	for (const struct astra_option *o = astra_option_table; o->key; o++)
		if (!strncasecmp(o->key, vary, size) && !o->key[size])
			s->key = o->key;
	if (!s->key)
		return astra_error_set(err, "%s: there is no such option",
				       vary);
	/* Another argument chooses the policy. */
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
