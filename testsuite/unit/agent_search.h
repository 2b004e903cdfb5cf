/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A search whose jobs are moved on by hand, and what its scheduler says. */
#ifndef TEST_AGENT_SEARCH_H
#define TEST_AGENT_SEARCH_H

#include <stdio.h>
#include <string.h>

#include "src/agent/scheduler.h"
#include "testsuite/unit/unit.h"

struct search {
	struct agent_settings settings;
	struct agent_memory memory;
	struct agent_offer offer;
	struct agent_job jobs[16];
	struct agent_bid bid;
};

/* Jobs 1 to count, each of so many GPUs, of which none told anything. */
static inline void search_begin(struct search *s, const char *scheduler,
				size_t count, uint32_t gpus)
{
	struct astra_error err = {""};

	*s = (struct search){
		.offer = {.now_sec = 1000,
			  .navg = 1,
			  .ideal_sec = 1,
			  .gpus_max = gpus * (uint32_t)count,
			  .slowdown = {1, 1, 1, 1},
			  .job_count = count},
	};
	if (agent_settings_read(&s->settings, scheduler, &err) < 0)
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < count; i++)
		s->jobs[i] = (struct agent_job){.id = i + 1,
						.copies = 1,
						.gpus = gpus,
						.loss = (double)NAN};
}

static inline void search_decide(struct search *s)
{
	struct astra_error err = {""};

	s->offer.jobs = s->jobs;
	agent_bid_destroy(&s->bid);
	if (agent_decide(&s->settings, &s->memory, &s->offer, &s->bid, &err) <
	    0)
		fail_msg("%s", err.text);
	s->offer.now_sec += 10;
}

static inline void search_end(struct search *s)
{
	agent_bid_destroy(&s->bid);
	agent_memory_clear(&s->memory);
}

static inline double search_rho(const struct search *s, uint32_t k,
				enum astra_level level)
{
	assert_non_null(s->bid.rho);
	assert_in_range(k, 1, s->bid.gpus_max);
	return s->bid.rho[level * s->bid.gpus_max + k - 1];
}

/* A job is over. */
static inline void search_remove(struct search *s, uint32_t job)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->offer.job_count; i++)
		if (s->jobs[i].id != job)
			s->jobs[kept++] = s->jobs[i];
	s->offer.job_count = kept;
}

/* "2 3": numbers of a list. */
static inline const char *search_list(const uint32_t *jobs, size_t count)
{
	static char text[200];
	size_t size = 0;

	*text = '\0';
	for (size_t i = 0; i < count; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size,
					 "%s%u", i ? " " : "", jobs[i]);
	return text;
}

static inline const char *search_stops(const struct search *s)
{
	return search_list(s->bid.stop, s->bid.stop_count);
}

static inline const char *search_order(const struct search *s)
{
	return search_list(s->bid.order, s->bid.order_count);
}

#endif
