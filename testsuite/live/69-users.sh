#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Within an account its users have equal parts: not who splits a job in eight, nor
# who has a job that ends with each lease. With the fairshare of their associations
# where sacctmgr has it, and by job with FairWithin=job. One line "ok NAME" for each.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
pool="Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=10 CheckpointGrace=2 RecallAfter=4"
echo "$pool" >"$conf"
start_cluster --accounting --nodes 1 --gpus 8 --cpus 32 --astraea "$conf"
rm "$conf"
sacctmgr -i -Q add account lab >/dev/null
for u in root games; do
	sacctmgr -i -Q add user $u account=lab >/dev/null
done

# parts SECONDS: GPU seconds of root and of games from now on, as squeue sees them.
parts() {
	local root=0 games=0 end=$((SECONDS + $1))
	while ((SECONDS < end)); do
		root=$((root + $(gpus_of root))) games=$((games + $(gpus_of games)))
		sleep 1
	done
	echo "root $root, games $games GPU seconds"
	total=$((root + games)) part=$((100 * games / (root + games + !total)))
}
as_games() {
	as_other sbatch --parsable -A lab -o /dev/null --chdir=/ "$@"
}
between() { ((part >= $1 && part <= $2)) || fail "$3: games has $part %"; }
over() {
	scancel -A lab
	nobody() { [[ -z $(squeue -h) ]]; }
	wait_for 20 nobody
}

submit -A lab --gres=gpu:8 --wrap 'exec sleep 1000' >/dev/null
for _ in 1 2 3 4 5 6 7 8; do
	as_games --gres=gpu:1 --wrap 'exec sleep 1000' >/dev/null
done
sleep 5
parts 60
between 30 70 "a job split in eight"
ok split
rho=$(sfair job -nP -u games -o UserRho | head -n 1)
check "UserRho is told: $rho" awk -v r="$rho" 'BEGIN { exit !(r > .6 && r < 1.6) }'
over

# ---- A job that ends with each lease, and the next one at once.
submit -A lab --gres=gpu:8 --wrap 'exec sleep 1000' >/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	as_games --gres=gpu:8 --wrap 'sleep 8' >/dev/null
done
sleep 5
parts 60
between 25 72 "jobs that end with each lease"
over
ok anew

# ---- Three shares against one.
submit -A lab --gres=gpu:8 --wrap 'exec sleep 1000' >/dev/null
for _ in 1 2 3 4 5 6 7 8; do
	as_games --gres=gpu:1 --wrap 'exec sleep 1000' >/dev/null
done
sacctmgr -i -Q modify user games account=lab set fairshare=3 >/dev/null
sleep 15
parts 60
between 55 92 "three shares of four"
sacctmgr -i -Q modify user games account=lab set fairshare=1 >/dev/null
over
ok shares

# ---- By job the eight have eight parts of nine.
echo "$pool FairWithin=job" >"$CLUSTER_DIR/etc/astraea.conf"
scontrol reconfigure
submit -A lab --gres=gpu:8 --wrap 'exec sleep 1000' >/dev/null
for _ in 1 2 3 4 5 6 7 8; do
	as_games --gres=gpu:1 --wrap 'exec sleep 1000' >/dev/null
done
sleep 5
parts 60
between 72 100 "by job"
ok by-job
