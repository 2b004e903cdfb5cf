#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Behind the gate everything else of Slurm stays as it is: hold, release,
# dependency, begin time, array throttle, srun, salloc and jobs without GPUs.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=2 LeaseTerm=900 CheckpointGrace=5" \
	>"$conf"
start_cluster --nodes 2 --gpus 4 --astraea "$conf"
rm -f "$conf"

state_count() { squeue -h -r -j "$1" -t "$2" | wc -l; }
has_reason() { [[ $(job_reason "$1") == "$2" ]]; }

# A job without GPUs never notices us, on managed nodes either.
cpu=$(submit -p cpu --wrap 'sleep 1')
other=$(submit -p gpu --wrap 'sleep 1')
wait_for 20 job_is "$cpu" COMPLETED
wait_for 20 job_is "$other" COMPLETED

export OUT=$CLUSTER_DIR/out
later=$(submit --begin=now+15 --gres=gpu:1 --wrap 'sleep 1')
wait_for 20 has_reason "$later" BeginTime
held=$(submit --hold --gres=gpu:1 --wrap 'sleep 1')
first=$(submit --gres=gpu:1 --wrap 'until [ -e $OUT/first ]; do sleep 0.2; done')
after=$(submit -d "afterok:$first" --gres=gpu:1 --wrap 'sleep 1')
wait_for 20 job_is "$first" RUNNING
check_eq "reason of a held job" JobHeldUser "$(job_reason "$held")"
check_eq "reason of a dependent job" Dependency "$(job_reason "$after")"
touch "$OUT/first"
wait_for 20 job_is "$after" COMPLETED
wait_for 40 job_is "$later" COMPLETED
check_eq "state of the held job meanwhile" PENDING "$(job_state "$held")"
scontrol release "$held"
wait_for 20 job_is "$held" COMPLETED

# An array keeps its throttle; each task has its own GPUs.
array=$(submit --array=0-4%2 --gres=gpu:2 \
	--wrap 'until [ -e $OUT/array ]; do sleep 0.2; done; sleep 3')
running() { (($(state_count "$1" RUNNING) == $2)); }
wait_for 20 running "$array" 2
throttled() {
	[[ $(squeue -h -j "$array" -t PD -o %r) == JobArrayTaskLimit ]]
}
wait_for 20 throttled
check_eq "tasks that run" 2 "$(state_count "$array" RUNNING)"
touch "$OUT/array"
gone() { [[ -z $(squeue -h -j "$1" 2>/dev/null) ]]; }
wait_for 40 gone "$array"
for task in {0..4}; do
	check_eq "state of task $task" COMPLETED "$(job_state "${array}_$task")"
	[[ $(job_field "${array}_$task" ExcNodeList) != n* ]] ||
		fail "a task's nodes are excluded afterwards"
done

# Interactive jobs start and are not taken back.
check_eq "GPUs of srun" "0,1,2" \
	"$(srun --gres=gpu:3 bash -c 'echo $CUDA_VISIBLE_DEVICES')"
check_eq "node of salloc" 1 "$(salloc -Q --gres=gpu:4 srun hostname | wc -l)"

# What waits says why, and a change of a waiting job lets nothing through.
full=$(submit -N2 --gres=gpu:4 --wrap 'sleep 900')
wait_for 20 job_is "$full" RUNNING
waits=$(submit --gres=gpu:1 --wrap 'sleep 300')
waiting() { [[ $(job_reason "$1") =~ ^Lease:.*(turn|collected)$ ]]; }
wait_for 20 waiting "$waits"
for _ in {1..20}; do
	scontrol update JobId="$waits" Name=other
	scontrol hold "$waits"
	scontrol release "$waits"
done
scontrol reconfigure
wait_for 20 waiting "$waits"
check_eq "state after many changes" PENDING "$(job_state "$waits")"
scancel "$full"
wait_for 20 job_is "$waits" RUNNING
