/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/watch.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/client/answer.h"
#include "src/cmd/sfair-agent/program.h"
#include "src/common/clock.h"
#include "src/common/text.h"
#include "src/proto/wire.h"

#define WAIT_SEC 5   /* for an answer */
#define NEW_SEC 60   /* longest time that a new app may be unknown */
#define GONE_TIMES 2 /* an app unknown so often in a row is over */
#define PAUSE_SEC 10 /* pause after the first failure; doubled each time */
#define PAUSE_SEC_MAX 300
#define STOP_AT_ONCE 100 /* jobs per scancel */

static const struct agent_limits program_limits = {5, 1 << 20, 0};
static const struct agent_limits scancel_limits = {60, 1 << 16, 0};

enum outcome { GO_ON, PAUSE, OVER, FAILED };

struct state {
	const struct agent_watch *watch;
	const struct sfair_place *place;
	struct agent_memory memory;
	char app[AGENT_NAME_MAX]; /* name of the app; "": the app of the job */
	uint32_t job;
	double begun_sec; /* when the agent began */
	double next_sec;  /* seconds until the next request for an offer */
	double pause_sec; /* the last pause after a failure */
	bool known;	  /* there was an offer */
	int gone;	  /* how many times in a row the app was unknown */
	char complaint[sizeof(struct astra_error)]; /* the last one printed */
};

/* Print an error, unless it is the same as the last one. */
static void watch_complain(struct state *s, const char *text)
{
	if (!strcmp(s->complaint, text))
		return;
	snprintf(s->complaint, sizeof(s->complaint), "%s", text);
	fprintf(stderr, "sfair-agent: %s\n", text);
}

/* Write a request: {"astraea":1,"request":REQUEST,WHO...MEMBERS. members: an
 * object, "{}" or with members. Returns text to be freed, or NULL. */
static char *write_request(const struct state *s, const char *request,
			   const char *members)
{
	json_t *head = json_pack("{s:i,s:s}", "astraea", ASTRA_PROTOCOL,
				 "request", request);
	struct astra_text out = {0};
	char *text;

	json_object_set_new(head, *s->app ? "app" : "job",
			    *s->app ? json_string(s->app)
				    : json_integer(s->job));
	text = json_dumps(head, JSON_COMPACT);
	json_decref(head);
	if (text)
		astra_text_printf(&out, "%.*s%s%s", (int)strlen(text) - 1, text,
				  members[1] == '}' ? "" : ",", members + 1);
	free(text);
	return out.bytes;
}

/* Send a request. Returns ASTRA_FAULT_NONE with *reply set, for free(), or the
 * fault with err set. */
static enum astra_fault watch_ask(const struct state *s, const char *request,
				  const char *members, char **reply,
				  struct astra_error *err)
{
	const char *auth = *s->place->auth ? s->place->auth : NULL;
	char *text = write_request(s, request, members);
	enum astra_fault fault = ASTRA_FAULT_INTERNAL;

	*reply = NULL;
	if (!text)
		astra_error_nomem(err);
	else if (!astra_call_within(s->place->socket, auth, text, WAIT_SEC,
				    reply, err))
		fault = sfair_answer_check(*reply, err);
	free(text);
	if (fault) {
		free(*reply);
		*reply = NULL;
	}
	return fault;
}

/* Let the program of --scheduler=exec answer an offer. Returns 0, or -1 with
 * err set. */
static int ask_program(const struct agent_settings *settings,
		       const struct agent_offer *offer, const char *text,
		       struct agent_bid *bid, struct astra_error *err)
{
	char *command = strdup(settings->program), *output = NULL;
	char *words[AGENT_WORDS_MAX + 1];
	int rc = command ? 0 : astra_error_nomem(err);

	if (!rc) {
		agent_program_split(command, words);
		rc = agent_program_run(words, text, &program_limits, &output,
				       err);
	}
	if (!rc) {
		struct astra_error why = {""};

		rc = agent_bid_read(bid, offer, output, &why);
		if (rc)
			astra_error_set(err, "%s: its answer: %s", words[0],
					why.text);
	}
	free(output);
	free(command);
	return rc;
}

/* Decide on a bid. If the program of --scheduler=exec fails, the scheduler for
 * a single job decides instead; it gives up no job. */
static int watch_decide(struct state *s, const struct agent_offer *offer,
			const char *text, struct agent_bid *bid,
			struct astra_error *err)
{
	const struct agent_settings *settings = &s->watch->settings;
	struct astra_error why = {""};

	if (settings->program) {
		if (!ask_program(settings, offer, text, bid, &why)) {
			*s->complaint = '\0';
			return agent_take_answer(&s->memory, offer, bid, err);
		}
		watch_complain(s, why.text);
		agent_bid_destroy(bid);
	}
	return agent_decide(settings, &s->memory, offer, bid, err);
}

/* Run scancel for some jobs. */
static void watch_stop(struct state *s, char **words)
{
	struct astra_error err = {""};
	struct astra_text said = {0};
	char *output;

	for (char **word = words + 1; *word; word++)
		astra_text_printf(&said, " %s", *word);
	fprintf(stderr, "sfair-agent: gives up%s\n",
		said.bytes ? said.bytes : "");
	astra_text_clear(&said);
	if (agent_program_run(words, "", &scancel_limits, &output, &err) < 0)
		watch_complain(s, err.text);
	free(output);
}

static void watch_stop_all(struct state *s, const struct agent_offer *offer,
			   const struct agent_bid *bid)
{
	char scancel[] = "scancel", names[STOP_AT_ONCE][AGENT_NAME_MAX];
	char *words[STOP_AT_ONCE + 2] = {scancel};
	size_t count = 0;

	for (size_t i = 0; i < bid->stop_count; i++) {
		const struct agent_job *job =
			agent_offer_job(offer, bid->stop[i]);

		if (*job->name) {
			memcpy(names[count], job->name, AGENT_NAME_MAX);
			words[count + 1] = names[count];
			words[++count + 1] = NULL;
		} else {
			fprintf(stderr,
				"sfair-agent: job %u is given up, but its name is too long for scancel\n",
				job->id);
		}
		if (count == STOP_AT_ONCE ||
		    (count && i + 1 == bid->stop_count)) {
			watch_stop(s, words);
			count = 0;
		}
	}
}

static void print_decision(const char *offer, const char *bid,
			   const struct agent_bid *decided)
{
	printf("offer %s\nbid %s\nstop", offer, bid);
	for (size_t i = 0; i < decided->stop_count; i++)
		printf(" %u", decided->stop[i]);
	putchar('\n');
	fflush(stdout);
}

static void watch_tell(const struct agent_offer *offer,
		       const struct agent_bid *bid)
{
	fprintf(stderr,
		"sfair-agent: %zu jobs, %u of up to %u GPUs; with one rho %g, with all %g\n",
		offer->job_count, offer->gpus_held, offer->gpus_max,
		bid->rho ? bid->rho[0] : (double)NAN,
		bid->rho ? bid->rho[bid->gpus_max - 1] : (double)NAN);
}

/* Send the bid. If the bid is refused, print the reason; the next bid may be
 * better. */
static void send_bid(struct state *s, const char *text)
{
	struct astra_error err = {""}, why;
	char *reply;

	if (!strcmp(text, "{}") ||
	    watch_ask(s, "bid", text, &reply, &err) == ASTRA_FAULT_NONE) {
		if (strcmp(text, "{}") != 0)
			free(reply);
		return;
	}
	astra_error_set(&why, "the bid was not taken: %s", err.text);
	watch_complain(s, why.text);
}

static int act(struct state *s, const struct agent_offer *offer,
	       const char *text, const struct agent_bid *bid,
	       struct astra_error *err)
{
	char *written = agent_bid_write(bid);

	if (!written)
		return astra_error_nomem(err);
	if (s->watch->verbose)
		watch_tell(offer, bid);
	if (s->watch->dry_run) {
		print_decision(text, written, bid);
	} else {
		watch_stop_all(s, offer, bid);
		send_bid(s, written);
	}
	free(written);
	return 0;
}

/* Note the app's own name, or the id of its array, as the app may outlive the
 * job that named it. */
static void rename_app(struct state *s, const struct agent_offer *offer)
{
	uint32_t array = agent_offer_array(offer);

	if (*offer->app && offer->uid == getuid())
		memcpy(s->app, offer->app, sizeof(s->app));
	else if (!*offer->app && array)
		s->job = array;
}

static enum outcome take_offer(struct state *s, const char *text,
			       struct astra_error *err)
{
	struct agent_offer offer;
	struct agent_bid bid = {0};
	int rc = agent_offer_read(&offer, text, err);

	if (s->pause_sec > 0)
		*s->complaint = '\0'; /* if the same error comes back, report it
				       * again */
	s->known = true;
	s->gone = 0;
	s->pause_sec = 0;
	if (!(s->watch->interval_sec > 0))
		s->next_sec = offer.report_sec;
	if (!rc) {
		rename_app(s, &offer);
		rc = watch_decide(s, &offer, text, &bid, err);
	}
	if (!rc)
		rc = act(s, &offer, text, &bid, err);
	agent_bid_destroy(&bid);
	agent_offer_destroy(&offer);
	return rc ? PAUSE : GO_ON;
}

/* Handle an unknown app. A new app stays unknown until the first round after
 * its submission. */
static enum outcome not_yet(struct state *s)
{
	s->next_sec = fmin(s->next_sec, 1);
	return astra_now_sec(CLOCK_MONOTONIC) - s->begun_sec < NEW_SEC ? GO_ON
								       : FAILED;
}

static enum outcome watch_look(struct state *s, struct astra_error *err)
{
	enum outcome outcome;
	char *text;

	switch (watch_ask(s, "offer", "{}", &text, err)) {
	case ASTRA_FAULT_NONE:
		outcome = take_offer(s, text, err);
		free(text);
		return outcome;
	case ASTRA_FAULT_NOT_FOUND:
		if (!s->known)
			return not_yet(s);
		return ++s->gone >= GONE_TIMES ? OVER : GO_ON;
	case ASTRA_FAULT_NO_DATA:
		return s->known ? PAUSE : not_yet(s);
	case ASTRA_FAULT_MALFORMED:
	case ASTRA_FAULT_VERSION:
	case ASTRA_FAULT_DENIED:
		return FAILED;
	default:
		return PAUSE;
	}
}

/* Wait while slurmctld is away or busy: each time twice as long, up to five
 * minutes. */
static void pause_longer(struct state *s, const char *why)
{
	double first =
		s->watch->interval_sec > 0 ? s->watch->interval_sec : PAUSE_SEC;

	watch_complain(s, why);
	s->pause_sec = fmin(s->pause_sec > 0 ? 2 * s->pause_sec : first,
			    PAUSE_SEC_MAX);
	s->next_sec = s->pause_sec;
}

static void watch_rest(double seconds)
{
	struct timespec ts = {.tv_sec = (time_t)seconds};

	ts.tv_nsec = (long)((seconds - (double)ts.tv_sec) * 1e9);
	nanosleep(&ts, NULL);
}

int agent_watch_run(const struct agent_watch *watch,
		    const struct sfair_place *place, struct astra_error *err)
{
	struct state s = {.watch = watch, .place = place, .job = watch->job};
	enum outcome outcome;

	if (watch->app)
		snprintf(s.app, sizeof(s.app), "%s", watch->app);
	s.begun_sec = astra_now_sec(CLOCK_MONOTONIC);
	for (;;) {
		*err->text = '\0';
		s.next_sec = watch->interval_sec > 0 ? watch->interval_sec
						     : PAUSE_SEC;
		outcome = watch_look(&s, err);
		if (outcome == OVER || outcome == FAILED || watch->once)
			break;
		if (outcome == PAUSE)
			pause_longer(&s, err->text);
		watch_rest(s.next_sec);
	}
	agent_memory_clear(&s.memory);
	if (outcome == OVER || (outcome == GO_ON && s.known))
		return 0;
	return 1;
}
