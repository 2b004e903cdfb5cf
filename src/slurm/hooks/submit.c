/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "src/slurm/check/selfcheck.h"
#include "src/slurm/hooks/gate.h"
#include "src/slurm/hooks/submit_priv.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/in/unleased.h"
#include "src/slurm/in/unleased_view.h"
#include "src/slurm/note/marks.h"
#include "src/slurm/out/resize.h"

/* Write "4 GPUs" or "1 GPU of type a100". */
static const char *gpu_text(uint64_t count, const struct astra_submit *r,
			    char *text, size_t size)
{
	const char *type = r->ask.type;

	snprintf(text, size, "%llu %s%s%s%s", (unsigned long long)count,
		 r->shards ? "shard" : "GPU", count == 1 ? "" : "s",
		 *type ? " of type " : "", type);
	return text;
}

/* Whether the type looks like a number. To Slurm "gpu:-1" asks for one GPU of
 * type "-1". */
static bool is_like_number(const char *type)
{
	return *type && strchr("+-.0123456789", *type) &&
	       type[strspn(type, "0123456789")];
}

static int refuse_short(const part_record_t *part, const struct astra_submit *r,
			const struct astra_stock *stock,
			struct astra_error *err)
{
	char all[128], each[128], have[128];

	gpu_text(r->need.gpus, r, all, sizeof(all));
	gpu_text(r->need.node_gpus, r, each, sizeof(each));
	gpu_text(stock->gpus, r, have, sizeof(have));
	if (!stock->gpus && is_like_number(r->ask.type))
		astra_error_set(err,
				"%s is no number of GPUs, nor a type of those "
				"of partition %s",
				r->ask.type, part->name);
	else if (stock->most < r->need.node_gpus && stock->gpus)
		astra_error_set(err,
				"%s on one node: no %s of partition %s has "
				"more than %llu",
				each, r->shards ? "GPU" : "node", part->name,
				(unsigned long long)stock->most);
	else if (stock->gpus < r->need.gpus)
		astra_error_set(err, "%s: all of partition %s has %s", all,
				part->name, have);
	else if (stock->nodes_gpus < r->need.nodes)
		astra_error_set(err,
				"%u nodes with %s each: partition %s has "
				"%u such nodes",
				r->need.nodes, each, part->name,
				stock->nodes_gpus);
	else
		astra_error_set(err,
				"%s on nodes with %llu CPUs and %llu MiB "
				"at least: those of partition %s have "
				"%llu",
				all, (unsigned long long)r->cpus,
				(unsigned long long)r->mem_mib, part->name,
				(unsigned long long)stock->gpus_usable);
	return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
}

/* Check that one of the partitions is large enough. */
static int submit_check_size(const struct astra_submit *r,
			     struct astra_error *err)
{
	int rc = SLURM_SUCCESS;
	const char *at = NULL;
	part_record_t *part;
	struct astra_stock stock;

	while ((part = astra_next_part(r->partitions, &at))) {
		if (astra_stock_suffices(part, r, &stock))
			return SLURM_SUCCESS;
		rc = refuse_short(part, r, &stock, err);
	}
	return rc;
}

static int submit_refuse_parts(bool shards, struct astra_error *err)
{
	astra_error_set(err,
			"a part of a GPU would take leased GPUs: ask for them "
			"with --gres=%s:N, or use another partition",
			shards ? "shard" : "gpu");
	return ESLURM_INVALID_GRES;
}

/* Check that the request names a type if there are MIG devices of several
 * sizes, which are not interchangeable. Whole nodes are then refused. */
static int check_kind(const struct astra_submit *r,
		      const struct astra_places *places,
		      struct astra_error *err)
{
	bool whole = r->exclusive || places->exclusive;

	if ((*r->ask.type && !whole) || !astra_stock_has_kinds(r->partitions))
		return SLURM_SUCCESS;
	if (whole)
		astra_error_set(err, "GPUs are leased in parts of several "
				     "sizes here, and whole nodes would come "
				     "with all of them");
	else
		astra_error_set(err, "GPUs are leased in parts of several "
				     "sizes here: say of which type, "
				     "--gres=gpu:TYPE:N");
	return ESLURM_INVALID_GRES;
}

/* Check that shards are asked for in a pool of shards, and GPUs in other
 * pools. */
static int check_unit(const struct astra_submit *r,
		      const struct astra_places *places,
		      struct astra_error *err)
{
	if (r->ask.mps || (r->ask.shards && !r->shards))
		return submit_refuse_parts(r->shards, err);
	if (!r->shards)
		return check_kind(r, places, err);
	if (!r->ask.shards || r->ask.gpus)
		astra_error_set(err, "GPUs are leased in parts here: ask for "
				     "them with --gres=shard:N");
	else if (r->exclusive || places->exclusive)
		astra_error_set(err, "GPUs are leased in parts here, and whole "
				     "nodes would come with all of them");
	else
		return SLURM_SUCCESS;
	return ESLURM_INVALID_GRES;
}

static int check_form(const struct astra_submit *r,
		      const struct astra_places *places,
		      struct astra_error *err)
{
	if (places->two_pools) {
		astra_error_set(err, "the partitions of one job must belong "
				     "to one pool");
		return ESLURM_INVALID_PARTITION_NAME;
	}
	if (places->unmanaged) {
		astra_error_set(err, "GPUs are leased in some of these "
				     "partitions and not in others: name "
				     "only the ones or the others");
		return ESLURM_INVALID_PARTITION_NAME;
	}
	if (r->het) {
		astra_error_set(err, "a heterogeneous job cannot have leased "
				     "GPUs");
		return ESLURM_NOT_SUPPORTED;
	}
	if (!r->whole && astra_ask_is_derived(&r->ask) &&
	    r->spread.tasks % r->spread.tasks_per_gpu) {
		astra_error_set(err, "%u tasks cannot be %u on each GPU",
				r->spread.tasks, r->spread.tasks_per_gpu);
		return ESLURM_INVALID_GRES;
	}
	if (r->ask.two_types) {
		astra_error_set(err, "leased GPUs of one job are of one type, "
				     "or of any");
		return ESLURM_INVALID_GRES;
	}
	return check_unit(r, places, err);
}

static int check_signal(const struct astra_submit *r, struct astra_error *err)
{
	if (!r->revocable || !astra_signal_is_deaf(r->signal))
		return SLURM_SUCCESS;
	astra_error_set(err,
			"--signal=%s cannot be caught to write a checkpoint "
			"at a lease's end: name another signal or none, or "
			"add --no-requeue",
			r->signal == SIGKILL ? "KILL" : "STOP");
	return ESLURM_NOT_SUPPORTED;
}

static int check_managed(struct astra_submit *r,
			 const struct astra_places *places,
			 struct astra_error *err)
{
	int rc = check_form(r, places, err);

	if (!rc)
		rc = check_signal(r, err);
	if (!rc)
		rc = submit_check_size(r, err);
	if (!rc)
		rc = astra_submit_check_wish(r, places, err);
	return rc ? rc : astra_submit_check_unleased(r, places, err);
}

/* Check a job without GPUs or in partitions that are Slurm's own. It is refused
 * only if it would take leased GPUs. */
static int check_unmanaged(const struct astra_submit *r,
			   const struct astra_places *places,
			   struct astra_error *err)
{
	const char *at = NULL;
	part_record_t *part;

	if (places->managed && r->ask.mps)
		return submit_refuse_parts(r->shards, err);
	if (!r->need.gpus)
		return SLURM_SUCCESS;
	while ((part = astra_next_part(r->partitions, &at))) {
		if (!astra_stock_reaches_pool(part))
			continue;
		astra_error_set(err,
				"the GPUs of partition %s are leased "
				"through another partition: ask for them "
				"there",
				part->name);
		return ESLURM_INVALID_PARTITION_NAME;
	}
	return SLURM_SUCCESS;
}

/* Whether the job gets GPUs with whole nodes. */
static bool submit_takes_gpus(const struct astra_submit *r,
			      const struct astra_places *places)
{
	return places->managed && (r->exclusive || places->exclusive) &&
	       astra_stock_has_gpus(r->partitions, r->nodes);
}

/* Find the request's partitions, what the job needs, and whether it is
 * managed. */
static void submit_look(struct astra_submit *r, struct astra_places *places)
{
	r->need = astra_ask_need(&r->ask, &r->spread);
	astra_places_look(places, r->partitions);
	r->shards = places->managed && places->options.shards;
	if (!r->need.gpus && submit_takes_gpus(r, places)) {
		r->whole = true;
		r->need.nodes = r->spread.nodes_min ? r->spread.nodes_min : 1;
		r->need.gpus = r->need.nodes;
		r->need.node_gpus = 1;
	}
	r->managed = places->managed && r->need.gpus;
}

/* Check a job. said: gets a static text for its user; NULL: none. */
static int submit_check(struct astra_submit *r, const char **said,
			struct astra_error *err)
{
	struct astra_places places;
	int rc;

	submit_look(r, &places);
	rc = r->managed ? check_managed(r, &places, err)
			: check_unmanaged(r, &places, err);
	*said = astra_submit_unprepared_text(r, &places.options);
	return rc ? rc : astra_submit_range_check(r, err);
}

static void submit_tell(char **err_msg, const struct astra_error *err)
{
	if (err_msg)
		xstrfmtcat(*err_msg, "%s%s", *err_msg ? "\n" : "", err->text);
}

static void submit_say(char **err_msg, const char *text)
{
	struct astra_error said = {""};

	astra_error_set(&said, "%s", text);
	submit_tell(err_msg, &said);
}

/* Write the count of GPUs out: Slurm would derive the same count, but only in
 * the job's gres list. */
static void write_out(job_desc_msg_t *desc, const struct astra_submit *r)
{
	if (!desc->tres_per_job)
		xstrfmtcat(desc->tres_per_job, ASTRA_GPU_TRES "%llu",
			   (unsigned long long)r->need.gpus);
}

static void submit_shorten(job_desc_msg_t *desc, uint32_t minutes,
			   char **err_msg)
{
	struct astra_error said = {""};
	char text[32];

	desc->time_limit = minutes;
	if (desc->time_min != NO_VAL && desc->time_min > minutes)
		desc->time_min = minutes;
	astra_print_time(minutes * 60.0, text, sizeof(text));
	astra_error_set(&said,
			"the time limit is shortened to %s: a job without "
			"leases has no longer one (NoLeaseTime)",
			text);
	submit_tell(err_msg, &said);
}

static void drop_expedite(job_desc_msg_t *desc, char **err_msg)
{
	if (astra_desc_clear_expedite(desc))
		submit_say(err_msg, "--requeue=expedite is taken as --requeue: "
				    "with leases who waits is served by "
				    "fairness");
}

/* Let Slurm append to the job's output file. It has the output from before a
 * dump, and Slurm must not truncate it at the next start. */
static int submit_append(job_desc_msg_t *desc, struct astra_error *err)
{
	if (desc->open_mode == OPEN_MODE_TRUNCATE) {
		astra_error_set(err, "--open-mode=truncate: with "
				     "--checkpoint-with the job's output goes "
				     "on after each lease, and is appended to");
		return ESLURM_NOT_SUPPORTED;
	}
	desc->open_mode = OPEN_MODE_APPEND;
	return SLURM_SUCCESS;
}

int astra_submit_check(job_desc_msg_t *desc, char **err_msg)
{
	struct astra_error err = {""};
	struct astra_submit request;
	const char *said = NULL;
	int rc = ESLURM_INVALID_GRES;

	if (!astra_selfcheck_desc(desc))
		return SLURM_SUCCESS;
	if (!astra_submit_read(&request, desc, &err))
		rc = astra_submit_range_read(&request, &err);
	if (!rc)
		rc = submit_check(&request, &said, &err);
	if (!rc)
		astra_submit_range_write(desc, &request);
	if (!rc && request.managed && !request.whole &&
	    astra_ask_is_derived(&request.ask))
		write_out(desc, &request);
	if (!rc)
		rc = astra_submit_check_spread(desc, &err);
	if (!rc && request.managed && request.wish.dumps)
		rc = submit_append(desc, &err);
	if (rc)
		submit_tell(err_msg, &err);
	if (!rc && request.shortened)
		submit_shorten(desc, request.shortened, err_msg);
	if (!rc && request.managed)
		drop_expedite(desc, err_msg);
	if (!rc && request.need.gpus && request.requeue)
		astra_submit_mark_requeue(&desc->spank_job_env,
					  &desc->spank_job_env_size);
	if (!rc && said)
		submit_say(err_msg, said);
	astra_gate_submitting(!rc && request.managed, desc->immediate);
	return rc;
}

/* Check that a user does not free a running job from its lease by Requeue=0. */
static int check_requeue(const job_desc_msg_t *desc, const job_record_t *job,
			 struct astra_error *err)
{
	if (desc->requeue != 0 || !job->details || !job->details->requeue ||
	    !job->batch_flag ||
	    (!IS_JOB_RUNNING(job) && !IS_JOB_SUSPENDED(job)) ||
	    astra_claim_of(job, NULL) != ASTRA_MANAGED)
		return SLURM_SUCCESS;
	astra_error_set(err, "it runs under a lease: only an operator may let "
			     "it keep its GPUs");
	return ESLURM_ACCESS_DENIED;
}

/* Whether the job already has no leases in that pool, and the change does not
 * lengthen its time limit. */
static bool was_as_long(const struct astra_submit *r, const char *pool,
			const job_record_t *job)
{
	double old = astra_unleased_limit(job->time_limit, job->part_ptr), new;
	const char *at = NULL;
	const struct astra_pool_config *config;
	struct astra_terms terms;
	size_t index;

	if (astra_claim_of(job, &index) != ASTRA_MANAGED)
		return false;
	config = &astra_config_active()->pools[index];
	astra_terms_of(job, &config->options, &terms);
	if (terms.revocable || strcmp(config->name, pool) != 0)
		return false;
	new = astra_unleased_limit(r->minutes,
				   astra_next_part(r->partitions, &at));
	return old <= 0 || (new > 0 && new <= old);
}

/* Check the time limit. A new job's limit is cut to NoLeaseTime. So its user
 * may not get a longer one later by changing the limit, partition, GPUs or
 * requeue. */
static int check_time(const job_desc_msg_t *desc, const job_record_t *job,
		      struct astra_error *err)
{
	struct astra_places places;
	struct astra_submit r;

	if ((desc->time_limit == NO_VAL && desc->requeue != 0 &&
	     !astra_submit_concerns(desc)) ||
	    !job->details || job->het_job_id ||
	    astra_submit_read_change(&r, desc, job, err) < 0)
		return SLURM_SUCCESS;
	submit_look(&r, &places);
	if (!r.managed || !astra_submit_is_too_long(&r, &places) ||
	    was_as_long(&r, places.pool, job))
		return SLURM_SUCCESS;
	astra_error_set(err, "its time limit would be too long for a job "
			     "without leases (NoLeaseTime): choose a shorter "
			     "one, or ask an operator");
	return ESLURM_ACCESS_DENIED;
}

static int check_change(const job_desc_msg_t *desc, const job_record_t *job,
			struct astra_error *err)
{
	struct astra_submit request;
	const char *said;

	if (!astra_submit_concerns(desc))
		return SLURM_SUCCESS;
	if (astra_submit_read_change(&request, desc, job, err) < 0)
		return ESLURM_INVALID_GRES;
	return submit_check(&request, &said, err);
}

/* Note scontrol update Requeue=1: the user allows a requeue. If the run began
 * without leases, it has leases from now on. */
static void submit_lease_run(const job_desc_msg_t *desc,
			     const job_record_t *job)
{
	enum astra_claim claim = astra_claim_of(job, NULL);

	if (desc->requeue != 1 || !job->details ||
	    (claim != ASTRA_MANAGED && claim != ASTRA_ORDERED))
		return;
	astra_env_set(job->details, ASTRA_ENV_REQUEUE, "yes");
	if (!IS_JOB_RUNNING(job) || astra_env_is_leased(job) ||
	    claim != ASTRA_MANAGED)
		return;
	astra_env_lease_run(job);
	info("astraea: job %u has leases from now on", job->job_id);
}

int astra_submit_check_change(const job_desc_msg_t *desc,
			      const job_record_t *job, uint32_t uid,
			      char **err_msg)
{
	struct astra_error err = {""};
	int rc;

	if (astra_resize_goes_on() || !astra_selfcheck_desc(desc) ||
	    !astra_selfcheck_job(job))
		return SLURM_SUCCESS;
	rc = check_requeue(desc, job, &err);
	if (!rc)
		rc = check_time(desc, job, &err);
	if (rc && job->user_id == uid && !validate_operator(uid)) {
		submit_tell(err_msg, &err);
		info("job %u cannot be changed so: %s", job->job_id, err.text);
		return rc;
	}
	if (job->user_id == uid || validate_operator(uid))
		submit_lease_run(desc, job);
	if (!IS_JOB_PENDING(job) || !job->details)
		return SLURM_SUCCESS;
	rc = astra_submit_range_keep(desc, job, &err);
	if (!rc)
		rc = check_change(desc, job, &err);
	if (!rc)
		return SLURM_SUCCESS;
	if (job->user_id != uid && !validate_operator(uid))
		return ESLURM_USER_ID_MISSING;
	submit_tell(err_msg, &err);
	info("job %u cannot be changed so: %s", job->job_id, err.text);
	return rc;
}
