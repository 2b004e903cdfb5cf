#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld is killed when it has saved that one job was requeued and another
# cancelled, and slurmdbd has not heard of either yet: sacct knows the ends of
# both runs all the same, and no run goes on there for ever.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300' >"$conf"
start_cluster --accounting --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"

again=$(submit --gres=gpu:1 --requeue --wrap 'sleep 600')
over=$(submit --gres=gpu:1 --wrap 'sleep 600')
records() { sacct -nPX -D -j "$1" -o state,end | sort; }
known() { [[ $(records "$again") == RUNNING* && $(records "$over") == RUNNING* ]]; }
wait_for 40 known

"$live_lib/cluster" stop "$CLUSTER_DIR" slurmdbd
scontrol requeue "$again"
scancel "$over"
wait_for 20 job_is "$again" PENDING
wait_for 20 job_is "$over" CANCELLED
touch "$CLUSTER_DIR/known"
slurm_has_saved() { [[ $CLUSTER_DIR/state/job_state -nt $CLUSTER_DIR/known ]]; }
wait_for 20 slurm_has_saved
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
"$live_lib/cluster" start "$CLUSTER_DIR" slurmdbd
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld

ended() { [[ $(records "$1") == $2\|20* ]]; }
wait_for 40 ended "$over" 'CANCELLED*'
wait_for 40 ended "$again" '*REQUEUED'
