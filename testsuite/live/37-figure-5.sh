#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Themis' Figure 5, instance 2, on 16 nodes in 4 racks: of two apps that want 4
# GPUs each, one does not mind where they are and the other runs half as fast
# across machines. Free are 4, 2 and 2 GPUs of three machines of a rack. The
# second gets the machine, though the first came first; sfair auction shows that
# both won what they asked for and paid nothing.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=themis FairnessKnob=0
	RoundInterval=1
	LeaseTerm=600
EOT
start_cluster --nodes 16 --gpus 4 --racks 4 --astraea "$conf"
rm -f "$conf"

# All is taken but those 8 GPUs.
rest=$(submit -N 13 --ntasks-per-node=1 --gres=gpu:4 --no-requeue \
	--exclude 'n[1-3]' --wrap 'sleep 1000')
half=$(submit -w n2 --gres=gpu:2 --no-requeue --wrap 'sleep 1000')
other=$(submit -w n3 --gres=gpu:2 --no-requeue --wrap 'sleep 1000')
for id in "$rest" "$half" "$other"; do
	wait_for 60 job_is "$id" RUNNING
done

# Both wait for the same moment.
scontrol update partitionname=gpu state=down
work=(--iterations=100 --iter-time=1 --gpus=4 -n 4)
easy=$(submit "${work[@]}" --slowdown=1,1,1,1 --wrap 'sleep 1000')
strict=$(submit "${work[@]}" --slowdown=1,1,2,2 --wrap 'sleep 1000')
sleep 2
check_eq "who waits" "PENDING PENDING" "$(job_state "$easy") $(job_state "$strict")"
scontrol update partitionname=gpu state=up

# Each won 4 GPUs and keeps them all, as the auction of that round has it.
auction() {
	sfair auction -nP -o Job,Won,Payment,Kept |
		grep -E "^($easy|$strict)\|" | sort | paste -sd' '
}
both_won() { [[ $(auction) == "$easy|4|0|4 $strict|4|0|4" ]]; }
wait_for 30 both_won
wait_for 30 job_is "$easy" RUNNING
wait_for 30 job_is "$strict" RUNNING

nodes_of() { squeue -h -j "$1" -o %N; }
check_eq "the app that minds" n1 "$(nodes_of "$strict")"
check_eq "the app that does not" 'n[2-3]' "$(nodes_of "$easy")"
