#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that ends while slurmctld is down is over, though its lease was, too,
# and somebody waits for its GPUs: its slurmstepd tells of it within 15 s. One
# that lives is taken back only then. One whose launch no node has heard of is not
# RUNNING for long.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=30 CheckpointGrace=2' >"$conf"
start_cluster --nodes 2 --gpus 2 --astraea "$conf" --slurm BatchStartTimeout=2
rm -f "$conf"

short=$(submit --gres=gpu:2 -w n1 --wrap "sleep 35; echo >'$CLUSTER_DIR/over'")
long=$(submit --gres=gpu:2 -w n2 --wrap 'sleep 600')
wait_for 20 job_is "$short" RUNNING
wait_for 20 job_is "$long" RUNNING
first=$(submit --gres=gpu:2 -w n1 --wrap true)
second=$(submit --gres=gpu:2 -w n2 --wrap true)
slurm_saves "$second"
over() { [[ -s $CLUSTER_DIR/over ]]; }
"${live_lib:?}/cluster" stop "$CLUSTER_DIR" slurmctld KILL
wait_for 60 over # the first; both leases are as well
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 60 job_is "$short" COMPLETED
check_eq "restarts of the one that had ended" 0 "$(job_field "$short" Restarts)"
wait_for 60 job_is "$first" COMPLETED
wait_for 60 job_is "$second" COMPLETED
check_eq "restarts of the one that lived" 1 "$(job_field "$long" Restarts)"

# slurmctld is killed before it could tell n1 of a launch; n2's it has told.
scancel "$long"
"$live_lib/cluster" stop "$CLUSTER_DIR" n1 KILL
lost=$(submit -H --gres=gpu:2 -w n1 --wrap 'echo runs; sleep 600')
lives=$(submit -H --gres=gpu:2 -w n2 --wrap 'echo runs; sleep 600')
slurm_saves "$lives" # one that it has not saved is lost
scontrol release "$lost,$lives"
wait_for 20 job_is "$lost" RUNNING
wait_for 20 test -s "$CLUSTER_DIR/out/$lives"
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
"$live_lib/cluster" start "$CLUSTER_DIR" n1
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 60 job_is "$lost" PENDING
scontrol update JobId="$lost" StartTime=now # not after Slurm's two minutes
wait_for 30 test -s "$CLUSTER_DIR/out/$lost"
check_eq "its runs" runs "$(job_log "$lost")"
check_eq "restarts of both" "1 0" \
	"$(job_field "$lost" Restarts) $(job_field "$lives" Restarts)"
check_eq "runs of the one that lives" runs "$(job_log "$lives")"
