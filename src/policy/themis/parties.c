/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policy/themis/parties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policy/forecast.h"

enum key_kind { KEY_JOB, KEY_ARRAY, KEY_APP };

uint64_t astra_themis_key(const struct astra_job *job)
{
	if (job->forecast.app)
		return (uint64_t)KEY_APP << 32 | job->forecast.app;
	if (job->array_id)
		return (uint64_t)KEY_ARRAY << 32 | job->array_id;
	return (uint64_t)KEY_JOB << 32 | job->id;
}

double astra_themis_left(const struct astra_job *job)
{
	return job->request.gpus * astra_left_sec(job);
}

/* Tasks of an array that have not been split from it are as many jobs. */
static uint32_t copies_of(const struct astra_demand *d)
{
	return d->copies > 1 ? d->copies : 1;
}

struct sort_entry {
	uint64_t key;
	uint32_t demand;
};

static int compare_entries(const void *a, const void *b)
{
	const struct sort_entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->demand < y->demand ? -1 : x->demand > y->demand;
}

static int compare_shares(const void *a, const void *b)
{
	const struct astra_themis_share *x = a, *y = b;

	return x->machine < y->machine ? -1 : x->machine > y->machine;
}

/* Sort by machine and name each once. Returns how many there are. */
static size_t merge_shares(struct astra_themis_share *shares, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(shares, count, sizeof(*shares), compare_shares);
	for (size_t i = 0; i < count; i++)
		if (kept && shares[kept - 1].machine == shares[i].machine)
			shares[kept - 1].gpus += shares[i].gpus;
		else
			shares[kept++] = shares[i];
	return kept;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The usual slowdown of a job whose user stated none. (SPEC section 2) */
static void set_slowdown(struct astra_themis_app *app,
			 const struct astra_forecast *forecast)
{
	static const double usual[ASTRA_LEVEL_COUNT] = {1, 1, 1.1, 1.3};

	memcpy(app->slowdown,
	       forecast->slowdown[0] > 0 ? forecast->slowdown : usual,
	       sizeof(app->slowdown));
}

/* One demand of a party: its work, what it holds, what it wants. */
static void add_demand(struct themis_party *p, const struct astra_demand *d,
		       double *work, struct astra_themis_share *held)
{
	const struct astra_request *q = &d->job->request;
	uint32_t copies = copies_of(d);

	for (uint32_t i = 0; i < copies; i++)
		work[p->phase.job_count++] = astra_themis_left(d->job);
	/* What it has to compete for is not held. */
	for (size_t i = 0; !d->open && i < d->held_count; i++) {
		held[p->app.held.count++] = (struct astra_themis_share){
			.machine = d->held[i].node,
			.gpus = d->held[i].gpus,
		};
		p->held_gpus += d->held[i].gpus;
	}
	p->asked_gpus += (uint64_t)q->gpus * copies;
	if (d->open) {
		p->wanted_gpus += (uint64_t)q->gpus * copies;
		if (!p->least_gpus || astra_request_least(q) < p->least_gpus)
			p->least_gpus = astra_request_least(q);
	}
	p->app.budget_sec += copies * q->gpus * astra_work_sec(d->job);
	p->app.quantum = common_divisor(p->app.quantum, astra_request_least(q));
	if (q->gpus_min && q->gpus_min < q->gpus)
		p->app.quantum = 1;
	if (q->gpus > p->phase.job_gpus_max)
		p->phase.job_gpus_max = q->gpus;
}

static void finish_app(struct themis_party *p, const struct astra_offer *offer,
		       const struct themis_memories *memories,
		       const struct themis_memory *m)
{
	struct astra_themis_app *app = &p->app;
	const struct astra_job *job = offer->demands[p->demands[0]].job;
	double life_sec = offer->now_sec - m->first_sec;

	app->elapsed_sec = fmax(0, offer->now_sec - m->start_sec);
	app->navg = life_sec > 0 ? (memories->active - m->before) / life_sec
				 : memories->active_apps;
	app->rho_empty = HUGE_VAL;
	app->gpus_max = (uint32_t)(p->asked_gpus < offer->gpus ? p->asked_gpus
							       : offer->gpus);
	if (!app->gpus_max)
		app->gpus_max = 1;
	app->budget_sec = m->budget_sec;
	set_slowdown(app, &job->forecast);
	if (p->phase.job_count == 1) {
		app->kind = ASTRA_THEMIS_SINGLE;
		app->iter_sec = job->request.gpus;
		app->iter_total = m->budget_sec / app->iter_sec;
		app->iter_left = p->phase.work_sec[0] / app->iter_sec;
	} else {
		app->kind = ASTRA_THEMIS_PHASES;
	}
	app->phases = &p->phase;
	app->phase_count = 1;
}

static size_t row_of(const struct themis_memory *rows, size_t count,
		     uint64_t key)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (rows[mid].key < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct themis_memory *astra_themis_recall(const struct themis_memories *m,
						uint64_t key)
{
	size_t row = row_of(m->rows, m->count, key);

	return row < m->count && m->rows[row].key == key ? &m->rows[row] : NULL;
}

static double first_submission(const struct themis_party *p,
			       const struct astra_offer *offer)
{
	double first = HUGE_VAL;

	for (size_t i = 0; i < p->demand_count; i++)
		first = fmin(first, offer->demands[p->demands[i]].submit_sec);
	return first;
}

static int compare_memories(const void *a, const void *b)
{
	const struct themis_memory *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Apps that are gone are forgotten, new ones begin. */
static int remember(struct themis_memories *m, struct themis_parties *parties,
		    const struct astra_offer *offer)
{
	size_t kept = 0, known = m->count;

	if (astra_grow(&m->rows, &m->room, m->count + parties->count,
		       sizeof(*m->rows)) < 0)
		return -1;
	for (size_t i = 0; i < m->count; i++)
		m->rows[i].seen = false;
	for (size_t i = 0; i < parties->count; i++) {
		struct themis_party *p = &parties->list[i];
		size_t row = row_of(m->rows, known, p->key);

		if (row == known || m->rows[row].key != p->key) {
			row = m->count++;
			m->rows[row] = (struct themis_memory){
				.key = p->key,
				.start_sec = first_submission(p, offer),
				.first_sec = offer->now_sec,
				.before = m->active,
			};
		}
		m->rows[row].seen = true;
		m->rows[row].budget_sec =
			fmax(m->rows[row].budget_sec, p->app.budget_sec);
	}
	for (size_t i = 0; i < m->count; i++)
		if (m->rows[i].seen)
			m->rows[kept++] = m->rows[i];
	m->count = kept;
	if (kept)
		qsort(m->rows, kept, sizeof(*m->rows), compare_memories);
	return 0;
}

/* Group the demands by app. */
static int group(struct themis_parties *parties,
		 const struct astra_offer *offer)
{
	struct sort_entry *entries =
		calloc(offer->demand_count + 1, sizeof(*entries));

	if (!entries)
		return -1;
	for (uint32_t i = 0; i < offer->demand_count; i++)
		entries[i] = (struct sort_entry){
			.key = astra_themis_key(offer->demands[i].job),
			.demand = i,
		};
	if (offer->demand_count)
		qsort(entries, offer->demand_count, sizeof(*entries),
		      compare_entries);
	for (size_t i = 0; i < offer->demand_count; i++) {
		struct themis_party *p = &parties->list[parties->count];

		parties->order[i] = entries[i].demand;
		if (!i || entries[i].key != entries[i - 1].key) {
			p->key = entries[i].key;
			p->demands = parties->order + i;
			parties->count++;
		}
		parties->list[parties->count - 1].demand_count++;
	}
	free(entries);
	return 0;
}

static void fill(struct themis_parties *parties,
		 const struct astra_offer *offer)
{
	double *work = parties->work;
	struct astra_themis_share *held = parties->held;

	for (size_t i = 0; i < parties->count; i++) {
		struct themis_party *p = &parties->list[i];

		for (size_t k = 0; k < p->demand_count; k++)
			add_demand(p, &offer->demands[p->demands[k]], work,
				   held);
		p->phase.work_sec = work;
		work += p->phase.job_count;
		p->app.held.share = held;
		p->app.held.count = merge_shares(held, p->app.held.count);
		held += p->app.held.count;
	}
}

static void set_machines(struct themis_parties *parties,
			 const struct astra_offer *offer)
{
	for (size_t n = 0; n < offer->node_count; n++) {
		const struct astra_node *node = &offer->nodes[n];

		parties->machines[n] = (struct astra_themis_machine){
			.free = offer->free[n],
			.rack = node->rack,
			.slot = node->slot_gpus ? node->slot_gpus : node->gpus,
		};
	}
}

/* How badly off a party is with what it holds. When all leases end together
 * nobody holds anything, so those with an unbounded rho are compared by the
 * best that they can still reach: with all that they ask for from now on. By
 * elapsed time alone apps that began together would not take turns. */
static int measure(struct themis_parties *parties, size_t i,
		   uint32_t cluster_gpus)
{
	const struct themis_party *p = &parties->list[i];
	struct astra_themis_claim *claim = &parties->claims[i];
	const struct astra_themis_shares nothing = {0};

	claim->wants = p->wanted_gpus > 0;
	if (astra_themis_rho(&p->app, cluster_gpus, p->app.gpus_max,
			     ASTRA_LEVEL_SLOT, &claim->waiting) < 0)
		return -1;
	return astra_themis_rho(
		&p->app, cluster_gpus, p->held_gpus,
		astra_themis_level(parties->machines, p->app.held, nothing),
		&claim->rho);
}

static int allocate_parties(struct themis_parties *parties,
			    const struct astra_offer *offer)
{
	size_t jobs = 0, shares = 0, n = offer->demand_count;

	for (size_t i = 0; i < n; i++) {
		jobs += copies_of(&offer->demands[i]);
		shares += offer->demands[i].held_count;
	}
	parties->list = calloc(n + 1, sizeof(*parties->list));
	parties->order = calloc(n + 1, sizeof(*parties->order));
	parties->work = calloc(jobs + 1, sizeof(*parties->work));
	parties->held = calloc(shares + 1, sizeof(*parties->held));
	parties->claims = calloc(n + 1, sizeof(*parties->claims));
	parties->machines =
		calloc(offer->node_count + 1, sizeof(*parties->machines));
	return parties->list && parties->order && parties->work &&
			       parties->held && parties->claims &&
			       parties->machines
		       ? 0
		       : -1;
}

int astra_themis_parties_find(struct themis_parties *parties,
			      struct themis_memories *m,
			      const struct astra_offer *offer)
{
	*parties = (struct themis_parties){0};
	if (allocate_parties(parties, offer) < 0 || group(parties, offer) < 0)
		return -1;
	fill(parties, offer);
	set_machines(parties, offer);
	if (offer->now_sec > m->last_sec && m->last_sec > 0)
		m->active += m->active_apps * (offer->now_sec - m->last_sec);
	m->last_sec = offer->now_sec;
	m->active_apps = (double)parties->count;
	if (remember(m, parties, offer) < 0)
		return -1;
	for (size_t i = 0; i < parties->count; i++) {
		struct themis_party *p = &parties->list[i];

		finish_app(p, offer, m, &m->rows[i]); /* both are by key */
		if (measure(parties, i, (uint32_t)offer->gpus) < 0)
			return -1;
	}
	return 0;
}

void astra_themis_parties_clear(struct themis_parties *parties)
{
	free(parties->list);
	free(parties->order);
	free(parties->work);
	free(parties->held);
	free(parties->claims);
	free(parties->machines);
}
