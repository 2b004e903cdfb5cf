/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of sfair metrics. */
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

/* The objects of the reply that a metric can describe; each object becomes a
 * series. */
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

/* A part of a metric that takes several members of an object: the member's key,
 * and the value of the metric's own label. For METRIC_INFO, value is the
 * label's name. */
struct metric_part {
	const char *value, *key;
};

/* A metric: a row of the metrics' text and of the manual page. */
struct metric {
	const char *name; /* without the suffix for its type */
	enum metric_type type;
	enum metric_source source;
	const char *key;		 /* NULL: see parts */
	const char *label;		 /* of the parts; NULL: none */
	const struct metric_part *parts; /* ended by a NULL key */
	const char *member;		 /* object of the reply that has the
					  * value; or NULL */
	double scale;			 /* factor; 0: 1 */
	const char *help;		 /* one sentence without a full stop */
};

/* metrics_table.c: all metrics; ends with a NULL name. */
extern const struct metric metric_table[];

/* Returns the labels that each object of a source has; ends with a NULL key. */
const struct metric_part *metric_labels(enum metric_source source);
const char *metric_type_name(enum metric_type type);

/* Returns the suffix for samples of this type, or "". */
const char *metric_suffix(enum metric_type type);

/* Returns the unit that the metric's name ends with, or NULL. */
const char *metric_unit(const struct metric *metric);

/* metrics_table.c: prints the table for the manual page. */
void metrics_mdoc(void);

/* metrics_text.c: appends all metrics. scrape: the object for METRIC_EXPORTER.
 * reply: NULL if the plugin did not answer. plain: in Prometheus' older text
 * format instead of OpenMetrics. */
void metrics_text(struct astra_text *out, const json_t *scrape,
		  const json_t *reply, bool plain);

/* metrics.c: where the plugin is, and its last reply. */
struct metrics_scraper {
	struct sfair_where where;
	bool verbose;
	bool serves;	    /* more than one scrape */
	json_t *reply;	    /* NULL: the plugin did not answer */
	double took_sec;    /* time of the request */
	int64_t asked_msec; /* when the plugin was last asked; 0: never */
	uint64_t scrapes, failures;
	struct astra_error err; /* of the last failure */
	bool silent;		/* the silence was reported */
};

/* Asks the plugin, at most once a second, and appends its metrics. If the
 * plugin did not answer, the metrics say so, scraper->err is set, and -1 is
 * returned. Otherwise returns 0. */
int metrics_scrape(struct metrics_scraper *scraper, bool plain,
		   struct astra_text *out);

/* metrics_http.c: answers scrapes until SIGINT or SIGTERM. where:
 * [ADDRESS:]PORT. Returns 0, or -1 with err set. */
int metrics_serve(struct metrics_scraper *scraper, const char *where,
		  struct astra_error *err);

#endif
