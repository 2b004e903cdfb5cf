#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Fairness inside a limit of a group: an account's, its parent's, a QOS's, of running
# minutes, and a licence of one. Who waits has Slurm's own reason, and its turn comes; others'
# leases do not end for it, nor for one whose GPUs come free when a job's epilog is
# over. One line "ok NAME" for each.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp) epilog=$(mktemp)
printf '#!/bin/sh\nsleep 2\n' >"$epilog"
chmod 755 "$epilog"
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=8 CheckpointGrace=1" \
	>"$conf"
start_cluster --needs weight=no --nodes 2 --gpus 4 --cpus 16 --accounting --astraea "$conf" \
	--slurm AccountingStorageEnforce=associations,limits,qos \
	--slurm Licenses=solver:1 --slurm Epilog="$epilog"
rm -f "$conf"
trap 'status=$?; rm -f "$epilog"; live_end $status' EXIT

clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}
cancel_all() {
	scancel -u root
	as_other scancel -u games
	wait_for 30 clean
}
runs() { wait_for 40 job_is "$1" RUNNING; }
says() { [[ $(job_reason "$1") == "$2" ]]; }
mgr() { sacctmgr -iQ "$@" >"$CLUSTER_DIR/out/sacctmgr"; }
sleeper() { submit "$@" --wrap 'exec sleep 600'; }
sleeper_of_other() {
	as_other sbatch --parsable -o /dev/null --chdir=/ "$@" \
		--wrap 'exec sleep 600'
}
# turns FIRST SECOND REASON: the first one runs, the second one waits for this;
# it starts, then the first one again, and both say so while they wait.
turns() {
	wait_for 40 says "$2" "$3"
	runs "$2"
	wait_for 40 says "$1" "$3"
	runs "$1"
	wait_for 40 says "$2" "$3"
	check_eq "restarts of a job beside" 0 "$(job_field "$beside" Restarts)"
}

mgr add account top
for account in lab team; do
	mgr add account $account parent=top
	for user in root games; do mgr add user $user account=$account; done
done
mgr add account free
mgr add user root account=free
mgr add qos small
mgr modify qos small set GrpTRES=gres/gpu=2
for user in root games; do mgr modify user $user set qos+=small; done
known() { sacctmgr -nP show assoc account=team user=games format=qos |
	grep >/dev/null small; }
wait_for 20 known

beside=$(sleeper -A free -w n2 --gres=gpu:4)
runs "$beside"

mgr modify account lab set GrpTRES=gres/gpu=2
first=$(sleeper -A lab --gres=gpu:2)
runs "$first"
second=$(sleeper_of_other -A lab --gres=gpu:2)
turns "$first" "$second" AssocGrpGRES
ok account
mgr modify account lab set GrpTRES=gres/gpu=-1
scancel "$first" "$second"

mgr modify account top set GrpJobs=1
first=$(sleeper -A lab --gres=gpu:1)
runs "$first"
second=$(sleeper_of_other -A team --gres=gpu:1)
turns "$first" "$second" AssocGrpJobsLimit
ok parent-account
mgr modify account top set GrpJobs=-1
scancel "$first" "$second"

first=$(sleeper -A lab --qos=small --gres=gpu:2)
runs "$first"
second=$(sleeper_of_other -A team --qos=small --gres=gpu:2)
turns "$first" "$second" QOSGrpGRES
ok qos
scancel "$first" "$second"

# Each run counts its whole time limit at first.
for holder in 'account lab' 'qos small'; do
	mgr modify $holder set GrpTRESRunMins=gres/gpu=50
	options=(-A lab)
	[[ $holder != qos* ]] || options+=(--qos=small)
	first=$(sleeper "${options[@]}" --gres=gpu:1 -t 30)
	runs "$first"
	second=$(sleeper_of_other "${options[@]}" --gres=gpu:1 -t 40)
	[[ $holder == qos* ]] && reason=QOS || reason=Assoc
	turns "$first" "$second" ${reason}GrpGRESRunMinutes
	ok "running-minutes-of-${holder% *}"
	mgr modify $holder set GrpTRESRunMins=gres/gpu=-1
	scancel "$first" "$second"
done

first=$(sleeper -A lab -L solver:1 --gres=gpu:1)
runs "$first"
second=$(sleeper_of_other -A team -L solver:1 --gres=gpu:1)
turns "$first" "$second" Licenses
ok licence
cancel_all
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
