#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld is killed when it has saved that a job was started, before it has
# launched it: that run ends when slurmctld is back, and its tenant is charged for
# what sacct has of it, an elastic job for the GPUs that it had.
top=$(cd "$(dirname "$0")/../.." && pwd)
ASTRAEA_BUILDDIR=$("$top/testsuite/lib/variant" fault)
export ASTRAEA_BUILDDIR
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300' >"$conf"
# A tenant is told of as long as slurmctld knows a job of it.
start_cluster --needs minage=300 --accounting --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"

booked() { # "GPUs start end" of each run
	local IFS=,
	sacct -nPX -D -j "$*" -o alloctres,start,end |
		sed -nE 's,.*gres/gpu=([0-9]+)[^|]*[|](20.*)[|](20.*),\1 \2 \3,p'
}
wanted() {
	local gpus start end sum=0
	while read -r gpus start end; do
		((sum += gpus * ($(date -d "$end" +%s) - $(date -d "$start" +%s))))
	done < <(booked "$@")
	echo "$sum"
}
charged() {
	sfair tenant --json 2>/dev/null | python3 -c '
import json, sys
print(*(round(t["alloc_gpu_sec"]) for t in json.load(sys.stdin)["tenants"]))'
}

on_failure() {
	sacct -nPX -D -j "$(IFS=,; echo "${ids[*]}")" -o jobid,state,alloctres,submit,start,end
	echo "charged $(charged), wanted $(wanted "${ids[@]}")"
}

# What was charged before is saved: without that accounts begin anew.
ids=("$(submit --gres=gpu:1 --wrap 'sleep 2')")
wait_for 30 job_is "${ids[0]}" COMPLETED
wait_for 30 test -s "$CLUSTER_DIR/state/astraea.gpu"

for size in --gres=gpu:4 --gpu-range=1-3; do
	echo 'start.launch 300000000 usec' >"$CLUSTER_DIR/state/astraea_fault"
	id=$(submit "$size" --wrap 'echo "$SLURM_RESTART_COUNT"; sleep 3')
	ids+=("$id")
	wait_for 30 job_is "$id" RUNNING
	since=$(date +%s)
	scancel "$(submit -H --wrap true)" # so that there is something to save
	saved() { (($(stat -c %Y "$CLUSTER_DIR/state/job_state") > since)); }
	wait_for 30 saved
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
	died=$(date +%s)
	rm "$CLUSTER_DIR/state/astraea_fault"
	wait_for 20 eval '(($(date +%s) > died + 5))'
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
	wait_for 90 job_is "$id" COMPLETED
	check_eq "what ran of $size" 1 "$(job_log "$id")"
	two_runs() { (($(booked "${ids[@]}" | wc -l) == 2 * ${#ids[@]} - 1)); }
	wait_for 60 two_runs
	is_charged() { [[ $(charged) == "$(wanted "${ids[@]}")" ]]; }
	wait_for 20 is_charged
	# A slow disk has the accounts saved every five seconds only (pace.h).
	since=$(date +%s)
	wait_for 30 eval '(($(date +%s) > since + 7))'
done
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
