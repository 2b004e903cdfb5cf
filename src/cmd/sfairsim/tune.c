/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfairsim tune: the lease term (ASTRAEA, 5.1.3). */
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfairsim/sfairsim.h"
#include "src/cmd/sfairsim/table.h"
#include "src/cmd/sfairsim/terms.h"

/* A baseline has no leases, so there is nothing to tune. */
static int check_policy(const struct sfairsim_setup *s, struct astra_error *err)
{
	const struct astra_scheduler *scheduler = s->schedulers[0];

	if (scheduler->source)
		return astra_error_set(err, "policy %s has no leases",
				       scheduler->name);
	if (!s->options.leases)
		return astra_error_set(err, "Leases=no: there is no lease to "
					    "tune");
	return 0;
}

/* A term as its line in astraea.conf would set it, with all else as it is. */
static int make_case(const struct sfairsim_setup *s, double term_sec,
		     char *name, struct sfairsim_case *out,
		     struct astra_error *err)
{
	struct astra_error inner = {""};

	sfairsim_term_text(term_sec, name);
	*out = (struct sfairsim_case){
		.name = name,
		.scheduler = s->schedulers[0],
		.options = s->options,
	};
	if (astra_options_set(&out->options, "LeaseTerm", name, err) < 0)
		return -1;
	if (astra_options_check(&out->options, &inner) < 0)
		return astra_error_set(err, "--terms: %.400s", inner.text);
	return 0;
}

struct terms {
	double sec[SFAIRSIM_TERMS_MAX];
	char names[SFAIRSIM_TERMS_MAX][SFAIRSIM_TERM_SIZE];
	struct sfairsim_case cases[SFAIRSIM_TERMS_MAX];
	size_t count;
};

static int sweep(const struct sfairsim_setup *s,
		 const struct sfairsim_args *args, struct terms *t,
		 struct astra_error *err)
{
	const struct sfairsim_table table = {
		.what = "LeaseTerm",
		.title = "Lease terms",
		.terms_sec = t->sec,
		.recommend = sfairsim_terms_recommend,
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < t->count; i++)
		rc = make_case(s, t->sec[i], t->names[i], &t->cases[i], err);
	if (!rc)
		rc = sfairsim_batch(s, t->cases, t->count, args->cores,
				    args->quiet, err);
	if (!rc)
		rc = sfairsim_table_write(&table, s, args, t->cases, t->count,
					  err);
	sfairsim_batch_clear(s, t->cases, t->count);
	return rc;
}

static int tune(struct sfairsim_setup *s, const struct sfairsim_args *args,
		struct astra_error *err)
{
	struct terms *terms = calloc(1, sizeof(*terms));
	int rc = -1;

	if (!terms)
		return astra_error_nomem(err);
	terms->count = sfairsim_terms_parse(args->terms, terms->sec, err);
	if (terms->count && check_policy(s, err) == 0)
		rc = sweep(s, args, terms, err);
	free(terms);
	return rc;
}

int sfairsim_tune(int argc, char **argv)
{
	static const struct sfairsim_usage usage = {
		.name = "tune",
		.summary = "Simulate a trace under several lease terms, and "
			   "recommend one.",
		.own = sfairsim_tune_options,
	};

	return sfairsim_command(&usage, argc, argv, false, tune);
}
