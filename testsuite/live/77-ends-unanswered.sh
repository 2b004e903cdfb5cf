#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld is killed before it has saved that a job was started. The run ends after
# slurmctld is back and before its node has answered: the job runs once more, and
# the node does not take that run for a second copy of the first.
. "$(dirname "$0")/../lib/live.sh"

start_cluster --nodes 1 --gpus 2
export OUT=$CLUSTER_DIR/out
job=$(submit -H --gres=gpu:1 --open-mode=append \
	--wrap 'echo begin; until [ -e $OUT/go ]; do sleep 0.2; done')
slurm_saves "$job"
cp "$CLUSTER_DIR/state/job_state" "$CLUSTER_DIR/"
scontrol release "$job"
begun() { [[ $(grep -c begin "$OUT/$job" 2>/dev/null) == "$1" ]]; }
wait_for 30 begun 1
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
cp "$CLUSTER_DIR/job_state" "$CLUSTER_DIR/state/"
kill -STOP "$(<"$CLUSTER_DIR/pids/n1")"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 30 ctld_log "JobId=$job was started .* it waits until n1 have answered"
touch "$OUT/go"
wait_for 30 ctld_log "_job_complete: JobId=$job WEXITSTATUS 0"
kill -CONT "$(<"$CLUSTER_DIR/pids/n1")"
scontrol release "$job"
wait_for 90 begun 2
wait_for 30 job_is "$job" COMPLETED
check_eq "errors in slurmctld's log" '' \
	"$(grep 'Duplicate jobid' "$CLUSTER_DIR/log/slurmctld.log")"
