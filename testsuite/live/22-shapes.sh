#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs get exactly the nodes and GPUs that the engine chose, in every way in
# which GPUs can be asked for, and give all of them back.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300 CheckpointGrace=5" \
	>"$conf"
start_cluster --needs weight=no --nodes 4 --gpus 8 --astraea "$conf"
rm -f "$conf"

# "n1:8 n2:4": the GPUs of a job by node.
layout() {
	scontrol -d show job "$1" | awk '
		/^ *Nodes=.*GRES=gpu/ {
			nodes = $1; sub(/Nodes=/, "", nodes)
			gpus = $0; sub(/.*GRES=gpu(:a100)?:/, "", gpus)
			sub(/\(.*/, "", gpus)
			n = 0
			cmd = "scontrol show hostnames " nodes
			while ((cmd | getline host) > 0)
				out = out host ":" gpus " "
			close(cmd)
		} END { sub(/ $/, "", out); print out }'
}

# gets LAYOUT SBATCH_ARGUMENT...
gets() {
	local want=$1 id
	shift
	id=$(submit "$@" --wrap 'sleep 60')
	wait_for 20 job_is "$id" RUNNING
	check_eq "GPUs of $*" "$want" "$(layout "$id")"
	scancel "$id"
	wait_for 20 clean
}
clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}

gets "n1:3" --gres=gpu:3
gets "n1:3" --gres=gpu:a100:3
gets "n1:5 n2:5" -N2 --gres=gpu:5
gets "n1:8 n2:4" --gpus=12
gets "n1:8 n2:4" -n6 --gpus-per-task=2
gets "n1:8 n2:8 n3:4" --gpus=20 -n20
gets "n1:8" --exclusive --gres=gpu:1
gets "n3:3" --gpus=3 -w n3
gets "n2:1" --gres=gpu:1 -x n1
gets "n1:1 n2:1" -n40 --gres=gpu:1
gets "n1:2" --ntasks-per-gpu=2 -n4
gets "n1:8 n2:8 n3:8 n4:8" -N4 --gpus-per-node=8 --cpus-per-gpu=4

# On nodes with room for 5, 5, 3 and none: 5 + 5 + 2.
for want in 1:3 2:3 3:5 4:8; do
	id=$(submit --gres=gpu:"${want#*:}" -w "n${want%:*}" --wrap 'sleep 600')
	wait_for 20 job_is "$id" RUNNING
done
id=$(submit --gpus=12 --wrap 'sleep 60')
wait_for 20 job_is "$id" RUNNING
check_eq "GPUs in the gaps" "n1:5 n2:5 n3:2" "$(layout "$id")"
scancel -u root
wait_for 20 clean
check_eq "GPUs in use at the end" 4 \
	"$(scontrol -d show node | grep -c 'GresUsed=gpu:a100:0(')"
