/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lease term that suits a trace: a short one costs checkpoints and cold
 * starts, a long one fairness and waiting (ASTRAEA, section 5.1.3). Pure.
 *
 * A term is measured by what a simulation under it says. It is behind by one
 * point for each percentage point of job sharing loss, of tenant sharing loss
 * or of GPU time lost to overhead above the least of all terms, and for each
 * 5 % of mean completion time. What it is worst at counts.
 */
#ifndef ASTRA_TERM_H
#define ASTRA_TERM_H

#include "src/common/text.h"
#include "src/sim/metrics.h"

struct astra_term {
	double term_sec;
	double job_loss, tenant_loss, lost_share; /* NaN: no number */
	double jct_mean_sec;
};

struct astra_term astra_term_of(double term_sec,
				const struct astra_metrics *metrics);

/* Return by how many points a term is behind the best ones. What has no number
 * is not behind.
 * in: gets the name of what the term is worst at; NULL: not wanted. */
double astra_term_behind(const struct astra_term *terms, size_t count,
			 size_t index, const char **in);

/* Return the index of the term that is least far behind; of equal terms the
 * longest, which disturbs least. terms: ascending, at least one. */
size_t astra_term_best(const struct astra_term *terms, size_t count);

/* Append the four figures with their names. */
void astra_term_print(const struct astra_term *term, struct astra_text *out);

/* LeaseTerm=auto. */

#define ASTRA_TERM_DAYS 7	   /* so far back jobs are taken */
#define ASTRA_TERM_JOBS_MOST 20000 /* the last ones, if there are more */
#define ASTRA_TERM_JOBS_LEAST 100  /* that have ended; fewer say nothing */
#define ASTRA_TERM_SPAN_SEC 86400  /* over which they are, at least */
#define ASTRA_TERM_EVERY_SEC 86400 /* between two choices */
#define ASTRA_TERM_RUNGS 6
#define ASTRA_TERM_COSTS 4  /* a shorter term loses a quarter of its time */
#define ASTRA_TERM_BAND 2.0 /* points; less is no reason for another term */

enum astra_term_verdict {
	ASTRA_TERM_FEW,	 /* too few jobs: the term stays */
	ASTRA_TERM_KEPT, /* no other one is clearly better */
	ASTRA_TERM_CHANGED,
};

/* The pool's last days. All of it is borrowed. */
struct astra_term_past {
	const struct astra_trace *trace; /* what each job did in them */
	size_t ended;			 /* jobs of the trace that have ended */
	double span_sec;		 /* from the first submission to now */
};

struct astra_term_choice {
	enum astra_term_verdict verdict;
	double before_sec, term_sec; /* the present one, and the one to take */
	size_t jobs;		     /* that were simulated */
	/* As measured; only if the verdict is not FEW. */
	struct astra_term before, after;
	double before_points, after_points; /* behind the best */
};

/* Which terms LeaseTerm=auto tries: a ladder from the least term to the longest
 * one, each twice the one before it, or more where that is too many. Ascending,
 * in whole seconds. Returns their number. */
size_t astra_term_ladder(const struct astra_options *options,
			 double terms[ASTRA_TERM_RUNGS]);

/* Simulate the past under each term of the ladder that is at least
 * ASTRA_TERM_COSTS times what an interruption costs, and under the present one,
 * and take the best one. The present one stays unless it is more than
 * ASTRA_TERM_BAND behind the best one.
 * options: of the pool; lease_sec is the present term. sim: what an
 * interruption costs, and go_on, which ends the work.
 * Returns 0, or -1 with err set. */
int astra_term_choose(const struct astra_term_past *past,
		      const struct astra_cluster *cluster,
		      const struct astra_options *options,
		      const struct astra_sim_options *sim,
		      struct astra_term_choice *out, struct astra_error *err);

/* Append what was chosen and why, for the log. */
void astra_term_tell(const struct astra_term_choice *choice,
		     struct astra_text *out);

#endif
