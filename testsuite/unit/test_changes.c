/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An engine that is told what changed since the snapshot before decides as one
 * that is not: in every round of random histories, whichever the policy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policies/options.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define BEGIN_SEC 1000
#define SPAN_SEC 500
#define NODES_LEAST 4
#define NODES_MOST 6
#define SEEDS 8
#define JOBS_MOST 400 /* in a history */

/* What the engine was told before. */
struct past {
	bool known;
	struct astra_node nodes[VC_NODES];
	struct astra_tenant tenants[32];
	struct astra_user users[8];
	struct astra_job jobs[VC_JOBS];
	struct astra_share *held[VC_JOBS];
	size_t node_count, tenant_count, user_count, job_count;
};

struct world {
	struct vcluster vc; /* its engine is told */
	struct astra_engine *untold;
	struct astra_engine *wordy; /* neither, and not terse; NULL: none */
	const char *policy;
	uint64_t seed;
	struct astra_random random;
	bool settling;	      /* nodes are cleaned up for a while */
	struct vjob **listed; /* in the snapshot's order */
	size_t listed_count, known_count;
	struct astra_job *jobs;
	struct past past;
	uint32_t *changed, *changed_nodes;
	struct astra_plan plan, wordy_plan;
	unsigned rounds, told, few, decisions;
};

static uint32_t below(struct world *w, uint32_t bound)
{
	return (uint32_t)astra_random_below(&w->random, bound);
}

static bool one_in(struct world *w, uint32_t n)
{
	return !below(w, n);
}

/* Comparison. */

static bool near(double x, double y)
{
	return x == y || (isnan(x) && isnan(y)) ||
	       fabs(x - y) <= 1e-9 * fmax(1, fmax(fabs(x), fabs(y)));
}

static void agree(const struct world *w, const char *what, size_t i, double x,
		  double y)
{
	if (!near(x, y))
		fail_msg("%s, seed %u, at %g: %s %zu: told %.17g, untold %.17g",
			 w->policy, (unsigned)w->seed,
			 w->vc.now_sec - BEGIN_SEC, what, i, x, y);
}

#define AGREE(w, i, a, b, member) \
	agree(w, #member, i, (double)(a)->member, (double)(b)->member)

static void agree_decisions(const struct world *w, const struct astra_plan *a,
			    const struct astra_plan *b)
{
	AGREE(w, 0, a, b, decision_count);
	for (size_t i = 0; i < a->decision_count; i++) {
		const struct astra_decision *x = &a->decisions[i];
		const struct astra_decision *y = &b->decisions[i];

		AGREE(w, i, x, y, action);
		AGREE(w, i, x, y, job);
		AGREE(w, i, x, y, restart_cnt);
		AGREE(w, i, x, y, until_sec);
		AGREE(w, i, x, y, share_count);
		for (size_t k = 0; k < x->share_count; k++) {
			const struct astra_share *s =
				&a->shares[x->first_share + k];
			const struct astra_share *t =
				&b->shares[y->first_share + k];

			AGREE(w, i, s, t, node);
			AGREE(w, i, s, t, gpus);
			AGREE(w, i, s, t, cpus);
			AGREE(w, i, s, t, mem_mib);
		}
	}
}

static void agree_reason(const struct world *w, size_t i,
			 const struct astra_reason *x,
			 const struct astra_reason *y)
{
	AGREE(w, i, x, y, job);
	AGREE(w, i, x, y, wait);
	AGREE(w, i, x, y, lack);
	AGREE(w, i, x, y, rank);
	AGREE(w, i, x, y, ranks);
	AGREE(w, i, x, y, start_sec);
	AGREE(w, i, x, y, bound_sec);
	AGREE(w, i, x, y, value);
	AGREE(w, i, x, y, worth);
	AGREE(w, i, x, y, price);
	AGREE(w, i, x, y, retry_sec);
	AGREE(w, i, x, y, priced_sec);
	AGREE(w, i, x, y, credits);
	AGREE(w, i, x, y, class_gpus);
	AGREE(w, i, x, y, class_granted);
	AGREE(w, i, x, y, class_saved);
}

static void agree_plans(const struct world *w, const struct astra_plan *a,
			const struct astra_plan *b)
{
	agree_decisions(w, a, b);
	AGREE(w, 0, a, b, reason_count);
	for (size_t i = 0; i < a->reason_count; i++)
		agree_reason(w, i, &a->reasons[i], &b->reasons[i]);
	AGREE(w, 0, a, b, wake_sec);
	AGREE(w, 0, a, b, due_sec);
	AGREE(w, 0, a, b, changed);
}

static void agree_counters(const struct world *w)
{
	struct astra_counters x = astra_engine_counters(w->vc.engine);
	struct astra_counters y = astra_engine_counters(w->untold);

	AGREE(w, 0, &x, &y, rounds);
	AGREE(w, 0, &x, &y, granted);
	AGREE(w, 0, &x, &y, renewed);
	AGREE(w, 0, &x, &y, revoked);
	AGREE(w, 0, &x, &y, refused);
	AGREE(w, 0, &x, &y, reclaim_capped);
	AGREE(w, 0, &x, &y, lent);
	AGREE(w, 0, &x, &y, first_starts);
	AGREE(w, 0, &x, &y, over_bound);
}

static void agree_usage(const struct world *w, size_t i,
			const struct astra_usage *x,
			const struct astra_usage *y)
{
	AGREE(w, i, x, y, alloc);
	AGREE(w, i, x, y, fair);
}

static void agree_job(const struct world *w, size_t i)
{
	struct astra_job_view x, y;

	astra_engine_job_view(w->vc.engine, i, w->vc.now_sec, &x);
	astra_engine_job_view(w->untold, i, w->vc.now_sec, &y);
	AGREE(w, i, &x, &y, id);
	if (!x.id)
		return;
	AGREE(w, x.id, &x, &y, tenant);
	AGREE(w, x.id, &x, &y, gpus);
	AGREE(w, x.id, &x, &y, copies);
	AGREE(w, x.id, &x, &y, state);
	AGREE(w, x.id, &x, &y, phase);
	AGREE(w, x.id, &x, &y, revocable);
	AGREE(w, x.id, &x, &y, weight);
	AGREE(w, x.id, &x, &y, submit_sec);
	AGREE(w, x.id, &x, &y, bound_sec);
	AGREE(w, x.id, &x, &y, start_sec);
	AGREE(w, x.id, &x, &y, lease_start_sec);
	AGREE(w, x.id, &x, &y, lease_end_sec);
	AGREE(w, x.id, &x, &y, grace_end_sec);
	AGREE(w, x.id, &x, &y, lent);
	AGREE(w, x.id, &x, &y, leases);
	AGREE(w, x.id, &x, &y, revoked);
	AGREE(w, x.id, &x, &y, lost_sec);
	AGREE(w, x.id, &x, &y, rho);
	AGREE(w, x.id, &x, &y, user_rho);
	agree_usage(w, x.id, &x.usage, &y.usage);
	agree_reason(w, x.id, &x.reason, &y.reason);
}

static void agree_views(const struct world *w)
{
	const struct astra_engine *a = w->vc.engine, *b = w->untold;
	struct astra_hold_view held = astra_engine_hold(a),
			       held_untold = astra_engine_hold(b);

	AGREE(w, 0, &held, &held_untold, job);
	AGREE(w, 0, &held, &held_untold, start_sec);
	agree(w, "users", 0, (double)astra_engine_user_count(a),
	      (double)astra_engine_user_count(b));
	for (size_t i = 0; i < astra_engine_user_count(a); i++) {
		struct astra_user_view x, y;

		astra_engine_user_view(a, i, w->vc.now_sec, &x);
		astra_engine_user_view(b, i, w->vc.now_sec, &y);
		agree_usage(w, i, &x.usage, &y.usage);
	}
	agree(w, "jobs", 0, (double)astra_engine_job_count(a),
	      (double)astra_engine_job_count(b));
	for (size_t i = 0; i < astra_engine_job_count(a); i++)
		agree_job(w, i);
	for (size_t i = 0; i < astra_engine_tenant_count(a); i++) {
		struct astra_tenant_view x, y;

		astra_engine_tenant_view(a, i, w->vc.now_sec, &x);
		astra_engine_tenant_view(b, i, w->vc.now_sec, &y);
		AGREE(w, i, &x, &y, quota);
		AGREE(w, i, &x, &y, demand_gpus);
		AGREE(w, i, &x, &y, alloc_gpus);
		agree_usage(w, i, &x.usage, &y.usage);
	}
}

/* What changed, found by comparing snapshots. */

static bool same_text(const char *x, const char *y)
{
	return x == y || (x && y && !strcmp(x, y));
}

#define SAME(member) (x->member == y->member)

static bool same_request(const struct astra_request *x,
			 const struct astra_request *y)
{
	return SAME(gpus) && SAME(gpus_min) && SAME(charge) &&
	       SAME(gpus_per_node) && SAME(gpus_quantum) && SAME(nodes_min) &&
	       SAME(nodes_max) && SAME(nodes_wish) && SAME(cpus) &&
	       SAME(cpus_per_node) && SAME(mem_node_mib) && SAME(mem_gpu_mib) &&
	       SAME(mem_cpu_mib) && SAME(whole_node) && SAME(alone) &&
	       SAME(owner) && SAME(allowed) && SAME(possible) &&
	       SAME(required) && SAME(preferred) && SAME(apart) &&
	       same_text(x->gpu_type, y->gpu_type);
}

static bool same_held(const struct astra_job *x, const struct astra_job *y)
{
	if (!SAME(held_count) || !SAME(held_charge) || !SAME(run_charge))
		return false;
	for (size_t i = 0; i < x->held_count; i++)
		if (!SAME(held[i].node) || !SAME(held[i].gpus) ||
		    !SAME(held[i].cpus) || !SAME(held[i].mem_mib))
			return false;
	return true;
}

static bool same_job(const struct astra_job *x, const struct astra_job *y)
{
	return SAME(id) && SAME(array_id) && SAME(tenant) && SAME(user) &&
	       SAME(copies) && SAME(weight) && SAME(precedence) &&
	       SAME(state) && SAME(submit_sec) && SAME(start_sec) &&
	       SAME(end_sec) && SAME(time_limit_sec) && SAME(leave_sec) &&
	       SAME(leave_cuts) && SAME(deadline_sec) && SAME(lease_sec) &&
	       SAME(min_run_sec) && SAME(restart_cnt) && SAME(booting) &&
	       SAME(uncharged) && SAME(revocable) && SAME(unprepared) &&
	       SAME(unheard) && SAME(suspended) && SAME(checkpoints) &&
	       SAME(keeps_size) && SAME(extras) &&
	       same_request(&x->request, &y->request) && same_held(x, y);
}

static bool same_node(const struct astra_node *x, const struct astra_node *y)
{
	return same_text(x->name, y->name) && SAME(usable) && SAME(emptying) &&
	       SAME(gpus) && SAME(charge) && SAME(rack) && SAME(weight) &&
	       SAME(slot_gpus) && SAME(cpus) && SAME(mem_mib) &&
	       same_text(x->gpu_type, y->gpu_type);
}

static bool same_free(const struct astra_node *x, const struct astra_node *y)
{
	return SAME(settling) && SAME(gpus_free) && SAME(gpus_scattered) &&
	       SAME(cpus_free) && SAME(mem_free_mib) && SAME(owner) &&
	       SAME(alone);
}

#undef SAME

static bool same_cluster(const struct past *past,
			 const struct astra_snapshot *snap)
{
	if (past->node_count != snap->node_count ||
	    past->tenant_count != snap->tenant_count ||
	    past->user_count != snap->user_count)
		return false;
	for (size_t i = 0; i < snap->node_count; i++)
		if (!same_node(&past->nodes[i], &snap->nodes[i]))
			return false;
	for (size_t i = 0; i < snap->tenant_count; i++)
		if (past->tenants[i].weight != snap->tenants[i].weight)
			return false;
	for (size_t i = 0; i < snap->user_count; i++)
		if (past->users[i].weight != snap->users[i].weight)
			return false;
	return true;
}

static void remember(struct past *past, const struct astra_snapshot *snap)
{
	memcpy(past->nodes, snap->nodes,
	       snap->node_count * sizeof(*snap->nodes));
	memcpy(past->tenants, snap->tenants,
	       snap->tenant_count * sizeof(*snap->tenants));
	memcpy(past->users, snap->users,
	       snap->user_count * sizeof(*snap->users));
	past->node_count = snap->node_count;
	past->tenant_count = snap->tenant_count;
	past->user_count = snap->user_count;
	past->job_count = snap->job_count;
	for (size_t i = 0; i < snap->job_count; i++) {
		size_t size =
			snap->jobs[i].held_count * sizeof(*snap->jobs[i].held);

		past->jobs[i] = snap->jobs[i];
		free(past->held[i]);
		past->held[i] = malloc(size + 1);
		assert_non_null(past->held[i]);
		if (size)
			memcpy(past->held[i], snap->jobs[i].held, size);
		past->jobs[i].held = past->held[i];
	}
	past->known = true;
}

/* Now and then more than what changed. */
static struct astra_changes compare(struct world *w,
				    const struct astra_snapshot *snap)
{
	struct past *past = &w->past;
	struct astra_changes changes = {
		.jobs = w->changed,
		.nodes = w->changed_nodes,
	};

	for (uint32_t i = 0; i < snap->job_count; i++)
		if (i >= past->job_count ||
		    !same_job(&past->jobs[i], &snap->jobs[i]) || one_in(w, 40))
			w->changed[changes.job_count++] = i;
	for (uint32_t i = 0; i < snap->node_count; i++)
		if (!same_free(&past->nodes[i], &snap->nodes[i]) ||
		    one_in(w, 40))
			w->changed_nodes[changes.node_count++] = i;
	return changes;
}

/* Jobs in the order of the host: new ones come last or somewhere, those that
 * are over leave a gap that closes, or that the last one fills. */

static void list_new(struct world *w)
{
	for (; w->known_count < w->vc.job_count; w->known_count++) {
		size_t at = one_in(w, 6)
				    ? below(w, (uint32_t)w->listed_count + 1)
				    : w->listed_count;

		memmove(w->listed + at + 1, w->listed + at,
			(w->listed_count++ - at) * sizeof(*w->listed));
		w->listed[at] = w->vc.jobs[w->known_count];
	}
}

static void drop_ended(struct world *w)
{
	for (size_t i = 0; i < w->listed_count;) {
		if (w->listed[i]->job.state != ASTRA_JOB_ENDED ||
		    one_in(w, 3)) {
			i++;
			continue;
		}
		w->listed_count--;
		if (w->seed % 2)
			w->listed[i] = w->listed[w->listed_count];
		else
			memmove(w->listed + i, w->listed + i + 1,
				(w->listed_count - i) * sizeof(*w->listed));
	}
}

static void hold_round(struct vcluster *vc, const struct astra_snapshot *shown)
{
	struct world *w = vc->test;
	struct astra_snapshot snap = *shown, told;
	struct astra_changes changes;
	struct astra_error err = {""};

	list_new(w);
	drop_ended(w);
	for (size_t i = 0; i < w->listed_count; i++)
		w->jobs[i] = w->listed[i]->job;
	for (size_t i = 0; !w->settling && i < vc->node_count; i++)
		vc->nodes[i].settling = false;
	snap.jobs = w->jobs;
	snap.job_count = w->listed_count;
	snap.kill_wait_sec = w->seed % 4 == 1 ? 3 : 0;
	told = snap;
	if (w->past.known && same_cluster(&w->past, &snap)) {
		changes = compare(w, &snap);
		told.changes = &changes;
		w->told++;
		w->few += changes.job_count < snap.job_count;
	}
	remember(&w->past, &snap);
	if (astra_engine_round(vc->engine, &told, &vc->plan, &err) < 0 ||
	    astra_engine_round(w->untold, &snap, &w->plan, &err) < 0)
		fail_msg("%s", err.text);
	agree_plans(w, &vc->plan, &w->plan);
	agree_counters(w);
	agree_views(w);
	w->rounds++;
	w->decisions += (unsigned)vc->plan.decision_count;
	if (!w->wordy)
		return;
	if (astra_engine_round(w->wordy, &snap, &w->wordy_plan, &err) < 0)
		fail_msg("%s", err.text);
	agree_decisions(w, &vc->plan, &w->wordy_plan);
}

/* What happens to all engines. */

static bool refuses(struct vcluster *vc, const struct astra_decision *d)
{
	struct world *w = vc->test;

	if (!one_in(w, 25))
		return false;
	astra_engine_refuse(w->untold, d->job, w->plan.shares + d->first_share,
			    d->share_count, true, vc->now_sec);
	if (w->wordy)
		astra_engine_refuse(w->wordy, d->job,
				    vc->plan.shares + d->first_share,
				    d->share_count, true, vc->now_sec);
	return true;
}

static void refuse_job(struct world *w, uint32_t job)
{
	struct astra_engine *engines[] = {w->vc.engine, w->untold, w->wordy};

	for (size_t i = 0; i < ASTRA_COUNT_OF(engines) && engines[i]; i++)
		astra_engine_refuse(engines[i], job, NULL, 0, false,
				    w->vc.now_sec);
}

static void set_clock(struct world *w)
{
	double by_sec = (double)below(w, 60) - 20;

	vc_set_clock(&w->vc, by_sec);
	astra_engine_shift(w->untold, by_sec);
	if (w->wordy)
		astra_engine_shift(w->wordy, by_sec);
}

static struct astra_engine *again(const struct world *w,
				  struct astra_engine *engine)
{
	struct astra_bytes saved = {0};
	struct astra_error err = {""};
	struct astra_engine *restored;

	assert_int_equal(astra_engine_save(engine, &saved), 0);
	astra_engine_destroy(engine);
	restored = astra_engine_restore(&w->vc.options, saved.data, saved.size,
					&err);
	if (!restored)
		fail_msg("%s", err.text);
	astra_bytes_clear(&saved);
	return restored;
}

static void restart(struct world *w)
{
	w->vc.engine = again(w, w->vc.engine);
	w->untold = again(w, w->untold);
	if (w->wordy)
		w->wordy = again(w, w->wordy);
}

static void configure(struct world *w)
{
	struct astra_engine *engines[] = {w->vc.engine, w->untold, w->wordy};
	const struct astra_policy *const *all = astra_policy_all();
	struct astra_options *o = &w->vc.options;
	struct astra_error err = {""};
	size_t count = 0;

	o->lease_sec = 20 + below(w, 40);
	o->reclaim_max = one_in(w, 3) ? 4 : 0;
	o->within_users = one_in(w, 2);
	o->promise = !one_in(w, 4);
	o->leases = !one_in(w, 6);
	while (all[count])
		count++;
	if (!w->wordy && one_in(w, 3))
		assert_int_equal(
			astra_options_set(o, "Policy",
					  all[below(w, (uint32_t)count)]->name,
					  NULL),
			0);
	if (astra_options_check(o, &err) < 0)
		o->leases = true;
	for (size_t i = 0; i < ASTRA_COUNT_OF(engines) && engines[i]; i++)
		if (astra_engine_configure(engines[i], o, &err) < 0)
			fail_msg("%s", err.text);
}

/* What happens to jobs and nodes. */

static void submit(struct world *w)
{
	static const uint32_t sizes[] = {1, 1, 2, 4, 8, 12, 40};
	struct vcluster *vc = &w->vc;
	uint32_t user = below(w, (uint32_t)vc->user_count + 1);
	uint32_t tenant = user < vc->user_count
				  ? vc->users[user].tenant
				  : below(w, (uint32_t)vc->tenant_count);
	uint32_t size = below(w, one_in(w, 20) ? ASTRA_COUNT_OF(sizes)
					       : ASTRA_COUNT_OF(sizes) - 1);
	struct vjob *v =
		vc_submit(vc, tenant, sizes[size], 5 + (double)below(w, 120));
	struct astra_job *job = &v->job;

	job->user = user < vc->user_count ? user : ASTRA_NONE;
	v->checkpoint_sec = one_in(w, 2) ? 2 : 0;
	if (one_in(w, 5)) {
		job->copies = 1 + below(w, 4);
		return;
	}
	job->checkpoints = one_in(w, 2);
	job->revocable = !one_in(w, 6);
	job->unprepared = job->revocable && one_in(w, 2);
	job->weight = 1 + below(w, 2);
	job->precedence = one_in(w, 6);
	job->extras = one_in(w, 3);
	if (job->request.gpus > 1 && one_in(w, 4)) {
		job->request.gpus_min = 1 + below(w, job->request.gpus - 1);
		job->keeps_size = one_in(w, 3);
	}
	job->request.whole_node = job->request.gpus <= 8 && one_in(w, 8);
	if (one_in(w, 12))
		job->lease_sec = 10 + below(w, 40);
	if (one_in(w, 12))
		job->time_limit_sec = 60;
	if (one_in(w, 12))
		job->deadline_sec = vc->now_sec + 100;
	if (one_in(w, 12))
		job->leave_sec = vc->now_sec + below(w, 80);
	job->leave_cuts = job->leave_sec > 0 && one_in(w, 2);
}

static void meddle_waiting(struct world *w, struct vjob *v)
{
	struct astra_job *job = &v->job;

	switch (below(w, 8)) {
	case 0:
		job->state = ASTRA_JOB_ENDED; /* cancelled */
		job->end_sec = w->vc.now_sec;
		break;
	case 1:
	case 2:
		job->state = ASTRA_JOB_BLOCKED;
		break;
	case 3:
		job->weight = 1 + below(w, 3);
		break;
	case 4:
		if (job->copies > 1 || job->request.gpus_min)
			break;
		job->request.gpus = job->request.cpus = 1 + below(w, 8);
		break;
	case 5:
		job->tenant = below(w, (uint32_t)w->vc.tenant_count);
		job->user = ASTRA_NONE;
		break;
	case 6:
		refuse_job(w, job->id);
		break;
	default:
		job->precedence = below(w, 3);
	}
}

static void meddle_running(struct world *w, struct vjob *v)
{
	struct astra_job *job = &v->job;

	switch (below(w, 8)) {
	case 0:
	case 1:
		job->suspended = !job->suspended;
		break;
	case 2:
		job->revocable = !job->revocable;
		break;
	case 3:
		job->unheard = !job->unheard;
		break;
	case 4:
		job->leave_sec = one_in(w, 3) ? 0 : w->vc.now_sec + 10;
		break;
	case 5:
		assert_int_equal(astra_world_expect(&w->vc.world, job->id - 1,
						    ASTRA_EVENT_LEFT,
						    w->vc.now_sec),
				 0); /* requeued by its user */
		break;
	case 6:
		job->booting = !job->booting;
		job->uncharged = job->booting && one_in(w, 2);
		if (job->booting)
			break;
		job->start_sec = w->vc.now_sec;
		break;
	default:
		v->work_sec = v->done_sec;
	}
}

static void meddle_job(struct world *w)
{
	struct vjob *v;

	if (!w->listed_count)
		return;
	v = w->listed[below(w, (uint32_t)w->listed_count)];
	if (v->job.state == ASTRA_JOB_PENDING)
		meddle_waiting(w, v);
	else if (v->job.state == ASTRA_JOB_BLOCKED)
		v->job.state = ASTRA_JOB_PENDING;
	else if (v->job.state == ASTRA_JOB_RUNNING)
		meddle_running(w, v);
}

static void meddle_node(struct world *w)
{
	struct vcluster *vc = &w->vc;
	size_t last = vc->node_count - 1;
	struct astra_node *n = &vc->nodes[below(w, (uint32_t)vc->node_count)];

	if (!n->usable) {
		n->usable = true;
		n->emptying = false;
		return;
	}
	if (one_in(w, 3)) { /* comes, goes */
		if (vc->node_count < NODES_MOST)
			vc->node_count++;
		else if (vc->nodes[last].gpus_free == vc->nodes[last].gpus)
			vc->node_count--;
		return;
	}
	n->usable = false;
	n->emptying = one_in(w, 2);
	for (size_t i = 0; !n->emptying && i < w->listed_count; i++)
		for (size_t k = 0; k < w->listed[i]->job.held_count; k++)
			if (&vc->nodes[w->listed[i]->job.held[k].node] == n)
				w->listed[i]->work_sec = 0;
}

static void meddle(struct world *w)
{
	static const char *const names[] = {"u", "v", "w", "x", "y"};
	struct vcluster *vc = &w->vc;

	if (one_in(w, 3) && vc->job_count < JOBS_MOST)
		submit(w);
	if (one_in(w, 3))
		meddle_job(w);
	if (one_in(w, 25))
		meddle_node(w);
	if (one_in(w, 60) && vc->user_count < ASTRA_COUNT_OF(names))
		vc_user(vc, below(w, (uint32_t)vc->tenant_count),
			names[vc->user_count]);
	if (one_in(w, 80))
		vc->tenants[below(w, (uint32_t)vc->tenant_count)].weight =
			below(w, 4);
	if (one_in(w, 60))
		set_clock(w);
	if (one_in(w, 60))
		configure(w);
	if (one_in(w, 60))
		restart(w);
	if (one_in(w, 2))
		vc->due_sec = vc->now_sec;
}

static struct astra_engine *create(const struct world *w)
{
	struct astra_error err = {""};
	struct astra_engine *engine =
		astra_engine_create(&w->vc.options, w->vc.now_sec, &err);

	if (!engine)
		fail_msg("%s", err.text);
	return engine;
}

static void options(struct world *w)
{
	struct astra_options *o = &w->vc.options;

	assert_int_equal(astra_options_set(o, "Policy", w->policy, NULL), 0);
	o->lease_sec = 40;
	o->lease_said = true;
	o->horizon_sec = 400;
	o->slot_sec = 20;
	o->grace_sec = 5;
	o->min_run_sec = 10;
	o->within_users = w->seed % 2;
	o->reclaim_max = w->seed % 3 == 2 ? 4 : 0;
	if (w->seed % 2)
		o->half_life_sec = 600;
	o->unprepared = below(w, 3);
}

static struct world *begin(const char *policy, uint64_t seed)
{
	static const char *const nodes[NODES_MOST] = {"n0", "n1", "n2",
						      "n3", "n4", "n5"};
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->policy = policy;
	w->seed = seed;
	w->random = astra_random_seed(seed);
	w->settling = seed % 4 == 0;
	w->listed = calloc(VC_JOBS, sizeof(*w->listed));
	w->jobs = calloc(VC_JOBS, sizeof(*w->jobs));
	w->changed = calloc(VC_JOBS, sizeof(*w->changed));
	w->changed_nodes = calloc(VC_NODES, sizeof(*w->changed_nodes));
	assert_true(w->listed && w->jobs && w->changed && w->changed_nodes);
	vc_init(&w->vc, NODES_MOST, 8);
	for (size_t i = 0; i < NODES_MOST; i++)
		w->vc.nodes[i].name = nodes[i];
	w->vc.node_count = NODES_LEAST;
	options(w);
	for (uint32_t i = 0; i < 3; i++)
		vc_tenant(&w->vc, (const char *[]){"a", "b", "c"}[i], 1 + i);
	vc_begin(&w->vc);
	w->untold = create(w);
	astra_plan_init(&w->plan);
	astra_plan_init(&w->wordy_plan);
	w->vc.plan.terse = w->plan.terse = seed / 2 % 2;
	if (w->plan.terse && !strcmp(policy, "ltgf"))
		w->wordy = create(w);
	w->vc.test = w;
	w->vc.round = hold_round;
	w->vc.refuses = refuses;
	return w;
}

static void end(struct world *w)
{
	vc_fini(&w->vc);
	astra_engine_destroy(w->untold);
	astra_engine_destroy(w->wordy);
	astra_plan_destroy(&w->plan);
	astra_plan_destroy(&w->wordy_plan);
	for (size_t i = 0; i < VC_JOBS; i++)
		free(w->past.held[i]);
	free(w->listed);
	free(w->jobs);
	free(w->changed);
	free(w->changed_nodes);
	free(w);
}

static void run(const char *policy, uint64_t seed)
{
	struct world *w = begin(policy, seed);

	for (int i = 0; i < SPAN_SEC; i++) {
		meddle(w);
		vc_step(&w->vc);
	}
	print_message("%s, seed %u: %u rounds, %u told, %u of few jobs, "
		      "%u decisions\n",
		      policy, (unsigned)seed, w->rounds, w->told, w->few,
		      w->decisions);
	assert_true(w->rounds > SPAN_SEC / 2);
	assert_true(w->few > SPAN_SEC / 10);
	assert_true(w->decisions > 0);
	end(w);
}

static void test_every_policy(void **state)
{
	const struct astra_policy *const *p = astra_policy_all();
	const char *only = getenv("CHANGES_SEED"); /* to look for more */
	uint64_t first = only ? strtoul(only, NULL, 10) : 1;

	(void)state;
	for (size_t i = 0; p[i]; i++)
		for (uint64_t seed = first; seed < first + draws(SEEDS); seed++)
			run(p[i]->name, seed);
}

/* A job that was to move goes on where it is: what it holds, and not what it
 * was promised before, is what the policy is told of. */
static void test_found_before(void **state)
{
	(void)state;
	run("ltgf+oasis", 315);
	run("ltgf+incentive", 323);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_policy),
		cmocka_unit_test(test_found_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
