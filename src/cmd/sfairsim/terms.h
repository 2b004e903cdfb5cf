/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lease terms: which are tried, and which one is recommended. */
#ifndef ASTRA_SFAIRSIM_TERMS_H
#define ASTRA_SFAIRSIM_TERMS_H

#include "src/common/error.h"
#include "src/common/text.h"
#include "src/sim/compare.h"

#define SFAIRSIM_TERMS_MAX 64

/* A term as astraea.conf has it. */
#define SFAIRSIM_TERM_SIZE 24
char *sfairsim_term_text(double sec, char text[SFAIRSIM_TERM_SIZE]);

/* Terms separated by commas, or NULL for those of ASTRAEA's 5.1.3: from five
 * minutes to several hours. argument: that has them, for messages. out:
 * ascending, each once.
 * Returns how many, or 0 with err set. */
size_t sfairsim_terms_parse(const char *argument, const char *text,
			    double out[SFAIRSIM_TERMS_MAX],
			    struct astra_error *err);

/* The term that is least far behind the best one in what it is worst at. Points
 * behind are counted as: one percentage point of job loss, of tenant loss or of
 * GPU time lost to overhead; 5 % more mean completion time. Of equal terms the
 * longest, which disturbs least.
 * why: gets the reason in words. Returns the index of the case. */
size_t sfairsim_terms_recommend(const struct astra_comparison *comparison,
				struct astra_text *why);

#endif
