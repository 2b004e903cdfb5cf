#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs that depend on others of their name run one after another; looking them
# up once ended slurmctld.
. "$(dirname "$0")/../lib/live.sh"

start_cluster --nodes 1 --gpus 4
export OUT=$CLUSTER_DIR/out
first=$(submit --gres=gpu:1 -J one \
	--wrap 'until [ -e $OUT/go ]; do sleep 0.2; done')
second=$(submit --gres=gpu:1 -J one -d singleton --wrap 'sleep 1')
after=$(submit --gres=gpu:1 -d "afterok:$second" --wrap 'true')
wait_for 20 job_is "$first" RUNNING
sleep 2
check_eq "state of the singleton" PENDING "$(job_state "$second")"
check_eq "why it waits" Dependency "$(job_reason "$second")"
touch "$OUT/go"
wait_for 20 job_is "$second" COMPLETED
wait_for 20 job_is "$after" COMPLETED
check_eq "state of the first" COMPLETED "$(job_state "$first")"
