/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Successive halving (Hyperband's inner loop): when all jobs have done the
 * iterations of a rung, one in eta jobs is kept, those with the least loss. The
 * others are given up. (Li et al., JMLR'18; Themis Eq. 2)
 *
 * The search begins with N jobs. Rung i keeps floor(N / eta^(i+1)) of them, at
 * least one. The next rung follows from these counts and the number of jobs
 * left. If jobs fail, the next rung gives up fewer jobs. */
#include <math.h>
#include <stdlib.h>

#include "src/agent/scheduler.h"
#include "src/agent/work.h"
#include "src/common/number.h"

struct ladder {
	double rungs[AGENT_RUNGS_MAX + 1]; /* iterations, rising */
	uint32_t keep[AGENT_RUNGS_MAX + 1];
	size_t count;
};

static uint32_t kept_at(double jobs, double eta, size_t rung)
{
	return (uint32_t)fmax(1,
			      astra_floor(jobs / pow(eta, (double)rung + 1)));
}

static void add_rung(struct ladder *ladder, double iterations, uint32_t keep)
{
	if (ladder->count && iterations <= ladder->rungs[ladder->count - 1]) {
		ladder->keep[ladder->count - 1] = keep;
		return;
	}
	ladder->rungs[ladder->count] = iterations;
	ladder->keep[ladder->count++] = keep;
}

/* Computes the rungs from the number of jobs, so that the last rung leaves one
 * job: total * eta^(i - s), s = floor(log N / log eta), or first * eta^i. */
static void find_rungs(struct ladder *ladder, const struct agent_settings *s,
		       double jobs, double total)
{
	double steps = astra_floor(log(jobs) / log(s->eta));

	steps = fmin(steps, AGENT_RUNGS_MAX);
	for (size_t i = 0; (double)i < steps; i++) {
		double power = s->first > 0 ? (double)i : (double)i - steps;
		double from = s->first > 0 ? s->first : total;
		double rung = fmax(1, astra_ceil(from * pow(s->eta, power)));

		if (rung < total)
			add_rung(ladder, rung, kept_at(jobs, s->eta, i));
	}
}

/* Builds the ladder: the rungs and, at the top, the end of the jobs. Without
 * rungs and without a total the ladder is empty. */
static void build(struct ladder *ladder, const struct agent_settings *s,
		  const struct agent_memory *memory,
		  const struct agent_offer *offer)
{
	double total = s->total > 0 ? s->total : agent_longest_total(offer);
	double jobs = s->jobs ? s->jobs : memory->jobs;

	*ladder = (struct ladder){0};
	for (size_t i = 0; i < s->rung_count; i++)
		add_rung(ladder, s->rungs[i], kept_at(jobs, s->eta, i));
	if (!(total > 0) || !(jobs > 0))
		return;
	if (!s->rung_count)
		find_rungs(ladder, s, jobs, total);
	if (!ladder->count || total > ladder->rungs[ladder->count - 1])
		add_rung(ladder, total, 1);
}

/* Whether a job takes part in a rung: it is alive, or it has reached the rung
 * and ended without being given up. */
static bool contends(const struct agent_record *r, double rung)
{
	return agent_record_lives(r) || (!r->stopped && r->done >= rung);
}

static uint32_t contenders(const struct agent_memory *memory, double rung)
{
	uint32_t count = 0;

	for (size_t i = 0; i < memory->count; i++)
		if (contends(&memory->records[i], rung))
			count += memory->records[i].copies;
	return count;
}

static bool all_there(const struct agent_memory *memory, double rung)
{
	for (size_t i = 0; i < memory->count; i++) {
		const struct agent_record *r = &memory->records[i];

		if (agent_record_lives(r) && (r->copies > 1 || r->done < rung))
			return false;
	}
	return true;
}

struct rank {
	struct agent_record *record;
	double loss; /* infinite: none, or it diverged */
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->loss != y->loss)
		return x->loss < y->loss ? -1 : 1;
	return x->record->job < y->record->job ? -1 : 1;
}

/* Gives up all contenders except the `keep` best. Returns 1; 0 if no contender
 * has a loss, so that nothing was decided; or -1 when out of memory. */
static int decide_rung(struct agent_memory *memory, double rung, uint32_t keep)
{
	struct rank *ranks = malloc((memory->count + 1) * sizeof(*ranks));
	size_t count = 0;
	int rc;

	if (!ranks)
		return -1;
	for (size_t i = 0; i < memory->count; i++) {
		struct agent_record *r = &memory->records[i];
		double loss = agent_record_loss(r, rung);

		if (contends(r, rung))
			ranks[count++] =
				(struct rank){r, isnan(loss) ? HUGE_VAL : loss};
	}
	if (count)
		qsort(ranks, count, sizeof(*ranks), compare_ranks);
	rc = count && !isinf(ranks->loss);
	for (size_t i = keep; rc && i < count; i++)
		if (agent_record_lives(ranks[i].record))
			agent_record_stop(ranks[i].record);
	free(ranks);
	return rc;
}

/* Returns the last rung that counts as decided. An agent that starts in the
 * middle of a search does not know which rungs were decided. So it takes the
 * last rung that all live jobs have reached. If the settings say with how many
 * jobs the search began, no rung counts as decided. */
static double halving_begin_at(const struct ladder *ladder,
			       const struct agent_settings *s,
			       const struct agent_memory *memory)
{
	double rung = 0;

	for (size_t i = 0; !s->jobs && i + 1 < ladder->count; i++)
		if (all_there(memory, ladder->rungs[i]))
			rung = ladder->rungs[i];
	return rung;
}

/* Decides all rungs that are due. Returns the index of the next rung, which may
 * be the top of the ladder, or -1 when out of memory. */
static int halving_climb(struct agent_memory *memory,
			 const struct ladder *ladder,
			 const struct agent_settings *s)
{
	size_t i;

	if (isnan(memory->rung))
		memory->rung = halving_begin_at(ladder, s, memory);
	for (i = 0; i + 1 < ladder->count; i++) {
		double rung = ladder->rungs[i];
		int rc = 1;

		if (rung <= memory->rung ||
		    contenders(memory, rung) <= ladder->keep[i])
			continue;
		if (all_there(memory, rung))
			rc = decide_rung(memory, rung, ladder->keep[i]);
		else
			rc = 0;
		if (rc < 0)
			return -1;
		if (!rc)
			break;
		memory->rung = rung;
	}
	return (int)i;
}

static uint32_t count_live(const struct agent_memory *memory)
{
	uint32_t count = 0;

	for (size_t i = 0; i < memory->count; i++)
		if (agent_record_lives(&memory->records[i]))
			count += memory->records[i].copies;
	return count;
}

/* Adds to the phase the work of all live jobs between two rungs. */
static void halving_add_live(struct agent_work *work,
			     const struct agent_memory *memory,
			     const struct agent_offer *offer, double from,
			     double to, double median_sec)
{
	for (size_t i = 0; i < offer->job_count; i++) {
		const struct agent_job *job = &offer->jobs[i];
		const struct agent_record *r =
			agent_memory_find(memory, job->id);

		if (agent_record_lives(r))
			agent_work_add(work,
				       fmax(0, to - fmax(from, job->done)) *
					       agent_job_gpu_sec(memory, job,
								 median_sec),
				       job->copies);
	}
}

static int bid_work(const struct ladder *ladder, size_t next,
		    const struct agent_memory *memory,
		    const struct agent_offer *offer, struct agent_bid *bid,
		    struct astra_error *err)
{
	double median_sec = agent_median_gpu_sec(memory, offer);
	uint32_t live = count_live(memory);
	struct agent_work work;
	int rc;

	if (median_sec < 0)
		return astra_error_nomem(err);
	if (!(median_sec > 0))
		return agent_left_bid(offer, bid, err);
	agent_work_init(&work, offer);
	for (size_t i = next; i < ladder->count; i++) {
		double from = i > next ? ladder->rungs[i - 1] : 0;
		uint32_t keep = i > next ? ladder->keep[i - 1] : live;

		agent_work_phase(&work);
		if (keep >= live)
			halving_add_live(&work, memory, offer, from,
					 ladder->rungs[i], median_sec);
		else
			agent_work_add(&work,
				       (ladder->rungs[i] - from) * median_sec,
				       keep);
	}
	rc = agent_work_bid(&work, memory, offer, bid, err);
	agent_work_destroy(&work);
	return rc;
}

/* Orders the live jobs. The jobs below the rung come first, as all others wait
 * for them; of these the one furthest behind comes first. */
static int halving_order_jobs(const struct agent_memory *memory, double rung,
			      struct agent_bid *bid, struct astra_error *err)
{
	struct agent_turn *turns = malloc((memory->count + 1) * sizeof(*turns));
	size_t count = 0;

	if (!turns)
		return astra_error_nomem(err);
	for (size_t i = 0; i < memory->count; i++) {
		const struct agent_record *r = &memory->records[i];

		if (agent_record_lives(r))
			turns[count++] = (struct agent_turn){
				r->job, r->done >= rung, r->done};
	}
	agent_bid_order(bid, turns, count);
	free(turns);
	return 0;
}

static int halving_decide(const struct agent_settings *settings,
			  struct agent_memory *memory,
			  const struct agent_offer *offer,
			  struct agent_bid *bid, struct astra_error *err)
{
	struct ladder ladder;
	int next;

	build(&ladder, settings, memory, offer);
	if (!ladder.count)
		return agent_left_bid(offer, bid, err);
	next = halving_climb(memory, &ladder, settings);
	if (next < 0)
		return astra_error_nomem(err);
	if (halving_order_jobs(memory, ladder.rungs[next], bid, err) < 0)
		return -1;
	return bid_work(&ladder, (size_t)next, memory, offer, bid, err);
}

const struct agent_scheduler agent_halving = {
	.name = "halving",
	.keys = {"eta", "first", "total", "jobs", "rungs"},
	.decide = halving_decide,
};
