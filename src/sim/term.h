/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the lease term that suits a trace. A short term costs checkpoints and
 * cold starts; a long one costs fairness and waiting (ASTRAEA, section 5.1.3).
 * Pure.
 *
 * A term is judged by a simulation. The criteria are job sharing loss, tenant
 * sharing loss, GPU time lost to overhead, and mean completion time. One point
 * is a distance from the best term of one percentage point or, for completion
 * time, of 5 %. A term's worst criterion counts. */
#ifndef ASTRA_TERM_H
#define ASTRA_TERM_H

#include "src/common/text.h"
#include "src/sim/metrics.h"

struct astra_term {
	double term_sec;
	double job_loss, tenant_loss, lost_share; /* NaN: not defined */
	double jct_mean_sec;
};

struct astra_term astra_term_of(double term_sec,
				const struct astra_metrics *metrics);

/* Returns how many points a term is behind the best terms, in its worst
 * criterion. An undefined number counts as not behind. in: set to the name of
 * that criterion; may be NULL. */
double astra_term_behind(const struct astra_term *terms, size_t count,
			 size_t index, const char **in);

/* Returns the index of the term that is least far behind. Ties go to the
 * longest term, which disturbs least. terms: ascending, at least one. */
size_t astra_term_best(const struct astra_term *terms, size_t count);

/* Appends the term's four figures, each with its name. */
void astra_term_print(const struct astra_term *term, struct astra_text *out);

/* Settings of LeaseTerm=auto. */

#define ASTRA_TERM_DAYS 7	   /* age of the oldest jobs used */
#define ASTRA_TERM_JOBS_MOST 20000 /* at most the last jobs are used */
#define ASTRA_TERM_JOBS_LEAST 100  /* ended jobs needed to choose a term */
#define ASTRA_TERM_SPAN_SEC 86400  /* least time that they span */
#define ASTRA_TERM_EVERY_SEC 86400 /* time between two choices */
#define ASTRA_TERM_RUNGS 6
#define ASTRA_TERM_COSTS 4  /* a shorter term loses over a quarter */
#define ASTRA_TERM_BAND 2.0 /* points; a smaller gain changes nothing */

enum astra_term_verdict {
	ASTRA_TERM_FEW,	 /* too few jobs: the term stays */
	ASTRA_TERM_KEPT, /* no other term is clearly better */
	ASTRA_TERM_CHANGED,
};

/* The last days of a pool. All of it is borrowed. */
struct astra_term_past {
	const struct astra_trace *trace; /* each job's work in them */
	size_t ended;			 /* count of the trace's jobs that have
					  * ended */
	double span_sec;		 /* time from the first submission to
					  * now */
};

struct astra_term_choice {
	enum astra_term_verdict verdict;
	double before_sec, term_sec; /* the present term, and the chosen one */
	size_t jobs;		     /* jobs simulated */
	/* The simulated terms, before and after; only if the verdict is not
	 * FEW. */
	struct astra_term before, after;
	double before_points, after_points; /* behind the best */
};

/* Fills the terms that LeaseTerm=auto tries, ascending, in whole seconds. They
 * go from the least to the longest; each is twice the one before, or a larger
 * multiple if that would be too many. Returns their count. */
size_t astra_term_ladder(const struct astra_options *options,
			 double terms[ASTRA_TERM_RUNGS]);

/* Simulates the past under the present term and each term of the ladder that is
 * at least ASTRA_TERM_COSTS times the cost of an interruption. Chooses the best
 * term, but keeps the present one unless it is more than ASTRA_TERM_BAND
 * behind. options: the pool's; lease_sec is the present term. sim: has the cost
 * of an interruption, and go_on, which can stop the work. Returns 0, or -1 with
 * err set. */
int astra_term_choose(const struct astra_term_past *past,
		      const struct astra_cluster *cluster,
		      const struct astra_options *options,
		      const struct astra_sim_options *sim,
		      struct astra_term_choice *out, struct astra_error *err);

/* Appends which term was chosen and why, for slurmctld's log. */
void astra_term_tell(const struct astra_term_choice *choice,
		     struct astra_text *out);

#endif
