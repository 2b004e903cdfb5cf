#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How many GPUs of which type a leased job gets, and the CPUs, memory and other
# resources beside them: every way to ask means what it means under stock Slurm.
# One line "ok NAME" for each.
# Patterns are meant; live.sh sets live_lib.
# shellcheck disable=SC2053,SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300 CheckpointGrace=5" \
	>"$conf"
start_cluster --needs select=CR_Core_Memory --nodes 3 --gpus 4 --cpus 16 --memory 16000 --astraea "$conf" \
	--slurm GresTypes=gpu,nic \
	--node 'n1 SocketsPerBoard=2 CoresPerSocket=8' \
	--node 'n2 Gres=gpu:a100:4,nic:2' --node 'n3 Gres=gpu:h100:2'
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
# TRES of the allocation, as cpu, mem, gres/gpu
tres() {
	squeue -h -j "$1" -O tres-alloc:200 | tr -d ' ' | tr , '\n' |
		sed -n "s|^$2=||p"
}
# GPUs that a job holds.
gpus() {
	scontrol -d show job "$1" | sed -nE \
		's/^ *Nodes=([^ ]*) .*GRES=gpu(:[a-z0-9]+)?:([0-9]+).*/\1 \3/p' |
		while read -r nodes n; do
			echo $((n * $(scontrol show hostnames "$nodes" | wc -l)))
		done | awk '{ n += $1 } END { print n + 0 }'
}
said() { [[ $(job_log "$last") == $1 ]]; }
# gets GPUS NODES SBATCH_ARGUMENT...: so many, and the script sees them.
gets() {
	local gpus=$1 nodes=$2
	shift 2
	last=$(submit "$@" --wrap 'echo $CUDA_VISIBLE_DEVICES; sleep 300')
	runs "$last"
	check_eq "GPUs of $*" "$gpus" "$(gpus "$last")"
	[[ $(job_field "$last" NodeList) == $nodes ]] ||
		fail "nodes of $*: '$(job_field "$last" NodeList)', not $nodes"
}
waits() {
	last=$(submit "$@" --wrap 'sleep 300')
	wait_for 20 says "$last" 'Lease: *[rng]*'
	sleep 1
	check_eq "state of $*" PENDING "$(job_state "$last")"
}
refused() {
	local id
	if id=$(submit "$@" --wrap 'sleep 300' 2>"$CLUSTER_DIR/out/refused")
	then
		fail "$*: accepted as job $id"
	fi
}

# ---- Types.

gets 2 n3 --gres=gpu:h100:2
wait_for 20 said 0,1
ok gres-of-a-type
waits --gpus=h100:1
ok a-type-that-is-taken-is-waited-for
cancel_all
gets 1 n3 --gpus=h100:1
ok gpus-of-a-type
gets 2 'n\[1-2]' -N2 --gpus-per-node=a100:1
ok gpus-per-node-of-a-type
refused --gres=gpu:h100:3
refused --gres=gpu:v100:1
ok a-type-nobody-has-is-refused
refused --gres=gpu:a100:1,gpu:h100:1
grep -q 'one type' "$CLUSTER_DIR/out/refused"
ok two-types-in-one-job-are-refused-with-the-reason
cancel_all

# ---- Counts.

gets 3 n1 --gres=gpu:3 -w n1
wait_for 20 said 0,1,2
gets 1 n1 --gres=gpu:1 -w n1
wait_for 20 said 3
ok gres-and-cuda-visible-devices
cancel_all
gets 6 'n\[1-2]' --gpus=6 -x n3
ok gpus-across-nodes
cancel_all
gets 4 'n\[*]' -N2 --gpus-per-node=2
ok gpus-per-node
cancel_all
gets 4 n? -n2 --gpus-per-task=2 -N1
ok gpus-per-task
cancel_all
gets 4 n1 --gpus-per-socket=2 --sockets-per-node=2 -n2 --ntasks-per-socket=1
ok gpus-per-socket
cancel_all
gets 2 n1 -n4 --ntasks-per-gpu=2 -w n1
check_eq "tasks" 4 "$(job_field "$last" NumTasks)"
ok ntasks-per-gpu
cancel_all
gets 4 n? --gpus=4 --gpus-per-node=4
ok gpus-with-gpus-per-node
demands() { (($(sfair tenant -nP -o Demand | awk '{ n += $1 } END { print n }') == $1)); }
for none in --gpus=0 --gres=gpu:0; do
	gets 0 n1 $none -w n1
	wait_for 20 demands 4
	check_eq "what sfair knows of $none" "" "$(sfair job -nP -j "$last")"
done
ok no-gpus-no-lease
cancel_all
if [[ $GPUS_TWICE ]]; then
	gets 2 n? --gres=gpu:2 --gpus-per-node=1
	cancel_all
	gets 1 n? --gres=gpu:1 --gpus-per-node=1 --cpus-per-gpu=16
	cancel_all
fi
ok gpus-named-twice

# ---- CPUs and memory beside the GPUs.

gets 2 n1 --gpus=2 --cpus-per-gpu=3 -w n1
check_eq "CPUs of --cpus-per-gpu" 6 "$(tres "$last" cpu)"
ok cpus-per-gpu
gets 2 n2 --gpus=2 --mem-per-gpu=3000 -w n2
check_eq "memory of --mem-per-gpu" 6000M "$(tres "$last" mem)"
ok mem-per-gpu
waits --gpus=2 --mem-per-gpu=6000 -w n2 -N1
ok mem-per-gpu-waits-for-memory
cancel_all
gets 1 n1 --gres=gpu:1 --mem=9000 -w n1
check_eq "memory of --mem" 9000M "$(tres "$last" mem)"
waits --gres=gpu:1 --mem=9000 -w n1
ok mem
cancel_all
gets 1 n1 --gres=gpu:1 -c4 --mem-per-cpu=1000 -w n1
check_eq "memory of --mem-per-cpu" 4000M "$(tres "$last" mem)"
waits --gres=gpu:1 -c13 -w n1
ok cpus-and-mem-per-cpu
refused --gres=gpu:1 --mem=20000
refused --gres=gpu:1 -c17
ok what-no-node-has-is-refused
cancel_all
gets 4 'n\[*]' -N2 --gres=gpu:2 --ntasks-per-node=3
check_eq "tasks of --ntasks-per-node" 6 "$(tres "$last" cpu)"
ok ntasks-per-node-and-gres
cancel_all

# ---- Beside other resources; harmless options.

gets 1 n2 --gres=gpu:1,nic:1
gets 1 n2 --gres=gpu:1,nic:1
waits --gres=gpu:1,nic:1
ok two-kinds-of-gres
cancel_all
gets 2 n1 --gres=gpu:2 --gpu-bind=closest --gpu-freq=low -w n1
ok gpu-bind-and-gpu-freq
cancel_all

# ---- A whole node is charged whole, and counts whole as a demand.

gets 4 n1 --exclusive --gres=gpu:1 -w n1
ok exclusive-gets-all-gpus
demand() { sfair tenant -nP -o Demand | awk '{ n += $1 } END { print n + 0 }'; }
has_demand() { (($(demand) == $1)); }
wait_for 20 has_demand 4
more=$(submit --exclusive --gres=gpu:1 -w n1 --wrap 'sleep 300')
wait_for 20 has_demand 8
check_eq "state of the second" PENDING "$(job_state "$more")"
ok exclusive-counts-as-a-whole-node
has_gpus() { [[ $(sfair job -nP -j "$1" -o GPUs) == "$2" ]]; }
wait_for 20 has_gpus "$last" 4
wait_for 20 has_gpus "$more" 4
sfair why "$last" | tr -s '\n ' ' ' | grep >/dev/null 'holds 4 GPUs' ||
	fail "sfair why of an --exclusive job: $(sfair why "$last")"
ok exclusive-is-told-with-all-gpus
cancel_all
gets 4 n1 --exclusive -w n1
wait_for 20 has_gpus "$last" 4
wait_for 20 has_demand 4
is_leased() { [[ $(sfair job -nP -j "$last" -o Phase) == leased ]]; }
wait_for 20 is_leased
gets 6 'n\[2-3]' --exclusive -n20
ok exclusive-without-gpus-is-leased
cancel_all
gets 8 'n\[1-2]' --exclusive -N1-2 -x n3
wait_for 20 has_gpus "$last" 8
cancel_all
gets 3 'n\[1-3]' -N1-3 --gres=gpu:1
wait_for 20 has_gpus "$last" 3
cancel_all
gets 2 n1 -w n1 --gres=gpu:2
gets 2 'n\[2-3]' -N1-3 --gres=gpu:1 -x n1
ok nodes-as-many-as-are-idle
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
