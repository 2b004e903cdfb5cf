#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# PreemptMode=WITHIN: of two jobs of one QOS none ends the other in mid-lease, also
# where an operator has set the priority of the one that waits; they take turns. A
# QOS that preempts another one does so still. One line "ok NAME" for each.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600 CheckpointGrace=1" \
	>"$conf"
start_cluster --nodes 1 --gpus 2 --cpus 16 --accounting --astraea "$conf" \
	--slurm AccountingStorageEnforce=associations,limits,qos \
	--slurm PreemptType=preempt/qos --slurm PreemptMode=WITHIN,REQUEUE
rm -f "$conf"

mgr() { sacctmgr -iQ "$@" >"$CLUSTER_DIR/out/sacctmgr"; }
sleeper() { submit "$@" --wrap 'exec sleep 600'; }
rounds() { sfair diag --json | python3 -c '
import json, sys; print(json.load(sys.stdin)["diag"]["rounds"])'; }
rounds_passed() { (($(rounds) >= $1)); }
runs() { wait_for 60 job_is "$1" RUNNING; }

for account in one two three; do
	mgr add account $account
	mgr add user root account=$account
done
mgr add qos high
mgr modify qos high set preempt=normal
mgr modify user root set qos+=normal,high
known() { sacctmgr -nP show assoc account=three user=root format=qos |
	grep >/dev/null high; }
wait_for 20 known

# Two start in one round: one of them has not the highest priority.
begin() {
	scontrol update partitionname=gpu state=DOWN
	first=$(sleeper -A one --gres=gpu:1)
	second=$(sleeper -A two --gres=gpu:1)
	scontrol update partitionname=gpu state=UP
	runs "$first"
	runs "$second"
	waits=$(sleeper -A three --gres=gpu:1)
}

begin
wait_for 20 rounds_passed $(($(rounds) + 5))
check_eq "restarts in mid-lease" '0 0' \
	"$(job_field "$first" Restarts) $(job_field "$second" Restarts)"
check_eq "state of the one that waits" PENDING "$(job_state "$waits")"
ok within-a-qos-leases-do-not-end
scontrol update jobid="$waits" priority=2000000001
wait_for 20 rounds_passed $(($(rounds) + 5))
check_eq "restarts in mid-lease" '0 0' \
	"$(job_field "$first" Restarts) $(job_field "$second" Restarts)"
check_eq "its priority" 2000000001 "$(job_field "$waits" Priority)"
ok nor-by-an-operators-priority
scancel "$first" "$second" "$waits"
set_conf LeaseTerm 8
begin
runs "$waits"
ok they-take-turns
high=$(sleeper -A one --qos=high --gres=gpu:2)
runs "$high"
ok another-qos-preempts
scancel -u root
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
