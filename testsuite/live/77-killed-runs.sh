#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld is killed when neither it has saved that jobs were started, nor has
# slurmdbd heard of it. sacct has each run as it was all the same: its GPUs, nodes,
# start and end, as the black box has them. What still ran ended with slurmctld.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300' >"$conf"
start_cluster --accounting --nodes 2 --gpus 8 --astraea "$conf"
rm -f "$conf"

# The first run lasts, the second is short; one job is over in its first.
once='[ "${SLURM_RESTART_COUNT:-0}" -ge 1 ] || sleep 600'
ran=$(submit -H --gres=gpu:2 --wrap "$once")
array=$(submit -H --gres=gpu:1 --array=0-1 --wrap "$once")
wide=$(submit -H -N2 --gres=gpu:1 --wrap "$once")
taken=$(submit -H --gres=gpu:1 --wrap "$once")
over=$(submit -H --gres=gpu:1 --wrap 'sleep 2')
all="$ran,$array,$wide,$taken,$over"
slurm_saves "$over"
known() { (($(sacct -nPX -j "$all" -o jobid | wc -l) == 5)); }
wait_for 40 known
cp "$CLUSTER_DIR/state/job_state" "$CLUSTER_DIR/"

"$live_lib/cluster" stop "$CLUSTER_DIR" slurmdbd
scontrol release "$ran" "$array" "$wide" "$taken" "$over"
all_run() { (($(squeue -h -j "$all" -t RUNNING | wc -l) >= 6)); }
wait_for 30 all_run
scontrol requeue "$taken"
wait_for 30 job_is "$taken" PENDING
wait_for 30 job_is "$over" COMPLETED
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
died=$(date +%s)
python3 "$live_lib/box.py" runs "$(box_name)" | tee "$CLUSTER_DIR/out/box"
cp "$CLUSTER_DIR/job_state" "$CLUSTER_DIR/state/"
wait_for 20 eval '(($(date +%s) > died + 5))'
"$live_lib/cluster" start "$CLUSTER_DIR" slurmdbd
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
scontrol release "$ran" "$array" "$wide" "$taken"
done_all() {
	local id
	for id in "$ran" "${array}_0" "${array}_1" "$wide" "$taken"; do
		job_is "$id" COMPLETED || return 1
		scontrol update jobid="$id" StartTime=now 2>/dev/null || :
	done
}
wait_for 120 done_all

records() {
	sacct -nPX -D -j "$all" -o jobidraw,start,end,nodelist,alloctres,state
}
differ() {
	records | python3 -c '
import re, sys, time
died = int(sys.argv[2])
def at(text):
    try:
        return int(time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%S")))
    except ValueError:
        return 0
rows = [line.rstrip("\n").split("|") for line in sys.stdin]
bad = 0
for line in open(sys.argv[1]):
    job, restarts, kind, gpus, start, end, nodes = line.split()
    last = int(end) if kind in ("END", "REQUEUE") else died
    slack = 0 if kind in ("END", "REQUEUE") else 2
    for r in rows:
        got = re.search(r"gres/gpu=(\d+)", r[4])
        if (r[0] == job and at(r[1]) == int(start) and r[3] == nodes and
                got and got[1] == gpus and abs(at(r[2]) - last) <= slack):
            break
    else:
        bad += 1
        print("the box:", line.strip(), "died", died, "sacct:",
              *(r for r in rows if r[0] == job))
sys.exit(not bad)' "$CLUSTER_DIR/out/box" "$died"
}
check_eq "runs in the box" 6 "$(wc -l <"$CLUSTER_DIR/out/box")"
agree() { ! differ >"$CLUSTER_DIR/out/differ"; }
on_failure() { cat "$CLUSTER_DIR/out/differ"; }
wait_for 30 agree
