/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One question for all metrics, asked once a second at most. */
#include "astra_config.h"

#include <stdlib.h>
#include <time.h>

#include "src/cmd/sfair/metrics.h"
#include "src/cmd/sfair/sfair.h"

#define WAIT_SEC 5 /* a scrape gives up after ten seconds as a rule */
#define KEEP_MSEC 1000

static int64_t metrics_scrape_now_msec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + 1;
}

int metrics_scraper_open(struct metrics_scraper *scraper,
			 struct astra_error *err)
{
	return sfair_find(&scraper->where, err);
}

void metrics_scraper_close(struct metrics_scraper *scraper)
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

/* The first of them. */
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

/* What there is to tell of sfair itself, and the tenants that have metrics. */
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
