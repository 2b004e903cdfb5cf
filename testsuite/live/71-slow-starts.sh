#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where a round starts many jobs, and each start takes long, the first of them are
# launched before the last have been started: a job that is RUNNING runs.
# None is launched twice.
top=$(cd "$(dirname "$0")/../.." && pwd)
ASTRAEA_BUILDDIR=$("$top/testsuite/lib/variant" fault)
export ASTRAEA_BUILDDIR
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=30' >"$conf"
start_cluster --nodes 2 --gpus 8 --astraea "$conf"
rm -f "$conf"

# start_together COUNT FAULT COMMAND: jobs behind one that has all GPUs, which
# start in one round, with that fault.
start_together() {
	local first
	first=$(submit -N2 --gres=gpu:8 --no-requeue --wrap 'sleep 600')
	wait_for 60 job_is "$first" RUNNING
	jobs=()
	for ((i = 0; i < $1; i++)); do
		jobs+=("$(submit --gres=gpu:1 --wrap "$3")")
	done
	echo "$2" >"$CLUSTER_DIR/state/astraea_fault"
	scancel "$first"
}

start_together 16 'start.choose 200000 usec' 'date +%s.%N; sleep 60'
for id in "${jobs[@]}"; do wait_for 120 test -s "$CLUSTER_DIR/out/$id"; done
began=$(for id in "${jobs[@]}"; do job_log "$id"; done | sort -n | head -n 1)
last=$(sed -n 's/^.\([-0-9T:.]*\). astraea: start JobId=.*/\1/p' \
	"$CLUSTER_DIR/log/slurmctld.log" | tail -n 1)
last=$(date -d "$last" +%s.%N)
echo "the first script began at $began, the last job was started at $last"
check "no script began before the last job was started" \
	awk -v a="$began" -v b="$last" 'BEGIN { exit !(a < b) }'

# One that a PrologSlurmctld configures slurmctld launches itself when that is
# over, maybe before the round launches the others: once, or its node is drained.
scancel "${jobs[@]}"
echo 'PrologSlurmctld=/bin/true' >>"$CLUSTER_DIR/etc/slurm.conf"
scontrol reconfigure # for the nodes
restart_slurmctld
start_together 4 'start.launch 1000000 usec' 'echo run; sleep 2'
for id in "${jobs[@]}"; do wait_for 60 job_is "$id" COMPLETED; done
check_eq "runs" "$(printf 'run\n%.0s' "${jobs[@]}")" \
	"$(for id in "${jobs[@]}"; do job_log "$id"; done)"
check_eq "nodes that are drained" "" "$(sinfo -h -t drain -o %n)"
