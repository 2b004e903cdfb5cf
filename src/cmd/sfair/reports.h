/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of sfair's reports over past time. */
#ifndef SFAIR_REPORTS_H
#define SFAIR_REPORTS_H

#include "src/cmd/sfair/sfair.h"

/* How GPU time is written: as an amount, as a share of the whole, or as
 * both. */
enum sfair_share { SFAIR_AMOUNT, SFAIR_PERCENT, SFAIR_BOTH };

/* Texts are borrowed from argv. */
struct sfair_report_args {
	struct sfair_args show;	 /* style, unit, header, names, help */
	const char *type;	 /* "tenant" */
	bool named;		 /* the report is in show.query.past */
	const char *start, *end; /* NULL: not given */
	const char *cluster;	 /* NULL: this one */
	enum sfair_share share;
	bool tree, quiet;
};

/* Whether a report is meant: the words of a live view ("tenant", "job") name a
 * report, or ask for help on reports or for their fields. */
bool sfair_report_meant(int argc, char **argv);

/* reports_print.c: returns the columns of a report. */
const struct sfair_table *sfair_report_table(enum astra_report_kind kind);

/* reports_print.c: writes the reply. Returns 0, or -1 with err set. */
int sfair_report_print(const json_t *reply,
		       const struct sfair_report_args *args,
		       struct astra_error *err);

#endif
