#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs that are not ours are scheduled as without us, while leased jobs run and
# wait: order, backfill, reservations, arrays, jobs beside leased ones on the
# same nodes; with the engine in the gate heterogeneous jobs, too.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=2 LeaseTerm=10 CheckpointGrace=1' \
	>"$conf"
start_cluster --nodes 2 --gpus 4 --cpus 8 --astraea "$conf" \
	--slurm SchedulerType=sched/backfill \
	--slurm SchedulerParameters=batch_sched_delay=0,bf_interval=1 \
	--slurm 'PartitionName=side Nodes=n[1-2] MaxCPUsPerNode=4 State=UP'
rm -f "$conf"

says() { [[ $(job_reason "$1") == $2 ]]; }
begun() { date -d "$(job_field "$1" StartTime)" +%s; }
# cpus N OPTION...: a job on N CPUs of the partition without GPUs.
cpus() { submit -p cpu -c "$1" "${@:2}"; }

# Leased jobs that run, are taken back and wait all the time.
for _ in 1 2 3 4; do
	submit -N2 --gres=gpu:4 --wrap 'sleep 1000' >/dev/null
done
leased() { (($(squeue -h -p gpu -t R -o %i | wc -l) == 1)); }
wait_for 20 leased

# ---- Backfill: what ends before the first in line can start goes before it.

half=$(cpus 4 -t 5 --wrap 'sleep 1000')
wait_for 20 job_is "$half" RUNNING
whole=$(cpus 8 -t 5 --wrap 'sleep 1000')
wait_for 20 says "$whole" Resources
long=$(cpus 2 -t 60 --wrap true)
short=$(cpus 2 -t 1 --wrap true)
wait_for 30 job_is "$short" COMPLETED
check_eq "a long job behind a large one" PENDING "$(job_state "$long")"
check_eq "the large job" PENDING "$(job_state "$whole")"
expected() {
	local at
	at=$(squeue --start -h -j "$whole" -o %S)
	[[ $at == 2*T* ]] && (($(date -d "$at" +%s) > $(date +%s) + 60))
}
wait_for 20 expected
scancel "$half"
wait_for 20 job_is "$whole" RUNNING

# ---- Order: by priority, then by age.

second=$(cpus 8 --nice=-10 --wrap 'sleep 2')
third=$(cpus 8 --wrap true)
first=$(cpus 8 --nice=-20 --wrap 'sleep 2')
scancel "$whole" "$long"
for id in "$first" "$second" "$third"; do
	wait_for 30 job_is "$id" COMPLETED
done
check "order of $first $second $third" test \
	$(($(begun "$first") < $(begun "$second") &&
		$(begun "$second") < $(begun "$third"))) == 1

# ---- Arrays and their throttle.

array=$(cpus 2 --array=1-9%3 --wrap 'sleep 4')
most=0
in_state() { squeue -h -r -j "$array" -t "$1" -o %i | wc -l; }
while (($(in_state PD,R,CG))); do
	now=$(in_state R)
	((now <= most)) || most=$now
	sleep 0.3
done
check_eq "most tasks of %3 at a time" 3 "$most"
for task in {1..9}; do wait_for 20 job_is "${array}_$task" COMPLETED; done

# ---- Reservations.

scontrol create reservation=kept starttime=now duration=60 users=root \
	nodes=c1 >/dev/null
outside=$(cpus 1 --wrap true)
inside=$(cpus 1 --reservation=kept --wrap true)
wait_for 30 job_is "$inside" COMPLETED
check_eq "outside of a reservation" PENDING "$(job_state "$outside")"
scontrol delete reservation=kept
wait_for 60 job_is "$outside" COMPLETED

# ---- On the nodes of leased jobs, which have all GPUs.

side=$(submit -p side -N2 --ntasks-per-node=1 -c 4 --wrap 'sleep 1000')
wait_for 30 job_is "$side" RUNNING
over=$(submit -p side -c 1 --wrap true)
wait_for 20 says "$over" "[RM]*" # Resources, MaxCPUsPerNode
wait_for 20 leased
scancel "$side"
wait_for 30 job_is "$over" COMPLETED

# ---- Heterogeneous jobs.

export OUT=$CLUSTER_DIR/out
het=$(submit -p cpu -c 1 : -p side -c 2 --wrap 'srun --het-group=0,1 -l hostname
	until [ -e $OUT/go ]; do sleep 0.2; done')
wait_for 30 job_is "$het+1" RUNNING
check_eq "the first component" RUNNING "$(job_state "$het")"
touch "$OUT/go"
wait_for 30 job_is "$het" COMPLETED
check_eq "tasks of both components" 2 "$(job_log "$het" | wc -l)"
for arguments in '-p cpu : --gpus=1' '--gpus=1 : -p cpu'; do
	# shellcheck disable=SC2086
	if message=$(sbatch $arguments --wrap true 2>&1); then
		fail "sbatch $arguments was accepted"
	fi
	[[ $message == *"a heterogeneous job cannot have leased GPUs"* ]] ||
		fail "sbatch $arguments: $message"
done
if message=$(srun --gpus=1 true : -p cpu true 2>&1); then
	fail "srun of a heterogeneous job with GPUs was accepted"
fi

# With sched/astraea Slurm itself refuses them.
sed -i 's|^SchedulerType=.*|SchedulerType=sched/astraea|' \
	"$CLUSTER_DIR/etc/slurm.conf"
restart_slurmctld
if message=$(sbatch -p cpu -c 1 : -p cpu -c 2 --wrap true 2>&1); then
	fail "sched/astraea: a heterogeneous job was accepted"
fi
[[ $message == *"Requested operation not supported on this system" ]] ||
	fail "sched/astraea: a heterogeneous job: $message"
alone=$(cpus 1 --wrap true)
wait_for 40 job_is "$alone" COMPLETED
