#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The harness itself: plain Slurm, with accounting, runs and restarts GPU jobs.
. "$(dirname "$0")/../lib/live.sh"

start_cluster --stock --accounting --nodes 2 --slurm MinJobAge=120

check_eq "an override of slurm.conf" "120 sec" \
	"$(scontrol show config | sed -n 's/^MinJobAge *= //p')"

id=$(submit --gres=gpu:2 --wrap 'echo "gpus $CUDA_VISIBLE_DEVICES"')
wait_for 20 job_is "$id" COMPLETED
check_eq "GPUs of the first job" "gpus 0,1" "$(job_log "$id")"

id=$(submit --gres=gpu:8 --wrap 'sleep 60')
wait_for 20 job_is "$id" RUNNING
check_eq "GPUs counted" 8 "$(gpus_of root)"
restart_slurmctld
check_eq "state after a restart" RUNNING "$(job_state "$id")"
restart_slurmctld KILL
wait_for 20 job_is "$id" RUNNING
scancel "$id"
wait_for 20 job_is "$id" CANCELLED

if out=$(submit --gres=gpu:9 -N1 --wrap true 2>&1); then
	fail "nine GPUs of a node with eight were granted: $out"
fi
