#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Within an account its users have equal parts: not who splits a job in eight, nor
# who has a job that ends with each lease. By job with FairWithin=job. Three pools of a
# node each, side by side. One line "ok NAME" for each.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=10
	CheckpointGrace=2
	RecallAfter=4
	Pool=split Partitions=gpu
	Pool=anew Partitions=anew
	Pool=by-job Partitions=by-job FairWithin=job
EOT
start_cluster --accounting --nodes 3 --gpus 8 --cpus 32 --astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n1 Default=YES State=UP' \
	--slurm 'PartitionName=anew Nodes=n2 State=UP' \
	--slurm 'PartitionName=by-job Nodes=n3 State=UP'
rm "$conf"
sacctmgr -i -Q add account lab >/dev/null
for u in root games; do
	sacctmgr -i -Q add user $u account=lab >/dev/null
done

as_root() { # PARTITION: a job of all GPUs
	submit -p "$1" -A lab --gres=gpu:8 --wrap 'exec sleep 1000' >/dev/null
}
as_games() { # PARTITION OPTION...
	as_other sbatch --parsable -p "$1" -A lab -o /dev/null --chdir=/ "${@:2}"
}
against_eight() { # PARTITION: prints the last of the eight
	as_root "$1"
	for _ in 1 2 3 4 5 6 7 8; do
		as_games "$1" --gres=gpu:1 --wrap 'exec sleep 1000'
	done | tail -n 1
}

one_of_eight=$(against_eight gpu)
# A job that ends with each lease, and the next one at once.
as_root anew
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	as_games anew --gres=gpu:8 --wrap 'sleep 8' >/dev/null
done
against_eight by-job >/dev/null
sleep 5

# Who runs with how many GPUs from now on, each second, as squeue sees it.
samples=$CLUSTER_DIR/out/samples
end=$((SECONDS + 60))
while ((SECONDS < end)); do
	squeue -h -t RUNNING -O 'Partition:20,UserName:64,tres-alloc:200'
	sleep 1
done >"$samples"
between() { # PARTITION LOW HIGH WHAT: games' part of the GPU time, in per cent
	local part
	part=$(awk -v pool="$1" '$1 == pool && match($3, /gres\/gpu=[0-9]+/) {
		n = substr($3, RSTART + 9, RLENGTH - 9)
		all += n
		if ($2 == "games") games += n
	} END { printf "%d", 100 * games / (all + !all) }' "$samples")
	echo "$4: games has $part %"
	((part >= $2 && part <= $3)) || fail "$4: games has $part %"
}
rho=$(sfair job -nP -j "$one_of_eight" -o UserRho)
between gpu 30 70 "a job split in eight"
check "UserRho is told: $rho" awk -v r="$rho" 'BEGIN { exit !(r > .6 && r < 1.6) }'
ok split
between anew 25 72 "jobs that end with each lease"
ok anew
# By job the eight have eight parts of nine.
between by-job 72 100 "by job"
ok by-job
