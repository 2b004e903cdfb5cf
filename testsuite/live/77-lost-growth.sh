#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job ran on one node, was requeued and grew to two. Slurmctld is killed before it
# has saved the second start. Then both nodes are told to end that run, and their
# slurmds live on, although the job's record still has the GPUs of the first run.
# Alike with any Slurm.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300' >"$conf"
start_cluster --needs minage=300 --nodes 2 --gpus 2 --astraea "$conf"
rm -f "$conf"
nodes() { scontrol show job "$job" | grep >/dev/null " NodeList=$1\$"; }
slurmds() { cat "$CLUSTER_DIR"/run/slurmd.n?.pid; }
before=$(slurmds)

job=$(submit --requeue -N1 -n2 --gres=gpu:1 --wrap 'sleep 600')
wait_for 30 job_is "$job" RUNNING
scontrol requeuehold "$job"
wait_for 30 job_is "$job" PENDING
scontrol update jobid="$job" NumNodes=2-2 StartTime=now
last=$(submit --wrap true)
slurm_saves "$last"
cp "$CLUSTER_DIR/state/job_state" "$CLUSTER_DIR/out/"
scontrol release "$job"
wait_for 60 nodes 'n\[1-2\]'
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
cp "$CLUSTER_DIR/out/job_state" "$CLUSTER_DIR/state/"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
scontrol release "$job"
again() { nodes 'n\[1-2\]' && [[ $(job_field "$job" Restarts) == 2 ]]; }
wait_for 90 again
check_eq "slurmds" "$before" "$(slurmds)"
alive() { while read -r pid; do kill -0 "$pid" || return 1; done < <(slurmds); }
check "a slurmd has ended" alive
