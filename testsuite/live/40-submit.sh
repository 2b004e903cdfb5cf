#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What can never run is refused, by sbatch, srun and salloc, with the reason;
# what can run is not, and a change cannot smuggle in what was refused.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=one Partitions=gpu AllowNoLease=no
Pool=two Partitions=gpu2 AllowNoLease=yes' >"$conf"
# With SchedulerType=sched/astraea Slurm itself refuses every heterogeneous job.
start_cluster --nodes 2 --gpus 4 --astraea "$conf" \
	--slurm SchedulerType=sched/backfill \
	--slurm 'PartitionName=gpu2 Nodes=n1 State=UP' \
	--slurm 'PartitionName=all Nodes=n[1-2],c1 State=UP'
rm -f "$conf"

# refused TEXT ARGUMENT...: sbatch says so and exits with an error.
refused() {
	local text=$1 out
	shift
	if out=$(sbatch -H "$@" --wrap true 2>&1); then
		fail "sbatch $*: accepted"
	fi
	[[ $out == *"$text"* ]] || fail "sbatch $*: said '$out'"
}

accepted() { sbatch --parsable -H -o /dev/null "$@" --wrap true; }

refused "5 GPUs on one node: no node" --gres=gpu:5
refused "9 GPUs: all of partition gpu has 8 GPUs" --gpus=9
refused "has 0 GPUs of type h100" --gpus=h100:1
refused "has 0 GPUs of type abc" --gpus=abc
refused "-1 is no number of GPUs" --gres=gpu:-1
refused "0x is no number of GPUs" --gres=gpu:0x
refused "2 GPUs of type 1: all of" --gpus=1:2
# A later sbatch rounds it off itself.
[[ $GPU_TRES != gres:gpu ]] ||
	refused "1.5 is no number of GPUs" --gpus-per-task=1.5 -n2
refused "3 nodes with 1 GPU each" -N3 --gres=gpu:1
refused "9 GPUs" -n9 --gpus-per-task=1
refused "6 GPUs on one node" -N1 -n6 --gpus-per-task=1
refused "10 GPUs" -n20 --ntasks-per-gpu=2
refused "MiB" --gpus=2 --mem=900G
refused "CPUs" --gpus=2 -c 64
refused "in some of these partitions" -p gpu,cpu --gpus=1
refused "in some of these partitions" -p gpu,nosuch,cpu --gpus=1
refused "belong to one pool" -p gpu,gpu2 --gpus=1
refused "leased through another partition" -p all --gpus=1
refused "heterogeneous" --gpus=1 : -p cpu
refused "heterogeneous" -p cpu : --gpus=1
refused "heterogeneous" --gpu-range=1-2 : -p cpu
refused "heterogeneous" -p cpu : --workers=1-2
refused "of one type" --gpus=a100:1,gpu:1
refused "in some of these partitions" -p gpu,cpu --exclusive
refused "nodes with 1 GPU each" --exclusive -N3
refused "16:00 is not between 01:00 and 15:00" --gpus=1 --lease=16
refused "00:30 is not between" --gpus=1 --lease=0:30
refused "not allowed here" --gpus=1 --lease=none
refused "a lease is none or a time" --gpus=1 --lease=soon
refused "a name has 1 to 64" --gpus=1 --app='a b'
refused "two whole numbers MIN-MAX" --gpu-range=8-2
refused "two whole numbers MIN-MAX" --gpu-range=0-2
refused "two whole numbers MIN-MAX" --gpu-range=2
refused "9 GPUs: all of partition gpu has 8 GPUs" --gpu-range=2-9
refused "5 GPUs on one node: no node" -N1-1 --gpu-range=2-5
refused "has 0 GPUs of type h100" --gpus=h100:2 --gpu-range=2-3
refused "leave out --gres=gpu" --gpu-range=2-4 --gres=gpu:2
refused "leave out --gres=gpu" --gpu-range=2-4 -n2 --gpus-per-task=1
refused "--gpus=8 is not in --gpu-range=2-4" --gpu-range=2-4 --gpus=8
refused "and --exclusive exclude" --gpu-range=1-4 --exclusive
refused "and --ntasks-per-gpu exclude" --gpus=1 --gpu-range=1-4 --ntasks-per-gpu=1
refused "is for batch jobs" --gpu-range=1-4 --no-requeue
refused "and --lease=none exclude" -p gpu2 --gpu-range=1-4 --lease=none
refused "begins below the number of nodes" --gpu-range=1-8 -N2
refused "needs a partition whose GPUs" -p cpu --gpu-range=1-4
refused "two whole numbers MIN-MAX" --workers=3-2
refused "a whole number from 1" --workers=1-2 --ps=0
refused "no more than --workers, 2 at most" --workers=1-2 --ps=3
refused "of how many workers" --gpus=1 --ps=3
refused "of how many workers" -p cpu --ps=3
refused "exclude each other" --workers=1-2 --gpu-range=1-2
refused "9 GPUs: all of partition gpu has 8 GPUs" --workers=2-9
refused "2 GPUs on nodes with 99 CPUs" --workers=1-2 -c 99
refused "two whole numbers MIN-MAX" --workers=1-4294967297
refused "two whole numbers MIN-MAX" --gpu-range=1-4294967297
refused "two whole numbers MIN-MAX" --gpu-range=-1-2
refused "--workers says how many tasks" --workers=1-2 -n2
refused "leave out --cpus-per-gpu" --workers=1-2 --gpus=1 --cpus-per-gpu=2
refused "--workers says how many GPUs" --workers=1-2 --gres=gpu:1
refused "--workers and --exclusive exclude" --workers=1-2 --exclusive
refused "--workers is for batch jobs" --workers=1-2 --no-requeue
refused "--workers needs a partition" -p cpu --workers=1-2
refused "3 nodes with 1 GPU each" -N3-4 --gpus-per-node=1
refused "5 GPUs on one node: no node" -N1-2 --gpus-per-node=5
refused "node count" -N3-2 --gpus-per-node=1
refused "a lease is none or a time" --gpus=1 --lease=9999-0
refused "--iterations=1.5: a whole number" --gpus=1 --iterations=1.5
refused "--iter-time=0: seconds of one" --gpus=1 --iter-time=0
refused "--slowdown=1,2,1,1: four factors" --gpus=1 --slowdown=1,2,1,1
refused "--utility=sigmoid:1,2: sigmoid:G1" --gpus=1 --utility=sigmoid:1,2
refused "--iterations=1000 of --iter-time=1e+06 take more than 10 years" \
	--gpus=1 --iterations=1000 --iter-time=1e6

# A forged SPANK environment meets the same check.
if SLURM_SPANK__SLURM_SPANK_OPTION_astraea_lease=99-0 \
	sbatch --gpus=1 --wrap true >/dev/null 2>&1; then
	fail "a lease of 99 days was accepted"
fi
check "srun was not refused" grep -q "is not between" < <(
	srun --gpus=1 --lease=16 true 2>&1)
check "salloc was not refused" grep -q "all of partition gpu" < <(
	salloc --gpus=9 true 2>&1)

for arguments in --gres=gpu:4 --gpus=8 '-N2 --gres=gpu:a100:4' \
	'--gpus=2 --lease=15' '--gpus=2 --lease=1:00 --app=bert-1' \
	'--gpus=2 --iterations=1000 --iter-time=0.5 --slowdown=1,1,1.1,1.3' \
	'--gpus=1 --utility=sigmoid:8,0.5,24' '-p cpu --utility=linear:-1/9' \
	'--gpus=4 --exclusive' --exclusive '-p cpu --exclusive' '-p gpu2 --gpus=1 --lease=none' '-p cpu' \
	'-p all' '-p cpu --lease=99' '-p cpu --lease=9999-0' '-p cpu : -p cpu' \
	'--workers=2-8 --ps=8 -c 2' '--workers=1-2 --gpus=a100:1' \
	'-N1-9 --gpus-per-node=4' '-N2-2 --gres=gpu:a100:1'; do
	# shellcheck disable=SC2086
	accepted $arguments >/dev/null || fail "sbatch $arguments was refused"
done

id=$(accepted -n4 --ntasks-per-gpu=2)
check_eq "GPUs that follow from the tasks" "$GPU_TRES:2" \
	"$(job_field "$id" TresPerJob)"

unchanged() {
	! scontrol update jobid="$id" "$@" 2>/dev/null ||
		fail "scontrol update $* was accepted"
}
id=$(accepted --gpus=2)
unchanged partition=gpu,cpu
unchanged partition=gpu,gpu2
unchanged partition=all
unchanged TresPerJob="$GPU_TRES":99
unchanged NumNodes=7
scontrol update jobid="$id" jobname=renamed TresPerJob="$GPU_TRES":4
wait_for 20 scontrol update jobid="$id" partition=gpu2 # see live/51-update
check_eq "partition after a change" gpu2 "$(job_field "$id" Partition)"
! as_other scontrol update jobid="$id" \
	partition=gpu,cpu 2>"$CLUSTER_DIR/out/stranger" || fail "a stranger may"
check "a stranger was told more than that he may not" \
	grep -q "Invalid user id" "$CLUSTER_DIR/out/stranger"
