/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members that the plugin uses, with others between and after them, so that
 * in another layout at least one of them has an impossible value. Members that
 * only some releases have are left out. So are times that a user or a node may
 * set to any value: nobody must be able to make the plugin stand aside. */
#include "src/slurm/check/layout.h"
#include "src/slurm/check/selfcheck_priv.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define LAYOUT(type, rows)                                    \
	.name = #type, .size = sizeof(type), .members = rows, \
	.count = COUNT(rows)
#define MAGIC(type, number) .magic = number, .magic_at = offsetof(type, magic)
#define PLAIN(type)                                 \
	{                                           \
		.name = #type, .size = sizeof(type) \
	}

#define JOB(member) ASTRA_MEMBER(job_record_t, member)
#define JOB_POINTER(member) ASTRA_POINTER(job_record_t, member)
#define JOB_ARRAY(member) ASTRA_ARRAY(job_record_t, member)
static const struct astra_layout_member job_members[] = {
	JOB(account),
	JOB(admin_comment),
	JOB(alloc_node),
	JOB_POINTER(array_recs),
	JOB(batch_features),
	JOB(batch_host),
	JOB(burst_buffer),
	JOB(burst_buffer_state),
	JOB(clusters),
	JOB(comment),
	JOB(container),
	JOB(cpus_per_tres),
	JOB_POINTER(details),
	JOB(epilog_running),
	JOB_POINTER(fed_details),
	JOB(gres_list_alloc),
	JOB(gres_list_req),
	JOB(gres_list_req_accum),
	JOB(gres_used),
	JOB_POINTER(het_details),
	JOB(het_job_id_set),
	JOB(het_job_list),
	JOB_POINTER(job_next),
	JOB_POINTER(job_resrcs),
	JOB(last_sched_eval),
	JOB(license_list),
	JOB(licenses),
	JOB_ARRAY(limit_set.tres),
	JOB(mail_user),
	JOB(mcs_label),
	JOB(mem_per_tres),
	JOB(name),
	JOB(network),
	JOB(node_bitmap),
	JOB(node_bitmap_cg),
	JOB(node_bitmap_pr),
	JOB(nodes),
	JOB(nodes_completing),
	JOB(origin_cluster),
	JOB(part_nodes_missing),
	JOB(part_ptr_list),
	JOB(partition),
	JOB(preempt_in_progress),
	JOB(preempt_time),
	JOB(prep_prolog_failed),
	JOB(resize_time),
	JOB(resp_host),
	JOB(resv_list),
	JOB(resv_name),
	JOB(sched_nodes),
	JOB(selinux_context),
	JOB_ARRAY(spank_job_env),
	JOB(state_desc),
	JOB(step_list),
	JOB(suspend_time),
	JOB(system_comment),
	JOB(time_last_active),
	JOB_ARRAY(tres_alloc_cnt),
	JOB(tres_alloc_str),
	JOB(tres_bind),
	JOB(tres_fmt_alloc_str),
	JOB(tres_fmt_req_str),
	JOB(tres_freq),
	JOB(tres_per_job),
	JOB(tres_per_node),
	JOB(tres_per_socket),
	JOB(tres_per_task),
	JOB_ARRAY(tres_req_cnt),
	JOB(tres_req_str),
	JOB(user_name),
	JOB(wait4switch_start),
	JOB(wckey),
};
static const struct astra_layout job_layout = {
	LAYOUT(job_record_t, job_members), MAGIC(job_record_t, JOB_MAGIC)};

#define DETAILS(member) ASTRA_MEMBER(job_details_t, member)
static const struct astra_layout_member details_members[] = {
	DETAILS(acctg_freq),
	ASTRA_ARRAY(job_details_t, argv),
	DETAILS(cluster_features),
	DETAILS(cpu_bind),
	DETAILS(dependency),
	DETAILS(env_hash),
	ASTRA_ARRAY(job_details_t, env_sup),
	DETAILS(exc_node_bitmap),
	DETAILS(exc_nodes),
	DETAILS(feature_list),
	DETAILS(features),
	ASTRA_POINTER(job_details_t, mc_ptr),
	DETAILS(mem_bind),
	DETAILS(orig_dependency),
	DETAILS(preempt_start_time),
	DETAILS(prefer),
	DETAILS(prefer_list),
	DETAILS(req_context),
	DETAILS(req_node_bitmap),
	DETAILS(req_nodes),
	DETAILS(std_err),
	DETAILS(std_in),
	DETAILS(std_out),
	DETAILS(submit_line),
	DETAILS(submit_time),
	DETAILS(work_dir),
	DETAILS(x11_magic_cookie),
	DETAILS(x11_target),
};
static const struct astra_layout details_layout = {
	LAYOUT(job_details_t, details_members),
	MAGIC(job_details_t, DETAILS_MAGIC)};

#define NODE(member) ASTRA_MEMBER(node_record_t, member)
static const struct astra_layout_member node_members[] = {
	NODE(arch),
	NODE(bcast_address),
	NODE(boot_req_time),
	NODE(comm_name),
	NODE(comment),
	ASTRA_POINTER(node_record_t, config_ptr),
	NODE(cpu_spec_list),
	NODE(extra),
	NODE(features),
	NODE(features_act),
	NODE(gres),
	NODE(gres_list),
	NODE(last_response),
	NODE(mcs_label),
	NODE(name),
	NODE(node_hostname),
	NODE(node_spec_bitmap),
	NODE(not_responding),
	NODE(os),
	ASTRA_ARRAY(node_record_t, part_pptr),
	NODE(reason),
	NODE(reason_time),
	NODE(tres_fmt_str),
	NODE(tres_str),
	NODE(version),
};
static const struct astra_layout node_layout = {
	LAYOUT(node_record_t, node_members), MAGIC(node_record_t, NODE_MAGIC)};

#define PART(member) ASTRA_MEMBER(part_record_t, member)
static const struct astra_layout_member part_members[] = {
	PART(allow_accounts),
	PART(allow_alloc_nodes),
	PART(allow_groups),
	PART(allow_qos),
	PART(allow_qos_bitstr),
	PART(alternate),
	ASTRA_ARRAY(part_record_t, billing_weights),
	PART(billing_weights_str),
	PART(deny_accounts),
	PART(deny_qos),
	PART(deny_qos_bitstr),
	PART(job_defaults_list),
	PART(name),
	PART(node_bitmap),
	PART(nodes),
	PART(nodesets),
	PART(orig_nodes),
	PART(qos_char),
	ASTRA_POINTER(part_record_t, qos_ptr),
	PART(tres_fmt_str),
};
static const struct astra_layout part_layout = {
	LAYOUT(part_record_t, part_members), MAGIC(part_record_t, PART_MAGIC)};

static const struct astra_layout_member array_members[] = {
	ASTRA_MEMBER(job_array_struct_t, task_id_bitmap),
	ASTRA_MEMBER(job_array_struct_t, task_id_str),
};
static const struct astra_layout array_layout = {
	LAYOUT(job_array_struct_t, array_members)};

static const struct astra_layout_member resources_members[] = {
	ASTRA_ARRAY(job_resources_t, cpus),
	ASTRA_ARRAY(job_resources_t, memory_allocated),
	ASTRA_MEMBER(job_resources_t, node_bitmap),
	ASTRA_MEMBER(job_resources_t, nodes),
};
static const struct astra_layout resources_layout = {
	LAYOUT(job_resources_t, resources_members)};

static const struct astra_layout_member assoc_members[] = {
	ASTRA_MEMBER(slurmdb_assoc_rec_t, acct),
	ASTRA_MEMBER(slurmdb_assoc_rec_t, cluster),
	ASTRA_ARRAY(slurmdb_assoc_rec_t, grp_tres_ctld),
	ASTRA_ARRAY(slurmdb_assoc_rec_t, max_tres_ctld),
	ASTRA_MEMBER(slurmdb_assoc_rec_t, partition),
	ASTRA_POINTER(slurmdb_assoc_rec_t, usage),
	ASTRA_MEMBER(slurmdb_assoc_rec_t, user),
};
static const struct astra_layout assoc_layout = {
	LAYOUT(slurmdb_assoc_rec_t, assoc_members)};

static const struct astra_layout_member qos_members[] = {
	ASTRA_MEMBER(slurmdb_qos_rec_t, description),
	ASTRA_ARRAY(slurmdb_qos_rec_t, grp_tres_ctld),
	ASTRA_ARRAY(slurmdb_qos_rec_t, max_tres_pj_ctld),
	ASTRA_MEMBER(slurmdb_qos_rec_t, name),
	ASTRA_POINTER(slurmdb_qos_rec_t, usage),
};
static const struct astra_layout qos_layout = {
	LAYOUT(slurmdb_qos_rec_t, qos_members)};

static const struct astra_layout_member resv_members[] = {
	ASTRA_MEMBER(slurmctld_resv_t, name),
	ASTRA_MEMBER(slurmctld_resv_t, node_bitmap),
};
static const struct astra_layout resv_layout = {
	LAYOUT(slurmctld_resv_t, resv_members)};

static const struct astra_layout gres_layout = PLAIN(gres_state_t);
static const struct astra_layout_member node_gpu_members[] = {
	ASTRA_MEMBER(gres_node_state_t, gres_bit_alloc),
	ASTRA_ARRAY(gres_node_state_t, topo_gres_bitmap),
	ASTRA_ARRAY(gres_node_state_t, type_cnt_avail),
	ASTRA_ARRAY(gres_node_state_t, type_name),
};
static const struct astra_layout node_gpu_layout = {
	LAYOUT(gres_node_state_t, node_gpu_members)};
static const struct astra_layout_member job_gpu_members[] = {
	ASTRA_ARRAY(gres_job_state_t, gres_bit_alloc),
	ASTRA_ARRAY(gres_job_state_t, gres_cnt_node_alloc),
	ASTRA_MEMBER(gres_job_state_t, type_name),
};
static const struct astra_layout job_gpu_layout = {
	LAYOUT(gres_job_state_t, job_gpu_members)};

static const struct astra_layout part_qos_layout = PLAIN(slurmdb_qos_rec_t);
static const struct astra_layout desc_layout = PLAIN(job_desc_msg_t);

#define CONF(member) ASTRA_MEMBER(slurm_conf_t, member)
static const struct astra_layout_member conf_members[] = {
	CONF(authinfo),
	CONF(bb_type),
	CONF(cluster_name),
	ASTRA_ARRAY(slurm_conf_t, control_addr),
	ASTRA_ARRAY(slurm_conf_t, control_machine),
	CONF(job_submit_plugins),
	CONF(plugindir),
	CONF(priority_type),
	CONF(priority_weight_tres),
	CONF(schedtype),
	CONF(slurm_user_name),
	CONF(state_save_location),
};
static const struct astra_layout conf_layout = {
	LAYOUT(slurm_conf_t, conf_members)};

int astra_selfcheck_variables(struct astra_error *err)
{
	if (astra_layout_check_variable("slurm_conf", &slurm_conf,
					sizeof(slurm_conf), err) < 0 ||
	    astra_layout_check_variable("slurmctld_config", &slurmctld_config,
					sizeof(slurmctld_config), err) < 0 ||
	    astra_layout_check_members(&conf_layout, &slurm_conf, err) < 0)
		return -1;
	if (slurm_conf.state_save_location &&
	    *slurm_conf.state_save_location != '/')
		return astra_error_set(err, "what it takes for "
					    "StateSaveLocation is none");
	return 0;
}

static int selfcheck_tables_check(const struct astra_layout *layout,
				  const void *record, struct astra_error *err)
{
	return record ? astra_layout_check(layout, record, err) : 0;
}

/* The state of a walk over a list. */
struct list_look {
	const struct astra_layout *layout;
	struct astra_error *err;
	uint32_t gpu;
	bool failed;
};

static int look_at_gres(void *x, void *arg)
{
	struct list_look *look = arg;
	const gres_state_t *state = x;

	look->failed =
		selfcheck_tables_check(&gres_layout, state, look->err) < 0 ||
		(state->plugin_id == look->gpu &&
		 selfcheck_tables_check(look->layout, state->gres_data,
					look->err) < 0);
	return look->failed ? -1 : 0;
}

static int check_gres(list_t *list, const struct astra_layout *layout,
		      struct astra_error *err)
{
	char gpu[] = "gpu";
	struct list_look look = {
		.layout = layout,
		.err = err,
		.gpu = gres_build_id(gpu),
	};

	if (list)
		list_for_each_ro(list, look_at_gres, &look);
	return look.failed ? -1 : 0;
}

static int selfcheck_tables_look_at_part(void *x, void *arg)
{
	struct list_look *look = arg;

	look->failed = selfcheck_tables_check(look->layout, x, look->err) < 0;
	return look->failed ? -1 : 0;
}

static int check_parts(list_t *list, struct astra_error *err)
{
	struct list_look look = {.layout = &part_layout, .err = err};

	if (list)
		list_for_each_ro(list, selfcheck_tables_look_at_part, &look);
	return look.failed ? -1 : 0;
}

/* Check what a job points to, unless the job has ended: then the targets may be
 * gone. */
static int check_kept(const job_record_t *job, struct astra_error *err)
{
	if (IS_JOB_FINISHED(job))
		return 0;
	if (selfcheck_tables_check(&part_layout, job->part_ptr, err) < 0 ||
	    check_parts(job->part_ptr_list, err) < 0 ||
	    selfcheck_tables_check(&assoc_layout, job->assoc_ptr, err) < 0 ||
	    selfcheck_tables_check(&qos_layout, job->qos_ptr, err) < 0 ||
	    selfcheck_tables_check(&resv_layout, job->resv_ptr, err) < 0)
		return -1;
	return 0;
}

int astra_selfcheck_job_record(const job_record_t *job, struct astra_error *err)
{
	if (astra_layout_check(&job_layout, job, err) < 0 ||
	    selfcheck_tables_check(&details_layout, job->details, err) < 0 ||
	    selfcheck_tables_check(&array_layout, job->array_recs, err) < 0 ||
	    selfcheck_tables_check(&resources_layout, job->job_resrcs, err) <
		    0 ||
	    check_gres(job->gres_list_req, &job_gpu_layout, err) < 0 ||
	    check_gres(job->gres_list_alloc, &job_gpu_layout, err) < 0)
		return -1;
	return check_kept(job, err);
}

int astra_selfcheck_node_record(const node_record_t *node, int index,
				struct astra_error *err)
{
	if (astra_layout_check(&node_layout, node, err) < 0)
		return -1;
	if (node->index != (uint32_t)index || !node->name || !node->config_ptr)
		return astra_error_set(err, "node %d is not where it says",
				       index);
	return check_gres(node->gres_list, &node_gpu_layout, err);
}

int astra_selfcheck_part_record(const part_record_t *part,
				struct astra_error *err)
{
	if (astra_layout_check(&part_layout, part, err) < 0 ||
	    selfcheck_tables_check(&part_qos_layout, part->qos_ptr, err) < 0)
		return -1;
	return part->name ? 0 : astra_error_set(err, "a partition has no name");
}

int astra_selfcheck_job_desc(const job_desc_msg_t *desc,
			     struct astra_error *err)
{
	return astra_layout_check(&desc_layout, desc, err);
}
