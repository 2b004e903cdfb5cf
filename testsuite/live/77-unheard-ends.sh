#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld is killed when it has saved that a job was requeued, and slurmdbd has
# not heard of it yet: sacct knows the end of that run all the same, and it does
# not go on there for ever. Another restart changes nothing of it. The end of a job
# whose launch was saved on another host is heard, too.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300' >"$conf"
start_cluster --accounting --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"
restart_slurmctld # from 26.05 on it needs what is saved at an end alone

again=$(submit --gres=gpu:1 --requeue --wrap 'sleep 600')
records() { sacct -nPX -D -j "$1" -o state,end | sort; }
known() { [[ $(records "$again") == RUNNING* ]]; }
wait_for 40 known

"$live_lib/cluster" stop "$CLUSTER_DIR" slurmdbd
scontrol requeue "$again"
wait_for 20 job_is "$again" PENDING
touch "$CLUSTER_DIR/known"
scontrol update JobId="$again" Comment=saved # it may have been, before that
wait_for 20 slurm_has_saved
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
"$live_lib/cluster" start "$CLUSTER_DIR" slurmdbd
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld

ended() { [[ $(records "$again") == *REQUEUED\|20* ]]; }
wait_for 40 ended
first=$(records "$again" | grep REQUEUED)
restart_slurmctld KILL
known_again() { sfair job -j "$again" >/dev/null 2>&1; }
wait_for 20 known_again
sleep 3
check_eq "the first run" "$first" "$(records "$again" | grep REQUEUED)"

# On another host there is no black box. What was saved as running before it was
# launched is running there, and its end is heard.
other=$(submit --gres=gpu:1 --wrap 'echo runs; sleep 8')
wait_for 20 test -s "$CLUSTER_DIR/out/$other"
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
check "no black box" rm "$(box_name)"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 40 job_is "$other" COMPLETED
check_eq "its restarts" 0 "$(job_field "$other" Restarts)"
