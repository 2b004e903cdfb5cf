#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld is killed before it has saved what jobs on nodes of long names do. The
# black box has no room for their node list. A job that was requeued and runs on the
# same nodes again runs on. A run that has to end has its GPUs, start and end in sacct.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300' >"$conf"
start_cluster --accounting --nodes 5 --gpus 4 --astraea "$conf"
rm -f "$conf"
cluster() { "$live_lib/cluster" "$1" "$CLUSTER_DIR" "${@:2}"; }

# slurmstepd's socket has the name twice, within 108 bytes.
long=() old=()
for i in {1..5}; do
	long+=("n$i-is-${i}${i}-of-rack-$i")
	old+=(-e "s/^NodeName=n$i /NodeName=${long[-1]} /")
done
list=$(IFS=,; echo "${long[*]}")
check "the node list has ${#list} bytes" test ${#list} -ge 88
for daemon in slurmctld n{1..5}; do cluster stop "$daemon"; done
sed -i "${old[@]}" -e "s/n\[1-5\]/$list/" "$CLUSTER_DIR/etc/slurm.conf"
cluster gres
for node in "${long[@]}"; do
	mkdir -p "$CLUSTER_DIR/spool/$node"
	cluster start "$node"
done
cluster start slurmctld
idle() { (($(sinfo -h -N -p gpu -t idle -o %N | wc -l) == 5)); }
wait_for 60 idle

stays=$(submit -N5 --gres=gpu:1 --wrap 'exec sleep 600')
once='[ "${SLURM_RESTART_COUNT:-0}" -ge 1 ] || sleep 600'
ends=$(submit -H -N5 --gres=gpu:1 --wrap "$once")
wait_for 30 job_is "$stays" RUNNING
slurm_saves "$ends"
known() { (($(sacct -nPX -j "$stays,$ends" -o jobid | wc -l) == 2)); }
wait_for 40 known
cp "$CLUSTER_DIR/state/job_state" "$CLUSTER_DIR/"

cluster stop slurmdbd
scontrol requeue "$stays"
again() {
	scontrol update jobid="$stays" StartTime=now 2>/dev/null || :
	job_is "$stays" RUNNING && [[ $(job_field "$stays" Restarts) == 1 ]]
}
wait_for 60 again
scontrol release "$ends"
wait_for 30 job_is "$ends" RUNNING
begun=$(job_field "$stays" StartTime)
cluster stop slurmctld KILL
python3 "$live_lib/box.py" runs "$(box_name)" | tee "$CLUSTER_DIR/out/box"
cp "$CLUSTER_DIR/job_state" "$CLUSTER_DIR/state/"
cluster start slurmdbd
cluster start slurmctld
scontrol release "$ends"
wait_for 60 job_is "$ends" COMPLETED
check_eq "the job that runs on" "RUNNING 1 $begun" \
	"$(job_state "$stays") $(job_field "$stays" Restarts) $(job_field "$stays" StartTime)"
ok a-requeued-job-runs-on
record_of() { # of its first run: GPUs, and whether it has a start and an end
	sacct -nPX -D -j "$ends" -o alloctres,start,end | head -1 |
		sed -E 's/.*gres\/gpu=([0-9]+)[^|]*/\1/; s/\|20[^|]+/ time/g'
}
has_all() { [[ $(record_of) == '5 time time' ]]; }
on_failure() { sacct -nPX -D -j "$ends" -o jobid,alloctres,start,end,state; }
wait_for 30 has_all
ok a-run-that-ended-has-its-gpus
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
