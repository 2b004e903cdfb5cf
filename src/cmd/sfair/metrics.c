/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair metrics: prints metrics once, or serves them over HTTP. */
#include "astra_config.h"

#include "src/cmd/sfair/metrics.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/cmd/sfair/sfair.h"
#include "src/common/clock.h"
#include "src/proto/listen.h"

/* All metrics come from one request. It is sent at most once a second. */

#define WAIT_SEC 5 /* scrapes usually time out after ten seconds */
#define KEEP_MSEC 1000

static int64_t metrics_scrape_now_msec(void)
{
	return astra_now_msec(CLOCK_MONOTONIC) + 1;
}

static int metrics_scraper_open(struct metrics_scraper *scraper,
				struct astra_error *err)
{
	return sfair_find(&scraper->where, err);
}

static void metrics_scraper_close(struct metrics_scraper *scraper)
{
	sfair_where_clear(&scraper->where);
	json_decref(scraper->reply);
}

static void metrics_scrape_ask(struct metrics_scraper *s)
{
	const struct astra_query query = {.kind = ASTRA_QUERY_METRICS};
	int64_t begin = metrics_scrape_now_msec();

	if (s->asked_msec && begin - s->asked_msec < KEEP_MSEC)
		return;
	json_decref(s->reply);
	s->reply =
		sfair_ask_at(&s->where, &query, WAIT_SEC, s->verbose, &s->err);
	s->asked_msec = metrics_scrape_now_msec();
	s->took_sec = (double)(s->asked_msec - begin) / 1000;
	s->scrapes++;
	if (!s->reply)
		s->failures++;
}

/* Returns the first METRICS_TENANTS_MAX tenants. */
static json_t *choose_tenants(const json_t *reply)
{
	json_t *chosen = json_array(), *tenant;
	size_t i;

	json_array_foreach(json_object_get(reply, "tenants"), i, tenant)
	{
		if (i < METRICS_TENANTS_MAX)
			json_array_append(chosen, tenant);
	}
	return chosen;
}

static void set_count(json_t *object, const char *key, uint64_t count)
{
	json_object_set_new(object, key, json_integer((json_int_t)count));
}

/* Returns the metrics of sfair itself, and which tenants have metrics. */
static json_t *metrics_scrape_describe(const struct metrics_scraper *s)
{
	json_t *scrape = json_object();

	set_count(scrape, "up", s->reply ? 1 : 0);
	if (s->serves) {
		set_count(scrape, "scrapes", s->scrapes);
		set_count(scrape, "failures", s->failures);
	}
	json_object_set_new(scrape, "took_sec", json_real(s->took_sec));
	json_object_set_new(scrape, "version", json_string(ASTRA_VERSION));
	if (s->reply) {
		json_t *chosen = choose_tenants(s->reply);
		size_t all =
			json_array_size(json_object_get(s->reply, "tenants"));

		set_count(scrape, "left_out", all - json_array_size(chosen));
		json_object_set_new(scrape, "tenants", chosen);
	}
	return scrape;
}

int metrics_scrape(struct metrics_scraper *scraper, bool plain,
		   struct astra_text *out)
{
	json_t *scrape;

	metrics_scrape_ask(scraper);
	scrape = metrics_scrape_describe(scraper);
	metrics_text(out, scrape, scraper->reply, plain);
	json_decref(scrape);
	return scraper->reply ? 0 : -1;
}

struct metrics_args {
	const char *listen;
	bool mdoc, plain;
	bool verbose;
};

#define IN(member) ASTRA_CLI_IN(struct metrics_args, member)

static int set_listen(const struct astra_cli_option *row, void *at,
		      const char *value, struct astra_error *err)
{
	if (!astra_listen_valid(value, 0))
		return astra_error_set(err, "PORT or ADDRESS:PORT, a port from "
					    "0 to 65535");
	return astra_cli_text(row, at, value, err);
}

static const struct astra_cli_option options[] = {
	{"listen", 0, "[ADDRESS:]PORT",
	 "answer scrapes of /metrics there over HTTP, until a SIGTERM; port 0: any that is free",
	 ASTRA_CLI_BY(set_listen, struct metrics_args, listen)},
	{"mdoc", 0, NULL, "the metrics as in the manual page", IN(mdoc)},
	{"prometheus", 0, NULL,
	 "in Prometheus' older text format, as the textfile collector of its node_exporter wants it",
	 IN(plain)},
	ASTRA_CLI_HELP,
	{"verbose", 'v', NULL, "say whom it asks", IN(verbose)},
	ASTRA_CLI_END,
};

static int metrics_parse(int argc, char **argv, struct metrics_args *args,
			 struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair metrics",
		.usage = "sfair metrics [OPTION]...",
		.summary =
			"Print GPUs, jobs, leases, tenants' fairness, rounds and queries as OpenMetrics\n"
			"text, for Prometheus and others. sfair(1) lists the metrics.",
		.options = options,
		.end = "Exit status: 0, or 1 with one line on standard error; if the plugin does not\n"
		       "answer, then with astraea_up 0 on standard output.",
	};
	int rc = astra_cli_parse(&cli, argc, argv, args, err);

	if (!rc && args->listen && args->plain)
		rc = astra_error_set(
			err,
			"--prometheus does not go with --listen: there the scraper chooses the format");
	return rc;
}

/* Prints the metrics once. If the plugin is silent, prints those of sfair
 * itself. */
static int metrics_print_once(struct metrics_scraper *scraper, bool plain,
			      struct astra_error *err)
{
	struct astra_text text = {0};
	int rc = metrics_scrape(scraper, plain, &text);

	if (rc < 0)
		*err = scraper->err;
	if (text.failed)
		rc = astra_error_nomem(err);
	else
		fwrite(text.bytes, 1, text.size, stdout);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = astra_error_set(err, "writing the output failed");
	astra_text_clear(&text);
	return rc;
}

int sfair_metrics(int argc, char **argv, struct astra_error *err)
{
	struct metrics_args args = {0};
	struct metrics_scraper scraper = {0};
	int rc = metrics_parse(argc, argv, &args, err);

	if (rc)
		return rc;
	if (args.mdoc) {
		metrics_mdoc();
		return 0;
	}
	scraper.verbose = args.verbose;
	scraper.serves = args.listen != NULL;
	rc = metrics_scraper_open(&scraper, err);
	if (!rc && args.listen)
		rc = metrics_serve(&scraper, args.listen, err);
	else if (!rc)
		rc = metrics_print_once(&scraper, args.plain, err);
	metrics_scraper_close(&scraper);
	return rc;
}
