/* SPDX-License-Identifier: GPL-2.0-or-later */
/* burst_buffer/astraea: the gate that Slurm asks before it starts a job. It has
 * nothing to do with burst buffers. This file has only entry points: those of
 * all supported releases of Slurm. It starts the engine if SchedulerType stays
 * sched/backfill. */
#include "astra_stamp.h"
#include "src/common/fault.h"
#include "src/slurm/check/selfcheck.h"
#include "src/slurm/check/stamp.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/desk/publish.h"
#include "src/slurm/hooks/gate.h"
#include "src/slurm/hooks/grace_end.h"
#include "src/slurm/hooks/ledger_end.h"
#include "src/slurm/host.h"
#include "src/slurm/in/run_end.h"
#include "src/slurm/note/parked.h"
#include "src/slurm/out/recover.h"

const char plugin_name[] = "Astraea gate";
const char plugin_type[] = "burst_buffer/astraea";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;
const char astra_plugin_stamp[] = ASTRA_STAMP;

/* An older library does not have these functions. */
#pragma weak astra_stamp_check
#pragma weak astra_selfcheck_desc
#pragma weak astra_selfcheck_job
#pragma weak astra_run_end_note

int init(void);
int fini(void);
char *bb_p_build_het_job_script(char *script, uint32_t het_job_offset);
uint64_t bb_p_get_system_size(void);
int bb_p_load_state(bool init_config);
char *bb_p_get_status(ASTRA_BB_STATUS_PARAMS);
int bb_p_state_pack(uid_t uid, buf_t *buffer, uint16_t protocol_version);
int bb_p_reconfig(void);
int bb_p_job_validate(job_desc_msg_t *job_desc, uid_t submit_uid,
		      char **err_msg);
int bb_p_job_validate2(job_record_t *job_ptr, char **err_msg);
void bb_p_job_set_tres_cnt(job_record_t *job_ptr, uint64_t *tres_cnt,
			   bool locked);
time_t bb_p_job_get_est_start(job_record_t *job_ptr);
int bb_p_job_try_stage_in(list_t *job_queue);
int bb_p_job_test_stage_in(job_record_t *job_ptr, bool test_only);
int bb_p_job_begin(job_record_t *job_ptr);
int bb_p_job_revoke_alloc(job_record_t *job_ptr);
int bb_p_job_start_stage_out(job_record_t *job_ptr);
int bb_p_job_test_post_run(job_record_t *job_ptr);
int bb_p_job_test_stage_out(job_record_t *job_ptr);
int bb_p_job_cancel(job_record_t *job_ptr);
int bb_p_run_script(ASTRA_BB_SCRIPT_PARAMS);
char *bb_p_xlate_bb_2_tres_str(char *burst_buffer);

static bool may_read(const job_record_t *job)
{
	return !astra_selfcheck_job || astra_selfcheck_job(job);
}

int init(void)
{
	ASTRA_STAMP_TELL("burst_buffer_astraea.so");
	return SLURM_SUCCESS;
}

int fini(void)
{
	astra_host_stop();
	return SLURM_SUCCESS;
}

/* These do the same as without a burst buffer plugin. */
char *bb_p_build_het_job_script(char *script, uint32_t het_job_offset)
{
	(void)het_job_offset;
	return xstrdup(script);
}

uint64_t bb_p_get_system_size(void)
{
	return 0;
}

/* Called before each pass of the main scheduler, so jobs and partitions exist.
 * After a failed reconfigure, slurmctld passes only false. */
int bb_p_load_state(bool init_config)
{
	if (init_config)
		astra_recover_steps();
	(void)astra_host_start();
	return SLURM_SUCCESS;
}

char *bb_p_get_status(ASTRA_BB_STATUS_PARAMS)
{
	return astra_publish_status();
}

int bb_p_state_pack(uid_t uid, buf_t *buffer, uint16_t protocol_version)
{
	(void)uid;
	(void)buffer;
	(void)protocol_version;
	return SLURM_SUCCESS;
}

int bb_p_reconfig(void)
{
	astra_host_reconfigure();
	return SLURM_SUCCESS;
}

/* Clears --bb=, since Slurm would split array tasks early for it. */
int bb_p_job_validate(job_desc_msg_t *job_desc, uid_t submit_uid,
		      char **err_msg)
{
	(void)submit_uid;
	(void)err_msg;
	if (!astra_selfcheck_desc || astra_selfcheck_desc(job_desc))
		xfree(job_desc->burst_buffer);
	return SLURM_SUCCESS;
}

int bb_p_job_validate2(job_record_t *job_ptr, char **err_msg)
{
	(void)job_ptr;
	(void)err_msg;
	return SLURM_SUCCESS;
}

void bb_p_job_set_tres_cnt(job_record_t *job_ptr, uint64_t *tres_cnt,
			   bool locked)
{
	(void)job_ptr;
	(void)tres_cnt;
	(void)locked;
}

time_t bb_p_job_get_est_start(job_record_t *job_ptr)
{
	return astra_gate_start_time(job_ptr);
}

/* Called at the end of each pass of Slurm's schedulers. */
int bb_p_job_try_stage_in(list_t *job_queue)
{
	(void)job_queue;
	astra_expected_restore();
	return SLURM_SUCCESS;
}

int bb_p_job_test_stage_in(job_record_t *job_ptr, bool test_only)
{
	return astra_gate_test(job_ptr, test_only);
}

int bb_p_job_begin(job_record_t *job_ptr)
{
	astra_gate_begun(job_ptr);
	return SLURM_SUCCESS;
}

int bb_p_job_revoke_alloc(job_record_t *job_ptr)
{
	(void)job_ptr;
	return SLURM_SUCCESS;
}

/* Called when a job that had nodes has ended, for now or for good. */
int bb_p_job_start_stage_out(job_record_t *job_ptr)
{
	if (!may_read(job_ptr))
		return SLURM_SUCCESS;
	(void)astra_grace_end(job_ptr);
	astra_ledger_end(job_ptr);
	if (astra_run_end_note)
		astra_run_end_note(job_ptr);
	ASTRA_FAULT("end.before");
	astra_recover_ended(job_ptr);
	ASTRA_FAULT("end.noted");
	astra_host_wake();
	return SLURM_SUCCESS;
}

int bb_p_job_test_post_run(job_record_t *job_ptr)
{
	(void)job_ptr;
	return 1;
}

int bb_p_job_test_stage_out(job_record_t *job_ptr)
{
	(void)job_ptr;
	return 1;
}

/* Called when a job that never had nodes has ended. */
int bb_p_job_cancel(job_record_t *job_ptr)
{
	if (!may_read(job_ptr))
		return SLURM_SUCCESS;
	astra_recover_ended(job_ptr);
	astra_host_wake();
	return SLURM_SUCCESS;
}

int bb_p_run_script(ASTRA_BB_SCRIPT_PARAMS)
{
	return SLURM_SUCCESS;
}

char *bb_p_xlate_bb_2_tres_str(char *burst_buffer)
{
	(void)burst_buffer;
	return NULL;
}
