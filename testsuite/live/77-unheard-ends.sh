#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld is killed when it has saved that a job was requeued, and slurmdbd has
# not heard of it yet: sacct knows the end of that run all the same, and it does
# not go on there for ever. Another restart changes nothing of it. The end of a job
# whose launch was saved on another host is heard, too. Runs that began after the
# last save before a kill have their ends in sacct, and so have the runs after them.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300' >"$conf"
start_cluster --accounting --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"

again=$(submit --gres=gpu:1 --requeue --wrap 'sleep 600')
records() { sacct -nPX -D -j "$1" -o state,end | sort; }
known() { [[ $(records "$again") == RUNNING* ]]; }
wait_for 40 known

"$live_lib/cluster" stop "$CLUSTER_DIR" slurmdbd
scontrol requeue "$again"
wait_for 20 job_is "$again" PENDING
slurm_saves "$again"
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

# What began after the last save: that file is put back.
go_back() {
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
	cp "$CLUSTER_DIR/job_state" "$CLUSTER_DIR/state/"
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
}
scancel "$again"
once='[ "${SLURM_RESTART_COUNT:-0}" -ge 1 ] || sleep 600'
single=$(submit -H --gres=gpu:1 --wrap "$once")
array=$(submit -H --gres=gpu:1 --array=0-1 --wrap "$once")
runs=$(submit --gres=gpu:1 --wrap 'sleep 30')
wait_for 20 job_is "$runs" RUNNING
slurm_saves "$single"
cp "$CLUSTER_DIR/state/job_state" "$CLUSTER_DIR/"
scontrol requeue "$runs"
wait_for 20 job_is "$runs" PENDING
wait_for 20 scontrol update JobId="$runs" StartTime=now
scontrol release "$single" "$array"
all_run() {
	(($(sacct -nPX -j "$single,$array,$runs" -s RUNNING -o jobid |
		wc -l) == 4)) &&
		[[ $(job_field "$runs" Restarts) == 1 ]]
}
wait_for 40 all_run
go_back
scontrol release "$single" "$array"

# Each run has its end, and the last one was done.
all_ended() {
	local job records
	for job in "$single" "${array}_0" "${array}_1" "$runs"; do
		records=$(sacct -nPX -D -j "$job" -o state,end)
		[[ $records == *"COMPLETED|20"* &&
			$records == *"REQUEUED|20"* ]] || return 1
		! grep -v '|20' <<<"$records" >/dev/null || return 1
	done
}
wait_for 120 all_ended

# One that was requeued before the last kill but one, away for some seconds: by
# the last kill slurmdbd has heard of what ended 10 s before the last end.
scancel "$single" "$array" "$runs"
runs=$(submit --gres=gpu:1 --wrap 'sleep 600')
other=$(submit --gres=gpu:1 --wrap 'sleep 600')
wait_for 20 job_is "$runs" RUNNING
wait_for 20 job_is "$other" RUNNING
slurm_saves "$runs"
cp "$CLUSTER_DIR/state/job_state" "$CLUSTER_DIR/"
scontrol requeue "$runs"
wait_for 20 job_is "$runs" PENDING
over=$(date +%s)
wait_for 20 eval '(($(date +%s) > over + 3))'
go_back
first_run() { sacct -nPX -D -j "$runs" -o state,end | grep -m1 '|20'; }
heard() { [[ $(first_run) == REQUEUED* ]]; }
wait_for 40 heard
first=$(first_run)
wait_for 20 eval '(($(date +%s) > over + 11))'
scancel "$other"
wait_for 20 job_is "$other" CANCELLED
restart_slurmctld KILL
known_runs() { sfair job -j "$runs" >/dev/null 2>&1; }
wait_for 20 known_runs
sleep 3
check_eq "the end of the run" "${first#*|}" "$(first_run | cut -d'|' -f2)"
