/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparison with slurmctld's own answers. slurmctld packs its records for
 * scontrol by its own layout, and the same library unpacks them into the public
 * structures. So each value there is right, and a member of ours that differs
 * is at the wrong place. Only members are compared that all releases from 22.05
 * to 26.05 pack and unpack unchanged. pn_min_memory is not such a member if the
 * job has memory per GPU. */
#include <string.h>

#include "src/common/pack.h"
#include "src/common/slurm_protocol_pack.h"
#include "src/slurm/check/layout.h"
#include "src/slurm/check/selfcheck_priv.h"

#define ANSWER_BYTES 16384
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* A member of a record, and the public member into which it is packed. */
struct same {
	const char *name;
	uint32_t offset, size, public_offset, public_size;
	enum astra_kind kind;
};

#define SAME(type, member, public_type, public_member)                        \
	{                                                                     \
#member, offsetof(type, member), sizeof(((type *)0)->member), \
			offsetof(public_type, public_member),                 \
			sizeof(((public_type *)0)->public_member),            \
			ASTRA_KIND_OF(((type *)0)->member)                    \
	}

#define JOB(member) SAME(job_record_t, member, job_info_t, member)
static const struct same job_same[] = {
	JOB(account),
	JOB(admin_comment),
	JOB(alloc_sid),
	JOB(array_job_id),
	JOB(array_task_id),
	JOB(assoc_id),
	JOB(batch_flag),
	SAME(job_record_t, bit_flags, job_info_t, bitflags),
	JOB(comment),
	JOB(cpus_per_tres),
	JOB(deadline),
	JOB(delay_boot),
	JOB(derived_ec),
	JOB(exit_code),
	JOB(group_id),
	JOB(het_job_id),
	JOB(het_job_offset),
	JOB(job_state),
	JOB(mail_type),
	JOB(mem_per_tres),
	JOB(name),
	JOB(network),
	JOB(pre_sus_time),
	JOB(preempt_time),
	JOB(priority),
	JOB(profile),
	JOB(req_switch),
	JOB(resize_time),
	JOB(restart_cnt),
	JOB(resv_name),
	JOB(sched_nodes),
	JOB(site_factor),
	JOB(start_protocol_ver),
	JOB(state_desc),
	JOB(state_reason),
	JOB(suspend_time),
	JOB(system_comment),
	JOB(time_min),
	JOB(tres_bind),
	JOB(tres_freq),
	JOB(tres_per_job),
	JOB(tres_per_node),
	JOB(tres_per_socket),
	JOB(tres_per_task),
	JOB(user_id),
	JOB(wait4switch),
	JOB(wckey),
};

#define DETAILS(member) SAME(job_details_t, member, job_info_t, member)
static const struct same details_same[] = {
	DETAILS(accrue_time),
	SAME(job_details_t, begin_time, job_info_t, eligible_time),
	DETAILS(contiguous),
	DETAILS(core_spec),
	DETAILS(dependency),
	DETAILS(exc_nodes),
	DETAILS(nice),
	DETAILS(ntasks_per_node),
	DETAILS(ntasks_per_tres),
	DETAILS(pn_min_cpus),
	DETAILS(pn_min_tmp_disk),
	DETAILS(req_nodes),
	DETAILS(requeue),
	DETAILS(submit_time),
	DETAILS(work_dir),
};

#define NODE(member) SAME(node_record_t, member, node_info_t, member)
static const struct same node_same[] = {
	NODE(arch),
	NODE(boot_time),
	NODE(comment),
	NODE(core_spec_cnt),
	NODE(cpu_bind),
	NODE(cpus_efctv),
	NODE(features),
	NODE(features_act),
	NODE(mcs_label),
	NODE(mem_spec_limit),
	NODE(name),
	NODE(next_state),
	NODE(node_hostname),
	NODE(node_state),
	NODE(os),
	NODE(owner),
	NODE(port),
	NODE(reason),
	NODE(slurmd_start_time),
	NODE(tres_fmt_str),
	NODE(version),
};

#define PART(member) SAME(part_record_t, member, partition_info_t, member)
static const struct same part_same[] = {
	PART(allow_accounts),  PART(allow_groups),
	PART(allow_qos),       PART(cpu_bind),
	PART(def_mem_per_cpu), PART(default_time),
	PART(deny_accounts),   PART(grace_time),
	PART(max_mem_per_cpu), PART(max_share),
	PART(max_time),	       PART(name),
	PART(nodes),	       PART(over_time_limit),
	PART(preempt_mode),    PART(priority_job_factor),
	PART(priority_tier),   PART(qos_char),
	PART(resume_timeout),  PART(state_up),
	PART(suspend_timeout), PART(total_cpus),
	PART(total_nodes),
};

/* Return an integer of any size. The union makes this independent of byte
 * order. */
static uint64_t selfcheck_answer_number(const char *at, uint32_t size)
{
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} n = {.u64 = 0};

	memcpy(&n, at, size);
	switch (size) {
	case 1:
		return n.u8;
	case 2:
		return n.u16;
	case 4:
		return n.u32;
	default:
		return n.u64;
	}
}

static const char *selfcheck_answer_text(const char *at)
{
	const char *p;

	memcpy(&p, at, sizeof(p));
	return p ? p : "";
}

static bool selfcheck_answer_is_same(const struct same *s, const char *record,
				     const char *answer)
{
	uint32_t narrow = s->size < s->public_size ? s->size : s->public_size;
	uint64_t mask =
		narrow >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * narrow)) - 1;

	record += s->offset;
	answer += s->public_offset;
	if (s->kind == ASTRA_KIND_TEXT)
		return !strcmp(selfcheck_answer_text(record),
			       selfcheck_answer_text(answer));
	return ((selfcheck_answer_number(record, s->size) ^
		 selfcheck_answer_number(answer, s->public_size)) &
		mask) == 0;
}

static int selfcheck_answer_compare(const char *what, const struct same *table,
				    size_t count, const void *record,
				    const void *answer, struct astra_error *err)
{
	for (size_t i = 0; i < count; i++)
		if (!selfcheck_answer_is_same(&table[i], record, answer))
			return astra_error_set(
				err, "%s of a %s is not what slurmctld says",
				table[i].name, what);
	return 0;
}

/* Return what a client would get from an answer; NULL: it cannot be
 * unpacked. */
static void *unpacked(uint16_t type, buf_t *buffer)
{
	slurm_msg_t msg;

	slurm_msg_t_init(&msg);
	msg.msg_type = type;
	msg.protocol_version = SLURM_PROTOCOL_VERSION;
	set_buf_offset(buffer, 0);
	return unpack_msg(&msg, buffer) == SLURM_SUCCESS ? msg.data : NULL;
}

/* Check that an answer has one record, of the size in the public header. */
static int check_public(const void *array, uint32_t count, size_t size,
			const char *name, struct astra_error *err)
{
	if (count == 1 && astra_block_size(array) == size)
		return 0;
	return astra_error_set(err, "slurmctld's answer has no %s of %zu bytes",
			       name, size);
}

static int unreadable(const char *name, struct astra_error *err)
{
	return astra_error_set(err, "slurmctld's answer of a %s can't be read",
			       name);
}

static int selfcheck_answer_compare_job(const job_record_t *job,
					const job_info_t *answer,
					struct astra_error *err)
{
	if (selfcheck_answer_compare("job_record_t", job_same, COUNT(job_same),
				     job, answer, err) < 0)
		return -1;
	if (!job->details)
		return 0;
	return selfcheck_answer_compare("job_details_t", details_same,
					COUNT(details_same), job->details,
					answer, err);
}

/* Free the texts that 22.05's own function does not free. */
static void free_texts(job_info_t *job)
{
	xfree(job->admin_comment);
	xfree(job->cluster_features);
	xfree(job->cronspec);
	xfree(job->prefer);
	xfree(job->system_comment);
}

/* Pack a job. pack_job() releases a lock that it takes only in some cases, so
 * the caller takes that lock. */
static void pack_locked_job(const job_record_t *job, buf_t *buffer)
{
	assoc_mgr_lock_t locks = {.qos = READ_LOCK, .user = READ_LOCK};

	assoc_mgr_lock(&locks);
	pack_job((job_record_t *)(uintptr_t)job, 0, buffer,
		 SLURM_PROTOCOL_VERSION, 0, true);
	assoc_mgr_unlock(&locks);
}

int astra_selfcheck_job_answer(const job_record_t *job, struct astra_error *err)
{
	buf_t *buffer = init_buf(ANSWER_BYTES);
	job_info_msg_t *answer;
	int rc;

	pack32(1, buffer);
	pack_time(0, buffer);
	pack_time(0, buffer); /* time of the last backfill pass */
	pack_locked_job(job, buffer);
	answer = unpacked(RESPONSE_JOB_INFO, buffer);
	free_buf(buffer);
	if (!answer)
		return unreadable("job_record_t", err);
	rc = check_public(answer->job_array, answer->record_count,
			  sizeof(job_info_t), "job_info_t", err);
	if (rc == 0) {
		rc = selfcheck_answer_compare_job(job, answer->job_array, err);
		free_texts(answer->job_array);
	}
	slurm_free_job_info_msg(answer);
	return rc;
}

int astra_selfcheck_part_answer(const part_record_t *part,
				struct astra_error *err)
{
	buf_t *buffer = init_buf(ANSWER_BYTES);
	partition_info_msg_t *answer;
	int rc;

	pack32(1, buffer);
	pack_time(0, buffer);
	pack_part((part_record_t *)(uintptr_t)part, buffer,
		  SLURM_PROTOCOL_VERSION);
	answer = unpacked(RESPONSE_PARTITION_INFO, buffer);
	free_buf(buffer);
	if (!answer)
		return unreadable("part_record_t", err);
	rc = check_public(answer->partition_array, answer->record_count,
			  sizeof(partition_info_t), "partition_info_t", err);
	if (rc == 0)
		rc = selfcheck_answer_compare("part_record_t", part_same,
					      COUNT(part_same), part,
					      answer->partition_array, err);
	slurm_free_partition_info_msg(answer);
	return rc;
}

static buf_t *pack_node(const node_record_t *node)
{
#ifdef ASTRA_SLURM_NODE_BUFFER
	return pack_one_node(SHOW_ALL | SHOW_FUTURE, 0, node->name,
			     SLURM_PROTOCOL_VERSION);
#else
	char *data = NULL;
	int size = 0;

	pack_one_node(&data, &size, SHOW_ALL | SHOW_FUTURE, 0, node->name,
		      SLURM_PROTOCOL_VERSION);
	return create_buf(data, (uint32_t)size);
#endif
}

/* A cloud node may be hidden: then the answer has no record. */
int astra_selfcheck_node_answer(const node_record_t *node,
				struct astra_error *err)
{
	buf_t *buffer = pack_node(node);
	node_info_msg_t *answer =
		buffer ? unpacked(RESPONSE_NODE_INFO, buffer) : NULL;
	int rc;

	if (buffer)
		free_buf(buffer);
	if (!answer)
		return unreadable("node_record_t", err);
	rc = answer->record_count
		     ? check_public(answer->node_array, answer->record_count,
				    sizeof(node_info_t), "node_info_t", err)
		     : 0;
	if (rc == 0 && answer->record_count)
		rc = selfcheck_answer_compare("node_record_t", node_same,
					      COUNT(node_same), node,
					      answer->node_array, err);
	slurm_free_node_info_msg(answer);
	return rc;
}
