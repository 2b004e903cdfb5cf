#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job of several partitions, or of several QOS (--qos=a,b, from Slurm 24.11
# on), runs in whichever pair of them a limit leaves to it, also after a lease's
# end; its priority is one in all of them.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu,other RoundInterval=1 LeaseTerm=600
EOT
start_cluster --accounting --nodes 1 --gpus 8 --astraea "$conf" \
	--slurm 'PartitionName=other Nodes=n1 State=UP'
rm "$conf"
export OUT=$CLUSTER_DIR/out

{
	for qos in part few many; do sacctmgr -i add qos $qos; done
	sacctmgr -i modify qos part set GrpTRES=gres/gpu=2
	sacctmgr -i modify qos few set GrpTRES=gres/gpu=2 Priority=10
	sacctmgr -i modify qos many set GrpTRES=gres/gpu=4 Priority=5
	sacctmgr -i add account lab
	sacctmgr -i add user root account=lab
	sacctmgr -i modify user root set qos+=part,few,many
} >"$OUT/sacctmgr"
scontrol reconfigure

job() { submit --gres=gpu:2 "$@" --wrap 'exec sleep 1000'; }
# runs ID PARTITION QOS: whether it runs there.
pair_of() { squeue -h -j "$1" -o '%T %P %q'; }
runs() { [[ $(pair_of "$1") == "RUNNING $2 $3" ]]; }
waits_for() { [[ $(squeue -h -t PD -j "$1" -o %r) == "$2" ]]; }

# ---- Several partitions: the QOS of one is full.

scontrol update partitionname=gpu qos=part
first=$(job -p gpu,other)
wait_for 20 runs "$first" gpu normal
second=$(job -p gpu,other)
wait_for 20 runs "$second" other normal
ok partition-whose-qos-is-full
scancel "$first" "$second"
scontrol update partitionname=gpu qos=

# ---- A whole node has more GPUs than the QOS allows: Slurm says so at each start.

whole=$(submit --exclusive --gres=gpu:1 --qos=part --wrap 'exec sleep 1000')
wait_for 30 waits_for "$whole" QOSGrpGRES
why_whole() { sfair why "$whole" | tr '\n' ' '; }
refused() { why_whole | grep >/dev/null 'Slurm refuses'; }
wait_for 30 refused
no_start() { [[ $(squeue -h -j "$whole" --start -o %S) == N/A ]]; }
wait_for 30 no_start
ok whole-node-over-a-limit
scancel "$whole"

(($(slurm_release) >= 2411)) || exit 0

# ---- Several QOS: those of higher priority first, until they are full.

for want in few many many; do
	id=$(job --qos=many,few)
	wait_for 20 runs "$id" gpu $want
done
ok several-qos
waits=$(job --qos=many,few)
wait_for 20 waits_for "$waits" QOSGrpGRES
says_few() { sfair why "$waits" | tr '\n' ' ' | grep >/dev/null "qos few set GrpTRES"; }
wait_for 20 says_few
ok several-qos-all-full
scancel -u root
wait_for 20 job_is "$waits" CANCELLED

# ---- Both: each partition with each QOS, which have one priority for all.

scontrol update partitionname=gpu qos=part
for want in 'gpu few' 'other many' 'other many'; do
	id=$(job -p gpu,other --qos=few,many)
	# shellcheck disable=SC2086 # two words
	wait_for 20 runs "$id" $want
done
ok several-partitions-and-qos
waits=$(job -p gpu,other --qos=few,many)
priorities() { squeue -h -P -j "$waits" -o '%P %Q' | sort -u; }
alike() { [[ $(priorities | wc -l) == 2 &&
	$(priorities | cut -d' ' -f2 | sort -u | wc -l) == 1 ]]; }
wait_for 20 alike
check "sprio lacks a line" [ -n "$(sprio -h -j "$waits")" ]
ok one-priority

# ---- The end of a lease leaves the choice again.

scancel "$id"
wait_for 20 runs "$waits" other many
scontrol requeue "$waits"
wait_for 30 job_is "$waits" PENDING
scancel -u root -q few
wait_for 20 scontrol update jobid="$waits" StartTime=now
wait_for 30 runs "$waits" gpu few
ok choice-after-requeue
