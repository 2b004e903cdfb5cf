/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfairsim tune: tries lease terms (ASTRAEA, 5.1.3) or values of another
 * option. */
#include <stdlib.h>

#include "src/cmd/sfairsim/sfairsim.h"
#include "src/cmd/sfairsim/sweep.h"
#include "src/cmd/sfairsim/table.h"

struct tuning {
	struct sfairsim_sweep sweep;
	struct sfairsim_case cases[SFAIRSIM_VALUES_MAX];
};

/* Refuses the baselines, as they have neither leases nor options. */
static int check_policy(const struct sfairsim_setup *s,
			const struct sfairsim_sweep *sweep,
			struct astra_error *err)
{
	const struct astra_scheduler *scheduler = s->schedulers[0];

	if (scheduler->source)
		return astra_error_set(err, "policy %s has no %s",
				       scheduler->name,
				       sweep->is_terms ? "leases" : sweep->key);
	if (sweep->is_terms && !s->options.leases)
		return astra_error_set(err, "Leases=no: there is no lease to "
					    "tune");
	return 0;
}

/* Makes a case for each value. The value is set as its line in astraea.conf
 * would set it. */
static int make_cases(const struct sfairsim_setup *s, struct tuning *t,
		      struct astra_error *err)
{
	for (size_t i = 0; i < t->sweep.count; i++) {
		t->cases[i] = (struct sfairsim_case){
			.name = t->sweep.values[i],
			.scheduler = s->schedulers[0],
			.options = s->options,
		};
		if (sfairsim_sweep_set(&t->sweep, i, &t->cases[i].options,
				       err) < 0)
			return -1;
	}
	return 0;
}

static int tune_run_cases(const struct sfairsim_setup *s,
			  const struct sfairsim_args *args, struct tuning *t,
			  struct astra_error *err)
{
	const bool terms = t->sweep.is_terms;
	const struct sfairsim_table table = {
		.what = t->sweep.key,
		.title = terms ? "Lease terms" : t->sweep.key,
		.is_sweep = true,
		.terms_sec = terms ? t->sweep.terms_sec : NULL,
		.recommend = terms ? sfairsim_terms_recommend : NULL,
	};
	size_t count = t->sweep.count;
	int rc = sfairsim_batch(s, t->cases, count, args->cores, args->quiet,
				err);

	if (!rc)
		rc = sfairsim_table_write(&table, s, args, t->cases, count,
					  err);
	sfairsim_batch_clear(s, t->cases, count);
	return rc;
}

static int tune(struct sfairsim_setup *s, const struct sfairsim_args *args,
		struct astra_error *err)
{
	struct tuning *t = calloc(1, sizeof(*t));
	int rc = -1;

	if (!t)
		return astra_error_nomem(err);
	if (sfairsim_sweep_parse(&t->sweep, args->terms, args->vary, err) ==
		    0 &&
	    check_policy(s, &t->sweep, err) == 0 && make_cases(s, t, err) == 0)
		rc = tune_run_cases(s, args, t, err);
	free(t);
	return rc;
}

int sfairsim_tune(int argc, char **argv)
{
	static const struct astra_cli cli = {
		.name = "sfairsim tune",
		.usage = "sfairsim tune [OPTION]...",
		.summary = "Simulate a trace under several lease terms, and "
			   "recommend one, or\nunder several values of "
			   "another option.",
		.options = sfairsim_tune_options,
	};

	return sfairsim_command(&cli, argc, argv, false, tune);
}
