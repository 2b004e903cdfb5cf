/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of sfair metrics among themselves. */
#ifndef SFAIR_METRICS_H
#define SFAIR_METRICS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/cmd/sfair/sfair.h"
#include "src/common/error.h"
#include "src/common/text.h"

#define METRICS_TENANTS_MAX 1000 /* that have series */

enum metric_type {
	METRIC_GAUGE,
	METRIC_COUNTER,
	METRIC_SUMMARY, /* a sum in microseconds, and a count */
	METRIC_INFO,	/* texts as labels */
};

/* Which objects of the reply it is of: one series each. */
enum metric_source {
	METRIC_EXPORTER, /* sfair itself */
	METRIC_REPLY,	 /* the reply's head */
	METRIC_DIAG,
	METRIC_HISTORY,
	METRIC_SOCKET,
	METRIC_POOL,
	METRIC_JOBS,
	METRIC_AUCTION,
	METRIC_TENANT,
};

/* Where one metric takes several members of an object: the value of its own
 * label by the member's key. Of METRIC_INFO the label's name. */
struct metric_part {
	const char *value, *key;
};

/* One row a metric: in the text, and in the manual page. */
struct metric {
	const char *name; /* without the suffix of its type */
	enum metric_type type;
	enum metric_source source;
	const char *key;		 /* or parts */
	const char *label;		 /* of the parts; NULL: none */
	const struct metric_part *parts; /* ended by a NULL key */
	const char *member;		 /* of the member, or NULL */
	double scale;			 /* 0: 1 */
	const char *help;		 /* one sentence without a full stop */
};

/* metrics_table.c; ended by a NULL name. */
extern const struct metric metric_table[];

/* The labels that each object of a source has; ended by a NULL key. */
const struct metric_part *metric_labels(enum metric_source source);
const char *metric_type_name(enum metric_type type);

/* "" or the suffix of the type's samples. */
const char *metric_suffix(enum metric_type type);

/* The unit in its name, or NULL. */
const char *metric_unit(const struct metric *metric);

/* metrics_table.c: the table for the manual page. */
void metrics_mdoc(void);

/* metrics_text.c: append all metrics.
 * scrape: of METRIC_EXPORTER. reply: NULL when the plugin did not answer.
 * plain: in Prometheus' older format instead of OpenMetrics. */
void metrics_text(struct astra_text *out, const json_t *scrape,
		  const json_t *reply, bool plain);

/* metrics.c: whom to ask, and what was answered last. */
struct metrics_scraper {
	struct sfair_where where;
	bool verbose;
	bool serves;	    /* more than one scrape */
	json_t *reply;	    /* NULL: the plugin did not answer */
	double took_sec;    /* to ask */
	int64_t asked_msec; /* when; 0: never */
	uint64_t scrapes, failures;
	struct astra_error err; /* of the last failure */
	bool silent;		/* it was told that there is no answer */
};

/* Ask, but not twice within a second, and write what was answered.
 * Returns 0, or -1 with scraper->err set when the plugin did not answer; the
 * text then says so. */
int metrics_scrape(struct metrics_scraper *scraper, bool plain,
		   struct astra_text *out);

/* metrics_http.c: answer scrapes until SIGINT or SIGTERM.
 * where: [ADDRESS:]PORT. Returns 0, or -1 with err set. */
int metrics_serve(struct metrics_scraper *scraper, const char *where,
		  struct astra_error *err);

#endif
