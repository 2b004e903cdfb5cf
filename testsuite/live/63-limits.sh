#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Limits of associations and QOS, licences, and preemption by QOS: a leased job
# that is over one waits with Slurm's own reason, and starts when it is raised;
# a job whose QOS preempts another's does. One line "ok NAME" for each.
# Patterns are meant; live.sh sets live_lib.
# shellcheck disable=SC2053,SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu,one RoundInterval=1 LeaseTerm=300 CheckpointGrace=5" \
	>"$conf"
start_cluster --nodes 2 --gpus 4 --cpus 16 --accounting --astraea "$conf" \
	--slurm AccountingStorageEnforce=associations,limits,qos,safe \
	--slurm 'PartitionName=one Nodes=n1 State=UP' \
	--slurm Licenses=matlab:2 --slurm PreemptType=preempt/qos \
	--slurm PreemptMode=REQUEUE
rm -f "$conf"

clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}
cancel_all() {
	scancel -u root
	wait_for 30 clean
}
runs() { wait_for 20 job_is "$1" RUNNING; }
says() { [[ $(job_reason "$1") == $2 ]]; }
mgr() { sacctmgr -iQ "$@" >"$CLUSTER_DIR/out/sacctmgr"; }
sleeper() { submit "$@" --wrap 'sleep 600'; }
# over REASON SBATCH_ARGUMENT...: waits for this; its id is in $last.
over() {
	local reason=$1
	shift
	last=$(sleeper "$@")
	wait_for 20 says "$last" "$reason"
	check_eq "state of $*" PENDING "$(job_state "$last")"
}
refused() {
	if submit "$@" --wrap true 2>/dev/null; then fail "$*: accepted"; fi
}

mgr add account lab
mgr add user root account=lab
for qos in high low tight denied; do mgr add qos $qos; done
mgr modify qos high set preempt=low
mgr modify user root set qos+=high,low,tight,denied
use_lab() { mgr modify user root set defaultaccount=lab; }
use_lab
known() { sacctmgr -nP show assoc account=lab user=root format=qos |
	grep >/dev/null denied; }
wait_for 20 known

# ---- Of the association.

mgr modify account lab set GrpTRES=gres/gpu=3
first=$(sleeper -A lab --gres=gpu:2)
runs "$first"
over AssocGrpGRES -A lab --gres=gpu:2
ok assoc-GrpTRES
mgr modify account lab set GrpTRES=gres/gpu=-1
runs "$last"
ok assoc-GrpTRES-raised
cancel_all
mgr modify account lab set GrpJobs=1
first=$(sleeper -A lab --gres=gpu:1)
runs "$first"
over AssocGrpJobsLimit -A lab --gres=gpu:1
scancel "$first"
runs "$last"
ok assoc-GrpJobs
mgr modify account lab set GrpJobs=-1
cancel_all
mgr modify user root account=lab set MaxJobs=1
first=$(sleeper -A lab --gres=gpu:1)
runs "$first"
over AssocMaxJobsLimit -A lab --gres=gpu:1
ok assoc-MaxJobs
mgr modify user root account=lab set MaxJobs=-1 MaxSubmitJobs=2
refused -A lab --gres=gpu:1
ok assoc-MaxSubmitJobs
mgr modify user root account=lab set MaxSubmitJobs=-1
cancel_all
mgr modify account lab set GrpTRESMins=gres/gpu=10
over AssocGrpGRESMinutes -A lab --gres=gpu:2 -t 30
ok assoc-GrpTRESMins
mgr modify account lab set GrpTRESMins=gres/gpu=-1
runs "$last"
cancel_all

# ---- Of the QOS.

mgr modify qos tight set MaxTRESPerUser=gres/gpu=2
first=$(sleeper -A lab --qos=tight --gres=gpu:2)
runs "$first"
over QOSMaxGRESPerUser -A lab --qos=tight --gres=gpu:1
ok qos-MaxTRESPerUser
other=$(sleeper -A lab --gres=gpu:1)
runs "$other"
ok qos-limit-holds-back-no-other
mgr modify qos tight set MaxTRESPerUser=gres/gpu=4
runs "$last"
ok qos-MaxTRESPerUser-raised
mgr modify qos tight set MaxTRESPerUser=gres/gpu=-1 MaxJobsPerUser=2
over QOSMaxJobsPerUserLimit -A lab --qos=tight --gres=gpu:1
ok qos-MaxJobsPerUser
mgr modify qos tight set MaxJobsPerUser=-1 MaxTRESPerJob=gres/gpu=1
cancel_all
over QOSMaxGRESPerJob -A lab --qos=tight --gres=gpu:2
ok qos-MaxTRESPerJob
cancel_all
mgr modify qos denied set flags=DenyOnLimit MaxTRESPerJob=gres/gpu=1
refused -A lab --qos=denied --gres=gpu:2
ok qos-DenyOnLimit
refused -A lab --qos=normal2 --gres=gpu:1
ok qos-unknown-is-refused

# ---- CPU jobs of the partition run to their end, or are kept out.

cpus=$(sleeper -A lab -w n1 -c 15)
runs "$cpus"
over 'Lease: needs what jobs without leases have' \
	-A lab -w n1 --gres=gpu:1 -c 2
ok cpu-job-is-waited-for
scancel "$cpus"
runs "$last"
mgr modify qos denied set MaxTRESPerJob=gres/gpu=-1 MinTRESPerJob=gres/gpu=1
scontrol update PartitionName=gpu QOS=denied
refused -A lab
gpus=$(sleeper -A lab --gres=gpu:1)
runs "$gpus"
ok cpu-job-is-refused-by-MinTRESPerJob
scontrol update PartitionName=gpu QOS=
cancel_all

# ---- Licences.

first=$(sleeper -A lab -L matlab:2 --gres=gpu:1)
runs "$first"
over Licenses -A lab -L matlab:1 --gres=gpu:1
scancel "$first"
runs "$last"
ok licences
check_eq "licences in use" 1 "$(scontrol -o show lic matlab |
	sed 's/.*Used=\([0-9]*\).*/\1/')"
ok licences-are-counted
cancel_all

# ---- Preemption by QOS, whatever the leases.

low=$(sleeper -A lab --qos=low -N2 --gres=gpu:4)
runs "$low"
waits=$(sleeper -A lab --gres=gpu:4)
high=$(sleeper -A lab --qos=high -N2 --gres=gpu:3)
runs "$high"
ok preempting-qos-starts-in-mid-lease
check_eq "state of the preempted job" PENDING "$(job_state "$low")"
preempted() { sacct -nXD -j "$low" -o State | grep >/dev/null PREEMPTED; }
wait_for 20 preempted
ok preempted-job-is-requeued
check_eq "state of a job that may not preempt" PENDING "$(job_state "$waits")"
ok other-qos-does-not-preempt
cancel_all
here=$(sleeper -A lab --gres=gpu:4 -w n1)
low=$(sleeper -A lab --qos=low --gres=gpu:4 -w n2)
runs "$here"
runs "$low"
high=$(sleeper -A lab --qos=high --gres=gpu:4 -p gpu,one)
runs "$high"
check_eq "node of the preempting job" n2 "$(job_field "$high" NodeList)"
check_eq "state of a job that is not preempted" RUNNING "$(job_state "$here")"
ok preempts-in-each-of-its-partitions
cancel_all
low=$(sleeper -A lab --qos=low --gres=gpu:4 -w n1 -c 16)
runs "$low"
cpus=$(sleeper -A lab --qos=high -w n1 -c 16)
runs "$cpus"
check_eq "a leased job in a CPU job's way" PENDING "$(job_state "$low")"
ok unmanaged-job-preempts-a-leased-one
cancel_all
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
