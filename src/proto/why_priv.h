/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the paragraph of `sfair why` among themselves. */
#ifndef ASTRA_WHY_PRIV_H
#define ASTRA_WHY_PRIV_H

#include "src/common/text.h"
#include "src/proto/report.h"

#define ASTRA_SPAN_BYTES 32

/* "45 s", "3 min 20 s", "2 h 5 min", "4 d 3 h". Returns text. */
const char *astra_why_span(double sec, char text[ASTRA_SPAN_BYTES]);

/* How the job's app fared in its last auction; nothing where there are none.
 * (why_auction.c) */
void astra_why_auction(const struct astra_report *report,
		       const struct astra_report_job *job,
		       struct astra_text *out);

#endif
