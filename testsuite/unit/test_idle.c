/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever the policy, but for those whose rule it is: after a round no GPU is
 * idle beside a job that waits and could run there. Nodes of several types,
 * with few CPUs or little memory, reserved ones, CPUs that others take; jobs
 * that take all CPUs with one GPU, want a type, a node, a node alone, several
 * nodes, more GPUs than they need; jobs that are held, and nodes that refuse
 * some jobs for what only the host knows. And nobody is planned in vain: who
 * was awarded GPUs starts, or waits for those who leave them. What incentive
 * has sold ahead finds a place in its slot, but for what others took since. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/engine/engine_priv.h"
#include "src/policies/incentive/policy.h"
#include "src/policies/incentive/policy_priv.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define SEEDS 40
#define END_SEC 900
#define JOBS 60
#define NODES_MAX 12
#define TYPES 2

struct world {
	struct astra_random random;
	const char *policy;
	unsigned seed;
	uint64_t of_type[TYPES], reserved, all;
	uint64_t allowed[VC_JOBS + 1], required[VC_JOBS + 1];
	uint64_t closed[VC_JOBS + 1]; /* nodes that refuse the job */
	uint32_t others[NODES_MAX];   /* CPUs of those who need no GPU */
	size_t submitted;
	unsigned rounds, idle, starts;
	uint32_t planned[VC_JOBS]; /* jobs that wait and were awarded GPUs */
	size_t planned_count;
	unsigned turns, lost;	/* such awards, and those of them in vain */
	unsigned slots, unsold; /* of incentive: a job's that waits, and those
				 * of them for which there was no place */
};

static struct world *playing; /* for the policy's witness */

static uint32_t below(struct world *w, uint32_t n)
{
	return (uint32_t)astra_random_below(&w->random, n);
}

static void make_nodes(struct vcluster *vc, struct world *w)
{
	static const uint32_t sizes[] = {2, 4, 4, 8};
	static const uint32_t cpus[] = {1, 2, 8};

	vc->node_count = 3 + below(w, NODES_MAX - 2);
	for (uint32_t n = 0; n < vc->node_count; n++) {
		struct astra_node *node = &vc->nodes[n];
		uint64_t bit = UINT64_C(1) << n;

		node->gpus = node->gpus_free = sizes[below(w, 4)];
		node->cpus = node->cpus_free = node->gpus * cpus[below(w, 3)];
		node->mem_free_mib = UINT64_C(1024) << below(w, 5);
		node->rack = n / 4;
		w->of_type[below(w, TYPES)] |= bit;
		w->all |= bit;
		if (!below(w, 6))
			w->reserved |= bit;
	}
}

/* What a job asks for beside GPUs. */
static void make_request(struct vcluster *vc, struct world *w,
			 struct astra_request *q)
{
	const struct astra_node *node =
		&vc->nodes[below(w, (uint32_t)vc->node_count)];

	switch (below(w, 10)) {
	case 0: /* all CPUs of a node, and one GPU of it */
		*q = (struct astra_request){
			.gpus = 1, .cpus_per_node = node->cpus, .nodes_max = 1};
		break;
	case 1:
		q->mem_node_mib = UINT64_C(512) << below(w, 6);
		break;
	case 2:
		q->mem_gpu_mib = UINT64_C(128) << below(w, 5);
		break;
	case 3:
		q->whole_node = true;
		break;
	case 4:
		q->gpus_per_node = 1 + below(w, 4);
		q->gpus = q->gpus_per_node * (1 + below(w, 3));
		q->cpus = q->gpus;
		break;
	case 5:
		q->nodes_min = 2;
		q->gpus = 2 + below(w, 6);
		q->cpus = q->gpus;
		break;
	case 6:
		q->gpus = 2 + below(w, 7);
		q->gpus_min = 1 + below(w, q->gpus);
		q->cpus = q->gpus;
		break;
	case 7:
		q->cpus = q->gpus * (1 + below(w, 8));
		break;
	}
}

static void submit_one(struct vcluster *vc, struct world *w)
{
	static const uint32_t sizes[] = {1, 1, 2, 3, 4, 8};
	double work = 10 + below(w, 200);
	struct vjob *v = vc_submit(vc, below(w, 3), sizes[below(w, 6)], work);
	uint32_t id = v->job.id;
	struct astra_request *q = &v->job.request;

	make_request(vc, w, q);
	w->allowed[id] = below(w, 4) ? w->all : w->of_type[below(w, TYPES)];
	w->allowed[id] &= below(w, 5) ? ~w->reserved : w->reserved;
	if (!below(w, 8)) {
		uint64_t bit = UINT64_C(1)
			       << below(w, (uint32_t)vc->node_count);

		w->required[id] = bit & w->allowed[id];
		if (w->required[id])
			q->required = &w->required[id];
	}
	q->allowed = &w->allowed[id];
	if (!below(w, 8))
		w->closed[id] = UINT64_C(1)
				<< below(w, (uint32_t)vc->node_count);
	if (!below(w, 10) && !q->gpus_min)
		v->job.copies = 2 + below(w, 4);
	v->job.forecast.work_sec = work;
	v->job.checkpoints = below(w, 2);
	v->checkpoint_sec = v->job.checkpoints ? 1 : 0;
	w->submitted++;
}

/* Jobs come, are held and released; CPUs come and go. */
static void live(struct vcluster *vc, struct world *w)
{
	uint32_t n = below(w, (uint32_t)vc->node_count);
	struct astra_node *node = &vc->nodes[n];

	if (w->submitted < JOBS && !below(w, 6))
		submit_one(vc, w);
	for (size_t i = 0; i < vc->job_count; i++) {
		enum astra_job_state *state = &vc->jobs[i]->job.state;

		if (*state == ASTRA_JOB_PENDING && !below(w, 200))
			*state = ASTRA_JOB_BLOCKED;
		else if (*state == ASTRA_JOB_BLOCKED && !below(w, 20))
			*state = ASTRA_JOB_PENDING;
	}
	if (!below(w, 30)) {
		uint32_t want = below(w, node->cpus_free + w->others[n] + 1);

		node->cpus_free += w->others[n];
		node->cpus_free -= want;
		w->others[n] = want;
	}
}

/* Tasks that were split from an array are new jobs. */
static uint64_t closed_to(struct vcluster *vc, struct world *w, uint32_t job)
{
	uint32_t array = vc->jobs[job - 1]->job.array_id;

	return w->closed[array ? array : job];
}

static bool refuses(struct vcluster *vc, const struct astra_decision *d)
{
	struct world *w = vc->test;

	for (size_t i = 0; i < d->share_count; i++)
		if (closed_to(vc, w, d->job) >>
			    vc->plan.shares[d->first_share + i].node &
		    1)
			return true;
	return false;
}

static struct astra_space *idle_space(const struct vcluster *vc)
{
	struct astra_space *space = astra_space_create(vc->node_count, 8);

	assert_non_null(space);
	for (uint32_t n = 0; n < vc->node_count; n++) {
		const struct astra_node *node = &vc->nodes[n];

		if (node->usable && !node->settling)
			astra_space_set(
				space, n,
				&(struct astra_room){
					.gpus = node->gpus_free,
					.cpus = node->cpus_free,
					.mem_mib = node->mem_free_mib,
					.whole =
						node->gpus_free == node->gpus &&
						node->cpus_free == node->cpus,
				});
	}
	/* What is kept for who waits for the rest of its GPUs. */
	for (size_t i = 0; i < vc->engine->grant_count; i++)
		for (size_t k = 0; k < vc->engine->grants[i].count; k++)
			astra_space_take(space,
					 &vc->engine->grants[i].shares[k]);
	return space;
}

/* The policy, and who was awarded GPUs that it does not hold. */
static struct astra_policy witnessed;
static const struct astra_policy *witness_of;

/* Those baselines that run elastic jobs on a part of their GPUs; the others run
 * jobs on all of them. */
static bool divides(const struct astra_policy *policy)
{
	return !strcmp(policy->name, "dorm") || !strcmp(policy->name, "slaq") ||
	       !strncmp(policy->name, "oga-", 4);
}

static bool could_start(struct vcluster *vc, struct world *w,
			const struct astra_space *space,
			const struct astra_job *job)
{
	struct astra_share shares[NODES_MAX];
	struct astra_request q = job->request;
	const struct ejob *j = astra_engine_find(vc->engine, job->id);

	if (job->state != ASTRA_JOB_PENDING || !j || j->grants >= job->copies ||
	    closed_to(vc, w, job->id))
		return false;
	if (!witness_of->source || divides(witness_of))
		q.gpus = astra_request_least(&q);
	q.gpus_min = 0;
	return astra_place(space, &q, NULL, 0, shares) > 0;
}

/* Slots that incentive has sold, and cannot give. */
static void count_slots(const struct incentive *p,
			const struct astra_offer *offer,
			const struct astra_allocation *out)
{
	for (uint32_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		const struct astra_calendar_entry *e;
		size_t count, awards = 0, sold = 0;

		if (!d->open || d->held_count || d->copies > 1 ||
		    playing->closed[d->job->array_id ? d->job->array_id
						     : d->job->id])
			continue;
		e = astra_calendar_find(&p->calendar, d->job->id, &count);
		for (size_t k = 0; k < count; k++)
			sold += e[k].rank >= incentive_carried_out(&e[k], d) &&
				e[k].first <= p->present &&
				e[k].last >= p->present;
		for (size_t k = 0; k < out->award_count; k++)
			awards += out->awards[k].demand == i;
		playing->slots += sold > 0;
		playing->unsold += sold > awards;
	}
}

static int witness(void *self, const struct astra_offer *offer,
		   struct astra_allocation *out, struct astra_error *err)
{
	int rc = witness_of->allocate(self, offer, out, err);

	playing->planned_count = 0;
	if (!rc && witness_of == &astra_incentive)
		count_slots(self, offer, out);
	for (size_t i = 0; !rc && i < out->award_count; i++) {
		const struct astra_demand *d =
			&offer->demands[out->awards[i].demand];

		if (d->job->state == ASTRA_JOB_PENDING)
			playing->planned[playing->planned_count++] = d->job->id;
	}
	return rc;
}

/* Who was planned and has got nothing has lost its turn. */
static void count_lost(struct vcluster *vc, struct world *w)
{
	for (size_t i = 0; i < w->planned_count; i++) {
		const struct vjob *v = vc->jobs[w->planned[i] - 1];

		if (v->job.copies > 1 || w->closed[v->job.id])
			continue;
		w->turns++;
		if (v->job.state == ASTRA_JOB_PENDING &&
		    !astra_grants_of(vc->engine, v->job.id))
			w->lost++;
	}
}

/* By the rule of some baselines a job that does not fit keeps GPUs from others:
 * from those behind it, or those that would delay it; or a batch is waited for.
 */
static bool must_idle(const struct astra_policy *policy)
{
	static const char *const names[] = {"fifo", "slurm", "yarn-cs",
					    "batchsche"};

	for (size_t i = 0; i < ASTRA_COUNT_OF(names); i++)
		if (!strcmp(policy->name, names[i]))
			return true;
	return false;
}

/* Where running jobs are stopped at any time, what is free is kept for who
 * waits for those who leave. */
static bool keeps_for_another(const struct vcluster *vc)
{
	return witness_of->preempts &&
	       astra_roster_next(&vc->engine->roster.leaving, 0) !=
		       ASTRA_SET_END;
}

static void look(struct vcluster *vc)
{
	struct world *w = vc->test;
	struct astra_space *space = idle_space(vc);
	bool idle = false;

	w->rounds++;
	count_lost(vc, w);
	for (size_t i = 0; i < vc->job_count && !idle; i++) {
		const struct astra_job *job = &vc->jobs[i]->job;

		if (!could_start(vc, w, space, job) || keeps_for_another(vc))
			continue;
		idle = true;
		if (getenv("IDLE_ALL") || (!w->idle && !must_idle(witness_of)))
			printf("%s, seed %u, at %g s: job %u of %u GPUs could start\n",
			       w->policy, w->seed, vc->now_sec - 1000, job->id,
			       job->request.gpus);
	}
	w->idle += idle;
	astra_space_destroy(space);
}

static void run(struct world *w)
{
	struct vcluster vc;

	vc_init(&vc, 1, 8);
	strcpy(vc.options.policy, w->policy);
	vc.options.lease_sec = 40;
	vc.options.slot_sec = 40;
	vc.options.horizon_sec = 4000;
	vc.options.batch_max = 4;
	vc.options.grace_sec = 2;
	vc.options.round_sec = 10;
	vc.options.promise = false;
	make_nodes(&vc, w);
	vc.test = w;
	vc.refuses = refuses;
	vc.looked = look;
	playing = w;
	witness_of = astra_policy_find(w->policy);
	witnessed = *witness_of;
	if (witness_of->allocate)
		witnessed.allocate = witness;
	vc.policy = &witnessed;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 2);
	vc_tenant(&vc, "c", 1);
	while (vc.now_sec < 1000 + END_SEC) {
		live(&vc, w);
		vc_step(&vc);
	}
	for (size_t i = 0; i < vc.job_count; i++)
		w->starts += vc.jobs[i]->starts;
	vc_fini(&vc);
}

static void no_gpu_is_idle_and_no_turn_is_lost(void **state)
{
	const struct astra_policy *const *policies = astra_policy_all();

	(void)state;
	for (; *policies; policies++) {
		unsigned rounds = 0, starts = 0, of_it = 0, turns = 0, lost = 0;
		unsigned slots = 0, unsold = 0;

		for (unsigned seed = 1; seed <= draws(SEEDS); seed++) {
			struct world w = {
				.random = astra_random_seed(seed),
				.policy = (*policies)->name,
				.seed = seed,
			};

			run(&w);
			rounds += w.rounds;
			starts += w.starts;
			of_it += w.idle;
			turns += w.turns;
			lost += w.lost;
			slots += w.slots;
			unsold += w.unsold;
		}
		printf("%s: %u rounds, %u starts, %u with idle GPUs, %u turns, %u lost\n",
		       (*policies)->name, rounds, starts, of_it, turns, lost);
		assert_true(unsold * 3 <= slots);
		if (slots)
			printf("%s: %u sold slots, %u without a place\n",
			       (*policies)->name, slots, unsold);
		assert_int_equal(of_it > 0, must_idle(*policies));
		assert_int_equal(lost, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_gpu_is_idle_and_no_turn_is_lost),
	};

	return cmocka_run_group_tests_name("idle", tests, NULL, NULL);
}
