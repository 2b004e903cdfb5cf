#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A black box that is older than the record of a job says nothing of its run: a
# backup controller has started the job anew, or the job's nodes have booted since.
# The job keeps its start and runs on. A box whose file somebody removes is made again
# and has what the one before had.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300' >"$conf"
start_cluster --accounting --nodes 2 --gpus 4 --astraea "$conf"
rm -f "$conf"
stop() { "$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL; }
start() { "$live_lib/cluster" start "$CLUSTER_DIR" slurmctld; }

only() { # the node that jobs get
	scontrol update nodename="$2" state=drain reason="not now"
	scontrol update nodename="$1" state=resume 2>/dev/null || :
}
only n1 n2
begun=$(submit -H --gres=gpu:1 --wrap 'exec sleep 600')
launched=$(submit -H --gres=gpu:1 --wrap 'exec sleep 600')
slurm_saves "$launched"
cp "$CLUSTER_DIR/state/job_state" "$CLUSTER_DIR/"
scontrol release "$begun" "$launched"
wait_for 20 job_is "$begun" RUNNING
wait_for 20 job_is "$launched" RUNNING
before=$(date +%s)

# The primary is killed between the two moments of a start: the box has the first one
# of one job, both of the other. The backup, on a host without that box, starts both on
# another node.
stop
cp "$(box_name)" "$CLUSTER_DIR/box"
python3 "$live_lib/box.py" forget "$CLUSTER_DIR/box" "$begun" LAUNCH
rm "$(box_name)"
cp "$CLUSTER_DIR/job_state" "$CLUSTER_DIR/state/"
wait_for 20 eval '(($(date +%s) > before + 2))'
start
only n2 n1
scontrol release "$begun" "$launched"
began() { date -d "$(job_field "$1" StartTime)" +%s; }
run_again() {
	local id
	for id in "$begun" "$launched"; do
		job_is "$id" RUNNING && (($(began "$id") > before)) || return 1
	done
}
wait_for 90 run_again
for id in "$begun" "$launched"; do
	check_eq "restarts of $id" 0 "$(job_field "$id" Restarts)"
done
first=$(began "$begun") second=$(began "$launched")
slurm_saves "$launched"

# The primary is back.
stop
cp "$CLUSTER_DIR/box" "$(box_name)"
start
known() { sfair job -j "$launched" >/dev/null 2>&1; }
wait_for 30 known
for id in "$begun" "$launched"; do
	check_eq "state of $id" RUNNING "$(job_state "$id")"
	check_eq "restarts of $id" 0 "$(job_field "$id" Restarts)"
done
in_sacct() { date -d "$(sacct -nPX -j "$1" -o start)" +%s; }
check_eq "the start of the other one" "$first" "$(began "$begun")"
check_eq "the start of the job that was launched" "$second" "$(began "$launched")"
check_eq "its start in sacct" "$second" "$(in_sacct "$launched")"
ok older-box

# As systemd-logind does at a logout of SlurmUser.
runs=$(submit --gres=gpu:1 --wrap 'sleep 600')
wait_for 20 job_is "$runs" RUNNING
noted() {
	python3 "$live_lib/box.py" runs "$(box_name)" 2>/dev/null |
		grep "^$runs " >/dev/null
}
wait_for 20 noted
check "the box is there" rm "$(box_name)"
wait_for 20 noted
check "the log says so" ctld_log "somebody removed $(box_name)"
ok removed-box
