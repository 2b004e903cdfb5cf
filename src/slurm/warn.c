/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/warn.h"

#include <string.h>

#include "src/slurm/check/damage.h"
#include "src/slurm/check/overlap.h"
#include "src/slurm/check/steps.h"
#include "src/slurm/conf/config_kept.h"
#include "src/slurm/desk/server.h"
#include "src/slurm/in/gpus.h"
#include "src/slurm/in/mixed.h"
#include "src/slurm/out/recover.h"

/* Warn about lines missing in the present slurm.conf, which may differ from the
 * one with which slurmctld was started: so an admin who has added a line gets
 * no warning any more. */
static void missing_steps(const struct astra_config *config,
			  struct astra_error *out)
{
	const struct astra_steps steps = {
		.scheduler = slurm_conf.schedtype,
		.burst_buffer = slurm_conf.bb_type,
		.priority = slurm_conf.priority_type,
		.job_submit = slurm_conf.job_submit_plugins,
	};

	astra_steps_warn(&steps, config->leases, out);
}

/* Warn if the server has not listened on the network since slurmctld's start,
 * unless a warning about the file says so already. */
static void warn_not_listening(struct astra_error *out)
{
	const char *why = astra_server_network_error();

	if (*why && !strstr(out->text, why))
		astra_error_add(out, "%s: nobody is answered on the network",
				why);
}

/* Warn about JobRequeue=0: jobs then have no leases although their users did
 * not choose that. */
static void never_requeued(const struct astra_pool_config *pool,
			   struct astra_error *out)
{
	if (pool->options.leases && !pool->options.unleased_said &&
	    !slurm_conf.job_requeue)
		astra_error_add(out,
				"pool %s: JobRequeue=0 in slurm.conf: batch "
				"jobs without --requeue have no leases, and "
				"NoLeaseGPUs= does not bound them",
				pool->name);
}

static void idle_weights(const struct astra_tenants *t, struct astra_error *out)
{
	for (size_t i = 0; i < t->count; i++)
		if (!(t->list[i].weight > 0))
			astra_error_add(out,
					"tenant %s has weight 0: it gets only "
					"what nobody else wants",
					t->list[i].name);
}

static void gone_account(const struct astra_tenants *t, struct astra_error *out)
{
	if (t->unknown)
		astra_error_add(out,
				"account %s of job %u is not in sacctmgr: its "
				"jobs count for their users, of weight 1",
				t->unknown, t->unknown_job);
}

static void missing_qos(const struct astra_pool_config *pool,
			struct astra_error *out)
{
	const struct astra_weights *w = &pool->options.qos_weights;

	for (size_t i = 0; i < w->count; i++)
		if (!astra_qos_find(w->row[i].name))
			astra_error_add(out,
					"pool %s: QOSWeight: there is no QOS "
					"%s",
					pool->name, w->row[i].name);
}

/* Warn about caps for unknown tenants. Not without slurmdbd: a user who has no
 * jobs now may be a tenant later. */
static void missing_tenants(const struct astra_pool_config *pool,
			    const struct astra_tenants *t,
			    struct astra_error *out)
{
	const struct astra_weights *w = &pool->options.cap_tenants;

	for (size_t i = 0; i < w->count && slurm_with_slurmdbd(); i++) {
		size_t k = 0;

		while (k < t->count && strcmp(t->list[k].name, w->row[i].name))
			k++;
		if (k == t->count)
			astra_error_add(out,
					"pool %s: TenantGPUHours: there is no "
					"tenant %s",
					pool->name, w->row[i].name);
	}
}

/* Whether the node may have GPUs of the type. If slurm.conf names no types, a
 * node reports them when it registers. */
static bool may_have(const node_record_t *node, const char *type)
{
	const gres_node_state_t *g = astra_node_gpus(node);

	if (g && !g->type_cnt && !node->boot_time)
		return true;
	return astra_node_has_type(node, type);
}

static bool anybody_has(const char *type)
{
	for (int i = 0; i < node_record_count; i++)
		if (node_record_table_ptr[i] &&
		    may_have(node_record_table_ptr[i], type))
			return true;
	return false;
}

static void missing_types(const struct astra_pool_config *pool,
			  struct astra_error *out)
{
	const struct astra_weights *w = &pool->options.gpu_weights;

	for (size_t i = 0; i < w->count; i++)
		if (!anybody_has(w->row[i].name))
			astra_error_add(out,
					"pool %s: GPUWeight: no node has GPUs "
					"of type %s",
					pool->name, w->row[i].name);
}

static void missing_shards(const struct astra_pool_config *pool,
			   struct astra_error *out)
{
	if (!pool->options.shards)
		return;
	for (int i = 0; i < node_record_count; i++)
		if (astra_node_gres(node_record_table_ptr[i], true))
			return;
	astra_error_add(
		out,
		"pool %s: Gres=shard: no node has gres/shard (GresTypes "
		"and NodeName of slurm.conf)",
		pool->name);
}

/* Warn about shared nodes: partitions may have got nodes after the file was
 * read. */
static void shared_nodes(const struct astra_config *config,
			 struct astra_error *out)
{
	struct astra_error err;

	if (astra_overlap_check(config, &err) < 0)
		astra_error_add(out, "%s; until then it is the first one's",
				err.text);
}

void astra_warn_scene(const struct astra_scene *scene,
		      const struct astra_config *config,
		      struct astra_error *out)
{
	*out = config->warning;
	warn_not_listening(out);
	astra_recover_warn(out);
	astra_damage_warn(out);
	missing_steps(config, out);
	shared_nodes(config, out);
	if (config->tenant_count && slurm_with_slurmdbd())
		astra_error_add(out, "Tenant lines are not looked at: the "
				     "tenants are slurmdbd's accounts");
	for (size_t i = 0; i < scene->view_count; i++) {
		astra_config_warn_partitions(
			&config->pools[i], astra_config_part_exists, NULL, out);
		missing_qos(&config->pools[i], out);
		missing_shards(&config->pools[i], out);
		never_requeued(&config->pools[i], out);
		missing_types(&config->pools[i], out);
		astra_mixed_warn(&config->pools[i], out);
		missing_tenants(&config->pools[i], &scene->views[i].tenants,
				out);
		gone_account(&scene->views[i].tenants, out);
	}
	if (scene->view_count) /* the same in all pools */
		idle_weights(&scene->views[0].tenants, out);
}
