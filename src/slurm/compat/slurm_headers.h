/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's private headers, whose places differ between releases. Only compat.h
 * and configure's checks include this. */
#ifndef ASTRA_SLURM_HEADERS_H
#define ASTRA_SLURM_HEADERS_H

#include <config.h> /* Slurm's, not the one beside this file */

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/common/assoc_mgr.h"
#include "src/common/bitstring.h"
#include "src/common/hostlist.h"
#include "src/common/job_resources.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/parse_config.h"
#include "src/common/plugin.h"
#include "src/common/proc_args.h"
#include "src/common/read_config.h"
#include "src/common/slurm_protocol_api.h"
#include "src/common/slurm_protocol_defs.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#if __has_include("src/interfaces/gres.h") /* 23.02 */
#include "src/interfaces/auth.h"
#include "src/interfaces/burst_buffer.h"
#include "src/interfaces/gres.h"
#include "src/interfaces/job_submit.h"
#include "src/interfaces/mcs.h"
#include "src/interfaces/preempt.h"
#include "src/interfaces/priority.h"
#include "src/interfaces/select.h"
#include "src/interfaces/topology.h"
#else
#include "src/common/gres.h"
#include "src/common/power.h"
#include "src/common/select.h"
#include "src/common/slurm_mcs.h"
#include "src/common/slurm_priority.h"
#include "src/common/slurm_topology.h"
#include "src/slurmctld/burst_buffer.h"
#include "src/slurmctld/job_submit.h"
#include "src/slurmctld/preempt.h"
#endif
#if __has_include("src/common/job_features.h") /* 23.02 */
#include "src/common/job_features.h"
#endif
#if __has_include("src/common/job_state_reason.h") /* 24.05 */
#include "src/common/job_state_reason.h"
#endif
#if __has_include("src/slurmctld/proc_req.h")
#include "src/slurmctld/proc_req.h"
#endif
#if __has_include("src/stepmgr/srun_comm.h") /* 24.05 */
#include "src/stepmgr/srun_comm.h"
#include "src/stepmgr/stepmgr.h"
#else
#include "src/slurmctld/srun_comm.h"
#endif

#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/agent.h"
#include "src/slurmctld/fed_mgr.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/licenses.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/ping_nodes.h"
#include "src/slurmctld/reservation.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/state_save.h"

#endif
