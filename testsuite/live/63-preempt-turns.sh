#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Preemption and leases: no lease ends for a job that its holder could preempt,
# by QOS, also of three in a chain. One line "ok NAME" for each.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=8 CheckpointGrace=1" \
	>"$conf"
start_cluster --nodes 2 --gpus 4 --cpus 16 --accounting --astraea "$conf" \
	--slurm AccountingStorageEnforce=associations,limits,qos \
	--slurm PreemptType=preempt/qos --slurm PreemptMode=REQUEUE
rm -f "$conf"

clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}
cancel_all() {
	scancel -u root
	wait_for 30 clean
}
runs() { wait_for 20 job_is "$1" RUNNING; }
mgr() { sacctmgr -iQ "$@" >"$CLUSTER_DIR/out/sacctmgr"; }
sleeper() { submit "$@" --wrap 'exec sleep 600'; }
# renewed JOB COUNT: it has had more leases. A lease is of 8 s.
renewed() {
	local leases
	leases=$(sfair job -nP -j "$1" -o Leases) || return 1
	((leases > $2))
}
# keeps HOLDER WAITING: over three leases the one keeps its run, the other waits.
keeps() {
	local restarts
	restarts=$(job_field "$2" Restarts) # it may have run before the holder came
	local from
	from=$(sfair job -nP -j "$1" -o Leases)
	wait_for 60 renewed "$1" $((from + 2))
	check_eq "restarts of the holder" 0 "$(job_field "$1" Restarts)"
	check_eq "state of the holder" RUNNING "$(job_state "$1")"
	check_eq "state of the one that waits" PENDING "$(job_state "$2")"
	check_eq "restarts of the one that waits" "$restarts" "$(job_field "$2" Restarts)"
}

for account in one two three; do
	mgr add account $account
	mgr add user root account=$account
done
for qos in high middle low; do mgr add qos $qos; done
mgr modify qos high set preempt=middle
mgr modify qos middle set preempt=low
mgr modify user root set qos+=high,middle,low
known() { sacctmgr -nP show assoc account=three user=root format=qos |
	grep >/dev/null middle; }
wait_for 20 known

high=$(sleeper -A one --qos=high -N2 --gres=gpu:4)
runs "$high"
middle=$(sleeper -A two --qos=middle -N2 --gres=gpu:4)
keeps "$high" "$middle"
ok qos
low=$(sleeper -A three --qos=low -N2 --gres=gpu:4)
keeps "$high" "$low"
check_eq "state of the one between" PENDING "$(job_state "$middle")"
ok chain-of-three
scancel "$high"
runs "$middle"
keeps "$middle" "$low"
ok the-next-of-the-chain
peer=$(sleeper -A one --qos=middle -N2 --gres=gpu:4)
wait_for 60 job_is "$peer" RUNNING
check_eq "state of its peer" PENDING "$(job_state "$middle")"
ok peers-have-turns
cancel_all

check_eq "errors of ours in the log" '' "$(errors_of_ours)"
