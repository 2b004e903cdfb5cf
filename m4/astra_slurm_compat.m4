dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl ASTRA_SLURM_COMPAT: how the Slurm found differs from its other releases, by
dnl what its headers declare, never by its version: members move even between
dnl micro releases. src/slurm/compat/compat.h uses what is defined here. A release that
dnl has none of the variants known is refused.
AC_DEFUN([ASTRA_SLURM_COMPAT], [
astra_save_cppflags="$CPPFLAGS" astra_save_cflags="$CFLAGS"
CPPFLAGS="-I$srcdir $CPPFLAGS $SLURM_CPPFLAGS"
CFLAGS="-std=gnu11 -O0 -Werror=implicit-function-declaration"
CFLAGS="$CFLAGS -Werror=incompatible-pointer-types -Werror=int-conversion"
astra_differences=
_ASTRA_SLURM_DIFFERENCES
AC_SUBST([ASTRA_SLURM_DIFFERENCES], ["$astra_differences"])
AM_SUBST_NOTMAKE([ASTRA_SLURM_DIFFERENCES])
CPPFLAGS="$astra_save_cppflags" CFLAGS="$astra_save_cflags"
])

dnl ASTRA_SLURM_ONE_OF(WHAT, NAME, STATEMENTS[, NAME, STATEMENTS]...): define
dnl ASTRA_SLURM_NAME for the first whose statements compile.
AC_DEFUN([ASTRA_SLURM_ONE_OF], [
AC_MSG_CHECKING([$1])
astra_found=
_ASTRA_SLURM_VARIANTS(m4_shift($@))
AS_IF([test -z "$astra_found"], [
	AC_MSG_RESULT([unknown])
	AC_MSG_ERROR([$1: Slurm $ASTRA_SLURM_VERSION has none of the variants that Astraea $PACKAGE_VERSION knows (see config.log, and doc/compatibility.md for the releases that were tried): take a newer Astraea])])
AC_MSG_RESULT([$astra_found])
])

m4_define([_ASTRA_SLURM_VARIANTS], [m4_if([$#], [0], [], [$#], [1], [], [
AS_IF([test -z "$astra_found"], [
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#include "src/slurm/compat/slurm_headers.h"
]], [$2])], [astra_found=$1
	astra_differences="$astra_differences
@%:@define ASTRA_SLURM_$1"])])
_ASTRA_SLURM_VARIANTS(m4_shift2($@))])])

dnl The newest variant first. Each says which release brought it.
m4_define([_ASTRA_SLURM_DIFFERENCES], [
dnl 23.02
ASTRA_SLURM_ONE_OF([which types Slurm's lists have],
	[LIST_T], [[list_t *l = NULL; list_itr_t *i = NULL; job_details_t *d = NULL;
		(void)l; (void)i; (void)d;]],
	[XLIST], [[struct xlist *l = NULL; struct listIterator *i = NULL;
		struct job_details *d = NULL; (void)l; (void)i; (void)d;]])
ASTRA_SLURM_ONE_OF([which operator features have in brackets],
	[OP_MOR], [[int op = FEATURE_OP_MOR; (void)op;]],
	[OP_XOR], [[int op = FEATURE_OP_XOR; (void)op;]])
ASTRA_SLURM_ONE_OF([where a job's priority factors are],
	[FACTORS_APART], [[priority_factors_object_t *o = NULL;
		priority_factors_t *f = o->prio_factors; (void)f;]],
	[FACTORS_WITHIN], [[priority_factors_object_t *o = NULL;
		double age = o->priority_age; (void)age;]])
ASTRA_SLURM_ONE_OF([whether job_submit may explain a refused change],
	[MODIFY_EXPLAINED], [[job_submit_g_modify(NULL, NULL, 0, (char **)NULL);]],
	[MODIFY_SILENT], [[job_submit_plugin_modify(NULL, NULL, 0);]])
ASTRA_SLURM_ONE_OF([what burst_buffer plugins are told of who asks],
	[BB_TOLD], [[bb_g_get_status(0, (char **)NULL, (uint32_t)0, (uint32_t)0);
		bb_g_run_script(NULL, 0, 0, NULL, (job_info_msg_t *)NULL, NULL);]],
	[BB_UNTOLD], [[bb_g_get_status(0, (char **)NULL);
		bb_g_run_script(NULL, 0, 0, NULL, (char **)NULL);]])
dnl 23.02 alone has six arguments
ASTRA_SLURM_ONE_OF([how a configuration file is parsed],
	[PARSE_FLAGS], [[s_p_parse_file(NULL, NULL, NULL, 0, (char *)NULL);
		(void)PARSE_FLAGS_IGNORE_NEW;]],
	[PARSE_IGNORE_6], [[s_p_parse_file(NULL, NULL, NULL, false, (char *)NULL, false);]],
	[PARSE_IGNORE_5], [[s_p_parse_file(NULL, NULL, NULL, false, (char *)NULL);]])
dnl 23.02.5
ASTRA_SLURM_ONE_OF([how a job is counted for limits of submissions],
	[SUBMIT_LOCKED], [[acct_policy_add_job_submit((job_record_t *)NULL, false);]],
	[SUBMIT], [[acct_policy_add_job_submit((job_record_t *)NULL);]])
dnl 23.11
ASTRA_SLURM_ONE_OF([how a job's state is written],
	[JOB_STATE_SET], [[job_state_set((job_record_t *)NULL, 0);]],
	[JOB_STATE], [[((job_record_t *)NULL)->job_state = 0;]])
ASTRA_SLURM_ONE_OF([whether -N takes a list of numbers],
	[NODES_LISTED], [[job_details_t *d = NULL; bitstr_t *b = d->job_size_bitmap; (void)b;]],
	[NODES_RANGE], [[(void)slurmctld_config;]])
ASTRA_SLURM_ONE_OF([what tells a node's place in the topology],
	[TOPOLOGY_G], [[char *a = NULL; topology_g_get_node_addr(a, &a, &a);]],
	[TOPO], [[char *a = NULL; slurm_topo_get_node_addr(a, &a, &a);]])
ASTRA_SLURM_ONE_OF([whether reconfigure replaces slurmctld's process],
	[RECONFIGURE_REPLACES], [[notify_parent_of_success();]],
	[RECONFIGURE_STAYS], [[(void)slurmctld_config;]])
ASTRA_SLURM_ONE_OF([how slurmctld names a TRES of GPUs],
	[GRES_SLASH], [[char *t = NULL; slurm_format_tres_string(&t, "gres");]],
	[GRES_COLON], [[(void)slurmctld_config;]])
dnl 24.05
ASTRA_SLURM_ONE_OF([what names a pending job's reason],
	[STATE_REASON], [[(void)job_state_reason_string(0);]],
	[JOB_REASON], [[(void)job_reason_string(0);]])
ASTRA_SLURM_ONE_OF([what priority plugins are told of who asks],
	[FACTORS_UID], [[priority_g_get_priority_factors_list((uid_t)0);]],
	[FACTORS_REQUEST], [[priority_g_get_priority_factors_list(
		(priority_factors_request_msg_t *)NULL, (uid_t)0);]])
ASTRA_SLURM_ONE_OF([what whole_node is],
	[WHOLE_BITS], [[(void)WHOLE_TOPO;]],
	[WHOLE_NUMBER], [[(void)WHOLE_NODE_REQUIRED;]])
ASTRA_SLURM_ONE_OF([how slurmctld packs a node],
	[NODE_BUFFER], [[buf_t *b = pack_one_node(0, 0, NULL, 0); (void)b;]],
	[NODE_BYTES], [[pack_one_node((char **)NULL, (int *)NULL, 0, 0, NULL, 0);]])
dnl 24.05; 24.11.7 and 25.05.1
ASTRA_SLURM_ONE_OF([where a job's priority in each partition is],
	[PRIO_MULT], [[((job_record_t *)NULL)->prio_mult->priority_array = NULL;]],
	[PART_PRIO], [[((job_record_t *)NULL)->part_prio->priority_array = NULL;]],
	[PRIORITY_ARRAY], [[((job_record_t *)NULL)->priority_array = NULL;]])
ASTRA_SLURM_ONE_OF([whether a job's nodes may be in segments],
	[SEGMENTS], [[((job_details_t *)NULL)->segment_size = 0;]],
	[NO_SEGMENTS], [[(void)slurmctld_config;]])
dnl 24.11
ASTRA_SLURM_ONE_OF([how nodes are chosen for a job],
	[SELECT_STRUCT], [[job_node_select_t s = {0};
		select_nodes(&s, false, false, SLURMDB_JOB_FLAG_SCHED);]],
	[SELECT_JOB], [[select_nodes((job_record_t *)NULL, false, NULL, NULL, false,
		SLURMDB_JOB_FLAG_SCHED);]])
ASTRA_SLURM_ONE_OF([whether a job may name several QOS],
	[QOS_LIST], [[((job_record_t *)NULL)->qos_list = NULL;]],
	[QOS_ONE], [[((job_record_t *)NULL)->qos_ptr = NULL;]])
ASTRA_SLURM_ONE_OF([how an array's task is split off],
	[SPLIT_LISTED], [[job_array_split((job_record_t *)NULL, true);]],
	[SPLIT], [[job_array_split((job_record_t *)NULL);]])
ASTRA_SLURM_ONE_OF([how names of nodes are looked up],
	[NODES_INVALID], [[bitstr_t *b = NULL; node_name2bitmap(NULL, true, &b, NULL);]],
	[NODES_ONLY], [[bitstr_t *b = NULL; node_name2bitmap(NULL, true, &b);]])
dnl 24.05 and 24.11, all micro releases: nothing declares it, so here the version
dnl decides.
ASTRA_SLURM_ONE_OF([whether --spread-job may end slurmctld],
	[SPREAD_ENDS], [[_Static_assert(
		SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0) &&
		SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0), "");]],
	[SPREAD_RUNS], [[(void)SPREAD_JOB;]])
dnl 25.11; 25.05 does not tell a node's place in each
ASTRA_SLURM_ONE_OF([whether partitions have topologies of their own],
	[TOPOLOGIES], [[char *p = topology_g_get_topology_str(NULL); int n = 0;
		topology_g_get(TOPO_DATA_EXCLUSIVE_TOPO, p, &n);
		((part_record_t *)NULL)->topology_name = p;
		((part_record_t *)NULL)->topology_idx = topology_get_plugin_id();]],
	[TOPOLOGY_ONE], [[(void)slurmctld_config;]])
dnl 26.05
ASTRA_SLURM_ONE_OF([whether nodes may be in rings],
	[RINGS], [[dynamic_plugin_data_t *t = NULL;
		topology_g_get(TOPO_DATA_TOPOLOGY_PTR, NULL, &t);
		t->plugin_id = TOPOLOGY_PLUGIN_RING;
		topology_g_topoinfo_free(t);]],
	[RINGS_NONE], [[(void)slurmctld_config;]])
ASTRA_SLURM_ONE_OF([whether licences may be of some nodes],
	[HRES], [[hres_filter((job_record_t *)NULL, (bitstr_t *)NULL);
		((licenses_t *)NULL)->id.hres_id = NO_VAL16;]],
	[HRES_NONE], [[(void)slurmctld_config;]])
ASTRA_SLURM_ONE_OF([how a job is requeued],
	[REQUEUE_JOB], [[job_requeue_internal(0, (job_record_t *)NULL, true, 0);]],
	[REQUEUE_ID], [[job_requeue(0, 0, NULL, true, 0);]])
ASTRA_SLURM_ONE_OF([what slurmdbd knows a run by],
	[RUN_INDEX], [[((job_record_t *)NULL)->step_id.sluid = 0;
		batch_requeue_fini((job_record_t *)NULL);]],
	[RUN_SUBMIT], [[((job_record_t *)NULL)->db_index = 0;]])
ASTRA_SLURM_ONE_OF([the flag of memory as a resource],
	[SELECT_MEMORY], [[(void)SELECT_MEMORY;]],
	[CR_MEMORY], [[(void)CR_MEMORY;]])
ASTRA_SLURM_ONE_OF([whether one of several licences may do],
	[LICENCES_OR], [[((licenses_t *)NULL)->op_or = true;]],
	[LICENCES_AND], [[((licenses_t *)NULL)->total = 0;]])
dnl 26.05
ASTRA_SLURM_ONE_OF([how a pending job's limits are looked at anew],
	[LIMITS_TOLD], [[(void)acct_policy_update_pending_job((job_record_t *)NULL, true);]],
	[LIMITS], [[(void)acct_policy_update_pending_job((job_record_t *)NULL);]])
ASTRA_SLURM_ONE_OF([how commands ask for a job],
	[LOAD_STEP], [[slurm_load_job(NULL, (slurm_step_id_t){.job_id = 1}, 0);]],
	[LOAD_ID], [[slurm_load_job(NULL, (uint32_t)1, 0);]])
ASTRA_SLURM_ONE_OF([how a change of a job names it],
	[DESC_STEP], [[((job_desc_msg_t *)NULL)->step_id.job_id = 0;]],
	[DESC_ID], [[((job_desc_msg_t *)NULL)->job_id = 0;]])
ASTRA_SLURM_ONE_OF([how a line of sprio names its job],
	[FACTORS_STEP], [[((priority_factors_object_t *)NULL)->step_id.job_id = 0;]],
	[FACTORS_ID], [[((priority_factors_object_t *)NULL)->job_id = 0;]])
])
