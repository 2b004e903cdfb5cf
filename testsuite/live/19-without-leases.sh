#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that has leases keeps them over a time in which its pool has Leases=no, or its
# partition is in no pool: nothing takes its GPUs back then, and after it the job has
# a full term. A run that Slurm began in that time keeps its GPUs until it ends.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu,small RoundInterval=1 LeaseTerm=10 CheckpointGrace=2" \
	>"$conf"
start_cluster --nodes 2 --gpus 3 --astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n1 Default=YES MaxTime=INFINITE State=UP' \
	--slurm 'PartitionName=small Nodes=n2 MaxTime=INFINITE State=UP'
rm -f "$conf"

begin() { date -d "$(job_field "$1" StartTime)" +%s; }
pinned() { [[ $(sfair job -nP -o JobID,Pinned 2>/dev/null) == *"$1|$2"* ]]; }
unmanaged() { ! sfair job -nP -o JobID 2>/dev/null | grep >/dev/null -x "$1"; }
# wins HOLDER OTHER: the holder's lease ends for the other, which then runs; sets
# waited, the seconds since the leases came back.
wins() {
	wait_for 60 job_is "$2" RUNNING
	check_eq "restarts of the holder" 1 "$(job_field "$1" Restarts)"
	waited=$(($(begin "$2") - back))
	((waited >= 10)) || fail "a lease ends $waited s after leases came back"
}
# outlast JOB: until the job has run for a term and a half, and more.
outlast() { while (($(date +%s) < $(begin "$1") + 17)); do nap .5; done; }

# ---- Leases=no.

first=$(submit --gres=gpu:2 --wrap 'sleep 1000')
wait_for 30 pinned "$first" ""
wait_for 30 job_is "$first" RUNNING
set_conf Leases no
other=$(submit --gres=gpu:2 --wrap 'sleep 1000')
wait_for 30 pinned "$first" "this pool has no leases"
outlast "$first"
back=$(date +%s)
set_conf Leases yes
wins "$first" "$other"
ok leases-come-back

# ---- In no pool.

set_conf Partitions small
wait_for 30 unmanaged "$other"
slurms=$(submit --gres=gpu:1 --wrap 'sleep 1000')
wait_for 30 job_is "$slurms" RUNNING
outlast "$other"
check_eq "restarts in no pool" 0 "$(job_field "$other" Restarts)"
back=$(date +%s)
set_conf Partitions gpu,small
wins "$other" "$first"
ok the-partition-comes-back
check "a run that Slurm began is shown as such" \
	pinned "$slurms" "its run began without leases"
check_eq "restarts of it" 0 "$(job_field "$slurms" Restarts)"
ok a-run-that-Slurm-began
