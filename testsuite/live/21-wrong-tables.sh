#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Plugins that were built with other structures than slurmctld's, of job details,
# nodes, partitions and GPUs, stand aside before they touch anything, and the log says
# so.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/aside.sh
. "$(dirname "$0")/../lib/aside.sh"
aside_cluster wrong-table

try_layouts <<'EOT'
details, grown|job_details|before:min_nodes:uint64_t wrong;|details of a job_record_t has [0-9]+ bytes in slurmctld and [0-9]+ here
node, grown|node_record|before:name:uint64_t wrong;|a node_record_t has [0-9]+ bytes in slurmctld and [0-9]+ here
partition, grown|part_record|end:uint64_t wrong;|a part_record_t has [0-9]+ bytes in slurmctld and [0-9]+ here
GPUs of a node, grown|gres_node_state_t|before:gres_cnt_alloc:uint64_t wrong;|a gres_node_state_t has [0-9]+ bytes in slurmctld and [0-9]+ here
details, times swapped|job_details|swap:begin_time:submit_time|(begin|submit)_time (and [a-z_]* )?of a job_details_t (is|are) not what slurmctld says
node, numbers swapped|node_record|swap:cpu_bind:owner|(cpu_bind|owner) (and [a-z_]* )?of a node_record_t (is|are) not what slurmctld says
partition, numbers swapped|part_record|swap:max_time:grace_time|(max|grace)_time (and [a-z_]* )?of a part_record_t (is|are) not what slurmctld says
EOT
ok wrong-tables-stand-aside
rm -rf "$build-wrong-table"
