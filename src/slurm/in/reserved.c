/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/reserved.h"

#include <math.h>

#include "src/slurm/in/constraint.h"
#include "src/slurm/in/gpus.h"
#include "src/slurm/note/note.h"

/* Slurm lets a job without a time limit run for a year. */
#define RESERVED_ENDLESS_MIN (365 * 24 * 60)

static int reserved_is_same(void *x, void *key)
{
	return x == key;
}

bool astra_reserved_own(const job_record_t *job, slurmctld_resv_t *resv)
{
	return resv == job->resv_ptr ||
	       (job->resv_list &&
		list_find_first_ro(job->resv_list, reserved_is_same, resv));
}

/* Whether the reservation keeps all of its nodes from a job that is not in
 * it. */
static bool reserved_for_others(const job_record_t *job, slurmctld_resv_t *resv,
				time_t now)
{
	return resv->node_bitmap && resv->end_time > now &&
	       (resv->ctld_flags & RESV_CTLD_FULL_NODE) &&
	       !resv->max_start_delay && !astra_reserved_own(job, resv);
}

static bool reserved_is_maint(const slurmctld_resv_t *resv)
{
	return resv->flags & RESERVE_FLAG_MAINT;
}

struct reserved_first {
	const job_record_t *job;
	bitstr_t *nodes;
	time_t now, from, lead;
	bool maint, maint_only;
	bool may_be_in; /* skip magnetic reservations: they may attract the job
			 */
};

static int reserved_find(void *x, void *arg)
{
	slurmctld_resv_t *resv = x;
	struct reserved_first *f = arg;
	bool maint = reserved_is_maint(resv);
	time_t from = resv->start_time - (maint ? f->lead : 0);

	if (from < f->now)
		from = f->now;
	if (!reserved_for_others(f->job, resv, f->now) ||
	    (f->may_be_in && (resv->flags & RESERVE_FLAG_MAGNETIC)) ||
	    (resv->flags & RESERVE_FLAG_TIME_FLOAT) ||
	    (f->maint_only && !maint) || (f->from && f->from <= from) ||
	    !bit_overlap_any(resv->node_bitmap, f->nodes))
		return 0;
	f->from = from;
	f->maint = maint;
	return 0;
}

time_t astra_reserved_from(const job_record_t *job,
			   const struct astra_terms *terms, time_t now,
			   bool *maint)
{
	struct reserved_first first = {
		.job = job,
		.nodes = job->node_bitmap,
		.now = now,
		.lead = (time_t)terms->lead_sec,
		.may_be_in = true,
	};

	if (resv_list && job->node_bitmap)
		list_for_each_ro(resv_list, reserved_find, &first);
	*maint = first.maint;
	return first.from;
}

static time_t reserved_on(const job_record_t *job, bitstr_t *nodes, time_t now,
			  bool maint_only)
{
	struct reserved_first first = {
		.job = job,
		.nodes = nodes,
		.now = now,
		.maint_only = maint_only,
	};

	if (resv_list)
		list_for_each_ro(resv_list, reserved_find, &first);
	return first.from;
}

time_t astra_reserved_before(const job_record_t *job, bitstr_t *nodes,
			     time_t now)
{
	return reserved_on(job, nodes, now, false);
}

time_t astra_reserved_maint_from(const job_record_t *job, bitstr_t *nodes,
				 time_t now)
{
	return reserved_on(job, nodes, now, true);
}

void astra_reserved_note(const job_record_t *job)
{
	struct astra_note *note = astra_note_open(job->job_id);

	note->maint_end_sec = (uint32_t)job->end_time;
	astra_note_close(note);
}

bool astra_reserved_cut(const job_record_t *job)
{
	uint32_t end = astra_note_of(job->job_id).maint_end_sec;

	return end && end == (uint32_t)job->end_time;
}

time_t astra_reserved_end(const job_record_t *job,
			  const struct astra_terms *terms, time_t now)
{
	uint32_t limit = job->time_limit;
	time_t begin, end;

	if (!terms->revocable || terms->lead_sec <= 0 || !job->node_bitmap ||
	    !IS_JOB_RUNNING(job) || IS_JOB_CONFIGURING(job) ||
	    job->preempt_time || limit == NO_VAL)
		return 0;
	if (limit == INFINITE)
		limit = RESERVED_ENDLESS_MIN;
	end = job->start_time + job->tot_sus_time + (time_t)limit * 60;
	if (end <= job->end_time + 60)
		return 0;
	begin = astra_reserved_maint_from(job, job->node_bitmap, now);
	if (begin == job->end_time)
		astra_reserved_note(job);
	if (!astra_reserved_cut(job))
		return 0;
	if (begin && begin < end)
		end = begin;
	return end > job->end_time + 60 ? end : 0;
}

struct reserved_pause {
	bitstr_t *nodes;
	double now, least;
	struct astra_pause first;
};

static int reserved_pauses(void *x, void *arg)
{
	slurmctld_resv_t *resv = x;
	struct reserved_pause *p = arg;
	double from = fmax((double)resv->start_time - p->least, p->now);

	if (reserved_is_maint(resv) && resv->node_bitmap &&
	    (resv->ctld_flags & RESV_CTLD_FULL_NODE) &&
	    !(resv->flags & RESERVE_FLAG_TIME_FLOAT) &&
	    (double)resv->end_time > p->now &&
	    bit_size(p->nodes) == bit_size(resv->node_bitmap) &&
	    bit_super_set(p->nodes, resv->node_bitmap) &&
	    (!(p->first.from_sec > 0) || from < p->first.from_sec))
		p->first = (struct astra_pause){
			.from_sec = from,
			.until_sec = (double)resv->end_time,
		};
	return 0;
}

struct astra_pause astra_reserved_pause(bitstr_t *nodes,
					const struct astra_options *options,
					time_t now)
{
	struct astra_terms terms = {
		.revocable = true,
		.signal = options->checkpoint_signal,
	};
	struct reserved_pause pause = {.nodes = nodes, .now = (double)now};

	astra_terms_before_maintenance(options, &terms);
	pause.least = astra_reserved_least(&terms);
	if (resv_list && bit_set_count(nodes))
		list_for_each_ro(resv_list, reserved_pauses, &pause);
	return pause.first;
}

struct reserved_test {
	const job_record_t *job;
	const struct astra_terms *terms;
	bitstr_t *nodes; /* reserved nodes are cleared here; may be NULL */
	bitstr_t *among; /* keepers are reservations of these nodes; may be NULL
			  */
	const slurmctld_resv_t *inside; /* the reservation that the job may be
					 * in, or NULL */
	time_t now, until;
	struct astra_keepers keepers;
};

time_t astra_reserved_run_sec(const job_record_t *job, bool full)
{
	uint32_t limit = job->time_limit;

	if (limit == NO_VAL && job->part_ptr)
		limit = job->part_ptr->max_time;
	if (limit == NO_VAL || limit == INFINITE)
		limit = RESERVED_ENDLESS_MIN;
	if (!full && IS_JOB_PENDING(job) && job->time_min &&
	    job->time_min < limit)
		limit = job->time_min;
	return (time_t)limit * 60;
}

/* Slurm counts runs in minutes. */
double astra_reserved_least(const struct astra_terms *terms)
{
	return terms->least_sec > 0
		       ? fmax(60, terms->lead_sec + terms->least_sec)
		       : 0;
}

static bool reserved_has_room(const struct reserved_test *t,
			      const slurmctld_resv_t *resv)
{
	double least = astra_reserved_least(t->terms);

	return reserved_is_maint(resv) &&
	       !(resv->flags & RESERVE_FLAG_TIME_FLOAT) && least > 0 &&
	       difftime(resv->start_time, t->now) >= least;
}

static void reserved_keeps(const slurmctld_resv_t *resv,
			   struct astra_keepers *k)
{
	if (!reserved_is_maint(resv)) {
		if (!k->other || resv->start_time < k->other->start_time)
			k->other = resv;
	} else if (!k->maint || k->maint->end_time < resv->end_time) {
		k->maint = resv;
	}
}

static int reserved_drop(void *x, void *arg)
{
	slurmctld_resv_t *resv = x;
	struct reserved_test *t = arg;

	if (resv == t->inside || !reserved_for_others(t->job, resv, t->now) ||
	    resv->start_time >= t->until || reserved_has_room(t, resv))
		return 0;
	if (t->nodes)
		bit_and_not(t->nodes, resv->node_bitmap);
	if (t->among && bit_overlap_any(resv->node_bitmap, t->among))
		reserved_keeps(resv, &t->keepers);
	return 0;
}

void astra_reserved_drop(const job_record_t *job,
			 const struct astra_terms *terms, time_t now,
			 const slurmctld_resv_t *inside, bool full,
			 bitstr_t *nodes)
{
	struct reserved_test test = {
		.job = job,
		.terms = terms,
		.nodes = nodes,
		.inside = inside,
		.now = now,
		.until = now + astra_reserved_run_sec(job, full),
	};

	if (resv_list)
		list_for_each_ro(resv_list, reserved_drop, &test);
}

struct astra_keepers astra_reserved_keepers(const job_record_t *job,
					    const struct astra_terms *terms,
					    bitstr_t *among, time_t now)
{
	struct reserved_test test = {
		.job = job,
		.terms = terms,
		.among = among,
		.now = now,
		.until = now + astra_reserved_run_sec(job, false),
	};

	if (resv_list)
		list_for_each_ro(resv_list, reserved_drop, &test);
	return test.keepers;
}

/* Reservations that jobs use without naming them. */

static int reserved_is_magnetic(void *x, void *key)
{
	const slurmctld_resv_t *resv = x;
	const time_t *now = key;

	return (resv->flags & RESERVE_FLAG_MAGNETIC) && resv->node_bitmap &&
	       (resv->ctld_flags & RESV_CTLD_FULL_NODE) &&
	       resv->start_time <= *now && resv->end_time > *now;
}

/* Return Slurm's queue records for the magnetic reservations that the job may
 * use; NULL: there are none. */
static list_t *reserved_magnetic_of(job_record_t *job, time_t now)
{
	job_queue_req_t request = {.job_ptr = job, .part_ptr = job->part_ptr};

	if (job->resv_name || job->het_job_id || !job->part_ptr || !resv_list ||
	    !list_find_first_ro(resv_list, reserved_is_magnetic, &now))
		return NULL;
	request.job_queue = list_create(xfree_ptr);
	job_resv_append_magnetic(&request);
	return request.job_queue;
}

struct reserved_attract {
	time_t now, until; /* the job runs from now to until */
	bitstr_t *nodes;   /* nodes that have to be inside, or NULL */
	/* The request of a waiting job; NULL: the job starts on `nodes`. */
	const struct astra_request *request;
	bitstr_t *suited; /* nodes that suit the job */
	struct astra_ask ask;
	const struct astra_ordered_node *all;
	bool free; /* there must be free GPUs for the job now */
};

static int reserved_add_nodes(void *x, void *arg)
{
	const job_queue_rec_t *record = x;
	bitstr_t *nodes = arg;

	if (record->resv_ptr && record->resv_ptr->node_bitmap)
		bit_or(nodes, record->resv_ptr->node_bitmap);
	return 0;
}

/* Return which of these nodes are inside a reservation. The caller frees the
 * result with bit_free(). */
static bitstr_t *reserved_inside(list_t *records, bitstr_t *among)
{
	bitstr_t *nodes = bit_alloc(node_record_count);

	list_for_each_ro(records, reserved_add_nodes, nodes);
	bit_and(nodes, among);
	return nodes;
}

/* Keep in nodes those with the job's GPU type and features. */
static void reserved_keep_suited(const job_record_t *job,
				 struct astra_node_order *order,
				 const char *type, bitstr_t *nodes)
{
	bitstr_t *possible = bit_alloc(node_record_count);
	bitoff_t first, last;

	astra_constraint_apply(job, order, nodes, possible);
	bit_free(possible);
	first = *type ? bit_ffs(nodes) : -1;
	last = bit_fls(nodes);
	for (bitoff_t i = first; i >= 0 && i <= last; i++)
		if (bit_test(nodes, i) &&
		    !astra_node_has_type(node_record_table_ptr[i], type))
			bit_clear(nodes, i);
}

/* Return how many GPUs of a node the job could have now. */
static uint64_t reserved_free(const struct reserved_attract *a, bitoff_t node)
{
	uint32_t each = a->request->gpus_per_node;
	uint64_t free = a->all[node].free;

	if (!bit_test(a->suited, node) || !bit_test(avail_node_bitmap, node))
		return 0;
	if (*a->ask.type || a->ask.shards)
		free = astra_node_free(node_record_table_ptr[node],
				       a->ask.shards, a->ask.type);
	if (each)
		return free >= each ? each : 0;
	return free;
}

/* Whether the reservation has as many nodes as the job needs and, if a->free,
 * enough free GPUs. */
static bool reserved_has_nodes(const struct reserved_attract *a,
			       const slurmctld_resv_t *resv)
{
	uint64_t need = a->free ? astra_request_least(a->request) : 0;
	bitoff_t first = bit_ffs(a->suited), last = bit_fls(a->suited);
	uint64_t gpus = 0;
	uint32_t nodes = 0;

	if (!a->free)
		nodes = (uint32_t)bit_overlap(a->suited, resv->node_bitmap);
	for (bitoff_t i = first; a->free && i >= 0 && i <= last; i++) {
		uint64_t free = bit_test(resv->node_bitmap, i)
					? reserved_free(a, i)
					: 0;

		nodes += free > 0;
		gpus += free;
		if (gpus >= need && nodes >= a->request->nodes_min)
			break;
	}
	return gpus >= need && nodes && nodes >= a->request->nodes_min;
}

static int reserved_attracts(void *x, void *key)
{
	const job_queue_rec_t *record = x;
	struct reserved_attract *a = key;
	slurmctld_resv_t *resv = record->resv_ptr;

	if (!resv || !reserved_is_magnetic(resv, &a->now) ||
	    (astra_magnets_outlast() && a->until > resv->end_time &&
	     !(resv->flags & RESERVE_FLAG_FLEX)) ||
	    (a->nodes && !bit_super_set(a->nodes, resv->node_bitmap)))
		return 0;
	return !a->request || reserved_has_nodes(a, resv);
}

const slurmctld_resv_t *
astra_reserved_magnet(job_record_t *job, struct astra_node_order *order,
		      bitstr_t *among, const struct astra_request *request,
		      time_t now)
{
	struct reserved_attract any = {
		.now = now,
		.until = now + astra_reserved_run_sec(job, true),
		.nodes = job->details->req_node_bitmap,
		.request = request,
	};
	list_t *records = reserved_magnetic_of(job, now);
	struct reserved_attract free;
	job_queue_rec_t *first = NULL;
	slurmctld_resv_t *resv = NULL;

	if (!records)
		return NULL;
	astra_request_ask(job, &any.ask);
	any.all = astra_node_order_numbered(order);
	any.suited = reserved_inside(records, among);
	if (bit_ffs(any.suited) >= 0)
		reserved_keep_suited(job, order, any.ask.type, any.suited);
	free = any;
	free.free = true;
	first = list_find_first_ro(records, reserved_attracts, &free);
	if (!first)
		first = list_find_first_ro(records, reserved_attracts, &any);
	if (first)
		resv = first->resv_ptr;
	bit_free(any.suited);
	FREE_NULL_LIST(records);
	return resv;
}

void astra_reserved_attract(job_record_t *job, bitstr_t *nodes)
{
	time_t now = time(NULL);
	struct reserved_attract a = {
		.now = now,
		.until = now + astra_reserved_run_sec(job, true),
		.nodes = nodes,
	};
	list_t *records = reserved_magnetic_of(job, now);
	job_queue_rec_t *first;

	if (!records)
		return;
	first = list_find_first_ro(records, reserved_attracts, &a);
	if (first)
		job_queue_rec_magnetic_resv(first);
	FREE_NULL_LIST(records);
}

static int add_nodes(void *x, void *arg)
{
	const slurmctld_resv_t *resv = x;

	if (resv->node_bitmap)
		bit_or(arg, resv->node_bitmap);
	return 0;
}

void astra_reserved_keep(const job_record_t *job, bitstr_t *nodes)
{
	bitstr_t *own;

	if (!job->resv_ptr || !job->resv_ptr->node_bitmap ||
	    (job->resv_ptr->flags & RESERVE_FLAG_FLEX))
		return;
	if (!job->resv_list) {
		bit_and(nodes, job->resv_ptr->node_bitmap);
		return;
	}
	own = bit_alloc(node_record_count);
	list_for_each_ro(job->resv_list, add_nodes, own);
	bit_and(nodes, own);
	bit_free(own);
}

static int covers(void *x, void *key)
{
	const slurmctld_resv_t *resv = x;

	return resv->node_bitmap && bit_super_set(key, resv->node_bitmap);
}

void astra_reserved_choose(job_record_t *job, bitstr_t *nodes)
{
	slurmctld_resv_t *resv = NULL;

	if (job->resv_list)
		resv = list_find_first_ro(job->resv_list, covers, nodes);
	if (resv)
		job->resv_ptr = resv;
}
