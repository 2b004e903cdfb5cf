#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scontrol update of waiting and of running jobs: the same changes are made
# under stock Slurm first, and what is answered and what the job is afterwards
# has to be the same. One line "ok NAME" for each meaning.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

nodes=(--node 'n1 Feature=red' --node 'n2 Feature=blue')
soon=$(date -d '2 days' +%Y-%m-%dT%H:%M:00)

# tried STATE NAME CHANGE...: the answer, and the fields that a change could
# touch. A waiting job is a new one each time, the running one always the same.
tried() {
	local state=$1 name=$2 id=$running answer=yes
	shift 2
	[[ $state == running ]] || id=$(sleeper -H --gpus=1 -t 60)
	scontrol update jobid="$id" "$@" 2>"$OUT/answer" || answer=no
	echo "$state $name: $answer $(sed "s/job $id/job N/" "$OUT/answer")"
	scontrol -o show job "$id" | tr ' ' '\n' | sed -nE \
		"s/^($touched)=/$state $name: &/p"
	[[ $state == running ]] || scancel "$id"
}
touched='TimeLimit|TimeMin|Nice|Partition|TresPerJob|TresPerNode|Account|Deadline'
touched+='|JobName|Features|ReqNodeList|ExcNodeList|Dependency|Requeue|NumNodes'
touched+='|Comment'

changes() {
	local state anchor running
	# Ids that are the same under both: these are the first jobs.
	anchor=$(submit -p cpu --wrap 'sleep 1200')
	running=$(sleeper --gpus=1 -t 60)
	runs "$running"
	for state in waiting running; do
		tried $state time-limit TimeLimit=30
		tried $state time-limit-more TimeLimit=90
		tried $state time-min TimeMin=10
		tried $state nice Nice=100
		# Without slurmdbd a later Slurm answers with a stale errno.
		if [[ $GPU_TRES == gres:gpu ]]; then
			tried $state account Account=small
			tried $state partition Partition=gpu2
			tried $state partition-list Partition=gpu,gpu2
		fi
		tried $state partition-unknown Partition=nosuch
		tried $state tres-per-job TresPerJob="$GPU_TRES":2
		tried $state tres-per-node TresPerNode="$GPU_TRES":2
		tried $state name JobName=renamed
		tried $state features Features=red
		tried $state features-unknown Features=nosuch
		tried $state exclude ExcNodeList=n2
		tried $state dependency Dependency=afterok:$anchor
		tried $state dependency-unknown Dependency=afterok:77777
		tried $state deadline Deadline="$soon"
		tried $state comment Comment=hello
		tried $state requeue Requeue=0
		# These resize a running job; without slurmdbd it cannot be
		# changed any more then, and Slurm says so after 5 s.
		tried $state nodes NumNodes=1
		tried $state nodelist ReqNodeList=n1
		tried $state nodelist-clear ReqNodeList=
	done
	cancel_all
}

start_cluster --stock --nodes 2 --gpus 4 --cpus 16 "${nodes[@]}" \
	--slurm 'PartitionName=gpu Nodes=n1 Default=YES State=UP' \
	--slurm 'PartitionName=gpu2 Nodes=n1 State=UP' \
	--slurm 'PartitionName=other Nodes=n2 State=UP'
export OUT=$CLUSTER_DIR/out
stock=$(changes)
# shellcheck disable=SC2154
"$top/testsuite/lib/cluster" down "$CLUSTER_DIR"
rm -rf "$CLUSTER_DIR"

lease_cluster "${nodes[@]}"
ours=$(changes)
while IFS=: read -r what _; do
	check_eq "update of $what" "$(grep "^$what: " <<<"$stock")" \
		"$(grep "^$what: " <<<"$ours")"
	ok "update-${what#* }-${what% *}"
done < <(cut -d: -f1 <<<"$stock" | uniq)

# ---- What a change does to a leased job.

# Without slurmdbd Slurm 24.11 refuses a new partition where its thread's errno
# is not 0: that has to be asked for again.
update() { wait_for 20 scontrol update "$@" 2>>"$OUT/refused"; }

id=$(sleeper --gpus=1)
other=$(sleeper --gpus=1)
runs "$id"
runs "$other"
scontrol update jobid="$id" timelimit=30
take_back "$id" "$other"
check_eq "time limit after a lease" 00:30:00 "$(job_field "$id" TimeLimit)"
ok update-time-limit-lasts-over-lease-end
update jobid="$id" partition=gpu2 nice=50
scontrol update jobid="$other" TresPerJob="$GPU_TRES":3
give_back
runs "$id"
runs "$other"
check_eq "partition after an update between leases" gpu2 \
	"$(job_field "$id" Partition)"
ok update-partition-between-leases
check "not three GPUs" grep -q 'GRES=gpu:a100:3' < <(
	scontrol -d show job "$other")
ok update-gpus-between-leases
cancel_all

# To partitions of Slurm's own, where nothing is leased, and back.
id=$(sleeper -H --gpus=1)
update jobid="$id" partition=other
scontrol release "$id"
runs "$id"
check_eq "node in an unmanaged partition" n2 "$(job_field "$id" NodeList)"
take_back
sleep 6
check_eq "restarts of an unmanaged job" "RUNNING 0" \
	"$(job_state "$id") $(job_field "$id" Restarts)"
ok update-to-unmanaged-partition
give_back
scancel "$id"
id=$(sleeper -p other -H --gpus=1)
update jobid="$id" partition=gpu
scontrol release "$id"
runs "$id"
take_back "$id"
give_back
ok update-to-managed-partition
id=$(sleeper -H --gpus=1)
refused "" scontrol update jobid="$id" partition=gpu,other
ok update-to-both-refused
cancel_all

# Priority: an operator's wins over the order, as it stands, and the user may
# not raise it.
mine() {
	as_other sbatch --parsable -o "$OUT/%j" --chdir=/ "$@" \
		--wrap 'sleep 300'
}
blocker=$(sleeper --gpus=4 --no-requeue)
runs "$blocker"
id=$(mine --gpus=4)
says "$id" 'Lease: *'
refused "denied" as_other scontrol update jobid="$id" \
	priority=4000000000
ok update-priority-by-user-refused
scontrol update jobid="$id" priority=12345
sleep 3
check_eq "priority set by an operator" 12345 "$(job_field "$id" Priority)"
ok update-priority-by-operator
cancel_all

# A dependency that a change adds, and takes away.
anchor=$(submit -p cpu --wrap 'sleep 300')
id=$(sleeper -H --gpus=1)
scontrol update jobid="$id" dependency=afterok:"$anchor"
scontrol release "$id"
says "$id" Dependency
scontrol update jobid="$id" dependency=
runs "$id"
ok update-dependency-away

# --no-requeue from now on: nothing is taken from it; and again.
runs "$id"
scontrol update jobid="$id" requeue=0
sleeper -A big --gpus=4 >/dev/null
sleep 10
check_eq "after requeue=0" "RUNNING 0" \
	"$(job_state "$id") $(job_field "$id" Restarts)"
ok update-requeue-0-keeps-gpus
scontrol update jobid="$id" requeue=1
wait_for 60 job_is "$id" PENDING
ok update-requeue-1-gives-them-back
